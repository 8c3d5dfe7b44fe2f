"""The discrete Fourier transform under PyTorch's names: ``minigrad.fft``.

``norm`` says what divides by the number of elements n: ``"backward"`` the inverse by n, ``"forward"`` the transform by
n, ``"ortho"`` both by √n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import get_default_dtype
from minigrad.ops.dims import Shape, wrap_dim, wrap_dims
from minigrad.ops.fourier import half_transformed, real_transformed, resized, transformed
from minigrad.ops.rearranging import roll
from minigrad.ops.rounding import is_complex
from minigrad.ops.scope import composite

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

Lengths = Sequence[int] | None
Dims = Sequence[int] | int | None


def _scale(lengths: Sequence[int], norm: str | None, forward: bool) -> float:
    count = math.prod(lengths)
    known = norm or "backward"
    if known not in ("backward", "forward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if known == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (known == "forward") == forward else 1.0


def _ready(input: Any, complex_too: bool = True) -> Any:
    """Whole numbers as floating-point ones."""
    kind = input.array.dtype.kind
    if kind == "c" and not complex_too:
        raise RuntimeError(f"rfft expects a real input tensor, but got {input.dtype}")
    return input if kind in "fc" else input.to(get_default_dtype())


def _sizes(input: Any, s: Lengths, dim: Dims, half: bool = False) -> tuple[Any, Shape, list[int]]:
    """The input cut or filled to the lengths asked for, the dimensions, and the lengths of the result along them."""
    ndim = input.array.ndim
    if dim is None:
        dims = tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))
    else:
        dims = wrap_dims(dim, ndim)
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    shape = input.array.shape
    usual = [shape[d] for d in dims]
    if half and dims:
        usual[-1] = 2 * (usual[-1] - 1)
    lengths = usual if s is None else [usual[i] if n == -1 else int(n) for i, n in enumerate(s)]
    for n in lengths:
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
    for place, (d, n) in enumerate(zip(dims, lengths, strict=True)):
        input = resized(input, d, n // 2 + 1 if half and place == len(dims) - 1 else n)
    return input, dims, lengths


def _complex(input: Any, s: Lengths, dim: Dims, norm: str | None, forward: bool) -> Any:
    x, dims, lengths = _sizes(_ready(input), s, dim)
    x = x if is_complex(x) else x + 0j
    return transformed.apply(x, dims, forward, _scale(lengths, norm, forward)) if dims else x


def _to_half(input: Any, s: Lengths, dim: Dims, norm: str | None, forward: bool) -> Any:
    x, dims, lengths = _sizes(_ready(input, complex_too=False), s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    out = half_transformed.apply(x, dims[-1], forward, _scale(lengths, norm, forward))
    return transformed.apply(out, dims[:-1], forward, 1.0) if dims[:-1] else out


def _to_real(input: Any, s: Lengths, dim: Dims, norm: str | None, forward: bool) -> Any:
    ready = _ready(input)
    x, dims, lengths = _sizes(ready if is_complex(ready) else ready + 0j, s, dim, half=True)
    if not dims:
        raise RuntimeError("irfftn must transform at least one axis")
    if dims[:-1]:
        x = transformed.apply(x, dims[:-1], forward, 1.0)
    return real_transformed.apply(x, dims[-1], lengths[-1], forward, _scale(lengths, norm, forward))


def _one(n: int | None) -> Lengths:
    return None if n is None else (n,)


@composite
def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """How much there is of each frequency along ``dim``, complex; the input is cut off or filled to ``n`` elements.

    >>> import minigrad as mg
    >>> mg.fft.fft(mg.tensor([1.0, 0.0, -1.0, 0.0]))
    tensor([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j])
    """
    return _complex(input, _one(n), (dim,), norm, True)


@composite
def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The inverse of ``fft``."""
    return _complex(input, _one(n), (dim,), norm, False)


@composite
def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``fft`` of real numbers: the first half, of which the other is the mirror image."""
    return _to_half(input, _one(n), (dim,), norm, True)


@composite
def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The inverse of ``rfft``: ``n`` real numbers, by default an even number of them."""
    return _to_real(input, _one(n), (dim,), norm, False)


@composite
def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """``fft`` of the first half of a signal whose other half is its mirror image: real."""
    return _to_real(input, _one(n), (dim,), norm, True)


@composite
def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The inverse of ``hfft``."""
    return _to_half(input, _one(n), (dim,), norm, False)


@composite
def fftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """``fft`` along several dimensions, by default all."""
    return _complex(input, s, dim, norm, True)


@composite
def ifftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """The inverse of ``fftn``."""
    return _complex(input, s, dim, norm, False)


@composite
def rfftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """``fftn`` of real numbers: the first half along the last of the dimensions."""
    return _to_half(input, s, dim, norm, True)


@composite
def irfftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """The inverse of ``rfftn``."""
    return _to_real(input, s, dim, norm, False)


@composite
def hfftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """``hfft`` along several dimensions."""
    return _to_real(input, s, dim, norm, True)


@composite
def ihfftn(input: Any, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Any:
    """The inverse of ``hfftn``."""
    return _to_half(input, s, dim, norm, False)


def fft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """``fft`` along the last two dimensions."""
    return fftn(input, s, dim, norm)


def ifft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """The inverse of ``fft2``."""
    return ifftn(input, s, dim, norm)


def rfft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """``rfft`` along the last two dimensions."""
    return rfftn(input, s, dim, norm)


def irfft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """The inverse of ``rfft2``."""
    return irfftn(input, s, dim, norm)


def hfft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """``hfft`` along the last two dimensions."""
    return hfftn(input, s, dim, norm)


def ihfft2(input: Any, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Any:
    """The inverse of ``hfft2``."""
    return ihfftn(input, s, dim, norm)


# --- frequencies ----------------------------------------------------------------------------------------------------


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """The frequencies that ``fft`` of ``n`` samples at distance ``d`` is about.

    >>> import minigrad as mg
    >>> mg.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies(np.fft.fftfreq(n, d), dtype, requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """The frequencies that ``rfft`` of ``n`` samples at distance ``d`` is about."""
    return _frequencies(np.fft.rfftfreq(n, d), dtype, requires_grad)


def _frequencies(array: Any, dtype: Any, requires_grad: bool) -> Any:
    made = wrap(array.astype((dtype or get_default_dtype()).numpy))
    made.requires_grad = requires_grad
    return made


def fftshift(input: Any, dim: Dims = None) -> Any:
    """Frequency 0 brought to the middle of each of ``dim``, by default of all dimensions."""
    return _shifted(input, dim, lambda n: n // 2)


def ifftshift(input: Any, dim: Dims = None) -> Any:
    """The inverse of ``fftshift``."""
    return _shifted(input, dim, lambda n: (n + 1) // 2)


def _shifted(input: Any, dim: Dims, step: Any) -> Any:
    ndim = input.array.ndim
    dims = tuple(range(ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    dims = tuple(wrap_dim(each, ndim) for each in dims)
    return roll(input, [step(input.array.shape[each]) for each in dims], dims)
