"""Writes through the parts of a complex tensor: followed where nothing is recorded, refused where it is."""

from __future__ import annotations

import pytest

import minigrad as mg


def test_a_part_of_a_recorded_complex_tensor_may_not_be_written() -> None:
    z = mg.tensor([1 + 2j, 3 - 1j], requires_grad=True) * 1.0
    with pytest.raises(RuntimeError, match=r"complex\(real, imag\)"):
        z.real.mul_(2.0)
    assert z.tolist() == [1 + 2j, 3 - 1j]


def test_a_part_of_a_constant_may_be_written_and_the_tensor_shows_it() -> None:
    z = mg.tensor([1 + 2j, 3 - 1j])
    z.real.mul_(2.0)
    assert z.tolist() == [2 + 2j, 6 - 1j]
    assert z._version == 1
