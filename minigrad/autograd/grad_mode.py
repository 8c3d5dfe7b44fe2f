"""The modes of recording, under the name of PyTorch's module."""

from minigrad.autograd.modes import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from minigrad.autograd.preserving import unsafe_preserve_version_counter as _unsafe_preserve_version_counter

__all__ = [
    "_unsafe_preserve_version_counter",
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
