"""``set_`` and ``resize_`` give tensors the memory that PyTorch gives them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import minigrad as mg


def resized(library: Any, *shapes: Any) -> Any:
    tensor = library.arange(6.0)[1:]
    for shape in shapes:
        tensor.resize_(shape)
    return tensor


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "smaller": lambda library: resized(library, (2, 2)),
    "smaller and back": lambda library: resized(library, (2, 1), (5,)),
    "the same": lambda library: resized(library, (5,)),
    "0-dim": lambda library: resized(library, ()),
    "empty": lambda library: resized(library, (0, 3)),
    "like another": lambda library: library.arange(6.0).resize_as_(library.ones(3, 2)),
    "longer": lambda library: resized(library, (3, 3)).reshape(-1)[:5],
    "set": lambda library: library.empty(0).set_(library.arange(4.0)),
    "set to nothing": lambda library: library.ones(3).set_(),
    "a window": lambda library: library.empty(0).set_(library.arange(6.0), 1, (2, 2), (2, 1)),
    "a window without strides": lambda library: library.empty(0).set_(library.arange(8.0)[2:], 0, (2, 3)),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_memory_is_what_pytorchs_is(torch: ModuleType, name: str) -> None:
    ours, theirs = PROGRAMS[name](mg), PROGRAMS[name](torch)
    assert ours.tolist() == theirs.tolist()
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride() or not ours.numel()


def test_memory_that_was_taken_over_is_shared() -> None:
    source = mg.zeros(4)
    window = mg.empty(0).set_(source, 1, (2,), (2,))
    whole = mg.empty(0).set_(source.storage())
    source.add_(1)
    assert window.tolist() == [1.0, 1.0]
    assert whole.tolist() == [1.0, 1.0, 1.0, 1.0]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"need 7 elements, and the storage has 6"):
        mg.empty(0).set_(mg.arange(6.0), 2, (5,))
    with pytest.raises(RuntimeError, match=r"same type float32, got int64"):
        mg.empty(0).set_(mg.arange(6))
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        mg.ones(2, requires_grad=True).resize_(3)
