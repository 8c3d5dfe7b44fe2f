"""Checkpointing: forget a part's intermediate values, and compute them again when backward needs them.

With ``use_reentrant=False`` the saved tensors are packed to nothing, and unpacking the first of them runs the function
again up to the last that is needed. With ``use_reentrant=True`` a custom Function runs it again whole, inside a
backward of its own.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from minigrad import random
from minigrad.autograd.backward import backward
from minigrad.autograd.current import current_graph_task
from minigrad.autograd.function import Function
from minigrad.autograd.modes import enable_grad, no_grad
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.events import ScopeEntered, ScopeLeft, emit

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

DEFAULT_DETERMINISM = "default"
_next_key = itertools.count(1).__next__


class _Settings(threading.local):
    """What blocks of this thread say about the checkpointed calls within them; None where they say nothing."""

    early_stop: bool | None = None
    debug: bool | None = None
    group: GraphExecGroup | None = None


_settings = _Settings()


@contextlib.contextmanager
def _set(name: str, value: Any) -> Iterator[None]:
    former = getattr(_settings, name)
    setattr(_settings, name, value)
    try:
        yield
    finally:
        setattr(_settings, name, former)


def set_checkpoint_early_stop(enable: bool) -> contextlib.AbstractContextManager[None]:
    """Within the block ``early_stop`` of every ``checkpoint`` is ``enable``, whatever the call says."""
    return _set("early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> contextlib.AbstractContextManager[None]:
    """Within the block ``debug`` of every ``checkpoint`` is ``enabled``, whatever the call says; None leaves it."""
    return _set("debug", enabled)


class GraphExecGroup:
    """Backward passes within the block are parts of one: what one of them computed again serves the others.

    They must not need the same saved tensor. Blocks do not nest.
    """

    def __init__(self) -> None:
        self.key = -_next_key()

    def __enter__(self) -> GraphExecGroup:
        if _settings.group is not None:
            raise RuntimeError("GraphExecGroup contexts cannot be nested.")
        _settings.group = self
        return self

    def __exit__(self, *_: object) -> None:
        _settings.group = None


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first one did."""


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Any, Any]] | None = None,
    determinism_check: str = DEFAULT_DETERMINISM,
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, whose saved tensors are not kept but computed again in backward.

    ``preserve_rng_state`` gives the second run the random numbers of the first. ``determinism_check`` ``"default"``
    compares the shapes and types of what is saved; ``"none"`` does not. ``early_stop`` ends the second run when
    everything needed is there.

    >>> import minigrad as mg
    >>> from minigrad.autograd.checkpoint import checkpoint
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False).backward()
    >>> round(x.grad.item(), 2)
    218.39
    """
    if use_reentrant is None:
        use_reentrant = _warned("checkpoint")
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ('default', 'none') but got {determinism_check}")
    if use_reentrant:
        if context_fn is not None or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if kwargs:
            raise ValueError(
                "Unexpected keyword arguments: "
                + ",".join(kwargs)
                + "; use_reentrant=True passes positional ones only."
            )
        return _Reentrant.apply(function, preserve_rng_state, *args)
    if _settings.early_stop is not None:
        early_stop = _settings.early_stop
    if _settings.debug is not None:
        debug = _settings.debug
    frame = _Frame(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, early_stop, debug)
    return frame.run()


def _warned(name: str) -> bool:
    warnings.warn(
        f"{name}: the use_reentrant parameter should be passed explicitly; use_reentrant=False is recommended.",
        stacklevel=3,
    )
    return True


@contextlib.contextmanager
def _recomputing(name: str) -> Iterator[None]:
    """Announce the second run as a scope, so that it can be told from the first."""
    if ScopeEntered.listeners:
        emit(ScopeEntered("recomputation", name, "checkpoint", None))
    try:
        yield
    finally:
        if ScopeLeft.listeners:
            emit(ScopeLeft(name))


class _Holder:
    """Stands in the graph for one saved tensor that was not kept."""

    __slots__ = ("__weakref__", "found")

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}


class _EnoughRecomputedError(Exception):
    """Everything that backward needs has been computed again."""


_ONCE = (
    "minigrad.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once."
)
_OVERLAP = (
    " Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
    "gradients) is not allowed while under the GraphExecGroup context."
)


class _Frame:
    """One checkpointed call: how to run it again, and which holders await its saved tensors, in order."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        preserve: bool,
        context_fn: Callable[[], tuple[Any, Any]] | None,
        determinism: str,
        early_stop: bool,
        debug: bool,
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.state = random.get_rng_state() if preserve else None
        self.contexts = context_fn() if context_fn is not None else (contextlib.nullcontext(), contextlib.nullcontext())
        self.determinism, self.early_stop, self.debug = determinism, early_stop, debug
        self.holders: list[weakref.ref[_Holder]] = []
        self.metas: list[tuple[Any, Any]] = []
        self.recomputed: set[int] = set()
        self.complete = False

    def run(self) -> Any:
        """The first run: nothing of what it saves is kept."""
        with saved_tensors_hooks(self._forget, self._recall), self.contexts[0]:
            result = self.function(*self.args, **self.kwargs)
        self.complete = True
        return result

    def _forget(self, tensor: Tensor) -> _Holder:
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        self.metas.append((tensor.array.shape, tensor.array.dtype))
        return holder

    def _recall(self, holder: _Holder) -> Tensor:
        """Each pass computes again once, and each saved tensor is given out once in it; outside a pass, each time."""
        task, group = current_graph_task(), _settings.group
        key = group.key if group is not None else -_next_key() if task is None else task.serial
        if key not in self.recomputed:
            self.recomputed.add(key)
            self._again_or_explain(key)
        if key not in holder.found:
            raise CheckpointError(_ONCE if group is None else _ONCE + _OVERLAP)
        found: Tensor = holder.found.pop(key)
        if task is None and group is None:
            self._forget_all(key)
        return found

    def _forget_all(self, key: int) -> None:
        for reference in self.holders:
            holder = reference()
            if holder is not None:
                holder.found.pop(key, None)

    def _again_or_explain(self, key: int) -> None:
        try:
            self._again(key)
        except CheckpointError as error:
            if not self.debug:
                raise
            kept = "\n".join(f"  {number}: {shape}, {kind}" for number, (shape, kind) in enumerate(self.metas))
            raise CheckpointError(
                f"{error}\n\nYou are seeing this error because you passed `debug=True` to checkpoint and the tensors "
                f"saved during the original forward and the recomputation differ. The original forward saved:\n{kept}"
            ) from error

    def _again(self, key: int) -> None:
        """The second run, which fills the holders that are still awaited."""
        counter = itertools.count()

        def keep(tensor: Tensor) -> Any:
            number = next(counter)
            self._put(number, tensor, key)
            if self.early_stop and number == len(self.holders) - 1:
                raise _EnoughRecomputedError
            return tensor

        with (
            _restored(self.state),
            _recomputing(getattr(self.function, "__qualname__", "checkpoint")),
            enable_grad(),
            saved_tensors_hooks(keep, lambda kept: kept),
            self.contexts[1],
            contextlib.suppress(_EnoughRecomputedError),
        ):
            self.function(*map(_detached, self.args), **{k: _detached(v) for k, v in self.kwargs.items()})
        seen = next(counter)
        if seen < len(self.holders):
            raise CheckpointError(
                "minigrad.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\nNumber of tensors saved "
                f"during recomputation: {seen}."
            )

    def _put(self, number: int, tensor: Tensor, key: int) -> None:
        if number >= len(self.holders):
            if not self.complete:
                return  # a pass within the function itself: it had not saved everything yet
            raise CheckpointError(
                "minigrad.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                f"forward pass, which saved {len(self.holders)}."
            )
        if self.determinism == "default" and (tensor.array.shape, tensor.array.dtype) != self.metas[number]:
            raise CheckpointError(
                "minigrad.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass. Tensor at position {number}: saved {self.metas[number]}, recomputed "
                f"{(tensor.array.shape, tensor.array.dtype)}."
            )
        holder = self.holders[number]()
        if holder is not None:
            holder.found[key] = wrap(tensor.array) if tensor.requires_grad else tensor


