"""Mends as code: small rewritings of the user's own statements, and nothing where there is no simple one."""

from __future__ import annotations

import pytest

from inspector.explain import rewrite
from inspector.explain.source import expression, statement, where
from inspector.trace.facts import Place
from inspector.trace.trace import Trace


def at(source: str, text: str) -> tuple[Trace, Place]:
    """A trace that holds ``source``, and the place of ``text`` in it."""
    lines = source.splitlines()
    line = next(number for number, each in enumerate(lines, 1) if text in each)
    column = len(lines[line - 1][: lines[line - 1].index(text)].encode())
    return Trace(sources={"a.py": source}), Place("a.py", line, line, column, column + len(text.encode()))


@pytest.mark.parametrize(
    ("source", "text", "mended"),
    [
        ("q.add_(1)", "q.add_(1)", "q = q.add(1)"),
        ("self.q.mul_(a, b)", "self.q.mul_(a, b)", "self.q = self.q.mul(a, b)"),
        ("q += 1", "q", "q = q + 1"),
        ("t[0] = 1", "t[0]", "t = t.clone()\nt[0] = 1"),
        ("t[0] += 1", "t[0]", "t = t.clone()\nt[0] += 1"),
        ("q.zero_()", "q.zero_()", "q = q.clone()\nq.zero_()"),
        ("f(q).add_(1)", "f(q).add_(1)", ""),
        ("s.data.zero_()", "s.data.zero_()", ""),
        ("print(q.add_(1))", "q.add_(1)", ""),
        ("del q", "q", ""),
    ],
)
def test_a_write_without_the_write(source: str, text: str, mended: str) -> None:
    assert rewrite.out_of_place(*at(source, text)) == mended


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("mg.tensor([a.item(), b.detach()], requires_grad=True)", "mg.stack([a, b])"),
        ("mg.tensor([p.detach() for p in parts])", "mg.stack([p for p in parts])"),
        ("tensor(parts)", "stack(parts)"),
        ("mg.tensor(a.item() + 1.0)", ""),
        ("mg.tensor()", ""),
    ],
)
def test_tensors_are_joined_instead_of_copied(text: str, mended: str) -> None:
    assert rewrite.stacked(*at(f"x = {text}", text)) == mended


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("mg.tensor([1, -2], requires_grad=True)", "mg.tensor([1.0, -2.0], requires_grad=True)"),
        ("mg.tensor([[1], [True]])", "mg.tensor([[1.0], [True]])"),
        ("mg.tensor([1.0])", ""),
        ("mg.zeros(n)", ""),
    ],
)
def test_literals_get_their_decimal_points(text: str, mended: str) -> None:
    assert rewrite.with_decimal_points(*at(f"x = {text}", text)) == mended


@pytest.mark.parametrize(
    ("source", "name", "mended"),
    [
        ("avg = 0.9 * avg + 0.1 * x", "avg", "avg = 0.9 * avg.detach() + 0.1 * x"),
        ("self.h = cell(x, self.h)", "self.h", "self.h = cell(x, self.h.detach())"),
        ("total += loss", "total", "total += loss.detach()"),
        ("y = f(x)", "avg", ""),
    ],
)
def test_what_is_carried_over_is_detached(source: str, name: str, mended: str) -> None:
    trace, place = at(source, source)
    assert rewrite.detached(trace, place, name) == mended


@pytest.mark.parametrize(
    ("text", "op", "safe", "mended"),
    [
        ("(a * a).sum().sqrt()", "sqrt", "(x + 1e-12).sqrt()", "((a * a).sum() + 1e-12).sqrt()"),
        ("mg.log(p)", "log", "(x + 1e-12).log()", "(p + 1e-12).log()"),
        ("q ** 0.5", "pow", "(x + 1e-12) ** p", "(q + 1e-12) ** 0.5"),
        ("f(p)", "log", "(x + 1e-12).log()", ""),
    ],
)
def test_the_users_own_operand_goes_into_the_safe_form(text: str, op: str, safe: str, mended: str) -> None:
    trace, place = at(f"y = {text}", text)
    assert rewrite.with_safe_operand(trace, place, op, safe) == mended


def test_a_keyword_is_added_or_set() -> None:
    trace, place = at("g = grad(y, x, create_graph=keep)", "grad(y, x, create_graph=keep)")
    assert rewrite.with_keyword(trace, place, "create_graph") == "grad(y, x, create_graph=True)"


def test_a_copy_is_taken_of_exactly_the_expression() -> None:
    trace, place = at("kept.append((x.grad, y.grad))", "y.grad")
    assert rewrite.cloned(trace, place) == "kept.append((x.grad, y.grad.clone()))"


def test_rewriting_leaves_the_source_as_it_is() -> None:
    trace, place = at("q.add_(1)", "q.add_(1)")
    first = rewrite.out_of_place(trace, place)
    assert rewrite.out_of_place(trace, place) == first
    assert where(trace, place) == "line 1 (`q.add_(1)`)"


def test_quotes_are_short_and_on_one_line() -> None:
    source = "y = f(\n    alpha,\n    beta,\n)"
    trace = Trace(sources={"a.py": source})
    assert expression(trace, Place("a.py", 1, 4, 4, 1)) == "f( alpha, beta, )"
    long = f"y = f({'x' * 80})"
    quoted = expression(Trace(sources={"a.py": long}), Place("a.py", 1, 1, 4, len(long)))
    assert len(quoted) == 60
    assert quoted.endswith("…")


@pytest.mark.parametrize("source", ["", "def (", "x = 1\n", "\x00"])
def test_a_source_that_is_missing_or_no_python_gives_no_quote_and_no_mend(source: str) -> None:
    trace, place = Trace(sources={"a.py": source}), Place("a.py", 7, 7, 3, 9)
    assert expression(trace, place) == ""
    assert statement(trace, place) is None
    assert rewrite.out_of_place(trace, place) == ""
    assert where(trace, place) == "line 7"
    assert where(trace, None) == "a line that was not recorded"


def test_another_file_is_called_by_its_name() -> None:
    trace = Trace(sources={"a.py": "x", "/lib/b.py": "y.add_(1)"}, script="a.py")
    assert where(trace, Place("/lib/b.py", 1, 1, 0, 9)) == "b.py line 1 (`y.add_(1)`)"
