"""Every operation of the registry, against PyTorch and against mathematics. A new operation is its definition and its
samples.

Values, types, gradients and node names are PyTorch's; derivatives agree with differences; the two ways through the
dispatcher agree bit for bit; the in-place form equals the other. An operation without samples fails here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
import tests.ops.samples as families
from minigrad.autograd.regime import regime
from minigrad.events import OpApplied, listen
from minigrad.op import REGISTRY, Op
from tests.inspector.record.told import assert_told_alike
from tests.ops.sample import Array, Sample

OPERATIONS = {name: op for name, op in REGISTRY.items() if op.__module__.startswith("minigrad.")}
SAMPLES: dict[str, list[Sample]] = {}
for _family in pkgutil.iter_modules(families.__path__):
    SAMPLES.update(importlib.import_module(f"tests.ops.samples.{_family.name}").SAMPLES)


def every(wanted: Callable[[Op, Sample], bool] = lambda op, each: True) -> Any:
    """Parametrise a test over the operations, and run its body for each of an operation's samples that are ``wanted``.

    A failure names the sample in a note; the samples after it are not run.
    """

    def spread(test: Callable[..., None]) -> Any:
        chosen = {name: [each for each in SAMPLES.get(name, ()) if wanted(op, each)] for name, op in OPERATIONS.items()}

        @functools.wraps(test)
        def run(name: str, **fixtures: Any) -> None:
            for each in chosen[name]:
                try:
                    test(name=name, each=each, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"sample: {each}")
                    raise

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[each for key, each in signature.parameters.items() if key != "each"]
        )
        return pytest.mark.parametrize("name", [name for name, samples in chosen.items() if samples])(run)

    return spread


def derivable(op: Op, each: Sample) -> bool:
    return op.differentiable and bool(each.differentiable)


def compared(op: Op, each: Sample) -> bool:
    return each.public or each.torch is not None


# --- calling --------------------------------------------------------------------------------------------------------


def call(library: ModuleType, name: str, each: Sample, inputs: dict[str, Any]) -> tuple[Any, ...]:
    """The results of a sample's call, as a tuple. Warnings of the call are its own affair."""
    text = each.torch if each.torch is not None and library is not mg else each.call
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        out = eval(text, {"m": library, "op": OPERATIONS[name], **inputs})
    return tuple(out) if isinstance(out, tuple | list) else (out,)


def tensors(
    library: ModuleType, arrays: dict[str, Array], requiring: tuple[str, ...] | list[str] = ()
) -> dict[str, Any]:
    """Tensors that hold copies of the arrays."""
    made = {}
    for name, array in arrays.items():
        made[name] = (
            library.from_numpy(array.copy(order="K"))
            if array.ndim
            else library.tensor(array.item(), dtype=_dtype(library, array))
        )
        if name in requiring and array.dtype.kind in "fc":
            made[name].requires_grad_()
    return made


def _dtype(library: ModuleType, array: Array) -> Any:
    return getattr(library, str(array.dtype))


def cast(each: Sample, arrays: dict[str, Array], dtype: str) -> dict[str, Array]:
    """The real inputs in another type; complex numbers get an imaginary part."""
    rng = np.random.default_rng(1)
    result = dict(arrays)
    for name in each.differentiable:
        values = arrays[name]
        if dtype.startswith("complex"):
            values = values + 1j * rng.uniform(-1, 1, values.shape)
        result[name] = np.asarray(values).astype(dtype)
    return result


def numbers(tensor: Any) -> Any:
    """A result as an array, whatever it is."""
    if isinstance(tensor, mg.Tensor):
        return tensor.detach().array
    if hasattr(tensor, "resolve_conj"):
        return tensor.detach().resolve_conj().resolve_neg().numpy(force=True)
    return np.asarray(tensor)


