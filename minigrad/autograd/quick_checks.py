"""``gradcheck``'s fast mode: one random direction through a whole Jacobian, instead of its every entry.

``uᵀJv`` is had from two values of the function, and from one backward or forward pass. Where the two disagree the
ordinary check looks at every entry, and says which is wrong; here nothing is refused. Complex numbers count as pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd import forward_ad
from minigrad.autograd.backward import grad
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Outputs = Callable[[Any], list["Tensor"]]
"""Of what a function returned: the outputs that are checked."""


def agrees_backward(
    func: Callable[..., Any],
    given: Sequence[Any],
    x: Tensor,
    number: int,
    chosen: Outputs,
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> bool:
    """Whether backward of output ``number`` gives, twice alike, the slope that the function's values have."""
    rng = np.random.default_rng(0)
    out = chosen(func(*given))[number]
    u, v = _direction(out.array, rng), _direction(x.array, rng)
    once, twice = (grad(out, x, wrap(u), retain_graph=True, allow_unused=True)[0] for _ in range(2))
    slopes = [0.0 if g is None or g.array.shape != x.array.shape else _inner(g.array, v) for g in (once, twice)]
    if (once is not None and once.array.shape != x.array.shape) or abs(slopes[0] - slopes[1]) > nondet_tol:
        return False
    return _close(slopes[0], _slope(func, given, x, number, chosen, u, v, eps), u, v, atol, rtol)


def agrees_forward(
    func: Callable[..., Any],
    given: Sequence[Any],
    x: Tensor,
    chosen: Outputs,
    eps: float,
    atol: float,
    rtol: float,
) -> bool:
    """Whether forward mode gives every output the slope that its values have."""
    rng = np.random.default_rng(0)
    v = _direction(x.array, rng)
    with forward_ad.dual_level():
        bare = [g.detach() if _wanted(g) else g for g in given]
        tangents = [wrap(v if g is x else np.zeros_like(g.array)) if _wanted(g) else None for g in given]
        duals = [b if t is None else forward_ad.make_dual(b, t) for b, t in zip(bare, tangents, strict=True)]
        several = func(*duals)
        made = [out for out in (several if isinstance(several, (tuple, list)) else (several,)) if _floats(out)]
        carried = [forward_ad.unpack_dual(out).tangent for out in made]
    for number, out in enumerate(chosen(func(*given))):
        u = _direction(out.array, rng)
        found = 0.0 if carried[number] is None else _inner(carried[number].array, u)  # type: ignore[union-attr]
        if not _close(found, _slope(func, given, x, number, chosen, u, v, eps), u, v, atol, rtol):
            return False
    return True


def _slope(
    func: Callable[..., Any],
    given: Sequence[Any],
    x: Tensor,
    number: int,
    chosen: Outputs,
    u: Array,
    v: Array,
    eps: float,
) -> float:
    """``uᵀJv`` by a step of ``eps`` along ``v`` to either side."""
    original = x.array
    ends = []
    for step in (eps, -eps):
        x.array = np.array(original + step * v, dtype=original.dtype, order="C")
        try:
            ends.append(chosen(func(*given))[number].array.copy())
        finally:
            x.array = original
    if ends[0].shape != ends[1].shape or ends[0].dtype != ends[1].dtype:
        return float("nan")  # close to nothing
    return _inner(ends[0] - ends[1], u) / (2 * eps)


def _direction(like: Array, rng: np.random.Generator) -> Array:
    """A random direction of length 1."""
    values: Any = rng.random(like.shape)
    if like.dtype.kind == "c":
        values = values + 1j * rng.random(like.shape)
    return np.asarray(values / max(float(np.linalg.norm(values)), 1e-300), dtype=like.dtype)


def _inner(a: Array, b: Array) -> float:
    """The inner product of two arrays of reals, or of pairs."""
    return float(np.real(np.vdot(a, b)))


def _close(found: float, expected: float, u: Array, v: Array, atol: float, rtol: float) -> bool:
    """To the tolerance that every entry together would have."""
    room = atol * float(np.abs(u).sum() * np.abs(v).sum()) + rtol * abs(expected)
    return abs(found - expected) <= room


def _wanted(value: Any) -> bool:
    return isinstance(value, TensorBase) and value.requires_grad


def _floats(value: Any) -> bool:
    return isinstance(value, TensorBase) and value.array.dtype.kind in "fc"
