"""A copy of minigrad from which the guards of its events are cut out, to see what they cost. It runs nothing itself.

What asks whether anyone listens is replaced by the answer no, and what hangs on that answer is removed: not the test
alone, but the branch, and the operands of ``and`` and ``or``. ``regime.unusual``, which events share with forward mode
and hooks on saved tensors, is answered no as well, so this copy can do less than a core without events could.
"""

from __future__ import annotations

import ast
from pathlib import Path

NOBODY = frozenset({"listeners", "unusual"})
"""Attributes that, like those of ``audience``, say whether an event is wanted. The files that keep them stay as they
are."""
KEEPERS = frozenset({"audience.py", "events.py", "regime.py"})


def copy(source: Path, target: Path, without: bool = True) -> int:
    """Write the package ``source`` into ``target``, passed through the same machinery whether ``without`` guards or
    not; returns how many guards were cut out."""
    count = 0
    for path in source.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if without and path.name not in KEEPERS:
            cutter = Cutter()
            tree = cutter.visit(tree)
            count += cutter.count
        written = target / source.name / path.relative_to(source)
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
    return count


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


class Cutter(ast.NodeTransformer):
    """Answers no wherever it is asked whether anyone listens, and takes away what can then never run."""

    def __init__(self) -> None:
        self.count = 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or not isinstance(node.ctx, ast.Load):
            return node
        if node.attr in NOBODY or (node.value.id == "audience" and node.attr != "journal"):
            self.count += 1
            return ast.Constant(False)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        """``tell := audience.scope_left``."""
        self.generic_visit(node)
        return ast.Constant(False) if _is(node.value, False) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``bool(…)`` of what is known by now."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "bool" and node.args and _is(node.args[0], False):
            return ast.Constant(False)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """``regime.unusual == 1``, and ``audience.journal is not None``."""
        self.generic_visit(node)
        asked = isinstance(node.left, ast.Attribute) and node.left.attr == "journal"
        if asked and isinstance(node.ops[0], ast.IsNot):
            self.count += 1
            return ast.Constant(False)
        return ast.Constant(False) if _is(node.left, False) and isinstance(node.ops[0], ast.Eq) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        left: list[ast.expr] = []
        for value in node.values:
            if _is(value, decides):
                left.append(value)
                break
            if not _is(value, not decides):
                left.append(value)
        if not left:
            return ast.Constant(not decides)
        if _is(left[-1], decides) and all(_has_no_effect(value) for value in left[:-1]):
            return left[-1]
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.Constant(True) if isinstance(node.op, ast.Not) and _is(node.operand, False) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return node.orelse if _is(node.test, False) else node.body if _is(node.test, True) else node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if _is(node.test, False):
            return node.orelse or ast.Pass()
        return node.body if _is(node.test, True) else node


def _has_no_effect(node: ast.expr) -> bool:
    """Nothing is called in it, so that it need not be evaluated."""
    return not any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Await)) for part in ast.walk(node))
