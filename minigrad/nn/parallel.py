"""``DataParallel``, for scripts that wrap their model in it: there is one device, so the model is simply called."""

from __future__ import annotations

from typing import Any, NoReturn

from minigrad.missing import lacking
from minigrad.nn.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Holds ``module``, under this name, and calls it.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> DataParallel(nn.Identity())(mg.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What ``module`` computes."""
        return self.module(*args, **kwargs)


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
