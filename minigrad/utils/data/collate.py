"""Samples into a batch: tensors are stacked, numbers become a tensor, and what holds them keeps its shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import float64
from minigrad.ops.creation import as_tensor, tensor
from minigrad.ops.joining import stack


def default_collate(batch: Sequence[Any]) -> Any:
    """The samples of ``batch`` as one: with a new first dimension for tensors, arrays and numbers; strings as they are.

    Raises RuntimeError for samples of different lengths, TypeError for samples that are none of these.

    >>> import minigrad as mg
    >>> default_collate([{"x": mg.tensor([1.0]), "y": 2}, {"x": mg.tensor([3.0]), "y": 4}])
    {'x': tensor([[1.],
            [3.]]), 'y': tensor([2, 4])}
    """
    first = batch[0]
    if isinstance(first, TensorBase):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray | np.generic):
        return _collated_arrays(batch)
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _like(first, {key: default_collate([one[key] for one in batch]) for key in first})
    if isinstance(first, Sequence):
        return _collated_sequences(first, batch)
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first).__name__}. Give the DataLoader a collate_fn of your own."
    )


def _collated_arrays(batch: Sequence[Any]) -> Any:
    if batch[0].dtype.kind not in "biufc":
        raise TypeError(f"default_collate: an array of type {batch[0].dtype} cannot become a tensor.")
    return stack([as_tensor(np.asarray(one)) for one in batch], 0)


def _collated_sequences(first: Any, batch: Sequence[Any]) -> Any:
    if any(len(one) != len(first) for one in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [default_collate(column) for column in zip(*batch, strict=True)]
    if hasattr(first, "_fields"):
        return type(first)(*columns)
    return columns


def _like(first: Any, items: dict[Any, Any]) -> Any:
    try:
        return type(first)(items)
    except TypeError:
        return items


def default_convert(data: Any) -> Any:
    """One sample with its arrays as tensors; used where there are no batches."""
    if isinstance(data, np.ndarray) and data.dtype.kind in "biufc":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, list | tuple):
        return [default_convert(one) for one in data]
    return data