@contextlib.contextmanager
def _restored(state: Any) -> Iterator[None]:
    """The random state of the first run, while the second one lasts."""
    if state is None:
        yield
        return
    now = random.get_rng_state()
    random.set_rng_state(state)
    try:
        yield
    finally:
        random.set_rng_state(now)


def _detached(value: Any) -> Any:
    """An argument cut off from its history, so that the second run builds a graph of its own."""
    if not isinstance(value, TensorBase) or not value.requires_grad:
        return value
    alias = wrap(value.array)
    alias._requires_grad = True
    return alias


class _Reentrant(Function):
    """Runs the function unrecorded now, and recorded inside backward."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        """The first run."""
        ctx.function, ctx.args = function, list(args)
        ctx.state = random.get_rng_state() if preserve else None
        ctx.places = [i for i, x in enumerate(args) if isinstance(x, TensorBase)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        for i in ctx.places:
            ctx.args[i] = None
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The second run, and a backward through it."""
        task = current_graph_task()
        if task is None or task.only_some:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or "
                "call .backward() without passing the `inputs` argument."
            )
        args = list(ctx.args)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = _detached(tensor)
        with _restored(ctx.state), _recomputing(getattr(ctx.function, "__qualname__", "checkpoint")), enable_grad():
            outputs = ctx.function(*args)
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (out, g) for out, g in zip(several, grads, strict=True) if isinstance(out, TensorBase) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([out for out, _ in pairs], [g for _, g in pairs])
        return (None, None, *(x._grad if isinstance(x, TensorBase) else None for x in args))


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of functions with all but the last of ``segments`` parts checkpointed."""
    if use_reentrant is None:
        use_reentrant = _warned("checkpoint_sequential")
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(parts) // segments
    start = 0
    for _ in range(segments - 1):
        input = checkpoint(_chain(parts[start : start + size]), input, use_reentrant=use_reentrant, **kwargs)
        start += size
    return _chain(parts[start:])(input)


def _chain(functions: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run
