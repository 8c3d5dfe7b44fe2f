"""Functions that make functions: ``grad``, ``vjp``, ``jvp``, ``jacrev``, ``jacfwd``, ``hessian``, ``vmap``, under the
names of ``torch.func``. Arguments and results may be tensors, and tuples, lists and dictionaries of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy as np

from minigrad.autograd import forward_ad
from minigrad.autograd.backward import grad as gradients_of
from minigrad.autograd.batching import vmap
from minigrad.autograd.duals import duals
from minigrad.autograd.modes import enable_grad, no_grad
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.missing import lacking
from minigrad.nn.module import Module
from minigrad.ops.joining import stack
from minigrad.ops.likeness import zeros_like

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]

Argnums = int | tuple[int, ...]
_depth = ContextVar("_depth", default=0)
"""How many of these functions are running inside each other: an inner one's result is differentiated again."""


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The gradient of ``func``, whose result is one number, for the arguments at ``argnums``.

    With ``has_aux``, ``func`` returns a second thing, which is passed on. Raises RuntimeError for a result of several
    elements.

    >>> import minigrad as mg
    >>> grad(lambda x: x.sin())(mg.tensor(0.0)), grad(grad(lambda x: x**3))(mg.tensor(2.0))
    (tensor(1.), tensor(12.))
    """
    both = grad_and_value(func, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Like ``grad``, with the result of ``func`` as second: ``gradient, value``."""

    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        with _variables(args, argnums) as run:
            result, aux = _split(func(*run.args, **kwargs), has_aux)
            if not isinstance(result, TensorBase) or result.dim() != 0:
                raise RuntimeError(
                    "Expected f(*args) to return a scalar tensor, got "
                    + (f"tensor with {result.dim()} dims." if isinstance(result, TensorBase) else f"{type(result)}.")
                )
            found = run.rebuilt(run.pulled([result], [None]))
        value = run.outside(result)
        return found, (value, run.outside(aux)) if has_aux else value

    return gradient_and_value


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``func(*primals)``, and the function that takes cotangents of it to gradients of ``primals``.

    >>> import minigrad as mg
    >>> out, pull = vjp(lambda x: x * x, mg.tensor([1.0, 2.0]))
    >>> out, pull(mg.ones(2))
    (tensor([1., 4.]), (tensor([2., 4.]),))
    """
    with _variables(primals, tuple(range(len(primals)))) as run:
        result, aux = _split(func(*run.args), has_aux)

    def pull(cotangents: Any) -> Any:
        with enable_grad():
            return run.rebuilt(run.pulled(list(_leaves(result)), list(_leaves(cotangents)), keep=True))

    return (run.outside(result), pull, run.outside(aux)) if has_aux else (run.outside(result), pull)


def jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], *, has_aux: bool = False) -> Any:
    """``func(*primals)``, and how it changes along ``tangents``; in forward mode, or within another forward mode by
    two backward passes.

    >>> import minigrad as mg
    >>> jvp(lambda x: x * x, (mg.tensor([1.0, 2.0]),), (mg.tensor([1.0, 0.0]),))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple) or len(primals) != len(tangents):
        raise ValueError("jvp(f, primals, tangents): expected two tuples of the same length, and not empty.")
    if duals.tangents is not None:
        return _pushed_backwards(func, primals, tangents, has_aux)
    with forward_ad.dual_level():
        pairs = iter([forward_ad.make_dual(x, t) for x, t in zip(_leaves(primals), _leaves(tangents), strict=True)])
        result, aux = _split(func(*_rebuilt(primals, pairs)), has_aux)
        parts = [forward_ad.unpack_dual(each) for each in _leaves(result)]
        values = _rebuilt(result, iter([part.primal for part in parts]))
        slopes = [zeros_like(part.primal) if part.tangent is None else part.tangent for part in parts]
        changes = _rebuilt(result, iter(slopes))
    if not _depth.get() and not any(each.requires_grad for each in _leaves((primals, tangents))):
        values, changes, aux = map(_detached, (values, changes, aux))
    return (values, changes, aux) if has_aux else (values, changes)


