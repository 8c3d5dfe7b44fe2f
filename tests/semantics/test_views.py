"""Views: shared memory, one root base, CopySlices, and grad_fns that are renewed when somebody else has written."""

from __future__ import annotations

from types import ModuleType

import pytest


def test_the_base_of_a_view_of_a_view_is_the_root(xp: ModuleType) -> None:
    a = xp.zeros(2, 3)
    view = a.t()[1].view(2, 1)[0]
    assert view._base is a
    assert a._base is None


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda t: t.view(4), "ViewBackward0"),
        (lambda t: t.reshape(4), "ViewBackward0"),
        (lambda t: t[0], "SelectBackward0"),
        (lambda t: t[:, 1:], "SliceBackward0"),
        (lambda t: t.select(0, 1), "SelectBackward0"),
        (lambda t: t.narrow(0, 0, 1), "SliceBackward0"),
        (lambda t: t.t(), "TBackward0"),
        (lambda t: t.transpose(0, 1), "TransposeBackward0"),
        (lambda t: t.permute(1, 0), "PermuteBackward0"),
        (lambda t: t.unsqueeze(0), "UnsqueezeBackward0"),
        (lambda t: t.squeeze(), "SqueezeBackward0"),
        (lambda t: t.expand(3, 2, 2), "ExpandBackward0"),
        (lambda t: t.diagonal(), "DiagonalBackward0"),
        (lambda t: t.unfold(0, 2, 1), "UnfoldBackward0"),
        (lambda t: t.as_strided((2,), (1,)), "AsStridedBackward0"),
        (lambda t: t[...], "AliasBackward0"),
        (lambda t: t.detach(), None),
        (lambda t: t.T, "PermuteBackward0"),
        (lambda t: t.flatten(), "ViewBackward0"),
        (lambda t: t.swapaxes(0, 1), "TransposeBackward0"),
        (lambda t: t.movedim(0, 1), "PermuteBackward0"),
        (lambda t: t.unflatten(0, (1, 2)), "ViewBackward0"),
        (lambda t: t.view_as(xp_ones(t)), "ViewBackward0"),
    ],
)
def test_views_share_memory_and_bear_the_name_of_what_made_them(xp: ModuleType, make: object, name: str | None) -> None:
    base = xp.ones(2, 2, requires_grad=True) * 1
    view = make(base)  # type: ignore[operator]
    with xp.no_grad():
        base.fill_(7.0)
    assert view.flatten()[0].item() == 7.0
    assert view._base is base or name is None
    fresh = make(xp.ones(2, 2, requires_grad=True) * 1)  # type: ignore[operator]
    assert (fresh.grad_fn and fresh.grad_fn.name()) == name


def xp_ones(tensor: object) -> object:
    return tensor.detach().clone()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "copy", [lambda t: t[[0, 1]], lambda t: t[t > 0], lambda t: t.clone(), lambda t: t.t().flatten()]
)
def test_copies_have_their_own_memory_and_no_base(xp: ModuleType, copy: object) -> None:
    base = xp.ones(2, 2)
    twin = copy(base)  # type: ignore[operator]
    base.zero_()
    assert twin.sum().item() == 4.0
    assert twin._base is None or twin._base is not base


