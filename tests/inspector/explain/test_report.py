"""The report as data: every key, every type, whatever was found; and the sentence as it is printed."""

from __future__ import annotations

import json
import random
from types import NoneType
from typing import Any

import pytest

from inspector.explain import explain, notes_on
from inspector.explain.finding import Evidence, Finding, Location, at
from inspector.explain.report import SCHEMA, report
from inspector.trace.facts import Place, ScriptEnded
from inspector.trace.trace import Trace
from tests.inspector.explain.conftest import Explain

FINDING = {"kind": str, "sentence": str, "evidence": list, "locations": list, "mend": str}
EVIDENCE = {"step": int, "text": str, "tensor": (dict, NoneType), "node": (dict, NoneType)}
LOCATION = {"file": str, "line": int, "columns": (list, NoneType), "role": str}

PROGRAMS = [
    "w = mg.tensor([1.0, 2.0], requires_grad=True)\nh = w.exp()\nh.add_(1.0)\nh.sum().backward()",
    "w = mg.tensor([0.0, 2.0], requires_grad=True)\nw.sqrt().sum().backward()",
    "w = mg.tensor([1, 2], requires_grad=True)",
    "w = mg.zeros(2, requires_grad=True)\n(w.relu() * mg.ones(3, 2)).sum().backward()\nprint(w.grad)",
    "x = 1 + 1",
]


def fits(value: dict[str, Any], shape: dict[str, Any]) -> bool:
    """Whether a dictionary has exactly these keys, each with a value of its type."""
    return value.keys() == shape.keys() and all(isinstance(value[key], kind) for key, kind in shape.items())


def test_an_explanation_that_nobody_waits_for_is_given_up_at_the_next_diagnosis(explained: Explain) -> None:
    ran = explained(f"import minigrad as mg\n{PROGRAMS[0]}\n", fails=RuntimeError)
    assert explain(ran.trace, while_=lambda: True) == ran.findings != []
    assert explain(ran.trace, while_=lambda: False) == []

    still = iter([True] * 3)
    assert explain(ran.trace, while_=lambda: next(still, False)) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_report_has_the_documented_keys_and_types_and_goes_through_json(explained: Explain, program: str) -> None:
    raises = RuntimeError if "add_" in program or "[1, 2]" in program else None
    ran = explained(f"import minigrad as mg\n{program}\n", fails=raises)
    told = report(ran.trace)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert list(told) == ["schema", "script", "outcome", "findings", "notes"]
    assert told["schema"] == SCHEMA == 1
    assert isinstance(told["script"], str)
    assert len(told["findings"]) == len(ran.findings)
    for finding in [*told["findings"], *told["notes"]]:
        assert fits(finding, FINDING)
        assert all(fits(one, EVIDENCE) for one in finding["evidence"])
        assert all(fits(place, LOCATION) for place in finding["locations"])
        assert all(1 <= one["step"] <= len(ran.trace) for one in finding["evidence"])
        assert all(one["tensor"] is None or one["tensor"].keys() == {"serial", "name"} for one in finding["evidence"])
        assert all(one["node"] is None or one["node"].keys() == {"serial", "label"} for one in finding["evidence"])


