"""PyTorch's own sample inputs, those that its test suite feeds its operations, fed to ours: values and first gradients.

The walker in ``test_every_operation`` goes over our operations with samples of our own; this one goes over the public
functions with theirs. What differs on purpose is named, with the reason.
"""

from __future__ import annotations

import functools
import itertools
import types
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg

PARTS = 4
"""The operations are dealt out to so many tests, each of which loads PyTorch's table once."""
SAMPLES = 9
"""Of each operation and type, so many of those that PyTorch offers first are looked at, and every fourth is taken."""

OTHERWISE = {
    "__rpow__": "Python asks it for numbers raised to a tensor, never for two tensors",
    "as_strided_scatter": "PyTorch's gradient flows to elements that were overwritten",
    "masked.logsumexp": "PyTorch rounds the logarithm of whole numbers to a whole number",
    "histogramdd": "PyTorch counts in bins whose edges do not ascend, NumPy refuses them",
    "special.bessel_j0": "PyTorch's is right to seven digits",
    "special.bessel_j1": "PyTorch's is right to seven digits",
    "special.bessel_y0": "PyTorch's is right to seven digits",
    "special.bessel_y1": "PyTorch's is right to seven digits",
    "kthvalue": "which of equal elements is chosen",
    "mode": "which of equal elements is chosen",
    "topk": "which of equal elements is chosen",
    "sort": "equal elements keep their order here",
    "argsort": "equal elements keep their order here",
}
"""What differs, and why. (Random functions are compared in shape and type only.)"""
MISSING = ("strided", "bfloat16", "chalf", "complex32")
"""Words of a sample that asks for what minigrad has not on purpose."""
RANDOM: tuple[str, ...] = (
    "rand",
    "normal",
    "bernoulli",
    "empty",
    "multinomial",
    "uniform",
    "cauchy",
    "exponential",
    "geometric",
)
RANDOM += ("dropout", "rrelu", "fractional_max_pool", "gumbel", "lowrank", "poisson")


@functools.cache
def _table() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return list(op_db)


def _ours(op: Any) -> Any:
    """The function of the same name; None where there is none, and for those whose samples take minutes."""
    if op.name.startswith(("nn.functional.", "linalg.")):
        return None
    if isinstance(op.op, types.FunctionType) and "torch/testing" in op.op.__code__.co_filename:
        return None  # PyTorch's table wraps it in a function of its own.
    found: Any = mg
    for word in op.name.split("."):
        found = vars(found).get(word) if isinstance(found, ModuleType) else None
    return found if callable(found) and not isinstance(found, type) else getattr(mg.Tensor, op.name, None)


class Arguments:
    """One sample's arguments in one library, its tensors copied, with their strides, into fresh leaves."""

    def __init__(self, library: ModuleType, sample: Any) -> None:
        self.library, self.leaves, self.known = library, [], {}
        self.values = [self._converted(each) for each in (sample.input, *sample.args)]
        self.named = {key: self._converted(each) for key, each in sample.kwargs.items()}

    leaves: list[Any]
    known: dict[int, Any]

    def _converted(self, value: Any) -> Any:
        if hasattr(value, "resolve_conj"):
            return self._tensor(value)
        if type(value) in (list, tuple):
            return type(value)(map(self._converted, value))
        if self.library is mg and type(value).__module__ == "torch" and type(value).__name__ != "Size":
            name = str(value).removeprefix("torch.")
            return name if name == "cpu" else getattr(mg, name)
        return value

    def _tensor(self, value: Any) -> Any:
        if id(value) not in self.known:
            made = self.library.from_numpy(_copied(value.detach().resolve_conj().resolve_neg().numpy()))
            self.known[id(value)] = made
            if value.requires_grad:
                self.leaves.append(made.requires_grad_())
        return self.known[id(value)]


def _copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    copy = np.empty_like(array)
    copy[...] = array
    return copy


def _tensors(out: Any) -> Iterator[Any]:
    if isinstance(out, list | tuple):
        for each in out:
            yield from _tensors(each)
    elif hasattr(out, "grad_fn"):
        yield out


def _array(tensor: Any) -> Any:
    return np.asarray(tensor.detach().numpy())


def _agree(got: Any, want: Any, values: bool) -> None:
    ours, theirs = _array(got), _array(want.resolve_conj().resolve_neg())
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    if values:
        single = theirs.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(ours, theirs, *((1e-4, 1e-5) if single else (1e-7, 1e-9)))


def _gradients(library: ModuleType, outputs: list[Any], leaves: list[Any]) -> Any:
    rng = np.random.default_rng(0)
    able = [out for out in outputs if out.requires_grad]
    given = [library.from_numpy(np.asarray(rng.standard_normal(tuple(out.shape)))).to(out.dtype) for out in able]
    return library.autograd.grad(able, leaves, given, allow_unused=True) if able and leaves else ()


def _compare(op: Any, function: Any, sample: Any, torch: ModuleType) -> None:
    values = not any(word in op.name for word in RANDOM)
    theirs, ours = Arguments(torch, sample), Arguments(mg, sample)
    want = list(_tensors(op.op(*theirs.values, **theirs.named)))
    got = list(_tensors(function(*ours.values, **ours.named)))
    assert len(got) == len(want)
    for mine, other in zip(got, want, strict=True):
        _agree(mine, other, values)
    if values:
        arrived, expected = _gradients(mg, got, ours.leaves), _gradients(torch, want, theirs.leaves)
        for mine, other in zip(arrived, expected, strict=True):
            if mine is not None and other is not None and not other._is_zerotensor():
                _agree(mine, other, values)


def _samples(op: Any, torch: ModuleType, kind: str) -> list[Any]:
    dtype = getattr(torch, kind)
    if dtype not in op.supported_dtypes("cpu"):
        return []
    torch.manual_seed(0)
    derive = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    offered = itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=derive), SAMPLES)
    chosen = itertools.islice(offered, 0, None, 4)
    return [each for each in chosen if not any(word in f"{each.args} {each.kwargs}" for word in MISSING)]


@pytest.mark.oracle
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore")
def test_pytorchs_samples_give_pytorchs_values_and_gradients(torch: ModuleType, part: int) -> None:
    differing = []
    for op in _table()[part::PARTS]:
        function = _ours(op)
        if function is None or op.name in OTHERWISE:
            continue
        for sample in [each for kind in ("float64", "int64") for each in _samples(op, torch, kind)]:
            try:
                _compare(op, function, sample, torch)
            except Exception as error:
                differing.append(f"{op.name} {sample.args} {sample.kwargs}: {type(error).__name__} {str(error)[:200]}")
                break
    assert differing == []
