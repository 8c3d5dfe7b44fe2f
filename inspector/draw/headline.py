"""The words above a picture: what ran and where, after which step, and what went wrong or is still missing."""

from __future__ import annotations

from inspector.draw.mismatch import first_write
from inspector.draw.selection import FAILED, Selection
from inspector.draw.subject import Subject, where
from inspector.draw.theme import SIZES
from inspector.draw.titles import Titles
from inspector.draw.typeface import elide
from inspector.draw.wording import plain
from inspector.trace.state import NodeState, Status, TaskState


def headline(subject: Subject, chosen: Selection) -> tuple[str, str, str]:
    """What ran; where and when; what went wrong."""
    titles = Titles(subject, chosen)
    task = None if subject.task is None else subject.horizon.tasks[subject.task]
    place = subject.failed.place if subject.failed is not None else None if task is None else task.place
    details = [where(place), _progress(subject), _missing(subject, chosen)]
    return (
        elide(_what(subject, chosen, task, titles), SIZES.headline, SIZES.longest_headline, bold=True),
        elide(" · ".join(text for text in details if text), 11.5, SIZES.longest_headline),
        elide(_failure(subject, chosen, titles), 11.5, SIZES.longest_headline, bold=True),
    )


def _what(subject: Subject, chosen: Selection, task: TaskState | None, titles: Titles) -> str:
    if subject.title is not None:
        return plain(subject.title)
    if subject.failed is not None:
        return str(titles.of(chosen.parts[FAILED]))
    return _graph_of(subject, chosen) if task is None else _call(task, titles)


def _call(task: TaskState, titles: Titles) -> str:
    roots = ", ".join(titles.short(root) for root in task.roots)
    options = [
        name for name, given in (("retain_graph", task.retain_graph), ("create_graph", task.create_graph)) if given
    ]
    if "create_graph" in options:
        options = ["create_graph"]
    given = ", ".join(f"{name}=True" for name in options)
    if task.called == "backward":
        return f"{roots}.backward({given})" if len(task.roots) == 1 else f"backward({roots})"
    inputs = ", ".join(titles.short(tensor) for tensor in task.inputs or ())
    return f"grad({', '.join(text for text in (roots, inputs, given) if text)})"


def _graph_of(subject: Subject, chosen: Selection) -> str:
    names = [
        plain(subject.names[t])
        for node in chosen.roots
        for t in subject.horizon.nodes[node].outputs
        if t in subject.names
    ]
    if not names or len(names) > 3:
        return "What was recorded"
    return f"How {' and '.join(names)} came to be"


def _progress(subject: Subject) -> str:
    return f"after step {subject.now.step} of {subject.steps}" if subject.steps else ""


def _missing(subject: Subject, chosen: Selection) -> str:
    task = subject.pass_()
    if task is None or task.called != "backward" or task.inputs is not None:
        return ""
    nodes = [subject.node(part.node) for part in chosen.parts.values() if part.node is not None]
    leaves = [node for node in nodes if node.leaf is not None]
    without = sum(node.status not in (Status.DONE, Status.FREED) for node in leaves)
    if not without:
        return ""
    return f"{without} of {len(leaves)} gradients {'still ' if task.ended is None else ''}missing"


def _failure(subject: Subject, chosen: Selection, titles: Titles) -> str:
    if subject.failed is not None:
        return f"{plain(subject.failed.op)} failed: {plain(subject.failed.message)}"
    task = subject.pass_()
    if task is None or task.failed is None:
        return ""
    node = None if task.node is None else subject.now.nodes.get(task.node)
    return (
        f"Failed in {plain(node.name)}: {_cause(subject, node, titles) or plain(task.failed)}"
        if node
        else plain(task.failed)
    )


def _cause(subject: Subject, node: NodeState, titles: Titles) -> str:
    """Why its saved values were no use, in the user's words; nothing if that is not what went wrong."""
    for saved in node.saved.values():
        if saved.released and subject.freed_before(node):
            return f"what it had saved ({plain(saved.slot)}) was freed by an earlier pass"
        if subject.stale(node, saved):
            bump, name = first_write(subject, saved), titles.short(saved.tensor)
            if bump is not None:
                line = f" at {where(bump.place)}" if bump.place else ""
                return f"it saved {name} at v{saved.version}, then {plain(bump.by)}{line} changed {name} to v{bump.new}"
    return ""
