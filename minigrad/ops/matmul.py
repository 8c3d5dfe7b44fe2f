"""Products of matrices and vectors. ``matmul`` takes them apart into the same operations as PyTorch does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import F32, Array, of
from minigrad.errors import do_not_meet, refuse_bools
from minigrad.op import op
from minigrad.ops import viewing
from minigrad.ops.arithmetic import add_pair, mul
from minigrad.ops.dims import Shape
from minigrad.ops.fitting import cast
from minigrad.ops.rounding import conj
from minigrad.ops.scope import composite
from minigrad.ops.turning import squeeze_dim_
from minigrad.ops.viewing import contiguous_copy, expand, reshape_to, t, transpose, unsafe_view, unsqueeze, view

__all__ = ["addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "dot", "ger", "matmul", "mm", "mv", "outer", "vdot"]

ndarray = np.ndarray
LARGE = 1 << 15
"""Elements of a product from which on ``np.matmul`` is quicker than ``dot``, where neither matrix has gaps."""
FEW_ROWS, MANY_ELEMENTS = 64, 1 << 11
"""With no more rows than the one and no fewer elements than the other, a product may be quicker to make turned."""


# --- two operands ---------------------------------------------------------------------------------------------------


@op(label="@", exact=True)
def mm(a: Array, b: Array, /) -> Array:
    """The product of two matrices, ``(n, k) @ (k, m) → (n, m)``: dA = G·Bᵀ, dB = Aᵀ·G.

    Raises RuntimeError when the shapes do not fit or the types differ.

    >>> import minigrad as mg
    >>> mg.mm(mg.tensor([[1.0, 2.0]]), mg.tensor([[3.0], [4.0]]))
    tensor([[11.]])
    """
    if type(a) is ndarray is type(b) and a.ndim == 2 == b.ndim and a.dtype is b.dtype and a.size != 1 != b.size:
        elements = a.shape[0] * b.shape[1]
        try:
            if elements >= MANY_ELEMENTS and _quicker_turned(a, b):
                return np.ascontiguousarray(np.matmul(b.T, a.T).T)
            if elements < LARGE or not (a.flags.forc and b.flags.forc):
                return a.dot(b)
            return np.matmul(a, b)  # begins later, and does not fill the result with zeros first
        except ValueError:
            pass  # said in the right words below
    _check_mm(a, b)
    # by a matrix of one number NumPy multiplies on a shorter way, on which 0 times infinity is 0
    return a * b if a.size == 1 or b.size == 1 else a.dot(b)


def _quicker_turned(a: Array, b: Array) -> bool:
    """Whether ``(bᵀ @ aᵀ)ᵀ`` is quicker to make than ``a @ b``, though it has to be turned back: for a few long rows
    times the transpose of a matrix, as in a linear layer with a small batch.

    OpenBLAS then takes half to nine tenths of the time where there is AVX-512, and about the same where there is not.
    Of float64 it does not, nor where ``b`` lies row by row.
    """
    rows, depth = a.shape
    if rows > FEW_ROWS or depth < 8 * rows or a.dtype is not F32 or b.dtype is not F32 or b.shape[:-1] != (depth,):
        return False
    columns = b.shape[1]
    suits = rows < columns and rows * columns >= MANY_ELEMENTS
    return suits and a.flags.c_contiguous and b.flags.f_contiguous


mm.grads(a=lambda g, b: mm.apply(g, b.mT), b=lambda g, a: mm.apply(a.mT, g))


@op(label="@", unpacks=("a", "b"))
def mv(a: Array, b: Array, /) -> Array:
    """The product of a matrix and a vector, ``(n, k) @ (k) → (n)``: dA = g·bᵀ, db = Aᵀ·g.

    >>> import minigrad as mg
    >>> mg.mv(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), mg.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    _check_tensors("mv", a, b)
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    if a.shape[1] != b.shape[0]:
        n, k = a.shape
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{k}), vec ({b.shape[0]})")
    if a.dtype != b.dtype:
        first, second = of(a.dtype).title, of(b.dtype).title
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {second}, {first}, and {second}")
    return np.matmul(a, b)


mv.grads(a=lambda g, b: _outer(g, b), b=lambda g, a: mv.apply(a.mT, g))


def _outer(g: Any, b: Any) -> Any:
    return outer_product.apply(g, b)


