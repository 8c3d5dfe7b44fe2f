"""Reading and writing memory through a strided window: what the engine needs to follow writes through views.

Each works on a base (whose elements lie in memory as ``base`` says) and a window into the same memory (as ``view`` says).
"""

from __future__ import annotations

import numpy as np

from minigrad.autograd.views import Geometry
from minigrad.dtypes import Array
from minigrad.op import op


def _memory_of(a: Array, base: Geometry) -> tuple[Array, Array]:
    """Flat memory with ``a`` laid into it, and the cell of each of its elements."""
    cells = base.indices()
    memory = np.zeros(int(cells.max()) + 1 if cells.size else 0, a.dtype)
    memory[cells] = a
    return memory, cells


@op(label="window", linear=True, backward="AsStridedBackward0")
def strided_gather(a: Array, /, view: Geometry, base: Geometry) -> Array:
    """The elements of ``a``, shaped as ``base``, that the window ``view`` shows: a copy of the window's shape."""
    memory, _ = _memory_of(a, base)
    return memory[view.indices()]


@op(label="scatter window", linear=True, backward="AsStridedBackward0")
def strided_scatter_add(g: Array, /, view: Geometry, base: Geometry) -> Array:
    """Zeros of the base's shape, to which each element of ``g`` was added at the cell that the window shows there."""
    cells = base.indices()
    window = view.indices()
    size = max(int(c.max()) + 1 if c.size else 0 for c in (cells, window))
    memory = np.zeros(size, g.dtype)
    np.add.at(memory, window, g)
    return memory[cells]


strided_gather.grads(a=lambda g, view, base: strided_scatter_add(g, view, base))
strided_scatter_add.grads(g=lambda g_, view, base: strided_gather(g_, view, base))


@op(label="write window", linear=True, backward="AsStridedScatterBackward0")
def strided_replace(a: Array, w: Array, /, view: Geometry, base: Geometry) -> Array:
    """A copy of ``a`` whose elements under the window ``view`` are those of ``w``."""
    memory, cells = _memory_of(a, base)
    memory[view.indices()] = w
    return memory[cells]


strided_replace.grads(
    a=lambda g, view, base: strided_replace(g, 0 * strided_gather(g, view, base), view, base),
    w=lambda g, view, base: strided_gather(g, view, base),
)
