"""Small rewritings of the user's own statement: the mend as code. Empty text where there is no simple one.

Must not know any diagnosis; changes copies of syntax trees only.
"""

from __future__ import annotations

import ast
import copy

from inspector.explain.source import call_at, operator_at, spans, statement, targets_of
from inspector.trace.facts import Place
from inspector.trace.trace import Trace

FORMLESS = ("zero_", "fill_", "copy_", "set_", "resize_", "requires_grad_", "normal_", "uniform_")
"""Methods whose name without the underscore is none: they only make sense in place."""


def whole(trace: Trace, place: Place | None) -> str:
    """The statement at ``place``, if it is one that stands on its own."""
    found = None if place is None else statement(trace, place)
    return ast.unparse(found) if isinstance(found, ast.Expr | ast.Assign | ast.AugAssign) else ""


def as_update(trace: Trace, place: Place | None) -> str:
    """``w -= 0.1 * g`` for ``w = w - 0.1 * g``; else ``w.copy_(…)`` with the value that is assigned."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if not isinstance(found, ast.Assign):
        return ""
    target, value = found.targets[0], found.value
    if isinstance(value, ast.BinOp) and ast.unparse(value.left) == ast.unparse(target) and isinstance(target, ast.Name):
        return ast.unparse(ast.AugAssign(target, value.op, value.right))
    return f"{ast.unparse(target)}.copy_({ast.unparse(value)})"


def leaf_itself(trace: Trace, place: Place | None, leaf: Place | None) -> str:
    """``w = (randn(3) * 0.1).requires_grad_()`` for ``w = randn(3, requires_grad=True) * 0.1``."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if leaf is None or not isinstance(found, ast.Assign) or not isinstance(found.targets[0], ast.Name | ast.Attribute):
        return ""
    for node in ast.walk(found.value):
        asked = [each for each in getattr(node, "keywords", []) if each.arg == "requires_grad"]
        if isinstance(node, ast.Call) and spans(node, leaf) and asked:
            node.keywords = [each for each in node.keywords if each.arg != "requires_grad"]
            found.value = _method_call(found.value, "requires_grad_")
            return ast.unparse(found)
    return ""


def out_of_place(trace: Trace, place: Place | None) -> str:
    """The write at ``place`` without the write: ``q = q.add(1)`` for ``q.add_(1)``."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if isinstance(found, ast.AugAssign) and isinstance(found.target, ast.Name):
        value = ast.BinOp(ast.Name(found.target.id), found.op, found.value)
        return ast.unparse(ast.Assign([found.target], value, lineno=0))
    call = found.value if isinstance(found, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        return _method_without_write(call, call.func)
    return _cloned_write(found)


def _method_without_write(call: ast.Call, method: ast.Attribute) -> str:
    target = ast.unparse(method.value)
    if not isinstance(method.value, ast.Name | ast.Attribute) or target.endswith(".data"):
        return ""
    if method.attr in FORMLESS:
        return f"{target} = {target}.clone()\n{ast.unparse(call)}"
    method.attr = method.attr.rstrip("_")
    return f"{target} = {ast.unparse(call)}"


def _cloned_write(found: ast.stmt | None) -> str:
    """``t = t.clone()`` before ``t[0] = …``."""
    target = found.targets[0] if isinstance(found, ast.Assign) else getattr(found, "target", None)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and found is not None:
        name = target.value.id
        return f"{name} = {name}.clone()\n{ast.unparse(found)}"
    return ""


def stacked(trace: Trace, place: Place | None) -> str:
    """``mg.stack([a, b])`` for ``mg.tensor([a.item(), b.detach()], requires_grad=True)``."""
    call = copy.deepcopy(call_at(trace, place))
    if call is None or not call.args or not isinstance(call.func, ast.Attribute | ast.Name):
        return ""
    single = isinstance(call.args[0], ast.Call | ast.Attribute)
    rows = _Attached().visit(call.args[0])
    if single:
        return _itself(trace, place, rows)
    if not isinstance(rows, ast.List | ast.Tuple | ast.ListComp | ast.Name):
        return ""
    name = ast.Name("stack") if isinstance(call.func, ast.Name) else ast.Attribute(call.func.value, "stack", ast.Load())
    return ast.unparse(ast.Call(name, [rows], []))


def _itself(trace: Trace, place: Place | None, value: ast.expr) -> str:
    """The statement with the tensor itself for its copy."""
    found = None if place is None else statement(trace, place)
    text = ast.unparse(value)
    if isinstance(found, ast.Assign) and [ast.unparse(target) for target in found.targets] == [text]:
        return f"# leave out line {found.lineno}: go on with {text} itself"
    return f"{replaced(trace, place, text)}  # the tensor itself, and no copy of its numbers"


class _Attached(ast.NodeTransformer):
    """Leaves out the calls that take a tensor's numbers out of its graph."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("detach", "item", "tolist", "numpy"):
            return node.func.value
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == "data" else node


