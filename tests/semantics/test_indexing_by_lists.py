"""A list as an index: of plain numbers it is one index, of anything else PyTorch takes it for a tuple, and warns."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
@pytest.mark.parametrize(
    ("key", "read"),
    [
        ([0, 2], [[0.0, 1.0, 2.0, 3.0], [8.0, 9.0, 10.0, 11.0]]),
        ([[0, 1], [1, 2]], [1.0, 6.0]),
        ([[0, 1]], [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]),
        ([(0, 1), (1, 2)], [1.0, 6.0]),
        ([0, slice(2, None)], [2.0, 3.0]),
        ([..., 1], [1.0, 5.0, 9.0]),
        ([None, 1], [[4.0, 5.0, 6.0, 7.0]]),
        ([slice(None), [2, 3]], [[2.0, 3.0], [6.0, 7.0], [10.0, 11.0]]),
    ],
)
def test_a_list_of_indices_reads_and_writes_like_a_tuple(xp: ModuleType, key: Any, read: Any) -> None:
    x = xp.arange(12.0).view(3, 4).requires_grad_()
    assert x[key].tolist() == read
    x[key].sum().backward()
    y = xp.zeros(3, 4)
    y[key] = 1.0
    assert x.grad.tolist() == y.tolist()


def test_a_list_with_a_tensor_in_it_is_a_tuple(xp: ModuleType) -> None:
    with pytest.warns(UserWarning, match="Using a non-tuple sequence for multidimensional indexing is deprecated"):
        assert xp.arange(12.0).view(3, 4)[[xp.tensor([0, 1]), 2]].tolist() == [2.0, 6.0]
