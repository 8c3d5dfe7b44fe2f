"""Batches hold what PyTorch's hold; a random order has each sample once, and comes again from the same seed."""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils import data
from minigrad.utils.data import DataLoader, TensorDataset

Point = namedtuple("Point", "x y")


def plain(value: Any) -> Any:
    """Tensors as lists with their type, so that two libraries can be compared."""
    if hasattr(value, "tolist"):
        return str(value.dtype).rpartition(".")[2], value.tolist()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value).__name__, [plain(one) for one in value]
    return value


@pytest.fixture
def theirs(torch: ModuleType) -> Any:
    import torch.utils.data

    return torch.utils.data


BATCHES = [
    [1, 2],
    [1.5, 2.5],
    [True, False],
    ["a", "b"],
    [(1, 2.0), (3, 4.0)],
    [[1, "a"], [2, "b"]],
    [{"x": 1, "y": [1.0, 2.0]}, {"x": 2, "y": [3.0, 4.0]}],
    [Point(1, 2), Point(3, 4)],
    [np.array([1.0, 2.0]), np.array([3.0, 4.0])],
    [np.float32(1), np.float32(2)],
    [np.int64(1), np.int64(2)],
    [(np.ones(2, np.float32), 1), (np.zeros(2, np.float32), 0)],
]


@pytest.mark.oracle
@pytest.mark.parametrize("batch", BATCHES, ids=repr)
def test_samples_are_put_together_as_pytorch_does(theirs: Any, batch: list[Any]) -> None:
    assert plain(data.default_collate(batch)) == plain(theirs.default_collate(batch))
    for sample in batch:
        assert plain(data.default_convert(sample)) == plain(theirs._utils.collate.default_convert(sample))


@pytest.mark.oracle
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 3},
        {"batch_size": 3, "drop_last": True},
        {"batch_size": None},
        {"batch_size": 2, "sampler": [4, 0, 2]},
        {"batch_sampler": [[0, 1, 2], [6], [3, 3]]},
        {"batch_size": 2, "collate_fn": len},
        {"batch_size": 100, "num_workers": 0, "pin_memory": False},
    ],
    ids=repr,
)
def test_batches_come_in_pytorchs_order(torch: ModuleType, theirs: Any, options: dict[str, Any]) -> None:
    def batches(library: Any, tools: Any) -> Any:
        loader = tools.DataLoader(tools.TensorDataset(library.arange(14.0).reshape(7, 2), library.arange(7)), **options)
        return len(loader), [plain(batch) for batch in loader], [plain(batch) for batch in loader]

    assert batches(mg, data) == batches(torch, theirs)


@pytest.mark.oracle
def test_sets_of_sets_find_the_samples_that_pytorchs_find(torch: ModuleType, theirs: Any) -> None:
    def found(library: Any, tools: Any) -> Any:
        numbers = tools.TensorDataset(library.arange(5))
        both = numbers + tools.Subset(numbers, [3, 1])
        stacked = tools.StackDataset(numbers, both if len(both) == len(numbers) else numbers)
        return (
            len(both), plain(both[5]), plain(both[-1]), plain(tools.Subset(both, [6, 0])[0]), plain(stacked[2]),
            plain(next(iter(tools.DataLoader(both, batch_size=7)))),
        )  # fmt: skip

    assert found(mg, data) == found(torch, theirs)


class Counting(data.IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(5))


def test_what_can_only_be_gone_through_comes_in_batches_too() -> None:
    loader = DataLoader(Counting() + Counting(), batch_size=4)
    assert [batch.tolist() for batch in loader] == [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4]]
    assert list(DataLoader(Counting(), batch_size=None)) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="says its order itself"):
        DataLoader(Counting(), shuffle=True)


def order(loader: DataLoader) -> list[int]:
    return [number for (batch,) in loader for number in batch.tolist()]