def without_call(trace: Trace, place: Place | None, method: str) -> str | None:
    """The statement at ``place`` without ``.method()``; empty text if nothing is left of it to do, None if it is not
    written there.
    """
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if not isinstance(found, ast.Assign | ast.Expr | ast.AugAssign | ast.Return):
        return None
    before = ast.unparse(found)
    after = ast.unparse(_Without(method).visit(found))
    if before == after:
        return None
    idle = isinstance(found, ast.Expr) or (isinstance(found, ast.Assign) and _is_own_name(found))
    return "" if idle and not isinstance(getattr(found, "value", None), ast.Call) else after


def _is_own_name(found: ast.Assign) -> bool:
    """``z = z``."""
    return any(ast.unparse(target) == ast.unparse(found.value) for target in found.targets)


class _Without(ast.NodeTransformer):
    def __init__(self, method: str) -> None:
        self._method = method

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == self._method and not node.args:
            return node.func.value
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == self._method == "data" else node


def replaced(trace: Trace, place: Place | None, text: str) -> str:
    """The statement at ``place`` with ``text`` for the expression there; ``text`` alone where there is no statement."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if place is None or not isinstance(found, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        return text
    return ast.unparse(_Replace(place, text).visit(found))


class _Replace(ast.NodeTransformer):
    def __init__(self, place: Place, text: str) -> None:
        self._place, self._text = place, text

    def visit(self, node: ast.AST) -> ast.AST:
        return (
            ast.Name(self._text)
            if isinstance(node, ast.expr) and spans(node, self._place)
            else self.generic_visit(node)
        )


def with_decimal_points(trace: Trace, place: Place | None) -> str:
    """The call at ``place`` with ``1.0`` for ``1`` in its first argument."""
    call = copy.deepcopy(call_at(trace, place))
    if call is None or not call.args:
        return ""
    before = ast.dump(call)
    call.args[0] = _Decimal().visit(call.args[0])
    return "" if ast.dump(call) == before else ast.unparse(call)


class _Decimal(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(float(node.value)) if type(node.value) is int else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node


def detached(trace: Trace, place: Place | None, name: str) -> str:
    """The statement at ``place`` with ``name.detach()`` for ``name``; of ``total += loss`` it is ``loss``."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if isinstance(found, ast.AugAssign):
        found.value = _method_call(found.value, "detach")
        return ast.unparse(found)
    if isinstance(found, ast.Assign):
        before = ast.dump(found.value)
        found.value = _Detach(name).visit(found.value)
        return "" if ast.dump(found.value) == before else ast.unparse(found)
    return ""


class _Detach(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _method_call(node, "detach") if node.id == self._name else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _method_call(node, "detach") if ast.unparse(node) == self._name else self.generic_visit(node)


def _method_call(value: ast.expr, method: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, method, ast.Load()), [], [])


def with_keyword(trace: Trace, place: Place | None, keyword: str) -> str:
    """The call at ``place`` with ``keyword=True``."""
    return with_value(trace, place, keyword, value=True)


def without_keyword(trace: Trace, place: Place | None, keyword: str) -> str:
    """The statement at ``place`` with the call there made without ``keyword``; empty text if it is not given it."""
    call = copy.deepcopy(call_at(trace, place))
    if call is None or not any(each.arg == keyword for each in call.keywords):
        return ""
    call.keywords = [each for each in call.keywords if each.arg != keyword]
    return replaced(trace, place, ast.unparse(call))


