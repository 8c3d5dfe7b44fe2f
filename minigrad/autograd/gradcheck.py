"""``gradcheck``: is the derivative that an operation states the one that its values have?

The Jacobian found by nudging each input both ways is compared with the one that backward gives, row by row, and with
forward mode's, column by column. A complex number counts as its two real parts; with PyTorch's convention (the
conjugate of Wirtinger's derivative) the two Jacobians then agree as real ones do, since Re(v̄·dz) is the inner product
of the pairs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd import forward_ad, tangent_checks
from minigrad.autograd.backward import grad
from minigrad.autograd.barriers import UndefinedGrad
from minigrad.autograd.modes import no_grad
from minigrad.autograd.quick_checks import agrees_backward, agrees_forward
from minigrad.autograd.views import overlaps_itself
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Tested = Callable[..., Any]


class GradcheckError(RuntimeError):
    """The derivative is wrong, or could not be checked; the message says for which output and input."""


def gradcheck(
    func: Tested,
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    check_batched_forward_grad: bool = False,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of ``func`` agree with central differences, to ``atol + rtol · |numerical|``.

    ``inputs`` (float64 or complex128) that require grad are nudged by ``eps``; every differentiable output is checked.
    With ``raise_exception`` a disagreement raises GradcheckError with both Jacobians; otherwise it returns False.
    ``fast_mode`` follows one random direction through each Jacobian, and looks at all entries only where it disagrees.

    >>> import minigrad as mg
    >>> x = mg.tensor([0.5, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradcheck(lambda x: x.sin() * x, (x,))
    True
    """
    if not check_forward_ad and not check_backward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    given = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    _check_inputs(given)
    try:
        _check(func, given, eps, atol, rtol, nondet_tol, check_forward_ad, check_backward_ad, fast_mode)
        places = [i for i, x in enumerate(given) if _checked(x)]
        if check_forward_ad and check_undefined_grad:
            tangent_checks.check_undefined(func, given, places, GradcheckError)
        if check_forward_ad and check_batched_forward_grad:
            tangent_checks.check_batched(func, given, places, GradcheckError)
        if check_backward_ad:
            _check_multiplied(func, given)
            if check_undefined_grad:
                _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Tested,
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Any] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """``gradcheck`` of the gradient itself: are second derivatives right, also with respect to the incoming gradient?

    >>> import minigrad as mg
    >>> x = mg.tensor([0.5, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradgradcheck(lambda x: x.exp() * x, (x,))
    True
    """
    given = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    seeds = _seeds_for(func, given, grad_outputs)

    def gradient(*arguments: Any) -> tuple[Any, ...]:
        fresh = tuple(_requiring(a) for a in arguments)
        operands, incoming = fresh[: len(given)], fresh[len(given) :]
        wanted = [x for x in operands if _checked(x)]
        found = grad(_differentiable(func(*operands)), wanted, incoming, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None and g.requires_grad)

    return gradcheck(
        gradient,
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=False,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def _requiring(value: Any) -> Any:
    if isinstance(value, TensorBase) and value.requires_grad:
        return value
    return value


def _seeds_for(func: Tested, given: tuple[Any, ...], grad_outputs: Any) -> tuple[Any, ...]:
    if grad_outputs is not None:
        return (grad_outputs,) if isinstance(grad_outputs, TensorBase) else tuple(grad_outputs)
    rng = np.random.default_rng(0)
    return tuple(_random_like(out, rng) for out in _differentiable(func(*given)))


def _random_like(out: Tensor, rng: np.random.Generator) -> Tensor:
    values = rng.standard_normal(out.array.shape)
    if out.array.dtype.kind == "c":
        values = values + 1j * rng.standard_normal(out.array.shape)
    seed = wrap(np.asarray(values, dtype=out.array.dtype))
    seed._requires_grad = True
    return seed


def _checked(value: Any) -> bool:
    return isinstance(value, TensorBase) and value.requires_grad


def _differentiable(outputs: Any) -> list[Tensor]:
    several = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    return [out for out in several if _checked(out)]


def _check_inputs(given: tuple[Any, ...]) -> None:
    """Nudging one element must nudge one element: memory that is several elements at once cannot be checked."""
    for position, x in enumerate(given):
        if _checked(x) and overlaps_itself(x.array):
            raise RuntimeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )


def _check(
    func: Tested,
    given: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    forward: bool,
    backward: bool,
    fast: bool,
) -> None:
    wanted = [x for x in given if _checked(x)]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    for position, x in enumerate(wanted):
        if x.array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{position} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex.",
                stacklevel=4,
            )
    outputs = _differentiable(func(*given))
    if not outputs:
        _check_constant(func, given, wanted, eps)
        return
    if backward:
        for number, out in enumerate(outputs):
            for place, x in enumerate(wanted):
                quick = (func, given, x, number, _differentiable, eps, atol, rtol, nondet_tol)
                if not (fast and _quickly(agrees_backward, *quick)):
                    _check_entries(func, given, wanted, place, number, out, eps, atol, rtol, nondet_tol)
    if forward:
        _check_forward(func, given, outputs, eps, atol, rtol, fast)


