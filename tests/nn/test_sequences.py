"""Sequences of different lengths, weights computed from others, and layers that find their size: beside PyTorch's."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from tests.nn.test_modules import Kept
from tests.ops.test_every_operation import agree, gradients

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::FutureWarning")]

LENGTHS = [2, 4, 1]


def sequences(library: ModuleType, width: int = 3) -> list[Any]:
    rng = np.random.default_rng(0)
    return [library.from_numpy(rng.uniform(-1, 1, (n, width))).requires_grad_() for n in LENGTHS]


def both(torch: ModuleType, program: Any) -> None:
    """A program's results, and the gradients of the leaves that it names, in both libraries."""
    outcomes = []
    for library in (torch, mg):
        outputs, leaves = program(library)
        outcomes.append([*outputs, *gradients(library, tuple(outputs), leaves)])
    for place, (theirs, ours) in enumerate(zip(*outcomes, strict=True)):
        agree(ours, theirs, f"part {place}")


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_goes_to_one_side(torch: ModuleType, side: str) -> None:
    def program(library: ModuleType) -> Any:
        each = sequences(library)
        out = library.nn.utils.rnn.pad_sequence(each, batch_first=True, padding_value=0.5, padding_side=side)
        return [out], each

    both(torch, program)


def test_packing_and_padding_again_gives_the_sequences_back(torch: ModuleType) -> None:
    def program(library: ModuleType) -> Any:
        rnn, each = library.nn.utils.rnn, sequences(library)
        packed = rnn.pack_sequence(each, enforce_sorted=False)
        padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0, total_length=5)
        parts = rnn.unpad_sequence(padded, lengths, batch_first=True)
        return [packed.data, padded, *parts], each

    both(torch, program)


def test_packing_refuses_lengths_that_are_out_of_order() -> None:
    with pytest.raises(RuntimeError, match="must be sorted in decreasing order"):
        mg.nn.utils.rnn.pack_padded_sequence(mg.zeros(4, 3, 2), LENGTHS)
    with pytest.raises(RuntimeError, match="greater than 0"):
        mg.nn.utils.rnn.pack_padded_sequence(mg.zeros(4, 2, 2), [3, 0])


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_recurrent_layer_stops_where_each_sequence_ends(torch: ModuleType, kind: str, bidirectional: bool) -> None:
    def program(library: ModuleType) -> Any:
        nn, each = Kept(library), sequences(library)
        layer = getattr(nn, kind)(3, 4, 2, bidirectional=bidirectional)
        packed = library.nn.utils.rnn.pack_sequence(each, enforce_sorted=False)
        output, last = layer(packed)
        states = list(last) if kind == "LSTM" else [last]
        return [output.data, *states], [*each, *nn.parameters().values()]

    both(torch, program)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_learns_length_and_direction(torch: ModuleType, dim: int | None) -> None:
    def program(library: ModuleType) -> Any:
        nn, x = Kept(library), sequences(library)[1]
        layer = library.nn.utils.weight_norm(nn.Linear(3, 2), dim=dim)
        leaves = [layer.weight_g, layer.weight_v, layer.bias]
        return [layer(x)], leaves

    both(torch, program)


def test_weight_norm_can_be_taken_away_again(torch: ModuleType) -> None:
    layer = mg.nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    mg.nn.utils.remove_weight_norm(mg.nn.utils.weight_norm(layer))
    np.testing.assert_allclose(layer.weight.detach().array, before.array, rtol=1e-6)
    assert {name for name, _ in layer.named_parameters()} == {"weight", "bias"}
    with pytest.raises(ValueError, match="not found"):
        mg.nn.utils.remove_weight_norm(layer)


def test_spectral_norm_divides_by_the_largest_singular_value(torch: ModuleType) -> None:
    def program(library: ModuleType) -> Any:
        nn, x = Kept(library), sequences(library)[1]
        layer = library.nn.utils.spectral_norm(nn.Linear(3, 2), n_power_iterations=3)
        for name in ("u", "v"):
            buffer = getattr(layer, f"weight_{name}")
            buffer.copy_(library.ones_like(buffer) / len(buffer) ** 0.5)
        out = layer(x)
        return [out, layer.weight_u, layer.weight_v], [layer.weight_orig, layer.bias]

    both(torch, program)


def test_spectral_norm_goes_its_length_with_many_rounds() -> None:
    layer = mg.nn.utils.spectral_norm(mg.nn.Conv2d(2, 3, 2), n_power_iterations=50)
    layer(mg.zeros(1, 2, 3, 3))
    largest = mg.linalg.svdvals(layer.weight.detach().reshape(3, -1))[0].item()
    assert largest == pytest.approx(1, abs=1e-3)
    mg.nn.utils.remove_spectral_norm(layer)
    assert set(layer.state_dict()) == {"weight", "bias"}


@pytest.mark.parametrize(
    ("made", "shape", "becomes"),
    [
        ("LazyLinear(2)", (4, 3), "Linear"),
        ("LazyConv2d(2, 3, padding=1)", (1, 3, 4, 4), "Conv2d"),
        ("LazyConvTranspose1d(2, 3)", (3, 4), "ConvTranspose1d"),
        ("LazyBatchNorm2d()", (2, 3, 4, 4), "BatchNorm2d"),
    ],
)
def test_a_lazy_layer_becomes_an_ordinary_one(
    torch: ModuleType, made: str, shape: tuple[int, ...], becomes: str
) -> None:
    shapes = []
    for library in (torch, mg):
        layer = eval(f"m.nn.{made}", {"m": library})
        out = layer(library.zeros(*shape))
        assert type(layer).__name__ == becomes
        shapes.append([tuple(out.shape), [(name, tuple(each.shape)) for name, each in layer.named_parameters()]])
    assert shapes[0] == shapes[1]


def test_hard_gumbel_softmax_is_one_hot_with_the_gradient_of_shares() -> None:
    mg.manual_seed(0)
    logits = mg.zeros(500, 4, requires_grad=True)
    out = mg.nn.functional.gumbel_softmax(logits, tau=0.5, hard=True)
    assert set(np.unique(out.detach().array.round(5))) == {0.0, 1.0}
    assert (abs(out.detach().array.mean(0) - 0.25) < 0.08).all()
    (out * mg.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    assert logits.grad is not None
    assert logits.grad.abs().sum() > 0
