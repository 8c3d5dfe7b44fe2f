"""How an operation is applied: the forward choke point.

``general`` knows every case: promotion, grad modes, views, several outputs, events. ``inplace`` derives the in-place
form of any operation. ``fast`` does what ``general`` does for the ordinary case, in less time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.audience import Journal, audience
from minigrad.autograd import views
from minigrad.autograd.anomaly import remember_origin
from minigrad.autograd.current import quiet_writers
from minigrad.autograd.duals import duals
from minigrad.autograd.masks import bits, mask_of
from minigrad.autograd.meta import bump_version, untracked
from minigrad.autograd.modes import modes
from minigrad.autograd.mutable_saves import guards
from minigrad.autograd.node import Meta, Node, edge_of, next_sequence_nr
from minigrad.autograd.regime import regime
from minigrad.autograd.replay import Step
from minigrad.autograd.saved import Packed, SavedOutput, slot_for
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array, category, floating, of, result_type
from minigrad.errors import do_not_meet
from minigrad.events import NodeCreated, OpApplied, OpFailed, TensorCreated, TensorSaved, emit
from minigrad.memory_order import MIXING, as_operands_lie, lies_otherwise
from minigrad.provenance import here

if TYPE_CHECKING:
    from minigrad.op import Op
    from minigrad.tensor import Tensor

General = Callable[["Op", tuple[Any, ...], tuple[Any, ...]], Any]
ndarray = np.ndarray
new = object.__new__
_NUMBERS = (int, float, bool, complex)


# --- the general path
# ---------------------------------------------------------------------------------------------------


def general(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Apply ``op``: on arrays alone it only computes; as soon as a tensor is among the operands, a tensor comes out.

    Where the only listener keeps a journal, the ordinary is applied as if nobody listened, and told in one call.
    """
    journal = audience.journal
    if journal is None or regime.unusual != 1:
        return fully(op, operands, attributes, announced=True)
    give, tell = journal.given, journal.applied
    given = give(operands)
    if given is None:
        return fully(op, operands, attributes, announced=True)
    try:
        result = op.unheard(*(operands + attributes))
    except Exception as error:
        _announce_failure(op, operands, error)
        raise
    if type(result) is tuple:
        outputs = result
        node = next((out._made_by for out in outputs if out._made_by is not None), None)
    else:
        outputs, node = (result,), result._made_by
    reason = None if node is not None else _why_unrecorded(op, operands, outputs)
    where = here(2) if audience.places else None
    if where is not None and node is not None:
        node.where = where
    tell(op, operands, given, attributes, outputs, node, reason, where)
    return result


def fully(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], announced: bool = False) -> Any:
    """The same, every step of it; events only if they are asked for."""
    if not any(isinstance(x, TensorBase) for x in operands):
        return _on_arrays(op, operands, attributes)
    operands = tuple(map(_operand, operands))
    try:
        values = tuple(x.array if isinstance(x, TensorBase) else x for x in operands)
        if op.real_only is not None:
            _refuse_complex(op, values)
        results = op.forward(*promoted(op, values), *attributes)
        if (op.elementwise or op.name in MIXING) and lies_otherwise(values):
            results = as_operands_lie(results, values)
    except Exception as error:
        error = _complaint_of_autograd(op, operands, attributes) or _worded(op, values, error)
        if announced:
            _announce_failure(op, operands, error)
        raise error from None
    several = isinstance(results, (tuple, list))
    outputs = tuple(map(_result, results)) if several else (_result(results),)
    if op.view:
        _attach_views(op, operands[0], outputs, attributes, several)
    try:
        node, reason = _record(op, operands, attributes, outputs, copied=False)
    except RuntimeError as error:  # an inference tensor cannot be saved
        if announced:
            _announce_failure(op, operands, error)
        raise
    if duals.tangents and not modes.inference:
        duals.put(outputs, duals.after(op, operands, attributes, outputs))
    if announced and regime.unusual:
        _announce(op, operands, attributes, outputs, node, reason, inplace=False)
    return outputs if several else outputs[0]


def make_general(op: Op, way: General = general) -> Callable[..., Any]:
    """``general`` as a plain function of operands and attributes by position."""
    attributes = len(op.attributes)

    def apply(*args: Any) -> Any:
        count = len(args) - attributes
        return way(op, args[:count], args[count:])

    return apply


