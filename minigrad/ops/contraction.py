"""Sums of products over named or numbered dimensions: einsum, tensordot, kron, cross."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.arithmetic import mul
from minigrad.ops.dims import Shape, wrap_dim, wrap_dims
from minigrad.ops.matmul import mm
from minigrad.ops.reduction import sum
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.viewing import diagonal, expand, permute, unsafe_view, unsqueeze

__all__ = ["cross", "einsum", "kron", "tensordot"]


@op(label="einsum", name="einsum", backward="EinsumBackward0", saves_others=True)
def contracted(*operands: Array, inputs: tuple[str, ...], output: str) -> Array:
    """The sum over all dimensions whose letter is not in ``output``, of the product of ``operands``.

    No letter is twice in one operand. The gradient of an operand is the contraction of g with the others.

    >>> import minigrad as mg
    >>> mg.einsum("i,i->", mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    with np.errstate(all="ignore"):
        out = np.einsum(f"{','.join(inputs)}->{output}", *operands, optimize=len(operands) > 1)
    return np.array(out, order="C")


def _contraction_rule(
    g: Any, operands: Sequence[Any], operands_shape: Sequence[Shape], inputs: tuple[str, ...], output: str, needs: Any
) -> list[Any]:
    return [
        _to_operand(g, i, operands, operands_shape[i], inputs, output) if needed else None
        for i, needed in enumerate(needs)
    ]


def _to_operand(g: Any, place: int, operands: Sequence[Any], shape: Shape, inputs: tuple[str, ...], output: str) -> Any:
    """The gradient of one operand; along dimensions that only it has, every element has the same."""
    others = [i for i in range(len(operands)) if i != place]
    letters = inputs[place]
    known = {*output, *(letter for i in others for letter in inputs[i])}
    wanted = "".join(letter for letter in letters if letter in known)
    part = contracted(g, *(operands[i] for i in others), inputs=(output, *(inputs[i] for i in others)), output=wanted)
    if wanted == letters:
        return part
    for axis, letter in enumerate(letters):
        if letter not in known:
            part = unsqueeze.apply(part, axis)
    lengths = [m if letter not in known else n for letter, n, m in zip(letters, part.shape, shape, strict=True)]
    return expand.apply(part, tuple(lengths))


contracted.grads_together(_contraction_rule)


@composite
def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products by Einstein's convention: ``"ij,jk->ik"`` is the product of matrices; ``...`` stands for the
    other dimensions.

    A letter twice in one operand takes its diagonal; without ``->`` the letters that are there once remain, in
    alphabetical order.
    Raises RuntimeError for an equation that does not fit the operands.

    >>> import minigrad as mg
    >>> mg.einsum("ij->j", mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([4., 6.])
    """
    tensors = list(operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands)
    inputs, output = _read(equation, [each.array.ndim for each in tensors])
    for place, letters in enumerate(inputs):
        tensors[place], inputs[place] = _without_repeats(tensors[place], letters)
    _check_lengths(tensors, inputs)
    unknown = sorted(set(output) - set("".join(inputs)))
    if unknown:
        raise RuntimeError(
            f"einsum(): output subscript {unknown[0]} does not appear in the equation for any input operand"
        )
    if len(tensors) == 1 and len(output) == len(inputs[0]):
        return permute.apply(tensors[0], tuple(inputs[0].index(letter) for letter in output))
    return contracted(*tensors, inputs=tuple(inputs), output=output)


def _read(equation: str, ndims: list[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with letters in the place of ``...``."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        more = "more" if len(parts) > len(ndims) else "fewer"
        raise RuntimeError(
            f"einsum(): {more} operands were provided in the equation than were given: {len(parts)} and {len(ndims)}"
        )
    free = [letter for letter in string.ascii_letters if letter not in equation]
    hidden = [n - len(part.replace("...", "")) if "..." in part else 0 for part, n in zip(parts, ndims, strict=True)]
    widest = max(hidden, default=0)
    dots = "".join(free[:widest])
    inputs = [part.replace("...", dots[widest - count :]) for part, count in zip(parts, hidden, strict=True)]
    for place, (letters, n) in enumerate(zip(inputs, ndims, strict=True)):
        if len(letters) != n:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(letters)}) does not match the number of "
                f"dimensions ({n}) "
                f"for operand {place}" + ("" if "..." in parts[place] else " and no ellipsis was given")
            )
    if arrow:
        return inputs, right.replace("...", dots)
    once = sorted(
        letter for letter in set("".join(inputs)) if "".join(inputs).count(letter) == 1 and letter not in dots
    )
    return inputs, dots + "".join(once)


def _without_repeats(tensor: Any, letters: str) -> tuple[Any, str]:
    for letter in letters:
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            a, b = tensor.array.shape[first], tensor.array.shape[second]
            if a != b:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand but the sizes don't match, {b} != {a}"
                )
            tensor = diagonal.apply(tensor, 0, first, second)
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    return tensor, letters


def _check_lengths(tensors: list[Any], inputs: list[str]) -> None:
    lengths: dict[str, int] = {}
    for place, (tensor, letters) in enumerate(zip(tensors, inputs, strict=True)):
        for letter, length in zip(letters, tensor.array.shape, strict=True):
            before = lengths.setdefault(letter, length)
            if before == 1:
                lengths[letter] = length
            elif length not in (1, before):
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {length} for operand {place} which does not broadcast "
                    f"with previously "
                    f"seen size {before}"
                )


@composite
def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """The sum of products over ``dims``: the last ones of ``a`` with the first ones of ``b``, or a pair of lists of
    dimensions.

    >>> import minigrad as mg
    >>> mg.tensordot(mg.ones(2, 3), mg.ones(3, 4), 1).shape
    minigrad.Size([2, 4])
    """
    over_a, over_b = _paired(a, b, dims)
    for i, j in zip(over_a, over_b, strict=True):
        if a.array.shape[i] != b.array.shape[j]:
            a = sum(a, i, True) if b.array.shape[j] == 1 else a
            b = sum(b, j, True) if a.array.shape[i] == 1 else b
    kept_a = [dim for dim in range(a.array.ndim) if dim not in over_a]
    kept_b = [dim for dim in range(b.array.ndim) if dim not in over_b]
    shape = (*(a.array.shape[dim] for dim in kept_a), *(b.array.shape[dim] for dim in kept_b))
    depth = int(np.prod([a.array.shape[dim] for dim in over_a], dtype=np.int64))
    left = reshape(permute.apply(a, (*kept_a, *over_a)), (a.array.size // depth if depth else 0, depth))
    right = reshape(permute.apply(b, (*over_b, *kept_b)), (depth, b.array.size // depth if depth else 0))
    return reshape(mm.apply(left, right), shape)


def _paired(a: Any, b: Any, dims: Any) -> tuple[Shape, Shape]:
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        return tuple(range(a.array.ndim - dims, a.array.ndim)), tuple(range(dims))
    first, second = dims
    over_a, over_b = wrap_dims(first, a.array.ndim), wrap_dims(second, b.array.ndim)
    if len(over_a) != len(over_b):
        raise RuntimeError("both dimension lists should have same length")
    for i, j in zip(over_a, over_b, strict=True):
        lengths = {a.array.shape[i], b.array.shape[j]}
        if len(lengths - {1}) > 1:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.array.shape[i]} in dim {i} and second "
                f"has size "
                f"{b.array.shape[j]} in dim {j}"
            )
    return over_a, over_b


@composite
def kron(input: Any, other: Any) -> Any:
    """The Kronecker product: every element of ``input`` times the whole of ``other``, as one matrix.

    >>> import minigrad as mg
    >>> mg.kron(mg.tensor([1.0, 10.0]), mg.tensor([1.0, 2.0]))
    tensor([ 1.,  2., 10., 20.])
    """
    ndim = max(input.array.ndim, other.array.ndim)
    a, b = ((1,) * (ndim - each.array.ndim) + each.array.shape for each in (input, other))
    left = unsafe_view.apply(input, tuple(n for length in a for n in (length, 1)))
    right = unsafe_view.apply(other, tuple(n for length in b for n in (1, length)))
    return unsafe_view.apply(mul.apply(left, right), tuple(n * m for n, m in zip(a, b, strict=True)))


@op(label="a×b", name="linalg_cross", backward="LinalgCrossBackward0", promotes="result")
def crossed(a: Array, b: Array, /, dim: int) -> Array:
    """The vector product of vectors of three elements along ``dim``: dA = b×g, dB = g×a.

    >>> import minigrad as mg
    >>> mg.linalg.cross(mg.tensor([1.0, 0.0, 0.0]), mg.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    with np.errstate(all="ignore"):
        return np.cross(a, b, axis=dim)


crossed.grads(a=lambda g, b, dim: crossed.apply(b, g, dim), b=lambda g, a, dim: crossed.apply(g, a, dim))


def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The vector product along ``dim``, which has three elements; by default the first dimension that has.

    >>> import minigrad as mg
    >>> mg.cross(mg.tensor([1.0, 0.0, 0.0]), mg.tensor([0.0, 1.0, 0.0]), dim=0)
    tensor([0., 0., 1.])
    """
    if input.array.ndim != other.array.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    shape = input.array.shape
    if dim is None:
        dim = next((i for i, n in enumerate(shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    axis = wrap_dim(dim, len(shape))
    if shape[axis] != 3 or other.array.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {axis} must have length 3. Got {shape[axis]} and {other.array.shape[axis]}"
        )
    return crossed.apply(input, other, axis - len(shape))


class ContractionMethods:
    """Products, as methods of ``Tensor``."""

    __slots__ = ()

    kron, cross = kron, cross
