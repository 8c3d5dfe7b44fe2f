"""Which nodes a backward pass will visit, found by walking the edges. Never recursive: a graph may be 100,000 deep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.trace.state import NodeState


def reached(nodes: Mapping[int, NodeState], roots: Iterable[int]) -> list[int]:
    """The roots and all that their edges lead to, each once, in no order that matters."""
    stack = list(dict.fromkeys(roots))
    seen = set(stack)
    for serial in stack:
        node = nodes.get(serial)
        for edge in () if node is None else node.edges:
            if edge.target is not None and edge.target not in seen:
                seen.add(edge.target)
                stack.append(edge.target)
    return [serial for serial in stack if serial in nodes]


def needed(nodes: Mapping[int, NodeState], roots: Iterable[int], targets: Iterable[int]) -> list[int]:
    """Those of the reached nodes that lead to ``targets``, these included: all that a pass for some inputs runs."""
    within = reached(nodes, roots)
    sources: dict[int, list[int]] = {}
    for serial in within:
        for edge in nodes[serial].edges:
            if edge.target is not None:
                sources.setdefault(edge.target, []).append(serial)
    stack = list(dict.fromkeys(targets))
    kept = set(stack)
    for serial in stack:
        for source in sources.get(serial, ()):
            if source not in kept:
                kept.add(source)
                stack.append(source)
    return [serial for serial in within if serial in kept]
