"""What gradcheck refuses, in PyTorch's words: wrong gradients, and questions that have no answer."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def hooked(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The identity, whose gradient goes through ``change``."""

    def function(x: Any) -> Any:
        out = x.clone()
        out.register_hook(change)
        return out

    return function


def of(xp: ModuleType, name: str) -> Any:
    """Something of the module of gradcheck."""
    return getattr(importlib.import_module(f"{xp.__name__}.autograd.gradcheck"), name)


@pytest.mark.filterwarnings("ignore:Input #0:UserWarning")
def test_a_wrong_jacobian_is_told_with_its_place(xp: ModuleType) -> None:
    x = xp.ones(2, dtype=xp.float64, requires_grad=True)
    with pytest.raises(of(xp, "GradcheckError"), match="Jacobian mismatch for output 0 with respect to input 0"):
        xp.autograd.gradcheck(hooked(lambda g: g * 2), x)
    assert not xp.autograd.gradcheck(hooked(lambda g: g * 2), x, raise_exception=False)


def test_of_a_complex_output_the_part_is_told(xp: ModuleType) -> None:
    x = xp.ones(2, dtype=xp.complex128, requires_grad=True)
    with pytest.raises(RuntimeError, match="While considering the imaginary part of complex outputs only"):
        xp.autograd.gradcheck(hooked(lambda g: g + 0.1), x)


def test_a_backward_that_does_not_multiply_by_what_arrives_is_found(xp: ModuleType) -> None:
    x = xp.ones(1, dtype=xp.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="backward not multiplied by grad_output"):
        xp.autograd.gradcheck(hooked(lambda g: g + 0.01), x, atol=0.1)


@pytest.mark.filterwarnings("ignore:Backwards compatibility:UserWarning")
def test_a_backward_must_bear_undefined_gradients(xp: ModuleType) -> None:
    def refuse(g: Any) -> None:
        if g is None:
            raise RuntimeError("nothing arrived")

    x = xp.ones(1, dtype=xp.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="Expected backward function to handle undefined output grads"):
        xp.autograd.gradcheck(hooked(refuse), x)
    assert xp.autograd.gradcheck(hooked(refuse), x, check_undefined_grad=False)


def test_memory_that_is_several_elements_at_once_cannot_be_nudged(xp: ModuleType) -> None:
    x = xp.ones(1, dtype=xp.float64, requires_grad=True).expand(2, 2)
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        xp.autograd.gradcheck(lambda x: x, x, raise_exception=False)


@pytest.mark.parametrize("what", ["shape", "dtype"])
def test_a_shape_or_type_that_depends_on_values_has_no_derivative(xp: ModuleType, what: str) -> None:
    def function(x: Any) -> Any:
        if bool((x >= 1).all()):
            return xp.cat([x, x]) if what == "shape" else x.to(xp.float32)
        return x

    x = xp.ones(1, dtype=xp.float64, requires_grad=True)
    with pytest.raises(AssertionError, match=f"return outputs with the same {what} when inputs are perturbed"):
        xp.autograd.gradcheck(function, x)


def test_something_must_be_checked(xp: ModuleType) -> None:
    x = xp.ones(1, dtype=xp.float64, requires_grad=True)
    with pytest.raises(AssertionError, match="Expected at least one of"):
        xp.autograd.gradcheck(lambda x: x * 2, x, check_forward_ad=False, check_backward_ad=False)


@pytest.mark.filterwarnings("ignore:.*was part of PyTorch's private API:FutureWarning")
def test_jacobians_by_either_way_can_be_had_by_their_old_names(xp: ModuleType) -> None:
    a = xp.rand(2, dtype=xp.float64, requires_grad=True)
    b = xp.rand(2, dtype=xp.float64, requires_grad=True)
    numerical = of(xp, "get_numerical_jacobian")(lambda pair: 2 * pair[0] + pair[1], (a, b), eps=1e-6)
    analytical, same, _, _ = of(xp, "get_analytical_jacobian")((a, b), 2 * a + b)
    for found in (numerical, analytical):
        assert xp.allclose(found[0], 2 * xp.eye(2, dtype=xp.float64))
        assert xp.allclose(found[1], xp.eye(2, dtype=xp.float64))
    assert same
    with pytest.raises(ValueError, match=r"Expected grad_out to be 1\.0"):
        of(xp, "get_analytical_jacobian")((a,), a * 2, grad_out=2.0)


def test_fast_mode_calls_the_function_a_few_times_however_many_elements_there_are() -> None:
    import minigrad as mg

    calls = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return x.sin() * x

    x = mg.rand(40, dtype=mg.float64, requires_grad=True)
    assert mg.autograd.gradcheck(counted, (x,), fast_mode=True, check_forward_ad=True)
    assert len(calls) < 20


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("fast", [True, False])
def test_a_wrong_entry_is_found_in_either_mode(xp: ModuleType, fast: bool) -> None:
    class Wrong(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * xp.tensor([2.0, 2.0, 2.1], dtype=xp.float64)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * xp.tensor([2.0, 2.1, 2.0], dtype=xp.float64)

    x = xp.rand(3, dtype=xp.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        xp.autograd.gradcheck(Wrong.apply, (x,), fast_mode=fast)
    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"):
        xp.autograd.gradcheck(Wrong.apply, (x,), fast_mode=fast, check_forward_ad=True, check_backward_ad=False)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_fast_mode_takes_complex_numbers_for_pairs(xp: ModuleType) -> None:
    z = xp.tensor([1 + 2j, 0.5 - 1j], dtype=xp.complex128, requires_grad=True)
    assert xp.autograd.gradcheck(lambda z: z * z.conj() * z, (z,), fast_mode=True, check_forward_ad=True)
    assert xp.autograd.gradgradcheck(lambda z: (z * z).exp(), (z,), fast_mode=True)
