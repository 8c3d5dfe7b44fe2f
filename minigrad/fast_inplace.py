"""How the ordinary write in place is applied quickly: ``y += x`` in memory of its own, and nothing unusual going on.

As in ``fast``, whatever is not recognised is handed over to ``dispatch``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.meta import VersionCounter, bump_version
from minigrad.autograd.modes import modes
from minigrad.autograd.regime import Regime, regime, unheard
from minigrad.autograd.wrap import TensorBase
from minigrad.dispatch import General, inplace
from minigrad.dtypes import F32, F64
from minigrad.fast_reading import keeps_kind_of, read_operands
from minigrad.specialised import with_code_of_its_own

if TYPE_CHECKING:
    from minigrad.op import Op

ndarray = np.ndarray


def make_inplace(op: Op, regime: Regime = regime, inplace: General = inplace) -> Callable[..., Any]:
    """The in-place form of ``op`` as a plain function of operands and attributes by position: see ``fast``."""
    if len(op.operands) == 2 and op.elementwise and not op.variadic and not op.attributes:
        return with_code_of_its_own(_binary_inplace(op, regime, inplace))
    forward, writes, name, kinds = op.forward, op.writes, f"{op.name}_", len(op.attributes)
    simple = not (op.view or op.several)

    def apply(*args: Any) -> Any:
        count = len(args) - kinds
        operands, attributes = args[:count], args[count:]
        values = None if regime.unusual or not simple else _written_unrecorded(op, operands, regime.paused)
        if values is None:
            return inplace(op, operands, attributes)
        target: Any = operands[0]
        x = values[0]
        try:
            if writes is not None:
                writes(*values, *attributes)
            else:
                out = np.asarray(forward(*values, *attributes))
                if out.shape != x.shape or out.dtype is not x.dtype:
                    return inplace(op, operands, attributes)
                np.copyto(x, out)
        except Exception:  # said in the right words there
            return inplace(op, operands, attributes)
        bump_version(target, name)
        return target

    return apply


def _written_unrecorded(op: Op, operands: Any, paused: int) -> list[Any] | None:
    """The operands' values, where the first can be written without a word to autograd: nothing requires grad, or
    recording is off; None where anything is unusual."""
    target = operands[0]
    read = read_operands(op, operands) if isinstance(target, TensorBase) else None
    if read is None or (read[2] and not (paused and not modes.grad)):
        return None
    counter = target._counter
    if counter is not None and type(counter) is not VersionCounter:
        return None
    x = target.array
    if 0 in x.strides or x.dtype is not read[1] or (op.elementwise and len(operands) > 1):
        return None  # elements may share memory
    return read[0]


def _binary_inplace(op: Op, regime: Regime, inplace: General) -> Callable[..., Any]:
    """``y += x`` in memory of its own: the ordinary result is put into the target, and if it was recorded, the target
    takes over its history."""
    forward, straight = op.forward, op.ufunc if keeps_kind_of(op.ufunc) else None
    name = f"{op.name}_"

    def apply(a: Any, b: Any) -> Any:
        if regime.unusual or not isinstance(a, TensorBase) or a._view is not None:
            return inplace(op, (a, b), ())
        x = a.array
        kind = x.dtype
        if (kind is not F32 and kind is not F64) or not x.flags.c_contiguous:
            return inplace(op, (a, b), ())
        needed = a._requires_grad
        if isinstance(b, TensorBase):
            y = b.array
            if y.dtype is not kind or y.base is not None or y is x.base:
                return inplace(op, (a, b), ())
            needed = needed or b._requires_grad
        elif type(b) is float or type(b) is int:
            y = b  # type: ignore[assignment]
        else:
            return inplace(op, (a, b), ())
        recorded = needed and not (regime.paused and not modes.grad)
        if a.is_inference() or (recorded and (regime is unheard or not _follows(op, a, b))):
            return inplace(op, (a, b), ())  # a recorded write is announced, for it rebases
        try:
            result = op.apply(a, b) if recorded else None
            if result is None and straight is not None:
                out = straight(x, y, x)
            else:
                out = forward(x, y) if result is None else result.array
        except (ValueError, RuntimeError):
            return inplace(op, (a, b), ())
        if out is not x:
            if out.shape != x.shape or out.dtype is not kind:
                return inplace(op, (a, b), ())
            np.copyto(x, out)
        bump_version(a, name)
        if result is not None:
            a._made_by = result._made_by
            a._output_nr = 0
            a._requires_grad = True
        return a

    return apply


def _follows(op: Op, a: Any, b: Any) -> bool:
    """Whether a write to ``a`` can be recorded as what came of ``op(a, b)``: ``a`` is no leaf that requires grad, no
    hook hangs on its history, and nothing is saved that the write is going to change."""
    node = a._made_by
    if (a._requires_grad if node is None else node.hooks is not None) or not op.plans:
        return False
    need_b = isinstance(b, TensorBase) and b.requires_grad
    sources = op.plans[a._requires_grad | need_b << 1].sources
    return 0 not in sources and -1 not in sources and not (b is a and sources)
