"""Exercises: a reader's function is compared with the truth and with the usual mistakes, and the mistake is named.

What an exercise is, its truth and its mistakes, stands in ``inspector/lessons/tasks/``; this module knows none of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from inspector.lessons.judging import TOLERANCE, judge, shown

Solution: TypeAlias = Callable[..., Any]
Demand: TypeAlias = Callable[[Solution], str]
F = TypeVar("F", bound=Solution)


class NoSuchExerciseError(LookupError):
    """An exercise was asked for by a number that none has."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What a function did instead of returning."""

    error: Exception

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {str(self.error).partition(chr(10))[0]}"


@dataclass(slots=True)
class Task:
    """One exercise: the arguments it is tried with, what is true for them, what else must hold, and usual mistakes.

    ``truth`` takes the same arguments as the reader's function; a task may also have demands alone. Arguments are made
    anew for each call where ``given`` holds functions: a tensor that one function has changed must not reach the next.

    >>> task = Task("0.1", given=[(2.0,), (5.0,)], truth=lambda x: 2 * x)
    >>> @task.mistake("that is the function, not its slope.")
    ... def square(x):
    ...     return x * x
    >>> task.complaint(lambda x: x * x)
    'that is the function, not its slope.'
    >>> task.complaint(lambda x: x + x)
    ''
    """

    number: str
    given: Sequence[tuple[Any, ...]] = ((),)
    truth: Solution | None = None
    tolerance: float = TOLERANCE
    lens: Callable[[Solution], Solution] | None = None
    """Through what solutions are looked at, right and wrong ones: their derivatives, say, instead of their values."""
    praise: str = ""
    demands: list[Demand] = field(default_factory=list)
    mistakes: list[tuple[Solution, str]] = field(default_factory=list)

    def mistake(self, hint: str) -> Callable[[F], F]:
        """Decorates a wrong solution: whoever has the same results, or the same error, is told ``hint``."""

        def note(wrong: F) -> F:
            self.mistakes.append((wrong, hint))
            return wrong

        return note

    def demand(self, check: Demand) -> Demand:
        """Decorates what else must hold: a function of the reader's function that says what is wrong, or ``""``."""
        self.demands.append(check)
        return check

    def complaint(self, mine: Solution) -> str:
        """What is wrong with a solution; nothing if it is right."""
        for check in self.demands:
            if said := check(mine):
                return said
        if self.truth is None:
            return ""
        wrong = next(filter(None, (self._wrong(mine, case) for case in self.given)), "")
        return wrong and (self._known(mine) or wrong)

    def seen(self, function: Solution, case: tuple[Any, ...]) -> Any:
        """What comes of a function, through the lens if there is one."""
        return outcome(self.lens(function) if self.lens else function, case)

    def _wrong(self, mine: Solution, case: tuple[Any, ...]) -> str:
        assert self.truth is not None
        got, true = self.seen(mine, case), self.seen(self.truth, case)
        if isinstance(got, Raised) and not isinstance(true, Raised):
            return f"{_call(mine, case)} raised {got}"
        if got is None and true is not None:
            return f"{_call(mine, case)} returned nothing: is there a `return`?"
        verdict = judge(*map(_comparable, (got, true)), tolerance=self.tolerance)
        return "" if verdict.right else f"{_call(mine, case)} gave {shown(got)}: {verdict.hint}"

    def _known(self, mine: Solution) -> str:
        """The hint for the mistake that has the same results everywhere, if there is one."""
        got = [_comparable(self.seen(mine, case)) for case in self.given]
        for wrong, hint in self.mistakes:
            theirs = [_comparable(self.seen(wrong, case)) for case in self.given]
            if all(judge(one, other, tolerance=self.tolerance).right for one, other in zip(got, theirs, strict=True)):
                return hint
        return ""


def outcome(function: Solution, case: tuple[Any, ...]) -> Any:
    """What a function returns for fresh arguments, or what it raised."""
    try:
        return function(*(one() if callable(one) else one for one in case))
    except Exception as error:
        return Raised(error)


def _comparable(result: Any) -> Any:
    return type(result.error) if isinstance(result, Raised) else result


def _call(mine: Solution, case: tuple[Any, ...]) -> str:
    arguments = ", ".join(_argument(one() if callable(one) else one) for one in case)
    return f"{mine.__name__}({arguments})"


def _argument(value: Any) -> str:
    """On one line; a function by its name."""
    return str(value.__name__) if callable(value) else shown(value).replace("\n", "")


def exercise(number: str) -> Callable[[F], F]:
    """Decorates a reader's function, and tells at once whether it is right; one that returns ``...`` is not begun yet.

    A right one and a wrong one alike are given back as they are. Raises NoSuchExerciseError.
    """
    task = find(number)

    def look(mine: F) -> F:
        if not _not_begun(mine, task):
            complaint = task.complaint(mine)
            praise = f": {task.praise}" if task.praise else "."
            print(f"✗ {number}: {complaint}" if complaint else f"✓ {number} is right{praise}")
        return mine

    return look


def _not_begun(mine: Solution, task: Task) -> bool:
    return task.seen(mine, task.given[0]) is ...


def find(number: str) -> Task:
    """The exercise of that number, as in ``"3.2"``. Raises NoSuchExerciseError."""
    lesson = number.partition(".")[0]
    try:
        module = importlib.import_module(f"inspector.lessons.tasks.lesson_{int(lesson):02d}")
    except (ValueError, ModuleNotFoundError):
        raise NoSuchExerciseError(f"there is no exercise {number!r}: the third of lesson 2 is '2.3'.") from None
    tasks: dict[str, Task] = module.TASKS
    if number not in tasks:
        raise NoSuchExerciseError(f"there is no exercise {number!r}; lesson {lesson} has {', '.join(tasks)}.")
    return tasks[number]
