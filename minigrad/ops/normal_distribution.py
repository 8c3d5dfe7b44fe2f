"""The normal distribution's area and its kin: the scaled error function, the share below a number, its logarithm, its
inverse.

Built upon the error function of ``special``, each where it is exact.
"""

from __future__ import annotations

import math

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.exponential import exp
from minigrad.ops.special import erf_near_zero, erfc_of, erfcx_positive, in_doubles

__all__: list[str] = []

_ROOT_HALF = math.sqrt(0.5)
_ROOT_TWO_PI = math.sqrt(2 * math.pi)


def _erfcx(x: Array) -> Array:
    """``exp(x²)·erfc(x)``, by 2·exp(x²) − erfcx(−x) below 0."""
    with np.errstate(all="ignore"):
        size = np.abs(x)
        square = np.exp(x * x)
        near = square * (1 - erf_near_zero(np.clip(x, -0.5, 0.5)))
        tail = erfcx_positive(size)
        tail = np.where(x < 0, 2 * square - tail, tail)
        return np.where(np.isnan(x), x, np.where(size <= 0.46875, near, tail))


def _log_ndtr(x: Array) -> Array:
    """Below −1 by ``erfcx``, which does not vanish where the share does."""
    with np.errstate(all="ignore"):
        low = np.log(_erfcx(-np.minimum(x, -1.0) * _ROOT_HALF) / 2) - np.square(np.minimum(x, -1.0)) / 2
        return np.where(x < -1, low, np.log1p(-erfc_of(np.maximum(x, -1.0) * _ROOT_HALF) / 2))


def _ndtri(p: Array) -> Array:
    """Newton's steps on the logarithm of the share, from the side where it is at most ½."""
    small = np.minimum(p, 1 - p)
    with np.errstate(all="ignore"):
        share = np.where(small > 0, small, 0.5)
        target = np.log(share)
        x = -np.sqrt(np.maximum(-2 * target - np.log(2 * math.pi * np.maximum(-2 * target, 1)), 0))
        for _ in range(8):
            here = _log_ndtr(x)
            x = x - (here - target) * np.exp(here + x * x / 2) * _ROOT_TWO_PI
        x = np.where(share == 0.5, 0.0, np.where(p > 0.5, -x, x))
        x = np.where(p == 0, -np.inf, np.where(p == 1, np.inf, x))
        return np.where((p >= 0) & (p <= 1), x, np.nan)


@op(label="erfcx", promotes="float", elementwise=True, backward="SpecialErfcxBackward0")
def erfcx(a: Array, /) -> Array:
    """``exp(a²)·erfc(a)``, which is exact where ``erfc`` vanishes: its derivative is 2a·out − 2/√π.

    >>> import minigrad as mg
    >>> mg.special.erfcx(mg.tensor([0.0, 100.0]))
    tensor([1.0000, 0.0056])
    """
    return in_doubles(_erfcx, a)


@op(label="Φ", promotes="float", elementwise=True, backward="MulBackward1")
def ndtr(a: Array, /) -> Array:
    """The share of the normal distribution below ``a``: its derivative is exp(−a²/2)/√(2π).

    >>> import minigrad as mg
    >>> mg.special.ndtr(mg.tensor([0.0, 1.96]))
    tensor([0.5000, 0.9750])
    """
    return in_doubles(lambda x: erfc_of(-x * _ROOT_HALF) / 2, a)


@op(label="ln Φ", promotes="float", elementwise=True, backward="SpecialLogNdtrBackward0")
def log_ndtr(a: Array, /) -> Array:
    """The logarithm of ``ndtr``, which is exact where that vanishes.

    >>> import minigrad as mg
    >>> mg.special.log_ndtr(mg.tensor([-40.0]))
    tensor([-804.6085])
    """
    return in_doubles(_log_ndtr, a)


@op(label="Φ⁻¹", promotes="float", elementwise=True, backward="SpecialNdtriBackward0")
def ndtri(a: Array, /) -> Array:
    """The number below which the share ``a`` of the normal distribution lies: the inverse of ``ndtr``, NaN outside 0
    to 1.

    >>> import minigrad as mg
    >>> mg.special.ndtri(mg.tensor([0.5, 0.975]))
    tensor([0.0000, 1.9600])
    """
    return in_doubles(_ndtri, a)


erfcx.grads(a=lambda g, a, out: g * (2 * a * out - 2 / math.sqrt(math.pi)))
ndtr.grads(a=lambda g, a: g * (exp(a * a * -0.5) / _ROOT_TWO_PI))
log_ndtr.grads(a=lambda g, a: g / erfcx(a * -_ROOT_HALF) * math.sqrt(2 / math.pi))
ndtri.grads(a=lambda g, out: g * (exp(out * out / 2) * _ROOT_TWO_PI))