@op(label="⊗")
def outer_product(a: Array, b: Array, /) -> Array:
    """``out[i, j] = a[i] * b[j]``, which the derivative of ``mv`` needs.

    >>> import minigrad as mg
    >>> from minigrad.ops.matmul import outer_product
    >>> outer_product(mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return np.multiply.outer(a, b)


outer_product.grads(a=lambda g, b: mv.apply(g, b), b=lambda g, a: mv.apply(g.mT, a))


@op(label="·", unpacks=("a", "b"))
def dot(a: Array, b: Array, /) -> Array:
    """The sum of the products of two vectors' elements.

    >>> import minigrad as mg
    >>> mg.dot(mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    _check_tensors("dot", a, b)
    refuse_bools("dot", a)
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {of(a.dtype).title} and {of(b.dtype).title}"
        )
    if a.size != b.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got "
            f"{a.size} and {b.size} elements respectively"
        )
    return np.dot(a, b) + a.dtype.type(0)  # from a zero on, so that it is never -0.0


dot.grads(a=lambda g, b: g * b, b=lambda g, a: g * a)


@op(label="·", holomorphic=False)
def vdot(a: Array, b: Array, /) -> Array:
    """``dot`` with the conjugate of ``a``: the inner product of complex vectors.

    >>> import minigrad as mg
    >>> mg.vdot(mg.tensor([1j]), mg.tensor([1j]))
    tensor(1.+0.j)
    """
    return np.asarray(dot.forward(np.conjugate(a), b))


vdot.grads(a=lambda g, b: conj(g) * b, b=lambda g, a: g * a)


@op(label="@", exact=True)
def bmm(a: Array, b: Array, /) -> Array:
    """The products of two batches of matrices, ``(b, n, k) @ (b, k, m) → (b, n, m)``.

    >>> import minigrad as mg
    >>> mg.bmm(mg.ones(2, 1, 3), mg.ones(2, 3, 1)).shape
    minigrad.Size([2, 1, 1])
    """
    _check_bmm(a, b)
    return np.matmul(a, b)


bmm.grads(
    a=lambda g, b: bmm.apply(g, b.mT),
    b=lambda g, a: bmm.apply(a.mT, g),
)


def _check_tensors(name: str, *arrays: Any) -> None:
    for i, each in enumerate(arrays):
        if not isinstance(each, ndarray):
            raise TypeError(f"{name}(): argument {i + 1} must be Tensor, not {type(each).__name__}")


def _check_mm(a: Array, b: Array) -> None:
    _check_tensors("mm", a, b)
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        (n, k), (k2, m) = a.shape, b.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {of(a.dtype).name} != {of(b.dtype).name}; convert "
            f"one of them, "
            "as in x.to(y.dtype)"
        )


def _check_bmm(a: Array, b: Array) -> None:
    _check_tensors("bmm", a, b)
    if a.ndim != 3 or b.ndim != 3:
        raise RuntimeError(f"batch{1 if a.ndim != 3 else 2} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {of(a.dtype).title} but found {of(b.dtype).title}")


# --- products that are added to something ---------------------------------------------------------------------------


def _added(a: Array, product: Array, beta: float, alpha: float) -> Array:
    """``beta * a + alpha * product``, into the product's memory; with ``beta = 0`` not even a NaN of ``a`` counts."""
    if product.dtype.kind != "f" and product.dtype.kind != "c":
        return _added_whole(a, product, beta, alpha)
    if alpha != 1:
        product *= alpha
    try:
        if beta == 0:
            np.broadcast_to(a, product.shape)
            return product
        return np.add(product, a if beta == 1 else a * beta, out=product)
    except ValueError:
        viewing.expanded_shape(a, product.shape)
        raise


def _added_whole(a: Array, product: Array, beta: float, alpha: float) -> Array:
    """The same for whole numbers, whose factors are whole too; for truth values "and" multiplies and "or" adds."""
    kind = product.dtype.type
    viewing.expanded_shape(a, product.shape)
    return np.asarray(product * kind(alpha) + (a * kind(beta) if beta else kind(0)))


def _as_type_of(g: Any, value: Any) -> Any:
    """``value`` in the type of ``g``, in which a product of mixed types was computed."""
    kind, other = (x.array.dtype if isinstance(x, TensorBase) else x.dtype for x in (g, value))
    return value if kind == other else cast.apply(value, kind)