def with_value(trace: Trace, place: Place | None, keyword: str, *, value: bool) -> str:
    """The call at ``place`` with ``keyword=value``."""
    call = copy.deepcopy(call_at(trace, place))
    if call is None:
        return ""
    call.keywords = [each for each in call.keywords if each.arg != keyword]
    call.keywords.append(ast.keyword(keyword, ast.Constant(value)))
    return ast.unparse(call)


def assigned_name(trace: Trace, place: Place | None) -> str:
    """What the statement at ``place`` assigns to, as text: ``average``."""
    targets = [] if place is None else targets_of(statement(trace, place))
    return ast.unparse(targets[0]) if len(targets) == 1 else ""


def with_safe_operand(trace: Trace, place: Place | None, op: str, safe: str) -> str:
    """The operation at ``place`` as ``safe`` has it, ``(x + 1e-12).sqrt()``, with the user's own operand for ``x``."""
    call, power, ratio = call_at(trace, place), operator_at(trace, place, ast.Pow), operator_at(trace, place, ast.Div)
    if power is not None:
        operands = {"x": power.left, "p": power.right}
    elif ratio is not None:
        operands = {"x": ratio.left, "y": ratio.right}
    elif call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == op:
        operands = {"x": call.args[0] if call.args else call.func.value}
    else:
        return ""
    return ast.unparse(_Put(operands).visit(ast.parse(safe, mode="eval").body))


class _Put(ast.NodeTransformer):
    def __init__(self, operands: dict[str, ast.expr]) -> None:
        self._operands = operands

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._operands.get(node.id, node))


def chosen_safely(trace: Trace, where: Place | None, unsafe: Place | None) -> str:
    """A second ``where`` inside: a safe operand for the unsafe operation, ``safe = where(condition, x, 1.0)``."""
    choice, found = call_at(trace, where), _made_safe(trace, unsafe)
    if choice is None or len(choice.args) < 3 or found is None:
        return ""
    operand, inside = found
    safe = ast.Call(copy.deepcopy(choice.func), [copy.deepcopy(choice.args[0]), operand, ast.Constant(1.0)], [])
    return f"safe = {ast.unparse(safe)}\n# and then {ast.unparse(inside)} in the other where"


def _made_safe(trace: Trace, unsafe: Place | None) -> tuple[ast.expr, ast.expr] | None:
    """The operand for which the operation is unsafe, and the operation with ``safe`` in its place."""
    name = ast.Name("safe")
    for kind in (ast.Div, ast.Pow):
        found = copy.deepcopy(operator_at(trace, unsafe, kind))
        if found is not None:
            left, right = (found.left, name) if kind is ast.Div else (name, found.right)
            return (found.right if kind is ast.Div else found.left), ast.BinOp(left, found.op, right)
    call = copy.deepcopy(call_at(trace, unsafe))
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    if call.args:
        return call.args[0], ast.Call(call.func, [name, *call.args[1:]], call.keywords)
    return call.func.value, ast.Call(ast.Attribute(name, call.func.attr, ast.Load()), [], call.keywords)


def with_finite_mask(trace: Trace, place: Place | None) -> str:
    """The expression at ``place`` with ``-1e9`` for minus infinity; empty text where none is written there."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if found is None or place is None:
        return ""
    here = next((node for node in ast.walk(found) if isinstance(node, ast.expr) and spans(node, place)), None)
    if here is None:
        return ""
    before = ast.unparse(here)
    after = ast.unparse(_Finite().visit(here))
    return "" if before == after else after


class _Finite(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        infinite = isinstance(node.op, ast.USub) and ast.unparse(node.operand).rpartition(".")[2] in INFINITE
        return ast.Name("-1e9") if infinite else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return ast.Name("-1e9") if ast.unparse(node) in ("float('-inf')",) else self.generic_visit(node)


INFINITE = ("inf", "float('inf')", "float('Infinity')")


def cloned(trace: Trace, place: Place | None) -> str:
    """The statement at ``place`` with a ``.clone()`` behind the expression that stands there."""
    found = None if place is None else copy.deepcopy(statement(trace, place))
    if found is None or place is None or not isinstance(found, ast.Expr | ast.Assign):
        return ""
    return ast.unparse(_Clone(place).visit(found))


class _Clone(ast.NodeTransformer):
    def __init__(self, place: Place) -> None:
        self._place = place

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _method_call(node, "clone") if spans(node, self._place) else self.generic_visit(node)
