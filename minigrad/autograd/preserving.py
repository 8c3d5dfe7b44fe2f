"""Setting version counters by hand, for code that writes to memory and knows that autograd need not hear of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minigrad.autograd.wrap import TensorBase

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


def _tensors(given: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    return (given,) if isinstance(given, TensorBase) else tuple(given)


def unsafe_set_version_counter(tensors: Sequence[Tensor], versions: Sequence[int]) -> None:
    """Set the versions of ``tensors``. A saved tensor may then go unnoticed when it was overwritten."""
    for tensor, version in zip(_tensors(tensors), versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version counter to a value below 0: {version}")
        tensor.version_counter.value = version


class unsafe_preserve_version_counter:  # noqa: N801 (PyTorch's name)
    """Within the block, writes to ``tensors`` count as none: their versions are put back when it ends."""

    def __init__(self, tensors: Tensor | Sequence[Tensor]) -> None:
        self.tensors = _tensors(tensors)
        self.versions = tuple(tensor._version for tensor in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        unsafe_set_version_counter(self.tensors, self.versions)
