"""An older private name of ``vmap``, under which PyTorch's own checks and some scripts call it."""

from minigrad.autograd.batching import old_vmap as _vmap

__all__ = ["_vmap"]
