"""What the user's source says at a place: the expression being evaluated, and the name its value gets.

The place of an event is a stretch of text; the syntax tree of the file tells which expression that is, and whether it
is the value of an assignment. Each file is parsed once. Knows source text only: no frames, no tensors.
"""

from __future__ import annotations

import ast
import linecache
import re
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from inspector.trace.facts import Place

LONGEST = 200
"""Characters of an expression that are kept."""
MENTIONS = 32
"""Names in one expression that are looked at."""

Span = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One place in the user's code, understood as far as its source can be read. There is one object for each place."""

    place: Place | None
    expression: str = ""
    target: tuple[str | None, ...] = ()
    """The names that the value is assigned to: several when it is unpacked, none for what is not a name (``t[0]``)."""
    returned: bool = False
    """Whether the value is what the function returns, so that its caller may have a name for it."""
    temporary: bool = False
    """Whether the value is used up within its own expression, ``x * 2`` in ``x * 2 + 1``, and can have no name."""
    statement: tuple[int, int] | None = None
    """Where the statement begins."""
    mentions: tuple[ast.expr, ...] = ()
    """The names, attributes and items in the expression, the outermost first."""

    def names(self, count: int) -> tuple[str | None, ...]:
        """What each of ``count`` values is called."""
        return self.target if len(self.target) == count else (None,) * count

    def shares_statement(self, other: Site) -> bool:
        """Whether both belong to one statement, whose assignment has not run before its last value is there."""
        if self.place is None or other.place is None or self.statement is None:
            return False
        return self.statement == other.statement and self.place.file == other.place.file

    def is_in(self, code: CodeType) -> bool:
        """Whether this place is in the function whose code that is."""
        place = self.place
        return place is not None and (place.function, place.file) == (code.co_qualname, code.co_filename)


def site_of(place: Place) -> Site:
    """What the source says at ``place``; a bare ``Site`` where there is none to read."""
    tree = _tree(place.file)
    node = None if tree is None else tree.find(place)
    return Site(place) if tree is None or node is None else tree.site(place, node)


def forget_sources() -> None:
    """Parse every file anew when it is next asked for, since it may have changed between two recordings."""
    _tree.cache_clear()
    linecache.checkcache()


class _Tree:
    """The syntax tree of one file, to be searched by position."""

    def __init__(self, source: str) -> None:
        self._lines = [line.encode() for line in source.split("\n")]
        self._nodes: dict[Span, ast.AST] = {}
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(ast.parse(source)):
            self._parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            if isinstance(node, _EVALUATED):
                self._nodes.setdefault(_span(node), node)

    def find(self, place: Place) -> ast.AST | None:
        return self._nodes.get((place.line, place.end_line, place.column, place.end_column))

    def site(self, place: Place, node: ast.AST) -> Site:
        """The site at ``node``, with its place narrowed to the part that is evaluated."""
        part = _evaluated_part(node)
        if part is not node:
            place = Place(place.file, *_span(part), place.function)
        user = self._parents.get(self._whole_value(part))
        returned, temporary = isinstance(user, ast.Return | ast.Lambda), isinstance(user, _CONSUMERS)
        target = _names(self._target(part))
        text, statement = self._text(self._told(part)), self._statement(part)
        return Site(place, text, target, returned, temporary, statement, _mentions(part))

    def _statement(self, node: ast.AST) -> tuple[int, int]:
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node.lineno, node.col_offset

    def _told(self, node: ast.AST) -> ast.AST:
        """What happens at a target is told with its value: ``t[0] = row``, and for ``a, b = rows`` just ``rows``."""
        parent = self._parents[node]
        if not isinstance(getattr(node, "ctx", None), ast.Store) or not isinstance(parent, ast.Assign | ast.AugAssign):
            return node
        match node:
            case ast.Tuple() | ast.List():
                return parent.value
            case ast.Subscript() | ast.Attribute():
                return parent
        return node

    def _text(self, node: ast.AST) -> str:
        """The text of ``node`` on one line, shortened when it is long."""
        line, end_line, column, end_column = _span(node)
        lines = self._lines[line - 1 : end_line]
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        text = " ".join(b" ".join(lines).decode(errors="replace").split())
        text = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", text)
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    def _target(self, node: ast.AST) -> ast.expr | None:
        """What the value of ``node`` is assigned to."""
        if isinstance(node, ast.AugAssign):
            return node.target
        if isinstance(getattr(node, "ctx", None), ast.Store):  # `a, b = rows` unpacks at its target
            return node if isinstance(node, ast.Tuple | ast.List) else None
        return self._target_of(self._whole_value(node))

    def _target_of(self, value: ast.AST) -> ast.expr | None:
        parent = self._parents[value]
        if isinstance(parent, ast.Tuple | ast.List):
            return _part_of(self._target_of(parent), parent, value)
        return _assigned(parent)

    def _whole_value(self, node: ast.AST) -> ast.AST:
        """The largest expression whose value is that of ``node``."""
        while True:
            parent = self._parents[node]
            if isinstance(parent, ast.IfExp) and parent.test is not node:
                node = parent
            elif isinstance(parent, ast.Attribute) and parent.attr.endswith("_") and self._is_called(parent):
                node = self._parents[parent]  # `mg.ones(3).requires_grad_()`: in-place methods return their tensor
            else:
                return node

    def _is_called(self, method: ast.AST) -> bool:
        call = self._parents[method]
        return isinstance(call, ast.Call) and call.func is method


_EVALUATED = (ast.expr, ast.AugAssign, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
"""What an instruction's position may span: never an expression statement, which has the span of its value."""


_CONSUMERS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute)


@lru_cache(maxsize=256)
def _tree(file: str) -> _Tree | None:
    source = "".join(linecache.getlines(file)).replace("\r\n", "\n").replace("\f", " ")
    try:
        return _Tree(source) if source else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _span(node: ast.AST) -> Span:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # type: ignore[attr-defined]


def _evaluated_part(node: ast.AST) -> ast.AST:
    """Python gives the whole of a loop, comprehension or ``with`` block as the place where it is begun."""
    match node:
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.With() | ast.AsyncWith():
            return node.items[0].context_expr
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return node.generators[0].iter
    return node


def _assigned(parent: ast.AST) -> ast.expr | None:
    """What ``parent`` assigns its value to."""
    match parent:
        case ast.Assign(targets=[target, *_]):
            return target
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            return target
    return None


def _names(target: ast.expr | None) -> tuple[str | None, ...]:
    """The names in a target; an item of a container may be anything, and gets its name when it is used."""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target] if target else []
    return tuple(ast.unparse(part) if isinstance(part, ast.Name | ast.Attribute) else None for part in parts)


def _part_of(target: ast.expr | None, values: ast.Tuple | ast.List, value: ast.AST) -> ast.expr | None:
    """The target that lines up with ``value`` in ``a, b = x, y``."""
    if not isinstance(target, ast.Tuple | ast.List) or len(target.elts) != len(values.elts):
        return None
    return next(part for part, one in zip(target.elts, values.elts, strict=True) if one is value)


def _mentions(node: ast.AST) -> tuple[ast.expr, ...]:
    kinds = (ast.Name, ast.Attribute, ast.Subscript)
    return tuple(part for part in ast.walk(node) if isinstance(part, kinds))[:MENTIONS]
