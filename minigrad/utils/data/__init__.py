"""What PyTorch offers as ``torch.utils.data``: sets of samples, orders to go through them, and batches.

>>> import minigrad as mg
>>> from minigrad.utils.data import DataLoader, TensorDataset
>>> inputs, targets = mg.arange(5.0), mg.arange(5)
>>> for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=2):
...     print(x.tolist(), y.tolist())
[0.0, 1.0] [0, 1]
[2.0, 3.0] [2, 3]
[4.0] [4]
"""

from typing import NoReturn

from minigrad.missing import lacking
from minigrad.utils.data.collate import default_collate, default_convert
from minigrad.utils.data.datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from minigrad.utils.data.loader import DataLoader, get_worker_info
from minigrad.utils.data.samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
