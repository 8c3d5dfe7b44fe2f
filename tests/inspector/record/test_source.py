"""The source at a place: which expression it is, and what its value is called."""

from __future__ import annotations

import dis
import linecache
from collections.abc import Callable, Iterator
from types import CodeType

import pytest

from inspector.record.source import Site, forget_sources, site_of
from inspector.trace.facts import Place

SOURCE = """\
h = z.tanh()
a, b = x * 2, y + 1
self.w = mg.randn(3)
h *= 2
for row in x.unbind():
    keep(row)
for line in batch:
    keep(line)
p, q = pair
v = (u := x @ y) + 1
w = mg.tensor(1.0).requires_grad_()
k = x - 2 if c else y - 3
d = f(
    x,
    y )
table[t] = table[t - 1] * gate
é = "é" + x
n: int = x // 1
with mode():
    keep()
def double(s):
    return s ** 2
"""
FILE = "source of the test.py"


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    forget_sources()
    linecache.cache[FILE] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), FILE)
    yield
    del linecache.cache[FILE]
    forget_sources()


def places(code: CodeType) -> Iterator[Place]:
    """Every place at which some instruction stands, in nested functions too: what an event may say of itself."""
    for instruction in dis.get_instructions(code):
        line, end_line, column, end_column = instruction.positions
        if end_column is not None:
            yield Place(FILE, line or 0, end_line or 0, column or 0, end_column, code.co_qualname)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from places(constant)


@pytest.fixture
def site() -> Callable[[str], Site]:
    """The site of the expression with a given text."""
    sites = {found.expression: found for found in map(site_of, places(compile(SOURCE, FILE, "exec")))}
    return sites.__getitem__


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("z.tanh()", ("h",)),
        ("x * 2", ("a",)),
        ("y + 1", ("b",)),
        ("mg.randn(3)", ("self.w",)),
        ("h *= 2", ("h",)),
        ("pair", ("p", "q")),
        ("x @ y", ("u",)),
        ("(u := x @ y) + 1", ("v",)),
        ("mg.tensor(1.0)", ("w",)),
        ("mg.tensor(1.0).requires_grad_()", ("w",)),
        ("x - 2", ("k",)),
        ("y - 3", ("k",)),
        ("x // 1", ("n",)),
        ('"é" + x', ("é",)),
        ("x.unbind()", ()),
        ("table[t - 1] * gate", (None,)),
        ("s ** 2", ()),
    ],
)
def test_a_value_is_called_what_it_is_assigned_to(
    site: Callable[[str], Site], expression: str, names: tuple[str, ...]
) -> None:
    assert site(expression).target == names


def test_an_expression_over_several_lines_is_told_on_one(site: Callable[[str], Site]) -> None:
    assert site("f(x, y)").target == ("d",)


def test_a_write_to_an_item_is_told_as_the_statement(site: Callable[[str], Site]) -> None:
    assert site("table[t] = table[t - 1] * gate").target == ()


def test_a_returned_value_may_be_named_by_the_caller(site: Callable[[str], Site]) -> None:
    assert site("s ** 2").returned
    assert not site("x * 2").returned


def test_a_loop_is_entered_at_what_it_loops_over(site: Callable[[str], Site]) -> None:
    place = site("batch").place
    assert place is not None
    assert (place.line, place.column, place.end_column) == (7, 12, 17)


def test_a_with_block_is_entered_at_its_context(site: Callable[[str], Site]) -> None:
    place = site("mode()").place
    assert place is not None
    assert (place.line, place.end_line) == (19, 19)


def test_names_go_to_values_only_when_there_are_as_many(site: Callable[[str], Site]) -> None:
    assert site("pair").names(2) == ("p", "q")
    assert site("pair").names(3) == (None, None, None)
    assert site("z.tanh()").names(2) == (None, None)


@pytest.mark.parametrize("text", ["def f(:\n", "", "\0"])
def test_a_file_that_cannot_be_read_has_a_bare_site(text: str) -> None:
    linecache.cache["odd.py"] = (len(text), None, text.splitlines(keepends=True), "odd.py")
    place = Place("odd.py", 1, 1, 0, 3)
    site = site_of(place)
    assert (site.place, site.expression, site.target, site.mentions) == (place, "", (), ())
    assert site_of(Place("no such file.py", 1, 1, 0, 3)).expression == ""
    del linecache.cache["odd.py"]


def test_a_long_expression_is_shortened() -> None:
    text = "y = [" + "x, " * 200 + "x]\n"
    linecache.cache["long.py"] = (len(text), None, [text], "long.py")
    expression = site_of(Place("long.py", 1, 1, 4, len(text) - 1)).expression
    assert len(expression) == 200
    assert expression.endswith("…")
    del linecache.cache["long.py"]
