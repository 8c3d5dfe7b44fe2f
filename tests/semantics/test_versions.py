"""The version counter: who bumps it, who shares it, and how a stale saved tensor is caught."""

from __future__ import annotations

from types import ModuleType

import pytest


def test_every_in_place_operation_bumps_the_version_by_one(xp: ModuleType) -> None:
    a = xp.ones(3)
    assert a._version == 0
    for count, write in enumerate(
        [
            lambda: a.add_(1),
            lambda: a.zero_(),
            lambda: a.exp_(),
            lambda: a.__setitem__(0, 5.0),
            lambda: a.copy_(xp.ones(3)),
            lambda: a.masked_fill_(a > 2, 0.0),
            lambda: a.clamp_(min=0),
            lambda: a.fill_(2.0),
            lambda: a.unsqueeze_(0),
        ],
        start=1,
    ):
        write()
        assert a._version == count


def test_an_augmented_assignment_is_in_place(xp: ModuleType) -> None:
    a = xp.ones(3)
    same = a
    a += 1
    a *= 2
    a -= 1
    a /= 3
    assert same is a
    assert a._version == 4
    assert a.tolist() == [1.0, 1.0, 1.0]


def test_reading_and_computing_leave_the_version_alone(xp: ModuleType) -> None:
    a = xp.ones(2, 2, requires_grad=True)
    b = (a * 2)[0].view(2).exp()
    b.sum().backward()
    assert (a._version, b._version) == (0, 0)


def test_writing_under_no_grad_counts_too(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with xp.no_grad():
        a.mul_(2)
        a -= 1
    assert a._version == 2
    assert a.is_leaf


def test_views_share_the_version_of_their_base(xp: ModuleType) -> None:
    a = xp.zeros(2, 2)
    row, flat = a[0], a.view(4)
    row.add_(1)
    assert (a._version, row._version, flat._version) == (1, 1, 1)
    flat[3] = 9.0
    assert (a._version, row._version, flat._version) == (2, 2, 2)


def test_detach_shares_the_version_and_data_does_not(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True) * 2
    detached, data = a.detach(), a.data
    detached.add_(1)
    assert (a._version, detached._version) == (1, 1)
    data.add_(1)
    assert (a._version, data._version) == (1, 1)
    data.add_(1)
    assert (a._version, data._version) == (1, 2)
    assert a.tolist() == [5.0, 5.0]


def test_setting_data_keeps_the_version_of_the_tensor(xp: ModuleType) -> None:
    a, b = xp.ones(2), xp.zeros(2)
    a.add_(1)
    b.add_(1).add_(1).add_(1)
    a.data = b
    assert a._version == 1
    a.add_(1)
    assert (a._version, b._version) == (2, 3)
    assert b.tolist() == [4.0, 4.0]


def test_a_failed_in_place_operation_on_a_leaf_changes_nothing(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        a.add_(1)
    assert (a._version, a.tolist()) == (0, [1.0, 1.0])


def test_a_saved_input_that_was_overwritten_is_caught_with_both_versions(xp: ModuleType) -> None:
    a = xp.tensor([2.0, 3.0], requires_grad=True)
    b = a * 1
    c = b * b
    b.add_(1)
    b.add_(1)
    with pytest.raises(RuntimeError) as caught:
        c.sum().backward()
    message = str(caught.value)
    assert "one of the variables needed for gradient computation has been modified by an inplace operation" in message
    assert "[2]]" in message
    assert "which is output 0 of Add, is at version 2; expected version 0 instead" in message


def test_a_saved_output_that_was_overwritten_is_caught(xp: ModuleType) -> None:
    b = xp.zeros(2, requires_grad=True).exp()
    kept = b * 1
    b[0] = 0.0
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        kept.sum().backward()


def test_a_saved_constant_that_was_overwritten_is_caught(xp: ModuleType) -> None:
    a, c = xp.ones(2, requires_grad=True), xp.ones(2)
    b = a * c
    c.zero_()
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        b.sum().backward()


def test_a_constant_that_was_written_before_it_was_saved_is_fine(xp: ModuleType) -> None:
    a, c = xp.ones(2, requires_grad=True), xp.ones(2)
    c.add_(4)
    b = a * c
    b.sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]


def test_a_write_through_a_view_is_caught_in_what_the_base_saved(xp: ModuleType) -> None:
    base = xp.ones(2, 2, requires_grad=True) * 1
    row = base[0]
    out = base * base
    row.zero_()
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        out.sum().backward()


def test_a_write_through_detach_is_caught_and_one_through_data_is_not(xp: ModuleType) -> None:
    a = xp.zeros(2, requires_grad=True)
    b = a.sigmoid()
    b.detach().zero_()
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        b.sum().backward()
    c = a.sigmoid()
    c.data.zero_()
    c.sum().backward()
    assert a.grad.tolist() == [0.0, 0.0]


def test_an_operation_that_saves_nothing_of_the_written_value_is_fine(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 3
    c = b + 1
    b.add_(5)
    c.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_only_what_the_needed_gradient_requires_is_saved(xp: ModuleType) -> None:
    a, c = xp.ones(2, requires_grad=True), xp.full((2,), 3.0)
    b = a * 1
    d = b * c
    b.add_(5)
    d.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_in_place_operations_keep_a_private_copy_of_the_value_that_they_need(xp: ModuleType) -> None:
    a = xp.tensor([2.0, 3.0], requires_grad=True)
    w = xp.tensor([5.0, 7.0], requires_grad=True)
    b = a * 1
    b.mul_(w)
    b.sum().backward()
    assert (a.grad.tolist(), w.grad.tolist()) == ([5.0, 7.0], [2.0, 3.0])


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [("div_", (4.0,), [0.25, 0.25]), ("pow_", (3,), [12.0, 27.0]), ("sqrt_", (), [0.353553, 0.288675])],
)
def test_the_gradient_of_an_in_place_operation_is_that_of_its_twin(
    xp: ModuleType, name: str, args: tuple[float, ...], expected: list[float]
) -> None:
    a = xp.tensor([2.0, 3.0], requires_grad=True)
    b = a * 1
    getattr(b, name)(*args)
    b.sum().backward()
    assert a.grad.tolist() == pytest.approx(expected, rel=1e-5)


def test_multiplying_a_tensor_by_itself_in_place_is_caught_at_backward(xp: ModuleType) -> None:
    b = xp.tensor([2.0, 3.0], requires_grad=True) * 1
    b.mul_(b)
    assert b.tolist() == [4.0, 9.0]
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        b.sum().backward()


def test_an_in_place_operation_that_saves_its_result_works(xp: ModuleType) -> None:
    a = xp.tensor([0.0, 0.0], requires_grad=True)
    b = a * 1
    b.exp_()
    b.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]


def test_the_error_can_be_met_again_and_again(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True).exp()
    c = b * 1
    b.zero_()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            c.sum().backward(retain_graph=True)


def test_increment_version_bumps_without_a_write(xp: ModuleType) -> None:
    a = xp.ones(2)
    xp.autograd.graph.increment_version(a)
    assert a._version == 1


def test_an_optimiser_step_bumps_the_version_of_its_parameters(xp: ModuleType) -> None:
    w = xp.ones(2, requires_grad=True)
    loss = (w * w).sum()
    w.grad = xp.ones(2)
    xp.optim.SGD([w], lr=0.5).step()
    assert w._version == 1
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        loss.backward()


def test_unsafe_preserve_version_hides_a_write(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 1
    c = b * b
    with xp.autograd._unsafe_preserve_version_counter(b), xp.no_grad():
        b.mul_(1)
    c.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]
