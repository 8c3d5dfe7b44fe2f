"""Handles of hooks, under the name of PyTorch's module."""

from minigrad.autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
