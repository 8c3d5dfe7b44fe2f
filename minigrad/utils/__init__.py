"""What PyTorch offers as ``torch.utils``, as far as it is about autograd: checkpointing, and handles of hooks."""

from minigrad.utils import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
