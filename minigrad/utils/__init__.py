"""What PyTorch offers as ``torch.utils``, as far as it is about autograd and data: checkpointing, loading, handles."""

from typing import NoReturn

from minigrad.missing import lacking
from minigrad.utils import checkpoint, data, hooks

__all__ = ["checkpoint", "data", "hooks"]


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