def _pushed_backwards(
    func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool
) -> Any:
    """The gradient is linear in its cotangent; the transpose of that map is the change along a tangent."""
    with _variables(primals, tuple(range(len(primals)))) as run:
        result, aux = _split(func(*run.args), has_aux)
        seeds = [zeros_like(each).requires_grad_() for each in _leaves(result)]
        pulled = run.pulled(list(_leaves(result)), list(seeds), keep=True)
        pairs = [(out, t) for out, t in zip(pulled, _leaves(tangents), strict=True) if out.requires_grad]
        outs, directions = zip(*pairs, strict=True) if pairs else ((), ())
        slopes = gradients_of(outs, seeds, directions, create_graph=True, materialize_grads=True) if pairs else seeds
        changes = _rebuilt(result, iter(slopes))
    return (result, changes, aux) if has_aux else (result, changes)


def jacrev(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The Jacobian of ``func`` for the arguments at ``argnums``, one backward pass for each element of the result. Its
    shape is that of the result, followed by that of the argument.

    >>> import minigrad as mg
    >>> jacrev(lambda x: x * x)(mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with _variables(args, argnums) as run:
            result, aux = _split(func(*run.args, **kwargs), has_aux)
            found = [run.rebuilt(_rows(run, each)) for each in _leaves(result)]
        jacobians = _rebuilt(result, iter(found))
        return (jacobians, run.outside(aux)) if has_aux else jacobians

    return jacobian


def jacfwd(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The same Jacobian, one forward pass for each element of the argument.

    >>> import minigrad as mg
    >>> jacfwd(lambda x: x * x)(mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = (argnums,) if isinstance(argnums, int) else argnums
        found, aux = [], None
        for place in wanted:
            columns, aux = _columns(func, args, kwargs, place, has_aux)
            found.append(columns)
        jacobians = found[0] if isinstance(argnums, int) else tuple(found)
        return (jacobians, aux) if has_aux else jacobians

    return jacobian


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Hessian of ``func``: forward mode over reverse mode.

    >>> import minigrad as mg
    >>> hessian(lambda x: x.prod())(mg.tensor([2.0, 3.0]))
    tensor([[0., 1.],
            [1., 0.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args)`` with other tensors in the places of the parameters and buffers of these names.

    Raises RuntimeError for a name that the module does not have, and with ``strict`` for one that is not given.
    """
    given: dict[str, Any] = {}
    dicts = parameter_and_buffer_dicts
    for each in dicts if isinstance(dicts, Sequence) else (dicts,):
        given.update(each)
    positional = args if isinstance(args, tuple) else () if args is None else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


@contextlib.contextmanager
def _replaced(module: Module, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    places = _places(module)
    unknown = [name for name in given if name not in places]
    lost = [name for name in places if name not in given] if strict else []
    if unknown or lost:
        told = [f"Unexpected key(s): {', '.join(unknown)}."] * bool(unknown)
        told += [f"Missing key(s): {', '.join(lost)}."] * bool(lost)
        raise RuntimeError(f"Error(s) in the names given to functional_call: {' '.join(told)}")
    before = {name: table[key] for name, (table, key) in places.items()}
    tied = {id(before[name]): value for name, value in given.items()} if tie_weights else {}
    try:
        for name, (table, key) in places.items():
            table[key] = given.get(name, tied.get(id(table[key]), table[key]))
        yield
    finally:
        for name, (table, key) in places.items():
            table[key] = before[name]


def _places(module: Module) -> dict[str, tuple[dict[str, Any], str]]:
    """Where each parameter and buffer is kept, by qualified name."""
    return {
        f"{path}.{key}" if path else key: (table, key)
        for path, each in module.named_modules(remove_duplicate=False)
        for table in (each._parameters, each._buffers)
        for key, tensor in table.items()
        if tensor is not None
    }


# Variables


class _Run:
    """The arguments of one call, those at ``argnums`` as variables of their own."""

    def __init__(self, args: tuple[Any, ...], argnums: Argnums, nested: bool) -> None:
        self._single = isinstance(argnums, int)
        wanted = (argnums,) if isinstance(argnums, int) else argnums
        places = [place + len(args) if place < 0 else place for place in wanted]
        if any(not 0 <= place < len(args) for place in places):
            raise RuntimeError(f"Got argnum={argnums}, but only {len(args)} positional inputs")
        self._given = [args[place] for place in places]
        self._attached = nested or any(each.requires_grad for each in _leaves(args))
        self._chosen = [_rebuilt(one, map(_variable, _leaves(one))) for one in self._given]
        chosen = dict(zip(places, self._chosen, strict=True))
        self.args = tuple(chosen.get(place, one) for place, one in enumerate(args))

    def pulled(self, results: list[Any], cotangents: list[Any], keep: bool = False) -> list[Any]:
        """The gradients of all variables."""
        variables = list(_leaves(self._chosen))
        live = [(out, g) for out, g in zip(results, cotangents, strict=True) if out.requires_grad]
        if not live:
            return [zeros_like(each) for each in variables]
        outs, seeds = zip(*live, strict=True)
        found = gradients_of(
            outs, variables, seeds, retain_graph=keep or None, create_graph=self._attached, materialize_grads=True
        )
        return list(found)

    def rebuilt(self, found: list[Any]) -> Any:
        """One for each variable, as the arguments were given."""
        parts = iter(found)
        trees = tuple(_rebuilt(one, parts) for one in self._given)
        return trees[0] if self._single else trees

    def outside(self, value: Any) -> Any:
        """A result for whoever called: without the variables, which are nobody's business."""
        return value if self._attached else _detached(value)


@contextlib.contextmanager
def _variables(args: tuple[Any, ...], argnums: Argnums) -> Iterator[_Run]:
    depth = _depth.get()
    token = _depth.set(depth + 1)
    try:
        with enable_grad():
            yield _Run(args, argnums, depth > 0 or duals.tangents is not None)
    finally:
        _depth.reset(token)


def _variable(tensor: Any) -> Any:
    if not isinstance(tensor, TensorBase):
        raise RuntimeError(f"Expected all inputs that are differentiated to be tensors, got {type(tensor).__name__}")
    if tensor.requires_grad:
        return tensor.view_as(tensor)
    if duals.tangents is not None:  # the variable has the tangent that the argument has
        with no_grad():
            return tensor.view_as(tensor).requires_grad_()
    return tensor.detach().requires_grad_()


def _split(result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError("with has_aux=True the function must return a pair: its result, and what is passed on")
    return result


def _rows(run: _Run, out: Any) -> list[Any]:
    """The Jacobians of one result for each variable, row by row."""
    rows = [run.pulled([out], [seed], keep=True) for seed in _units(out)]
    if not rows:
        return [each.new_zeros(*out.shape, *each.shape) for each in _leaves(run._chosen)]
    return [stack(list(column), 0).reshape(*out.shape, *column[0].shape) for column in zip(*rows, strict=True)]


def _columns(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], place: int, has_aux: bool
) -> tuple[Any, Any]:
    """The Jacobian for one argument, column by column."""

    if not isinstance(args[place], TensorBase):
        raise TypeError(f"jacfwd differentiates for tensors, and argument {place} is {type(args[place]).__name__}")

    def of_one(one: Any) -> Any:
        return func(*args[:place], one, *args[place + 1 :], **kwargs)

    x, aux, columns = args[place], None, []
    for unit in _units(x):
        _, change, *rest = jvp(of_one, (x,), (unit,), has_aux=has_aux)
        columns.append(change)
        aux = rest[0] if rest else None
    sides = [stack(list(side), -1) for side in zip(*map(list, map(_leaves, columns)), strict=True)]
    shaped = (side.reshape(*side.shape[:-1], *x.shape) for side in sides)
    return _rebuilt(columns[0], shaped), aux


def _units(like: Any) -> Iterator[Any]:
    """A tensor with one 1 for each element of ``like``."""
    for place in range(like.array.size):
        unit = np.zeros(like.array.shape, like.array.dtype)
        unit.reshape(-1)[place] = 1
        yield wrap(unit)


def _leaves(tree: Any) -> Iterator[Any]:
    """The tensors in nested containers; anything else is none."""
    if isinstance(tree, TensorBase):
        yield tree
    elif isinstance(tree, Mapping):
        for one in tree.values():
            yield from _leaves(one)
    elif isinstance(tree, list | tuple):
        for one in tree:
            yield from _leaves(one)


def _detached(tree: Any) -> Any:
    return _rebuilt(tree, (each.detach() for each in _leaves(tree)))


def _rebuilt(tree: Any, leaves: Iterator[Any]) -> Any:
    """The same containers with other tensors in them."""
    if isinstance(tree, TensorBase):
        return next(leaves)
    if isinstance(tree, Mapping):
        return {key: _rebuilt(one, leaves) for key, one in tree.items()}
    if isinstance(tree, list | tuple):
        parts = [_rebuilt(one, leaves) for one in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
