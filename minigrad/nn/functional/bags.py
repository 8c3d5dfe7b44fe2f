"""Rows of a table looked up in bags, and each bag brought to one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.modes import no_grad
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.ops.embedding import embedding as look_up
from minigrad.ops.scattering import gather
from minigrad.ops.scope import composite


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of ``weight`` (rows, length) whose numbers are in ``input``; gradients of a row named twice add up.

    The row ``padding_idx`` receives no gradient. With ``max_norm`` rows that are longer are shortened in ``weight``
    itself. ``scale_grad_by_freq`` divides gradients by how often a row is named; they are dense even if ``sparse``.
    Raises IndexError for a row that is not there.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.embedding(mg.tensor([1, 0]), mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if max_norm is not None:
        shorten(weight, input.array, max_norm, norm_type)
    return look_up(input, weight, padding_idx, scale_grad_by_freq)


def shorten(weight: Any, rows: Array, max_norm: float, norm_type: float) -> None:
    """Scale the named rows of ``weight`` in place, so that none is longer than ``max_norm``."""
    named = np.unique(rows)
    lengths = np.linalg.norm(weight.array[named], norm_type, axis=1, keepdims=True)
    factors = np.where(lengths > max_norm, max_norm / (lengths + 1e-7), 1).astype(weight.array.dtype)
    with no_grad():
        weight[wrap(named)] = wrap(weight.array[named] * factors)


@composite
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The sum, mean or largest elements of each bag of rows of ``weight``: a bag is a row of ``input``, or begins at
    each of ``offsets``.

    ``per_sample_weights`` weigh the rows of a sum. Rows ``padding_idx`` do not count. An empty bag gives zeros.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.embedding_bag(mg.tensor([[0, 1]]), mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 3.]])
    """
    flat, starts = _bags(input, offsets, include_last_offset)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    if max_norm is not None:
        shorten(weight, flat, max_norm, norm_type)
    padding = None if padding_idx is None else padding_idx % weight.array.shape[0]
    rows = look_up(wrap(flat), weight, padding, scale_grad_by_freq)
    bag = np.searchsorted(starts, np.arange(len(flat)), side="right") - 1
    counts = np.ones(len(flat), bool) if padding is None else flat != padding
    if mode == "max":
        return _largest(rows, bag, counts, len(starts))
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if not counts.all():
        rows = rows * wrap(counts[:, None].astype(rows.array.dtype))
    total = rows.new_zeros((len(starts), rows.array.shape[1])).index_add(0, wrap(bag), rows)
    if mode == "sum":
        return total
    sizes = np.maximum(np.bincount(bag[counts], minlength=len(starts)), 1)
    return total / wrap(sizes[:, None].astype(total.array.dtype))


def _bags(input: Any, offsets: Any, include_last: bool) -> tuple[Array, Array]:
    """All row numbers one after the other, and where each bag begins."""
    array = input.array
    if array.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        return array.reshape(-1), np.arange(array.shape[0]) * array.shape[1]
    if array.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {array.ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.array.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return array, offsets.array[:-1] if include_last else offsets.array


def _largest(rows: Any, bag: Array, counts: Array, bags: int) -> Any:
    """The largest elements of each bag, taken from the first row that has them; zeros for an empty bag."""
    values = rows.array
    places = np.zeros((bags, values.shape[1]), np.int64)
    full = np.zeros((bags, 1), bool)
    for number in range(bags):
        members = np.flatnonzero((bag == number) & counts)
        if len(members):
            places[number] = members[values[members].argmax(0)]
            full[number] = True
    if not len(values):
        return rows.new_zeros((bags, values.shape[1]))
    found = gather(rows, 0, wrap(places))
    return found if full.all() else found * wrap(full.astype(values.dtype))
