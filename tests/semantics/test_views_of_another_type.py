"""Complex numbers seen as pairs of real ones and the other way round: what a write does to history, and view replay."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest


def names(node: Any) -> list[str]:
    """The names along the first edges from ``node``."""
    found = []
    while node is not None:
        found.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return found


def numbers(xp: ModuleType) -> Any:
    return xp.tensor([1 + 2j, 3 - 1j, 0.5j], dtype=xp.complex128, requires_grad=True)


def close(tensor: Any, expected: list[complex]) -> bool:
    return all(abs(a - b) < 1e-9 for a, b in zip(tensor.tolist(), expected, strict=True))


def test_parts_are_views_of_the_pairs(xp: ModuleType) -> None:
    w = numbers(xp) * 1
    assert names(w.imag.grad_fn)[:3] == ["SelectBackward0", "ViewAsRealBackward0", "MulBackward0"]
    assert w.real._base is w
    assert xp.view_as_real(w).tolist() == [[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]
    assert xp.view_as_complex(xp.view_as_real(w)).tolist() == w.tolist()
    real = xp.ones(2)
    assert real.real is real


def test_a_write_to_the_pairs_is_a_write_to_the_numbers(xp: ModuleType) -> None:
    z = numbers(xp)
    w = z * 1
    pairs = xp.view_as_real(w)
    pairs.mul_(3.0)
    assert type(w.grad_fn).__name__ == "CopySlices"
    assert names(pairs.grad_fn)[:2] == ["ViewAsRealBackward0", "CopySlices"]
    (w * w.conj()).real.sum().backward()  # Σ |3z|²
    assert close(z.grad, [18 + 36j, 54 - 18j, 9j])


def test_a_write_to_the_real_part_leaves_the_imaginary_one_its_gradient(xp: ModuleType) -> None:
    z = numbers(xp)
    w = z * 1
    w.real.mul_(2.0)
    (w.real**2 + w.imag**2).sum().backward()  # Σ 4x² + y²
    assert close(z.grad, [8 + 4j, 24 - 2j, 1j])


def test_a_write_to_the_numbers_is_seen_by_the_part(xp: ModuleType) -> None:
    z = numbers(xp)
    w = z * 1
    imag = w.imag
    w.mul_(2j)
    assert names(imag.grad_fn)[:3] == ["AsStridedBackward0", "ViewAsRealBackward0", "MulBackward0"]
    (imag * imag).sum().backward()  # Σ 4x²
    assert close(z.grad, [8, 24, 0])


def test_a_write_to_complex_pairs_of_a_part_of_a_real_tensor(xp: ModuleType) -> None:
    a = xp.arange(12.0).reshape(3, 2, 2).requires_grad_()
    b = a * 1
    c = xp.view_as_complex(b.transpose(0, 1))
    c[1].mul_(2j)
    assert (names(c.grad_fn)[0], names(b.grad_fn)[0], c._base is b) == ("ViewAsComplexBackward0", "CopySlices", True)
    (b * b).sum().backward()
    assert a.grad.tolist() == [
        [[0.0, 2.0], [16.0, 24.0]],
        [[8.0, 10.0], [48.0, 56.0]],
        [[16.0, 18.0], [80.0, 88.0]],
    ]


def test_writes_through_parts_can_be_differentiated_twice(xp: ModuleType) -> None:
    def written(z: Any) -> Any:
        w = z * z
        w.imag.mul_(w.real + 1)
        w.real.sin_()
        return w

    z = numbers(xp)
    assert xp.autograd.gradcheck(written, z)
    assert xp.autograd.gradgradcheck(written, z)


def test_turning_a_view_of_the_pairs_turns_its_way_back() -> None:
    """PyTorch forgets the turn (its own tests call that a bug): its gradient is the transposed one."""
    import minigrad as mg

    z = mg.ones(2, 3, dtype=mg.complex64, requires_grad=True)
    pairs = mg.view_as_real(z * 1)
    pairs.transpose_(0, 1)
    pairs.add_(1.0)
    weights = mg.arange(12.0).view(3, 2, 2)
    pairs.backward(weights)
    assert z.grad.tolist() == mg.view_as_complex(weights).T.tolist()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (lambda xp: xp.ones(3), "last dimension of size 2"),
        (lambda xp: xp.ones(2, dtype=xp.int32), "only supported for"),
        (lambda xp: xp.ones(()), "one or more dimensions"),
        (lambda xp: xp.ones(3, 4)[:, 1:3], "storage_offset divisible by 2"),
        (lambda xp: xp.ones(2, 3).T, "last dimension with stride 1"),
        (lambda xp: xp.ones(2, 3)[:, :2], "stride divisible by 2"),
    ],
)
def test_what_cannot_be_seen_as_pairs_is_refused(xp: ModuleType, shape: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        xp.view_as_complex(shape(xp))


def test_real_numbers_have_no_pairs(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="view_as_real is only supported for complex tensors"):
        xp.view_as_real(xp.ones(2))


def test_one_of_several_views_of_the_pairs_may_not_be_written(xp: ModuleType) -> None:
    first = xp.view_as_complex(xp.ones(2, 2, 2)).unbind(0)[0]
    with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
        first += xp.rand(2, requires_grad=True)


@pytest.fixture
def replaying(xp: ModuleType) -> Iterator[ModuleType]:
    with xp.autograd._force_original_view_tracking(True):
        yield xp
    assert not xp.autograd.is_view_replay_enabled()


def test_replayed_views_lead_back_by_the_operations_that_made_them(replaying: ModuleType) -> None:
    xp = replaying
    b = xp.ones(2, 4, requires_grad=True) * 1
    v = b[0].t().view(2, 2)[1]
    b.mul_(2.0)
    assert names(v.grad_fn)[:5] == ["SelectBackward0", "ViewBackward0", "TBackward0", "SelectBackward0", "MulBackward0"]


def test_a_write_through_a_replayed_view_has_the_same_gradient(replaying: ModuleType) -> None:
    xp = replaying
    x = xp.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 1
    flat = y.view(-1)
    flat[1:4].mul_(y.detach().view(-1)[2:5].clone())
    assert names(flat.grad_fn)[:2] == ["ViewBackward0", "CopySlices"]
    (y * y).sum().backward()
    assert x.grad.tolist() == [[0.0, 8.0, 36.0], [96.0, 8.0, 10.0]]


def test_replay_can_be_switched_without_a_block(xp: ModuleType) -> None:
    def led_back() -> str:
        out = xp.ones(2, 2, requires_grad=True).clone().view(-1)
        out.add_(1.0)
        return names(out.grad_fn)[0]

    try:
        xp.autograd._force_original_view_tracking(True)
        assert (led_back(), xp.autograd.is_view_replay_enabled()) == ("ViewBackward0", True)
    finally:
        xp.autograd._force_original_view_tracking(False)
    assert (led_back(), xp.autograd.is_view_replay_enabled()) == ("AsStridedBackward0", False)


@pytest.mark.parametrize("replay", [True, False])
def test_a_view_can_be_made_of_another_base(xp: ModuleType, replay: bool) -> None:
    with xp.autograd._force_original_view_tracking(replay):
        view = xp.ones(2, 3)[:, 1:].t()[1]
    assert view._view_func(xp.arange(6.0).view(2, 3)).tolist() == [2.0, 5.0]
