"""``backward-twice``: a pass reached a node whose saved tensors an earlier pass had released."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.rewrite import assigned_name, whole, with_keyword
from inspector.explain.source import called, where
from inspector.explain.turns import Handed, handed_over
from inspector.trace.facts import BackwardFailed, SavedReleased
from inspector.trace.state import State, TaskState
from inspector.trace.trace import Trace

KIND = "backward-twice"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each backward pass that needed what was already freed."""
    found = []
    for step in trace.steps_of(BackwardFailed):
        fact = trace.facts[step - 1]
        if isinstance(fact, BackwardFailed) and "backward through the graph a second time" in fact.message:
            state = trace.at(step)
            task = state.tasks.get(fact.task)
            if task is not None and fact.node is not None and fact.node in state.nodes:
                found.append(_finding(trace, state, step, task, fact.node))
    return found


def _finding(trace: Trace, state: State, step: int, task: TaskState, node: int) -> Finding:
    released = _release_of(trace, node, step)
    earlier = None if released is None else _task_at(state, released)
    made = state.nodes[node].place
    freed = f" by the backward on {where(trace, earlier.place)}" if earlier is not None else ""
    sentence = (
        f"backward of {_name_of_roots(trace, task)} on {where(trace, task.place)} reached {_label(trace, node)}, made "
        f"on {where(trace, made)}, whose saved values had been freed{freed}."
    )
    handed = None if released is None else handed_over(trace, flow_of(trace), node, released, task.started)
    if earlier is not None and earlier.root_nodes != task.root_nodes:
        sentence += f" {_shared(trace, handed, earlier, task)}"
    places = (
        *at(made, "created"),
        *at(earlier.place if earlier is not None else None, "freed"),
        *at(task.place, "used"),
    )
    mend = _mend(trace, earlier, task, handed)
    return Finding(KIND, sentence, _evidence(trace, released, step, node), unique(places), mend)


def _label(trace: Trace, node: int) -> str:
    """``ExpBackward0 of h``; of what has no name the node alone, since its line follows."""
    label = trace.label_of(node)
    return label.partition(" of #")[0]


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


def _shared(trace: Trace, handed: Handed | None, earlier: TaskState, task: TaskState) -> str:
    """How both passes came to go through one part of the graph."""
    if handed is not None and handed.anew:
        name = called(trace, handed.tensor)
        return (
            f"{name} is carried from one turn of the loop to the next with its whole history, so this pass went on "
            "from this turn's graph into that of the turn before."
        )
    if handed is not None and earlier.place == task.place:
        name = called(trace, handed.tensor)
        return (
            f"Both passes go through {name}, which was computed once, before the loop, on "
            f"{where(trace, handed.made)}: only the first of them finds its graph."
        )
    return "Both passes go through this part of the graph, which was computed once and before the first of them."


def _mend(trace: Trace, earlier: TaskState | None, task: TaskState, handed: Handed | None) -> str:
    keep = "" if earlier is None else with_keyword(trace, earlier.place, "retain_graph")
    if earlier is not None and earlier.root_nodes == task.root_nodes:
        return f"{keep or 'backward(retain_graph=True)'}  # in all calls but the last; or call it once"
    if handed is not None and handed.anew:
        name = assigned_name(trace, handed.made)
        return f"{name} = {name}.detach()  # at the start of each turn" if name else "# detach() it in each turn"
    again = "" if handed is None else whole(trace, handed.made)
    if handed is not None and earlier is not None and earlier.place == task.place and again:
        return f"{again}  # inside the loop, so that each pass has a graph of its own"
    return (
        f"{keep}  # keeps the graph for the other pass; or one pass for both: the backward of their sum"
        if keep
        else "# compute the shared part anew for each backward; or detach() it, or keep it with retain_graph"
    )
