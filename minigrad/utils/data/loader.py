"""``DataLoader``: goes through a set of samples in batches, in this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minigrad.random import Generator
from minigrad.utils.data.collate import default_collate, default_convert
from minigrad.utils.data.datasets import IterableDataset
from minigrad.utils.data.samplers import BatchSampler, RandomSampler, SequentialSampler


class DataLoader:
    """The batches of ``dataset``, in order or with ``shuffle`` in a new random order each time.

    ``sampler`` gives another order, ``batch_sampler`` whole batches; ``collate_fn`` makes a batch of a list of samples.
    With ``batch_size=None`` samples come one by one. Samples are loaded in this process, whatever ``num_workers`` says:
    they are the same, and what loads them can be watched. ``generator`` is where the order comes from.

    Raises ValueError for options that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; everything is loaded in this process anyway")
        self.dataset = dataset
        self.num_workers = num_workers
        self.generator = generator
        self._streams = isinstance(dataset, IterableDataset)
        self._check(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last = drop_last
        self.sampler = sampler if sampler is not None else self._order(bool(shuffle))
        self.batch_sampler = batch_sampler if batch_sampler is not None else self._batches()
        self.collate_fn = collate_fn or (default_convert if self.batch_sampler is None else default_collate)

    def _check(self, batch_size: int | None, shuffle: bool | None, sampler: Any, batches: Any, drop_last: bool) -> None:
        if self._streams and (shuffle or sampler is not None or batches is not None):
            raise ValueError("an IterableDataset says its order itself: leave out shuffle, sampler and batch_sampler")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batches is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

    def _order(self, shuffle: bool) -> Iterable[Any]:
        if self._streams:
            return itertools.repeat(None)
        return RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)

    def _batches(self) -> Iterable[list[Any]] | None:
        return None if self.batch_size is None else BatchSampler(self.sampler, self.batch_size, self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        if self._streams:
            yield from map(self.collate_fn, self._streamed())
        elif self.batch_sampler is None:
            for number in self.sampler:
                yield self.collate_fn(self.dataset[number])
        else:
            for numbers in self.batch_sampler:
                yield self.collate_fn(self._samples(numbers))

    def _samples(self, numbers: list[Any]) -> Any:
        several = getattr(self.dataset, "__getitems__", None)
        return several(numbers) if several else [self.dataset[number] for number in numbers]

    def _streamed(self) -> Iterator[Any]:
        if self.batch_size is None:
            yield from self.dataset
            return
        samples = iter(self.dataset)
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        if self._streams:
            total = len(self.dataset)
            if self.batch_size is None:
                return total
            return total // self.batch_size if self.drop_last else -(-total // self.batch_size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]


def get_worker_info() -> None:
    """None: samples are loaded in this process."""
