"""What happens in the core, as events, and ``listen``, the one way to hear of it.

The core announces; it does not know who listens. Names in the past tense are facts; names in -ing are moments at which
a listener may wait (delivery is synchronous, so a breakpoint is a listener that does not return yet).

An event carries the live objects it speaks of. Every tensor, node, version counter and graph task has a ``serial``, a
counter that is never used twice, unlike ``id()``. A listener that wants to remember takes serials and small summaries,
never the tensors, so that recording keeps no graph alive.

Nothing is built while nobody listens to that kind of event: each choke point asks ``if Kind.listeners`` first, or the
attribute of ``audience`` if every step of a training comes there many times.

>>> import minigrad as mg
>>> from minigrad.events import OpApplied, listen
>>> with listen(lambda event: print(event.op.name), OpApplied):
...     _ = mg.tensor(2.0) * 3.0
mul
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from minigrad.audience import Journal, audience
from minigrad.autograd.regime import regime
from minigrad.provenance import here

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.autograd.meta import VersionCounter
    from minigrad.autograd.node import Node
    from minigrad.provenance import Where
    from minigrad.tensor import Tensor

Listener = Callable[[Any], None]
E = TypeVar("E", bound=BaseException)


@dataclass(slots=True, eq=False)
class Event:
    """The base of all events. ``where`` is the user's own line, when a listener asked for places."""

    listeners: ClassVar[tuple[Listener, ...]] = ()
    where: Where | None = field(default=None, init=False, repr=False)


@dataclass(slots=True, eq=False)
class TensorCreated(Event):
    """A tensor came into being: a leaf or constant that the user made, the result of an operation, or an alias."""

    tensor: Tensor
    how: str
    """What made it: ``tensor``, ``zeros``, an operation's name, ``detach``, ``data``, …"""
    sources: tuple[Tensor, ...] = ()
    """The tensors whose values it took without their history: what it is an alias of, or was copied from."""


class Request(NamedTuple):
    """What events call something that the user asked for and that is no operation: ``requires_grad``, ``numpy``, …"""

    name: str
    formula: str = ""

    @property
    def label(self) -> str:
        """The same."""
        return self.name


class Applied(Protocol):
    """What events call an operation: an ``Op``, or the stand-in of a custom function."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def formula(self) -> str: ...


@dataclass(slots=True, eq=False)
class OpApplied(Event):
    """An operation ran forward. ``inputs`` holds what it was given (tensors and Python numbers) by parameter name."""

    op: Applied
    inputs: dict[str, Any]
    attributes: dict[str, Any]
    outputs: tuple[Tensor, ...]
    node: Node | None
    unrecorded: str | None
    """Why there is no node: ``no_grad``, ``inference_mode``, ``no input requires grad``, ``not differentiable``; else
    None."""
    inplace: bool


@dataclass(slots=True, eq=False)
class OpFailed(Event):
    """An operation raised ``error``; or a ``Request`` did, which computes nothing."""

    op: Applied
    inputs: dict[str, Any]
    error: BaseException


@dataclass(slots=True, eq=False)
class NodeCreated(Event):
    """A backward node was made. Its edges are ``node.next_functions``: (node or None, input number) for each input."""

    node: Node
    outputs: tuple[Tensor, ...]


@dataclass(slots=True, eq=False)
class TensorSaved(Event):
    """``node`` keeps ``tensor`` for its backward, in ``slot``, and remembers the version it has now."""

    node: Node
    slot: str
    tensor: Tensor
    counter: VersionCounter
    version: int
    by_copy: bool
    """An in-place operation that needs the value it is about to overwrite keeps a private copy."""


@dataclass(slots=True, eq=False)
class SavedUnpacked(Event):
    """``node`` takes ``slot`` out again during its backward. If the versions differ, the pass fails next."""

    node: Node
    slot: str
    counter: VersionCounter
    saved_version: int
    version: int


@dataclass(slots=True, eq=False)
class SavedReleased(Event):
    """``node`` let go of everything it had saved."""

    node: Node


@dataclass(slots=True, eq=False)
class VersionBumped(Event):
    """The storage that ``counter`` counts for was written in place through ``tensor``."""

    tensor: Tensor
    counter: VersionCounter
    old: int
    new: int
    by: str
    """Who wrote: an in-place operation's name (``add_``, ``__setitem__``), an optimiser (``SGD.step``), …"""


@dataclass(slots=True, eq=False)
class HistoryRebased(Event):
    """An in-place operation, or a stale view, gave ``tensor`` a new grad_fn."""

    tensor: Tensor
    old: Node | None
    new: Node | None


