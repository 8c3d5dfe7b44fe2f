"""``grad-accumulated``: a ``.grad`` holds more than one asks for, because an earlier backward left something there.

To add up gradients over several passes is legitimate, and common. It is a mistake when what was left over is older than
the last update of its tensor; when the same value was differentiated twice; and when the sum is read as if it were one
pass's gradient: read after each pass, and never used for an update.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from inspector.explain.finding import Evidence, Finding, Location, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.ledger import Entry, ledgers
from inspector.explain.source import called, short_where, where
from inspector.explain.words import listed, worth
from inspector.trace.facts import Fact, GradientAccumulated, HookRan, OptimizerStepped, Place
from inspector.trace.trace import Trace

KIND = "grad-accumulated"


@dataclass(frozen=True, slots=True)
class _Pile:
    """What was added to one ``.grad`` between two clearings, and what else happened to it meanwhile."""

    tensor: int
    added: tuple[Entry, ...]
    reads: tuple[Entry, ...]
    updates: tuple[Entry, ...]

    def between(self, entries: tuple[Entry, ...], first: int, last: int) -> Entry | None:
        return next((entry for entry in entries if first < entry.step < last), None)


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each way in which gradients piled up by mistake; tensors that share it are told together."""
    if not any(_adds_to_something(trace.facts[step - 1]) for step in trace.steps_of(GradientAccumulated, HookRan)):
        return []
    stale: dict[tuple[Place | None, Place | None], list[tuple[_Pile, Entry, Entry]]] = {}
    found: list[Finding] = []
    told: set[tuple[str, Place | None]] = set()
    books = ledgers(trace)
    for tensor in sorted(books, key=lambda tensor: tensor in flow_of(trace).makers):
        entries = books[tensor]
        for pile in _piles(tensor, entries):
            old = _stale(pile)
            if old is not None:
                stale.setdefault((old[0].place, old[1].place), []).append((pile, *old))
            elif len(pile.added) > 1:
                found += _fresh_finding(trace, pile, told)
    return [_stale_finding(trace, group) for group in stale.values()] + found


def _adds_to_something(fact: Fact) -> bool:
    added = isinstance(fact, GradientAccumulated) or (isinstance(fact, HookRan) and fact.kind == "retain_grad")
    before = getattr(fact, "before", None) if added else None
    return before is not None and before.norm != 0


def _piles(tensor: int, entries: list[Entry]) -> Iterator[_Pile]:
    added: list[Entry] = []
    reads: list[Entry] = []
    updates: list[Entry] = []
    for entry in entries:
        if entry.kind in ("cleared", "assigned") or (entry.kind == "added" and not entry.onto_something):
            yield _Pile(tensor, tuple(added), tuple(reads), tuple(updates))
            added, reads, updates = [], [], []
        {"added": added, "read": reads, "updated": updates}.get(entry.kind, []).append(entry)
    yield _Pile(tensor, tuple(added), tuple(reads), tuple(updates))


# Older than the last update


def _stale(pile: _Pile) -> tuple[Entry, Entry] | None:
    """The update after which something was added to what was there before it, and what was added; if it was used."""
    for update in pile.updates:
        before = [entry for entry in pile.added if entry.step < update.step]
        after = [entry for entry in pile.added if entry.step > update.step]
        if before and after and _is_used(pile, after[0]) and not _was_changed(before[-1], after[0]):
            return update, after[0]
    return None


def _is_used(pile: _Pile, added: Entry) -> bool:
    return any(entry.step > added.step for entry in (*pile.updates, *pile.reads))


def _was_changed(earlier: Entry, later: Entry) -> bool:
    """Whether the user made something else of what was left over: then they know that it is there."""
    return earlier.after is not None and later.before is not None and earlier.after.norm != later.before.norm


def _stale_finding(trace: Trace, group: list[tuple[_Pile, Entry, Entry]]) -> Finding:
    group = sorted(group, key=lambda each: each[0].tensor)
    pile, update, added = group[0]
    names = listed([called(trace, one.tensor) for one, _, _ in group])
    name = called(trace, pile.tensor)
    earlier = max((entry for entry in pile.added if entry.step < update.step), key=lambda entry: entry.step)
    stepped = _updater(update)
    sentence = (
        f"{names}: .grad was not cleared after {stepped} on {where(trace, update.place)}, so the backward on "
        f"{where(trace, added.place)} added to what the backward before that update had left there "
        f"({name}.grad: {worth(added.before)} + {worth(added.incoming)} = {worth(added.after)}). From then on every "
        "step "
        "goes by a sum in which old gradients count again and again."
    )
    shown = [Evidence(entry.step, trace.describe(entry.step), pile.tensor) for entry in (earlier, update, added)]
    places = (*at(earlier.place, "left"), *at(update.place, "updated"), *at(added.place, "added"))
    return Finding(KIND, sentence, tuple(shown), unique(places), _clear(trace, update, name))


def _updater(update: Entry) -> str:
    """``SGD``, or ``an update`` by hand."""
    if isinstance(update.fact, OptimizerStepped):
        return update.fact.optimizer
    by = getattr(update.fact, "by", "")
    return by.removesuffix(".step") if by.endswith(".step") else "the update"


