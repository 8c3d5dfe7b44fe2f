"""Every layer with the weights of PyTorch's: outputs, gradients of inputs and of parameters, and their names agree."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg

pytestmark = pytest.mark.oracle

LAYERS: dict[str, tuple[tuple[int, ...], ...]] = {
    "Linear(4, 3)": ((5, 4), (2, 5, 4), (4,)),
    "Linear(4, 3, bias=False)": ((5, 4),),
    "Sequential(m.nn.Linear(4, 6), m.nn.Tanh(), m.nn.Linear(6, 2))": ((5, 4),),
    "Conv1d(2, 3, 3, padding=1)": ((2, 2, 5),),
    "Conv2d(2, 4, 3, stride=2, padding=1, groups=2)": ((2, 2, 5, 6),),
    "Conv2d(2, 3, (3, 2), padding='same', padding_mode='reflect')": ((1, 2, 5, 5),),
    "Conv2d(2, 3, 3, padding=1, padding_mode='circular')": ((1, 2, 4, 4),),
    "ConvTranspose2d(2, 3, 3, 2, 1, 1)": ((1, 2, 3, 4),),
    "BatchNorm1d(4)": ((5, 4), (2, 4, 3)),
    "BatchNorm2d(3, momentum=None)": ((2, 3, 2, 2),),
    "LayerNorm(4)": ((3, 4),),
    "RMSNorm(4)": ((3, 4),),
    "GroupNorm(2, 4)": ((2, 4, 3),),
    "InstanceNorm1d(3, affine=True)": ((2, 3, 4),),
    "MaxPool2d(2)": ((1, 2, 4, 5),),
    "AvgPool2d(3, 2, 1)": ((1, 2, 4, 5),),
    "AdaptiveAvgPool2d((2, None))": ((1, 2, 5, 3),),
    "AdaptiveMaxPool2d(2)": ((1, 2, 5, 3),),
    "LPPool2d(2.0, 2)": ((1, 2, 4, 4),),
    "PReLU(3)": ((2, 3),),
    "GELU()": ((2, 3),),
    "Softmax(1)": ((2, 3),),
    "LeakyReLU(0.2)": ((2, 3),),
    "Flatten()": ((2, 3, 4),),
    "RNN(4, 3, 2, nonlinearity='relu')": ((5, 2, 4), (5, 4)),
    "LSTM(4, 3, 2, bidirectional=True, batch_first=True)": ((2, 5, 4),),
    "GRU(4, 3, bias=False)": ((5, 2, 4),),
    "LSTMCell(4, 3)": ((2, 4),),
    "GRUCell(4, 3)": ((2, 4),),
    "TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0)": ((2, 3, 4),),
    "TransformerEncoder(m.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, norm_first=True, activation='gelu'), 2)": (
        (3, 2, 4),
    ),
}
CASES = [(made, shape) for made, shapes in LAYERS.items() for shape in shapes]


def flat(value: Any) -> list[Any]:
    """The tensors in nested tuples."""
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


def numbers(tensor: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tensor.detach().tolist())


def both(torch: ModuleType, make: Callable[[ModuleType], Any]) -> tuple[Any, Any]:
    """The same module in both libraries, in float64 and with the same random weights."""
    theirs, ours = make(torch).to(torch.float64), make(mg).to(mg.float64)
    rng = np.random.default_rng(3)
    state = {
        name: rng.standard_normal(tuple(value.shape)) * 0.5 if value.dtype.is_floating_point else np.asarray(value)
        for name, value in theirs.state_dict().items()
    }
    state = {name: np.abs(value) + 0.5 if name.endswith("running_var") else value for name, value in state.items()}
    theirs.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    ours.load_state_dict({name: mg.tensor(value) for name, value in state.items()})
    return theirs, ours


def run(library: ModuleType, module: Any, *inputs: np.ndarray[Any, Any]) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Outputs, gradients of the inputs, gradients of the parameters."""
    leaves = [library.tensor(each).requires_grad_() for each in inputs]
    outputs = [each for each in flat(module(*leaves)) if each is not None and each.requires_grad]
    total = sum((each * each * (k + 1)).sum() for k, each in enumerate(outputs))
    total.backward()
    gradients = {name: numbers(p.grad) for name, p in module.named_parameters() if p.grad is not None}
    return [numbers(each) for each in outputs], [numbers(leaf.grad) for leaf in leaves], gradients