def _check_entries(
    func: Tested,
    given: tuple[Any, ...],
    wanted: list[Any],
    place: int,
    number: int,
    out: Tensor,
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> None:
    """One output's Jacobian with respect to one input, entry by entry, and whether it comes out the same twice."""
    numerical = _nudged(func, given, wanted[place], number, eps)
    analytical = _by_backward(func, given, wanted, place, number)
    _compare_parts(analytical, numerical, number, place, atol, rtol, out)
    again = _by_backward(func, given, wanted, place, number)
    if not np.allclose(analytical, again, rtol=0, atol=nondet_tol, equal_nan=True):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient. Output "
            f"{number}, input {place}."
        )


def _quickly(check: Callable[..., bool], *arguments: Any) -> bool:
    """Whether the quick check is content; what makes it raise is told better by the thorough one."""
    try:
        return check(*arguments)
    except Exception:
        return False


def _check_forward(
    func: Tested, given: tuple[Any, ...], outputs: list[Tensor], eps: float, atol: float, rtol: float, fast: bool
) -> None:
    """The same against forward mode, one pass for each real part of an input."""
    for place, x in enumerate(x for x in given if _checked(x)):
        if fast and _quickly(agrees_forward, func, given, x, _differentiable, eps, atol, rtol):
            continue
        columns = _by_forward(func, given, x, outputs)
        for number, out in enumerate(outputs):
            numerical = _nudged(func, given, x, number, eps)
            _compare_parts(columns[number], numerical, number, place, atol, rtol, out, " computed with forward mode")


def _check_constant(func: Tested, given: tuple[Any, ...], wanted: list[Any], eps: float) -> None:
    """No output requires grad: then none may depend on an input."""
    several = func(*given)
    for number, out in enumerate(several if isinstance(several, (tuple, list)) else (several,)):
        if not isinstance(out, TensorBase) or out.array.dtype.kind not in "fc":
            continue
        for place, x in enumerate(wanted):
            if np.any(_nudged(func, given, x, number, eps, all_outputs=True)):
                raise GradcheckError(
                    f"Numerical gradient for function expected to be zero: output {number}, input {place}."
                )


def _compare(
    analytical: Array, numerical: Array, number: int, place: int, atol: float, rtol: float, how: str, part: str = ""
) -> None:
    if not np.allclose(analytical, numerical, rtol=rtol, atol=atol, equal_nan=True):
        raise GradcheckError(
            f"{part}Jacobian{how} mismatch for output {number} with respect to input {place},\n"
            f"numerical:{numerical.T}\nanalytical:{analytical.T}\n"
        )


def _compare_parts(
    analytical: Array, numerical: Array, number: int, place: int, atol: float, rtol: float, out: Tensor, how: str = ""
) -> None:
    """A complex output is compared part by part, the imaginary one first, as PyTorch says which."""
    if out.array.dtype.kind != "c":
        _compare(analytical, numerical, number, place, atol, rtol, how)
        return
    for first, name in ((1, "imaginary"), (0, "real")):
        part = f"While considering the {name} part of complex outputs only, "
        _compare(analytical[first::2], numerical[first::2], number, place, atol, rtol, how, part)


def _reals(array: Array) -> Array:
    """The elements as real numbers in a row, a complex one as two."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _nudged(
    func: Tested, given: tuple[Any, ...], x: Tensor, number: int, eps: float, all_outputs: bool = False
) -> Array:
    """∂output/∂x by central differences: one row for each real part of the output, one column for each of ``x``."""
    columns = []
    original = x.array
    size = _reals(original).size
    for k in range(size):
        ends = []
        for step in (eps, -eps):
            moved = np.array(original, order="C")
            _reals_of(moved)[k] += step
            x.array = moved
            try:
                several = func(*given)
                outputs = several if isinstance(several, (tuple, list)) else [several]
                chosen = outputs[number] if all_outputs else _differentiable(several)[number]
                ends.append(chosen.array.copy())  # before x is itself again: it may be the output
            finally:
                x.array = original
        _check_alike(ends[0], ends[1])
        columns.append((_reals(ends[0]) - _reals(ends[1])) / (2 * eps))
    rows = _reals(_differentiable(func(*given))[number].array).size if not all_outputs else 0
    return np.stack(columns, axis=1) if columns else np.zeros((rows, 0))


def _check_alike(one: Array, other: Array) -> None:
    """A shape or type that depends on values has no derivative."""
    for what, a, b in (("shape", one.shape, other.shape), ("dtype", one.dtype, other.dtype)):
        if a != b:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed: got {a} and {b}."
            )


def _reals_of(array: Array) -> Array:
    """The same, as a writable view of a contiguous array."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _by_backward(func: Tested, given: tuple[Any, ...], wanted: list[Any], place: int, number: int) -> Array:
    """The same Jacobian, a row for each unit cotangent."""
    out = _differentiable(func(*given))[number]
    rows = []
    for j in range(_reals(out.array).size):
        unit = np.zeros(out.array.shape, out.array.dtype)
        _reals_of(unit)[j] = 1
        (found,) = grad(out, wanted[place], wrap(unit), retain_graph=True, allow_unused=True)
        x = wanted[place].array
        if found is not None and found.array.shape != x.shape:
            raise GradcheckError(f"grad of input {place} has shape {found.array.shape} where the input has {x.shape}")
        rows.append(np.zeros(_reals(x).size) if found is None else _reals(found.array).astype(float))
    return np.stack(rows) if rows else np.zeros((0, _reals(wanted[place].array).size))


