"""The queue pane: the ready queue, the counts and the buffers, as the engine had them."""

from __future__ import annotations

from pathlib import Path

from inspector.app.lines import text
from inspector.app.reading import queue
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.record.runner import run_script
from inspector.trace.facts import GradientSent, NodeReady

BRAID = """
import minigrad as mg

x = mg.tensor([2.0], requires_grad=True)
a = x * 3
b = x.exp()
y = a * b
y.backward()
"""


def told(walk: Walk, step: int) -> str:
    moment = walk.moment(walk.go(View(), step))
    return "\n".join(text(row) for row in [queue.title(moment), *queue.lines(moment, 200)])


def test_a_node_waits_until_all_its_gradients_have_arrived(tmp_path: Path) -> None:
    script = tmp_path / "braid.py"
    script.write_text(BRAID)
    walk = Walk(run_script(script))
    sent = walk.trace.steps_of(GradientSent)
    before = told(walk, walk.marks.steps["backward"][0])
    assert "backward #1  under way  0 of 4 nodes have run" in before

    accumulator = next(node for node, made in walk.marks.nodes.items() if made.leaf is not None)
    to_leaf = [step for step in sent if walk.trace.facts[step - 1].target == accumulator]
    assert len(to_leaf) == 2
    half = told(walk, to_leaf[0])
    assert "waits ○ AccumulateGrad of x" in half
    assert "1 of 2" in half
    ready = next(step for step in walk.trace.steps_of(NodeReady) if walk.trace.facts[step - 1].node == accumulator)
    full = told(walk, ready)
    assert "1. ◐ AccumulateGrad of x" in full
    assert "2 of 2" in full
    # 3 e² + 6 e² = 9 e² = 66.5: both ways into x have been added up.
    assert "66.5" in full
    assert "over  4 of 4 nodes have run, 0 ready" in told(walk, walk.marks.length)


def test_before_any_backward_call_the_pane_says_how_to_reach_one(tmp_path: Path) -> None:
    script = tmp_path / "braid.py"
    script.write_text(BRAID)
    walk = Walk(run_script(script))
    assert "Press d to go to the next" in told(walk, 1)
