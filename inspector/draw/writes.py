"""The writes to the memory that a card is about, and the version that it has come to by them."""

from __future__ import annotations

from inspector.draw.selection import Part
from inspector.draw.subject import Subject
from inspector.trace.facts import Summary
from inspector.trace.state import Bump


def writes(part: Part, subject: Subject) -> list[Bump]:
    """Those that changed this part's value while it was this part's."""
    if part.tensor is None:
        return []
    return [
        bump
        for bump in subject.bumps(subject.horizon.tensors[part.tensor].storage)
        if bump.old >= part.made and (part.next_version is None or bump.new < part.next_version)
    ]


def version_of(part: Part, subject: Subject) -> int:
    """That of its last write, or the one that it was made with."""
    written = writes(part, subject)
    return written[-1].new if written else part.made


def value_of(part: Part, tensor: int, subject: Subject) -> Summary | None:
    """What a tensor of the part held at that version; None when that is not known, or not yet."""
    return subject.now.value_at(tensor, version_of(part, subject)) if tensor in subject.now.tensors else None