def _complaint_of_autograd(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], inplace: bool = False
) -> RuntimeError | None:
    """What PyTorch, which asks for the operands' history and saves them before it computes, says before the operation's
    own error."""
    tensors = [x for x in operands if isinstance(x, TensorBase)]
    if not modes.grad or modes.inference or not op.differentiable or not any(x.requires_grad for x in tensors):
        return None
    if not inplace and op.ufunc is not None and "dd->?" in op.ufunc.types:  # a test's result has no history
        return None
    try:
        for x in tensors:
            edge_of(x)
        mask = _mask(op, operands)
        node: Any = new(op.node_class)
        node.plan_for(mask, operands, attributes)
        for source in node.sources(mask):
            if source >= inplace:  # in place, a copy of the target is saved
                slot_for(operands[source], is_output=False)
    except RuntimeError as error:
        return error
    return None


def _refuse_complex(op: Op, values: tuple[Any, ...]) -> None:
    """Raise what an operation on real numbers says of complex ones."""
    assert op.real_only is not None
    for x in values:
        if isinstance(x, ndarray) and x.dtype.kind == "c":
            kind, text = op.real_only
            raise kind(text.format(of(x.dtype).title))


def _worded(op: Op, values: tuple[Any, ...], error: Exception) -> Exception:
    """NumPy's complaint about shapes in PyTorch's words; any other error as it is."""
    if not isinstance(error, ValueError) or not op.elementwise:
        return error
    shapes = [x.shape for x in values if isinstance(x, ndarray)]
    return next(filter(None, (do_not_meet(a, b) for a, b in itertools.pairwise(shapes))), error)


def _on_arrays(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """What rules call during an ordinary backward."""
    if all(type(x) in _NUMBERS for x in operands):
        given = ", ".join(type(x).__name__ for x in operands)
        raise TypeError(
            f"{op.name}() needs a Tensor among its operands, but was given {given}; wrap a number in "
            "minigrad.tensor(...)"
        )
    return op.forward(*(np.asarray(x) if isinstance(x, np.generic) else x for x in operands), *attributes)


def _operand(value: Any) -> Any:
    """Tensors and Python numbers as they are; NumPy's scalars as Python's; arrays as constants."""
    if isinstance(value, TensorBase) or type(value) in _NUMBERS:
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, ndarray):
        return wrap(value)
    if value is None:
        return None
    raise TypeError(
        f"expected a Tensor or a number as operand, not {type(value).__name__}; wrap it in minigrad.tensor(...)"
    )


