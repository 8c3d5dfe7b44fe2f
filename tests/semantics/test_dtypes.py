"""Which dtype comes out: promotion, weak numbers, integers, in-place results."""

from __future__ import annotations

from types import ModuleType

import pytest


def test_floats_default_to_float32_and_integers_to_int64(xp: ModuleType) -> None:
    assert xp.tensor(1.0).dtype == xp.float32
    assert xp.tensor([1, 2]).dtype == xp.int64
    assert xp.tensor(True).dtype == xp.bool
    assert xp.ones(2).dtype == xp.zeros(2).dtype == xp.rand(2).dtype == xp.float32
    assert xp.arange(3).dtype == xp.int64
    assert xp.arange(3.0).dtype == xp.float32


def test_numpy_arrays_keep_their_dtype(xp: ModuleType) -> None:
    import numpy as np

    assert xp.tensor(np.ones(2)).dtype == xp.float64
    assert xp.from_numpy(np.ones(2, np.float32)).dtype == xp.float32


def test_from_numpy_shares_memory_and_tensor_copies(xp: ModuleType) -> None:
    import numpy as np

    array = np.zeros(2)
    shared, copied = xp.from_numpy(array), xp.tensor(array)
    array[0] = 5.0
    assert (shared.tolist(), copied.tolist()) == ([5.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("float32", "float64", "float64"),
        ("int64", "float32", "float32"),
        ("int32", "int64", "int64"),
        ("bool", "int64", "int64"),
        ("uint8", "int8", "int16"),
        ("float16", "int64", "float16"),
        ("bool", "float32", "float32"),
    ],
)
def test_dimensioned_operands_promote_to_the_wider(xp: ModuleType, left: str, right: str, expected: str) -> None:
    out = xp.ones(2, dtype=getattr(xp, left)) + xp.ones(2, dtype=getattr(xp, right))
    assert out.dtype == getattr(xp, expected)


def test_a_0_dim_tensor_does_not_widen_a_dimensioned_one_of_its_kind(xp: ModuleType) -> None:
    zero_dim = xp.tensor(2.0, dtype=xp.float64)
    assert (xp.ones(2) * zero_dim).dtype == xp.float32
    assert (zero_dim * xp.ones(2)).dtype == xp.float32
    assert (xp.ones(()) * zero_dim).dtype == xp.float64
    assert (xp.ones(2, dtype=xp.int32) * xp.tensor(2, dtype=xp.int64)).dtype == xp.int32


def test_a_0_dim_tensor_of_a_higher_kind_does_decide_the_kind(xp: ModuleType) -> None:
    assert (xp.ones(2, dtype=xp.int64) * xp.tensor(2.0, dtype=xp.float64)).dtype == xp.float64


def test_python_numbers_never_widen(xp: ModuleType) -> None:
    assert (xp.ones(2) * 2.5).dtype == xp.float32
    assert (xp.ones(2, dtype=xp.float16) * 1e-3).dtype == xp.float16
    assert (2**40 * xp.ones(2, dtype=xp.int64)).dtype == xp.int64
    assert (xp.ones(2, dtype=xp.int64) + 1.5).dtype == xp.float32
    assert (xp.tensor([True]) + 1).dtype == xp.int64


def test_division_of_integers_gives_floats(xp: ModuleType) -> None:
    assert (xp.tensor([3]) / xp.tensor([2])).tolist() == [1.5]
    assert (xp.tensor([3]) // xp.tensor([2])).dtype == xp.int64
    assert (xp.tensor([-7]) // 2).tolist() == [-4]
    assert (xp.tensor([-7]) % 3).tolist() == [2]


def test_transcendental_functions_of_integers_give_floats(xp: ModuleType) -> None:
    assert xp.tensor([0, 1]).exp().dtype == xp.float32
    assert xp.tensor([0, 1]).sqrt().dtype == xp.float32


def test_sums_of_integers_and_bools_are_int64(xp: ModuleType) -> None:
    assert xp.ones(3, dtype=xp.int32).sum().dtype == xp.int64
    assert (xp.ones(3) > 0).sum().dtype == xp.int64
    assert (xp.ones(3) > 0).sum().item() == 3
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype"):
        xp.tensor([1, 2]).mean()


def test_comparisons_give_bools_that_never_require_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    for found in (a > 0, a == a, a <= 1, a.isnan()):
        assert found.dtype == xp.bool
        assert not found.requires_grad
    assert not a.argmax().requires_grad


def test_integers_cannot_require_grad(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        xp.tensor([1, 2], requires_grad=True)
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        xp.tensor([1, 2]).requires_grad_()


def test_a_cast_to_integers_cuts_the_graph_and_one_between_floats_is_recorded(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    assert not a.long().requires_grad
    wide = a.double()
    assert wide.grad_fn.name() == "ToCopyBackward0"
    (wide * 3).sum().backward()
    assert a.grad.dtype == xp.float32
    assert a.grad.tolist() == [3.0, 3.0]


def test_a_cast_to_the_same_dtype_is_the_same_tensor(xp: ModuleType) -> None:
    a = xp.ones(2)
    assert a.float() is a
    assert a.to(xp.float32) is a
    assert a.contiguous() is a


def test_integers_take_part_in_a_graph_without_gradients(xp: ModuleType) -> None:
    a, n = xp.ones(2, requires_grad=True), xp.tensor([2, 3])
    (a * n).sum().backward()
    assert a.grad.tolist() == [2.0, 3.0]
    assert n.grad is None


def test_matrix_products_do_not_promote(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype"):
        xp.ones(2, 2) @ xp.ones(2, 2, dtype=xp.float64)


def test_the_default_dtype_can_be_set(xp: ModuleType) -> None:
    xp.set_default_dtype(xp.float64)
    try:
        assert xp.ones(1).dtype == xp.tensor(1.0).dtype == xp.float64
        assert (xp.tensor([1]) / 2).dtype == xp.float64
    finally:
        xp.set_default_dtype(xp.float32)


def test_where_and_cat_promote(xp: ModuleType) -> None:
    wide, narrow = xp.ones(2, dtype=xp.float64, requires_grad=True), xp.ones(2, requires_grad=True)
    assert xp.cat([wide, narrow]).dtype == xp.float64
    out = xp.where(wide > 0, wide, narrow)
    assert out.dtype == xp.float64
    out.sum().backward()
    assert narrow.grad.dtype == xp.float32
