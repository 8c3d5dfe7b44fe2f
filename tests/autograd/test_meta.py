"""AutogradMeta: every field, and the invariants that hold whatever a program does."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import minigrad as mg
from minigrad.autograd.node import AccumulateGrad


def test_the_fields_of_a_leaf_before_and_after_backward() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    meta = w.autograd_meta
    assert (meta.requires_grad, meta.is_leaf, meta.version, meta.grad_fn, meta.output_nr) == (True, True, 0, None, 0)
    assert (meta.grad, meta.grad_impl, meta.retains_grad) == (None, None, False)
    (w * w).sum().backward()
    assert meta.grad.tolist() == [2, 4]
    assert meta.grad_impl is w.grad
    assert meta.grad is w.grad.array


def test_a_non_leaf_that_retains_its_gradient_says_so() -> None:
    y = mg.tensor(1.0, requires_grad=True) * 2.0
    y.retain_grad()
    assert y.autograd_meta.retains_grad
    assert y.autograd_meta.grad_fn.name() == "MulBackward0"


def test_an_accumulator_is_not_a_grad_fn_and_lives_only_as_long_as_a_graph_needs_it() -> None:
    w = mg.tensor(1.0, requires_grad=True)
    edge = mg.autograd.ensure_grad_fn(w)
    assert isinstance(edge.node, AccumulateGrad)
    assert w.grad_fn is None
    assert mg.autograd.ensure_grad_fn(w).node is edge.node
    reference = w._accumulator
    del edge
    assert reference() is None


def test_a_constant_that_is_overwritten_after_it_was_saved_is_caught() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    constant = mg.tensor([3.0, 4.0])
    y = (w * constant).sum()
    constant.zero_()
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        y.backward()


def test_its_repr_names_every_field() -> None:
    text = repr(mg.tensor(1.0).autograd_meta)
    for field in ("requires_grad", "is_leaf", "version", "grad_fn", "output_nr", "grad", "grad_impl", "retains_grad"):
        assert f"{field}=" in text


STEPS = {
    "multiply": lambda t: t * 2.0,
    "square": lambda t: t * t,
    "view": lambda t: t[1:] if len(t) > 1 else t.view(-1),
    "detach": lambda t: t.detach(),
    "clone": lambda t: t.clone(),
    "add in place": lambda t: t.add_(1.0),
    "write an element": lambda t: t.__setitem__(0, 0.5) or t,
    "retain": lambda t: (t.retain_grad() if t.requires_grad else None) or t,
    "backward": lambda t: (t.sum().backward() if t.requires_grad else None) or t,
    "without grad": lambda t: _under_no_grad(t),
}


def _under_no_grad(tensor: mg.Tensor) -> mg.Tensor:
    with mg.no_grad():
        return tensor * 3.0


@given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 30)), max_size=15))
@settings(max_examples=150, deadline=None)
def test_the_invariants_hold_at_every_step_of_a_random_program(program: list[tuple[str, int]]) -> None:
    tensors = [mg.tensor([1.0, 2.0, 3.0], requires_grad=True), mg.tensor([1.0, 2.0, 3.0])]
    versions: dict[int, int] = {}
    for name, place in program:
        tensor = tensors[place % len(tensors)]
        try:
            tensors.append(STEPS[name](tensor))
        except RuntimeError:
            continue  # a refusal must leave everything consistent, too
        finally:
            for each in tensors:
                each.autograd_meta.check_invariants()
                serial = each.version_counter.serial
                assert each._version >= versions.get(serial, 0)
                versions[serial] = each._version
