"""What the journal leaves with a node of which it was told, so that the note of its run need not tell it again: a tuple
of numbers and names, which the node keeps. Knows nothing of recorders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.node import AccumulateGrad, next_node_serial
from minigrad.autograd.op_node import NO_PLAN
from minigrad.autograd.saved import SavedOutput
from minigrad.specialised import with_code_of_its_own
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.op import Op

FORESEEN, FORM = 1, 2
"""Where the tuple says whether all forms are foreseen, and the form of what arrives."""
NOWHERE = (None, None)


def _tell_node(node: Any, made: list[tuple[int, int]], form: Any, form_of: Callable[[Any], Any]) -> tuple[Any, ...]:
    """What a node just made keeps of itself for the journal: how many facts tell of it; whether the forms of all
    gradients are foreseen, and that of its one output; numbers, names and versions of saved values; targets, each with
    the form of what is sent there; and of each saved value its tensor and its storage.

    ``made``: the numbers of its outputs and of their storages. ``form``: that of the one output, if forms are all that
    is kept of arrays; a gradient has the form of what it is the gradient of. ``form_of`` says it of an array.
    """
    targets, saved, versions, plan, numbers = node.next_nodes, node.saved, node.versions, node.plan, node.input_nrs
    count, slots = 1, ()
    if versions:
        count, slots = 1 + len(versions) - versions.count(None), plan.slots or node.slot_names
    node._serial = serial = next_node_serial()
    foreseen = form is not None and numbers is None and plan is not NO_PLAN
    parts = [count, foreseen, form, serial, node.sequence_nr, numbers, slots, tuple(versions), len(targets)]
    for target in targets:
        if target is None:
            parts += NOWHERE
            continue
        try:
            parts.append(target._serial)
        except AttributeError:  # it has no number yet
            parts.append(target.serial)
        if not foreseen:
            parts.append(None)
        elif type(target) is AccumulateGrad:
            target.told = arrives = form_of(target.variable.array)
            parts.append(arrives)
        else:
            try:
                arrives = target.told[FORM]
            except (AttributeError, TypeError):  # it was made while nobody kept a journal
                arrives = None
            if arrives is None:
                parts[FORESEEN] = foreseen = False
            parts.append(arrives)
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
    parts = [count, False, None, node.serial, node.sequence_nr, node.input_nrs, slots, versions, len(targets)]
    for target in targets:
        parts += (None if target is None else target.serial, None)
    for slot, at in zip(saved or (), versions, strict=True):
        if at is not None:
            parts += (None, (slot._counter or slot.version_counter).serial)
    return tuple(parts)
