"""Saved values that were overwritten while still wanted: who wrote, what it broke. Must not know how it looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.draw.selection import Part, Selection
from inspector.draw.subject import Subject
from inspector.trace.state import Bump, Saved


@dataclass(frozen=True, slots=True)
class Mismatch:
    """``saved`` of card ``victim``, overwritten by ``bump``; ``culprit`` is the card that shows it, if one does."""

    victim: str
    slot: int
    saved: Saved
    bump: Bump | None
    culprit: str | None
    operation: bool
    """Whether the culprit is the card of the very operation that wrote, and not a line in its value's card."""


def mismatches(subject: Subject, chosen: Selection) -> list[Mismatch]:
    """All of them, in program order."""
    holders = chosen.by_storage(subject)
    return [one for part in chosen.parts.values() for one in mismatches_of(subject, holders, part)]


def mismatches_of(subject: Subject, holders: Mapping[int, list[Part]], part: Part) -> list[Mismatch]:
    """Those of one part; ``holders`` are the parts by storage."""
    return [
        _mismatch(subject, holders.get(saved.storage, []), part, slot, saved) for slot, saved in _stale(subject, part)
    ]


def _stale(subject: Subject, part: Part) -> Iterator[tuple[int, Saved]]:
    if part.node is not None:
        node = subject.node(part.node)
        for slot, saved in enumerate(node.saved.values()):
            if subject.stale(node, saved):
                yield slot, saved


def _mismatch(subject: Subject, holders: list[Part], part: Part, slot: int, saved: Saved) -> Mismatch:
    bump = first_write(subject, saved)
    if bump is None or not holders:
        return Mismatch(part.key, slot, saved, bump, None, False)
    wrote = [one for one in holders if one.made == bump.new and one.key.startswith("n")]
    if wrote:
        return Mismatch(part.key, slot, saved, bump, wrote[0].key, True)
    same = [one for one in holders if one.tensor == bump.tensor] or holders
    return Mismatch(part.key, slot, saved, bump, same[-1].key, False)


def first_write(subject: Subject, saved: Saved) -> Bump | None:
    """The first write after ``saved`` was taken."""
    return next((bump for bump in subject.bumps(saved.storage) if bump.new > saved.version), None)
