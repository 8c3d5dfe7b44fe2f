"""What PyTorch has at its top in another form than elsewhere: the same answers as PyTorch's."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import at_the_top

torch = pytest.importorskip("torch")
WINDOWS = ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window")
OF_MORE = (
    "as_strided_",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "clip_",
    "gcd_",
    "index_put_",
    "lcm_",
    "ldexp_",
    "xlogy_",
)
OF_ONE = [name for name in at_the_top._IN_PLACE if name not in OF_MORE]


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("length", [0, 1, 2, 7])
def test_windows_are_pytorchs(name: str, length: int, periodic: bool) -> None:
    ours = getattr(mg, name)(length, periodic, dtype=mg.float64)
    theirs = getattr(torch, name)(length, periodic, dtype=torch.float64)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-12)
    assert getattr(mg, name)(length).dtype is mg.float32


def test_a_window_of_negative_length_or_whole_numbers_is_refused() -> None:
    with pytest.raises(RuntimeError, match="hann_window requires non-negative window_length, got window_length=-1"):
        mg.hann_window(-1)
    with pytest.raises(RuntimeError, match="expects floating point dtypes"):
        mg.hann_window(3, dtype=mg.int64)


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_in_place_write_what_pytorchs_do(name: str) -> None:
    start = 1.25 if name == "acosh_" or name == "arccosh_" else 0.25
    ours, theirs = mg.tensor([start, start]), torch.tensor([start, start])
    assert getattr(mg, name)(ours) is ours
    getattr(torch, name)(theirs)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)
    assert ours._version == 1


def test_every_function_in_place_is_pytorchs_too() -> None:
    assert [name for name in at_the_top._IN_PLACE if not hasattr(torch, name)] == []
    assert [name for name in at_the_top._IN_PLACE if not hasattr(mg, name)] == []


@pytest.mark.parametrize(
    "call",
    [
        "m.embedding(m.tensor([[1.0, 2.0], [3.0, 4.0]]), m.tensor([1, 0, 1]))",
        "m.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)",
        "m.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)",
        "m.adaptive_max_pool1d(x, 2)[1]",
        "m.adjoint(x)",
        "m.vander(x[0, 0], 3)",
        "m.vander(x[0, 0])",
        "m.vander(x[0, 0], 4, increasing=True)",
        "m.dropout(x, 0.5, False)",
        "m.alpha_dropout(x, 0.5, False)",
    ],
)
def test_the_others_answer_as_pytorchs_do(call: str) -> None:
    numbers = np.random.default_rng(0).standard_normal((2, 3, 4))
    answers: list[Any] = []
    for m in (mg, torch):
        answer = eval(call, {"m": m, "x": m.tensor(numbers)})
        answers.append(answer.numpy())
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-9)


def test_arguments_are_called_as_in_pytorch() -> None:
    assert list(inspect.signature(mg.embedding).parameters) == [
        "weight", "indices", "padding_idx", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip
