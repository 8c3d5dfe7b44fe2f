"""What a node shows of its saved values by name, as PyTorch's nodes do: ``_saved_self``, ``_saved_dim``,
``_raw_saved_result``.

They are attributes of the node's class, one for each name that its operation could save. A ``__getattr__`` would do the
same in fewer lines, and would make every look at any attribute of any node slower, which the engine would feel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.saved import RawSaved

if TYPE_CHECKING:
    from minigrad.autograd.op_node import OpNode
    from minigrad.op import Op


class SavedAttribute:
    """``_saved_NAME``: what was saved under the name; None where the operation saves it under other circumstances."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, node: OpNode | None, owner: type) -> Any:
        if node is None:
            return self
        wanted = _own_name(node, self.name)
        if wanted in node.slot_names:
            return node.unpack_one(node.slot_names.index(wanted))
        return None if wanted in node.op.savable else _extra_called(node, wanted)


class RawSavedAttribute:
    """``_raw_saved_NAME``: the same before it is unpacked, to hang hooks on."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, node: OpNode | None, owner: type) -> Any:
        if node is None:
            return self
        wanted = _own_name(node, self.name)
        if wanted not in node.slot_names:
            raise _unsaved(node, self.name)
        return RawSaved(node, node.slot_names.index(wanted))


def saved_attributes(op: Op) -> dict[str, Any]:
    """The attributes of the node class of ``op``."""
    values = ("self", "input", "other", "result", *op.operands, *op.results)
    seen: dict[str, Any] = {f"_raw_saved_{name}": RawSavedAttribute(name) for name in values}
    seen |= {f"_saved_{name}": SavedAttribute(name) for name in (*values, *op.attributes, *_shapes(values))}
    return seen


def _shapes(operands: Iterable[str]) -> list[str]:
    return [f"{name}_sym_sizes" for name in operands]


def _own_name(node: OpNode, wanted: str) -> str:
    """Our name for what PyTorch calls ``self``, ``other`` or ``result``."""
    operands = node.op.operands
    place = {"self": 0, "input": 0, "other": 1}.get(wanted)
    if place is not None and wanted not in operands and place < len(operands):
        return operands[place]
    return node.op.results[0] if wanted == "result" else wanted


def _extra_called(node: OpNode, wanted: str) -> Any:
    """An attribute, or with ``_sym_sizes`` behind it the shape of an operand."""
    op = node.op
    if not op.plans:  # one rule serves all operands: the attributes are kept as they are
        if wanted not in op.attributes:
            raise _unsaved(node, wanted)
        return node.extras[op.attributes.index(wanted)]
    operand = _own_name(node, wanted.removesuffix("_sym_sizes"))
    for value, (is_shape, place) in zip(node.extras, node.plan.extras, strict=True):
        if (is_shape and wanted.endswith("_sym_sizes") and op.operands[place] == operand) or (
            not is_shape and op.attributes[place] == wanted
        ):
            return value
    raise _unsaved(node, wanted)


def _unsaved(node: OpNode, wanted: str) -> AttributeError:
    return AttributeError(f"{node.name()} did not save {wanted!r}; it saved {', '.join(node.slot_names) or 'nothing'}")
