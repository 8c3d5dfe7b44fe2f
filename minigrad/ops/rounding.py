"""Signs and whole numbers, element by element: what moves in steps has the derivative 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.errors import refuse_bools
from minigrad.op import Op, op
from minigrad.ops.choice import choose, zero
from minigrad.ops.complex_views import part
from minigrad.ops.fitting import plain

__all__ = [
    "absolute",
    "angle",
    "ceil",
    "complex",
    "conj",
    "conj_physical",
    "copysign",
    "fix",
    "floor",
    "frac",
    "imag",
    "is_complex",
    "real",
    "round",
    "sgn",
    "sign",
    "trunc",
]


def _whole_if_integer(function: Any, a: Array) -> Array:
    """Integers are whole already. Raises NotImplementedError for bools."""
    refuse_bools(f"{'round' if function is np.rint else function.__name__}_vml_cpu", a)
    return a.copy() if a.dtype.kind in "iu" else function(a)


@op(label="⌊x⌋", elementwise=True)
def floor(a: Array, /) -> Array:
    """The largest whole number not above ``a``.

    >>> import minigrad as mg
    >>> mg.floor(mg.tensor([-1.5, 1.5]))
    tensor([-2.,  1.])
    """
    return _whole_if_integer(np.floor, a)


floor.grads(a=lambda g: zero(g))


@op(label="⌈x⌉", elementwise=True)
def ceil(a: Array, /) -> Array:
    """The smallest whole number not below ``a``.

    >>> import minigrad as mg
    >>> mg.ceil(mg.tensor([-1.5, 1.5]))
    tensor([-1.,  2.])
    """
    return _whole_if_integer(np.ceil, a)


ceil.grads(a=lambda g: zero(g))


@op(label="trunc", elementwise=True)
def trunc(a: Array, /) -> Array:
    """``a`` without its fraction.

    >>> import minigrad as mg
    >>> mg.trunc(mg.tensor([-1.5, 1.5]))
    tensor([-1.,  1.])
    """
    return _whole_if_integer(np.trunc, a)


trunc.grads(a=lambda g: zero(g))


@op(label="frac", elementwise=True)
def frac(a: Array, /) -> Array:
    """The fraction of ``a``, with its sign: ``a - trunc(a)``. Its derivative is 1.

    >>> import minigrad as mg
    >>> mg.frac(mg.tensor([-1.5, 1.25]))
    tensor([-0.5000,  0.2500])
    """
    refuse_bools("frac_cpu", a)
    return a - np.trunc(a)


frac.grads(a=lambda g: g)


@op(label="round", name="round", elementwise=True)
def round_whole(a: Array, /) -> Array:
    """The nearest whole number; halves go to the even one.

    >>> import minigrad as mg
    >>> mg.round(mg.tensor([0.5, 1.5, -1.6]))
    tensor([ 0.,  2., -2.])
    """
    return _whole_if_integer(np.rint, a)


round_whole.grads(a=lambda g: zero(g))


@op(label="round", name="round", elementwise=True, backward="RoundBackward1")
def round_decimals(a: Array, /, decimals: int) -> Array:
    """``a`` rounded to so many decimals.

    >>> import minigrad as mg
    >>> mg.round(mg.tensor([1.26]), decimals=1)
    tensor([1.3000])
    """
    return np.round(a, decimals)


round_decimals.grads(a=lambda g: zero(g))


def round(input: Any, *, decimals: int | None = None) -> Any:
    """The nearest whole number, or with ``decimals`` the nearest number of so many decimals; halves go to the even
    digit.

    >>> import minigrad as mg
    >>> mg.round(mg.tensor([1.26, 2.5]))
    tensor([1., 2.])
    """
    return round_whole.apply(input) if decimals is None else round_decimals.apply(input, decimals)


@op(label="sign", elementwise=True)
def sign(a: Array, /) -> Array:
    """−1, 0 or 1: the sign of a real number.

    >>> import minigrad as mg
    >>> mg.sign(mg.tensor([-3.0, 0.0, 2.0]))
    tensor([-1.,  0.,  1.])
    """
    if a.dtype.kind == "c":
        raise RuntimeError("Unlike NumPy, minigrad's sign() is not for complex numbers: use sgn() for the direction.")
    return np.copy(a) if a.dtype.kind == "b" else _sign(a)


def _sign(a: Array) -> Array:
    """0 for NaN, which NumPy's would keep."""
    return np.greater(a, 0).astype(a.dtype) - np.less(a, 0).astype(a.dtype)