def agree(got: Any, want: Any, what: str, single: bool = False) -> None:
    """Equal in shape, type and value, to the rounding of the type, or of float32 where that took part (``single``)."""
    ours, theirs = numbers(got), numbers(want)
    assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, PyTorch {theirs.shape}"
    assert ours.dtype == theirs.dtype, f"{what}: type {ours.dtype}, PyTorch {theirs.dtype}"
    single = single or theirs.dtype in (np.float32, np.complex64)
    rtol, atol = (2e-5, 2e-6) if single else (1e-2, 1e-3) if theirs.dtype == np.float16 else (1e-9, 1e-11)
    np.testing.assert_allclose(ours, theirs, rtol, atol, equal_nan=True, err_msg=what)


def seeds(outputs: tuple[Any, ...], library: ModuleType) -> list[Any]:
    """A fixed gradient for each output that can have one."""
    rng = np.random.default_rng(2)
    made = []
    for out in outputs:
        array = numbers(out)
        if array.dtype.kind in "fc" and out.requires_grad:
            values = rng.uniform(-1, 1, array.shape)
            values = values + 1j * rng.uniform(-1, 1, array.shape) if array.dtype.kind == "c" else values
            values = np.asarray(values).astype(array.dtype)
            made.append((out, tensors(library, {"g": values})["g"]))
    return made


def gradients(
    library: ModuleType, outputs: tuple[Any, ...], inputs: list[Any], create_graph: bool = False
) -> tuple[Any, ...]:
    """What arrives at the inputs from fixed gradients of the outputs."""
    pairs = seeds(outputs, library)
    if not pairs:
        return (None,) * len(inputs)
    outs, given = zip(*pairs, strict=True)
    return library.autograd.grad(outs, inputs, given, allow_unused=True, create_graph=create_graph)  # type: ignore[no-any-return]


REFUSALS = (RuntimeError, IndexError, NotImplementedError, TypeError, ValueError, ZeroDivisionError)


def both_ways(
    torch: ModuleType, name: str, each: Sample, arrays: dict[str, Array], derive: bool = True, strict: bool = True
) -> None:
    """Run a sample in both libraries and compare results and gradients.

    Where PyTorch refuses, so do we if ``strict``; where it only has not come to it yet, we may be ahead.
    """
    requiring = each.differentiable if derive else []
    theirs = tensors(torch, arrays, requiring)
    ours = tensors(mg, arrays, requiring)
    try:
        wanted = call(torch, name, each, theirs)
    except REFUSALS:
        if strict:
            with pytest.raises(REFUSALS):
                call(mg, name, each, ours)
        return
    got = call(mg, name, each, ours)
    assert len(got) == len(wanted)
    single = any(x.dtype == np.float32 for x in arrays.values())
    for i, (ours_out, theirs_out) in enumerate(zip(got, wanted, strict=True)):
        agree(ours_out, theirs_out, f"result {i}", single)
        _same_standing(each, ours_out, theirs_out)
    _compare_gradients(torch, each, ours, theirs, got, wanted, single)


def _same_standing(each: Sample, ours: Any, theirs: Any) -> None:
    """Whether a result requires grad, and from which node it comes."""
    if not hasattr(theirs, "requires_grad"):
        return
    assert ours.requires_grad == theirs.requires_grad
    if theirs.grad_fn is not None and each.public:
        assert ours.grad_fn.name() == theirs.grad_fn.name().rsplit("::", 1)[-1]


def _compare_gradients(
    torch: ModuleType, each: Sample, ours: Any, theirs: Any, got: Any, wanted: Any, single: bool
) -> None:
    names = [name for name in each.differentiable if theirs[name].requires_grad]
    try:
        expected = gradients(torch, wanted, [theirs[name] for name in names])
    except RuntimeError as error:
        if "not implemented" not in str(error):
            return  # PyTorch's own rule stumbled, over a bool for example.
        with pytest.raises(NotImplementedError):
            gradients(mg, got, [ours[name] for name in names])
        return
    arrived = gradients(mg, got, [ours[name] for name in names])
    for name, mine, other in zip(names, arrived, expected, strict=True):
        assert (mine is None) == (other is None), f"gradient of {name}"
        if mine is not None:
            agree(mine, other, f"gradient of {name}", single)


# --- what an operation must have ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_has_samples(name: str) -> None:
    assert SAMPLES.get(name), f"{name} has no samples: add some to tests/ops/samples"


