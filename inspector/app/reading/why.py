"""The why pane: what has just happened, in words; and, where something went wrong, what did, where, and how to mend it.

A finding is told in full where it belongs: at the error, at the steps that prove it, and at the tensor that it is
about. Elsewhere one line leads to it. Must not know Textual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.app.lines import BLANK, Bit, Jump, Line, line, wrapped
from inspector.app.reading.places import short
from inspector.app.reading.story import story
from inspector.app.view import Moment
from inspector.draw.wording import plain
from inspector.trace import facts

if TYPE_CHECKING:
    from inspector.explain import Finding


def title(moment: Moment) -> Line:
    """Nothing: the words begin at once."""
    return BLANK


def lines(moment: Moment, room: int) -> list[Line]:
    """The pane's text."""
    error = _error(moment)
    told = [finding for finding in moment.findings if _belongs(moment, finding, error is not None)]
    told.sort(key=lambda finding: moment.view.step not in {one.step for one in finding.evidence})
    rows = [] if error is not None else wrapped(story(moment), room)
    for finding in told:
        rows += [*([BLANK] if rows else []), *_in_full(finding, room)]
    if error is not None:
        rows += _raised(*error, room, first=not told)
    elsewhere = [finding for finding in moment.findings if finding not in told]
    return [*rows, *_pointers(moment, elsewhere, error is not None)]


def _error(moment: Moment) -> tuple[str, str] | None:
    """The error that the moment is about: its kind and its message."""
    match moment.fact:
        case facts.OpFailed(error=error, message=message) | facts.BackwardFailed(error=error, message=message):
            return error, message
        case facts.ScriptEnded(kind=kind, error=error, message=message, status=status) if kind not in ("ok", "exit"):
            return error or kind, message or f"The script ended with status {status}."
    return None


def _belongs(moment: Moment, finding: Finding, failed: bool) -> bool:
    """Whether the reader looks at a finding: at its error, a step of its evidence, or the tensor that they chose."""
    steps = [one.step for one in finding.evidence]
    if failed:
        return not steps or moment.view.step >= max(steps)
    chosen = moment.view.pinned and any(
        one.tensor is not None and one.tensor == moment.view.tensor for one in finding.evidence
    )
    return chosen or moment.view.step in steps


def _in_full(finding: Finding, room: int) -> list[Line]:
    rows = wrapped(plain_prose(finding.sentence), room, "strong")
    if finding.mend:
        rows += [line(("mend it", "good"))]
        rows += [row for part in finding.mend.splitlines() for row in wrapped(part, room, "code", indent="  ")]
    return [*rows, *_evidence(finding, room), *_locations(finding)]


def _evidence(finding: Finding, room: int) -> list[Line]:
    """The steps that prove it; each leads there."""
    rows: list[Line] = []
    digits = max((len(f"{one.step:,}") for one in finding.evidence), default=0)
    for one in finding.evidence:
        words, jump = wrapped(plain(one.text), room - digits - 1), Jump("step", one.step)
        rows.append((Bit(f"{one.step:>{digits},} ", "here", jump), *(bit._replace(jump=jump) for bit in words[0])))
        rows += [(Bit(" " * (digits + 1)), *more) for more in words[1:]]
    return rows


def _locations(finding: Finding) -> list[Line]:
    """The lines that play a part; each leads to when it ran."""
    roles = max((len(place.role) for place in finding.locations), default=0)
    return [
        line(
            (f"{place.role:<{roles}} ", "muted"),
            Bit(f"{short(place.file)}:{place.line}", "name", Jump("line", place.line, place.file)),
        )
        for place in dict.fromkeys(finding.locations)
    ]


def plain_prose(words: str) -> str:
    """Prose with nothing in it that a terminal would obey."""
    return "\n".join(plain(row) for row in words.splitlines())


def _raised(error: str, message: str, room: int, *, first: bool) -> list[Line]:
    """The error as the script raised it: loud when nothing better is known of it."""
    if first:
        return [*wrapped(f"✗ {plain(error)}", room, "alarm"), *wrapped(plain_prose(message), room)]
    return [BLANK, *wrapped(f"{plain(error)}: {plain_prose(message)}", room, "muted")]


def _pointers(moment: Moment, elsewhere: list[Finding], failed: bool) -> list[Line]:
    """One line for each finding that is told at another step, and for an error that lies ahead."""
    rows: list[Line] = []
    for finding in elsewhere:
        step = max((one.step for one in finding.evidence), default=0)
        name = Bit(f"? {finding.kind}", "bump", Jump("step", step) if step else None)
        rows.append(line(name, (f"  step {step:,}" if step else "", "muted")))
    ahead = None if failed else moment.marks.next("error", moment.view.step)
    if ahead is not None:
        rows.append(line(Bit(f"✗ goes wrong at step {ahead:,}", "alarm", Jump("step", ahead)), ("  press !", "muted")))
    return [BLANK, *rows] if rows else []
