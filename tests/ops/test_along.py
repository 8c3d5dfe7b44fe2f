"""Sums and extremes along dimensions: whichever way they are found, they are the numbers, shapes and types of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minigrad.ops.along import LONGEST, largest_of, sum_of

KINDS = st.sampled_from([np.float32, np.float64, np.float16, np.int64, np.bool_, np.complex64])
SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=4).map(tuple) | st.tuples(
    st.integers(120, 140), st.integers(1, 20)
)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Arrays that lie in memory row by row, column by column, and with gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    a = (rng.standard_normal(draw(SHAPES)) * 9).astype(draw(KINDS))
    lies = draw(st.sampled_from(["rows", "columns", "gaps", "backwards"]))
    return {"rows": a, "columns": np.asfortranarray(a), "gaps": a[..., ::2], "backwards": a[::-1]}[lies]


@settings(max_examples=400, deadline=None)
@given(a=arrays(), place=st.integers(-4, 3), form=st.sampled_from(["number", "tuple", "all"]), keepdims=st.booleans())
@example(a=np.full((3, 2, 2), -0.1, np.float32), place=-1, form="number", keepdims=True)
def test_a_sum_is_numpys(a: np.ndarray, place: int, form: str, keepdims: bool) -> None:
    axis = _axis(a, place, form)
    expected = np.sum(a, axis=axis, keepdims=keepdims, dtype=a.dtype)
    found = np.asarray(sum_of(a, axis=axis, dtype=a.dtype, keepdims=keepdims))
    again = np.asarray(sum_of(a, axis=axis, keepdims=keepdims))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert again.shape == expected.shape
    tolerance = 1e-5 if a.dtype != np.float16 else 2e-2
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 9)
    if a.dtype.kind in "fc":
        np.testing.assert_allclose(again, expected, rtol=tolerance, atol=tolerance * 9)


@settings(max_examples=300, deadline=None)
@given(a=arrays(), place=st.integers(-4, 3), form=st.sampled_from(["number", "tuple", "all"]), keepdims=st.booleans())
def test_the_largest_is_numpys(a: np.ndarray, place: int, form: str, keepdims: bool) -> None:
    axis = _axis(a, place, form)
    try:
        expected = np.max(a, axis=axis, keepdims=keepdims)
    except ValueError:  # there is none
        with pytest.raises(ValueError, match="zero-size"):
            largest_of(a, axis=axis, keepdims=keepdims)
        return
    np.testing.assert_array_equal(largest_of(a, axis=axis, keepdims=keepdims), expected)


def _axis(a: np.ndarray, place: int, form: str) -> int | tuple[int, ...] | None:
    axis = place % a.ndim - (a.ndim if place < 0 else 0)
    return {"number": axis, "tuple": (axis,), "all": None}[form]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_not_finite_stays_in_its_own_row(value: float, axis: int) -> None:
    a = np.ones((200, 3), np.float32)
    a[7, 1] = value
    for found, expected in ((sum_of(a, axis), np.sum(a, axis)), (largest_of(a, axis), np.max(a, axis))):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("length", [100, LONGEST, LONGEST + 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_long_sums_are_as_accurate_as_numpys(length: int, axis: int) -> None:
    a = np.random.default_rng(0).random((length, 4) if axis == 0 else (4, length), np.float32)
    exact = a.astype(np.float64).sum(axis)
    np.testing.assert_allclose(sum_of(a, axis), exact, rtol=3e-6)
