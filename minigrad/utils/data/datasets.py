"""Sets of samples: what can be asked for one by number, or gone through once. Knows nothing of batches."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from minigrad.autograd.wrap import TensorBase
from minigrad.random import Generator, randperm

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by number. A subclass says what ``dataset[i]`` is, and in ``__len__`` how many there are."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples one after the other. A subclass says in ``__iter__`` which."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Sample ``i`` is the ``i``-th part of each tensor. Raises ValueError for tensors of different lengths.

    >>> import minigrad as mg
    >>> TensorDataset(mg.arange(3), mg.arange(3.0))[1]
    (tensor(1), tensor(1.))
    """

    def __init__(self, *tensors: Any) -> None:
        lengths = [len(tensor) for tensor in tensors]
        if len(set(lengths)) > 1:
            raise ValueError(f"Size mismatch between tensors: their first dimensions are {lengths}, and must be equal.")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class StackDataset(Dataset[Any]):
    """Sample ``i`` holds the ``i``-th of each set: a tuple, or a dictionary for sets that were given by name."""

    datasets: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset takes datasets either one after the other or by name, at least one.")
        self.datasets = args or kwargs
        if len({len(one) for one in args or kwargs.values()}) > 1:
            raise ValueError("Size mismatch between datasets: all must be equally long.")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: one[index] for name, one in self.datasets.items()}
        return tuple(one[index] for one in self.datasets)

    def __len__(self) -> int:
        return len(next(iter(self.datasets.values())) if isinstance(self.datasets, dict) else self.datasets[0])


class Subset(Dataset[T]):
    """The samples of ``dataset`` whose numbers are in ``indices``, in that order."""

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> T:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[Any]):
    """Several sets, one after the other.

    >>> import minigrad as mg
    >>> both = ConcatDataset([range(3), range(10, 12)])
    >>> len(both), both[3], both[-1]
    (5, 10, 11)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("datasets should not be an empty iterable")
        if any(isinstance(one, IterableDataset) for one in self.datasets):
            raise ValueError("ConcatDataset does not support IterableDataset; use ChainDataset.")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} samples")
        which = bisect.bisect_right(self.cumulative_sizes, place)
        return self.datasets[which][place - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Several iterable sets, one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)

    def __len__(self) -> int:
        return sum(map(len, self.datasets))


def random_split(
    dataset: Dataset[T], lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset[T]]:
    """Parts of ``dataset`` of these lengths, or these fractions that sum to 1, with samples drawn at random.

    Raises ValueError for lengths that do not add up to that of the set.

    >>> import minigrad as mg
    >>> one, other = random_split(range(10), [0.7, 0.3], mg.Generator().manual_seed(0))
    >>> len(one), len(other), sorted([*one, *other]) == list(range(10))
    (7, 3, True)
    """
    total = len(dataset)  # type: ignore[arg-type]
    counts = _counts(lengths, total)
    if sum(counts) != total:
        raise ValueError(f"Sum of input lengths does not equal the length of the input dataset: {counts} of {total}.")
    order = randperm(total, generator=generator).tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


def _counts(lengths: Sequence[int | float], total: int) -> list[int]:
    """Fractions as counts; what rounding leaves over goes to the first parts, one each."""
    lengths = [one.item() if isinstance(one, TensorBase) else one for one in lengths]
    if not (math.isclose(sum(lengths), 1) and sum(lengths) <= 1):
        return [int(one) for one in lengths]
    if any(not 0 <= one <= 1 for one in lengths):
        raise ValueError(f"a fraction of the samples is not between 0 and 1: {lengths}")
    counts = [math.floor(total * one) for one in lengths]
    for left in range(total - sum(counts)):
        counts[left % len(counts)] += 1
    return counts
