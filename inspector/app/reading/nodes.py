"""The node pane: what a node computes, what came in and went out, and what it saved. Must not know Textual."""

from __future__ import annotations

from inspector.app.lines import BLANK, Bit, Jump, Line, Role, clip, line, pairs, wrapped
from inspector.app.reading.formula import textbook
from inspector.app.reading.looks import look
from inspector.app.reading.places import where
from inspector.app.view import Moment
from inspector.draw.wording import gradient, plain, shape
from inspector.record.recheck import Compared
from inspector.trace.facts import Edge, Summary
from inspector.trace.state import NodeState, Saved


def title(moment: Moment) -> Line:
    """What stands in the pane's frame."""
    if moment.view.node is None:
        return BLANK
    signs = look(moment, moment.view.node)
    leaf = moment.leaf_name(moment.view.node)
    words = moment.node_name(moment.view.node) if leaf is None else f"AccumulateGrad of {plain(leaf)}"
    stop = moment.stops.on_node(moment.trace.labels, moment.view.node)
    return line(
        (words, "node"), (f"  {signs.glyph} {signs.word}", signs.role), (f"  {stop} stop" if stop else "", "alarm")
    )


def lines(moment: Moment, room: int) -> list[Line]:
    """The pane's text."""
    if moment.view.node is None:
        return wrapped("No operation has been recorded yet: nothing that requires a gradient was used.", room, "muted")
    node = moment.node
    if node is None:
        return wrapped("This node is not made yet at this step.", room, "muted")
    rows = [*_what(moment, node, room), *_gradients(moment, node), *_slots(moment, node), *_edges(moment, node)]
    rows += [*_check(moment, node, room), *_facts(moment, node, room)]
    return [clip(row, room) for row in rows]


def _what(moment: Moment, node: NodeState, room: int) -> list[Line]:
    if node.leaf is not None:
        leaf = Bit(plain(moment.name(node.leaf)), "name", Jump("tensor", node.leaf))
        return [line(leaf, (".grad += g", "code"))]
    expression = moment.expression(node.serial)
    head = [line((plain(expression), "code"))] if expression else []
    return [*head, *_formula(node, room)]


def _formula(node: NodeState, room: int) -> list[Line]:
    """The derivative rules, as a textbook writes them."""
    return [row for rule in textbook(node.formula) for row in wrapped(plain(rule), room, "strong", indent="  ")]


def _gradients(moment: Moment, node: NodeState) -> list[Line]:
    """What came in: the gradient of each output, or, before it runs, what waits in its buffers."""
    if node.gradients_in:
        return [_gradient_line("g in", nr, len(node.gradients_in), one) for nr, one in enumerate(node.gradients_in)]
    if node.buffers:
        return [_gradient_line("g so far", nr, len(node.buffers), one) for nr, one in sorted(node.buffers.items())]
    return [line(("g in  ", "muted"), ("—", "muted"))]


def _gradient_line(label: str, number: int, of: int, summary: Summary | None) -> Line:
    which = f"{label}{f' {number}' if of > 1 else ''}  "
    if summary is None:
        return line((which, "muted"), ("—", "muted"))
    return line(
        (which, "muted"), (gradient(summary), "gradient"), (f"  {shape(summary.dtype, summary.shape)}", "muted")
    )


def _slots(moment: Moment, node: NodeState) -> list[Line]:
    return [row for _, saved in sorted(node.saved.items()) for row in _slot(moment, saved)]


def _slot(moment: Moment, saved: Saved) -> list[Line]:
    """One saved value; when it was overwritten, a second line says so in words."""
    name = Bit(plain(moment.name(saved.tensor)), "name", Jump("tensor", saved.tensor))
    if saved.released:
        return [line((f"□ {saved.slot}  ", "muted"), name, (f"  v{saved.version}, let go", "muted"))]
    now = moment.state.storages[saved.storage].version
    if moment.state.mismatch(saved):
        bump = _first_bump_after(moment, saved)
        return [
            line((f"▣ {saved.slot}  ", "bad"), name, (f"  saved v{saved.version} ≠ now v{now} ✗", "bad")),
            *([bump] if bump else []),
        ]
    copy = ", a copy" if saved.by_copy else ""
    return [line((f"▣ {saved.slot}  ", "saved"), name, (f"  v{saved.version}{copy} ", "saved"), ("✓", "good"))]