def _clear(trace: Trace, update: Entry, name: str) -> str:
    text = where(trace, update.place).partition("`")[2].rstrip("`)")
    owner = text.partition(".step(")[0] if ".step(" in text else ""
    return f"{owner}.zero_grad()  # before every backward" if owner else f"{name}.grad = None  # before every backward"


# The same twice, and rows that pile up


def _fresh_finding(trace: Trace, pile: _Pile, told: set[tuple[str, Place | None]]) -> Iterator[Finding]:
    for first, second in pairwise(pile.added):
        if second.task is not None and first.task is not None and second.task is not first.task:
            kind = _kind(pile, first, second)
            if kind and (kind, second.place) not in told:
                told.add((kind, second.place))
                yield _TOLD[kind](trace, pile, first, second)
                return


def _kind(pile: _Pile, first: Entry, second: Entry) -> str:
    """``twice``, ``rows``, or nothing if adding up seems to be meant."""
    if _is_same(first, second) and _is_used(pile, second):
        return "twice"
    return "rows" if _is_read_as_one(pile, first, second) else ""


def _is_same(first: Entry, second: Entry) -> bool:
    """Whether both passes began at the same place of the same graph, with the same gradient."""
    assert first.task is not None
    assert second.task is not None
    one, other = first.task.start, second.task.start
    return one.root_nodes == other.root_nodes and one.seeds == other.seeds and first.incoming == second.incoming


def _is_read_as_one(pile: _Pile, first: Entry, second: Entry) -> bool:
    """Whether the sum is looked at after each of the two passes, and never used for an update."""
    later = min((entry.step for entry in pile.added if entry.step > second.step), default=None)
    between = pile.between(pile.reads, first.step, second.step)
    after = [entry for entry in pile.reads if entry.step > second.step and (later is None or entry.step < later)]
    return not pile.updates and between is not None and bool(after)


def _twice(trace: Trace, pile: _Pile, first: Entry, second: Entry) -> Finding:
    assert second.task is not None
    name = called(trace, pile.tensor)
    root = listed([called(trace, one) for one in second.task.start.roots])
    doubled = "doubled exactly" if first is pile.added[0] else "grew by the same amount"
    sentence = (
        f"{name}.grad {doubled}, from {worth(second.before)} to {worth(second.after)}: backward ran twice from {root}, "
        "on "
        f"{where(trace, first.place)} and on {short_where(trace, second.place)}, and nothing cleared .grad in between. "
        "Inside the graph each pass starts afresh; what is kept in a .grad, of leaves and of tensors that retain theirs"
        f"{_others(trace, second)}, adds up."
    )
    mend = f"{name}.grad = None  # between the two passes; or call backward once"
    return Finding(KIND, sentence, _shown(trace, pile, first, second), _places(first, second), mend)


def _others(trace: Trace, second: Entry) -> str:
    """The tensors other than leaves whose ``.grad`` was added to in the same pass."""
    books = ledgers(trace)
    kept = [tensor for tensor in books if tensor in flow_of(trace).makers and tensor != getattr(second.fact, "leaf", 0)]
    same = [entry for tensor in kept for entry in books[tensor] if entry.task is second.task and entry.onto_something]
    told = [
        f"{called(trace, entry.fact.tensor)}: {worth(entry.before)} to {worth(entry.after)}"
        for entry in same
        if isinstance(entry.fact, HookRan) and entry.fact.tensor is not None
    ]
    return f" ({listed(told)})" if told else ""


def _rows(trace: Trace, pile: _Pile, first: Entry, second: Entry) -> Finding:
    assert first.task is not None
    assert second.task is not None
    name = called(trace, pile.tensor)
    roots = [listed([called(trace, root) for root in one.task.start.roots]) for one in (first, second) if one.task]
    whose = roots[1] if roots[0] != roots[1] else f"the second {roots[1]}"
    read = next(entry for entry in pile.reads if entry.step > second.step)
    sentence = (
        f"{name}.grad is a sum: every backward adds to what is there. The pass from {whose} on "
        f"{where(trace, second.place)} added {worth(second.incoming)} to the {worth(second.before)} that the pass from "
        f"{roots[0]} on {short_where(trace, first.place)} had left, so what is read on {where(trace, read.place)} is "
        f"{worth(second.after)}, and not the gradient of {whose} alone."
    )
    if first.task.start.create_graph:
        sentence += (
            f" That first pass ran with create_graph=True, so {name} and {name}.grad now also hold each other alive, "
            "in a "
            "reference cycle."
        )
    mend = (
        f"({name}_grad,) = autograd.grad({roots[1]}, {name})  # touches no .grad; or {name}.grad = None before each "
        "pass"
    )
    return Finding(
        KIND, sentence, _shown(trace, pile, first, second), (*_places(first, second), *at(read.place, "used")), mend
    )


_TOLD = {"twice": _twice, "rows": _rows}


def _shown(trace: Trace, pile: _Pile, first: Entry, second: Entry) -> tuple[Evidence, ...]:
    return tuple(Evidence(one.step, trace.describe(one.step), pile.tensor) for one in (first, second))


def _places(first: Entry, second: Entry) -> tuple[Location, ...]:
    return unique((*at(first.place, "left"), *at(second.place, "added")))
