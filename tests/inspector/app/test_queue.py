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


PRUNED = """
import minigrad as mg

x = mg.tensor([2.0], requires_grad=True)
w = mg.tensor([5.0], requires_grad=True)
a = x * 3
b = x.exp() * w
c = a * a + b
y = c * b + w
mg.autograd.grad(y, [a], retain_graph=True)
mg.autograd.grad(y, [w, x], retain_graph=True)
y.backward()
"""


def test_whenever_a_node_is_ready_all_it_waits_for_has_arrived_also_where_the_graph_is_pruned(tmp_path: Path) -> None:
    script = tmp_path / "pruned.py"
    script.write_text(PRUNED)
    walk = Walk(run_script(script))
    view, reached = View(), []
    for step in walk.trace.steps_of(NodeReady):
        view = walk.go(view, step)
        moment = walk.moment(view)
        task, node = moment.state.task, walk.trace.facts[step - 1].node
        assert task is not None
        edges = queue.incoming(moment.marks, task.nodes)[node]
        assert queue.arrived(moment, edges) == len(edges), (step, walk.trace.describe(step))
        reached.append((task.number, len(edges)))
    assert {number for number, _ in reached} == {1, 2, 3}
    # grad(y, [a]) asks for less than the whole graph.
    sizes = [len(task.nodes) for task in walk.moment(walk.go(view, len(walk.trace))).state.tasks.values()]
    assert sizes[0] < sizes[1] <= sizes[2]


def test_the_survey_counts_every_node_once(tmp_path: Path) -> None:
    script = tmp_path / "braid.py"
    script.write_text(BRAID)
    walk = Walk(run_script(script))
    for step in range(walk.marks.steps["backward"][0], len(walk.trace) + 1):
        moment = walk.moment(walk.go(View(), step))
        task = moment.state.task
        assert task is not None
        seen = queue.survey(moment, task)
        assert seen.over + seen.idle + len(seen.half_full) + len(seen.running) + len(task.ready) == len(task.nodes)