def _times(g: Any, factor: float) -> Any:
    return g if factor == 1 else g * factor


@op(label="@ +")
def addmm(a: Array, b: Array, c: Array, /, beta: float = 1, alpha: float = 1, turned: bool = False) -> Array:
    """``beta * a + alpha * (b @ c)`` for matrices ``b`` and ``c``; ``a`` broadcasts.

    ``turned`` says that ``c`` is another matrix transposed: its gradient is then laid out in memory as that one is.

    >>> import minigrad as mg
    >>> mg.addmm(mg.tensor([1.0]), mg.tensor([[1.0, 2.0]]), mg.tensor([[3.0], [4.0]]))
    tensor([[12.]])
    """
    is_linear = turned and beta == 1 == alpha and a.shape == c.shape[1:] and a.dtype is b.dtype
    if is_linear and _quicker_turned(b, c):
        return np.add(np.matmul(c.T, b.T).T, a, order="C")  # which turns it back in passing
    product = mm.forward(b, c)
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {of(a.dtype).title} and {of(b.dtype).title}"
        )
    return _added(a, product, beta, alpha)


addmm.grads(
    a=lambda g, beta: _times(g, beta),
    b=lambda g, c, alpha: _times(mm.apply(g, c.mT), alpha),
    c=lambda g, b, alpha, turned: _times(mm.apply(g.mT, b).mT if turned else mm.apply(b.mT, g), alpha),
)


@op(label="@ +")
def addmv(a: Array, b: Array, c: Array, /, beta: float = 1, alpha: float = 1) -> Array:
    """``beta * a + alpha * (b @ c)`` for a matrix ``b`` and a vector ``c``.

    >>> import minigrad as mg
    >>> mg.addmv(mg.ones(1), mg.tensor([[1.0, 2.0]]), mg.tensor([3.0, 4.0]))
    tensor([12.])
    """
    return _added(a, mv.forward(b, c), beta, alpha)


addmv.grads(
    a=lambda g, beta: _times(g, beta),
    b=lambda g, c, alpha: _times(outer_product.apply(g, c), alpha),
    c=lambda g, b, alpha: _times(mv.apply(b.mT, g), alpha),
)


@op(label="⊗ +", promotes="result")
def addr(a: Array, b: Array, c: Array, /, beta: float = 1, alpha: float = 1) -> Array:
    """``beta * a + alpha * b ⊗ c`` for vectors ``b`` and ``c``.

    >>> import minigrad as mg
    >>> mg.addr(mg.zeros(1, 2), mg.tensor([2.0]), mg.tensor([3.0, 4.0]))
    tensor([[6., 8.]])
    """
    if b.ndim != 1 or c.ndim != 1:
        raise RuntimeError(
            f"addr: Expected 1-D argument vec{1 if b.ndim != 1 else 2}, but got {(b if b.ndim != 1 else c).ndim}-D"
        )
    return _added(a, np.multiply.outer(b, c), beta, alpha)


addr.grads(
    a=lambda g, beta: _times(g, beta),
    b=lambda g, c, alpha: _times(mv.apply(g, _as_type_of(g, c)), alpha),
    c=lambda g, b, alpha: _times(mv.apply(g.mT, _as_type_of(g, b)), alpha),
)


@op(label="@ +")
def baddbmm(a: Array, b: Array, c: Array, /, beta: float = 1, alpha: float = 1) -> Array:
    """``beta * a + alpha * (b @ c)`` for batches of matrices ``b`` and ``c``.

    >>> import minigrad as mg
    >>> mg.baddbmm(mg.ones(1), mg.ones(2, 1, 3), mg.ones(2, 3, 1)).shape
    minigrad.Size([2, 1, 1])
    """
    return _added(a, bmm.forward(b, c), beta, alpha)


baddbmm.grads(
    a=lambda g, beta: _times(g, beta),
    b=lambda g, c, alpha: _times(bmm.apply(g, c.mT), alpha),
    c=lambda g, b, alpha: _times(bmm.apply(b.mT, g), alpha),
)


