"""Checkpointing, under the name of PyTorch's module."""

from minigrad.autograd.checkpoint import CheckpointError, checkpoint, checkpoint_sequential

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential"]
