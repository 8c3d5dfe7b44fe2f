"""Special functions against mathematics, where PyTorch is less exact than we."""

from __future__ import annotations

import numpy as np
import pytest

import minigrad as mg


@pytest.mark.parametrize("order", [0, 1])
def test_bessel_functions_are_their_integral(order: int) -> None:
    places = np.linspace(-60, 60, 601)
    angles = (np.arange(400) + 0.5) * np.pi / 400
    integral = np.cos(order * angles - places[:, None] * np.sin(angles)).mean(1)
    function = mg.special.bessel_j0 if order == 0 else mg.special.bessel_j1
    np.testing.assert_allclose(function(mg.from_numpy(places)).numpy(), integral, rtol=0, atol=2e-15)


def test_the_two_kinds_of_bessel_functions_obey_their_wronskian() -> None:
    places = mg.linspace(0.05, 60, 800, dtype=mg.float64)
    special = mg.special
    left = special.bessel_j1(places) * special.bessel_y0(places) - special.bessel_j0(places) * special.bessel_y1(places)
    np.testing.assert_allclose(left.numpy(), (2 / (np.pi * places)).numpy(), rtol=2e-13)


@pytest.mark.parametrize("kind", [mg.float32, mg.float64], ids=["float32", "float64"])
def test_logarithms_and_powers_of_whole_numbers_are_whole(kind: mg.dtype) -> None:
    whole = np.arange(-30, 31)
    exponents = mg.tensor(whole, dtype=kind)
    twos, tens = (mg.tensor([float(base) ** int(i) for i in whole], dtype=kind) for base in (2, 10))
    np.testing.assert_array_equal(twos.log2().numpy(), exponents.numpy())
    np.testing.assert_array_equal(tens.log10().numpy(), exponents.numpy())
    np.testing.assert_array_equal(exponents.exp2().numpy(), twos.numpy())
    assert tens.log10().dtype is kind
    assert mg.tensor(100.0, dtype=kind).log10().item() == 2
