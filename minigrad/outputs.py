"""``out=``: results written into tensors that the caller has. Autograd cannot follow that, so it is refused.

Knows the names of those that take it, none of the operations.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

from minigrad.autograd.duals import duals
from minigrad.autograd.modes import modes
from minigrad.autograd.wrap import TensorBase
from minigrad.dispatch import check_fits

# fmt: off
TAKE_OUT = (
    "addcdiv", "addcmul", "alias_copy", "all", "amax", "amin", "aminmax", "any", "arange", "argmax", "argmin",
    "as_strided_copy", "bernoulli", "bucketize", "cat", "clamp", "clamp_max", "clamp_min", "column_stack",
    "complex", "conj_physical", "copysign", "cross", "cummax", "cummin", "cumprod", "cumsum", "diag",
    "diagonal_copy", "diff", "div", "divide", "dstack", "empty", "expand_copy", "eye", "float_power", "fmod",
    "frexp", "full", "gather", "histc", "histogram", "hstack", "index_add", "index_copy", "index_reduce",
    "index_select", "inner", "isin", "kron", "kthvalue", "lerp", "linspace", "logcumsumexp", "logit", "logspace",
    "logsumexp", "masked_select", "matmul", "max", "mean", "min", "mode", "msort", "multinomial", "mvlgamma",
    "nan_to_num", "nanmean", "nanquantile", "nansum", "narrow_copy", "nonzero", "norm", "normal", "ones", "outer",
    "permute_copy", "polygamma", "pow", "prod", "quantile", "rand", "randn", "remainder", "renorm", "round",
    "row_stack", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "slice_scatter", "softmax", "sort",
    "split_with_sizes_copy", "square", "squeeze_copy", "stack", "std", "sum", "t_copy", "take", "take_along_dim",
    "tensordot", "topk", "transpose_copy", "unbind_copy", "unfold_copy", "unsqueeze_copy", "var", "view_copy",
    "vstack", "where", "zeros",
)
# fmt: on
"""The functions, not operations by themselves (which all do), that take ``out`` in PyTorch."""


def into(name: str, out: Any, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``compute(*args, **kwargs)`` written to ``out``, a tensor or as many as there are results; returns ``out``.

    Raises RuntimeError when something requires grad, or a result does not fit the type of its ``out``.
    """
    for tensor in _tensors((args, out)):
        if duals.of(tensor) is not None:
            raise NotImplementedError(
                f"Trying to use forward AD with {name} (because it is an out= function) that does not support it."
            )
        if modes.grad and tensor.requires_grad:
            raise RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
    result = compute(*args, **kwargs)
    if isinstance(out, TensorBase):
        return _write(result, out)
    written = [_write(each, place) for each, place in zip(result, out, strict=True)]
    return type(result)(*written) if hasattr(result, "_fields") else tuple(written)


def _tensors(values: Any) -> Iterator[Any]:
    if isinstance(values, TensorBase):
        yield values
    elif isinstance(values, tuple | list):
        for each in values:
            yield from _tensors(each)


def _write(result: Any, out: Any) -> Any:
    if out.array.shape != result.array.shape:
        if out.array.size:
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.array.shape)}, which "
                f"does not match the required output shape {list(result.array.shape)}.",
                UserWarning,
                stacklevel=5,
            )
        out.resize_(result.array.shape)
    check_fits(out.array, result.array)
    return out.copy_(result)


def with_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which takes ``out`` besides.

    >>> import minigrad as mg
    >>> place = mg.empty(0)
    >>> mg.cat([mg.ones(1), mg.zeros(1)], out=place) is place
    True
    >>> place
    tensor([1., 0.])
    """

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return function(*args, **kwargs)
        return into(function.__name__, out, function, args, kwargs)

    return call


def let_take_out(namespace: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Put in the place of the functions of these names the same that take ``out``."""
    for name in names:
        namespace[name] = with_out(namespace[name])
