"""What a node shows of its saved values by name, as PyTorch's nodes do: ``_saved_self``, ``_saved_dim``,
``_raw_saved_result``.

They are attributes of the node's class, one for each name that its operation could save. A ``__getattr__`` would do the
same in fewer lines, and would make every look at any attribute of any node slower, which the engine would feel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from minigrad.autograd.saved import RawSaved, nothing

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
        if _is_star(node, wanted):
            return tuple(None if place is None else node.unpack_one(place) for place in _star_places(node, wanted))
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
        if _is_star(node, wanted):
            return tuple(nothing() if at is None else RawSaved(node, at) for at in _star_places(node, wanted))
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


def _is_star(node: OpNode, wanted: str) -> bool:
    """Whether ``wanted`` is the operand of which there may be any number, and which the operation saves."""
    op = node.op
    return op.variadic and wanted == op.operands[-1] and wanted in op.savable


def _star_places(node: OpNode, wanted: str) -> Iterator[int | None]:
    """Where each of them was saved; where a ``pattern`` says that some dimensions have none, None stands for those."""
    places = (place for place, name in enumerate(node.slot_names) if name.startswith(f"{wanted}["))
    if "pattern" not in node.op.attributes:
        return places
    pattern = node.extras[node.op.attributes.index("pattern")]
    return (next(places) if taken else None for taken in pattern)


def _extra_called(node: OpNode, wanted: str) -> Any:
    """An attribute, or with ``_sym_sizes`` behind it the shape of an operand."""
    op = node.op
    if not op.plans:  # one rule serves all operands: the attributes are kept as they are
        if wanted not in op.attributes:
            return _shape_called(node, wanted)
        return node.extras[op.attributes.index(wanted)]
    operand = _own_name(node, wanted.removesuffix("_sym_sizes"))
    for value, (is_shape, place) in zip(node.extras, node.plan.extras, strict=True):
        if (is_shape and wanted.endswith("_sym_sizes") and op.operands[place] == operand) or (
            not is_shape and op.attributes[place] == wanted
        ):
            return value
    return _shape_called(node, wanted)


def _shape_called(node: OpNode, wanted: str) -> tuple[int, ...]:
    """The shape of an operand that no rule asks for, if the node knows it all the same."""
    operand = _own_name(node, wanted.removesuffix("_sym_sizes"))
    if wanted.endswith("_sym_sizes") and operand in node.op.operands and operand not in node.op.constants:
        meta = node.input_meta(node.op.leading(node.operand_count).index(node.op.operands.index(operand)))
        if meta is not None:
            return meta[0]
    raise _unsaved(node, wanted)


def _unsaved(node: OpNode, wanted: str) -> AttributeError:
    return AttributeError(f"{node.name()} did not save {wanted!r}; it saved {', '.join(node.slot_names) or 'nothing'}")
