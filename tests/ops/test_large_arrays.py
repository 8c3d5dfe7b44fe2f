"""What large arrays take another way for: the same numbers come of it as of small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.nn import functional as F
from minigrad.ops.matmul import _quicker_turned
from minigrad.ops.places import add_at, add_rows
from minigrad.ops.selecting import chosen, passed

COUNT, PART = 40_000, 400
"""More numbers than fit in a block, and few enough for nothing to be done in blocks."""

FORMULAS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda a: a.relu(),
    "gelu": lambda a: F.gelu(a),
    "gelu by tanh": lambda a: F.gelu(a, approximate="tanh"),
    "silu": lambda a: F.silu(a),
    "mish": lambda a: F.mish(a),
    "elu": lambda a: F.elu(a, 0.5),
    "celu": lambda a: F.celu(a, 0.5),
    "softplus": lambda a: F.softplus(a, 2.0, 3.0),
    "leaky relu": lambda a: F.leaky_relu(a, 0.1),
    "leaky relu, steep": lambda a: F.leaky_relu(a, 3.0),
    "clamp": lambda a: a.clamp(-0.5, 0.5),
    "where": lambda a: mg.where(a > 0, a, a * 2),
    "where else 0": lambda a: mg.where(a > 0, a, 0.0),
    "erf": lambda a: a.erf(),
}


def numbers(kind: mg.dtype) -> Any:
    made = np.random.default_rng(5).standard_normal(COUNT) * 3
    made[:6] = [0.0, -0.0, np.inf, -np.inf, 1e-7, -1e-7]
    return mg.tensor(made, dtype=kind)


def value_and_slope(formula: Callable[[Any], Any], a: Any) -> tuple[Any, Any]:
    leaf = a.clone().requires_grad_()
    out = formula(leaf)
    out.backward(mg.ones_like(out))
    return out.detach().numpy(), leaf.grad.numpy()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", [mg.float32, mg.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gives_the_same_for_many_numbers_as_for_few(name: str, kind: mg.dtype) -> None:
    formula, whole = FORMULAS[name], numbers(kind)
    found = value_and_slope(formula, whole)
    parts = [value_and_slope(formula, whole[start : start + PART]) for start in range(0, COUNT, PART)]
    value, slope = map(np.concatenate, zip(*parts, strict=True))
    eps = mg.finfo(kind).eps
    np.testing.assert_allclose(found[0], value, rtol=16 * eps, atol=0)
    np.testing.assert_allclose(found[1], slope, rtol=16 * eps, atol=2 * eps)  # a slope may be what is left of two


PRODUCTS = [(2, 16, 1024), (8, 64, 256), (64, 784, 256), (64, 784, 40), (65, 784, 256), (16, 100, 256), (3, 5, 4)]
"""Rows, depth and columns: those of the first three are few, many and more."""


@pytest.mark.parametrize("shape", PRODUCTS, ids="{0[0]}x{0[1]}x{0[2]}".format)
@pytest.mark.parametrize("kind", [mg.float32, mg.float64], ids=["float32", "float64"])
def test_a_product_with_a_turned_matrix_is_exact_and_lies_row_by_row(
    shape: tuple[int, int, int], kind: mg.dtype
) -> None:
    rows, depth, columns = shape
    whole = np.random.default_rng(6).integers(-9, 10, (rows + columns + 1, depth))  # sums of these are exact
    a, w, shift = whole[:rows], whole[rows:-1], np.arange(columns)
    x, weight, bias = (mg.tensor(each, dtype=kind) for each in (a, w, shift))
    assert _quicker_turned(x.array, weight.array.T) == (shape in PRODUCTS[:3] and kind is mg.float32)
    for found, expected in (
        (x @ weight.T, a @ w.T),
        (F.linear(x, weight), a @ w.T),
        (F.linear(x, weight, bias), a @ w.T + shift),
        (F.linear(x, weight, bias[:1]), a @ w.T + shift[0]),
        (F.linear(x[:, ::2], weight[:, ::2], bias), a[:, ::2] @ w[:, ::2].T + shift),
    ):
        np.testing.assert_array_equal(found.numpy(), expected)
        assert found.is_contiguous()


def test_a_large_product_that_does_not_fit_is_refused_as_a_small_one_is() -> None:
    x, weight = mg.ones(64, 784), mg.ones(256, 783)
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(64x784 and 783x256\)"):
        x @ weight.T
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(64x784 and 783x256\)"):
        F.linear(x, weight, mg.ones(256))
    with pytest.raises(RuntimeError, match="same dtype"):
        F.linear(mg.ones(64, 784), mg.ones(256, 784), mg.ones(256, dtype=mg.float64))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_choosing_by_a_mask_is_where_also_of_what_is_no_number(kind: type) -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 10_000)).astype(kind)
    a[::3] = np.nan
    mask = np.random.default_rng(2).random(10_000) > 0.5
    np.testing.assert_array_equal(chosen(mask, a, b), np.where(mask, a, b))
    np.testing.assert_array_equal(chosen(mask, a, 0), np.where(mask, a, 0))
    np.testing.assert_array_equal(chosen(mask, 0, a), np.where(mask, 0, a))
    np.testing.assert_array_equal(passed(a, mask), np.where(mask, a, 0))


@pytest.mark.parametrize("length", [1, 7, 600])
def test_rows_are_added_repeats_included_also_counted_from_the_end(length: int) -> None:
    index = np.array([3, 0, -1, 3, 3])
    rows = np.random.default_rng(3).standard_normal((5, length))
    expected = np.zeros((4, length))
    np.add.at(expected, index, rows)
    out = np.zeros((4, length))
    add_rows(out, index, rows)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


@pytest.mark.parametrize(
    "places",
    [
        (np.array([[2, 0], [2, -1]]),),
        (np.array([1, 1, 2]), np.array([0, 0, 3])),
        (np.array([1, -1, 2]), np.array([0, 0, -3])),
        (slice(None), np.array([1, 1])),
    ],
    ids=["one", "two", "from the end", "behind a slice"],
)
def test_values_are_added_at_places_as_numpy_adds_them(places: tuple[Any, ...]) -> None:
    expected, out = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
    values = np.random.default_rng(4).standard_normal(out[places].shape)
    np.add.at(expected, places, values)
    add_at(out, places, values)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_adding_at_a_place_that_is_not_there_writes_nothing() -> None:
    out = np.zeros((3, 2))
    with pytest.raises(IndexError, match="out of bounds"):
        add_at(out, (np.array([0, 3]),), np.ones((2, 2)))
    assert not out.any()