def promoted(op: Op, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands' values in the type in which the operation works.

    Python numbers stay as they are: NumPy takes them as weak.
    """
    if op.promotion is None:
        return values
    target = floating(values) if op.promotion == "float" else result_type(values)
    return tuple(
        x.astype(target) if isinstance(x, ndarray) and x.dtype != target else _fitting(x, target) for x in values
    )


def _fitting(value: Any, target: np.dtype[Any]) -> Any:
    """A Python number as NumPy takes it among ``target``: True is 1, and an integer out of range wraps around, as in
    PyTorch."""
    if isinstance(value, (bool, int)) and target.kind in "iu":
        return np.array(value).astype(target)[()]
    return target.type(value) if isinstance(value, bool) else value


def _result(value: Any) -> Tensor:
    tensor = wrap(value if type(value) is ndarray else np.asarray(value))
    if modes.inference:
        tensor._counter = untracked()
    return tensor


def _attach_views(
    op: Op, source: Tensor, outputs: tuple[Tensor, ...], attributes: tuple[Any, ...], several: bool
) -> None:
    creation = views.Creation.MULTI_OUTPUT if several else views.Creation.ORDINARY
    for number, out in enumerate(outputs):
        out._counter = None
        views.attach(out, source, creation, Step(op, attributes, number if several else None))


def _record(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], outputs: tuple[Tensor, ...], copied: bool
) -> tuple[Node | None, str | None]:
    """Make the node that leads back from ``outputs``, or say why there is none."""
    reason = _why_unrecorded(op, operands, outputs)
    if reason is not None:
        return None, reason
    mask = _mask(op, operands)
    node = make_node(op, operands, attributes, outputs, mask)
    for number, out in enumerate(outputs):
        out._output_nr = number
    save(node, op, mask, operands, outputs, copied)
    attach_outputs(node, outputs)
    return node, None


def _why_unrecorded(op: Op, operands: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> str | None:
    if not any(isinstance(x, TensorBase) and x.requires_grad and not x.is_inference() for x in operands):
        return "no input requires grad"
    if modes.inference or not modes.grad:
        return "inference_mode" if modes.inference else "no_grad"
    if not op.differentiable or not any(_can_require_grad(out) for out in outputs):
        return "not differentiable"
    return None


def _can_require_grad(tensor: Tensor) -> bool:
    return tensor.array.dtype.kind in "fc"


def _mask(op: Op, operands: tuple[Any, ...]) -> int:
    """Bit ``i`` is set when operand ``i`` is sent a gradient: one made under no_grad requires grad and has no edge."""
    return mask_of([position for position, operand in enumerate(operands) if _is_sent_gradient(operand)])


def _is_sent_gradient(operand: Any) -> bool:
    if not isinstance(operand, TensorBase) or not operand.requires_grad:
        return False
    return operand._view is None or edge_of(operand)[0] is not None


def make_node(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], outputs: tuple[Tensor, ...], mask: int
) -> Any:
    """The node without its saved values: edges, rules, attributes, and the shapes to which gradients must be fitted."""
    node = node_without_edges(op, operands, attributes, outputs, mask)
    node.sequence_nr = next_sequence_nr()
    node.hooks = None
    needs = bits(mask, len(operands))
    edges = [edge_of(x) if needed else (None, 0) for x, needed in zip(operands, needs, strict=True)]
    if op.constants:
        edges = [edges[i] for i in op.leading(len(operands))]
    node.next_nodes = tuple(edge[0] for edge in edges)
    numbers = tuple(edge[1] for edge in edges)
    node.input_nrs = numbers if any(numbers) else None
    if regime.unusual:
        remember_origin(node)
    return node


def node_without_edges(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], outputs: tuple[Tensor, ...], mask: int
) -> Any:
    """Just the derivative rules for the operands in ``mask``, with what they need besides saved values; in no graph
    yet."""
    is_complex = False
    for x in (*outputs, *operands):
        is_complex = is_complex or (isinstance(x, TensorBase) and x.array.dtype.kind == "c")
    node: Any = new(op.complex_node_class if is_complex else op.node_class)
    node.plan_for(mask, operands, attributes)
    node.metas = _metas(op, operands, outputs)
    node.outputs = tuple((out.array.shape, out.array.dtype) for out in outputs)
    return node


def _metas(op: Op, operands: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> tuple[Meta | None, ...] | None:
    """Shape and type of each operand that can have a gradient; None when all are those of the single output."""
    metas = tuple([(x.array.shape, x.array.dtype) if isinstance(x, TensorBase) else None for x in operands])
    if len(outputs) == 1:
        only = (outputs[0].array.shape, outputs[0].array.dtype)
        if all(meta is None or meta == only for meta in metas):
            return None
    return tuple([metas[i] for i in op.leading(len(metas))]) if op.constants else metas


def retraced(op: Op, source: Tensor, attributes: tuple[Any, ...]) -> Any:
    """The node of a view that is there already, made anew: ``op`` applied to ``source``, unannounced and whatever the
    mode."""
    results = op.forward(source.array, *attributes)
    several = isinstance(results, tuple)
    outputs = tuple(map(wrap, results)) if several else (wrap(results),)
    node = make_node(op, (source,), attributes, outputs, mask=1)
    save(node, op, 1, (source,), outputs, copied=False)
    attach_outputs(node, outputs)
    return outputs if several else outputs[0]


AWAITED = object()
"""Stands where an in-place operation will save what it writes."""


def save(node: Any, op: Op, mask: int, operands: tuple[Any, ...], outputs: tuple[Tensor, ...], copied: bool) -> None:
    """Put what the rules will ask for into the node, each with the version it has now.

    ``copied``: the first operand is about to be overwritten in place, so a private copy is kept of it, and the output,
    which is not there yet, is awaited.
    """
    saved: list[Any] = []
    versions: list[int | None] = []
    for source in node.sources(mask):
        value = operands[source] if source >= 0 else outputs[-1 - source]
        if copied and source < 0:
            slot: Any = AWAITED
            version: int | None = 0
        else:
            if copied and source == 0:
                value = _private_copy(value)
            slot, version = slot_for(value, is_output=source < 0)
        saved.append(slot)
        versions.append(version)
    node.saved = saved or ()
    node.versions = versions or ()


def _private_copy(tensor: Tensor) -> Tensor:
    """The value that an in-place operation is about to overwrite, with its history."""
    copy = wrap(tensor.array.copy())
    copy._requires_grad = tensor.requires_grad
    copy._made_by = tensor.grad_fn
    copy._output_nr = tensor._output_nr
    return copy


def attach_outputs(node: Node, outputs: Sequence[Tensor]) -> None:
    """The node becomes the grad_fn of every output that can have a gradient."""
    for number, out in enumerate(outputs):
        if _can_require_grad(out):
            out._requires_grad = True
            out._made_by = node
            out._output_nr = number
        else:
            out._output_nr = 0


# --- in place
# -----------------------------------------------------------------------------------------------------------


def inplace(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Write the operation's result into its first operand: compute, save, write, bump, rebase.

    Raises RuntimeError when autograd could not follow the write, or the result does not fit the operand's type or
    shape.
    """
    if not isinstance(operands[0], TensorBase):
        return _inplace_on_array(op, operands, attributes)
    journal = audience.journal
    if regime.unusual == 1 and journal is not None:
        given = journal.given(operands)
        if given is not None:
            return _told_inplace(journal, op, operands, given, attributes)
    return aloud(op, operands, attributes)


def _told_inplace(
    journal: Journal, op: Op, operands: tuple[Any, ...], given: list[Any], attributes: tuple[Any, ...]
) -> Any:
    """A plain write is told afterwards in one call: the only listener keeps a journal."""
    target, thread = operands[0], get_ident()
    quiet_writers.add(thread)
    try:
        op.unheard_inplace(*(operands + attributes))
        plain = thread in quiet_writers
    except Exception as error:
        if thread in quiet_writers:
            _announce_failure(op, operands, error)
        raise
    finally:
        quiet_writers.discard(thread)
    if plain:
        where = here(2) if audience.places else None
        journal.wrote(op, operands, given, attributes, _why_unrecorded(op, operands, (target,)), where)
    return target


def aloud(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """``inplace`` step by step, with its events."""
    quiet_writers.discard(get_ident())
    operands = tuple(map(_operand, operands))
    try:
        return _inplace(op, operands, attributes)
    except Exception as error:
        _announce_failure(op, operands, error)
        raise


def _inplace(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    target = operands[0]
    can_track = not op.converts or _can_require_grad(target)
    tracked = can_track and any(isinstance(x, TensorBase) and x.requires_grad for x in operands)
    views.check_writable(target, tracked, op.may_overlap)
    values = tuple(x.array if isinstance(x, TensorBase) else x for x in operands)
    if op.elementwise:
        check_overlap(values)
    for guard in guards.open:
        guard.before_write(target)
    try:
        if op.real_only is not None:
            _refuse_complex(op, values)
        result = np.asarray(op.forward(*promoted(op, values), *attributes))
        check_fits(target.array, result)
    except Exception as error:
        raise _complaint_of_autograd(op, operands, attributes, inplace=True) or _worded(op, values, error) from None
    record = tracked and modes.grad and not modes.inference and op.differentiable and target.array.dtype.kind in "fc"
    node = inplace_node(op, operands, attributes) if record else None
    views.check_inference(target)
    dual = duals.tangents and not modes.inference
    tangents = duals.after(op, operands, attributes, (wrap(result),)) if dual else None
    _write(target.array, result, op.may_overlap)
    if tangents is not None:
        duals.write(target, tangents[0])
    finish_inplace(op, operands, attributes, node)
    return target


def _inplace_on_array(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Array:
    target: Array = operands[0]
    np.copyto(target, op.forward(*operands, *attributes), casting="unsafe")
    return target


def _write(target: Array, result: Array, may_overlap: bool) -> None:
    """Where elements share a memory cell, only the changed ones are written: an unchanged twin must not undo them."""
    if may_overlap and views.overlaps_itself(target):
        np.copyto(target, result, where=target != result.astype(target.dtype), casting="unsafe")
    else:
        np.copyto(target, result, casting="unsafe")


def check_fits(target: Array, result: Array) -> None:
    """Refuse a result that an in-place operation cannot put into ``target``."""
    if result.dtype is not target.dtype and category(result) > category(target):
        raise RuntimeError(
            f"result type {of(result.dtype).title} can't be cast to the desired output type {of(target.dtype).title}"
        )
    if result.shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )


def check_overlap(values: tuple[Any, ...], partly: bool = True) -> None:
    """Refuse to write where part of what is read lies: the result would depend on the order.

    As in PyTorch, only of dense memory. Without ``partly``, reading exactly what is written is refused too.
    """
    target = values[0]
    for x in values[1:]:
        if isinstance(x, ndarray) and x.size and np.may_share_memory(target, x) and _both_dense(target, x):
            if partly and _same_elements(target, x):
                continue
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                "memory location. Please clone() the tensor before performing the operation."
            )


def _both_dense(a: Array, b: Array) -> bool:
    return a.flags.forc and b.flags.forc


def _same_elements(a: Array, b: Array) -> bool:
    return views.address(a) == views.address(b) and a.strides == b.strides and a.shape == b.shape


def inplace_node(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """The node of an in-place operation; its inputs are saved before the write, its output after."""
    mask = _mask(op, operands)
    node = make_node(op, operands, attributes, (operands[0],), mask)
    save(node, op, mask, operands, (operands[0],), copied=True)
    return node


def finish_inplace(op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], node: Any) -> None:
    """After the write: the version, the saved output, the history, and the events in that order."""
    target = operands[0]
    if regime.unusual:
        reason = None if node is not None else _why_unrecorded(op, operands, (target,))
        _announce(op, operands, attributes, (target,), node, reason, inplace=True)
    bump_version(target, f"{op.name}_")
    if node is not None:
        _save_written_output(node, target)
        (views.turn if op.view else views.rebase)(target, node)


def _save_written_output(node: Any, target: Tensor) -> None:
    """A rule that asks for ``out`` sees what was written, at the version that the write made."""
    for position, slot in enumerate(node.saved):
        if slot is AWAITED:
            node.saved[position], node.versions[position] = slot_for(target, is_output=True)
            if type(node.saved[position]) is SavedOutput:
                node.saved[position].output_nr = 0  # whichever it was of the node before
            version = node.versions[position]
            if TensorSaved.listeners:
                emit(
                    TensorSaved(node, node.slot_names[position], target, target.version_counter, version, by_copy=False)
                )


# --- events
# -------------------------------------------------------------------------------------------------------------


def _named(op: Op, operands: tuple[Any, ...]) -> dict[str, Any]:
    """Operands by their parameters' names."""
    return dict(zip(op.operand_names(len(operands)), operands, strict=True))


def _announce_failure(op: Op, operands: tuple[Any, ...], error: BaseException) -> None:
    if OpFailed.listeners:
        emit(OpFailed(op, _named(op, operands), error))


def _announce(
    op: Op,
    operands: tuple[Any, ...],
    attributes: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    node: Any,
    reason: str | None,
    inplace: bool,
) -> None:
    """What happened, in the order in which one tells it: the operation, its results, its node, what that saved."""
    if OpApplied.listeners:
        named = dict(zip(op.attributes, attributes, strict=True))
        emit(OpApplied(op, _named(op, operands), named, outputs, node, reason, inplace))
    if TensorCreated.listeners and not inplace:
        for out in outputs:
            emit(TensorCreated(out, op.name))
    if node is None:
        return
    if NodeCreated.listeners:
        emit(NodeCreated(node, outputs))
    if TensorSaved.listeners:
        _announce_saved(node, operands, outputs)


def _announce_saved(node: Any, operands: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> None:
    """Each saved tensor; what an in-place operation keeps of its output is announced once it is written."""
    for name, slot, version in zip(node.slot_names, node.saved, node.versions, strict=True):
        if version is None or slot is AWAITED or isinstance(slot, Packed):
            continue
        is_output = isinstance(slot, SavedOutput)
        kept = outputs[slot.output_nr] if is_output else slot
        by_copy = not is_output and all(kept is not x for x in (*operands, *outputs))
        emit(TensorSaved(node, name, kept, kept.version_counter, version, by_copy))
