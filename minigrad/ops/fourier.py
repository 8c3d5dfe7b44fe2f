"""The discrete Fourier transform (Cooley & Tukey 1965, by NumPy): of complex numbers, and to and from real ones.

All three are linear, and none divides by the number of elements: that is the ``scale``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.dims import Shape
from minigrad.ops.padding import padded
from minigrad.ops.rounding import real_part
from minigrad.ops.viewing import slice_along


@op(label="FFT", name="fft", backward="FftC2CBackward0", linear=True)
def transformed(a: Array, /, dims: Shape, forward: bool, scale: float) -> Array:
    """``Σₙ a[n]·exp(∓2πi·nk/N)`` along each of ``dims``, times ``scale``; with the minus where ``forward``.

    >>> import minigrad as mg
    >>> mg.fft.fft(mg.tensor([1 + 0j, 1 + 0j]))
    tensor([2.+0.j, 0.+0.j])
    """
    out = np.fft.fftn(a, axes=dims) if forward else np.fft.ifftn(a, axes=dims, norm="forward")
    return _scaled(out, scale, np.result_type(a.dtype, np.complex64))


def _scaled(out: Array, scale: float, kind: Any) -> Array:
    return np.asarray(out if scale == 1 else out * scale).astype(kind, copy=False)


transformed.grads(a=lambda g, dims, forward, scale: transformed.apply(g, dims, forward, scale))


@op(label="real FFT", name="rfft", backward="FftR2CBackward0", linear=True, holomorphic=False, keeps=("a",))
def half_transformed(a: Array, /, dim: int, forward: bool, scale: float) -> Array:
    """``transformed`` of real numbers along ``dim``: the first half, of which the other is the mirror image.

    >>> import minigrad as mg
    >>> mg.fft.rfft(mg.tensor([1.0, 1.0, 1.0, 1.0]))
    tensor([4.+0.j, 0.+0.j, 0.+0.j])
    """
    out = np.fft.rfft(a, axis=dim)
    return _scaled(out if forward else out.conj(), scale, np.result_type(a.dtype, np.complex64))


def _from_half(g: Any, shape: Shape, dim: int, forward: bool, scale: float) -> Any:
    """The other half receives nothing, and what is imaginary has nowhere to go."""
    widths = [(0, 0)] * len(shape)
    widths[dim] = (0, shape[dim] - g.shape[dim])
    return real_part(transformed.apply(padded.apply(g, tuple(widths), 0), (dim,), not forward, scale))


half_transformed.grads(a=lambda g, a_shape, dim, forward, scale: _from_half(g, a_shape, dim, forward, scale))


@op(label="FFT to real", name="irfft", backward="FftC2RBackward0", linear=True, holomorphic=False)
def real_transformed(a: Array, /, dim: int, length: int, forward: bool, scale: float) -> Array:
    """``transformed`` to ``length`` real numbers along ``dim``, of a first half whose other is its mirror image.

    >>> import minigrad as mg
    >>> mg.fft.irfft(mg.tensor([4 + 0j, 0j, 0j]))
    tensor([1., 1., 1., 1.])
    """
    out = np.fft.irfft(a.conj() if forward else a, length, axis=dim, norm="forward")
    return _scaled(out, scale, a.real.dtype)


def _to_half(g: Any, dim: int, length: int, forward: bool, scale: float) -> Any:
    """Each element but the first (and the middle one of an even number) stands for its mirror image as well."""
    half = half_transformed.apply(g, dim, not forward, scale)
    count = half.shape[dim]
    weights = np.full(count, 2.0, (g.array if isinstance(g, TensorBase) else g).dtype)
    weights[0] = 1
    if length % 2 == 0:
        weights[-1] = 1
    return half * weights.reshape(-1, *(1,) * (len(half.shape) - dim - 1))


real_transformed.grads(a=lambda g, dim, length, forward, scale: _to_half(g, dim, length, forward, scale))


def resized(a: Any, dim: int, length: int) -> Any:
    """``a`` cut off or filled with zeros at the end of ``dim``."""
    now = a.array.shape[dim]
    if length < now:
        return slice_along.apply(a, dim, 0, length, 1)
    widths = [(0, 0)] * a.array.ndim
    widths[dim] = (0, length - now)
    return a if length == now else padded.apply(a, tuple(widths), 0)
