"""autograd.functional: what it refuses, and what it says with ``strict`` of functions that ignore their inputs."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

NAMES = ["vjp", "jvp", "jacobian", "hessian", "vhp", "hvp"]
WITH_VECTOR = ["vjp", "jvp", "vhp", "hvp"]


def call(xp: ModuleType, name: str, func: Any, x: Any, **more: Any) -> Any:
    if name in WITH_VECTOR:
        more.setdefault("v", xp.ones(()) if name == "vjp" else xp.ones(3))
    return getattr(xp.autograd.functional, name)(func, x, **more)


def total(x: Any) -> Any:
    return (x**3).sum()


@pytest.mark.parametrize("name", NAMES)
def test_inputs_and_outputs_must_be_tensors(xp: ModuleType, name: str) -> None:
    with pytest.raises(TypeError, match=f"The inputs given to {name} must be either a Tensor .* at index 1 has type"):
        call(xp, name, total, (xp.ones(3), 2))
    with pytest.raises(TypeError, match=f"The inputs given to {name} must be .* the given inputs has type"):
        call(xp, name, total, [xp.ones(3)])
    with pytest.raises(TypeError, match=f"The outputs of the user-provided function given to {name} must be"):
        call(xp, name, lambda x: (total(x), "no tensor"), xp.ones(3))


@pytest.mark.parametrize("name", ["hessian", "vhp", "hvp"])
def test_second_derivatives_are_of_one_number(xp: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError, match=f"Tensor returned by the function given to {name} should contain a single"):
        call(xp, name, lambda x: x * 2, xp.ones(3))
    with pytest.raises(RuntimeError, match=f"The function given to {name} should return a single Tensor"):
        call(xp, name, lambda x: (total(x), total(x)), xp.ones(3))
    found = call(xp, name, lambda x: total(x).view(1, 1, 1), xp.ones(3))
    shown = found if name == "hessian" else found[1]
    assert shown.tolist() == ([[6.0, 0, 0], [0, 6.0, 0], [0, 0, 6.0]] if name == "hessian" else [6.0, 6.0, 6.0])


@pytest.mark.parametrize(
    ("name", "v", "message"),
    [
        ("vjp", None, "can only be None if the user-provided function returns a single Tensor with a single element"),
        ("jvp", None, "can only be None if the input to the user-provided function is a single Tensor"),
        ("jvp", (3, 3), "The given v should contain a single Tensor"),
        ("hvp", (4,), "v has invalid size: should be"),
    ],
)
def test_vectors_must_fit(xp: ModuleType, name: str, v: Any, message: str) -> None:
    func = total if name == "hvp" else lambda x: x * 2
    given = None if v is None else tuple(xp.ones(n) for n in v)
    with pytest.raises(RuntimeError, match=message):
        call(xp, name, func, xp.ones(3), v=given)


def test_vectors_of_several_inputs_are_named_by_their_place(xp: ModuleType) -> None:
    inputs = (xp.ones(2), xp.ones(3))
    jvp = xp.autograd.functional.jvp
    with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
        jvp(lambda a, b: a.sum() + b, inputs, (xp.ones(2),))
    with pytest.raises(RuntimeError, match="Entry 1 in v has invalid size"):
        jvp(lambda a, b: a.sum() + b, inputs, (xp.ones(2), xp.ones(2)))
    with pytest.raises(TypeError, match="The v given to jvp must be either a Tensor or a tuple of Tensors"):
        jvp(lambda a, b: a.sum() + b, inputs, (xp.ones(2), 1.0))


def unconnected(x: Any) -> Any:
    """A non-leaf that requires grad and does not depend on ``x``."""
    return x.long().float().requires_grad_().clone().sum()


@pytest.mark.parametrize("name", NAMES)
def test_strict_derivatives_want_an_output_that_requires_grad(xp: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        call(xp, name, lambda x: x.detach().sum(), xp.ones(3), strict=True)
    relaxed = call(xp, name, lambda x: x.detach().sum(), xp.ones(3))
    assert float((relaxed[1] if name in WITH_VECTOR else relaxed).abs().sum()) == 0.0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("vjp", "The output of the user-provided function is independent of input 0"),
        ("jvp", "The output of the user-provided function is independent of input 0"),
        ("jacobian", "Output 0 of the user-provided function is independent of input 0"),
        ("hessian", "the jacobian of the user-provided function with respect to input 0 is independent"),
        ("vhp", "The output of the user-provided function is independent of input 0"),
        ("hvp", "The output of the user-provided function is independent of input 0"),
    ],
)
def test_strict_derivatives_want_an_output_that_depends_on_the_input(xp: ModuleType, name: str, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(xp, name, unconnected, xp.ones(3), strict=True)


@pytest.mark.parametrize("name", ["hessian", "vhp", "hvp"])
def test_strict_second_derivatives_want_a_slope_that_changes(xp: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function with respect to input 0 is indep"):
        call(xp, name, lambda x: (3 * x).sum(), xp.ones(3), strict=True)


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacobian"])
def test_strict_derivatives_to_be_differentiated_must_change(xp: ModuleType, name: str) -> None:
    x = xp.ones(3, requires_grad=True)
    more = {"v": xp.ones(3)} if name in WITH_VECTOR else {}
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function is independent of input 0"):
        call(xp, name, lambda x: x.clone(), x, create_graph=True, strict=True, **more)


@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_strict_and_vectorised_is_refused(xp: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError, match="`strict=True` and `vectorized=True` are not supported together"):
        call(xp, name, total, xp.ones(3), strict=True, vectorize=True)
