"""Orthogonal polynomials, of a degree of its own for each element, by their three-term recurrences (Abramowitz & Stegun
22.7). As in PyTorch, they have no derivative, and are 0 for a negative degree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import Op, op

Step = Callable[[int, Array, Array, Array], Array]
"""Of degree k ≥ 1, x, and the polynomials of degrees k and k − 1: the one of degree k + 1."""


def _of_degree(x: Array, n: Array, first: Callable[[Array], Array], step: Step) -> Array:
    """The polynomial that is 1, ``first(x)``, and so on by ``step``, each element at its own degree."""
    places, degrees = np.broadcast_arrays(np.asarray(x, np.float64), np.trunc(n).astype(np.int64))
    before, now = np.ones_like(places), first(places)
    out = np.where(degrees == 0, before, np.where(degrees == 1, now, 0.0))
    for k in range(1, int(degrees.max(initial=1))):
        before, now = now, step(k, places, now, before)
        out = np.where(degrees == k + 1, now, out)
    return out


def _polynomial(name: str, label: str, about: str, example: str, first: Callable[[Array], Array], step: Step) -> Op:
    """The operation of one family."""

    def forward(a: Array, n: Array, /) -> Array:
        with np.errstate(all="ignore"):
            return _of_degree(a, n, first, step).astype(np.result_type(a, n))

    forward.__name__, forward.__module__ = name, __name__
    forward.__doc__ = f"{about}\n\n    >>> import minigrad as mg\n    >>> {example}\n    "
    return op(label=label, promotes="float", elementwise=True)(forward)


def _chebyshev(k: int, x: Array, now: Array, before: Array) -> Array:
    return 2 * x * now - before


def _shifted(step: Step) -> Step:
    return lambda k, x, now, before: step(k, 2 * x - 1, now, before)


_KINDS: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "t": ("first", lambda x: x, "-0.5000"),
    "u": ("second", lambda x: 2 * x, "0."),
    "v": ("third", lambda x: 2 * x - 1, "-1."),
    "w": ("fourth", lambda x: 2 * x + 1, "1."),
}
"""By the letter: which kind it is, its polynomial of degree 1, and that of degree 2 at ½."""


def _of_kind(letter: str, shifted: bool) -> Op:
    kind, first, value = _KINDS[letter]
    name = f"{'shifted_' if shifted else ''}chebyshev_polynomial_{letter}"
    about = f"Chebyshev's polynomial of the {kind} kind{' of ``2a - 1``' if shifted else ''}, of degree ``n``."
    example = f"mg.special.{name}(mg.tensor([{0.75 if shifted else 0.5}]), 2)\n    tensor([{value}])"
    label = f"{letter.upper()}{'*' if shifted else ''}ₙ"
    if shifted:
        return _polynomial(name, label, about, example, lambda x: first(2 * x - 1), _shifted(_chebyshev))
    return _polynomial(name, label, about, example, first, _chebyshev)


chebyshev_polynomial_t, chebyshev_polynomial_u = _of_kind("t", False), _of_kind("u", False)
chebyshev_polynomial_v, chebyshev_polynomial_w = _of_kind("v", False), _of_kind("w", False)
shifted_chebyshev_polynomial_t, shifted_chebyshev_polynomial_u = _of_kind("t", True), _of_kind("u", True)
shifted_chebyshev_polynomial_v, shifted_chebyshev_polynomial_w = _of_kind("v", True), _of_kind("w", True)

hermite_polynomial_h = _polynomial(
    "hermite_polynomial_h",
    "Hₙ",
    "The physicists' Hermite polynomial of degree ``n``.",
    "mg.special.hermite_polynomial_h(mg.tensor([1.0]), 2)\n    tensor([2.])",
    lambda x: 2 * x,
    lambda k, x, now, before: 2 * x * now - 2 * k * before,
)
hermite_polynomial_he = _polynomial(
    "hermite_polynomial_he",
    "Heₙ",
    "The probabilists' Hermite polynomial of degree ``n``.",
    "mg.special.hermite_polynomial_he(mg.tensor([2.0]), 2)\n    tensor([3.])",
    lambda x: x,
    lambda k, x, now, before: x * now - k * before,
)
laguerre_polynomial_l = _polynomial(
    "laguerre_polynomial_l",
    "Lₙ",
    "Laguerre's polynomial of degree ``n``.",
    "mg.special.laguerre_polynomial_l(mg.tensor([2.0]), 2)\n    tensor([-1.])",
    lambda x: 1 - x,
    lambda k, x, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1),
)
legendre_polynomial_p = _polynomial(
    "legendre_polynomial_p",
    "Pₙ",
    "Legendre's polynomial of degree ``n``.",
    "mg.special.legendre_polynomial_p(mg.tensor([2.0]), 2)\n    tensor([5.5000])",
    lambda x: x,
    lambda k, x, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1),
)
