"""All who listen, taken together: what the core asks before it tells anything.

An object with slots, whose attributes Python finds where they lie; those of a class it looks for in a table, which is
cold when a matrix has just been multiplied. Must not know who listens; ``events.listen`` keeps it up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.events import Event
    from minigrad.op import Op
    from minigrad.provenance import Where
    from minigrad.tensor import Tensor

Told = Callable[..., None] | None


class Journal(Protocol):
    """A listener's short form: an ordinary operation or node is told in one call, in place of some six events.

    The calls carry all that the events would have said, as live objects; so a recorder builds no event that it would
    only take apart again. They happen only where nothing else would be announced in between; all else still comes as
    events, and so does everything while somebody else listens, too.
    """

    @property
    def strokes(self) -> Mapping[type[Event], Callable[..., None]]:
        """Of some kinds of events that are told to ``audience``, what is given their parts in place of the event."""

    def given(self, operands: tuple[Any, ...]) -> list[Any] | None:
        """What the journal keeps of an operation's operands, if these are tensors and numbers; None if they are not, or
        if no tensor is among them: then the operation comes as events."""

    def applied(
        self,
        op: Op,
        operands: tuple[Any, ...],
        given: list[Any],
        attributes: tuple[Any, ...],
        outputs: tuple[Tensor, ...],
        node: Any,
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """``OpApplied``, a ``TensorCreated`` for each output, ``NodeCreated``, ``TensorSaved`` for all it saved."""

    def wrote(
        self,
        op: Op,
        operands: tuple[Any, ...],
        given: list[Any],
        attributes: tuple[Any, ...],
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """An operation in place that left no history: ``OpApplied``, ``VersionBumped`` of the first operand."""

    def ran(
        self,
        task: GraphTask,
        node: Any,
        told: tuple[Any, ...] | None,
        gradient: Any,
        saved: Any,
        results: list[Any],
        sent: Sent,
    ) -> None:
        """All that a node's run brings: ``NodeStarting``, ``SavedUnpacked`` for each of ``saved``, which is of the
        version that was saved, ``NodeFinished``, ``SavedReleased`` if nothing is saved any more, then ``GradientSent``
        and ``NodeReady`` along each edge. ``told`` is what the journal left with the node, if it was told of it."""

    def accumulated(self, task: GraphTask, node: Any, gradient: Any, how: str) -> None:
        """The first gradient of a leaf: ``NodeStarting``, ``GradientAccumulated``, ``NodeFinished``."""

    def failing(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> None:
        """A node's run raises: ``NodeStarting``, then ``SavedUnpacked`` for each saved value."""


class Audience:
    """What they want, of which there is one object, ``audience``.

    Kinds of which each step of a training brings many have an attribute: what is to be called with the parts of such an
    event (it makes the event of them and emits it, unless the only listener's journal has a stroke for the parts
    alone), or None while nobody listens to that kind. Other kinds are asked for their ``listeners``.
    """

    __slots__ = (
        "backward_finished",
        "backward_started",
        "grad_cleared",
        "grad_mode_changed",
        "grad_read",
        "journal",
        "node_created",
        "node_ready",
        "optimizer_stepped",
        "places",
        "scope_entered",
        "scope_left",
        "value_read",
        "version_bumped",
    )

    journal: Journal | None
    """What the ordinary is told to instead of as events: the only listener's, if it keeps one."""
    places: bool
    """Whether some listener asked for places: then nodes and version counters remember theirs, so that errors can name
    them."""
    backward_finished: Told
    backward_started: Told
    grad_cleared: Told
    grad_mode_changed: Told
    grad_read: Told
    node_created: Told
    node_ready: Told
    optimizer_stepped: Told
    scope_entered: Told
    scope_left: Told
    value_read: Told
    version_bumped: Told


audience = Audience()

Sums = list[tuple[int, Any, Any]]
"""Of each edge whose gradient found another in the buffer: the edge's number, what was there before, and after."""
Sent = tuple[int, int, Sums | None, bool]
"""What a node's run did along its edges: how many events tell of it (a gradient sent, a node made ready), which edges
made their target ready (bit ``i`` is set for edge ``i``), the sums, None if there are none, and whether each edge was
sent a gradient."""
