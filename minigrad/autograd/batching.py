"""``vmap``: a function of one example, applied to a batch of them.

NumPy cannot run a Python function on all examples at once, so they are taken one after the other and their results
stacked. Gradients and tangents flow through all of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minigrad.autograd.modes import modes
from minigrad.autograd.wrap import TensorBase

_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
_OLD_RANDOM = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of "
    "vmap as a workaround"
)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """``func`` with a batch dimension: ``in_dims`` of the arguments (None for one that all examples share) becomes
    ``out_dims`` of the results.

    ``randomness`` says what random numbers are inside: an error, the ``same`` for all examples, or ``different`` ones.
    ``chunk_size`` is accepted and ignored. Raises ValueError where nothing is mapped over, or lengths differ.

    >>> import minigrad as mg
    >>> mg.vmap(lambda x, y: x.dot(y))(mg.ones(2, 3), mg.arange(6.0).view(2, 3))
    tensor([ 3., 12.])
    """
    if randomness not in ("error", "same", "different"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    return _Batched(func, in_dims, out_dims, randomness, _RANDOM)


def old_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """``vmap`` as PyTorch's own checks still call it, with its older words. None may always be a result."""
    return _Batched(func, in_dims, out_dims, "error", _OLD_RANDOM)


class _Batched:
    """The function that ``vmap`` returns."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, out_dims: Any, randomness: str, refusal: str) -> None:
        self.func, self.in_dims, self.out_dims = func, in_dims, out_dims
        self.randomness, self.refusal = randomness, refusal

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dims = self.in_dims if isinstance(self.in_dims, (tuple, list)) else (self.in_dims,) * len(args)
        if len(dims) != len(args):
            raise ValueError(f"vmap: in_dims has {len(dims)} entries for {len(args)} arguments; give one for each.")
        dims = tuple(dim if isinstance(x, TensorBase) else None for x, dim in zip(args, dims, strict=True))
        parts = [
            None if dim is None else [x.select(dim, i) for i in range(x.shape[dim])]
            for x, dim in zip(args, dims, strict=True)
        ]
        rows = self._rows(args, parts, _common_length(parts), kwargs)
        known = {tuple(map(id, part)): x for x, part, dim in zip(args, parts, dims, strict=True) if part and dim == 0}
        return _gathered(rows, self.out_dims, known)

    def _rows(self, args: tuple[Any, ...], parts: list[Any], count: int, kwargs: dict[str, Any]) -> list[Any]:
        """The result for each example."""
        from minigrad.random import get_rng_state, set_rng_state

        state = get_rng_state() if self.randomness == "same" else None
        rows = []
        with self._refusing():
            for i in range(count):
                if state is not None:
                    set_rng_state(state)
                example = [x if part is None else part[i] for x, part in zip(args, parts, strict=True)]
                rows.append(self.func(*example, **kwargs))
        return rows

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        former = modes.random_refused, modes.batching
        modes.random_refused, modes.batching = self.refusal if self.randomness == "error" else None, True
        try:
            yield
        finally:
            modes.random_refused, modes.batching = former


def _common_length(parts: list[Any]) -> int:
    lengths = [len(part) for part in parts if part is not None]
    if not lengths:
        raise ValueError("vmap: Expected at least one Tensor to vmap over, with an entry of in_dims that is not None.")
    if len(set(lengths)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {lengths} for the "
            "mapped dimension"
        )
    return lengths[0]


def _gathered(rows: list[Any], out_dims: Any, known: dict[tuple[int, ...], Any]) -> Any:
    """The results stacked, in the structure that each row has."""
    first = rows[0] if rows else None
    if isinstance(first, Mapping):
        return {key: _gathered([row[key] for row in rows], out_dims, known) for key in first}
    if isinstance(first, (tuple, list)):
        dims = out_dims if isinstance(out_dims, (tuple, list)) else (out_dims,) * len(first)
        columns = zip(zip(*rows, strict=True), dims, strict=True)
        return type(first)(_stacked(list(column), dim, known) for column, dim in columns)
    return _stacked(rows, out_dims, known)


def _stacked(column: list[Any], dim: int, known: dict[tuple[int, ...], Any]) -> Any:
    """One result of all examples: what came through untouched is the argument itself, what is one tensor twice stays
    one."""
    from minigrad.ops.joining import stack

    if all(each is None for each in column):
        return None
    for each in column:
        if not isinstance(each, TensorBase):
            raise ValueError(f"vmap: the function must only return Tensors, got type {type(each)} as a return.")
    key = tuple(map(id, column))
    if dim == 0 and key in known:
        return known[key]
    made = stack(column, dim)
    if dim == 0:
        known[key] = made
    return made
