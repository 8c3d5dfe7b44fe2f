"""How the ordinary operation is applied quickly: one or two float32 or float64 operands, and nothing unusual going on.

Each fast path does what ``dispatch.general`` does, written out with nothing in between, because at under a microsecond
every call counts; and hands over whatever it does not recognise. The tests run every operation both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.masks import bits
from minigrad.autograd.meta import VersionCounter
from minigrad.autograd.modes import modes
from minigrad.autograd.node import accumulator_of, next_sequence_nr
from minigrad.autograd.plans import FIRST, NOTHING, OUTPUT, SECOND, SECOND_FIRST
from minigrad.autograd.regime import Regime, regime
from minigrad.autograd.saved import BOTH_UNWRITTEN, UNWRITTEN, SavedOutput
from minigrad.autograd.views import Creation, View
from minigrad.autograd.wrap import TensorBase, late
from minigrad.dispatch import General, general, make_general
from minigrad.dtypes import F32, F64
from minigrad.fast_reading import (
    NUMBER,
    NUMPYS,
    all_are,
    are_arrays,
    keeps_kind_of,
    leads_back,
    read_operands,
    versions_of,
)
from minigrad.memory_order import MIXING, as_operands_lie, lies_otherwise, row_by_row
from minigrad.specialised import with_code_of_its_own

if TYPE_CHECKING:
    from minigrad.op import Op

ndarray = np.ndarray
new = object.__new__


def make_apply(op: Op, regime: Regime = regime, general: General = general) -> Callable[..., Any]:
    """The quickest correct way to call ``op``: operands, then all attributes, by position.

    ``regime`` says whether things are ordinary, and ``general`` does what the fast paths leave.
    """
    return with_code_of_its_own(_way_of(op, regime, general))


def _way_of(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    if op.several:
        return _several(op, regime, general) if len(op.operands) == 1 and not op.variadic else make_general(op, general)
    if op.variadic or op.joint is not None:
        return _of_any(op, regime, general)
    if op.constants:
        return _of_few(op, regime, general)
    if op.view:
        return _viewing(op, regime, general)
    if len(op.operands) == 1:
        return _unary(op, regime, general)
    if len(op.operands) == 2 and not op.attributes:
        return _binary(op, regime, general)
    return _of_few(op, regime, general)


def _unary(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    forward, ufunc, node_class = op.forward, op.ufunc, op.node_class
    plan = op.plans[1] if op.plans else None
    reduces = "keepdim" in op.attributes and "shape" not in op.attributes

    def apply(a: Any, *attributes: Any) -> Any:
        if not isinstance(a, TensorBase):
            if type(a) is ndarray:
                return forward(a, *attributes)
            return forward(np.asarray(a), *attributes) if type(a) in NUMPYS else general(op, (a,), attributes)
        if regime.unusual:
            return general(op, (a,), attributes)
        x = a.array
        kind = x.dtype
        if kind is not F32 and kind is not F64:
            return general(op, (a,), attributes)
        try:
            if ufunc is not None:
                out = ufunc(x, out=...)
            elif type(out := forward(x, *attributes)) is not ndarray:
                out = np.asarray(out)
        except Exception:  # said in the right words there
            return general(op, (a,), attributes)
        if reduces and out.ndim > 1:
            out = row_by_row(out)
        t = new(late.Tensor)
        t.array = out
        t._output_nr = 0
        t._counter = t._grad = t._accumulator = t._view = t._hooks = None
        needed = a._requires_grad or (a._view is not None and a.requires_grad)
        if not needed or (regime.paused and not modes.grad) or plan is None or out.dtype.kind != "f":
            if plan is not None and out.dtype.kind == "c":
                return general(op, (a,), attributes)
            t._requires_grad = False
            t._made_by = None
            return t
        next_node = a._made_by if a._view is None else leads_back(a)
        if next_node is None:
            if not a._requires_grad:
                return general(op, (a,), attributes)
            next_node = accumulator_of(a)
        n = node_class()
        n.sequence_nr = next_sequence_nr()
        n.hooks = None
        n.next_nodes = (next_node,)
        n.input_nrs = None if a._output_nr == 0 else (a._output_nr,)
        n.metas = None if out.dtype is kind else ((x.shape, kind),)
        n.plan = plan
        extras = plan.extras
        n.extras = tuple([x.shape if is_shape else attributes[i] for is_shape, i in extras]) if extras else NOTHING
        t._requires_grad = True
        t._made_by = n
        sources = plan.sources
        if sources is NOTHING:
            n.saved = n.versions = NOTHING
        elif sources is OUTPUT:
            slot = new(SavedOutput)
            slot.array = out
            slot.output_nr = 0
            slot._counter = t._counter = fresh = new(VersionCounter)
            fresh.value = 0
            n.saved = (slot,)
            n.versions = UNWRITTEN
        elif sources is FIRST:
            counter = a._counter
            n.saved = (a,)
            n.versions = UNWRITTEN if counter is None else (counter.value,)
        else:
            n.saved = tuple([a if source == 0 else SavedOutput(t) for source in sources])
            n.versions = versions_of(n.saved)
        return t

    return apply


def _binary(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    forward, ufunc, node_class, elementwise = op.forward, op.ufunc, op.node_class, op.elementwise
    plans: Any = op.plans or (None,) * 4
    _, only_a, only_b, both = plans
    keeps_kind = keeps_kind_of(ufunc)
    leads_on = keeps_kind and both is not None
    bare = not any(plan and plan.extras for plan in plans)

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, TensorBase):
            if regime.unusual:
                return general(op, (a, b), ())
            x = a.array
            kind = x.dtype
            need_a = a._requires_grad or (a._view is not None and a.requires_grad)
            if isinstance(b, TensorBase):
                y = b.array
                if y.dtype is not kind:
                    return general(op, (a, b), ())
                need_b = b._requires_grad or (b._view is not None and b.requires_grad)
            elif type(b) is float or type(b) is int:
                y = b  # type: ignore[assignment]
                need_b = False
            else:
                return general(op, (a, b), ())
        elif type(a) is ndarray:
            return forward(a, b) if not isinstance(b, TensorBase) else general(op, (a, b), ())
        else:
            return general(op, (a, b), ())
        if kind is not F32 and kind is not F64:
            return general(op, (a, b), ())
        shape = x.shape
        try:
            if ufunc is not None:
                out = ufunc(x, y) if shape else ufunc(x, y, out=...)
            else:
                out = forward(x, y)
                if type(out) is not ndarray:
                    out = np.asarray(out)
        except (ValueError, RuntimeError):
            return general(op, (a, b), ())
        if x.ndim > 1 and elementwise and y is not b and not x.flags.c_contiguous:
            out = as_operands_lie(out, (x, y))
        t = new(late.Tensor)
        t.array = out
        t._output_nr = 0
        t._counter = t._grad = t._accumulator = t._view = t._hooks = None
        if (
            not (need_a or need_b)
            or (regime.paused and not modes.grad)
            or not (leads_on or (both is not None and out.dtype is kind))
        ):
            if both is not None and out.dtype is not kind and out.dtype.kind in "fc":
                return general(op, (a, b), ())
            t._requires_grad = False
            t._made_by = None
            return t
        if need_a:
            node_a = a._made_by if a._view is None else leads_back(a)
            if node_a is None:
                if not a._requires_grad:
                    return general(op, (a, b), ())
                installed = a._accumulator
                node_a = (installed and installed()) or accumulator_of(a)
            numbers = a._output_nr
        else:
            node_a, numbers = None, 0
        if need_b:
            node_b = b._made_by if b._view is None else leads_back(b)
            if node_b is None:
                if not b._requires_grad:
                    return general(op, (a, b), ())
                installed = b._accumulator
                node_b = (installed and installed()) or accumulator_of(b)
            numbers |= b._output_nr
        else:
            node_b = None
        n = node_class()
        n.sequence_nr = next_sequence_nr()
        n.hooks = None
        n.next_nodes = (node_a, node_b)
        n.input_nrs = (a._output_nr if need_a else 0, b._output_nr if need_b else 0) if numbers else None
        n.plan = plan = only_b if not need_a else both if need_b else only_a
        n.extras = NOTHING if bare else tuple([(y if i else x).shape for _, i in plan.extras])
        if y is b or shape == y.shape:
            n.metas = None
        else:
            other = y.shape if need_b else out.shape
            n.metas = None if shape == other else ((shape, kind), (other, kind) if need_b else None)
        t._requires_grad = True
        t._made_by = n
        sources = plan.sources
        if sources is NOTHING:
            n.saved = n.versions = NOTHING
        elif sources is SECOND_FIRST:
            n.saved = (b, a)
            n.versions = BOTH_UNWRITTEN if a._counter is None is b._counter else versions_of(n.saved)
        elif sources is SECOND:
            n.saved = (b,)
            n.versions = NUMBER if y is b else UNWRITTEN if b._counter is None else versions_of(n.saved)
        elif sources is FIRST:
            n.saved = (a,)
            n.versions = UNWRITTEN if a._counter is None else versions_of(n.saved)
        else:
            n.saved = tuple([a if i == 0 else b if i == 1 else SavedOutput(t) for i in sources])
            n.versions = versions_of(n.saved)
        return t

    return apply


def _viewing(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    """A look at the memory of the one operand: it shares its version counter, and knows the root of that memory."""
    forward = op.forward

    def apply(a: Any, *attributes: Any) -> Any:
        if type(a) is ndarray:
            return forward(a, *attributes)
        if regime.unusual or not isinstance(a, TensorBase) or (regime.paused and not modes.grad):
            return general(op, (a,), attributes)
        x = a.array
        kind = x.dtype
        counter = a._counter
        if counter is None:
            counter = a._counter = VersionCounter()
        if (kind is not F32 and kind is not F64) or type(counter) is not VersionCounter:
            return general(op, (a,), attributes)
        try:
            out = forward(x, *attributes)
        except Exception:  # said in the right words there
            return general(op, (a,), attributes)
        view = a._view
        t = new(late.Tensor)
        t.array = out
        t._output_nr = 0
        t._counter = counter
        t._grad = t._accumulator = t._hooks = None
        needed = a._requires_grad if view is None else a.requires_grad
        if view is None:
            t._view = View(a, Creation.ORDINARY, counter.value)
        elif view.path is None:
            t._view = View(view.base, view.creation, counter.value)
        else:
            return general(op, (a,), attributes)
        if not needed or not op.plans:
            t._requires_grad = False
            t._made_by = None
            return t
        next_node = a._made_by if view is None else leads_back(a)
        if next_node is None and a._requires_grad:
            next_node = accumulator_of(a)
        plan = op.plans[1]
        n = new(op.node_class)
        n.sequence_nr = next_sequence_nr()
        n.hooks = n.metas = None
        n.plan = plan
        extras = plan.extras
        n.extras = tuple([x.shape if is_shape else attributes[i] for is_shape, i in extras]) if extras else ()
        n.next_nodes = (next_node,)
        n.input_nrs = None if a._output_nr == 0 else (a._output_nr,)
        n.saved = n.versions = ()
        t._requires_grad = True
        t._made_by = n
        return t

    return apply


def _several(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    """Several outputs of one operand: looks at its memory, or new ones, of which whole numbers have no gradient."""
    forward, is_view = op.forward, op.view

    def apply(a: Any, *attributes: Any) -> Any:
        if type(a) is ndarray:
            return forward(a, *attributes)
        if regime.unusual or not isinstance(a, TensorBase) or (regime.paused and not modes.grad):
            return general(op, (a,), attributes)
        kind = a.array.dtype
        view = a._view
        counter = a._counter
        if counter is None and is_view:
            counter = a._counter = VersionCounter()
        if (
            (kind is not F32 and kind is not F64)
            or (counter is not None and type(counter) is not VersionCounter)
            or (view is not None and (view.path is not None or view.creation is Creation.INFERENCE))
        ):
            return general(op, (a,), attributes)
        try:
            arrays = forward(a.array, *attributes)
        except Exception:  # said in the right words there
            return general(op, (a,), attributes)
        outputs = []
        for array in arrays:
            t = new(late.Tensor)
            t.array = array if type(array) is ndarray else np.asarray(array)
            t._output_nr = 0
            t._requires_grad = False
            t._made_by = t._grad = t._accumulator = t._hooks = t._counter = t._view = None
            if is_view and counter is not None:
                t._counter = counter
                t._view = View(a if view is None else view.base, Creation.MULTI_OUTPUT, counter.value)
            outputs.append(t)
        made = tuple(outputs)
        if not (a._requires_grad if view is None else a.requires_grad) or not op.plans:
            return made
        return made if _record_several(op, a, attributes, made) else general(op, (a,), attributes)

    return apply


def _record_several(op: Op, a: Any, attributes: tuple[Any, ...], outputs: tuple[Any, ...]) -> bool:
    """Make the node of several outputs of ``a``; False where that is not done as usual."""
    next_node = a.grad_fn
    if next_node is None:
        if not a._requires_grad:
            return False
        next_node = accumulator_of(a)
    kinds = [t.array.dtype.kind for t in outputs]
    if "c" in kinds or "f" not in kinds:
        return False
    n: Any = new(op.node_class)
    n.sequence_nr = next_sequence_nr()
    n.hooks = None
    n.plan_for(1, (a,), attributes)
    n.metas = ((a.array.shape, a.array.dtype),)
    n.outputs = tuple([(t.array.shape, t.array.dtype) for t in outputs])
    n.next_nodes = (next_node,)
    n.input_nrs = None if a._output_nr == 0 else (a._output_nr,)
    for number, t in enumerate(outputs):
        if kinds[number] == "f":
            t._requires_grad = True
            t._made_by = n
            t._output_nr = number
    saved = [a if source >= 0 else outputs[-1 - source] for source in n.sources(1)]
    n.saved = tuple([SavedOutput(x) if x is not a and x._made_by is n else x for x in saved])
    n.versions = versions_of(n.saved)
    return True


def _of_few(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    """Two or three operands, tensors of one floating type, plain numbers among them, and constants of any type."""
    forward, node_class, plans, count = op.forward, op.node_class, op.plans, len(op.operands)
    leading, mixes = sum(1 << i for i in op.leading(count)), op.elementwise or op.name in MIXING

    def apply(*args: Any) -> Any:
        operands, attributes = args[:count], args[count:]
        if type(operands[0]) in NUMPYS and are_arrays(operands[1:]):
            return forward(np.asarray(args[0]), *args[1:])
        if regime.unusual:
            return general(op, operands, attributes)
        recording = modes.grad or not regime.paused
        values: list[Any] = []
        nodes: list[Any] = []
        metas: list[Any] = []
        kind = None
        mask, bit, numbered = 0, 1, 0
        for x in operands:
            node = meta = None
            if isinstance(x, TensorBase):
                array = x.array
                values.append(array)
                needed = x._requires_grad or (x._view is not None and x.requires_grad)
                if not leading & bit:
                    if needed:
                        return general(op, operands, attributes)
                else:
                    if array.dtype is not kind:
                        if kind is not None or (array.dtype is not F32 and array.dtype is not F64):
                            return general(op, operands, attributes)
                        kind = array.dtype
                    if needed and recording:
                        node = x._made_by if x._view is None else leads_back(x)
                        if node is None:
                            if not x._requires_grad:
                                return general(op, operands, attributes)
                            node = accumulator_of(x)
                        numbered |= x._output_nr
                        mask |= bit
                        meta = (array.shape, kind)
            elif type(x) is float or type(x) is int or x is None:
                values.append(x)
            else:
                return general(op, operands, attributes)
            if leading & bit:
                nodes.append(node)
                metas.append(meta)
            bit += bit
        if kind is None:
            return general(op, operands, attributes)
        try:
            out = forward(*values, *attributes)
        except Exception:  # said in the right words there
            return general(op, operands, attributes)
        if type(out) is not ndarray:
            out = np.asarray(out)
        elif mixes and out.ndim > 1 and lies_otherwise(values):
            out = as_operands_lie(out, values)
        if mask and (out.dtype is not kind or not plans):
            return general(op, operands, attributes)
        t = new(late.Tensor)
        t.array = out
        t._output_nr = 0
        t._counter = t._grad = t._accumulator = t._view = t._hooks = None
        if not mask:
            t._requires_grad = False
            t._made_by = None
            return t
        n = node_class()
        n.sequence_nr = next_sequence_nr()
        n.hooks = None
        n.next_nodes = tuple(nodes)
        n.input_nrs = _numbers(op, operands, nodes) if numbered else None
        n.metas = None if all_are(values, out.shape) else tuple(metas)
        n.plan = plan = plans[mask]
        extras, sources = plan.extras, plan.sources
        n.extras = tuple([operands[i].array.shape if sized else attributes[i] for sized, i in extras])
        t._requires_grad = True
        t._made_by = n
        n.saved = tuple([operands[source] if source >= 0 else SavedOutput(t) for source in sources])
        n.versions = versions_of(n.saved) if sources else NOTHING
        return t

    return apply


def _numbers(op: Op, operands: Any, nodes: list[Any]) -> tuple[int, ...]:
    """Of each node to which a gradient goes, the number of the output that the operand is."""
    leading = [operands[i] for i in op.leading(len(operands))]
    return tuple([0 if node is None else x._output_nr for x, node in zip(leading, nodes, strict=True)])


def _of_any(op: Op, regime: Regime, general: General) -> Callable[..., Any]:
    """Any number of operands: tensors of one floating type, plain numbers among them, and constants of any type."""
    forward, mixes = op.forward, op.elementwise or op.name in MIXING
    kinds = len(op.attributes)

    def apply(*args: Any) -> Any:
        count = len(args) - kinds
        operands, attributes = args[:count], args[count:]
        if operands and type(operands[0]) in NUMPYS and are_arrays(operands[1:]):
            return forward(np.asarray(args[0]), *args[1:])
        read = None if regime.unusual else read_operands(op, operands)
        if read is None:
            return general(op, operands, attributes)
        values, kind, mask = read
        if regime.paused and not modes.grad:
            mask = 0
        try:
            out = forward(*values, *attributes)
        except Exception:  # said in the right words there
            return general(op, operands, attributes)
        if type(out) is not ndarray:
            out = np.asarray(out)
        elif mixes and out.ndim > 1 and lies_otherwise(values):
            out = as_operands_lie(out, values)
        if mask and (out.dtype is not kind or not op.differentiable):
            return general(op, operands, attributes)
        t = new(late.Tensor)
        t.array = out
        t._output_nr = 0
        t._counter = t._grad = t._accumulator = t._view = t._hooks = None
        t._requires_grad = bool(mask)
        t._made_by = _node_of_any(op, operands, values, attributes, mask, t) if mask else None
        return t

    return apply


def _node_of_any(op: Op, operands: Any, values: Any, attributes: Any, mask: int, out: Any) -> Any:
    """The node of such an operation."""
    n: Any = new(op.node_class)
    n.sequence_nr = next_sequence_nr()
    n.hooks = None
    n.plan_for(mask, operands, attributes)
    shape, kind = out.array.shape, out.array.dtype
    nodes: list[Any] = []
    numbers: list[int] = []
    metas: list[Any] = []
    alike, fits, leading, position = True, op.exact, op.leading_mask, -1
    needs = bits(mask, len(operands))
    for x, value in zip(operands, values):  # noqa: B905 (strict costs more than all that is done here)
        position += 1
        node = None
        number = 0
        if needs[position]:
            node = x._made_by if x._view is None else leads_back(x)
            if node is None:
                node = accumulator_of(x)
            number = x._output_nr
        if leading >> position & 1:
            nodes.append(node)
            numbers.append(number)
            if not fits:
                metas.append(None if node is None else (value.shape, kind))
        if not fits and alike and type(value) is ndarray and value.shape != shape:
            alike = False
    n.metas = None if fits or alike else tuple(metas)
    n.next_nodes = tuple(nodes)
    n.input_nrs = tuple(numbers) if any(numbers) else None
    sources = n.sources(mask)
    n.saved = tuple([operands[source] if source >= 0 else SavedOutput(out) for source in sources])
    n.versions = versions_of(n.saved) if sources else NOTHING
    return n
