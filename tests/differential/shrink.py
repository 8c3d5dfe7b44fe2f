"""Makes a failing program small: drops statements, opens blocks, simplifies values while the failure stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.differential.programs import Backward, Block, Create, Grad, Hook, Program, Statement

Statements = tuple[Statement, ...]
Fails = Callable[[Program], bool]


def shrunk(program: Program, fails: Fails, limit: int = 600) -> Program:
    """The smallest program found, in at most ``limit`` trials, for which ``fails`` still holds."""
    trials = 0
    improved = True
    while improved:
        improved = False
        for candidate in candidates(program):
            trials += 1
            if trials > limit:
                return program
            if fails(candidate):
                program, improved = candidate, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Simpler programs, the boldest changes first."""
    if program.watch:
        yield program.quiet()
    for statements in (*_halves(program.statements), *_edits(program.statements)):
        yield replace(program, statements=statements)


def _halves(statements: Statements) -> Iterator[Statements]:
    """Without a run of statements, long runs first; later statements go first, for less depends on them."""
    size = len(statements) // 2
    while size >= 2:
        for start in range(len(statements) - size, -1, -size):
            yield statements[:start] + statements[start + size :]
        size //= 2


def _edits(statements: Statements) -> Iterator[Statements]:
    for at in range(len(statements) - 1, -1, -1):
        yield statements[:at] + statements[at + 1 :]
    for at, statement in enumerate(statements):
        for instead in simpler(statement):
            yield statements[:at] + instead + statements[at + 1 :]


def simpler(statement: Statement) -> Iterator[Statements]:
    """What could stand in the place of ``statement``."""
    match statement:
        case Block(body=body):
            yield body
            yield from ((replace(statement, body=less),) for less in _edits(body))
        case Create():
            yield from ((one,) for one in _simpler_creations(statement))
        case Backward() | Grad():
            for flag in statement.flags:
                yield (replace(statement, flags=tuple(one for one in statement.flags if one != flag)),)
        case Hook(change=change) if change:
            yield (replace(statement, change=""),)


def _simpler_creations(statement: Create) -> Iterator[Create]:
    if statement.requires_grad:
        yield replace(statement, requires_grad=False)
    if isinstance(statement.values, list) and statement.values:
        flattened = _flat(statement.values)
        if len(statement.values) > 1:
            yield replace(statement, values=statement.values[:1])
        if flattened != [float(n + 1) for n in range(len(flattened))] and statement.dtype.startswith("float"):
            yield replace(statement, values=_counted(statement.values, iter(range(1, len(flattened) + 1))))


def _flat(values: object) -> list[object]:
    return [one for part in values for one in _flat(part)] if isinstance(values, list) else [values]


def _counted(values: object, counter: Iterator[int]) -> object:
    return [_counted(part, counter) for part in values] if isinstance(values, list) else float(next(counter))
