"""The fuzzer itself: its programs make sense, its logs tell differences, and what it shrinks stays a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest
from hypothesis import given, settings

from tests.differential.compare import Difference, first_difference, report
from tests.differential.generate import ALL, CORE, program_number, programs
from tests.differential.programs import Block, Create, Do, Forget, Infix, Program, Ref, flat, names_in, program_of
from tests.differential.run import run
from tests.differential.shrink import shrunk

LEAF = Create("a", [1.0, 2.0], "float64", True)
CONSTANT = Create("a", [1.0, 2.0], "float64", False)


@settings(max_examples=60)
@given(program=programs())
def test_a_statement_refers_only_to_what_was_defined_before(program: Program) -> None:
    defined: set[str] = set()
    for statement in flat(program.statements):
        assert statement.reads <= defined, statement.code
        defined |= set() if isinstance(statement, Block) else names_in(statement.code)[1]
        defined -= {statement.target} if isinstance(statement, Forget) else set()


def test_a_program_has_the_same_text_at_every_drawing_of_its_number() -> None:
    assert str(program_number(7)) == str(program_number(7)) != str(program_number(8))


def test_a_feature_that_is_off_leaves_no_trace() -> None:
    texts = "".join(str(program_number(number, CORE)) for number in range(40))
    assert ".backward(" in texts
    assert not any(word in texts for word in ("register_hook", "autograd.grad", "with ", "detach", "fn."))


def test_an_unknown_feature_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no such feature: wings; there are arithmetic"):
        programs(CORE | {"wings"})


@pytest.mark.oracle
@pytest.mark.parametrize("number", range(20))
def test_the_printed_text_is_the_program_that_ran(number: int, torch: ModuleType) -> None:
    program = program_number(number, ALL)
    drawn, printed = (run(one.quiet(), torch) for one in (program, program_of(str(program))))
    assert repr([entry.seen for entry in drawn if entry.seen]) == repr([entry.seen for entry in printed if entry.seen])
    assert first_difference(drawn[-1:], printed[-1:]) is None


@pytest.mark.oracle
def test_most_statements_are_valid_and_some_are_not(torch: ModuleType) -> None:
    entries = [entry for number in range(60) for entry in run(program_number(number), torch)]
    valid = sum(entry.raised is None and not entry.skipped for entry in entries) / len(entries)
    assert 0.75 < valid < 0.97


def doubled(number: float) -> Program:
    """A small program around one number."""
    return Program((LEAF, Infix("b", Ref("a"), "*", number), Do("b", "retain_grad"), Do("b.sum()", "backward")))


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("change", "field", "variable"),
    [
        (lambda p: doubled(3.0), "value", "b"),
        (
            lambda p: replace(p, statements=(replace(LEAF, requires_grad=False), *p.statements[1:])),
            "requires_grad",
            "a",
        ),
        (lambda p: replace(p, statements=(replace(LEAF, dtype="float32"), *p.statements[1:])), "dtype", "a"),
        (lambda p: replace(p, statements=(LEAF, Infix("b", Ref("a"), "+", 2.0), *p.statements[2:])), "value", "b"),
        (lambda p: replace(p, statements=(*p.statements[:2], Do("b", "abs_"), *p.statements[3:])), "_version", "b"),
        (lambda p: replace(p, statements=(*p.statements[:2], Do("b", "nothing"), *p.statements[3:])), "error", ""),
    ],
)
def test_a_difference_is_found_where_it_first_shows(
    change: Callable[[Program], Program], field: str, variable: str, torch: ModuleType
) -> None:
    program = doubled(2.0)
    found = first_difference(run(program, torch), run(change(program), torch))
    assert found is not None
    assert (found.field, found.variable) == (field, variable)
    assert first_difference(run(program, torch), run(program, torch)) is None


@pytest.mark.oracle
def test_a_program_goes_on_after_an_error_and_skips_what_is_missing(torch: ModuleType) -> None:
    log = run(program_of("a = xp.ones(2)\nb = a.view(3)\nc = b * 2\nd = a * 2"), torch)
    assert log[1].raised is not None
    assert log[1].raised.phrases == {"is invalid for input of size"}
    assert [entry.skipped for entry in log[:4]] == [False, False, True, False]
    assert log[-1].variables.keys() == {"a", "d"}


@pytest.mark.oracle
def test_hooks_tell_what_they_saw_and_may_change_it(torch: ModuleType) -> None:
    text = 'a = xp.ones(2, requires_grad=True)\nh = a.register_hook(see("h", lambda g: g * 5))\na.sum().backward()'
    last = run(program_of(text), torch)[-2]
    assert last.seen == [("h", (([1.0, 1.0], "float32", False),))]
    assert last.variables["a"]["grad"] == [5.0, 5.0]


@pytest.mark.oracle
def test_names_along_next_functions_keep_their_order_and_their_gaps(torch: ModuleType) -> None:
    log = run(program_of("a = xp.ones(2, requires_grad=True)\nb = 2 * a\nc = xp.ones(2)\nd = c * b"), torch)
    below = ("MulBackward0", ("AccumulateGrad(a)", None))
    assert log[-1].variables["d"]["grad_fn"] == ("MulBackward0", (None, below))


def test_shrinking_keeps_the_failure_and_drops_the_rest() -> None:
    program = program_of("a = 1\nb = 2\nwith xp.no_grad():\n    c = 3\n    d = a\ne = 5", watch=True)
    small = shrunk(program, lambda candidate: {"a = 1", "d = a"} <= set(map(str.strip, str(candidate).splitlines())))
    assert str(small) == "a = 1\nd = a"
    assert not small.watch


def test_a_report_holds_the_program_and_its_difference() -> None:
    program = doubled(2.0)
    text = report(program, Difference(1, program.statements[1], "_version", "b", 0, 1))
    assert "b = a * 2.0" in text
    assert "after `b = a * 2.0`: _version of b\n  expected 0\n  got      1" in text
