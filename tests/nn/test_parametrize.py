"""An attribute that is computed from parameters is PyTorch's in value, gradient and name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn
from minigrad.nn.utils import parametrize
from minigrad.nn.utils.parametrizations import weight_norm


@pytest.mark.oracle
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_is_pytorchs(torch: ModuleType, dim: int | None) -> None:
    import torch.nn.utils.parametrizations as theirs

    found: dict[str, Any] = {}
    for library, tool in ((torch, theirs.weight_norm), (mg, weight_norm)):
        rng = np.random.default_rng(0)
        layer = library.nn.Linear(3, 2)
        with library.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(library.tensor(rng.normal(size=tuple(parameter.shape))))
        layer = tool(layer, dim=dim)
        out = layer(library.ones(4, 3)).square().sum()
        out.backward()
        found[library.__name__] = (
            [name for name, _ in layer.named_parameters()],
            list(layer.state_dict()),
            [out.item(), *(value for p in layer.parameters() for value in p.grad.flatten().tolist())],
        )
    ours, others = found["minigrad"], found["torch"]
    assert ours[:2] == others[:2]
    assert ours[2] == pytest.approx(others[2], rel=1e-4, abs=1e-4)


class Symmetric(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.triu() + x.triu(1).T

    def right_inverse(self, x: Any) -> Any:
        return x.triu()


def test_an_attribute_is_computed_at_every_look_and_can_become_a_parameter_again() -> None:
    layer = nn.Linear(3, 3)
    other = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(other)
    assert isinstance(layer, nn.Linear)
    assert mg.equal(layer.weight, layer.weight.T)
    with mg.no_grad():
        layer.parametrizations.weight.original.fill_(2.0)
    assert layer.weight.tolist() == [[2.0] * 3] * 3
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight.tolist() == [[2.0] * 3] * 3
    assert sorted(layer.state_dict()) == ["bias", "weight"]


def test_what_is_not_there_cannot_be_parametrised() -> None:
    with pytest.raises(ValueError, match="Module 'Linear' has no parameter or buffer with name 'wieght'"):
        parametrize.register_parametrization(nn.Linear(1, 1), "wieght", Symmetric())
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(nn.Linear(1, 1), "weight")


def test_a_model_in_parallel_is_the_model_called() -> None:
    model = nn.DataParallel(nn.Linear(2, 1), device_ids=[0])
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    x = mg.ones(3, 2)
    assert mg.equal(model(x), model.module(x))
