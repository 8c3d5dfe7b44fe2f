"""Which things a picture shows and how they hang together: the values and nodes of one backward pass, and their inputs.

Reads the subject's horizon, so that every step of a pass selects the same things. Must not know how anything looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from inspector.draw.errors import DrawError
from inspector.draw.subject import Subject
from inspector.trace.facts import OpApplied, OpFailed
from inspector.trace.state import NodeState

FAILED = "failed"
"""The key of the operation that raised."""
DEEPEST_CUT = 200
"""How many unrecorded operations to walk back from a constant, looking for the value it was cut from."""


@dataclass(frozen=True, slots=True)
class Part:
    """A value with the node that made it, or a value without one: what becomes a card."""

    key: str
    node: int | None
    tensors: tuple[int, ...]
    step: int
    made: int = 0
    """The version that its storage had when this value was made, or first used here."""
    next_version: int | None = None
    """The version at which another part takes over, when an in-place operation gave the tensor a new node."""
    first_use: int = 0

    @property
    def tensor(self) -> int | None:
        """Its value, or the first of several; None when nothing but the node is known."""
        return self.tensors[0] if self.tensors else None


@dataclass(frozen=True, slots=True)
class Flow:
    """The value of ``source`` is an input of ``target``; ``edges`` are the gradient's ways back, as edge indices."""

    source: str
    target: str
    edges: tuple[int, ...] = ()
    cut: str | None = None
    """What cut the graph here: ``detach``, ``no_grad``."""
    port: int = 0
    """Which of the source's values."""


@dataclass(slots=True)
class Selection:
    """The parts in program order, and the flows between them."""

    parts: dict[str, Part] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)
    of_node: dict[int, str] = field(default_factory=dict)
    roots: tuple[int, ...] = ()

    def by_storage(self, subject: Subject) -> dict[int, list[Part]]:
        """The parts whose values lie in the same memory, in program order."""
        holders: dict[int, list[Part]] = {}
        for part in self.parts.values():
            if part.tensor is not None:
                holders.setdefault(subject.horizon.tensors[part.tensor].storage, []).append(part)
        return holders


def select(subject: Subject, limit: int) -> Selection:
    """Choose what belongs into a picture of ``subject``; raises ``DrawError`` for more than ``limit`` nodes."""
    chosen = Selection(roots=_roots(subject))
    reached = _reached(subject, chosen.roots)
    if len(reached) > limit:
        raise DrawError(
            f"This graph has {len(reached):,} nodes, and a picture holds {limit:,} at most: "
            "draw an earlier step, a shorter loop, or a tensor nearer to the leaves."
        )
    serials = sorted(reached, key=lambda serial: _moment(subject.horizon.nodes[serial]))
    shown = [_part(subject, subject.horizon.nodes[serial]) for serial in serials]
    chosen.of_node = {part.node: part.key for part in shown if part.node is not None}
    found = {part.key: part for part in shown}
    if subject.alone is not None:
        _constant(subject, subject.alone, found)
    if subject.failed is not None:
        chosen.flows += _failed_flows(subject, subject.failed, found, chosen.of_node)
    for part in shown:
        chosen.flows += _flows_into(subject, part, found, chosen.of_node)
    found = _with_first_use(found, chosen.flows)
    ordered = sorted(found.values(), key=lambda part: (part.first_use or part.step, part.step))
    chosen.parts = {part.key: part for part in _with_versions(subject, ordered)}
    return chosen


def _roots(subject: Subject) -> tuple[int, ...]:
    if subject.roots or subject.alone is not None:
        return subject.roots
    if subject.failed is not None:
        given = [one for _, one in subject.failed.inputs if isinstance(one, int) and one in subject.horizon.tensors]
        states = [subject.horizon.tensors[one] for one in given]
        return tuple(state.grad_fn or state.accumulator or 0 for state in states if state.grad_fn or state.accumulator)
    if subject.task is not None:
        return subject.horizon.tasks[subject.task].root_nodes
    nodes = subject.horizon.nodes
    used = {edge.target for node in nodes.values() for edge in node.edges}
    return tuple(serial for serial, node in nodes.items() if serial not in used and node.leaf is None)


def _reached(subject: Subject, roots: Iterable[int]) -> set[int]:
    """The nodes behind ``roots``; an iterative walk, for graphs of any depth."""
    nodes = subject.horizon.nodes
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        serial = stack.pop()
        if serial not in seen and serial in nodes:
            seen.add(serial)
            stack += [edge.target for edge in nodes[serial].edges if edge.target is not None]
    return seen


def _moment(node: NodeState) -> tuple[int, int]:
    return (node.op if node.op is not None else node.created, node.serial)


def _part(subject: Subject, node: NodeState) -> Part:
    if node.leaf is not None:
        leaf = subject.horizon.tensors.get(node.leaf)
        known = () if leaf is None else (node.leaf,)
        return Part(f"t{node.leaf}", node.serial, known, node.created if leaf is None else leaf.created)
    return Part(f"n{node.serial}", node.serial, _shown_outputs(subject, node), _moment(node)[0])


def _shown_outputs(subject: Subject, node: NodeState) -> tuple[int, ...]:
    """The outputs that the user has a name for, else the first: a node with fifty outputs is not fifty lines long."""
    known = [tensor for tensor in dict.fromkeys(node.outputs) if tensor in subject.horizon.tensors]
    named = [tensor for tensor in known if tensor in subject.names]
    return tuple((named or known[:1])[:8])