def _first_bump_after(moment: Moment, saved: Saved) -> Line:
    bumps = [bump for bump in moment.state.storages[saved.storage].bumps if bump.new > saved.version]
    if not bumps:
        return BLANK
    bump = bumps[0]
    return line(
        "     ", Bit(f"▲ {plain(bump.by)}", "bump", Jump("step", bump.step)), (f"  {where(bump.place)}", "muted")
    )


def _edges(moment: Moment, node: NodeState) -> list[Line]:
    return [_edge(moment, node, edge) for edge in node.edges]


def _edge(moment: Moment, node: NodeState, edge: Edge) -> Line:
    name = _input(moment, node, edge.index)
    if edge.target is None:
        return line((f"{name}→ ", "muted"), ("needs no gradient", "muted"))
    leaf = moment.leaf_name(edge.target)
    words = moment.node_name(edge.target) if leaf is None else f"⊕ {plain(leaf)}"
    sent = node.sent.get(edge.index)
    target = Bit(words, "node", Jump("node", edge.target))
    return line((f"{name}→ ", "muted"), target, (f"  {gradient(sent)}", "gradient" if sent is not None else "muted"))


def _input(moment: Moment, node: NodeState, index: int) -> str:
    """``∂a ``: what an edge's gradient is called in the formula; nothing where that is not known."""
    fact = moment.trace.op_at(moment.marks.op_of.get(node.serial, 0))
    known = fact is not None and node.formula and index < len(fact.inputs)
    return f"∂{fact.inputs[index][0]} " if fact is not None and known else ""


def _check(moment: Moment, node: NodeState, room: int) -> list[Line]:
    """What the check by finite differences found; how to ask for one; nothing for a node without a formula."""
    if node.leaf is not None:
        return []
    key = node.serial, node.runs
    if key not in moment.checks:
        ask = Jump("action", "check")
        return (
            [line(Bit("f", "key", ask), Bit("  hold it against finite differences", "muted", ask))] if node.runs else []
        )
    report = moment.checks[key]
    if report is None:
        return [line(("f  ", "key"), ("computing it anew …", "muted"))]
    if report.refused:
        return wrapped(f"Not checked. {report.refused[:1].upper()}{report.refused[1:]}", room, "bump")
    rows = [row for one in report.compared for row in _compared(one)]
    return [line(("by finite differences", "muted")), *rows]


def _compared(one: Compared) -> list[Line]:
    """The worst of an input's numbers: as the rule has it and as the differences do."""
    at = f"[{', '.join(map(str, one.index))}]" if one.index else ""
    role: Role = "good" if one.agrees else "alarm"
    verdict = "✓ the same" if one.agrees else "✗ not the same"
    head = line((f"  ∂{one.name}  ", "plain"), (verdict, role), (f"  off by {one.error:.1e} at most", "muted"))
    if one.agrees:
        return [head]
    numbers = line((f"    at {at or 'it'}: rule ", "muted"), (f"{one.rule:.6g}", "alarm"), ("  differences ", "muted"))
    rows = [head, line(*numbers, (f"{one.differences:.6g}", "strong"))]
    return [*rows, line(("    there is a kink there, where both sides differ", "muted"))] if one.kink else rows


def _facts(moment: Moment, node: NodeState, room: int) -> list[Line]:
    made = line(Bit(where(node.place) or f"step {node.created}", "plain", Jump("step", node.created)))
    order = str(node.sequence_nr) if node.leaf is None else "runs as soon as it is ready"
    return pairs([("made at", made), ("sequence", line(order)), ("ran", line(_times(node.runs)))], room)


def _times(runs: int) -> str:
    return ("not yet", "once", "twice")[runs] if runs < 3 else f"{runs} times"
