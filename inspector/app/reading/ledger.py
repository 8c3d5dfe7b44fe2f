"""The ledger pane: the ``.grad`` of a leaf, or of a tensor that retains its own, as a sum with a line for each term.

Must not know Textual.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inspector.app.lines import BLANK, Bit, Jump, Line, Role, clip, justified, line, wrapped
from inspector.app.reading.places import where
from inspector.app.sums import Entry, Term, adds_up, current, entries, hook_of, terms_of
from inspector.app.view import Moment
from inspector.draw.wording import NOTHING, gradient, magnitude, number, plain, shape, size
from inspector.trace import facts
from inspector.trace.facts import Summary

WRITTEN, CALLS, PAST, OTHERS, STEPS = 6, 20, 8, 12, 5
"""Numbers that are written out; entries of the sum; earlier ones; other leaves that are offered; nodes that are named
of a way."""


def title(moment: Moment) -> Line:
    """Whose gradient it is, and what it comes to."""
    tensor = subject(moment)
    if tensor is None:
        return BLANK
    terms = current(entries(moment.trace, moment.marks, tensor), moment.view.step)
    calls = len({entry.task for entry in terms if entry.task is not None})
    whole = _whole(terms)
    words = f"  from {_count(calls, 'call')}" if calls else ""
    form = "" if whole is None else f"  {shape(whole.dtype, whole.shape)}"
    return line(
        Bit(plain(moment.grad_name(tensor)), "name", Jump("tensor", tensor)),
        (" = ", "muted"),
        (gradient(whole), "gradient" if whole is not None else "muted"),
        (form, "muted"),
        (words, "muted"),
    )


def lines(moment: Moment, room: int) -> list[Line]:
    """The terms of the sum, what they come to, and what was there before the sum began."""
    tensor = subject(moment)
    if tensor is None:
        return wrapped("No gradient has been accumulated yet. Press a to go to the first.", room, "muted")
    book = entries(moment.trace, moment.marks, tensor)
    terms = current(book, moment.view.step)
    rows = _left_behind(terms) + [row for entry in terms[-CALLS:] for row in _entry(moment, entry, room)]
    if not terms:
        rows = wrapped("Nothing has been added to it yet.", room, "muted")
    rows += _total(terms, room)
    earlier = [entry for entry in book if terms and entry.step < terms[0].step]
    if earlier:
        rows += [BLANK, line((f"before that, {_count(len(earlier), 'change')}", "muted"))]
        rows += [row for entry in reversed(earlier[-PAST:]) for row in _brief(entry, room)]
    return [*rows, *_others(moment, tensor, room)]


def subject(moment: Moment) -> int | None:
    """The selected tensor if its gradient is kept; else the leaf to which something was added last."""
    tensor = moment.tensor
    if tensor is not None and (tensor.grad is not None or tensor.accumulator is not None or tensor.retains_grad):
        return tensor.serial
    last = moment.marks.before("accumulation", moment.view.step + 1)
    fact = None if last is None else moment.trace.facts[last - 1]
    return fact.leaf if isinstance(fact, facts.GradientAccumulated) else None


def _count(many: int, noun: str) -> str:
    return f"{many:,} {noun}{'' if many == 1 else 's'}"


def _whole(terms: list[Entry]) -> Summary | None:
    return terms[-1].after if terms else None


def _left_behind(terms: list[Entry]) -> list[Line]:
    """One line for the calls that are too many to list."""
    if len(terms) <= CALLS:
        return []
    words = f"{_count(len(terms) - CALLS, 'earlier entry').replace('entrys', 'entries')} left this"
    left = magnitude(terms[-CALLS].before)
    return [line((" " * 8 + "…  ", "muted"), (f"{left:<9}", "gradient"), (words, "muted"))]


def _entry(moment: Moment, entry: Entry, room: int) -> Iterator[Line]:
    if entry.kind != "added":
        yield from _anew(entry, room)
        return
    for place, term in enumerate(terms_of(moment.trace, entry)):
        step = Bit(f"{entry.step:>6}" if not place else " " * 6, "plain", Jump("step", entry.step))
        call = f"{entry.by}" if not place else ""
        head = line(step, ("  +  ", "strong"), (f"{magnitude(term.gradient):<9}", "gradient"), (f"{call:<13}", "muted"))
        left = line(*head, *_way(moment, term), *_numbers(term.gradient))
        yield justified(left, line((where(entry.place) if not place else "", "muted")), room)
    hook = hook_of(moment.trace, entry)
    if hook is not None:
        at, name = hook
        words = f"hook {plain(name)} made {magnitude(entry.incoming)} of it"
        yield clip(line(" " * 11, Bit(f"↯ {words}", "bump", Jump("step", at)), *_numbers(entry.incoming)), room)


def _anew(entry: Entry, room: int) -> Iterator[Line]:
    """The line with which the sum begins: nothing, zeros, a tensor that was put there, or what a write left."""
    words, sign, role = _told(entry)
    step = Bit(f"{entry.step:>6}", "plain", Jump("step", entry.step))
    value = magnitude(entry.after) if entry.after is not None else "0" if entry.by == "0" else NOTHING
    left = line(step, (f"  {sign}  ", role), (f"{value:<9}", "gradient"), (words, "plain"), *_numbers(entry.after))
    yield justified(left, line((where(entry.place), "muted")), room)


def _told(entry: Entry) -> tuple[str, str, Role]:
    was = f", was {magnitude(entry.before)}" if entry.before is not None else ""
    match entry.kind:
        case "cleared":
            return f"cleared to {entry.by}{was}", "∅", "plain"
        case "assigned":
            return f"assigned{was}", "=", "plain"
        case "written":
            return f"written by {plain(entry.by)}{was}", "▲", "bump"
    return f"{entry.by} added {magnitude(entry.incoming)}", "+", "muted"


def _way(moment: Moment, term: Term) -> list[Bit]:
    """``⟵ Mul ⟵ Sum ⟵ loss``: the nodes from the leaf back to the root, as far as there is room to name them."""
    if term.source is None:
        return [Bit("the seed of the call", "plain")]
    named, skipped = term.way[:STEPS], len(term.way) - STEPS
    if skipped > 0:
        named = (*term.way[: STEPS - 2], term.way[-1])
    bits: list[Bit] = []
    for place, node in enumerate(named):
        if place == STEPS - 2 and skipped > 0:
            bits.append(Bit(" ← … ", "faint"))
        bits += [Bit(" ← " if place else "from ", "faint"), Bit(_short(moment, node), "node", Jump("node", node))]
    more = " ← …" if term.cut else ""
    met = f"  (largest of {term.met} that met)" if term.met > 1 else ""
    return [*bits, Bit(more, "faint"), Bit(met, "faint")]


def _short(moment: Moment, node: int) -> str:
    return moment.node_name(node).replace("Backward0", "").replace("Backward", "")


def _numbers(summary: Summary | None) -> list[Bit]:
    """The numbers themselves, of a small array."""
    if summary is None or not 1 < size(summary.shape) <= min(WRITTEN, len(summary.values)):
        return []
    return [Bit(f"  [{', '.join(map(number, summary.values))}]", "plain")]


def _total(terms: list[Entry], room: int) -> list[Line]:
    """What it comes to, and whether the terms add up to that."""
    whole = _whole(terms)
    if whole is None or not any(entry.kind == "added" for entry in terms):
        return []
    base = [] if terms[0].kind == "added" else [terms[0].after]
    right = adds_up([*base, *(entry.incoming for entry in terms if entry.kind == "added")], whole)
    count, known = size(whole.shape), len(whole.values)
    about = "" if known >= count else f", as far as recorded: {known} of {count:,} numbers"
    verdict: tuple[str, Role] = ("", "muted")
    if right is not None:
        verdict = (f"✓ the terms add up{about}", "good") if right else (f"≠ the terms do not add up{about}", "alarm")
    rule = line((" " * 11 + "─" * 9, "muted"))
    left = line((" " * 8 + "=  ", "strong"), (f"{magnitude(whole):<9}", "gradient"), verdict, *_numbers(whole))
    return [rule, clip(left, room)]


def _brief(entry: Entry, room: int) -> Iterator[Line]:
    words, sign, _ = _told(entry)
    left = line(Bit(f"{entry.step:>6}", "faint", Jump("step", entry.step)), (f"  {sign}  {words}", "faint"))
    yield justified(left, line((where(entry.place), "faint")), room)


def _others(moment: Moment, tensor: int, room: int) -> list[Line]:
    """Other leaves to look at."""
    made = moment.marks.nodes.values()
    leaves = (fact.leaf for fact in made if fact.leaf is not None and fact.leaf != tensor)
    known = list(islice((leaf for leaf in dict.fromkeys(leaves) if leaf in moment.state.tensors), OTHERS))
    bits = [bit for leaf in known for bit in (Bit("  "), Bit(plain(moment.name(leaf)), "name", Jump("tensor", leaf)))]
    return [BLANK, clip(line(("other leaves", "muted"), *bits), room)] if known else []
