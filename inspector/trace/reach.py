"""Which nodes a backward pass will visit, found by walking the edges. Never recursive: a graph may be 100,000 deep."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inspector.trace.state import NodeState

Find = Callable[[int], NodeState | None]
"""Gives a node, or None for one that nobody knows."""


def reached(find: Find, roots: Iterable[int]) -> dict[int, NodeState]:
    """The roots and all that their edges lead to, in no order that matters."""
    stack = list(dict.fromkeys(roots))
    seen = set(stack)
    found = {}
    for serial in stack:
        node = find(serial)
        if node is not None:
            found[serial] = node
            for edge in node.edges:
                if edge.target is not None and edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
    return found


def needed(find: Find, roots: Iterable[int], targets: Iterable[int]) -> dict[int, NodeState]:
    """Those of the reached nodes that lead to ``targets``, these included: all that a pass for some inputs runs."""
    within = reached(find, roots)
    sources: dict[int, list[int]] = {}
    for serial, node in within.items():
        for edge in node.edges:
            if edge.target is not None:
                sources.setdefault(edge.target, []).append(serial)
    stack = list(dict.fromkeys(targets))
    kept = set(stack)
    for serial in stack:
        for source in sources.get(serial, ()):
            if source not in kept:
                kept.add(source)
                stack.append(source)
    return {serial: node for serial, node in within.items() if serial in kept}
