"""Derivatives of functions, rather than of tensors: Jacobians, Hessians and their products with vectors.

Each works on a function of one tensor or several, of one output or several, and returns results in the same structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.backward import grad
from minigrad.autograd.modes import enable_grad
from minigrad.autograd.wrap import TensorBase, wrap

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Tensors = Any
"""A Tensor, or a tuple of them."""


def vjp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), vᵀJ)``: the output, and the product of ``v`` (shaped like the output) with the Jacobian.

    >>> import minigrad as mg
    >>> mg.autograd.functional.vjp(lambda x: x * x, mg.tensor([1.0, 3.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([2., 6.])
    """
    with enable_grad():
        xs, one = _prepared(inputs, create_graph)
        ys, single = _called(func, xs, "vjp", strict)
        vs = _vectors(v, ys, "v")
    products = _grad(ys, xs, vs, create_graph, strict, "vjp")
    return _out(ys, single, create_graph), _out(products, one, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), Jv)``: the output, and the product of the Jacobian with ``v`` (shaped like the inputs).

    By two backward passes: the first is linear in its seed, and the second differentiates it with respect to that.

    >>> import minigrad as mg
    >>> mg.autograd.functional.jvp(lambda x: x * x, mg.tensor([1.0, 3.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([2., 6.])
    """
    with enable_grad():
        xs, _ = _prepared(inputs, create_graph)
        vs = _vectors(v, xs, "v")
        ys, single = _called(func, xs, "jvp", strict)
        seeds = tuple(_leaf(np.zeros_like(y.array)) for y in ys)
        back = _grad(ys, xs, seeds, True, strict, "jvp")
        products = _second(back, seeds, vs, create_graph)
    return _out(ys, single, create_graph), _out(products, single, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """∂func/∂inputs, of shape output.shape + input.shape; nested tuples where there are several outputs or inputs.

    >>> import minigrad as mg
    >>> mg.autograd.functional.jacobian(lambda x: x * x, mg.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError(f'Expected strategy to be either "forward-mode" or "reverse-mode". Got: "{strategy}".')
    with enable_grad():
        xs, one = _prepared(inputs, create_graph)
        ys, single = _called(func, xs, "jacobian", strict)
        rows = tuple(_jacobian_of(y, xs, create_graph, strict) for y in ys)
    blocks = tuple(_out(row, one, create_graph) for row in rows)
    return blocks[0] if single else blocks


def _jacobian_of(y: Tensor, xs: tuple[Tensor, ...], create_graph: bool, strict: bool) -> tuple[Tensor, ...]:
    """One block for each input, row by row of the flattened output."""
    from minigrad.ops.joining import stack

    rows = []
    for j in range(y.array.size):
        unit = np.zeros(y.array.shape, y.array.dtype)
        unit.reshape(-1)[j] = 1
        rows.append(_grad((y,), xs, (wrap(unit),), create_graph, strict, "jacobian", retain=True))
    if not rows:
        return tuple(wrap(np.zeros(y.array.shape + x.array.shape, y.array.dtype)) for x in xs)
    return tuple(
        stack(column).reshape(y.array.shape + x.array.shape)
        for column, x in zip(zip(*rows, strict=True), xs, strict=True)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """∂²func/∂inputs² of a scalar function, of shape input.shape + input.shape; nested tuples for several inputs.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hessian(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    one = isinstance(inputs, TensorBase)

    def gradient(*xs: Tensor) -> Any:
        ys, single = _called(func, xs, "hessian", strict)
        _check_scalar(ys, single)
        slopes = _grad(ys, xs, None, True, strict, "hessian")
        return slopes[0] if one else slopes

    return jacobian(gradient, inputs, create_graph, strict)


def vhp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), vᵀH)`` for a scalar function.

    >>> import minigrad as mg
    >>> mg.autograd.functional.vhp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        xs, one = _prepared(inputs, create_graph)
        vs = _vectors(v, xs, "v")
        ys, single = _called(func, xs, "vhp", strict)
        _check_scalar(ys, single)
        slopes = _grad(ys, xs, None, True, strict, "vhp")
        products = _grad(slopes, xs, vs, create_graph, strict, "vhp")
    return _out(ys, single, create_graph), _out(products, one, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), Hv)`` for a scalar function.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hvp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        xs, one = _prepared(inputs, create_graph)
        vs = _vectors(v, xs, "v")
        ys, single = _called(func, xs, "hvp", strict)
        _check_scalar(ys, single)
        seeds = tuple(_leaf(np.zeros_like(x.array)) for x in xs)
        slopes = _grad(ys, xs, None, True, strict, "hvp")
        back = _grad(slopes, xs, seeds, True, strict, "hvp")
        products = _second(back, seeds, vs, create_graph)
    return _out(ys, single, create_graph), _out(products, one, create_graph)


def _prepared(inputs: Tensors, create_graph: bool) -> tuple[tuple[Tensor, ...], bool]:
    """The inputs, requiring grad: with create_graph connected to the given ones, else cut off from them."""
    one = isinstance(inputs, TensorBase)
    given = (inputs,) if one else tuple(inputs)
    for position, x in enumerate(given):
        if not isinstance(x, TensorBase):
            raise TypeError(
                "The inputs given to the function must be either a Tensor or a tuple of Tensors but the value at index "
                f"{position} has type {type(x)}."
            )
    if create_graph:
        return tuple(x.view_as(x) if x.requires_grad else _leaf(x.array) for x in given), one
    return tuple(_leaf(x.array) for x in given), one


def _leaf(array: Any) -> Tensor:
    leaf = wrap(array)
    leaf._requires_grad = leaf.array.dtype.kind in "fc"
    return leaf


def _called(
    func: Callable[..., Any], xs: tuple[Tensor, ...], name: str, strict: bool
) -> tuple[tuple[Tensor, ...], bool]:
    result = func(*xs)
    single = isinstance(result, TensorBase)
    ys: tuple[Any, ...] = (result,) if single else tuple(result)
    for position, y in enumerate(ys):
        if not isinstance(y, TensorBase):
            raise TypeError(
                f"The outputs of the user-provided function given to {name} must be either a Tensor or a tuple of "
                f"Tensors but the value at index {position} has type {type(y)}."
            )
        if strict and not y.requires_grad:
            raise RuntimeError(
                f"Output {position} of the user-provided function does not require gradients. The outputs must be "
                "computed in a differentiable manner from the input when running in strict mode."
            )
    return ys, single


def _vectors(v: Tensors, like: tuple[Tensor, ...], name: str) -> tuple[Tensor, ...]:
    if v is None:
        if len(like) == 1 and like[0].array.size == 1:
            return (wrap(np.ones_like(like[0].array)),)
        raise RuntimeError(f"The vector {name} can only be None if the user-provided function has a single element.")
    vs = (v,) if isinstance(v, TensorBase) else tuple(v)
    if len(vs) != len(like):
        raise RuntimeError(f"{name} is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for position, (each, target) in enumerate(zip(vs, like, strict=True)):
        if each.array.shape != target.array.shape:
            raise RuntimeError(
                f"Entry {position} of the {name} has invalid size: should be {target.shape} but got {each.shape}."
            )
    return vs


def _check_scalar(ys: tuple[Tensor, ...], single: bool) -> None:
    if not single:
        raise RuntimeError("The function given to hessian should return a single Tensor")
    if ys[0].array.size != 1 or ys[0].array.ndim > 1:
        raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")


def _grad(
    ys: Any, xs: tuple[Tensor, ...], vs: Any, create_graph: bool, strict: bool, name: str, retain: bool = False
) -> tuple[Tensor, ...]:
    """``grad`` in which whatever does not depend on an input counts as zero, or with ``strict`` raises."""
    usable = [(y, None if vs is None else vs[i]) for i, y in enumerate(ys) if y.requires_grad]
    if not usable:
        found: tuple[Tensor | None, ...] = (None,) * len(xs)
    else:
        seeds = None if vs is None else [s for _, s in usable]
        found = grad(
            [y for y, _ in usable],
            xs,
            seeds,
            retain_graph=retain or create_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    if strict and any(g is None for g in found):
        position = next(i for i, g in enumerate(found) if g is None)
        raise RuntimeError(
            f"The output of the user-provided function is independent of input {position}. This is not allowed in "
            "strict mode."
        )
    return tuple(wrap(np.zeros_like(x.array)) if g is None else g for g, x in zip(found, xs, strict=True))


def _second(
    back: tuple[Tensor, ...], seeds: tuple[Tensor, ...], vs: tuple[Tensor, ...], create_graph: bool
) -> tuple[Tensor, ...]:
    return _grad(back, seeds, vs, create_graph, False, "jvp")


def _out(tensors: tuple[Tensor, ...], single: bool, create_graph: bool) -> Any:
    given = tensors if create_graph else tuple(wrap(t.array) for t in tensors)
    return given[0] if single else tuple(given)