def test_samples_belong_to_operations() -> None:
    assert not SAMPLES.keys() - REGISTRY.keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_tells_what_it_is(name: str) -> None:
    op = OPERATIONS[name]
    assert op.label
    assert op.__doc__ is not None
    assert ">>>" in op.__doc__, "its docstring shows an example"
    if op.differentiable:
        assert op.formula


@every()
def test_a_sample_goes_through_its_operation(name: str, each: Sample) -> None:
    applied: list[Op] = []
    with listen(lambda event: applied.append(event.op), OpApplied):
        try:
            call(mg, name, each, tensors(mg, each.draw()))
        except (RuntimeError, IndexError):
            return
    assert OPERATIONS[name] in applied


# --- against PyTorch ------------------------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@every(compared)
def test_values_and_gradients_are_pytorchs(torch: ModuleType, name: str, each: Sample, dtype: str) -> None:
    both_ways(torch, name, each, cast(each, each.draw(), dtype))


@pytest.mark.oracle
@every(lambda op, each: compared(op, each) and any(len(x.shape) > 1 for x in each.inputs.values()))
def test_operands_may_lie_anyhow_in_memory(torch: ModuleType, name: str, each: Sample) -> None:
    arrays = {key: np.swapaxes(np.swapaxes(x, 0, -1).copy(), 0, -1) if x.ndim else x for key, x in each.draw(3).items()}
    both_ways(torch, name, each, arrays)


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
@every(lambda op, each: compared(op, each) and "i" in each.kinds and bool(each.differentiable))
def test_whole_numbers_become_what_they_do_in_pytorch(torch: ModuleType, name: str, each: Sample, dtype: str) -> None:
    arrays = each.draw(4)
    shifted = {
        key: np.asarray(np.abs(x) * 3 + 1 if dtype != "bool" and x.dtype.kind == "f" else x)
        for key, x in arrays.items()
    }
    both_ways(torch, name, each, cast(each, shifted, dtype), derive=False, strict=False)


@pytest.mark.oracle
@every(lambda op, each: compared(op, each) and len(each.differentiable) > 1)
@pytest.mark.parametrize(
    "dtypes", [("float32", "float64"), ("float64", "float32"), ("float32", "int64"), ("bool", "float32")]
)
def test_operands_of_two_types_meet_where_they_do_in_pytorch(
    torch: ModuleType, name: str, each: Sample, dtypes: tuple[str, str]
) -> None:
    arrays = each.draw(5)
    for key, dtype in zip(each.differentiable, dtypes, strict=False):
        arrays[key] = np.asarray(arrays[key]).astype(dtype)
    both_ways(torch, name, each, arrays, strict=False)


@pytest.mark.oracle
@every(lambda op, each: compared(op, each) and "c" in each.kinds and bool(each.differentiable))
def test_complex_values_and_gradients_are_pytorchs(torch: ModuleType, name: str, each: Sample) -> None:
    both_ways(torch, name, each, cast(each, each.draw(6), "complex128"), strict=False)


@pytest.mark.oracle
@every(lambda op, each: compared(op, each) and each.special and bool(each.differentiable))
def test_nan_and_infinity_go_where_they_do_in_pytorch(torch: ModuleType, name: str, each: Sample) -> None:
    arrays = each.draw(7)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]
    for offset, key in enumerate(each.differentiable):
        flat = arrays[key].reshape(-1)
        flat[:] = [odd[(i * (offset + 1) + offset) % len(odd)] for i in range(flat.size)]
    both_ways(torch, name, each, arrays)


@pytest.mark.oracle
@every(lambda op, each: compared(op, each) and derivable(op, each) and each.second)
def test_second_derivatives_are_pytorchs(torch: ModuleType, name: str, each: Sample) -> None:
    arrays = each.draw(8)
    results = {}
    for library in (torch, mg):
        inputs = tensors(library, arrays, each.differentiable)
        leaves = [inputs[key] for key in each.differentiable]
        try:
            first = gradients(library, call(library, name, each, inputs), leaves, create_graph=True)
            first = tuple(g for g in first if g is not None and g.requires_grad)
            results[library.__name__] = gradients(library, first, leaves)
        except (RuntimeError, IndexError):
            results[library.__name__] = None
    ours, theirs = results["minigrad"], results["torch"]
    if theirs is None:
        assert ours is None
        return
    for key, mine, other in zip(each.differentiable, ours or (), theirs, strict=True):
        zero = np.zeros(arrays[key].shape)
        agree(zero if mine is None else mine, zero if other is None else other, f"second derivative by {key}")