@op(label="Σ @ +")
def addbmm(a: Array, b: Array, c: Array, /, beta: float = 1, alpha: float = 1) -> Array:
    """``beta * a + alpha * Σᵢ b[i] @ c[i]`` for batches of matrices ``b`` and ``c``.

    >>> import minigrad as mg
    >>> mg.addbmm(mg.zeros(1), mg.ones(2, 1, 3), mg.ones(2, 3, 1))
    tensor([[6.]])
    """
    return _added(a, bmm.forward(b, c).sum(axis=0), beta, alpha)


def _batched(g: Any, count: int) -> Any:
    return expand.apply(unsqueeze.apply(g, 0), (count, *g.shape))


addbmm.grads(
    a=lambda g, beta: _times(g, beta),
    b=lambda g, c, alpha: _times(bmm.apply(_batched(g, c.shape[0]), c.mT), alpha),
    c=lambda g, b, alpha: _times(bmm.apply(b.mT, _batched(g, b.shape[0])), alpha),
)


# --- any shapes -----------------------------------------------------------------------------------------------------


def matmul(input: Any, other: Any) -> Any:
    """The matrix product: of vectors a number, of matrices a matrix, of anything with more dimensions a batch of
    matrices.

    Leading dimensions broadcast; a vector on the left counts as a row, on the right as a column. Raises RuntimeError
    for a 0-dim
    operand, shapes that do not fit, or types that differ.

    >>> import minigrad as mg
    >>> mg.matmul(mg.ones(4, 2, 3), mg.ones(3)).shape
    minigrad.Size([4, 2])
    """
    if isinstance(input, TensorBase) and isinstance(other, TensorBase) and input.array.ndim == 2 == other.array.ndim:
        return mm.apply(input, other)
    if type(input) is ndarray and type(other) is ndarray:
        return np.matmul(input, other)
    _check_tensors("matmul", *(x.array if isinstance(x, TensorBase) else x for x in (input, other)))
    rows, columns = input.array.ndim, other.array.ndim
    if not rows or not columns:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {rows}D and {columns}D")
    return matmul_(input, other, rows, columns)


@composite
def matmul_(a: Any, b: Any, rows: int, columns: int) -> Any:
    """What ``matmul`` is made of, for operands with a dimension at least."""
    if rows == 1 and columns == 1:
        return dot.apply(a, b)
    if rows == 2 and columns == 1:
        return mv.apply(a, b)
    if rows == 1 and columns == 2:
        return squeeze_dim_(mm.apply(unsqueeze.apply(a, 0), b), 0)
    if _foldable(a, b, rows, columns):
        return _folded(a, b) if rows >= columns else _folded_from_the_right(a, b)
    return _batched_product(a, b, rows, columns)


def _foldable(a: Any, b: Any, rows: int, columns: int) -> bool:
    """Whether the batch may be one tall matrix: when the other operand needs a gradient, or no copy is needed for
    it.
    """
    large, small = (a, b) if rows >= columns else (b, a)
    if large.array.ndim < 3 or small.array.ndim > 2:
        return False
    if small.requires_grad:
        return True
    if rows == 2:
        return False
    packed = large._view is None
    steps, lengths = _steps(large.array) if packed else list(large.array.strides), list(large.array.shape)
    if rows < columns:
        for both in (steps, lengths):
            both[-2:] = both[:-3:-1]
    return not large.array.size or all(steps[i] == steps[i + 1] * lengths[i + 1] for i in range(len(steps) - 2))


def _steps(array: Array) -> list[int]:
    """The strides, of dimensions of one element as if the array was packed: NumPy makes them anyhow, PyTorch so."""
    steps = list(array.strides)
    packed = array.itemsize
    for axis in reversed(range(array.ndim)):
        steps[axis] = packed if array.shape[axis] == 1 else steps[axis]
        packed = steps[axis] * array.shape[axis]
    return steps


def _folded(a: Any, b: Any) -> Any:
    *lead, depth = a.array.shape
    tall = reshape_to(a, (math.prod(lead), depth))
    if b.array.ndim == 1:
        return unsafe_view.apply(mv.apply(tall, b), tuple(lead))
    return unsafe_view.apply(mm.apply(tall, b), (*lead, b.array.shape[1]))


def _folded_from_the_right(a: Any, b: Any) -> Any:
    turned = transpose.apply(b, -2, -1)
    if a.array.ndim == 1:
        return _folded(turned, a)
    out = transpose.apply(_folded(turned, t.apply(a)), -2, -1)
    return out if out.array.flags.c_contiguous else contiguous_copy.apply(out)


