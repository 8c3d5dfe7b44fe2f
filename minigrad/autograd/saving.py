"""Saved-tensor hooks: what packs a tensor when a node saves it, and unpacks it when the node runs.

The innermost pair wins. While any is active, in any thread, operations take the general path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.meta import VersionCounter
from minigrad.autograd.regime import regime
from minigrad.autograd.wrap import wrap

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Pack = Callable[[Any], Any]
Unpack = Callable[[Any], Any]


class _SavingHooks(threading.local):
    """This thread's pairs, the innermost last, and why saving hooks are refused, if they are."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Pack, Unpack]] = []
        self.refused: str | None = None

    @property
    def active(self) -> bool:
        return bool(self.pairs)


saving_hooks = _SavingHooks()


class Packed:
    """What a pack hook made of a saved tensor, and how to get it back."""

    __slots__ = ("_counter", "is_output", "output_nr", "packed", "serial", "tensor_meta", "unpack_hook")

    def __init__(self, packed: Any, unpack_hook: Unpack, counter: VersionCounter | None) -> None:
        self.packed = packed
        self.unpack_hook = unpack_hook
        self._counter = counter


def save_packed(slot: Any, node: Any, tensor: Tensor) -> Packed:
    """Hand a tensor to the innermost pack hook. The hook may not write to it."""
    pack, unpack = saving_hooks.pairs[-1]
    given = wrap(tensor.array)
    given._counter = VersionCounter()
    packed = pack(given)
    if given._counter.value:
        raise RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place operations on the input to a pack hook.")
    return Packed(packed, unpack, tensor._counter)


class saved_tensors_hooks:  # noqa: N801 (PyTorch's name)
    """Within the block every saved tensor goes through ``pack_hook`` when saved and ``unpack_hook`` when used."""

    def __init__(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        self.pair = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if saving_hooks.refused is not None:
            raise RuntimeError(saving_hooks.refused)
        saving_hooks.pairs.append(self.pair)
        regime.enter()

    def __exit__(self, *_: object) -> None:
        saving_hooks.pairs.pop()
        regime.leave()


