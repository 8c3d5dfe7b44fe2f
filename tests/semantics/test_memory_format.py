"""The order of elements in memory: it changes strides, and neither values nor gradients."""

from __future__ import annotations

from types import ModuleType

import pytest


def test_channels_may_lie_last(xp: ModuleType) -> None:
    x = xp.arange(24.0).view(1, 2, 3, 4)
    y = x.contiguous(memory_format=xp.channels_last)
    assert y.stride() == (24, 1, 8, 2)
    assert y.tolist() == x.tolist()
    assert y.is_contiguous(memory_format=xp.channels_last)
    assert not y.is_contiguous()
    assert not x.is_contiguous(memory_format=xp.channels_last)
    assert y.contiguous().stride() == x.stride()


def test_what_lies_so_already_is_itself(xp: ModuleType) -> None:
    x = xp.ones(2, 3, 4, 5).to(memory_format=xp.channels_last)
    assert x.to(memory_format=xp.channels_last) is x
    assert x.contiguous(memory_format=xp.channels_last) is x
    assert x.clone().stride() == x.stride()
    assert x.clone(memory_format=xp.contiguous_format).is_contiguous()


def test_pictures_of_three_dimensions_have_a_format_too(xp: ModuleType) -> None:
    x = xp.ones(1, 2, 2, 2, 2).contiguous(memory_format=xp.channels_last_3d)
    assert x.stride() == (16, 1, 8, 4, 2)


@pytest.mark.parametrize(("shape", "name"), [((2, 3), "channels_last"), ((1, 2, 3, 4), "channels_last_3d")])
def test_channels_come_last_only_where_there_are_some(xp: ModuleType, shape: tuple[int, ...], name: str) -> None:
    with pytest.raises(RuntimeError, match=r"required rank \d tensor to use channels_last"):
        xp.ones(shape).contiguous(memory_format=getattr(xp, name))


def test_gradients_pass_and_lie_as_their_leaf_does(xp: ModuleType) -> None:
    leaf = xp.ones(2, 3, 4, 5).to(memory_format=xp.channels_last).requires_grad_()
    copy = leaf.contiguous()
    assert type(copy.grad_fn).__name__ == "CloneBackward0"
    (copy * xp.full((2, 3, 4, 5), 2.0)).sum().backward()
    assert leaf.grad.stride() == leaf.stride()
    assert leaf.grad[1, 2, 3, 4].item() == 2.0


def test_a_gradient_lies_in_memory_as_its_leaf_does_or_row_by_row_if_that_has_gaps(xp: ModuleType) -> None:
    turned, holed = xp.ones(3, 2).t().requires_grad_(), xp.ones(4, 4)[::2, ::2].detach().requires_grad_()
    for leaf, strides in ((turned, (1, 2)), (holed, (2, 1))):
        for _ in range(2):
            (leaf.exp() * 2).sum().backward()
            assert leaf.grad.stride() == strides
    (turned.t() * 1).backward(xp.ones(3, 2))
    assert turned.grad.stride() == (1, 2)


def test_a_module_lays_out_its_kernels(xp: ModuleType) -> None:
    conv = xp.nn.Conv2d(3, 4, 2)
    kernel = conv.weight
    conv.to(memory_format=xp.channels_last)
    assert conv.weight is kernel
    assert kernel.stride() == (12, 1, 6, 3)
    x = xp.ones(1, 3, 4, 4).to(memory_format=xp.channels_last)
    conv(x).sum().backward()
    assert kernel.grad.stride() == kernel.stride()
    assert conv.bias.grad.tolist() == [9.0, 9.0, 9.0, 9.0]