sign.grads(a=lambda g: zero(g))


@op(label="sgn", elementwise=True, holomorphic=False)
def sgn(a: Array, /) -> Array:
    """The direction of a complex number, ``a / |a|`` (0 for 0); ``sign`` for a real one.

    >>> import minigrad as mg
    >>> mg.sgn(mg.tensor([-3.0, 0.0, 2.0]))
    tensor([-1.,  0.,  1.])
    """
    if a.dtype.kind == "c":
        return np.asarray(np.sign(a))
    return np.copy(a) if a.dtype.kind == "b" else _sign(a)


def _sgn_slope(g: Any, a: Any, out: Any) -> Any:
    """Only the turn of a direction counts; a real number cannot turn."""
    if not is_complex(g):
        return zero(g)
    length = abs(a)
    along = real_part(conj(out) * g)
    return choose(length == 0, 0, (g - along * out) / length)


@op(label="|x|", name="abs", elementwise=True, holomorphic=False)
def absolute(a: Array, /) -> Array:
    """The absolute value; of complex numbers the length. At 0 the derivative is 0.

    >>> import minigrad as mg
    >>> mg.abs(mg.tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """
    refuse_bools("abs_cpu", a)
    return np.absolute(a)


absolute.grads(a=lambda g, a: g * sgn(a))


@op(label="copysign", name="copysign", promotes="float", elementwise=True)
def copysign_pair(a: Array, b: Array, /) -> Array:
    """The size of ``a`` with the sign of ``b``; where ``a`` is 0 the gradient is 0.

    >>> import minigrad as mg
    >>> mg.copysign(mg.tensor([1.0, 2.0]), mg.tensor([-1.0, 1.0]))
    tensor([-1.,  2.])
    """
    return np.copysign(a, b)


copysign_pair.grads(a=lambda g, a, out: choose(a == 0, 0, g * (out / a)), b=lambda g: zero(g))


@op(label="copysign", name="copysign", promotes="float", elementwise=True, backward="CopysignBackward1")
def copysign_number(a: Array, /, b: float) -> Array:
    """The size of ``a`` with the sign of a number.

    >>> import minigrad as mg
    >>> mg.copysign(mg.tensor([1.0, -2.0]), -1.0)
    tensor([-1., -2.])
    """
    return np.copysign(a, a.dtype.type(b))


copysign_number.grads(a=lambda g, a, out: choose(a == 0, 0, g * (out / a)))


def copysign(input: Any, other: Any) -> Any:
    """The size of ``input`` with the sign of ``other``, a tensor or a number; where ``input`` is 0 the gradient is 0.

    >>> import minigrad as mg
    >>> mg.copysign(mg.tensor([1.0, 2.0]), mg.tensor([-1.0, 1.0]))
    tensor([-1.,  2.])
    """
    if isinstance(other, TensorMeta | np.ndarray):
        return copysign_pair.apply(input, other)
    return copysign_number.apply(input, plain(other))


# --- complex numbers ------------------------------------------------------------------------------------------------


def is_complex(input: Any) -> bool:
    """Whether the elements are complex numbers; of an array too.

    >>> import minigrad as mg
    >>> mg.is_complex(mg.tensor([1j]))
    True
    """
    array = getattr(input, "array", input)
    return bool(array.dtype.kind == "c")