def test_columns_cut_the_expression_out_of_its_line(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        größe = w.exp()
        größe.add_(1.0)
        größe.sum().backward()
        """,
        fails=RuntimeError,
    )
    (finding,) = report(ran.trace)["findings"]
    texts = {}
    for place in finding["locations"]:
        first, last = place["columns"]
        texts[place["role"]] = ran.source.splitlines()[place["line"] - 1].encode()[first:last].decode()
    assert texts == {"saved": "w.exp()", "mutated": "größe.add_(1.0)"}


def test_names_of_tensors_and_labels_of_nodes_come_with_the_evidence(explained: Explain) -> None:
    ran = explained(
        "import minigrad as mg\nw = mg.ones(2, requires_grad=True)\nh = w.exp()\nh.add_(1.0)\nh.sum().backward()\n",
        fails=RuntimeError,
    )
    saved = report(ran.trace)["findings"][0]["evidence"][0]
    assert saved["tensor"]["name"] == "h"
    assert saved["node"]["label"] == "ExpBackward0 of h"
    assert ran.trace.describe(saved["step"]) == "ExpBackward0 saved out = h@v0"


def test_the_outcome_is_the_scripts_own_and_null_where_nobody_saw_it_end() -> None:
    ended = ScriptEnded("error", 1, "ValueError", "no")
    assert report(Trace([ended], script="a.py")) == {
        "schema": 1,
        "script": "a.py",
        "outcome": {"kind": "error", "status": 1, "error": "ValueError", "message": "no"},
        "findings": [],
        "notes": [],
    }
    assert report(Trace())["outcome"] is None


def test_an_empty_trace_and_one_without_sources_have_nothing_to_say(explained: Explain) -> None:
    assert explain(Trace()) == []
    assert notes_on(Trace()) == []
    ran = explained(
        "import minigrad as mg\nw = mg.ones(2, requires_grad=True)\nh = w.exp()\nh.add_(1.0)\nh.sum().backward()\n",
        fails=RuntimeError,
    )
    (finding,) = explain(Trace(ran.trace.facts))
    assert (
        "(exp on program.py line 3) saved its own output h at version 0; then add_ on program.py line 4"
        in finding.sentence
    )


def test_every_beginning_of_a_run_can_be_explained(explained: Explain) -> None:
    """A recording that was cut short is told as far as it goes."""
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([0.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(2):
            h = w * 2.0
            h.retain_grad()
            (h * h).sqrt().sum().backward()
            optimizer.step()
            print(h.grad)
        """
    )
    for length in range(len(ran.trace)):
        trace = Trace(ran.trace.facts[:length], ran.trace.sources)
        json.dumps(report(trace))


FAULTS = """
import minigrad as mg
class Put(mg.autograd.Function):
    @staticmethod
    def forward(ctx, box, more):
        box.add_(more)
        return box
    @staticmethod
    def backward(ctx, g):
        return g
w = mg.tensor([0.0, 2.0], requires_grad=True)
v = mg.tensor([[1.0], [2.0]], requires_grad=True)
optimizer = mg.optim.SGD([w, v], lr=0.1)
h = w * 2.0
h.retain_grad()
h.register_hook(lambda g: g * 2.0)
(h * h).sqrt().sum().backward()
optimizer.step()
((v - w) ** 2).mean().backward()
optimizer.step()
(slope,) = mg.autograd.grad((w ** 3).sum(), w)
((w - slope) ** 2).sum().backward()
print(h.grad, v.grad.tolist(), mg.tensor([w[0].item()]).data.add_(1.0))
for program in (
    lambda: (h.exp() * 1.0).sum().backward(),
    lambda: Put.apply(w * 1.0, w).sum().backward(),
    lambda: mg.tensor(w.tolist()).sum().backward(),
    lambda: h.add_(1.0).exp().add_(1.0).sum().backward(),
):
    try:
        program()
    except RuntimeError as error:
        print(error)
"""


@pytest.mark.parametrize("kept", [0.99, 0.9, 0.5])
def test_a_trace_with_gaps_is_told_as_far_as_it_goes(explained: Explain, kept: float) -> None:
    ran = explained(FAULTS)
    assert len(ran.findings) >= 5
    dice = random.Random(7)
    for _ in range(40):
        facts = [fact for fact in ran.trace.facts if dice.random() < kept]
        told = report(Trace(facts, ran.trace.sources))
        assert json.loads(json.dumps(told)) == told


def test_a_finding_is_printed_with_its_places_and_its_mend() -> None:
    finding = Finding(
        "view-inplace",
        "It was refused.",
        (Evidence(3, "x"),),
        (Location("a.py", 3, (0, 5), "mutated"), Location("a.py", 1, None, "differentiated")),
        "one()\ntwo()",
    )
    assert str(finding).splitlines() == [
        "view-inplace: It was refused.",
        "  mutated        a.py:3",
        "  differentiated a.py:1",
        "  mend           one()",
        "                 two()",
    ]


def test_an_expression_over_several_lines_has_no_columns() -> None:
    assert at(Place("a.py", 1, 2, 0, 5), "used")[0].columns is None
    assert at(Place("a.py", 1, 1, 2, 5), "used")[0].columns == (2, 5)
    assert at(None, "used") == ()
