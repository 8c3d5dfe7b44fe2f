"""Writes through the parts of a complex tensor, where nothing is recorded."""

from __future__ import annotations

import minigrad as mg


def test_a_part_of_a_constant_may_be_written_and_the_tensor_shows_it() -> None:
    z = mg.tensor([1 + 2j, 3 - 1j])
    z.real.mul_(2.0)
    assert z.tolist() == [2 + 2j, 6 - 1j]
    assert z._version == 1
