"""How a view was made of its base, so that it can be made again: of another tensor, or of the base once that has been
written.

A stride pattern says all there is to know of an ordinary view. It does not where the elements are of another type than
the base's (``view_as_real``), and while PyTorch's view replay is switched on it need not: such views carry a path.
Knows no operation but the strided view, which stands for all steps that were not kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigrad.autograd.geometry import Geometry, geometry, strided
from minigrad.autograd.modes import modes
from minigrad.autograd.regime import regime
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.autograd.node import Gradient
    from minigrad.op import Op
    from minigrad.tensor import Tensor


class Step(NamedTuple):
    """One operation that makes a view, and which of its outputs it was, if it has several."""

    op: Op
    attributes: tuple[Any, ...]
    number: int | None


class Path(NamedTuple):
    """The steps from a base to a view. ``anchor`` is what they lead to; a window onto it, if there is one, is the last
    step."""

    steps: tuple[Step, ...]
    anchor: Array
    window: Geometry | None

    def then(self, step: Step, array: Array) -> Path:
        """The path that goes on by ``step``, to ``array``."""
        return Path((*self.whole(), step), array, None)

    def seen_as(self, array: Array, source: Array) -> Path:
        """The path to a strided look at ``source``, to which this one leads."""
        return Path(self.whole(), source, geometry(array, source))

    def whole(self) -> tuple[Step, ...]:
        """All steps, the window among them."""
        if self.window is None:
            return self.steps
        from minigrad.ops.viewing import as_strided

        return (*self.steps, Step(as_strided, (self.window, geometry(self.anchor)), None))


def path_to(out: Tensor, source: Tensor, step: Step | None) -> Path | None:
    """The path to ``out``, just made of ``source`` by ``step``; None where strides say all."""
    view = source._view
    before = None if view is None else view.path
    kept = step is not None and (modes.view_replay or out.array.dtype != source.array.dtype)
    if before is None:
        if not kept:
            return None
        base = source if view is None else view.base
        before = Path((), base.array, None if view is None else geometry(source.array, base.array))
    return before.then(step, out.array) if step is not None and kept else before.seen_as(out.array, source.array)


def play(steps: tuple[Step, ...], source: Any, apply: Callable[[Op, Any, tuple[Any, ...]], Any]) -> Any:
    """What ``steps`` make of ``source``, each carried out by ``apply``."""
    for step in steps:
        made = apply(step.op, source, step.attributes)
        source = made if step.number is None else made[step.number]
    return source


def play_recorded(steps: tuple[Step, ...], source: Tensor) -> Tensor:
    """The same of a tensor, as if the user had called the operations."""
    made: Tensor = play(steps, source, lambda op, tensor, attributes: op.apply(tensor, *attributes))
    return made


def window_of(gradient: Gradient, base: Geometry, steps: tuple[Step, ...]) -> tuple[Gradient, Gradient]:
    """A copy of the base's gradient in the base's own layout, and the view that ``steps`` make of it."""
    if not isinstance(gradient, np.ndarray):
        whole = gradient.clone()
        return whole, play_recorded(steps, whole)
    whole = _laid_out(base, gradient.dtype)
    whole[...] = gradient
    return whole, play(steps, whole, lambda op, array, attributes: op.forward(array, *attributes))


def _laid_out(base: Geometry, kind: np.dtype[Any]) -> Array:
    """An array that lies in memory as the base does."""
    extent = 1 + sum((length - 1) * step for length, step in zip(base.shape, base.strides, strict=True))
    return strided(np.empty(0 if 0 in base.shape else extent, kind), base)


class force_original_view_tracking:  # noqa: N801 (PyTorch's name)
    """Switch view replay on or off, by calling it or for a block: a view whose base was written is then led back by the
    operations that made it instead of by ``AsStridedBackward0``."""

    def __init__(self, mode: bool) -> None:
        self.before = modes.view_replay
        _switch(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _switch(self.before)


def is_view_replay_enabled() -> bool:
    """Whether views made now keep the operations that made them."""
    return modes.view_replay


def _switch(on: bool) -> None:
    if on != modes.view_replay:
        (regime.enter if on else regime.leave)()
    modes.view_replay = on


def view_of(view: Tensor, new_base: Tensor) -> Tensor:
    """The view that ``view`` would be if ``new_base`` were its base.

    Raises RuntimeError when ``view`` is none.
    """
    if view._view is None:
        raise RuntimeError("_view_func can only be called on a view; this tensor is none.")
    path = view._view.path
    if path is None:
        path = Path((), view._view.base.array, geometry(view.array, view._view.base.array))
    return play_recorded(path.whole(), new_base)
