"""Predict before you see: a question in a notebook's cell that takes an answer. It knows no screen, only ``print``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

from inspector.lessons.judging import TOLERANCE, Verdict, judge, shown


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and what is true."""

    words: str
    truth: object
    tolerance: float = TOLERANCE
    hints: Mapping[Any, str] = field(default_factory=dict)
    batch: int | None = None
    find_out: Callable[[], object] | None = None
    """Finds the truth anew: who scrolls back to answer must be told the same."""

    def judge(self, answer: object) -> Verdict:
        """What to say to an answer."""
        return judge(answer, self.truth, tolerance=self.tolerance, hints=self.hints, batch=self.batch)


_last: dict[str, float] = {}
"""By question, how far off the last guess was."""
_rehearsals: list[list[Question]] = []


def guess(
    question: str,
    answer: object = ...,
    is_: Callable[[], object] | object = ...,
    *,
    tolerance: float = TOLERANCE,
    hints: Mapping[Any, Any] | None = None,
    batch: int | None = None,
    reveal: bool = False,
) -> None:
    """Ask ``question``. While ``answer`` is ``...`` nothing happens; an answer is judged, ``"?"`` reveals the truth.

    ``is_`` is the truth, or rather a function that finds it out, which is called when there is an answer. Who is wrong
    is told what is wrong, and whether it is warmer or colder than the guess before. ``hints`` maps wrong answers that
    one can foresee to what to say to them (arrays as nested tuples), or each question to such a mapping; see
    ``inspector.lessons.judging``.

    >>> guess("the slope of x² at 3", ..., lambda: 2 * 3)
    >>> guess("the slope of x² at 3", 3, lambda: 2 * 3)
    ✗ the slope of x² at 3: not 3 — it is exactly half of the truth: a factor, or another path, is forgotten.
    >>> guess("the slope of x² at 3", 5, lambda: 2 * 3)
    ✗ the slope of x² at 3: not 5 — too small. Warmer than before.
    >>> guess("the slope of x² at 3", 6, lambda: 2 * 3)
    ✓ the slope of x² at 3: 6.
    >>> guess("the slope of x² at 3", "?", lambda: 2 * 3)
    ○ the slope of x² at 3: 6.
    """
    if is_ is ...:
        raise TypeError(f"guess({question!r}) needs the truth: guess(question, answer, lambda: w.grad).")
    asked = not isinstance(answer, EllipsisType) or reveal
    if not asked and not _rehearsals:
        return
    find_out = is_ if callable(is_) else None
    truth = is_ if find_out is None else find_out()
    asking = Question(question, truth, tolerance, _own(hints or {}, question), batch, find_out)
    for rehearsed in _rehearsals:
        rehearsed.append(asking)
    if asked:
        print(_said(asking, "?" if reveal else answer))


def _own(hints: Mapping[Any, Any], question: str) -> Mapping[Any, str]:
    """The hints for this question, where they are given for several."""
    several = any(isinstance(hint, Mapping) for hint in hints.values())
    own: Mapping[Any, str] = hints.get(question, {}) if several else hints
    return own


def _said(asking: Question, answer: object) -> str:
    if isinstance(answer, str) and answer.strip() == "?":
        return f"○ {_sentence(asking.words, asking.truth)}."
    verdict = asking.judge(answer)
    if verdict.right:
        _last.pop(asking.words, None)
        return f"✓ {_sentence(asking.words, asking.truth)}."
    warmth = _warmth(asking.words, verdict.distance)
    return f"✗ {_sentence(asking.words, answer, 'not ')} — {verdict.hint}{warmth}"


def _sentence(words: str, value: object, before: str = "") -> str:
    text = shown(value)
    return f"{words}{' ' if words.endswith('?') else ': '}{before}" + (f"\n{text}" if "\n" in text else text)


def _warmth(words: str, distance: float) -> str:
    before = _last.get(words)
    _last[words] = distance
    if before is None or before == distance:
        return ""
    return " Warmer than before." if distance < before else " Colder than before."


@contextlib.contextmanager
def rehearsal() -> Iterator[list[Question]]:
    """While it lasts, every question is noted with its truth, though nobody answers: for checking a lesson.

    >>> with rehearsal() as questions:
    ...     guess("1 + 1", ..., lambda: 2, hints={11: "that is how words are added."})
    >>> questions[0].truth, questions[0].judge(11).hint
    (2, 'that is how words are added.')
    """
    questions: list[Question] = []
    _rehearsals.append(questions)
    try:
        yield questions
    finally:
        _rehearsals.remove(questions)
