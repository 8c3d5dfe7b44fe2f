"""Rows of a table looked up by number, and numbers as rows of zeros with a single one."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.places import add_rows, all_within


@op(label="lookup", name="embedding", backward="EmbeddingBackward0", linear=True)
def looked_up(a: Array, indices: Array, /, padding_idx: int, scale_by_frequency: bool) -> Array:
    """Rows of the matrix ``a`` at ``indices``: the last dimension is the row.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.embedding(mg.tensor([1, 1]), mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [3., 4.]])
    """
    if indices.dtype.kind not in "iu":
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"minigrad.{dtypes.of(indices.dtype).title}Tensor instead (while checking arguments for embedding)"
        )
    if not all_within(indices, a.shape[0]):
        raise IndexError("index out of range in self")
    return a[indices]


@op(label="add rows", name="embedding_backward", backward="EmbeddingDenseBackwardBackward0", linear=True)
def added_rows(g: Array, indices: Array, /, rows: int, padding_idx: int, scale_by_frequency: bool) -> Array:
    """``rows`` rows of zeros to which each row of ``g`` was added at its index; the row ``padding_idx`` stays zero.

    >>> import minigrad as mg
    >>> from minigrad.ops.embedding import added_rows
    >>> added_rows(mg.ones(2, 1), mg.tensor([1, 1]), 2, -1, False)
    tensor([[0.],
            [2.]])
    """
    flat = indices.reshape(-1)
    values = _scaled(g.reshape(flat.size, g.shape[-1]), flat, rows, padding_idx, scale_by_frequency)
    out = np.zeros((rows, g.shape[-1]), g.dtype)
    add_rows(out, flat, values)
    return out


def _scaled(values: Array, flat: Array, rows: int, padding_idx: int, scale_by_frequency: bool) -> Array:
    """Each row's share: none for padding, and with ``scale_by_frequency`` less for an index that is often named."""
    if scale_by_frequency:
        counts = np.bincount(flat, minlength=rows)
        values = values / counts[flat][:, None].astype(values.dtype)
    if padding_idx >= 0:
        values = np.where((flat == padding_idx)[:, None], values.dtype.type(0), values)
    return values


looked_up.grads(
    a=lambda g, indices, a_shape, padding_idx, scale_by_frequency: added_rows.apply(
        g, indices, a_shape[0], padding_idx, scale_by_frequency
    )
)


@op(label="lookup", name="embedding", backward="EmbeddingBackward0", linear=True)
def looked_up_scaled(h: Array, indices: Array, /, padding_idx: int, scale_by_frequency: bool) -> Array:
    """What ``added_rows`` is the transpose of: rows at ``indices``, each with its share.

    >>> import minigrad as mg
    >>> from minigrad.ops.embedding import looked_up_scaled
    >>> looked_up_scaled(mg.tensor([[1.0], [3.0]]), mg.tensor([1, 1]), -1, True)
    tensor([[1.5000],
            [1.5000]])
    """
    flat = indices.reshape(-1)
    values = _scaled(h[flat], flat, h.shape[0], padding_idx, scale_by_frequency)
    return values.reshape(*indices.shape, h.shape[-1])


added_rows.grads(
    g=lambda h, indices, padding_idx, scale_by_frequency: looked_up_scaled.apply(
        h, indices, padding_idx, scale_by_frequency
    )
)
looked_up_scaled.grads(
    h=lambda g, indices, h_shape, padding_idx, scale_by_frequency: added_rows.apply(
        g, indices, h_shape[0], padding_idx, scale_by_frequency
    )
)


def embedding(input: Any, weight: Any, padding_idx: int | None = None, scale_grad_by_freq: bool = False) -> Any:
    """The rows of ``weight`` (rows, length) whose numbers are in ``input``; gradients of a row named twice add up.

    The row ``padding_idx`` receives no gradient. Raises IndexError for a row that is not there.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.embedding(mg.tensor([1, 0]), mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if weight.array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows = weight.array.shape[0]
    place = -1
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        place = padding_idx % rows
    return looked_up.apply(weight, input, place, scale_grad_by_freq)


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """For each whole number a row of zeros with a 1 at its place, along a new last dimension; int64.

    ``num_classes=-1`` takes the largest number's place as the last. Raises RuntimeError for a number without a place.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.one_hot(mg.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    classes = tensor.array
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not classes.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = int(classes.max()) + 1 if num_classes == -1 else num_classes
    if count < 1:
        raise RuntimeError("num_classes should be positive")
    if classes.size and classes.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((classes[..., None] == np.arange(count)).astype(np.int64))
