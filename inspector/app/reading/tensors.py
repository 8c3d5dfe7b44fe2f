"""The tensor pane: a tensor's metadata, its memory, who saved it, and its numbers. Must not know Textual."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.app.lines import BLANK, Bit, Jump, Line, clip, line, pairs, wrapped
from inspector.app.reading.heat import heat, largest_of, strip
from inspector.app.reading.looks import look
from inspector.app.reading.places import where
from inspector.app.veil import is_sealed
from inspector.app.view import Moment
from inspector.draw.wording import gradient, number, plain, shape, size
from inspector.trace.facts import Summary
from inspector.trace.state import Bump, TensorState

BARS = "▁▂▃▄▅▆▇█"
SHARERS = 5
"""Of the tensors that share a storage, so many are named."""
SHOWN = 24
"""A tensor of at most so many numbers is shown as numbers; above, as the shape of their distribution."""


def title(moment: Moment) -> Line:
    """What stands in the pane's frame."""
    if moment.view.tensor is None:
        return BLANK
    stop = moment.stops.on_tensor(moment.trace.labels, moment.view.tensor)
    return line(
        (plain(moment.name(moment.view.tensor)), "name"),
        ("  ⚲ kept in view", "muted") if moment.view.pinned else "",
        (f"  {stop} stop" if stop else "", "alarm"),
    )


def lines(moment: Moment, room: int) -> list[Line]:
    """The pane's text."""
    if moment.view.tensor is None:
        return wrapped("No tensor has been made yet. Press → to step.", room, "muted")
    tensor = moment.tensor
    if tensor is None:
        return wrapped(_unknown(moment, moment.view.tensor), room, "muted")
    return [
        _kind(moment, tensor, room),
        *pairs(_fields(moment, tensor), room, columns=2 if room >= 56 else 1),
        *_memory(moment, tensor, room),
        *_savers(moment, tensor, room),
        *_numbers("value", tensor.value, room, _outdated(moment, tensor)),
        *_numbers("grad", tensor.grad, room),
        *_origin(moment, tensor, room),
    ]


def _unknown(moment: Moment, serial: int) -> str:
    first = next(iter(moment.trace.steps_of_tensor(serial)), 0)
    if first <= moment.view.step:
        return "Autograd made this tensor for itself: the trace knows its name, and nothing else of it."
    return "This tensor is not made yet at this step."


def _outdated(moment: Moment, tensor: TensorState) -> str:
    """Whether somebody wrote the same memory through another tensor since the numbers were looked at."""
    bumps = moment.state.storages[tensor.storage].bumps
    seen = max((bump.step for bump in bumps if _told(moment, tensor, bump)), default=tensor.created)
    later = [bump for bump in bumps if bump.step > seen]
    return f"  of v{later[0].old}: written since through {plain(moment.name(later[-1].tensor))}" if later else ""


def _told(moment: Moment, tensor: TensorState, bump: Bump) -> bool:
    """Whether a write told what the tensor holds: it went through this very one, or through a view of it."""
    if bump.tensor == tensor.serial or bump.whole is None:
        return bump.tensor == tensor.serial
    return moment.state.tensors[bump.tensor].base == tensor.serial


def _kind(moment: Moment, tensor: TensorState, room: int) -> Line:
    glyph = "◆" if tensor.is_leaf and tensor.requires_grad else "○" if tensor.is_leaf else "●"
    words = "leaf" if tensor.is_leaf and tensor.requires_grad else "constant" if tensor.is_leaf else "intermediate"
    return clip(
        line((f"{glyph} ", "name"), (shape(tensor.dtype, tensor.shape), "strong"), (f"  {words}", "muted")), room
    )


def _fields(moment: Moment, tensor: TensorState) -> list[tuple[str, Line]]:
    version = moment.state.version_of(tensor.serial)
    return [
        ("requires_grad", _flag(tensor.requires_grad)),
        ("is_leaf", _flag(tensor.is_leaf)),
        ("grad_fn", _grad_fn(moment, tensor)),
        ("output_nr", line(str(tensor.output_nr))),
        ("version", line((f"v{version}", "bump" if version else "plain"))),
        ("grad", _grad(tensor)),
        ("grad_impl", _grad_impl(tensor)),
        ("retains_grad", _flag(tensor.retains_grad)),
    ]


