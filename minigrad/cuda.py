"""What PyTorch offers as ``torch.cuda``, as far as a script asks whether there is one: there is none."""

from __future__ import annotations

from typing import Any, NoReturn

from minigrad.missing import lacking

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "synchronize",
]


def is_available() -> bool:
    """False.

    >>> is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no device to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no device to seed."""


def empty_cache() -> None:
    """Nothing: there is no cache."""


def synchronize(device: Any = None) -> None:
    """Raises RuntimeError: there is nothing to wait for."""
    _refuse("synchronize")


def current_device() -> int:
    """Raises RuntimeError: there is none."""
    _refuse("current_device")


def get_device_name(device: Any = None) -> str:
    """Raises RuntimeError: there is none."""
    _refuse("get_device_name")


def _refuse(what: str) -> NoReturn:
    raise RuntimeError(f"cuda.{what}: minigrad computes on the CPU only; ask cuda.is_available() first, it is False.")


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
