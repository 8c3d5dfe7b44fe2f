"""``minigrad.func`` gives what ``torch.func`` gives."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import func, nn

X = [0.5, -1.0, 2.0]
W = [[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]]


def x(library: Any) -> Any:
    return library.tensor(X, dtype=library.float64)


def w(library: Any) -> Any:
    return library.tensor(W, dtype=library.float64)


def layer(library: Any) -> Callable[..., Any]:
    return lambda weight, value: (weight @ value).tanh()


def tree(library: Any) -> Callable[..., Any]:
    return lambda p: (p["w"] @ p["x"][0]).sin().sum()


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, t: f.grad(lambda v: (v.sin() * v).sum())(x(t)),
    "grad of one of two": lambda f, t: f.grad(lambda a, b: (a @ b).sum(), argnums=1)(w(t), x(t)),
    "grad of two": lambda f, t: f.grad(lambda a, b: (a @ b).square().sum(), argnums=(0, 1))(w(t), x(t)),
    "grad of a tree": lambda f, t: f.grad(tree(t))({"w": w(t), "x": [x(t)]}),
    "grad with aux": lambda f, t: f.grad(lambda v: (v.prod(), v * 2), has_aux=True)(x(t)),
    "grad and value": lambda f, t: f.grad_and_value(lambda v: v.exp().sum())(x(t)),
    "third derivative": lambda f, t: f.grad(f.grad(f.grad(lambda v: v**5)))(x(t)[2]),
    "perturbations apart": lambda f, t: f.grad(lambda a: a * f.grad(lambda b: a + b)(t.ones_like(a)))(x(t)[0]),
    "grad of a constant": lambda f, t: f.grad(lambda v: t.ones((), dtype=t.float64))(x(t)),
    "vjp": lambda f, t: f.vjp(layer(t), w(t), x(t))[1](t.ones(2, dtype=t.float64)),
    "vjp twice": lambda f, t: [f.vjp(lambda v: v * v, x(t))[1](u) for u in (x(t), x(t) * 2)],
    "jvp": lambda f, t: f.jvp(layer(t), (w(t), x(t)), (w(t) * 2, x(t))),
    "jvp of a dict": lambda f, t: f.jvp(lambda v: {"a": v.sin(), "b": v * 2}, (x(t),), (x(t),)),
    "jvp of jvp": lambda f, t: f.jvp(lambda v: f.jvp(lambda u: u**3, (v,), (v,))[1], (x(t),), (x(t),)),
    "jvp of grad": lambda f, t: f.jvp(f.grad(lambda v: (v**3).sum()), (x(t),), (x(t),)),
    "grad of jvp": lambda f, t: f.grad(lambda v: f.jvp(lambda u: u.sin(), (v,), (v,))[1].sum())(x(t)),
    "jacrev": lambda f, t: f.jacrev(layer(t), argnums=1)(w(t), x(t)),
    "jacrev of both": lambda f, t: f.jacrev(layer(t), argnums=(0, 1))(w(t), x(t)),
    "jacfwd": lambda f, t: f.jacfwd(layer(t), argnums=0)(w(t), x(t)),
    "jacfwd of jacrev": lambda f, t: f.jacfwd(f.jacrev(layer(t), argnums=1), argnums=1)(w(t), x(t)),
    "jacrev of jacfwd": lambda f, t: f.jacrev(f.jacfwd(layer(t), argnums=1), argnums=1)(w(t), x(t)),
    "hessian": lambda f, t: f.hessian(lambda v: v.prod() + v.exp().sum())(x(t)),
    "vmap of grad": lambda f, t: f.vmap(f.grad(lambda a, b: (a * b).sum().square()), (0, None))(w(t), x(t)),
    "gradients of each sample": lambda f, t: f.vmap(f.grad(lambda p, v: (p["w"] @ v).square().sum()), (None, 0))(
        {"w": w(t)}, w(t)
    ),
    "vmap of hessian": lambda f, t: f.vmap(f.hessian(lambda v: (v**3).sum()))(w(t)),
}


def plain(value: Any) -> Any:
    if hasattr(value, "detach"):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value]


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # by its own jvp
@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_of_functions_gives_what_pytorchs_gives(torch: ModuleType, name: str) -> None:
    import torch.func

    ours, theirs = plain(PROGRAMS[name](func, mg)), plain(PROGRAMS[name](torch.func, torch))
    assert _same(ours, theirs), (ours, theirs)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-10, atol=1e-12)


def test_results_are_of_the_callers_world() -> None:
    for made in (func.grad, func.jacrev, func.jacfwd, func.hessian):
        assert not made(lambda v: (v * v).sum())(mg.ones(2)).requires_grad
    outer = mg.ones(2, requires_grad=True)
    inner = func.grad(lambda v: (v**3).sum())(outer)
    inner.sum().backward()
    assert inner.tolist() == [3.0, 3.0]
    assert outer.grad is not None
    assert outer.grad.tolist() == [6.0, 6.0]


def test_a_module_is_called_with_other_tensors_and_keeps_its_own() -> None:
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.eval()
    weight = mg.eye(2) * 3
    out = func.functional_call(model, {"0.weight": weight, "1.running_mean": mg.ones(2)}, (mg.ones(1, 2),))
    assert out.detach().numpy() == pytest.approx(2 / np.sqrt(1 + 1e-5))
    assert all(mg.equal(value, before[name]) for name, value in model.state_dict().items())
    assert isinstance(model[0].weight, nn.Parameter)
    gradient = func.grad(lambda p: func.functional_call(model, p, mg.ones(1, 2)).sum())({"0.weight": weight})
    assert gradient["0.weight"].shape == (2, 2)
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 0\.wieght"):
        func.functional_call(model, {"0.wieght": weight}, (mg.ones(1, 2),))


def test_what_cannot_be_differentiated_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"to return a scalar tensor, got tensor with 1 dims"):
        func.grad(lambda v: v)(mg.ones(2))
    with pytest.raises(RuntimeError, match=r"Got argnum=1, but only 1 positional inputs"):
        func.grad(lambda v: v.sum(), argnums=1)(mg.ones(2))
    with pytest.raises(TypeError, match="argument 0 is float"):
        func.jacfwd(lambda v: v)(1.0)