@op(label="conj", name="conj", elementwise=True, holomorphic=False)
def conjugate(a: Array, /) -> Array:
    """The complex conjugate.

    >>> import minigrad as mg
    >>> mg.conj(mg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return np.conjugate(a)


conjugate.grads(a=lambda g: conj(g))


def conj(input: Any) -> Any:
    """The complex conjugate; a real tensor is returned as it is.

    >>> import minigrad as mg
    >>> mg.conj(mg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return conjugate.apply(input) if is_complex(input) else input


def real(input: Any) -> Any:
    """The real part of a complex tensor, as a view; a real tensor is returned as it is.

    >>> import minigrad as mg
    >>> mg.real(mg.tensor([1 + 2j]))
    tensor([1.])
    """
    return part(input, 0) if is_complex(input) else input


def imag(input: Any) -> Any:
    """The imaginary part of a complex tensor, as a view. Raises RuntimeError for a real tensor.

    >>> import minigrad as mg
    >>> mg.imag(mg.tensor([1 + 2j]))
    tensor([2.])
    """
    if not is_complex(input):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return part(input, 1)


def real_part(value: Any) -> Any:
    """``real`` for rules: of an array or a tensor."""
    return real(value)


@op(label="arg", promotes="float", holomorphic=False)
def angle(a: Array, /) -> Array:
    """The angle of a complex number; π for a negative real one, whose derivative is 0.

    >>> import minigrad as mg
    >>> mg.angle(mg.tensor([1j, -1 + 0j]))
    tensor([1.5708, 3.1416])
    """
    if a.dtype.kind == "c":
        return np.angle(a)
    return np.where(np.isnan(a), a, np.where(a < 0, a.dtype.type(np.pi), a.dtype.type(0)))


def _angle_slope(g: Any, a: Any) -> Any:
    if not is_complex(a):
        return zero(g)
    square = real(a) * real(a) + imag(a) * imag(a)
    return choose(square == 0, 0, g * (a * 1j) / square)


angle.grads(a=_angle_slope)
sgn.grads(a=lambda g, a, out: _sgn_slope(g, a, out))


@op(label="complex", name="complex", promotes="float", holomorphic=False)
def join_parts(a: Array, b: Array, /) -> Array:
    """The complex numbers with real part ``a`` and imaginary part ``b``.

    >>> import minigrad as mg
    >>> mg.complex(mg.tensor([1.0]), mg.tensor([2.0]))
    tensor([1.+2.j])
    """
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a.dtype, np.complex64))
    out.real, out.imag = a, b
    return out


join_parts.grads(a=lambda g, a: real(g), b=lambda g, b: imag(g))  # as PyTorch, which keeps them for their types


def complex(real: Any, imag: Any) -> Any:
    """The complex numbers with these real and imaginary parts, of which both are float32 or both float64.

    >>> import minigrad as mg
    >>> mg.complex(mg.tensor([1.0]), mg.tensor([2.0]))
    tensor([1.+2.j])
    """
    if real.array.dtype != imag.array.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {real.dtype.title} but got scalar type "
            f"{imag.dtype.title} for second argument"
        )
    return join_parts.apply(real, imag)


fix = trunc


@op(label="conj", name="conj_physical", elementwise=True, holomorphic=False, backward="ConjPhysicalBackward0")
def conjugate_physically(a: Array, /) -> Array:
    """The complex conjugate, by the name that says that its values are computed at once; here they always are.

    >>> import minigrad as mg
    >>> mg.conj_physical(mg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return np.conjugate(a)


conjugate_physically.grads(a=lambda g: conj(g))

_conjugate_written = Op(
    conjugate_physically.forward,
    "conj",
    "ConjPhysicalBackward1",
    name="conj_physical",
    elementwise=True,
    holomorphic=False,
).grads(**conjugate_physically.rules)
"""The same in place, where its node has another name."""


def conj_physical(input: Any) -> Any:
    """The complex conjugate, its values computed at once; a real tensor is returned as it is.

    >>> import minigrad as mg
    >>> mg.conj_physical(mg.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return conjugate_physically.apply(input) if is_complex(input) else input


class RoundingMethods:
    """The methods that signs, rounding and complex parts lend to ``Tensor``."""

    __slots__ = ()

    abs = absolute = __abs__ = absolute.apply
    sign, sign_ = sign.apply, sign.inplace
    sgn, sgn_ = sgn.apply, sgn.inplace
    floor, floor_ = floor.apply, floor.inplace
    ceil, ceil_ = ceil.apply, ceil.inplace
    trunc, trunc_ = trunc.apply, trunc.inplace
    fix, fix_ = trunc, trunc_
    frac, frac_ = frac.apply, frac.inplace
    copysign = copysign
    angle = angle.apply
    round, conj = round, conj
    conj_physical = conj_physical
    real = property(real)
    imag = property(imag)

    def abs_(self: Any) -> Any:
        """``abs``, in place."""
        if is_complex(self):
            raise RuntimeError("In-place abs is not supported for complex tensors.")
        return absolute.inplace(self)

    absolute_ = abs_

    def conj_physical_(self) -> Any:
        """``conj``, in place."""
        return _conjugate_written.inplace(self)

    def copysign_(self, other: Any) -> Any:
        """``copysign`` in place."""
        if isinstance(other, TensorMeta):
            return copysign_pair.inplace(self, other)
        return copysign_number.inplace(self, plain(other))

    def round_(self, *, decimals: int | None = None) -> Any:
        """``round`` in place."""
        return round_whole.inplace(self) if decimals is None else round_decimals.inplace(self, decimals)
