"""Window functions: how much each of ``window_length`` samples of a signal counts, from the ends to 1 in the middle.

A periodic window is one sample short of a symmetric one, so that copies of it join. Formulas: Harris, "On the use of
windows for harmonic analysis with the discrete Fourier transform", Proceedings of the IEEE 66 (1978).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array, dtype
from minigrad.ops.creation import check_device, made

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]

Rise = Callable[[Array], Array]
"""The weight at each place, from 0 at the left end to 1 at the right."""


def bartlett_window(window_length: int, periodic: bool = True, **ways: Any) -> Any:
    """A triangle: ``1 - |2t - 1|`` for ``t`` from 0 to 1.

    ``dtype`` is the default type unless given. Raises RuntimeError for a negative length.

    >>> import minigrad as mg
    >>> mg.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("bartlett_window", window_length, periodic, lambda t: 1 - np.abs(2 * t - 1), **ways)


def hann_window(window_length: int, periodic: bool = True, **ways: Any) -> Any:
    """A raised cosine that starts at 0: ``(1 - cos 2πt) / 2``; otherwise as ``bartlett_window``.

    >>> import minigrad as mg
    >>> mg.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann_window", window_length, periodic, _cosines(0.5, 0.5), **ways)


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **ways: Any
) -> Any:
    """A raised cosine that does not: ``alpha - beta cos 2πt``; otherwise as ``bartlett_window``.

    >>> import minigrad as mg
    >>> mg.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _window("hamming_window", window_length, periodic, _cosines(alpha, beta), **ways)


def blackman_window(window_length: int, periodic: bool = True, **ways: Any) -> Any:
    """``0.42 - 0.5 cos 2πt + 0.08 cos 4πt``; otherwise as ``bartlett_window``.

    >>> import minigrad as mg
    >>> mg.blackman_window(4, periodic=False).sum()
    tensor(1.2600)
    """
    return _window("blackman_window", window_length, periodic, _cosines(0.42, 0.5, 0.08), **ways)


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **ways: Any) -> Any:
    """``I₀(beta √(1 - (2t - 1)²)) / I₀(beta)``, with the modified Bessel function; otherwise as ``bartlett_window``.

    >>> import minigrad as mg
    >>> mg.kaiser_window(3, periodic=False, beta=0.0)
    tensor([1., 1., 1.])
    """

    def rise(t: Array) -> Array:
        return np.i0(beta * np.sqrt(np.maximum(1 - (2 * t - 1) ** 2, 0))) / np.i0(beta)

    return _window("kaiser_window", window_length, periodic, rise, **ways)


def _cosines(mean: float, first: float, second: float = 0.0) -> Rise:
    return lambda t: mean - first * np.cos(2 * np.pi * t) + second * np.cos(4 * np.pi * t)


def _window(
    name: str,
    length: int,
    periodic: bool,
    rise: Rise,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    check_device(device)
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    kind = (dtype or dtypes.get_default_dtype()).numpy
    if kind.kind != "f":
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}; choose float32 or float64")
    last = length if periodic else length - 1
    weights = np.ones(length) if length <= 1 else rise(np.arange(length) / last)
    return made(weights.astype(kind), name, requires_grad)
