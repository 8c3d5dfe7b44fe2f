"""What PyTorch offers as ``torch.backends``: switches of libraries that are not used here. They are taken, and do
nothing.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn

from minigrad.missing import lacking

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]


class Backend(ModuleType):
    """One library: not available; what is set on it is remembered and has no effect.

    >>> cudnn.deterministic = True
    >>> cudnn.is_available()
    False
    """

    benchmark = deterministic = enabled = allow_tf32 = False

    def __init__(self, name: str, **parts: Any) -> None:
        super().__init__(f"{__name__}.{name}")
        self.__dict__.update(parts)

    def is_available(self) -> bool:
        """False."""
        return False

    is_built = is_available


cudnn, mkl, mkldnn, mps, openmp = map(Backend, ("cudnn", "mkl", "mkldnn", "mps", "openmp"))
cuda = Backend("cuda", matmul=Backend("cuda.matmul"))


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
