"""What became of every tensor: who used it, who copied it, whose memory it shares, what it held."""

from __future__ import annotations

from inspector.explain.flow import flow_of
from inspector.explain.passes import passes_of
from inspector.trace.facts import Printed
from inspector.trace.trace import Trace
from tests.inspector.explain.conftest import Explain

ALIASES = """
import minigrad as mg
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2.0
view = h[:1]
same = h.detach()
alias = h.data
part = alias[1:]
copy = mg.tensor([h[0], h[1].item()])
"""


def test_views_and_aliases_lead_to_the_memory_that_was_first(explained: Explain) -> None:
    ran = explained(ALIASES)
    flow = flow_of(ran.trace)
    first = ran.names["h"].serial
    assert {
        name: flow.memory(ran.names[name].serial) == first for name in ("h", "view", "same", "alias", "part", "copy")
    } == {
        "h": True,
        "view": True,
        "same": True,
        "alias": True,
        "part": True,
        "copy": False,
    }


def test_copies_know_their_sources_and_how_their_numbers_were_taken(explained: Explain) -> None:
    ran = explained(ALIASES)
    taken = [(copy.how, copy.by_hand) for copy in flow_of(ran.trace).copied_from(ran.names["copy"].serial)]
    assert taken == [("tensor", False), ("item", True)]


def test_values_are_known_before_and_after_a_write(explained: Explain) -> None:
    ran = explained("import minigrad as mg\nx = mg.tensor([1.0, 2.0])\nx.mul_(3.0)\n")
    flow, serial = flow_of(ran.trace), ran.names["x"].serial
    written = ran.trace.steps_of("VersionBumped")[0]
    before, after = flow.value_of(serial, written), flow.value_of(serial, written + 1)
    assert before is not None
    assert after is not None
    assert (list(before.values), list(after.values)) == ([1.0, 2.0], [3.0, 6.0])


def test_downstream_stops_at_cuts_and_descendants_do_not(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * 2.0
        mask = (h > 2.0).float()
        out = mask * 5.0
        """
    )
    flow = flow_of(ran.trace)
    serials = {name: ran.names[name].serial for name in ("w", "h", "mask", "out")}
    reached, cuts = flow.downstream(serials["w"])
    assert serials["h"] in reached
    assert serials["mask"] not in reached
    assert [cut.fact.op for cut in cuts] == ["gt"]
    assert serials["out"] in flow.descendants([serials["w"]])


def test_the_flow_and_the_passes_of_a_trace_grow_with_it(explained: Explain) -> None:
    ran = explained("import minigrad as mg\nw = mg.ones(2, requires_grad=True)\nw.sum().backward()\n")
    trace = Trace(ran.trace.facts[:2])
    assert len(passes_of(trace)) == 0
    first = flow_of(trace)
    assert flow_of(trace) is first
    trace.extend(ran.trace.facts[2:])
    assert len(passes_of(trace)) == 1
    assert flow_of(trace) is not first
    trace.extend([Printed("stdout", "end")])
    assert len(passes_of(trace)) == 1


def test_what_grad_returns_is_told_by_its_pass(explained: Explain) -> None:
    ran = explained(
        "import minigrad as mg\nw = mg.tensor([3.0], requires_grad=True)\n(g,) = mg.autograd.grad((w * w).sum(), w)\n"
    )
    (one,) = passes_of(ran.trace)
    assert [list(fact.after.values) for _, fact in one.captured()] == [[6.0]]
    assert one.arrived == []
