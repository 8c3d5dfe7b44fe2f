"""Anomaly mode: nodes remember the forward call that made them, and a failing backward shows it.

Nodes keep it in ``metadata["traceback_"]``; ``metadata["parent_"]`` is the node that ran when a node of a higher order
was made.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

import numpy as np

from minigrad.audience import audience
from minigrad.autograd.current import current_node
from minigrad.autograd.modes import modes
from minigrad.autograd.node import Node
from minigrad.provenance import here, user_frame

_HINT = " Make sure to enable anomaly detection for the forward pass, too."


def remember_origin(node: Node) -> None:
    """Keep where in the user's code ``node`` comes from, as far as somebody asked for it."""
    if audience.places:
        place = here(3)
        if place is not None:
            node.where = place
    if modes.anomaly:
        _remember_stack(node)


def _remember_stack(node: Node) -> None:
    frame = user_frame(3)
    if frame is not None:
        node.metadata["traceback_"] = traceback.format_stack(frame)
    running = current_node()
    if running is not None:
        node.metadata["parent_"] = running


def tell(node: Node) -> None:
    """Warn with the forward call behind ``node``, and behind the nodes that led to it."""
    _warn(f"Error detected in {node.name()}.{_stack_of(node)}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        _warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            "previous "
            f"calculation:\n{''.join(parent.metadata.get('traceback_', ['(it was made without anomaly detection)']))}"
        )
        parent = parent.metadata.get("parent_")


def _warn(text: str) -> None:
    """Where warnings are errors it goes to stderr: the error of the pass itself must not be hidden."""
    try:
        warnings.warn(text, stacklevel=3)
    except UserWarning:
        print(text, file=sys.stderr)


def _stack_of(node: Node) -> str:
    stack = node.metadata.get("traceback_")
    if stack is None:
        return " No forward pass information available." + _HINT
    return f" Traceback of forward call that caused the error:\n{''.join(stack)}"


def stop_at_nan(node: Node, results: list[Any]) -> None:
    """Raise RuntimeError at the first node whose result has a NaN."""
    if not modes.anomaly_checks_nan:
        return
    for number, result in enumerate(results):
        if result is not None and np.isnan(getattr(result, "array", result)).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")