TELLS_ANOTHER = {
    "aligned": "ctc_loss lays the targets out anew",
    "contracted": "einsum is one operation here, and multiplies two by two in PyTorch",
    "log_ndtr": "one operation here",
    "narrowly_slice_along": "PyTorch cannot differentiate it from a negative start",
    "ndtr": "one operation here",
}
"""Operations that keep something else than PyTorch's do, and why."""


@pytest.mark.oracle
@every(lambda op, each: each.public and derivable(op, each))
def test_of_overwritten_values_pytorchs_is_told_first(torch: ModuleType, name: str, each: Sample) -> None:
    arrays = each.draw(9)
    if name in TELLS_ANOTHER or any(array.size == 0 for array in arrays.values()):
        return
    for requiring in ([key] for key in each.differentiable):
        assert _told(mg, name, each, arrays, requiring) == _told(torch, name, each, arrays, requiring), requiring
    both = each.differentiable
    assert _told(mg, name, each, arrays, both) == _told(torch, name, each, arrays, both)


def _told(library: ModuleType, name: str, each: Sample, arrays: dict[str, Array], requiring: list[str]) -> str:
    """Which operand or result the error names when all have been overwritten, each another number of times."""
    inputs = {key: x * 1 if x.requires_grad else x for key, x in tensors(library, arrays, requiring).items()}
    try:
        outputs = [out for out in call(library, name, each, inputs) if isinstance(out, library.Tensor)]
    except (RuntimeError, IndexError, TypeError, ValueError):
        return "refused"
    written = [*inputs.items(), *((f"output {i}", out) for i, out in enumerate(outputs))]
    for times, (_, tensor) in enumerate(written, start=1):
        for _ in range(times):
            library.autograd.graph.increment_version(tensor)
    roots = [out for out in outputs if out.requires_grad]
    try:
        library.autograd.backward(roots, [library.ones_like(out) for out in roots])
    except RuntimeError as error:
        versions = re.search(r"is at version (\d+); expected version (\d+)", str(error))
        if versions is not None:
            times = int(versions[1]) - int(versions[2])
            return written[times - 1][0] if times <= len(written) else "something else"
        return "another error"
    return "nothing"


# --- against mathematics, and against itself ------------------------------------------------------------------------


def _smooth(op: Op, each: Sample) -> bool:
    return (
        derivable(op, each)
        and each.smooth
        and op.backward_name != "NotImplemented"
        and each.call.count("backward") == 0
    )


@every(_smooth)
def test_derivatives_agree_with_differences_both_ways(name: str, each: Sample) -> None:
    check = function_of(name, each)
    assert check is None or mg.autograd.gradcheck(*check, check_forward_ad=True)


@every(lambda op, each: _smooth(op, each) and each.second)
def test_second_derivatives_agree_with_differences(name: str, each: Sample) -> None:
    check = function_of(name, each)
    assert check is None or mg.autograd.gradgradcheck(*check)


def function_of(name: str, each: Sample) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """A sample as a function and its arguments; None for one that shows a refusal, which has no derivative."""
    inputs = tensors(mg, each.draw(9), each.differentiable)

    def function(*values: Any) -> Any:
        out = call(mg, name, each, dict(zip(inputs, values, strict=True)))
        return tuple(x for x in out if isinstance(x, mg.Tensor) and x.array.dtype.kind in "fc")

    try:
        function(*inputs.values())
    except (RuntimeError, IndexError):
        return None
    return function, tuple(inputs.values())