def test_writing_a_view_gives_the_base_a_history_of_copied_slices(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a * 1
    base[1].mul_(10)
    assert base.grad_fn.name().rpartition("::")[2] == "CopySlices"
    assert base.tolist() == [1.0, 20.0, 3.0]
    base.sum().backward()
    assert a.grad.tolist() == [1.0, 10.0, 1.0]


def test_the_written_view_itself_is_taken_from_the_new_history(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a * 1
    view = base[1:]
    view.mul_(10)
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert view.grad_fn.next_functions[0][0] is base.grad_fn
    view.sum().backward()
    assert a.grad.tolist() == [0.0, 10.0, 10.0]


def test_an_earlier_view_follows_a_later_write_to_the_base(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a * 1
    view = base[:2]
    base.mul_(3)
    assert view.tolist() == [3.0, 6.0]
    (view * view).sum().backward()
    assert a.grad.tolist() == [18.0, 36.0, 0.0]


def test_a_sibling_view_follows_a_write_to_another(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = a * 1
    left, right = base[:2], base[1:]
    left.mul_(10)
    right.sum().backward()
    assert a.grad.tolist() == [0.0, 10.0, 1.0]


def test_a_stale_view_regains_its_grad_fn_only_when_asked(xp: ModuleType) -> None:
    a = xp.ones(3, requires_grad=True)
    base = a * 1
    view = base[1:]
    before = view.grad_fn
    base.mul_(2)
    after = view.grad_fn
    assert before is not after
    assert after is view.grad_fn
    assert after.next_functions[0][0] is base.grad_fn


def test_a_graph_recorded_from_the_view_before_the_write_keeps_the_old_path(xp: ModuleType) -> None:
    a = xp.ones(3, requires_grad=True)
    base = a * 1
    early = base[1:] + 0
    base.mul_(5)
    early.sum().backward()
    assert a.grad.tolist() == [0.0, 1.0, 1.0]


def test_a_constant_base_comes_to_require_grad_through_its_view(xp: ModuleType) -> None:
    base, w = xp.zeros(3), xp.tensor([5.0], requires_grad=True)
    view, sibling = base[:1], base[1:]
    view.add_(w)
    assert (base.requires_grad, view.requires_grad, sibling.requires_grad) == (True, True, True)
    assert (base.is_leaf, sibling.is_leaf) == (False, False)
    (base * 2).sum().backward()
    assert w.grad.tolist() == [2.0]


def test_the_views_of_a_base_that_starts_to_require_grad_do_too(xp: ModuleType) -> None:
    base, w = xp.zeros(3), xp.ones(3, requires_grad=True)
    view = base[:2]
    assert not view.requires_grad
    base.add_(w)
    assert view.requires_grad
    view.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0, 0.0]


def test_gradients_flow_through_a_chain_of_views_that_is_written(xp: ModuleType) -> None:
    a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = a * 1
    base.t()[0].view(2, 1)[1].mul_(10)
    assert base.tolist() == [[1.0, 2.0], [30.0, 4.0]]
    base.sum().backward()
    assert a.grad.tolist() == [[1.0, 1.0], [10.0, 1.0]]


def test_the_overwritten_part_gets_no_gradient_and_the_value_gets_its_share(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = xp.tensor([7.0], requires_grad=True)
    base = a * 2
    base[:1] = v
    (base * base).sum().backward()
    assert a.grad.tolist() == [0.0, 16.0, 24.0]
    assert v.grad.tolist() == [14.0]


def test_a_value_that_is_broadcast_into_a_view_gets_the_sum(xp: ModuleType) -> None:
    v = xp.tensor(2.0, requires_grad=True)
    base = xp.zeros(2, 3)
    base[1] = v
    base.sum().backward()
    assert v.grad.item() == 3.0


def test_writes_to_the_diagonal_and_to_an_expanded_row_reach_the_right_places(xp: ModuleType) -> None:
    a = xp.ones(2, 2, requires_grad=True)
    base = a * 1
    base.diagonal().mul_(3)
    base[:, 0].add_(1)
    assert base.tolist() == [[4.0, 1.0], [2.0, 3.0]]
    base.sum().backward()
    assert a.grad.tolist() == [[3.0, 1.0], [1.0, 3.0]]


def test_copy_into_a_view_cuts_the_old_path(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.full((1,), 4.0, requires_grad=True)
    base = a * 1
    base[1:].copy_(b)
    base.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([1.0, 0.0], [1.0])


def test_retain_grad_on_a_view_follows_an_in_place_write(xp: ModuleType) -> None:
    a = xp.ones(3, requires_grad=True)
    base = a * 1
    view = base[1:]
    view.retain_grad()
    view.mul_(5)
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2.0, 2.0]
    assert a.grad.tolist() == [0.0, 10.0, 10.0]


def test_a_view_of_incompatible_strides_is_refused_and_reshape_copies(xp: ModuleType) -> None:
    a = xp.ones(2, 3)
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        a.t().view(6)
    copied = a.t().reshape(6)
    copied.zero_()
    assert a.sum().item() == 6.0


def test_a_view_of_a_leaf_is_no_leaf_and_detach_of_a_view_shares_the_memory(xp: ModuleType) -> None:
    a = xp.zeros(3, requires_grad=True)
    view = a[:2]
    assert not view.is_leaf
    with xp.no_grad():
        view.add_(1)
    assert a.tolist() == [1.0, 1.0, 0.0]
    assert a.is_leaf


def test_a_write_under_no_grad_to_a_view_leaves_the_history_alone(xp: ModuleType) -> None:
    a = xp.ones(3, requires_grad=True)
    base = a * 3
    view, before = base[1:], base.grad_fn
    with xp.no_grad():
        view.zero_()
    assert base.grad_fn is before
    base.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0, 3.0]


def test_squeezing_in_place_changes_shape_not_memory(xp: ModuleType) -> None:
    base = xp.ones(1, 3, requires_grad=True) * 1
    same = base
    base.squeeze_(0)
    assert same.shape == (3,)
    base.unsqueeze_(1).t_()
    assert same.shape == (1, 3)
    assert same._version == 3


def test_swapping_the_data_of_a_tensor_leaves_its_old_views_behind(xp: ModuleType) -> None:
    a = xp.zeros(2)
    view = a[:1]
    a.data = xp.ones(2)
    a.add_(1)
    assert (a.tolist(), view.tolist()) == ([2.0, 2.0], [0.0])


def test_a_saved_result_of_a_write_through_a_view_leads_back_over_the_base(xp: ModuleType) -> None:
    a = xp.tensor([0.5, 2.0], requires_grad=True)
    window = a.clone().view_as(a)
    window.exp_()
    (first,) = xp.autograd.grad(window.pow(2).sum(), a, create_graph=True)
    (second,) = xp.autograd.grad(first.sum(), a)
    assert xp.allclose(first, 2 * (2 * a).exp())
    assert xp.allclose(second, 4 * (2 * a).exp())
