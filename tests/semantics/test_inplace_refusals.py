"""In-place operations that are refused, each in its own words."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def test_a_leaf_that_requires_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    for write in (lambda: a.add_(1), lambda: a.zero_(), lambda: a.copy_(xp.ones(2))):
        with pytest.raises(RuntimeError, match=r"^a leaf Variable that requires grad is being used in an in-place"):
            write()


def test_a_view_of_a_leaf_that_requires_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"^a view of a leaf Variable that requires grad is being used in an in-place"
    ):
        a[0] = 5.0
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        a.view(2, 1).add_(1)
    assert (a.tolist(), a._version) == ([1.0, 1.0], 0)


@pytest.mark.parametrize("part", [lambda t: t.unbind(0)[0], lambda t: t.chunk(2)[0], lambda t: t.split(1)[0]])
def test_one_output_of_a_multi_output_view(xp: ModuleType, part: Callable[[Any], Any]) -> None:
    grid = xp.ones(2, 2, requires_grad=True) * 1
    one = part(grid)
    with pytest.raises(RuntimeError) as caught:
        one.mul_(2)
    message = str(caught.value)
    assert message.startswith("Output 0 of ")
    assert "is a view and is being modified inplace" in message
    assert "This view is the output of a function that returns multiple views" in message
    assert "You should replace the inplace operation by an out-of-place one." in message


def test_a_view_of_one_output_of_a_multi_output_view(xp: ModuleType) -> None:
    part = (xp.ones(2, 2, requires_grad=True) * 1).unbind(0)[0][:1]
    with pytest.raises(RuntimeError, match="returns multiple views"):
        part.mul_(2)


def test_the_base_of_a_multi_output_view_may_be_written_but_not_the_old_parts_used(xp: ModuleType) -> None:
    grid = xp.ones(4, requires_grad=True) * 1
    low, _ = grid.chunk(2)
    grid.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        low.sum()


def test_a_multi_output_view_that_needs_no_grad_may_be_written(xp: ModuleType) -> None:
    grid = xp.ones(2, 2)
    grid.unbind(0)[1].mul_(3)
    assert grid.tolist() == [[1.0, 1.0], [3.0, 3.0]]


def test_a_view_made_under_no_grad_and_written_outside(xp: ModuleType) -> None:
    base = xp.ones(2, requires_grad=True) * 1
    with xp.no_grad():
        view = base[:1]
        view.add_(1)
    with xp.no_grad():
        view = base[:1]
    part = view[:1]
    with pytest.raises(
        RuntimeError, match=r"^A view was created in no_grad mode and is being modified inplace with grad"
    ):
        view.add_(1)
    with pytest.raises(
        RuntimeError, match="is a view of a view which was created in no_grad mode and is being modified"
    ):
        part.add_(1)


def test_a_view_made_under_no_grad_cannot_be_used_once_its_base_was_written(xp: ModuleType) -> None:
    base = xp.ones(2, requires_grad=True) * 1
    with xp.no_grad():
        view = base[:1]
    base.add_(1)
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and its base or another view of its base"
    ):
        _ = view.grad_fn


def test_a_view_made_under_inference_mode_and_written_outside(xp: ModuleType) -> None:
    base = xp.ones(2, requires_grad=True) * 1
    with xp.inference_mode():
        view = base[:1]
    with pytest.raises(
        RuntimeError, match="A view was created in inference mode and is being modified inplace in normal"
    ):
        view.add_(1)


def test_an_inference_tensor_written_outside_its_mode(xp: ModuleType) -> None:
    with xp.inference_mode():
        a = xp.ones(2)
        a.add_(1)
    b = a.clone()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        a.add_(1)
    b.add_(1)
    assert b.tolist() == [3.0, 3.0]


def test_a_view_returned_by_a_custom_function(xp: ModuleType) -> None:
    class Flat(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.view(2, 1)

    out = Flat.apply(xp.ones(2, 1, requires_grad=True) * 1)
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        out.mul_(2)


def test_detaching_a_view_in_place(xp: ModuleType) -> None:
    view = (xp.ones(2, requires_grad=True) * 1)[:1]
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        view.detach_()


def test_expanded_memory(xp: ModuleType) -> None:
    wide = xp.ones(1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        wide.add_(1)
    assert wide.clone().add_(1).tolist() == [2.0, 2.0, 2.0]


def test_a_source_that_overlaps_the_target_in_part(xp: ModuleType) -> None:
    a = xp.arange(4.0)
    with pytest.raises(
        RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"
    ):
        a[1:].add_(a[:-1])


def test_a_result_of_a_wider_dtype(xp: ModuleType) -> None:
    a = xp.tensor([1, 2])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type"):
        a.mul_(0.5)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type"):
        a += xp.ones(2)
    b = xp.ones(2)
    b += xp.ones(2, dtype=xp.float64)
    assert b.dtype == xp.float32


def test_a_result_of_a_wider_shape(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[3, 2\]"):
        xp.ones(2).add_(xp.ones(3, 2))


def test_another_look_at_the_memory_in_place(xp: ModuleType) -> None:
    x = xp.arange(6.0, requires_grad=True)
    y = x * 1
    assert y.as_strided_((2, 2), (3, 1), 1) is y
    assert (type(y.grad_fn).__name__, y.tolist(), y._version) == ("AsStridedBackward1", [[1.0, 2.0], [4.0, 5.0]], 1)
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0, 0.0, 8.0, 10.0]
    with xp.no_grad():
        seen = (x * 1).view_as(x)
    seen.as_strided_((2,), (1,))
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.as_strided_((2,), (1,))