def _by_forward(func: Tested, given: tuple[Any, ...], x: Tensor, outputs: list[Tensor]) -> list[Array]:
    """The same Jacobians, one for each output, a column for each unit tangent. The inputs do not require grad here."""
    columns: list[list[Array]] = [[] for _ in outputs]
    for k in range(_reals(x.array).size):
        unit = np.zeros(x.array.shape, x.array.dtype)
        _reals_of(unit)[k] = 1
        with forward_ad.dual_level():
            bare = tuple(g.detach() if _checked(g) else g for g in given)
            dual = forward_ad.make_dual(bare[_place_of(x, given)], wrap(unit))
            several = func(*(dual if g is x else _still(g, b) for g, b in zip(given, bare, strict=True)))
            made = [out for out in (several if isinstance(several, (tuple, list)) else (several,)) if _floats(out)]
            for out, column in zip(made, columns, strict=False):
                tangent = forward_ad.unpack_dual(out).tangent
                size = _reals(out.array).size
                column.append(np.zeros(size) if tangent is None else _reals(tangent.array).astype(float))
    return [
        np.stack(column, axis=1) if column else np.zeros((_reals(out.array).size, 0))
        for column, out in zip(columns, outputs, strict=True)
    ]


def _still(given: Any, bare: Any) -> Any:
    """An input whose turn it is not: a tangent of zeros."""
    return forward_ad.make_dual(bare, wrap(np.zeros_like(bare.array))) if _checked(given) else bare


def _place_of(x: Tensor, given: tuple[Any, ...]) -> int:
    return next(i for i, g in enumerate(given) if g is x)


def _floats(value: Any) -> bool:
    return isinstance(value, TensorBase) and value.array.dtype.kind in "fc"


def _check_multiplied(func: Tested, given: tuple[Any, ...]) -> None:
    """A backward of zeros gives zeros (or nothing), whatever was saved."""
    wanted = [x for x in given if _checked(x)]
    outputs = _differentiable(func(*given))
    if not outputs:
        return
    with no_grad():
        zeros = [wrap(np.zeros_like(out.array)) for out in outputs]
    for found in grad(outputs, wanted, zeros, allow_unused=True):
        if found is not None and np.any(found.array != 0) and not np.isnan(found.array).any():
            raise GradcheckError("backward not multiplied by grad_output")


def _check_undefined(func: Tested, given: tuple[Any, ...]) -> None:
    """An output that nobody used sends no gradient at all: backward must bear it, and answer with nothing or zeros."""
    outputs = _differentiable(func(*given))
    if not outputs:
        return
    wanted = [x for x in given if _checked(x)]
    complaint = "Expected backward function to handle undefined output grads: to answer None with None, or with zeros."
    try:
        results = [
            grad(UndefinedGrad()(out), wanted, wrap(np.ones_like(out.array)), True, allow_unused=True)
            for out in outputs
        ]
    except RuntimeError as error:
        _tell_of_undefined()
        raise GradcheckError(complaint) from error
    if any(found is not None and np.any(found.array != 0) for result in results for found in result):
        _tell_of_undefined()
        raise GradcheckError(complaint)


def _tell_of_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=4,
    )


def get_numerical_jacobian(
    fn: Tested, inputs: Sequence[Any], target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> list[Tensor]:
    """The first output's Jacobian by central differences, for each input or for ``target``, transposed; ``fn`` takes
    the inputs as one tuple. Deprecated as in PyTorch."""
    _deprecated("get_numerical_jacobian", grad_out)
    given = tuple(inputs)
    wanted = [x for x in given if _checked(x)] if target is None else [target]

    def first(*arguments: Any) -> Any:
        several = fn(arguments)
        return several[0] if isinstance(several, (tuple, list)) else several

    return [wrap(_nudged(first, given, x, 0, eps).T.copy()) for x in wanted]


def get_analytical_jacobian(
    inputs: Sequence[Any], output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobian of ``output`` by backward, for each input, transposed; and whether it came out the same twice, with
    the right sizes and types. Deprecated as in PyTorch."""
    _deprecated("get_analytical_jacobian", grad_out)
    wanted = [x for x in inputs if _checked(x)]
    once, twice = (
        [_by_backward(lambda *_: output, (), wanted, place, 0) for place in range(len(wanted))] for _ in range(2)
    )
    same = all(np.allclose(a, b, rtol=0, atol=nondet_tol, equal_nan=True) for a, b in zip(once, twice, strict=True))
    return tuple(wrap(rows.T.copy()) for rows in once), same, True, True


def _deprecated(name: str, grad_out: float) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed; use gradcheck, or "
        "autograd.functional.jacobian.",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. gradcheck no longer supports values of grad_out != 1.0.")
