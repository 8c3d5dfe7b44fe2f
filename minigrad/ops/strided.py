"""Reading and writing memory through a strided window: what the engine needs to follow writes through views.

Each works on a base (whose elements lie in memory as ``base`` says) and a window into the same memory (as ``view``
says). Where the base fills its memory in row-major order, the usual case, a window is a NumPy view; else elements are
found cell by cell.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from minigrad.autograd.views import Geometry, strided
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.choice import zero


@lru_cache(maxsize=4096)
def _is_plain(base: Geometry, view: Geometry) -> bool:
    """Whether the base is its memory in row-major order, and the window lies within it."""
    step = 1
    for length, stride in zip(reversed(base.shape), reversed(base.strides), strict=True):
        if length != 1 and stride != step:
            return False
        step *= length
    last = view.offset + sum((length - 1) * stride for length, stride in zip(view.shape, view.strides, strict=True))
    return min(base.offset, view.offset, *view.strides, 0) == base.offset == 0 and last < step and 0 not in view.shape


@lru_cache(maxsize=4096)
def _is_injective(view: Geometry) -> bool:
    """Whether surely no two elements of the window are the same cell: each stride steps over all that the smaller ones
    reach."""
    reach = 0
    for stride, length in sorted(zip(view.strides, view.shape, strict=True)):
        if length == 1:
            continue
        if stride <= reach:
            return False
        reach += stride * (length - 1)
    return True


def _cells(base: Geometry, view: Geometry) -> tuple[Array, Array, int]:
    """The cells of both, counted from the first that either names, and how many there are."""
    cells, window = base.indices(), view.indices()
    named = [each for each in (cells, window) if each.size]
    first = min((int(each.min()) for each in named), default=0)
    last = max((int(each.max()) for each in named), default=-1)
    return cells - first, window - first, last - first + 1


@op(label="window", linear=True, backward="AsStridedBackward0")
def strided_gather(a: Array, /, view: Geometry, base: Geometry) -> Array:
    """The elements of ``a``, shaped as ``base``, that the window ``view`` shows: a copy of the window's shape.

    >>> import minigrad as mg
    >>> from minigrad.autograd.views import Geometry
    >>> from minigrad.ops.strided import strided_gather
    >>> strided_gather(mg.tensor([1.0, 2.0, 3.0]), Geometry((2,), (2,), 0), Geometry((3,), (1,), 0))
    tensor([1., 3.])
    """
    if _is_plain(base, view):
        return strided(np.ascontiguousarray(a).reshape(-1), view).copy()
    cells, window, size = _cells(base, view)
    memory = np.zeros(size, a.dtype)
    memory[cells] = a
    return memory[window]


@op(label="scatter window", linear=True, backward="AsStridedBackward0")
def strided_scatter_add(g: Array, /, view: Geometry, base: Geometry) -> Array:
    """Zeros of the base's shape, to which each element of ``g`` was added at the cell that the window shows there.

    >>> import minigrad as mg
    >>> from minigrad.autograd.views import Geometry
    >>> from minigrad.ops.strided import strided_scatter_add
    >>> strided_scatter_add(mg.tensor([5.0, 6.0]), Geometry((2,), (2,), 0), Geometry((3,), (1,), 0))
    tensor([5., 0., 6.])
    """
    if _is_plain(base, view) and _is_injective(view):
        plain = np.zeros(base.shape, g.dtype)
        strided(plain.reshape(-1), view)[...] = g
        return plain
    cells, window, size = _cells(base, view)
    memory = np.zeros(size, g.dtype)
    np.add.at(memory, window, g)
    return memory[cells]


strided_gather.grads(a=lambda g, view, base: strided_scatter_add(g, view, base))
strided_scatter_add.grads(g=lambda g_, view, base: strided_gather(g_, view, base))


@op(label="write window", linear=True, backward="AsStridedScatterBackward0")
def strided_replace(a: Array, w: Array, /, view: Geometry, base: Geometry) -> Array:
    """A copy of ``a`` whose elements under the window ``view`` are those of ``w``.

    >>> import minigrad as mg
    >>> from minigrad.autograd.views import Geometry
    >>> from minigrad.ops.strided import strided_replace
    >>> strided_replace(mg.zeros(3), mg.tensor([5.0, 6.0]), Geometry((2,), (2,), 0), Geometry((3,), (1,), 0))
    tensor([5., 0., 6.])
    """
    if _is_plain(base, view):
        plain = np.array(a, order="C")
        strided(plain.reshape(-1), view)[...] = w
        return plain
    cells, window, size = _cells(base, view)
    memory = np.zeros(size, a.dtype)
    memory[cells] = a
    memory[window] = w
    return memory[cells]


strided_replace.grads(
    a=lambda g, view, base: strided_replace(g, zero(strided_gather(g, view, base)), view, base),
    w=lambda g, view, base: strided_gather(g, view, base),
)