def _flag(value: bool) -> Line:
    return line(("yes", "good")) if value else line(("no", "muted"))


def _grad_fn(moment: Moment, tensor: TensorState) -> Line:
    if tensor.grad_fn is None:
        return line(("—", "muted"))
    signs = look(moment, tensor.grad_fn)
    jump = Jump("node", tensor.grad_fn)
    return line(Bit(moment.node_name(tensor.grad_fn), "node", jump), (f" {signs.glyph}", signs.role))


def _grad(tensor: TensorState) -> Line:
    if tensor.grad is not None:
        return line((gradient(tensor.grad), "gradient"))
    if not tensor.requires_grad:
        return line(("—", "muted"), (" needs none", "muted"))
    if not tensor.is_leaf and not tensor.retains_grad:
        return line(("—", "muted"), (" not a leaf", "muted"))
    return line(("—", "muted"), (" none yet", "muted"))


def _grad_impl(tensor: TensorState) -> Line:
    if tensor.grad is None:
        return line(("—", "muted"))
    return line(shape(tensor.grad.dtype, tensor.grad.shape))


def _memory(moment: Moment, tensor: TensorState, room: int) -> list[Line]:
    """The base of a view, and the others that share the storage and with it the version."""
    rows: list[tuple[str, Line]] = []
    if tensor.base is not None:
        rows.append(("view of", line(_tensor(moment, tensor.base))))
    bumps = moment.state.storages[tensor.storage].bumps
    if bumps:
        last = bumps[-1]
        rows.append(
            (
                "bumped by",
                line(Bit(f"▲ {last.by}", "bump", Jump("step", last.step)), (f"  {where(last.place)}", "muted")),
            )
        )
    return [*pairs(rows, room), *_sharers(moment, tensor, room)]


def _sharers(moment: Moment, tensor: TensorState, room: int) -> list[Line]:
    """The views of the same memory, each with its shape and how it was made: a write through one reaches all."""
    others = [one for one in moment.state.storages[tensor.storage].tensors if one not in (tensor.serial, tensor.base)]
    named = sorted(others, key=lambda one: one not in moment.trace.names)[:SHARERS]
    rows = [_sharer(moment, one) for one in named if one in moment.state.tensors]
    more = len(others) - len(rows)
    rest = [line((f"  and {more:,} more", "muted"))] if more else []
    head = line(("shares its storage with", "muted"))
    return [head, *(clip(row, room) for row in rows), *rest] if rows else []


def _sharer(moment: Moment, serial: int) -> Line:
    other = moment.state.tensors[serial]
    how = f"  {plain(other.how)}" + (" of " if other.base is not None else "")
    base = _tensor(moment, other.base) if other.base is not None else Bit("")
    return line("  ", _tensor(moment, serial), (f"  {shape(other.dtype, other.shape)}{how}", "muted"), base)


def _tensor(moment: Moment, serial: int) -> Bit:
    return Bit(plain(moment.name(serial)), "name", Jump("tensor", serial))


def _savers(moment: Moment, tensor: TensorState, room: int) -> list[Line]:
    """Who saved it, at which version, and whether that is still the version it has."""
    rows: list[Line] = []
    for node, slot in moment.marks.savers_of.get(tensor.serial, ()):
        state = moment.state.nodes.get(node)
        saved = None if state is None else state.saved.get(slot)
        if saved is None or saved.tensor != tensor.serial:
            continue
        name = Bit(moment.node_name(node), "node", Jump("node", node))
        if saved.released:
            rows.append(line(("□ ", "muted"), name, (f" {slot}@v{saved.version} let go", "muted")))
        elif moment.state.mismatch(saved):
            now = moment.state.storages[saved.storage].version
            rows.append(line(("✗ ", "bad"), name, (f" {slot}@v{saved.version} ≠ now v{now}", "bad")))
        else:
            rows.append(line(("▣ ", "saved"), name, (f" {slot}@v{saved.version} ", "saved"), ("✓", "good")))
    if not rows:
        return []
    more = [line((f"  and {len(rows) - 6} more", "muted"))] if len(rows) > 6 else []
    return [line(("saved by", "muted")), *(clip(row, room) for row in rows[:6]), *more]