@dataclass(slots=True, eq=False)
class BackwardStarted(Event):
    """A graph task begins. ``parent`` is the task in whose hook or Function this one was called, if any."""

    task: GraphTask
    roots: tuple[Tensor, ...]
    seeds: tuple[Any, ...]
    inputs: tuple[Tensor, ...] | None
    parent: GraphTask | None
    called: str
    """``backward`` or ``grad``."""


@dataclass(slots=True, eq=False)
class BackwardFinished(Event):
    """A graph task ended well."""

    task: GraphTask


@dataclass(slots=True, eq=False)
class BackwardFailed(Event):
    """A graph task raised ``error``, while ``node`` ran (None: outside any node)."""

    task: GraphTask
    node: Node | None
    error: BaseException


@dataclass(slots=True, eq=False)
class NodeReady(Event):
    """All that ``node`` waits for has arrived; it joins the ready queue."""

    task: GraphTask
    node: Node


@dataclass(slots=True, eq=False)
class NodeStarting(Event):
    """``node`` is about to run with these gradients, one for each of its outputs (None: undefined)."""

    task: GraphTask
    node: Node
    gradients: tuple[Any, ...]


@dataclass(slots=True, eq=False)
class NodeFinished(Event):
    """``node`` ran: gradients in, one for each output; gradients out, one for each input."""

    task: GraphTask
    node: Node
    gradients_in: tuple[Any, ...]
    gradients_out: tuple[Any, ...]


@dataclass(slots=True, eq=False)
class GradientSent(Event):
    """``source`` sent ``gradient`` along its edge ``index`` to input ``input_nr`` of ``target``, into the buffer that
    waits there.

    ``before`` is what the buffer held (None: nothing yet) and ``after`` what it holds now: fan-out is a sum one can
    watch.
    """

    task: GraphTask
    source: Node
    index: int
    target: Node
    input_nr: int
    gradient: Any
    before: Any
    after: Any


@dataclass(slots=True, eq=False)
class GradientAccumulated(Event):
    """``.grad`` of ``leaf`` took ``incoming``. ``how``: ``stolen``, ``copied``, ``in place`` or ``out of place``."""

    task: GraphTask
    node: Node
    leaf: Tensor
    before: Any
    incoming: Any
    after: Any
    how: str


@dataclass(slots=True, eq=False)
class HookRan(Event):
    """A hook of ``kind`` (``tensor``, ``retain_grad``, ``node pre``, ``node post``, ``accumulator pre``, ``post
    accumulate``) ran."""

    kind: str
    owner: Any
    hook: Any
    before: Any
    after: Any
    changed: bool


@dataclass(slots=True, eq=False)
class GradCleared(Event):
    """``.grad`` of ``tensor`` was set to None or to zeros; ``before`` is what it was."""

    tensor: Tensor
    before: Any
    to_none: bool


@dataclass(slots=True, eq=False)
class GradAssigned(Event):
    """The user put another tensor, ``after``, in ``.grad`` of ``tensor``; putting None is a ``GradCleared``."""

    tensor: Tensor
    before: Any
    after: Any


@dataclass(slots=True, eq=False)
class GradMissing(Event):
    """The user's code read ``.grad`` of ``tensor``, and it was None."""

    tensor: Tensor


@dataclass(slots=True, eq=False)
class GradRead(Event):
    """The user's code read ``.grad`` of ``tensor``, and found ``held`` there."""

    tensor: Tensor
    held: Tensor


@dataclass(slots=True, eq=False)
class ValueRead(Event):
    """The user's code took the numbers of ``tensor`` out of autograd's sight, by ``item``, ``tolist``, ``numpy``, …"""

    tensor: Tensor
    how: str


@dataclass(slots=True, eq=False)
class GradRetained(Event):
    """``retain_grad()`` was called on ``tensor``, which is no leaf."""

    tensor: Tensor


@dataclass(slots=True, eq=False)
class RequiresGradChanged(Event):
    """``requires_grad_()``, ``.requires_grad = …`` or ``detach_()``; not what an operation does to its outputs."""

    tensor: Tensor
    requires_grad: bool


@dataclass(slots=True, eq=False)
class OptimizerStepped(Event):
    """An optimiser updated ``parameters`` and left ``skipped``, whose ``.grad`` is None, alone."""

    optimizer: Any
    parameters: tuple[Tensor, ...]
    skipped: tuple[Tensor, ...]


@dataclass(slots=True, eq=False)
class GradModeChanged(Event):
    """Recording was switched on or off in this thread. ``by``: ``no_grad``, ``enable_grad``, ``inference_mode``, …"""

    enabled: bool
    by: str


