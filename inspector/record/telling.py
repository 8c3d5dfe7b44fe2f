"""What the journal leaves with a node of which it was told, so that the note of its run need not tell it again: a tuple
of numbers and names, which the node keeps. Knows nothing of recorders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.node import next_node_serial
from minigrad.autograd.saved import SavedOutput
from minigrad.specialised import with_code_of_its_own
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.op import Op


def _tell_node(node: Any, made: list[tuple[int, int]], form: Any) -> tuple[Any, ...]:
    """What a node just made keeps of itself for the journal: how many facts tell of it, the form of its one output, and
    so of the gradient that will arrive, numbers, names and versions of saved values, targets, and of each saved value
    its tensor and its storage. ``made``: the numbers of its outputs and of their storages."""
    targets, saved, versions = node.next_nodes, node.saved, node.versions
    count, slots = 1, ()
    if versions:
        count, slots = 1 + len(versions) - versions.count(None), node.plan.slots or node.slot_names
    node._serial = serial = next_node_serial()
    parts = [count, form, serial, node.sequence_nr, node.input_nrs, slots, tuple(versions), len(targets)]
    for target in targets:
        if target is None:
            parts.append(None)
            continue
        try:
            parts.append(target._serial)
        except AttributeError:  # it has no number yet
            parts.append(target.serial)
    for slot in saved:
        if type(slot) is SavedOutput:
            parts += made[slot.output_nr]
        elif slot is not None:
            try:
                parts += (slot._serial, slot._counter._serial)
            except AttributeError:
                if isinstance(slot, Tensor):  # a number has neither serial nor version
                    parts += (slot.serial, slot.version_counter.serial)
    told = node.told = tuple(parts)
    return told


tellers: dict[Op, Callable[..., tuple[Any, ...]]] = {}
"""``_tell_node`` for each operation that ``teller_of`` was asked for. For all recordings: what has adapted in one
serves the next from its first step on."""


def teller_of(op: Op) -> Callable[..., tuple[Any, ...]]:
    """``_tell_node`` for an operation, whose nodes are of one class: instructions of their own adapt to that one."""
    teller = tellers[op] = with_code_of_its_own(_tell_node)
    return teller


def tell_passed(node: Any, saved: Any) -> tuple[Any, ...]:
    """The same of a node that was made while nobody kept a journal; which tensors it saved is of no interest now."""
    targets = node.next_nodes
    slots, versions = (node.slot_names, tuple(node.versions)) if saved else ((), ())
    count = 1 + len(versions) - versions.count(None)
    parts = [count, None, node.serial, node.sequence_nr, node.input_nrs, slots, versions, len(targets)]
    parts += [None if target is None else target.serial for target in targets]
    for slot, at in zip(saved or (), versions, strict=True):
        if at is not None:
            parts += (None, (slot._counter or slot.version_counter).serial)
    return tuple(parts)
