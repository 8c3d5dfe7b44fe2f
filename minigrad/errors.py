"""The errors that people search for, in PyTorch's words, with what a program may want to know as attributes.

RuntimeError
 ├── InplaceError        a saved tensor was overwritten before backward read it
 └── FreedError          backward needs what an earlier backward released
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigrad.autograd.node import Node

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def do_not_meet(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError | None:
    """PyTorch's error for two shapes that do not broadcast together; None when they do."""
    for place in range(1, min(len(a), len(b)) + 1):
        if a[-place] != b[-place] and 1 not in (a[-place], b[-place]):
            return RuntimeError(
                f"The size of tensor a ({a[-place]}) must match the size of tensor b ({b[-place]}) at non-singleton "
                f"dimension {max(len(a), len(b)) - place}"
            )
    return None


def refuse_bools(kernel: str, *arrays: Any) -> None:
    """Raise NotImplementedError if one of ``arrays`` is of bools, for which PyTorch has no such kernel."""
    if any(isinstance(x, np.ndarray) and x.dtype.kind == "b" for x in arrays):
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'; convert it with .int() first.")


def broadcasts(small: tuple[int, ...], big: tuple[int, ...]) -> bool:
    """Whether an array of shape ``small`` could have been stretched to ``big``."""
    if len(small) > len(big):
        return False
    return all(a in (1, b) for a, b in zip(reversed(small), reversed(big), strict=False))


class InplaceError(RuntimeError):
    """A saved tensor is not at the version at which ``node`` saved it in ``slot``."""

    def __init__(self, message: str, node: Node, slot: str, saved_version: int, version: int) -> None:
        super().__init__(message)
        self.node = node
        self.slot = slot
        self.saved_version = saved_version
        self.version = version


class FreedError(RuntimeError):
    """``node`` has already run, and what it had saved is gone."""

    def __init__(self, node: Node) -> None:
        super().__init__(FREED)
        self.node = node