def test_a_shuffled_order_has_each_sample_once_and_changes_from_time_to_time() -> None:
    loader = DataLoader(
        TensorDataset(mg.arange(50)), batch_size=8, shuffle=True, generator=mg.Generator().manual_seed(1)
    )
    first, second = order(loader), order(loader)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second != list(range(50))
    again = DataLoader(
        TensorDataset(mg.arange(50)), batch_size=8, shuffle=True, generator=mg.Generator().manual_seed(1)
    )
    assert order(again) == first


def test_the_global_seed_decides_the_order_when_there_is_no_generator() -> None:
    loader = DataLoader(TensorDataset(mg.arange(50)), shuffle=True)
    mg.manual_seed(3)
    first = order(loader)
    mg.manual_seed(3)
    assert order(loader) == first


def test_random_samplers_draw_as_many_as_they_say() -> None:
    generator = mg.Generator().manual_seed(0)
    drawn = list(data.RandomSampler(range(3), num_samples=7, generator=generator))
    assert sorted(Counter(drawn).values()) == [2, 2, 3]
    assert set(data.RandomSampler(range(3), replacement=True, num_samples=60, generator=generator)) == {0, 1, 2}
    assert sorted(data.SubsetRandomSampler([5, 7, 9], generator=generator)) == [5, 7, 9]
    weighted = Counter(data.WeightedRandomSampler([0.0, 1.0, 3.0], 400, generator=generator))
    assert weighted[0] == 0
    assert 2 < weighted[2] / weighted[1] < 4.5


@pytest.mark.oracle
@pytest.mark.parametrize("lengths", [[3, 7], [0.5, 0.25, 0.25], [0.33, 0.33, 0.34], [1.0], [10]], ids=repr)
def test_a_split_has_pytorchs_lengths_and_loses_nothing(theirs: Any, lengths: list[Any]) -> None:
    parts = data.random_split(TensorDataset(mg.arange(10)), lengths)
    assert [len(part) for part in parts] == [len(part) for part in theirs.random_split(range(10), lengths)]
    assert sorted(number.item() for part in parts for (number,) in part) == list(range(10))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: TensorDataset(mg.ones(2), mg.ones(3)), r"first dimensions are \[2, 3\], and must be equal"),
        (lambda: data.random_split(range(5), [2, 2]), "Sum of input lengths does not equal the length"),
        (lambda: DataLoader([1], batch_size=0), "batch_size should be a positive integer value, but got batch_size=0"),
        (lambda: DataLoader([1], sampler=[0], shuffle=True), "sampler option is mutually exclusive with shuffle"),
        (lambda: DataLoader([1], batch_sampler=[[0]], batch_size=2), "batch_sampler option is mutually exclusive"),
        (lambda: DataLoader([1], batch_size=None, drop_last=True), "batch_size=None option disables auto-batching"),
        (lambda: DataLoader([], shuffle=True), "num_samples should be a positive integer value, but got num_samples=0"),
        (lambda: DataLoader([1], num_workers=-1), "num_workers option should be non-negative"),
        (lambda: data.ConcatDataset([]), "should not be an empty iterable"),
        (lambda: data.StackDataset(), "at least one"),
    ],
)
def test_options_that_make_no_sense_are_refused(made: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made()


def test_samples_that_are_no_data_are_refused_by_their_type() -> None:
    with pytest.raises(TypeError, match=r"found object\. Give the DataLoader a collate_fn of your own"):
        data.default_collate([object()])
    with pytest.raises(RuntimeError, match="of equal size"):
        data.default_collate([[1], [1, 2]])
    with pytest.raises(NotImplementedError, match="should implement __getitem__"):
        data.Dataset()[0]


def test_workers_are_not_needed_and_change_nothing() -> None:
    loader = DataLoader(TensorDataset(mg.arange(4)), batch_size=2, num_workers=2, persistent_workers=True)
    assert order(loader) == [0, 1, 2, 3]
    assert data.get_worker_info() is None
