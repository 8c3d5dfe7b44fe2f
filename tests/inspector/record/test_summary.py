"""Summaries: the same numbers as NumPy's, whatever the size, with NaN and infinity counted and left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inspector.record.summary import short_name, summarise
from inspector.trace.facts import SAMPLE, Summary
from inspector.trace.sampling import grid, spread


def summary(value: Any) -> Summary:
    found = summarise(value)
    assert found is not None
    return found


@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (8, 8), (5, 13), (40, 50)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8"])
def test_statistics_are_those_of_numpy(shape: tuple[int, ...], dtype: str) -> None:
    array = (np.random.default_rng(0).standard_normal(shape) * 20).astype(dtype)
    exact = array.astype(np.float64)
    found = summary(array)
    numbers = (found.norm, found.low, found.high, found.mean)
    expected = (np.linalg.norm(exact), exact.min(), exact.max(), exact.mean())
    assert numbers == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert (found.shape, found.nans, found.infinities) == (shape, 0, 0)
    if array.size <= SAMPLE:
        assert list(found.values) == array.ravel().tolist()
    else:
        rows, columns = grid(shape)
        assert 0.9 * SAMPLE < rows * columns <= SAMPLE
        assert found.values[0] == array.flat[0]
        assert set(found.values) <= set(array.ravel().tolist())
        assert len(found.values) == rows * columns


def test_the_sample_of_a_large_array_is_spread_over_all_of_it() -> None:
    array = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    for laid in (array, array.reshape(4, 32, 64)):
        kept = np.array(summary(laid).values)
        assert (kept // 64 // 16).reshape(8, 8).tolist() == [[row] * 8 for row in range(8)]
        assert (kept % 64 // 8).reshape(8, 8).tolist() == [list(range(8))] * 8
    turned = np.array(summary(array.T).values)
    assert (turned % 64 // 8).reshape(8, 8).tolist() == [[row] * 8 for row in range(8)]
    assert (np.array(summary(array.ravel()).values) // 128).tolist() == list(range(64))


def test_what_comes_again_and_again_is_not_always_hit_at_the_same_place() -> None:
    images = np.zeros((100, 8, 8), dtype=np.float32)
    images[:, :, 1:] = 1.0  # a margin on the left
    assert 0 < sum(summary(images.reshape(100, 64)).values) < 64


@pytest.mark.parametrize("size", [4, 5000])
def test_nan_and_infinity_are_counted_and_left_out(size: int) -> None:
    array = np.full(size, 2.0)
    array[:3] = np.nan, np.inf, -np.inf
    found = summary(array)
    assert (found.nans, found.infinities) == (1, 2)
    assert (found.low, found.high) == (2.0, 2.0)
    assert found.mean == pytest.approx(2.0)
    assert found.norm == pytest.approx(2.0 * (size - 3) ** 0.5)


@pytest.mark.parametrize("size", [3, 5000])
def test_nothing_finite_leaves_no_statistics(size: int) -> None:
    found = summary(np.full(size, np.nan))
    assert (found.norm, found.low, found.high, found.mean, found.nans) == (None, None, None, None, size)


def test_a_norm_too_large_for_the_type_is_still_right() -> None:
    array = np.full(400, 1e30, dtype=np.float32)
    assert summary(array).norm == pytest.approx(2e31)
    assert summary(np.full(400, 1e300)).norm == pytest.approx(2e301)


def test_an_empty_array_has_a_shape_and_no_numbers() -> None:
    assert summary(np.empty((0, 3))) == Summary((0, 3), "f64")


def test_truth_values_count_as_0_and_1() -> None:
    found = summary(np.array([True, False, True, True]))
    assert (found.dtype, found.low, found.high, found.mean) == ("bool", 0, 1, 0.75)
    assert summary(np.ones(1000, dtype=bool)).mean == 1.0


def test_complex_numbers_have_a_norm_and_no_order() -> None:
    found = summary(np.array([3 + 4j, complex("nan")]))
    assert (found.norm, found.low, found.high, found.mean, found.nans) == (5.0, None, None, None, 1)
    assert found.values[0] == 3 + 4j


def test_a_strided_array_is_read_in_row_major_order() -> None:
    assert list(summary(np.arange(12).reshape(3, 4).T).values) == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]


def test_the_array_is_let_go() -> None:
    array = np.arange(3.0)
    found = summary(array)
    array[0] = 9.0
    assert found.values[0] == 0.0


def test_none_stays_none() -> None:
    assert summarise(None) is None


@pytest.mark.parametrize(
    ("dtype", "short"), [("float32", "f32"), ("int64", "i64"), ("uint8", "u8"), ("bool", "bool"), ("complex64", "c64")]
)
def test_types_have_short_names(dtype: str, short: str) -> None:
    assert short_name(np.dtype(dtype)) == short


@pytest.mark.parametrize("count", [1, 8, 64])
def test_no_place_of_a_sample_is_taken_twice(count: int) -> None:
    for length in range(count, 40 * count, 7):
        places = spread(length, count)
        assert places[0] == 0
        assert sorted(set(places)) == places
        assert places[-1] < length