@every()
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_fast_way_and_the_general_way_agree_bit_for_bit(name: str, each: Sample, dtype: str) -> None:
    arrays = cast(each, each.draw(10), dtype)
    outcomes = []
    for unusual in (False, True):
        if unusual:
            regime.enter()
        try:
            inputs = tensors(mg, arrays, each.differentiable)
            outputs = call(mg, name, each, inputs)
            derived = _derived(outputs, [inputs[key] for key in each.differentiable])
            outcomes.append((outputs, derived))
        except (RuntimeError, IndexError) as error:
            outcomes.append(str(error))
        finally:
            if unusual:
                regime.leave()
    if isinstance(outcomes[0], str):
        assert outcomes[0] == outcomes[1]
        return
    (fast, fast_gradients), (slow, slow_gradients) = outcomes
    for one, other in zip((*fast, *fast_gradients), (*slow, *slow_gradients), strict=True):
        _identical(one, other)


def _derived(outputs: tuple[Any, ...], leaves: list[Any]) -> tuple[Any, ...]:
    try:
        return gradients(mg, outputs, leaves)
    except NotImplementedError:
        return ()


def _identical(one: Any, other: Any) -> None:
    if one is None or other is None:
        assert one is other
        return
    a, b = numbers(one), numbers(other)
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes()
    if isinstance(one, mg.Tensor) and one.grad_fn is not None:
        assert one.grad_fn.name() == other.grad_fn.name()
        assert [edge is None for edge in one.grad_fn.next_nodes] == [edge is None for edge in other.grad_fn.next_nodes]


def _inplace_name(op: Op) -> str | None:
    name = f"{op.name}_"
    return name if hasattr(mg.Tensor, name) else None


@pytest.mark.oracle
@every(
    lambda op, each: (
        each.public and each.call.startswith("m.") and bool(each.differentiable) and _inplace_name(op) is not None
    )
)
@pytest.mark.filterwarnings("ignore:.* is in beta:UserWarning")  # PyTorch says it once, to whichever test asks first
def test_in_place_equals_out_of_place(torch: ModuleType, name: str, each: Sample) -> None:
    """``m.f(x, …)`` and ``x.f_(…)`` give the same, write into x itself, count one write, and lead back the same way."""
    method = _inplace_name(OPERATIONS[name])
    start, _, rest = each.call.removeprefix("m.").partition("(")
    if start != OPERATIONS[name].name or rest[:2] not in ("x,", "x)"):
        return
    text = f"x.{method}({rest.removeprefix('x').removeprefix(',').strip()}"
    outcomes = {}
    for library in (torch, mg):
        inputs = tensors(library, each.draw(11), each.differentiable)
        leaves = [inputs[key] for key in each.differentiable]
        target = inputs["x"] * 1
        try:
            out = eval(text, {"m": library, **inputs, "x": target})
            outcomes[library.__name__] = (out, target, gradients(library, (out,), leaves))
        except (RuntimeError, NotImplementedError) as error:
            outcomes[library.__name__] = error
    ours, theirs = outcomes["minigrad"], outcomes["torch"]
    if isinstance(theirs, Exception):
        return
    assert not isinstance(ours, Exception), ours
    assert ours[0] is ours[1]
    assert ours[1]._version == theirs[1]._version
    agree(ours[0], theirs[0], "result")
    for mine, other in zip(ours[2], theirs[2], strict=True):
        assert (mine is None) == (other is None)
        if mine is not None:
            agree(mine, other, "gradient")


@every(derivable)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_recording_is_told_the_same_by_the_journal_as_by_events(
    name: str, each: Sample, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without values the journal tells forms of gradients that were foreseen when the nodes were made."""
    arrays = cast(each, each.draw(), dtype)

    def program() -> None:
        mg.manual_seed(0)
        leaves = tensors(mg, arrays, each.differentiable)
        begun = {key: leaf * 1.0 if leaf.requires_grad else leaf for key, leaf in leaves.items()}
        for inputs in (leaves, begun):
            with contextlib.suppress(*REFUSALS):  # which are told as well
                pairs = seeds(call(mg, name, each, inputs), mg)
                if pairs:
                    outputs, given = zip(*pairs, strict=True)
                    mg.autograd.backward(outputs, given)

    assert_told_alike(program, monkeypatch, values=False, places=False)
