"""Compares two logs of one program and says, as briefly as is useful, where they first part. Runs nothing itself.

Not compared: how gradients are shared and copied (``COPYING``, and the versions that they start with), what follows an
assertion of PyTorch's own (``_broke_down``), the words for a refused seed after the first (``REFUSED_SEED``), which
part of a complex infinity is no number (``_near``), how a derivative's own graph is laid out (``HIGHER_ORDER``), and
retained gradients of a Function of several outputs once one of them was written (``_misplaced``).
"""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.differential.programs import Augment, Block, Custom, Do, Program, Statement, Write, names_in
from tests.differential.run import HIGHER_ORDER, Entry, Raised, numbers

TOLERANCES = {"float16": 1e-2, "float32": 2e-4, "complex64": 2e-4}
"""Relative and absolute; the narrowest dtype in a program decides for all of it. Others: ``EXACT``."""

EXACT = 1e-8

NUMERIC = frozenset({"value", "grad"})

COPYING = frozenset({"_base", "same object as", "grad held by"})
"""What betrays whether a gradient was copied or handed on."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two logs part: at which statement, on which variable, in which field."""

    at: int
    statement: Statement | None
    field: str
    variable: str
    expected: object
    got: object

    @property
    def kind(self) -> str:
        """What differences are counted by."""
        label = self.statement.label if self.statement else "the end"
        return f"{self.field} after {label}: {gist(self.expected)} → {gist(self.got)}"

    def __str__(self) -> str:
        place = f"after `{self.statement.code}`" if self.statement else "at the end"
        of = f" of {self.variable}" if self.variable else ""
        return f"{place}: {self.field}{of}\n  expected {self.expected}\n  got      {self.got}"


def gist(value: object) -> str:
    """``value`` without what varies from program to program."""
    match value:
        case Raised(family=family, phrases=phrases):
            return f"{family}({', '.join(sorted(phrases)) or value.message[:50]})"
        case (str() as name, *_):
            return name
        case None | bool():
            return str(value)
    return type(value).__name__


def first_difference(expected: list[Entry], got: list[Entry]) -> Difference | None:
    """The first thing on which the logs disagree, or None. ``expected`` is the oracle's."""
    tolerance, unversioned, misplaced = _tolerance(expected), _unversioned(expected), _misplaced(expected)
    _count_from_first_sight(expected, unversioned)
    _count_from_first_sight(got, unversioned)
    for at, (theirs, ours) in enumerate(zip(expected, got, strict=False)):
        if _broke_down(theirs):
            return None
        found = (
            one
            for one in _differences(at, theirs, ours, tolerance)
            if not _excused(one, unversioned) and not (one.field.split()[0] == "grad" and one.variable in misplaced)
        )
        difference = next(found, None)
        if difference is not None:
            return difference
    if len(expected) != len(got):
        last = expected[min(len(expected), len(got)) - 1].statement
        return Difference(min(len(expected), len(got)), last, "length of the log", "", len(expected), len(got))
    return None


def _broke_down(theirs: Entry) -> bool:
    """Whether PyTorch could not go on, or not tell how a tensor stands: a fault of its own, as its message says."""
    own = ("INTERNAL ASSERT FAILED", "Could this error message be improved")
    told = (value for state in theirs.variables.values() for value in state.values())
    errors = (error for error in (theirs.raised, *told) if isinstance(error, Raised))
    return any(sentence in error.message for error in errors for sentence in own)


def _count_from_first_sight(log: list[Entry], names: frozenset[str]) -> None:
    """Let versions of these variables start at 0 when they are first seen: only their growth is compared."""
    first: dict[str, int] = {}
    for entry in log:
        for name in names & entry.variables.keys():
            version = entry.variables[name]["_version"]
            if isinstance(version, int):
                entry.variables[name]["_version"] = version - first.setdefault(name, version)


def _unversioned(log: list[Entry]) -> frozenset[str]:
    """Variables that may be a gradient, a copy of an inference tensor, or a view of one of these.

    Whether PyTorch had to copy when it made them, which ``COPYING`` betrays, is no part of what it promises.
    """
    names: set[str] = set()
    inference: set[str] = set()
    for entry in log:
        reads, writes = _names(entry)
        if entry.in_inference_mode:
            inference |= writes
        if reads & (names | inference) or _gives_gradients(entry.statement):
            names |= writes
    return frozenset(names)


def _misplaced(log: list[Entry]) -> frozenset[str]:
    """The outputs of a Function that has several, of which one but the first was written in place.

    PyTorch 2.13 then moves the retained gradient of its first output, or asserts that there is one: it looks for the
    written tensor's by a number that is 0 already.
    """
    names: set[str] = set()
    families: list[tuple[str, ...]] = []
    for entry in log:
        match entry.statement:
            case Custom(outs=outputs) if len(outputs) > 1:
                families.append(outputs)
            case Do(target=target) | Augment(target=target) | Write(target=target):
                names.update(name for family in families if target in family[1:] for name in family)
    return frozenset(names)