def _batched_product(a: Any, b: Any, rows: int, columns: int) -> Any:
    """Both operands expanded to the same batch, and multiplied matrix by matrix."""
    if rows == columns == 3 and a.array.shape[0] != b.array.shape[0]:
        if a.array.shape[0] == 1 and a.requires_grad:
            return matmul(viewing.squeeze_dim.apply(a, 0), b)
        if b.array.shape[0] == 1 and b.requires_grad:
            return matmul(a, viewing.squeeze_dim.apply(b, 0))
    lead = _meeting(a.array.shape[:-2], b.array.shape[:-2])
    matrix = (a.array.shape[-2] if rows > 1 else 1, a.array.shape[-1])
    left = _as_batch(a, lead, matrix)
    if columns == 1:
        right = unsqueeze.apply(_as_batch(b, lead, b.array.shape), 2)
        product = viewing.squeeze_dim.apply(bmm.apply(left, right), -1)
        return unsafe_view.apply(product, (*lead, matrix[0]))
    right = _as_batch(b, lead, b.array.shape[-2:])
    shape = (*lead, *((matrix[0],) if rows > 1 else ()), b.array.shape[-1])
    return unsafe_view.apply(bmm.apply(left, right), shape)


def _as_batch(tensor: Any, lead: Shape, matrix: Shape) -> Any:
    return reshape_to(expand.apply(tensor, (*lead, *matrix)), (math.prod(lead), *matrix))


def _meeting(a: Shape, b: Shape) -> Shape:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError as error:
        raise do_not_meet(a, b) or error from None


@composite
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """``input @ weightᵀ + bias``, along the last dimension of ``input``; ``weight`` is (out, in) or (in).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.linear(mg.tensor([[1.0, 2.0]]), mg.tensor([[3.0, 4.0]]), mg.tensor([0.5]))
    tensor([[11.5000]])
    """
    turned = t.apply(weight)
    if bias is None:
        return matmul(input, turned)
    array = input.array
    if array.ndim == 2:
        return addmm.apply(bias, input, turned, 1, 1, True)
    if array.flags.c_contiguous and array.ndim and weight.array.ndim == 2:
        *lead, depth = array.shape
        out = addmm.apply(bias, view.apply(input, (math.prod(lead), depth)), turned, 1, 1, True)
        return view.apply(out, (*lead, weight.array.shape[0]))
    return add_pair.inplace(matmul(input, turned), bias)


@composite
def outer(input: Any, vec2: Any) -> Any:
    """``out[i, j] = input[i] * vec2[j]``.

    >>> import minigrad as mg
    >>> mg.outer(mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for name, each in (("self", input), ("vec2", vec2)):
        if each.array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.array.ndim}-D")
    return mul.apply(reshape_to(input, (input.array.size, 1)), vec2)


ger = outer


class MatmulMethods:
    """Products, as methods and the operator ``@``."""

    __slots__ = ()

    mm = mm.apply
    mv = mv.apply
    bmm = bmm.apply
    dot, vdot = dot.apply, vdot.apply
    matmul = matmul
    outer = ger = outer

    def __matmul__(self: Any, other: Any) -> Any:
        if not isinstance(other, TensorBase):
            return NotImplemented
        return mm.apply(self, other) if self.array.ndim == 2 == other.array.ndim else matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(other, self) if isinstance(other, TensorBase) else NotImplemented

    def addmm(self, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        """``beta * self + alpha * (mat1 @ mat2)``."""
        return addmm.apply(self, mat1, mat2, beta, alpha, False)

    def addmv(self, mat: Any, vec: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        """``beta * self + alpha * (mat @ vec)``."""
        return addmv.apply(self, mat, vec, beta, alpha)

    def addr(self, vec1: Any, vec2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        """``beta * self + alpha * vec1 ⊗ vec2``."""
        return addr.apply(self, vec1, vec2, beta, alpha)

    def baddbmm(self, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        """``beta * self + alpha * (batch1 @ batch2)``, batch by batch."""
        return baddbmm.apply(self, batch1, batch2, beta, alpha)

    def addbmm(self, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        """``beta * self + alpha * Σᵢ batch1[i] @ batch2[i]``."""
        return addbmm.apply(self, batch1, batch2, beta, alpha)