def _numbers(label: str, summary: Summary | None, room: int, outdated: str = "") -> list[Line]:
    """Small arrays as numbers, with their shades beside them; large ones as shades and as a distribution."""
    if summary is None:
        return []
    if is_sealed(summary):
        return [
            line((f"{label}  ", "muted"), ("?", "gradient"), Bit("  y: guess it", "muted", Jump("action", "guess")))
        ]
    oddities = [*_oddities(summary), Bit(outdated, "bump")]
    if size(summary.shape) == 1 and summary.values:
        return [line((f"{label}  ", "muted"), number(summary.values[0]), *oddities)]
    head = clip(line((label, "muted"), *oddities), room)
    rows = _grid(summary)
    if rows and max(map(len, rows)) <= room:
        return [head, *_shaded(rows, summary, room)]
    inner = [line("  ", *row) for row in heat(summary, room - 2)]
    return [head, *(clip(row, room) for row in [*inner, *_distribution(summary)])]


def _shaded(rows: list[str], summary: Summary, room: int) -> list[Line]:
    """Rows of numbers, each with its shades at the right, if there is room for all."""
    columns, largest = summary.shape[-1], largest_of(summary.values)
    if max(map(len, rows)) + 3 + 2 * columns > room:
        return [line(row) for row in rows]
    parts = [summary.values[start : start + columns] for start in range(0, len(summary.values), columns)]
    return [line(row, "   ", *strip(part, largest, 2)) for row, part in zip(rows, parts, strict=False)]


def _grid(summary: Summary) -> list[str]:
    """The numbers of a small array in columns, a row for each of its last dimension; none for a large one."""
    count = size(summary.shape)
    if not 1 < count <= min(SHOWN, len(summary.values)):
        return []
    texts = [number(value) for value in summary.values[:count]]
    widest, columns = max(map(len, texts)) + 2, summary.shape[-1]
    return [
        "".join(text.rjust(widest) for text in texts[start : start + columns]) for start in range(0, count, columns)
    ]


def _oddities(summary: Summary) -> list[Bit]:
    """How many are NaN, how many infinite; or that all are finite, of which a recording without values is not sure."""
    parts = [
        f"  {summary.nans:,} NaN" if summary.nans else "",
        f"  {summary.infinities:,} ∞" if summary.infinities else "",
    ]
    bits = [Bit(part, "bad") for part in parts if part]
    return bits or ([Bit("  0 NaN, 0 ∞", "faint")] if summary.norm is not None else [])


def _distribution(summary: Summary) -> list[Line]:
    if not summary.values and summary.norm is None and not (summary.nans or summary.infinities):
        return [line(("  the recording took no numbers", "muted"))]
    if summary.low is None or summary.high is None:
        return [line(("  nothing finite in it", "bad"))] if summary.nans or summary.infinities else []
    bars = histogram(summary.values, summary.low, summary.high)
    ends = f"{number(float(summary.low))} … {number(float(summary.high))}"
    count, known = size(summary.shape), len(summary.values)
    rest = [
        f"mean {number(float(summary.mean))}" if summary.mean is not None else "",
        f"‖·‖ {number(float(summary.norm))}" if summary.norm is not None else "",
        f"bars of {known} of {count:,}" if known < count else "",
    ]
    return [line(f"  {bars}  ", ends), line((f"  {'  '.join(part for part in rest if part)}", "muted"))]


def histogram(values: Sequence[object], low: float, high: float, bins: int = 12) -> str:
    """How the values are spread between ``low`` and ``high``, as a row of bars.

    >>> histogram([0.0, 1.0, 1.0, 2.0], 0.0, 2.0, bins=3)
    '▅█▅'
    """
    counts = [0] * bins
    for value in values:
        if isinstance(value, int | float) and low <= value <= high:
            counts[min(bins - 1, int((value - low) / (high - low or 1) * bins))] += 1
    most = max(counts) or 1
    return "".join(BARS[round(count / most * (len(BARS) - 1))] if count else " " for count in counts)


def _origin(moment: Moment, tensor: TensorState, room: int) -> list[Line]:
    place = where(tensor.place)
    rows = [
        line(
            ("made by ", "muted"), Bit(plain(tensor.how), "code", Jump("step", tensor.created)), (f"  {place}", "muted")
        )
    ]
    return [clip(row, room) for row in rows]
