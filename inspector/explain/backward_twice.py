"""``backward-twice``: a pass reached a node whose saved tensors an earlier pass had released."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.rewrite import with_keyword
from inspector.explain.source import called, where
from inspector.trace.facts import BackwardFailed, SavedReleased
from inspector.trace.state import State, TaskState
from inspector.trace.trace import Trace

KIND = "backward-twice"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each backward pass that needed what was already freed."""
    found = []
    for step in trace.steps_of(BackwardFailed):
        fact = trace.facts[step - 1]
        if (
            isinstance(fact, BackwardFailed)
            and fact.node is not None
            and "backward through the graph a second time" in fact.message
        ):
            found.append(_finding(trace, trace.at(step), step, fact.task, fact.node))
    return found


def _finding(trace: Trace, state: State, step: int, task: int, node: int) -> Finding:
    released = _release_of(trace, node, step)
    earlier = None if released is None else _task_at(state, released)
    made = state.nodes[node].place
    root = _name_of_roots(trace, state.tasks[task])
    shared = trace.label_of(node)
    places = [*at(made, "created")]
    first = ""
    if earlier is not None:
        places += at(earlier.place, "freed")
        first = f" by the backward on {where(trace, earlier.place)}"
    places += at(state.tasks[task].place, "used")
    sentence = (
        f"backward of {root} on {where(trace, state.tasks[task].place)} reached {shared}, made on "
        f"{where(trace, made)}, whose saved "
        f"values had been freed{first}."
    )
    if earlier is not None and earlier.root_nodes != state.tasks[task].root_nodes:
        sentence += (
            " Both passes go through this part of the graph, which was computed once and before the first of them."
        )
    return Finding(
        KIND, sentence, _evidence(trace, released, step, node), unique(places), _mend(trace, earlier, state.tasks[task])
    )


def _release_of(trace: Trace, node: int, before: int) -> int | None:
    """The last step before ``before`` at which the node's saved values were let go."""
    steps = [s for s in trace.steps_of_node(node) if s < before and isinstance(trace.facts[s - 1], SavedReleased)]
    return steps[-1] if steps else None


def _task_at(state: State, step: int) -> TaskState | None:
    for task in state.tasks.values():
        if task.started <= step and (task.ended is None or step <= task.ended):
            return task
    return None


def _name_of_roots(trace: Trace, task: TaskState) -> str:
    return ", ".join(called(trace, root) for root in task.roots) or "the roots"


def _evidence(trace: Trace, released: int | None, step: int, node: int) -> tuple[Evidence, ...]:
    shown = (
        [] if released is None else [Evidence(released, f"{trace.label_of(node)} let its saved values go", node=node)]
    )
    return (*shown, Evidence(step, f"a later pass needed {trace.label_of(node)} again", node=node))


def _mend(trace: Trace, earlier: TaskState | None, task: TaskState) -> str:
    if earlier is not None and earlier.root_nodes == task.root_nodes:
        kept = with_keyword(trace, earlier.place, "retain_graph") or "backward(retain_graph=True)"
        return f"{kept}  # in all calls but the last; or call it once"
    return (
        "# compute the shared part anew for each backward (inside the loop); or detach() it, or keep it with "
        "retain_graph"
    )