def _names(entry: Entry) -> tuple[frozenset[str], frozenset[str]]:
    if entry.statement is None or entry.skipped or isinstance(entry.statement, Block):
        return frozenset(), frozenset()
    return names_in(entry.statement.code)


def _gives_gradients(statement: Statement | None) -> bool:
    return statement is not None and (".grad" in statement.code and "grad_fn" not in statement.code)


def _excused(difference: Difference, unversioned: frozenset[str]) -> bool:
    names = {difference.variable, difference.expected} if difference.field == "grad held by" else {difference.variable}
    return difference.field in COPYING and bool(names & unversioned)


def _tolerance(log: list[Entry]) -> float:
    dtypes = {state["dtype"] for entry in log for state in entry.variables.values()}
    return max((TOLERANCES.get(str(dtype), EXACT) for dtype in dtypes), default=EXACT)


def _differences(at: int, theirs: Entry, ours: Entry, tolerance: float) -> Iterator[Difference]:
    def differ(field: str, expected: object, got: object, variable: str = "") -> Difference:
        return Difference(at, theirs.statement, field, variable, expected, got)

    if (theirs.raised is None) != (ours.raised is None):
        yield differ("error", theirs.raised, ours.raised)
    elif theirs.raised and ours.raised:
        yield from (differ(*parts) for parts in _errors(theirs.raised, ours.raised))
    if theirs.skipped != ours.skipped:
        yield differ("skipped", theirs.skipped, ours.skipped)
    if [name for name, _ in theirs.seen] != [name for name, _ in ours.seen]:
        yield differ("hooks that ran", [name for name, _ in theirs.seen], [name for name, _ in ours.seen])
    for (name, expected), (_, got) in zip(theirs.seen, ours.seen, strict=False):
        if not close(expected, got, tolerance):
            yield differ("hook saw", expected, got, name)
    if theirs.variables.keys() != ours.variables.keys():
        yield differ("variables", sorted(theirs.variables), sorted(ours.variables))
    for name in theirs.variables.keys() & ours.variables.keys():
        if theirs.variables[name] == ours.variables[name]:
            continue  # the usual case, many times quicker than looking at each field
        yield from (differ(*parts, name) for parts in _states(theirs.variables[name], ours.variables[name], tolerance))


REFUSED_SEED = re.compile(r"grad_output\[[1-9]\d*\] has a (shape|dtype) of")
"""PyTorch looks for the number of a seed that it refuses by comparing the seeds, at which it may fail itself."""


def _errors(theirs: Raised, ours: Raised) -> Iterator[tuple[str, object, object]]:
    if theirs.family == ours.family and REFUSED_SEED.search(ours.message):
        return
    if theirs.family != ours.family:
        yield "class of error", theirs, ours
    if not theirs.phrases <= ours.phrases:
        missing = ", ".join(sorted(theirs.phrases - ours.phrases))
        yield "words of error", Raised(theirs.family, frozenset({missing}), theirs.message), ours


def _states(
    theirs: dict[str, object], ours: dict[str, object], tolerance: float
) -> Iterator[tuple[str, object, object]]:
    for field, expected in theirs.items():
        got = ours.get(field)
        same = close(expected, got, tolerance) if field in NUMERIC else agree(expected, got)
        if not same:
            yield field, expected, got


def agree(expected: object, got: object) -> bool:
    """Equality, but exceptions are compared as exceptions are, and second-order nodes equal anything."""
    if isinstance(expected, Raised) and isinstance(got, Raised):
        return next(_errors(expected, got), None) is None
    if isinstance(expected, tuple) and isinstance(got, tuple):
        return len(expected) == len(got) and all(map(agree, expected, got))
    return expected == got or HIGHER_ORDER in (expected, got)


def close(expected: object, got: object, tolerance: float) -> bool:
    """Whether nested numbers are of one structure and near each other; NaN equals NaN."""
    ours, theirs = list(numbers(expected)), list(numbers(got))
    if _structure(expected) != _structure(got) or len(ours) != len(theirs):
        return False
    return all(_near(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))


def _structure(value: object) -> object:
    return [_structure(one) for one in value] if isinstance(value, list | tuple) else None


def _near(a: object, b: object, tolerance: float) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    if isinstance(a, complex) and isinstance(b, complex):
        if not (cmath.isfinite(a) or cmath.isfinite(b)):
            return True  # which part of an infinite product is no number depends on how the product is written out
        return _near(a.real, b.real, tolerance) and _near(a.imag, b.imag, tolerance)
    return type(a) is type(b) and a == b


def report(program: Program, difference: Difference) -> str:
    """The program, its difference, and how it was watched."""
    watched = "looked at after every statement" if program.watch else "looked at only at the end"
    return f"{program}\n# {watched}\n{difference}"