def agree(theirs: Any, ours: Any) -> None:
    for mine, other in zip(ours[:2], theirs[:2], strict=True):
        for a, b in zip(mine, other, strict=True):
            np.testing.assert_allclose(a, b, 1e-9, 1e-10)
    assert ours[2].keys() == theirs[2].keys()
    for name, gradient in theirs[2].items():
        np.testing.assert_allclose(ours[2][name], gradient, 1e-8, 1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("made", "shape"), CASES)
def test_a_layer_computes_what_pytorchs_does(torch: ModuleType, made: str, shape: tuple[int, ...]) -> None:
    theirs, ours = both(torch, lambda m: eval(f"m.nn.{made}", {"m": m}))
    x = np.random.default_rng(4).standard_normal(shape)
    agree(run(torch, theirs, x), run(mg, ours, x))
    for name, value in theirs.state_dict().items():
        np.testing.assert_allclose(numbers(ours.state_dict()[name]), numbers(value), 1e-12, err_msg=name)
    theirs.eval(), ours.eval()
    agree(run(torch, theirs, x), run(mg, ours, x))


@pytest.mark.parametrize("options", [{}, {"average_attn_weights": False}, {"need_weights": True, "attn_mask": True}])
def test_attention_attends_where_pytorchs_does(torch: ModuleType, options: dict[str, Any]) -> None:
    theirs, ours = both(torch, lambda m: m.nn.MultiheadAttention(4, 2, batch_first=True))
    rng = np.random.default_rng(5)
    arrays = [rng.standard_normal(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 4))]
    hidden = rng.random((3, 5)) < 0.3
    for library, module in ((torch, theirs), (mg, ours)):
        module.hidden = {**options, **({"attn_mask": library.tensor(hidden)} if "attn_mask" in options else {})}
    agree(
        run(torch, lambda_module(theirs), *arrays),
        run(mg, lambda_module(ours), *arrays),
    )


class lambda_module:  # noqa: N801 (a function with parameters)
    """A module called with the options that were hung on it."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __call__(self, *inputs: Any) -> Any:
        return self.module(*inputs, **self.module.hidden)

    def named_parameters(self) -> Any:
        return self.module.named_parameters()


def test_an_embedding_adds_up_the_gradients_of_a_row_named_twice(torch: ModuleType) -> None:
    theirs, ours = both(torch, lambda m: m.nn.Embedding(4, 3, padding_idx=1))
    for library, module in ((torch, theirs), (mg, ours)):
        (module(library.tensor([[0, 1], [0, 3]])) ** 2).sum().backward()
    np.testing.assert_allclose(numbers(ours.weight.grad), numbers(theirs.weight.grad), 1e-12)
    assert not numbers(ours.weight.grad)[1].any()


def test_the_parameters_of_a_layer_begin_within_pytorchs_bounds(torch: ModuleType) -> None:
    """Uniform draws: of many values the largest is close to the bound, in both libraries."""
    torch.manual_seed(0)
    mg.manual_seed(0)
    for made in ("Linear(50, 40)", "Conv2d(4, 8, 3)", "LSTM(20, 30)", "RNN(20, 30)"):
        theirs, ours = (eval(f"m.nn.{made}", {"m": m}) for m in (torch, mg))
        for name, value in theirs.named_parameters():
            if value.numel() > 100:
                mine = float(dict(ours.named_parameters())[name].detach().abs().max())
                assert mine == pytest.approx(float(value.detach().abs().max()), rel=0.1), (made, name)