@dataclass(slots=True, eq=False)
class ScopeEntered(Event):
    """A module call, a composite or a Function's forward began: ``kind`` is ``module``, ``composite``, ``function``."""

    kind: str
    name: str
    class_name: str
    owner: Any


@dataclass(slots=True, eq=False)
class ScopeLeft(Event):
    """The innermost scope ended."""

    name: str


class Delivering(threading.local):
    """Whether this thread delivers an event now; then it announces nothing.

    A journal that looks at more than it is given enters this, too.
    """

    now = False

    def __enter__(self) -> None:
        self.now = True

    def __exit__(self, *_: object) -> None:
        self.now = False


# By name, since a class with slots replaces the one of the same name that it was made from.
KINDS: tuple[type[Event], ...] = tuple({kind.__name__: kind for kind in Event.__subclasses__()}.values())
_lock = threading.RLock()
delivering = Delivering()
_active: tuple[Listening, ...] = ()


class Listening:
    """What ``listen`` returns: a context manager, or ``remove()`` it by hand."""

    def __init__(
        self, callback: Listener, kinds: tuple[type[Event], ...], places: bool, journal: Journal | None
    ) -> None:
        self.callback = callback
        self.kinds = kinds
        self.places = places
        self.journal = journal

    def keep(self, journal: Journal | None) -> None:
        """Keep this journal from now on, or none."""
        self.journal = journal
        _change(lambda active: active)

    def remove(self) -> None:
        """Stop listening; a second call does nothing."""
        _change(lambda active: tuple(one for one in active if one is not self))

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def listen(callback: Listener, *kinds: type[Event], places: bool = False, journal: Journal | None = None) -> Listening:
    """Call ``callback(event)`` at every event of ``kinds`` (all kinds when none is named), in the thread where it
    happens.

    With ``places``, ``event.where`` says where in the user's code. While a callback runs, this thread announces
    nothing, so a callback may itself compute with tensors. An exception that it raises reaches the user's code.

    While it is the only one who listens, a listener that keeps a ``journal`` is told there what is ordinary, in less
    time; a journal must not compute with tensors.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise TypeError(
            f"listen() was given {unknown[0]!r}, which is not a kind of event; expected some of minigrad.events.KINDS"
        )
    listening = Listening(callback, kinds or KINDS, places, journal)
    _change(lambda active: (*active, listening))
    return listening


def emit(event: Event) -> None:
    """Deliver ``event`` to all who listen to its kind. Called only behind ``if Kind.listeners``."""
    if delivering.now:
        return
    delivering.now = True
    try:
        if audience.places:
            event.where = here(2)
        for callback in type(event).listeners:
            callback(event)
    finally:
        delivering.now = False


def refused(error: E, name: str, **inputs: Any) -> E:
    """Announce that the request ``name`` is refused with ``error``, which is returned for the caller to raise."""
    if OpFailed.listeners:
        emit(OpFailed(Request(name), inputs, error))
    return error


def _change(edit: Callable[[tuple[Listening, ...]], tuple[Listening, ...]]) -> None:
    """Replace the set of listeners, and with it each kind's own tuple, at once."""
    global _active
    with _lock:
        before, _active = _active, edit(_active)
        if bool(_active) != bool(before):
            (regime.enter if _active else regime.leave)()
        audience.journal = _active[0].journal if len(_active) == 1 else None
        audience.places = any(one.places for one in _active)
        strokes = {} if audience.journal is None else audience.journal.strokes
        for kind in KINDS:
            kind.listeners = tuple(one.callback for one in _active if kind in one.kinds)
        for name, kind in _TOLD.items():
            setattr(audience, name, (strokes.get(kind) or _emitter(kind)) if kind.listeners else None)


def _emitter(kind: type[Event]) -> Callable[..., None]:
    """What is told the parts of an event, for those who want events."""
    return lambda *parts: emit(kind(*parts))


_TOLD: dict[str, type[Event]] = {
    "backward_finished": BackwardFinished,
    "backward_started": BackwardStarted,
    "grad_cleared": GradCleared,
    "grad_mode_changed": GradModeChanged,
    "grad_read": GradRead,
    "node_created": NodeCreated,
    "node_ready": NodeReady,
    "optimizer_stepped": OptimizerStepped,
    "scope_entered": ScopeEntered,
    "scope_left": ScopeLeft,
    "value_read": ValueRead,
    "version_bumped": VersionBumped,
}
"""The kinds that are told to ``audience``, by the name of the attribute there."""


_change(lambda active: active)
