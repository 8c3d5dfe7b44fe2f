"""Switches that scripts turn: where and how PyTorch computes. There is one way here, so they are taken and remembered.

Knows nothing of tensors.
"""

from __future__ import annotations

from typing import Any

from minigrad import dtypes
from minigrad.devices import CPU, device

__all__ = [
    "are_deterministic_algorithms_enabled",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "device",
    "get_default_device",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_autocast_enabled",
    "layout",
    "memory_format",
    "newaxis",
    "preserve_format",
    "set_default_tensor_type",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "strided",
    "use_deterministic_algorithms",
]

newaxis = None


class layout(str):  # noqa: N801 (PyTorch's name)
    """How elements are kept: always ``strided``."""

    __slots__ = ()


class memory_format(str):  # noqa: N801 (PyTorch's name)
    """The order of elements in memory: row by row, or with the channels of pictures last."""

    __slots__ = ()


strided = layout("strided")
contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last, channels_last_3d = memory_format("channels_last"), memory_format("channels_last_3d")
_set: dict[str, Any] = {"threads": 1, "precision": "highest", "deterministic": False}


def get_default_device() -> device:
    """The CPU.

    >>> get_default_device()
    device(type='cpu')
    """
    return CPU


def set_num_threads(int: int) -> None:
    """Remembered; how many threads NumPy's BLAS uses is said in the environment (``OPENBLAS_NUM_THREADS``)."""
    _set["threads"] = int


def get_num_threads() -> int:
    """What ``set_num_threads`` said last, of itself 1.

    >>> get_num_threads()
    1
    """
    return int(_set["threads"])


set_num_interop_threads, get_num_interop_threads = set_num_threads, get_num_threads


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remembered; all that is computed here is deterministic."""
    _set["deterministic"] = mode


def are_deterministic_algorithms_enabled() -> bool:
    """What ``use_deterministic_algorithms`` said last."""
    return bool(_set["deterministic"])


def set_float32_matmul_precision(precision: str) -> None:
    """Remembered; products of float32 are computed in float32."""
    _set["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What ``set_float32_matmul_precision`` said last, of itself "highest"."""
    return str(_set["precision"])


def set_flush_denormal(mode: bool) -> bool:
    """False: that is not supported."""
    return False


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """False: everything is computed in the type that it has."""
    return False


def set_default_tensor_type(t: Any) -> None:
    """Make the type of ``t`` (``FloatTensor``, ``DoubleTensor`` or their names) that of tensors from Python floats."""
    kinds = {"Float": dtypes.float32, "Double": dtypes.float64, "Half": dtypes.float16}
    title = (t if isinstance(t, str) else t.__name__).rpartition(".")[2].removesuffix("Tensor")
    if title not in kinds:
        raise TypeError(f"only floating-point types are supported as the default type, got {t!r}; use DoubleTensor.")
    dtypes.set_default_dtype(kinds[title])
