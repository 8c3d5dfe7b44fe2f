"""Derivatives of functions, rather than of tensors: Jacobians, Hessians and their products with vectors.

Each works on a function of one tensor or several, of one output or several, and returns results in the same structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.backward import grad
from minigrad.autograd.modes import enable_grad
from minigrad.autograd.strictness import as_tensors, check_connected, check_row, check_scalar, check_vector, filled
from minigrad.autograd.wrap import wrap

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
        xs, one = _prepared(inputs, create_graph, "vjp")
        ys, single = _called(func, xs, "vjp", strict)
        vs = _vector(v, ys, single, "vjp", "the user-provided function returns a single Tensor with a single element")
    products = filled(_grad(ys, xs, vs, create_graph), xs, strict, create_graph, "first")
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
        xs, one = _prepared(inputs, create_graph, "jvp")
        vs = _vector(v, xs, one, "jvp", _ONE_INPUT)
        ys, single = _called(func, xs, "jvp", strict)
        seeds = tuple(_leaf(np.zeros_like(y.array)) for y in ys)
        back = _grad(ys, xs, seeds, True)
        check_connected(back, "gradients", strict)
        products = filled(_grad(back, seeds, vs, create_graph), ys, strict, create_graph, "forward")
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
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        xs, one = _prepared(inputs, create_graph, "jacobian")
        ys, single = _called(func, xs, "jacobian", strict)
        rows = tuple(_jacobian_of(y, i, xs, create_graph, strict) for i, y in enumerate(ys))
    blocks = tuple(_out(row, one, create_graph) for row in rows)
    return blocks[0] if single else blocks


def _jacobian_of(
    y: Tensor, number: int, xs: tuple[Tensor, ...], create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """One block for each input, row by row of the flattened output."""
    from minigrad.ops.joining import stack

    rows = []
    for j in range(y.array.size):
        unit = np.zeros(y.array.shape, y.array.dtype)
        unit.reshape(-1)[j] = 1
        row = _grad((y,), xs, (wrap(unit),), create_graph, retain=True)
        check_row(row, number, strict, create_graph)
        rows.append(filled(row, xs, False, create_graph, "first"))
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
    one = as_tensors(inputs, "inputs", "hessian")[1]

    def gradient(*xs: Tensor) -> Any:
        ys, single = _called(func, xs, "hessian", strict)
        check_scalar(ys, single, "hessian")
        slopes = filled(_grad(ys, xs, None, True), xs, False, True, "first")
        check_connected(slopes, "jacobian", strict)
        return slopes[0] if one else slopes

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def vhp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), vᵀH)`` for a scalar function.

    >>> import minigrad as mg
    >>> mg.autograd.functional.vhp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        xs, one = _prepared(inputs, create_graph, "vhp")
        vs = _vector(v, xs, one, "vhp", _ONE_INPUT)
        ys, slopes = _slopes(func, xs, "vhp", strict)
        products = filled(_grad(slopes, xs, vs, create_graph), xs, strict, create_graph, "second")
    return _out(ys, True, create_graph), _out(products, one, create_graph)


def hvp(
    func: Callable[..., Any], inputs: Tensors, v: Tensors = None, create_graph: bool = False, strict: bool = False
) -> Any:
    """``(func(*inputs), Hv)`` for a scalar function.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hvp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]))[1]
    tensor([ 6., 12.])
    """
    with enable_grad():
        xs, one = _prepared(inputs, create_graph, "hvp")
        vs = _vector(v, xs, one, "hvp", _ONE_INPUT)
        ys, slopes = _slopes(func, xs, "hvp", strict)
        seeds = tuple(_leaf(np.zeros_like(x.array)) for x in xs)
        back = _grad(slopes, xs, seeds, True)
        check_connected(back, "hessian", strict)
        products = filled(_grad(back, seeds, vs, create_graph), xs, strict, create_graph, "second forward")
    return _out(ys, True, create_graph), _out(products, one, create_graph)


_ONE_INPUT = "the input to the user-provided function is a single Tensor with a single element"


def _prepared(inputs: Tensors, create_graph: bool, name: str) -> tuple[tuple[Tensor, ...], bool]:
    """The inputs, requiring grad: with create_graph connected to the given ones, else cut off from them."""
    given, one = as_tensors(inputs, "inputs", name)
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
    ys, single = as_tensors(func(*xs), "outputs of the user-provided function", name)
    check_connected(ys, "outputs", strict)
    return ys, single


def _slopes(
    func: Callable[..., Any], xs: tuple[Tensor, ...], name: str, strict: bool
) -> tuple[tuple[Tensor, ...], tuple[Tensor | None, ...]]:
    """The value of a scalar function, and its gradient, to be differentiated again."""
    ys, single = _called(func, xs, name, strict)
    check_scalar(ys, single, name)
    slopes = _grad(ys, xs, None, True)
    check_connected(slopes, "jacobian", strict)
    return ys, slopes


def _vector(v: Tensors, like: tuple[Tensor, ...], single: bool, name: str, needed: str) -> tuple[Tensor, ...]:
    """The vectors of a product; 1 where there is only one number to multiply, and none is given."""
    if v is None:
        if len(like) != 1 or like[0].array.size != 1:
            raise RuntimeError(f"The vector v can only be None if {needed}.")
        return (wrap(np.ones_like(like[0].array)),)
    vs, _ = as_tensors(v, "v", name)
    check_vector(vs, like, single)
    return vs


def _grad(
    ys: Any, xs: tuple[Tensor, ...], vs: Any, create_graph: bool, retain: bool = False
) -> tuple[Tensor | None, ...]:
    """``grad``, in which outputs that depend on nothing, or are undefined, count as zero."""
    usable = [(y, None if vs is None else vs[i]) for i, y in enumerate(ys) if y is not None and y.requires_grad]
    if not usable:
        return (None,) * len(xs)
    seeds = None if vs is None else [v for _, v in usable]
    return grad(
        [y for y, _ in usable],
        xs,
        seeds,
        retain_graph=retain or create_graph,
        create_graph=create_graph,
        allow_unused=True,
    )


def _out(tensors: tuple[Tensor, ...], single: bool, create_graph: bool) -> Any:
    given = tensors if create_graph else tuple(wrap(t.array) for t in tensors)
    return given[0] if single else tuple(given)
