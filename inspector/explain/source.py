"""The user's source as a diagnosis quotes it: the text of an expression, its line, and small rewritings of it as a mend.

Reads the sources that the trace carries; must not open files.
"""

from __future__ import annotations

import ast
from pathlib import PurePath

from inspector.trace.facts import Place
from inspector.trace.trace import Trace

LONGEST = 60


def expression(trace: Trace, place: Place | None) -> str:
    """The source text at ``place``, on one line, shortened where it is long; empty if the trace has no source for it.

    The target of a write (``t[0]`` in ``t[0] = 1``) is quoted with its whole statement, since that is what happened.
    """
    if place is None:
        return ""
    found = statement(trace, place)
    if isinstance(found, ast.Assign | ast.AugAssign) and _is_target(found, place):
        place = Place(place.file, found.lineno, found.end_lineno or 0, found.col_offset, found.end_col_offset or 0)
    return _shortened(_text(trace, place))


def _is_target(found: ast.Assign | ast.AugAssign, place: Place) -> bool:
    targets = found.targets if isinstance(found, ast.Assign) else [found.target]
    return any((each.lineno, each.col_offset, each.end_col_offset) == (place.line, place.column, place.end_column) for each in targets)


def _text(trace: Trace, place: Place) -> str:
    lines = trace.sources.get(place.file, "").splitlines()[place.line - 1 : place.end_line]
    if not lines:
        return ""
    cells = [text.encode() for text in lines]
    cells[-1] = cells[-1][: place.end_column] if place.end_column else cells[-1]
    cells[0] = cells[0][place.column :]
    return b" ".join(cells).decode(errors="replace")


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def line_of(trace: Trace, place: Place) -> str:
    """The whole first line at ``place``, stripped."""
    lines = trace.sources.get(place.file, "").splitlines()
    return lines[place.line - 1].strip() if place.line <= len(lines) else ""


def where(trace: Trace, place: Place | None) -> str:
    """``line 7 (q.add_(1))``, with the file's name where it is not the script's own."""
    if place is None:
        return "a line that was not recorded"
    file = "" if place.file == trace.script or len(trace.sources) == 1 else f"{PurePath(place.file).name} "
    text = expression(trace, place)
    return f"{file}line {place.line}" + (f" (`{text}`)" if text else "")


def statement(trace: Trace, place: Place) -> ast.stmt | None:
    """The innermost statement of the source that holds ``place``."""
    try:
        tree = ast.parse(trace.sources.get(place.file, ""))
    except SyntaxError:
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= place.line and (node.end_lineno or 0) >= place.end_line:
            found = node if found is None or node.lineno >= found.lineno else found
    return found


FORMLESS = ("zero_", "fill_", "copy_", "set_", "resize_", "requires_grad_", "normal_", "uniform_")
"""Methods whose name without the underscore is none: they only make sense in place."""


def out_of_place(trace: Trace, place: Place | None) -> str:
    """The write at ``place`` without the write: ``q = q.add(1)`` for ``q.add_(1)``; empty if it has no simple such form."""
    found = None if place is None else statement(trace, place)
    if isinstance(found, ast.AugAssign) and isinstance(found.target, ast.Name):
        value = ast.BinOp(ast.Name(found.target.id), found.op, found.value)
        return ast.unparse(ast.Assign([found.target], value, lineno=0))
    call = found.value if isinstance(found, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        return _method_without_write(call, call.func)
    return _cloned_write(found)


def _method_without_write(call: ast.Call, method: ast.Attribute) -> str:
    target = ast.unparse(method.value)
    if method.attr in FORMLESS:
        return f"{target} = {target}.clone()\n{ast.unparse(call)}" if isinstance(method.value, ast.Name) else ""
    method.attr = method.attr.rstrip("_")
    return f"{target} = {ast.unparse(call)}"


def _cloned_write(found: ast.stmt | None) -> str:
    """``t = t.clone()`` before ``t[0] = …``."""
    target = found.targets[0] if isinstance(found, ast.Assign) else getattr(found, "target", None)
    if isinstance(found, ast.Assign | ast.AugAssign) and isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        name = target.value.id
        return f"{name} = {name}.clone()\n{ast.unparse(found)}"
    return ""
