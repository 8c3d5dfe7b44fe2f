"""Complex numbers: gradients by the conjugate Wirtinger convention."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda z: z.abs() ** 2, 2 * (3 + 4j)),
        (lambda z: z.real, 1.0),
        (lambda z: z.imag, 1j),
        (lambda z: (z * z).real, 2 * (3 - 4j)),
        (lambda z: z.conj().real, 1.0),
        (lambda z: (z.conj() * z).real, 2 * (3 + 4j)),
        (lambda z: z.abs(), (3 + 4j) / 5),
        (lambda z: z.angle(), 1j * (3 + 4j) / 25),
    ],
)
def test_the_gradient_of_a_real_loss_points_uphill(
    xp: ModuleType, function: Callable[[Any], Any], expected: complex
) -> None:
    z = xp.tensor(3 + 4j, dtype=xp.complex128, requires_grad=True)
    function(z).backward()
    assert z.grad.item() == pytest.approx(expected)


def test_a_complex_loss_needs_a_seed(xp: ModuleType) -> None:
    z = xp.tensor(3 + 4j, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs but got"):
        (z * 2).backward()


def test_a_real_operand_gets_a_real_gradient(xp: ModuleType) -> None:
    x = xp.tensor([1.0], dtype=xp.float64, requires_grad=True)
    z = xp.tensor([2 + 1j], dtype=xp.complex128)
    (x * z).sum().abs().backward()
    assert x.grad.dtype == xp.float64
    assert x.grad.item() == pytest.approx(5**0.5)
