"""``gather`` picks one element for each index along a dimension, ``scatter`` and its relatives place one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.barriers import DelayedError
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.choice import choose, zero
from minigrad.ops.dims import Shape, wrap_dim
from minigrad.ops.places import add_at, all_within, along

__all__ = ["gather", "index_reduce", "scatter", "scatter_add", "scatter_reduce"]

Places = tuple[Array, ...]


def _check(a: Array, index: Array, dim: int, name: str) -> None:
    if index.size and (index.dtype.kind not in "iu" or index.dtype.itemsize < 4):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if index.size and (index.ndim or 1) != (a.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for axis in range(index.ndim):
        if axis != dim and a.ndim and index.size and index.shape[axis] > a.shape[axis]:
            raise RuntimeError(
                f"Size does not match at dimension {axis} expected index {list(index.shape)} to be no larger than self "
                f"{list(a.shape)} apart from dimension {dim}"
            )
    length = a.shape[dim] if a.ndim else 1
    if not all_within(index, length):
        wrong = index[(index < 0) | (index >= length)].flat[0]
        raise RuntimeError(f"index {int(wrong)} is out of bounds for dimension {dim} with size {length}")


def _check_source(index: Array, source: Array, a: Array, name: str) -> None:
    if source.dtype != a.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if index.size and (index.ndim or 1) != (source.ndim or 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if index.size and any(n > m for n, m in zip(index.shape, source.shape, strict=False)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than src {list(source.shape)} in every dimension"
        )


def _one_dim(a: Array) -> Array:
    return a if a.ndim else a.reshape(1)


def _part(source: Array, index: Array) -> Array:
    """As much of ``source`` as there are indices."""
    return _one_dim(source)[tuple(slice(length) for length in index.shape)]


@op(label="gather", name="gather", backward="GatherBackward0", linear=True)
def gathered(a: Array, index: Array, /, dim: int) -> Array:
    """``out[i][j] = a[index[i][j]][j]`` for ``dim=0``, and so on.

    >>> import minigrad as mg
    >>> mg.gather(mg.tensor([[1.0, 2.0]]), 1, mg.tensor([[1, 1]]))
    tensor([[2., 2.]])
    """
    _check(a, index, dim, "gather")
    if not index.size:
        return np.zeros(index.shape, a.dtype)
    return _one_dim(a)[along(_one_dim(index), dim)].reshape(index.shape)


@op(label="scatter add", name="scatter_add", backward="ScatterAddBackward0", linear=True)
def scattered_sum(a: Array, index: Array, source: Array, /, dim: int) -> Array:
    """``a`` with ``source[i][j]`` added at ``[index[i][j]][j]`` for ``dim=0``, and so on.

    >>> import minigrad as mg
    >>> mg.scatter_add(mg.zeros(2), 0, mg.tensor([1, 1]), mg.tensor([1.0, 2.0]))
    tensor([0., 3.])
    """
    _check_source(index, source, a, "scatter")
    _check(a, index, dim, "scatter_add")
    return _placed(a, index, source, dim, _add)


def _add(out: Array, places: Places, values: Array) -> None:
    """NumPy adds at flat indices as quickly as can be."""
    (np.add.at if len(places) == 1 else add_at)(out, places, values)


def _placed(a: Array, index: Array, source: Array, dim: int, put: Callable[..., Any]) -> Array:
    out = a.copy()
    if index.size:
        put(_one_dim(out), along(_one_dim(index), dim), _part(source, _one_dim(index)))
    return out


def _assign(out: Array, places: Places, values: Array) -> None:
    out[places] = values


@op(label="scatter", name="scatter", backward="ScatterBackward0", linear=True)
def scattered(a: Array, index: Array, source: Array, /, dim: int) -> Array:
    """``a`` with ``source[i][j]`` at ``[index[i][j]][j]`` for ``dim=0``, and so on.

    >>> import minigrad as mg
    >>> mg.scatter(mg.zeros(2), 0, mg.tensor([1]), mg.tensor([5.0]))
    tensor([0., 5.])
    """
    _check_source(index, source, a, "scatter")
    _check(a, index, dim, "scatter")
    return _placed(a, index, source, dim, _assign)


@op(label="scatter", name="scatter", backward="ScatterBackward1")
def scattered_number(a: Array, index: Array, /, dim: int, value: Any) -> Array:
    """``a`` with the number ``value`` at ``[index[i][j]][j]`` for ``dim=0``, and so on.

    >>> import minigrad as mg
    >>> mg.scatter(mg.zeros(2), 0, mg.tensor([1]), 5.0)
    tensor([0., 5.])
    """
    _check(a, index, dim, "scatter")
    out = a.copy()
    if index.size:
        _one_dim(out)[along(_one_dim(index), dim)] = value
    return out


def _zeros(like: Any, shape: Shape) -> Array:
    return np.zeros(shape, (like.array if isinstance(like, TensorBase) else like).dtype)


def _padded(g: Any, shape: Shape) -> Any:
    """``g`` as the first elements of zeros of ``shape``: parts of a source that no index names have no gradient."""
    from minigrad.ops.padding import padded

    if g.shape == shape:
        return g
    return padded.apply(g, tuple((0, wanted - length) for wanted, length in zip(shape, g.shape, strict=True)), 0.0)


gathered.grads(a=lambda g, a, index, dim: scattered_sum.apply(_zeros(g, a.shape), index, g, dim))  # as PyTorch, keeps a
scattered_sum.grads(
    a=lambda g: g,
    source=lambda g, index, source_shape, dim: _padded(gathered.apply(g, index, dim), source_shape),
)
scattered.grads(
    a=lambda g, index, dim: scattered_number.apply(g, index, dim, 0),
    source=lambda g, index, source_shape, dim: _padded(gathered.apply(g, index, dim), source_shape),
)
scattered_number.grads(a=lambda g, index, dim: scattered_number.apply(g, index, dim, 0))


def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """For each index an element of ``input``: ``out[i][j] = input[index[i][j]][j]`` for ``dim=0``.

    >>> import minigrad as mg
    >>> mg.gather(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mg.tensor([[0], [1]]))
    tensor([[1.],
            [4.]])
    """
    return gathered.apply(input, index, wrap_dim(dim, input.array.ndim, input))


def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """``input`` with ``src`` (a tensor or a number) placed: at ``[index[i][j]][j]`` comes ``src[i][j]`` for ``dim=0``.

    ``reduce`` ``"add"`` or ``"multiply"`` combines it with what is there. Where an index repeats, the last one stays.

    >>> import minigrad as mg
    >>> mg.scatter(mg.zeros(1, 3), 1, mg.tensor([[2]]), 5.0)
    tensor([[0., 0., 5.]])
    """
    axis = wrap_dim(dim, input.array.ndim, input)
    given = value if src is None else src
    if reduce is not None:
        return _scatter_reducing(input, axis, index, given, reduce)
    if isinstance(given, TensorBase):
        return scattered.apply(input, index, given, axis)
    return scattered_number.apply(input, index, axis, given)


def _scatter_reducing(input: Any, axis: int, index: Any, given: Any, reduce: str) -> Any:
    names = {"add": "sum", "multiply": "prod"}
    if reduce not in names:
        raise RuntimeError("reduce argument must be either add or multiply.")
    source = given if isinstance(given, TensorBase) else np.full(index.array.shape, given, input.array.dtype)
    return scattered_together.apply(input, index, source, axis, names[reduce], True)


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """``input`` with ``src[i][j]`` added at ``[index[i][j]][j]`` for ``dim=0``, repeats included.

    >>> import minigrad as mg
    >>> mg.scatter_add(mg.zeros(2), 0, mg.tensor([0, 0]), mg.tensor([1.0, 2.0]))
    tensor([3., 0.])
    """
    return scattered_sum.apply(input, index, src, wrap_dim(dim, input.array.ndim, input))


# --- reducing what falls together -----------------------------------------------------------------------------------

_START = {"sum": 0, "prod": 1, "mean": 0, "amax": -np.inf, "amin": np.inf}
_UFUNC = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


@op(label="scatter reduce", name="scatter_reduce", backward="ScatterReduceBackward0")
def scattered_together(a: Array, index: Array, source: Array, /, dim: int, reduce: str, include_self: bool) -> Array:
    """What ``source`` sends to one place is reduced there, together with what ``a`` holds if ``include_self``.

    >>> import minigrad as mg
    >>> mg.scatter_reduce(mg.ones(2), 0, mg.tensor([1, 1]), mg.tensor([2.0, 3.0]), "prod")
    tensor([1., 6.])
    """
    _check_source(index, source, a, "scatter")
    _check(a, index, dim, "scatter")
    out = a.copy()
    if not index.size:
        return out
    target, places = _one_dim(out), along(_one_dim(index), dim)
    if not include_self:
        target[places] = _first_value(reduce, a.dtype)
    _UFUNC[reduce].at(target, places, _part(source, _one_dim(index)))
    if reduce == "mean":
        counts = _counts(index, a.shape, dim, include_self)
        out = out / counts if a.dtype.kind in "fc" else out // counts
    return out.astype(a.dtype)


def _first_value(reduce: str, kind: np.dtype[Any]) -> Any:
    start = _START[reduce]
    if kind.kind == "b":
        return start > 0
    if kind.kind in "iu" and not np.isfinite(start):
        return np.iinfo(kind).min if start < 0 else np.iinfo(kind).max
    return start


def _counts(index: Array, shape: Shape, dim: int, include_self: bool) -> Array:
    """How many values fall together at each place; at least 1."""
    counts = np.full(shape, int(include_self))
    np.add.at(_one_dim(counts), along(_one_dim(index), dim), 1)
    return np.maximum(counts, 1)


def _is_touched(index: Array, shape: Shape, dim: int) -> Array:
    touched = np.zeros(shape, bool)
    _one_dim(touched)[along(_one_dim(index), dim)] = True
    return touched


def _plain(value: Any) -> Array:
    return value.array if isinstance(value, TensorBase) else value


def _shared(
    g: Any, a: Any, index: Any, source: Any, out: Any, dim: int, reduce: str, include_self: bool
) -> tuple[Any, Any]:
    """The gradients of ``a`` and ``source``, as if every place were reached by ``include_self``."""
    places = _plain(index)
    if reduce == "sum":
        return g, gathered.apply(g, index, dim)
    if reduce == "mean":
        scaled = g / _counts(places, tuple(g.shape), dim, include_self).astype(_plain(g).dtype)
        return scaled, gathered.apply(scaled, index, dim)
    if reduce == "prod":
        return _shared_product(g, a, index, source, out, dim, include_self)
    at_top = gathered.apply(out, index, dim)
    chosen = choose(_plain(source)[tuple(map(slice, places.shape))] == _plain(at_top), 1.0, zero.apply(at_top))
    own = choose(_plain(a) == _plain(out), 1.0, zero.apply(out))
    total = scattered_sum.apply(own if include_self else zero.apply(own), index, chosen, dim)
    part = g / choose(_plain(total) == 0, 1.0, total)
    return part * own, gathered.apply(part, index, dim) * chosen


def _shared_product(g: Any, a: Any, index: Any, source: Any, out: Any, dim: int, include_self: bool) -> tuple[Any, Any]:
    """``out / factor`` for each factor; for the only 0 among what falls together, the product of the others, taken anew
    without it.
    """
    places = _plain(index)
    part = _leading(source, places.shape)
    base = a if include_self else choose(_is_touched(places, tuple(g.shape), dim), zero.apply(a) + 1.0, a)
    own = scattered_together.apply(zero.apply(a) + 1.0, index, source, dim, "prod", True)
    null = _plain(part) == 0
    nulls = scattered_sum.forward(np.zeros(_plain(a).shape, np.int64), places, null.astype(np.int64), dim)
    only = null & (gathered.forward(nulls, places, dim) == 1)
    around = scattered_together.apply(base, index, choose(only, 1.0, part), dim, "prod", True)
    shared = gathered.apply(g * out, index, dim) / choose(null, 1.0, part)
    sent = choose(only, gathered.apply(g * around, index, dim), shared)
    if isinstance(sent, TensorBase) and np.any(nulls > 1):
        sent = DelayedError(
            "Double backward is unsupported for src when >1 zeros in src are scattered to the same position in self", 1
        )(sent)
    return g * own, sent


def _leading(source: Any, shape: Shape) -> Any:
    from minigrad.ops.viewing import slice_along

    for axis, length in enumerate(shape):
        if source.shape[axis] != length:
            source = slice_along.apply(source, axis, 0, length, 1)
    return source


def _reduce_rule(
    g: Any, a: Any, index: Any, source: Any, out: Any, dim: int, reduce: str, include_self: bool, source_shape: Shape
) -> list[Any]:
    own, given = _shared(g, a, index, source, out, dim, reduce, include_self)
    if not include_self:
        own = choose(_is_touched(_plain(index), tuple(g.shape), dim), zero.apply(own), own)
    return [own, None, _padded(given, source_shape)]


scattered_together.grads_together(_reduce_rule, constants=("index",))


def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """What ``src`` sends to one place of ``input`` reduced there by ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or
    ``"amin"``.

    >>> import minigrad as mg
    >>> mg.scatter_reduce(mg.zeros(2), 0, mg.tensor([0, 0, 1]), mg.tensor([1.0, 3.0, -2.0]), "amax")
    tensor([3., 0.])
    """
    if reduce not in _START:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return scattered_together.apply(input, index, src, wrap_dim(dim, input.array.ndim, input), reduce, include_self)


# --- whole parts ----------------------------------------------------------------------------------------------------


def _over_parts(a: Array, index: Array, source: Array, dim: int) -> Array:
    """The indices of ``scatter`` that send whole parts along a dimension where ``index`` says."""
    if index.ndim > 1 or index.size != (source.shape[dim] if source.ndim else 1):
        raise RuntimeError(
            f"index_reduce_(): Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({source.shape[dim] if source.ndim else 1}), for dim: {dim}"
        )
    shape = [-1 if i == dim else 1 for i in range(source.ndim)]
    return np.broadcast_to(index.reshape(shape), source.shape)


@op(label="index reduce", name="index_reduce", backward="IndexReduceBackward0")
def parts_together(a: Array, index: Array, source: Array, /, dim: int, reduce: str, include_self: bool) -> Array:
    """``scatter_reduce`` of whole parts along a dimension.

    >>> import minigrad as mg
    >>> mg.index_reduce(mg.ones(2), 0, mg.tensor([1, 1]), mg.tensor([2.0, 3.0]), "prod")
    tensor([1., 6.])
    """
    places = _over_parts(a, index, source, dim)
    return scattered_together.forward(a, places, source, dim, reduce, include_self)


def _parts_rule(
    g: Any, a: Any, index: Any, source: Any, out: Any, dim: int, reduce: str, include_self: bool, source_shape: Shape
) -> list[Any]:
    places = _over_parts(_plain(a), _plain(index), _plain(source), dim)
    return _reduce_rule(g, a, places, source, out, dim, reduce, include_self, source_shape)


parts_together.grads_together(_parts_rule, constants=("index",))


def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """The parts of ``source`` along ``dim`` reduced into those of ``input`` at ``index``, by ``"prod"``, ``"mean"``,
    ``"amax"`` or ``"amin"``.

    >>> import minigrad as mg
    >>> mg.index_reduce(mg.zeros(2), 0, mg.tensor([0, 0]), mg.tensor([1.0, 3.0]), "mean", include_self=False)
    tensor([2., 0.])
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    return parts_together.apply(input, index, source, wrap_dim(dim, input.array.ndim, input), reduce, include_self)


class ScatteringMethods:
    """The same as methods."""

    __slots__ = ()

    gather, scatter, scatter_add, scatter_reduce = gather, scatter, scatter_add, scatter_reduce
    index_reduce = index_reduce

    def index_reduce_(self: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
        """``index_reduce``, in place."""
        return parts_together.inplace(self, index, source, wrap_dim(dim, self.array.ndim, self), reduce, include_self)

    def scatter_(
        self: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Any:
        """``scatter``, in place."""
        axis = wrap_dim(dim, self.array.ndim, self)
        given = value if src is None else src
        if reduce is not None:
            return self.copy_(scatter(self, dim, index, given, reduce=reduce))
        if isinstance(given, TensorBase):
            return scattered.inplace(self, index, given, axis)
        return scattered_number.inplace(self, index, axis, given)

    def scatter_add_(self: Any, dim: int, index: Any, src: Any) -> Any:
        """``scatter_add``, in place."""
        return scattered_sum.inplace(self, index, src, wrap_dim(dim, self.array.ndim, self))

    def scatter_reduce_(self: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
        """``scatter_reduce``, in place."""
        return scattered_together.inplace(self, index, src, wrap_dim(dim, self.array.ndim, self), reduce, include_self)
