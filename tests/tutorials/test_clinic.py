"""The patients of the clinic: each has its fault, ``explain`` finds the cause, and the mended twin is sound."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from inspector.explain import explain
from inspector.record.runner import run_script
from inspector.trace.facts import Printed
from inspector.trace.trace import Trace

CLINIC = Path(__file__).parents[2] / "tutorials" / "clinic"


class Cause(NamedTuple):
    """What is wrong with a patient: the kind of the finding, and the code on the lines that it points at."""

    kind: str
    lines: dict[str, str]
    error: str = ""


CAUSES = {
    "1_gan": Cause(
        "inplace-version",
        {
            "saved": "generator_loss = F.binary_cross_entropy_with_logits(critic(fake), yes)",
            "mutated": "optimizer_c.step()",
        },
        "InplaceError",
    ),
    "2_hidden_state": Cause(
        "backward-twice",
        {"created": "hidden = cell(embedding(codes[place]), hidden)", "freed": "loss.backward()"},
        "FreedError",
    ),
    "3_loss_by_hand": Cause(
        "dead-parameters", {"cut": "losses.append(F.cross_entropy(scores, labels[start : start + 64]).item())"}
    ),
    "4_scaled_weights": Cause(
        "grad-none",
        {"created": "w1 = mg.randn(2, 8, requires_grad=True) * 0.5", "used": "weight -= 0.3 * weight.grad"},
        "TypeError",
    ),
    "5_flat_line": Cause(
        "broadcast-suspect", {"used": "loss = F.mse_loss(model(x), y)", "row": "y = 3 * mg.linspace(-1, 1, 20) + 1"}
    ),
    "6_masked_log": Cause(
        "nan-origin",
        {"produced": "entropy = -mg.where(shares > 0, shares * shares.log(), 0.0).sum(dim=1).mean()"},
    ),
    "7_growing_memory": Cause("graph-grows", {"kept": "total += loss"}),
    "8_penalty": Cause(
        "no-create-graph",
        {"cut": "(slope,) = mg.autograd.grad(critic(between).sum(), between)", "differentiated": "loss.backward()"},
    ),
}
"""By the name of the script."""

RECOVERED = {
    "1_gan": ("around 3.7",),
    "2_hidden_state": ("epoch  0: loss 2.38", "epoch 19: loss 0.19"),
    "3_loss_by_hand": ("step  0: loss 2.345", "step 19: loss 1.066"),
    "4_scaled_weights": ("step   0: loss 0.5768", "step 199: loss 0.0000"),
    "5_flat_line": ("slope 3.00, intercept 1.00, loss 0.000",),
    "6_masked_log": ("step  0: entropy 1.158", "step 29: entropy 1.403, largest weight 0.434"),
    "7_growing_memory": ("step 60: mean loss 0.083",),
    "8_penalty": ("step  0: mean slope 0.09", "step 39: mean slope 0.75"),
}
"""What the mended ones print, among other things: they learn."""


def run(script: str) -> Trace:
    return run_script(CLINIC / f"{script}.py", timeout=120)


def printed(trace: Trace) -> str:
    facts = [trace.facts[step - 1] for step in trace.steps_of(Printed)]
    return "".join(fact.text for fact in facts if isinstance(fact, Printed) and fact.stream == "stdout")


def lines(script: str) -> list[str]:
    return (CLINIC / f"{script}.py").read_text(encoding="utf-8").splitlines()


def code(script: str) -> Sequence[str]:
    """Its lines, without the docstring."""
    text = lines(script)
    return text[next(i for i, line in enumerate(text) if line.startswith("import") or line.startswith("from")) :]


def test_every_patient_is_known_and_has_its_mended_twin() -> None:
    names = {path.stem for path in CLINIC.glob("*.py")}
    assert names == set(CAUSES) | {f"{name}_mended" for name in CAUSES}
    assert len({cause.kind for cause in CAUSES.values()}) == 8


@pytest.mark.parametrize("name", CAUSES)
def test_explain_finds_the_cause_and_the_lines(name: str) -> None:
    cause, trace = CAUSES[name], run(name)
    assert trace.outcome is not None
    assert trace.outcome.error.rpartition(".")[2] == cause.error

    (finding,) = explain(trace)
    assert finding.kind == cause.kind
    found = {place.role: lines(name)[place.line - 1].strip() for place in finding.locations}
    assert cause.lines.items() <= found.items()
    assert {Path(place.file).name for place in finding.locations} == {f"{name}.py"}
    assert finding.mend


@pytest.mark.parametrize("name", CAUSES)
def test_the_mended_one_is_healthy_and_learns(name: str) -> None:
    trace = run(f"{name}_mended")
    assert trace.outcome is not None
    assert trace.outcome.kind == "ok"
    assert explain(trace) == []
    for words in RECOVERED[name]:
        assert words in printed(trace)


@pytest.mark.parametrize("name", CAUSES)
def test_mending_takes_a_few_lines(name: str) -> None:
    changes = [line for line in difflib.ndiff(code(name), code(f"{name}_mended")) if line[0] in "+-"]
    assert 0 < len(changes) <= 8


def test_the_penalty_made_no_difference_indeed(tmp_path: Path) -> None:
    told = set()
    for factor in ("0.0", "100.0"):
        script = tmp_path / "penalty.py"
        script.write_text((CLINIC / "8_penalty.py").read_text().replace("PENALTY = 10.0", f"PENALTY = {factor}"))
        told.add(printed(run_script(script, timeout=120)))
    assert len(told) == 1