def _flows_into(subject: Subject, part: Part, found: dict[str, Part], of_node: dict[int, str]) -> Iterator[Flow]:
    """The flows into ``part``, in the order of the operation's inputs; constants on the way join ``found``."""
    if part.node is None or subject.horizon.nodes[part.node].leaf is not None:
        return
    node = subject.horizon.nodes[part.node]
    ways = _ways_back(node, of_node)
    covered = {tensor for key in ways for tensor in found[key].tensors}
    op = subject.op_of(node)
    flows = [Flow(key, part.key, edges, port=_port(found[key], op)) for key, edges in ways.items()]
    given = _tensors_into(op)
    for tensor in given:
        if tensor not in covered and tensor in subject.horizon.tensors and not _made_here(subject, tensor, of_node):
            covered.add(tensor)
            flows.append(Flow(_constant(subject, tensor, found), part.key))
            flows += _cuts_behind(subject, tensor, found, of_node)
    order = {tensor: index for index, tensor in enumerate(dict.fromkeys(given))}
    yield from sorted(flows, key=lambda flow: min((order.get(t, 99) for t in found[flow.source].tensors), default=99))


def _failed_flows(subject: Subject, failed: OpFailed, found: dict[str, Part], of_node: dict[int, str]) -> list[Flow]:
    """The operation that raised is a part without a value; what it was given flows into it."""
    found[FAILED] = Part(FAILED, None, (), subject.now.step + 1)
    known = [tensor for _, tensor in failed.inputs if isinstance(tensor, int) and tensor in subject.horizon.tensors]
    return [
        Flow(_owner(subject, tensor, found, of_node) or _constant(subject, tensor, found), FAILED)
        for tensor in dict.fromkeys(known)
    ]


def _ways_back(node: NodeState, of_node: dict[int, str]) -> dict[str, tuple[int, ...]]:
    ways: dict[str, tuple[int, ...]] = {}
    for edge in node.edges:
        if edge.target in of_node:
            key = of_node[edge.target]
            ways[key] = (*ways.get(key, ()), edge.index)
    return ways


def _tensors_into(op: OpApplied | None) -> list[int]:
    return [] if op is None else [given for _, given in op.inputs if isinstance(given, int)]


def _port(part: Part, op: OpApplied | None) -> int:
    used = set(_tensors_into(op))
    return next((index for index, tensor in enumerate(part.tensors) if tensor in used), 0)


def _made_here(subject: Subject, tensor: int, of_node: dict[int, str]) -> bool:
    """Whether a drawn node made this tensor; it has a card then, even where no gradient comes back from."""
    return subject.horizon.tensors[tensor].grad_fn in of_node


def _constant(subject: Subject, tensor: int, found: dict[str, Part]) -> str:
    key = f"t{tensor}"
    if key not in found:
        found[key] = Part(key, None, (tensor,), subject.horizon.tensors[tensor].created)
    return key


def _cuts_behind(subject: Subject, tensor: int, found: dict[str, Part], of_node: dict[int, str]) -> Iterator[Flow]:
    """If ``tensor`` was cut off from something in the picture, the flow that crosses the cut."""
    queue, seen = [tensor], {tensor}
    while queue and len(seen) < DEEPEST_CUT:
        here = queue.pop(0)
        for source, how in _made_from(subject, here):
            owner = _owner(subject, source, found, of_node)
            if owner is not None:
                yield Flow(owner, f"t{tensor}", cut=how)
            elif source not in seen:
                seen.add(source)
                queue.append(source)


def _owner(subject: Subject, tensor: int, found: dict[str, Part], of_node: dict[int, str]) -> str | None:
    node = subject.horizon.tensors[tensor].grad_fn
    if node is not None:
        return of_node.get(node)
    key = f"t{tensor}"
    return key if key in found and found[key].node is not None else None


def _made_from(subject: Subject, tensor: int) -> list[tuple[int, str]]:
    """What an unrecorded value was computed from, and why nothing was recorded."""
    state = subject.horizon.tensors[tensor]
    op = None if state.op is None else subject.op_at(state.op)
    if op is not None and op.node is None:
        known = [given for given in _tensors_into(op) if given in subject.horizon.tensors and given != tensor]
        return [(given, _why(op)) for given in known]
    if state.how in ("detach", "data"):
        mates = subject.horizon.storages[state.storage].tensors
        return [(mate, state.how) for mate in mates if mate < tensor][:1]
    return []


def _why(op: OpApplied) -> str:
    return op.op if op.op == "detach" or op.unrecorded in (None, "no input requires grad") else op.unrecorded


def _with_first_use(found: dict[str, Part], flows: list[Flow]) -> dict[str, Part]:
    """What nothing made stands where it is first used; a value that was made stands where it was made."""
    uses: dict[str, int] = {}
    for flow in flows:
        step = found[flow.target].step
        uses[flow.source] = min(uses.get(flow.source, step), step)
    return {
        key: replace(part, first_use=part.step if key.startswith("n") else uses.get(key, part.step))
        for key, part in found.items()
    }


def _with_versions(subject: Subject, parts: list[Part]) -> Iterator[Part]:
    """Give each part the version that its value was made at, and the one at which another part takes over."""
    takes_over: dict[int | None, int] = {}
    numbered: list[Part] = []
    for part in reversed(parts):
        made = _version_of(subject, part)
        numbered.append(replace(part, made=made, next_version=takes_over.get(part.tensor)))
        if part.tensor is not None:
            takes_over[part.tensor] = made
    yield from reversed(numbered)


def _version_of(subject: Subject, part: Part) -> int:
    if part.tensor is None:
        return 0
    storage = subject.horizon.tensors[part.tensor].storage
    op = None if part.node is None else subject.op_of(subject.horizon.nodes[part.node])
    if op is not None and op.inplace:
        # The write is announced after the operation, and after its node.
        later = [bump.new for bump in subject.horizon.storages[storage].bumps if bump.step >= part.step]
        return later[0] if later else subject.version_at(storage, part.step)
    return subject.version_at(storage, part.first_use)
