"""The user's source as a diagnosis quotes it: the text of an expression, its line, and what is defined or called where.

Reads the sources that the trace carries; must not open files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath

from inspector.explain.flow import flow_of
from inspector.trace.facts import Place
from inspector.trace.trace import Trace

LONGEST = 60


@lru_cache(maxsize=64)
def parsed(source: str) -> ast.Module:
    """The syntax tree of a source; an empty one for what is no Python. Not to be changed: copy what is rewritten."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def tree_of(trace: Trace, file: str) -> ast.Module:
    """The syntax tree of one of the trace's sources."""
    return parsed(trace.sources.get(file, ""))


def expression(trace: Trace, place: Place | None) -> str:
    """The source text at ``place``, on one line, shortened where it is long; empty if the trace has no source for it.

    The target of a write (``t[0]`` in ``t[0] = 1``) is quoted with its whole statement, since that is what happened.
    """
    if place is None:
        return ""
    found = statement(trace, place)
    if found is not None and any(spans(each, place) for each in targets_of(found)):
        place = place_of(found, place.file)
    return shortened(text_at(trace, place))


def spans(node: ast.AST, place: Place) -> bool:
    """Whether ``node`` is what stands at ``place``."""
    start = (getattr(node, "lineno", None), getattr(node, "col_offset", None))
    end = (getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None))
    return (start, end) == ((place.line, place.column), (place.end_line, place.end_column))


def text_at(trace: Trace, place: Place) -> str:
    """The source text at ``place`` as it stands there, lines joined."""
    lines = trace.sources.get(place.file, "").splitlines()[place.line - 1 : place.end_line]
    if not lines:
        return ""
    cells = [text.encode() for text in lines]
    cells[-1] = cells[-1][: place.end_column] if place.end_column else cells[-1]
    cells[0] = cells[0][place.column :]
    return b" ".join(cells).decode(errors="replace")


def shortened(text: str) -> str:
    """``text`` on one line of at most ``LONGEST`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def line_of(trace: Trace, place: Place) -> str:
    """The whole first line at ``place``, stripped."""
    lines = trace.sources.get(place.file, "").splitlines()
    return lines[place.line - 1].strip() if place.line <= len(lines) else ""


def short_where(trace: Trace, place: Place | None) -> str:
    """``line 7``, with the file's name where it is not the script's own."""
    if place is None:
        return "a line that was not recorded"
    file = "" if place.file == trace.script or len(trace.sources) == 1 else PurePath(place.file).name
    joint = ", " if file.startswith("cell [") else " " if file else ""
    return f"{file}{joint}line {place.line}"


def where(trace: Trace, place: Place | None) -> str:
    """``line 7 (`q.add_(1)`)``."""
    text = expression(trace, place)
    return short_where(trace, place) + (f" (`{text}`)" if text else "")


def called(trace: Trace, tensor: int) -> str:
    """The user's name of a tensor; without one the expression that made it, or that it was made to be written in."""
    name = trace.name_of(tensor)
    birth = flow_of(trace).births.get(tensor) if name.startswith("#") else None
    if birth is None or birth[1].place is None:
        return name
    written = _written_target(trace, birth[1].place)
    base = birth[1].base
    if not written and base is not None and base in trace.names:
        return f"a view of {trace.names[base]}"
    text = expression(trace, birth[1].place)
    return written or (f"the result of `{text}`" if text else name)


def code_of(trace: Trace, tensor: int) -> str:
    """A tensor as one writes it to call something on it: a name, or its expression, in parentheses if they count."""
    name = called(trace, tensor)
    text = name.removeprefix("the result of `").removesuffix("`") if name.startswith("the result of `") else name
    try:
        bare = isinstance(ast.parse(text, mode="eval").body, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    except SyntaxError:
        return name
    return text if bare else f"({text})"


def _written_target(trace: Trace, place: Place) -> str:
    """``t[0]``, for what is made on the way to write to it."""
    targets = targets_of(statement(trace, place))
    return next((ast.unparse(each) for each in targets if spans(each, place) and isinstance(each, ast.Subscript)), "")


def library(trace: Trace) -> str:
    """What the script calls the library, with its dot: ``mg.``, ``torch.``; nothing if that cannot be told."""
    for file in (trace.script, *trace.sources):
        for node in ast.walk(tree_of(trace, file)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in TOP:
                return f"{node.value.id}."
    return ""


TOP = ("tensor", "zeros", "ones", "randn", "rand", "no_grad", "manual_seed", "autograd", "optim", "nn")
"""Names that stand at the top of the library."""


def targets_of(found: ast.stmt | None) -> list[ast.expr]:
    """What a statement assigns to."""
    match found:
        case ast.Assign(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
    return []


def statement(trace: Trace, place: Place) -> ast.stmt | None:
    """The innermost statement of the source that holds ``place``."""
    found = None
    for node in ast.walk(tree_of(trace, place.file)):
        if isinstance(node, ast.stmt) and node.lineno <= place.line and (node.end_lineno or 0) >= place.end_line:
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def call_at(trace: Trace, place: Place | None) -> ast.Call | None:
    """The call that stands at ``place``."""
    if place is None:
        return None
    calls = (node for node in ast.walk(tree_of(trace, place.file)) if isinstance(node, ast.Call) and spans(node, place))
    return next(calls, None)


def operator_at(trace: Trace, place: Place | None, kind: type[ast.operator]) -> ast.BinOp | None:
    """The expression with an operator, such as ``x ** p``, that stands at ``place``."""
    found = () if place is None else ast.walk(tree_of(trace, place.file))
    fitting = (node for node in found if isinstance(node, ast.BinOp) and isinstance(node.op, kind))
    return next((node for node in fitting if place is not None and spans(node, place)), None)


def method_named(trace: Trace, file: str, class_name: str, method: str) -> ast.FunctionDef | None:
    """The definition of a method of a class in one of the sources."""
    for node in ast.walk(tree_of(trace, file)):
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            found = (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == method)
            return next(found, None)
    return None


def calls_of(trace: Trace, file: str, owner: str, method: str) -> Iterator[Place]:
    """Where ``owner.method(…)`` is called, in the order of the source."""
    for node in ast.walk(tree_of(trace, file)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{owner}.{method}":
            yield place_of(node, file)


def place_of(node: ast.AST, file: str) -> Place:
    """Where ``node`` stands."""
    span = (getattr(node, name) or 0 for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"))
    line, end_line, column, end_column = span
    return Place(file, line, end_line, column, end_column)
