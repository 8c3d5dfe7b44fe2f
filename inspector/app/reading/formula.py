"""A derivative rule as a textbook writes it: ``a: mm.apply(g, b.mT)`` becomes ``∂a = g @ bᵀ``.

The rule's own text is parsed, never run. What has no better form stays a function of its arguments; what cannot be
parsed stays as it is. Must not know Textual.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
PLUMBING = {"dim", "keepdim", "reduction", "dtype", "ignore_index", "step", "steps", "indices", "turned", "layout"}
"""Arguments that say where a function works, not what it computes."""
NAMES = {
    "inf": "∞",
    "pi": "π",
    "LN_2": "ln 2",
    "LN_10": "ln 10",
    "ROOT_TWO_PI": "√(2π)",
    "TWO_OVER_ROOT_PI": "2/√π",
    "ROOT_HALF": "√½",
    "DENSITY": "1/√(2π)",
}
SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
"""How tightly a piece of text holds together."""

Piece = tuple[str, int]


@lru_cache(maxsize=1024)
def textbook(rules: str) -> tuple[str, ...]:
    """A line for each rule of an operation.

    >>> textbook("a: mm.apply(g, b.mT)\\nb: g * (1 - out * out)")
    ('∂a = g @ bᵀ', '∂b = g · (1 − out²)')
    """
    return tuple(_rule(row.strip()) for row in rules.splitlines() if row.strip())


def _rule(row: str) -> str:
    name, _, body = row.partition(":")
    if "<lambda>" in body:  # its text could not be found
        return f"∂{name.strip()} = …"
    try:
        return f"∂{name.strip()} = {_write(ast.parse(body.strip(), mode='eval').body)[0]}"
    except (SyntaxError, RecursionError, ValueError):
        return row


def _write(node: ast.expr) -> Piece:
    writer = _WRITERS.get(type(node))
    return writer(node) if writer is not None else (ast.unparse(node), ATOM)


def _held(node: ast.expr, at_least: int) -> str:
    """A piece, in brackets if it would fall apart beside its neighbour."""
    text, holds = _write(node)
    return text if holds >= at_least else f"({text})"


def _name(node: ast.Name) -> Piece:
    return NAMES.get(node.id.lstrip("_"), node.id.lstrip("_")), ATOM


def _constant(node: ast.Constant) -> Piece:
    return str(node.value), ATOM


def _attribute(node: ast.Attribute) -> Piece:
    if node.attr in ("mT", "T", "mH", "H"):
        return _held(node.value, ATOM) + ("ᵀ" if node.attr in ("mT", "T") else "ᴴ"), ATOM
    return NAMES.get(node.attr, ast.unparse(node)), ATOM


def _unary(node: ast.UnaryOp) -> Piece:
    sign = {ast.USub: "−", ast.Not: "not ", ast.Invert: "not "}.get(type(node.op), "+")
    return sign + _held(node.operand, PRODUCT), PRODUCT


def _binary(node: ast.BinOp) -> Piece:
    left, right = node.left, node.right
    match node.op:
        case ast.Add():
            return f"{_held(left, SUM)} + {_held(right, SUM)}", SUM
        case ast.Sub():
            return f"{_held(left, SUM)} − {_held(right, PRODUCT)}", SUM
        case ast.Mult() if ast.dump(left) == ast.dump(right):
            return _power(left, "2")
        case ast.Mult():
            return f"{_held(left, PRODUCT)} · {_held(right, POWER)}", PRODUCT
        case ast.Div():
            return f"{_held(left, PRODUCT)} / {_held(right, POWER)}", PRODUCT
        case ast.MatMult():
            return f"{_held(left, POWER)} @ {_held(right, POWER)}", PRODUCT
        case ast.Pow():
            return _power(left, _write(right)[0])
        case ast.BitAnd():
            return f"{_write(left)[0]} and {_write(right)[0]}", SUM
        case ast.BitOr():
            return f"{_write(left)[0]} or {_write(right)[0]}", SUM
    return ast.unparse(node), ATOM


def _power(base: ast.expr, exponent: str) -> Piece:
    if exponent.lstrip("-−").isdigit():
        return _held(base, ATOM) + exponent.replace("−", "-").translate(RAISED), POWER
    return f"{_held(base, ATOM)}^{exponent if exponent.isalnum() else f'({exponent})'}", POWER


def _compare(node: ast.Compare) -> Piece:
    signs = {ast.GtE: "≥", ast.LtE: "≤", ast.Gt: ">", ast.Lt: "<", ast.Eq: "=", ast.NotEq: "≠"}
    parts = [_write(node.left)[0]]
    for operator, right in zip(node.ops, node.comparators, strict=True):
        parts += [signs.get(type(operator), "?"), _write(right)[0]]
    return " ".join(parts), SUM


def _choice(node: ast.IfExp) -> Piece:
    if any(_is_plumbing(part) for part in ast.walk(node.test)):  # two ways to the same value
        return _write(node.orelse)
    return _either(node.test, node.body, node.orelse)


def _either(test: ast.expr, then: ast.expr, otherwise: ast.expr) -> Piece:
    return f"{_held(then, PRODUCT)} where {_write(test)[0]}, else {_held(otherwise, SUM)}", 0


def _subscript(node: ast.Subscript) -> Piece:
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and node.slice.value >= 0:
        return _held(node.value, ATOM) + str(node.slice.value).translate(LOWERED), ATOM
    return f"{_held(node.value, ATOM)}[{ast.unparse(node.slice)}]", ATOM


def _call(node: ast.Call) -> Piece:
    """A function of what it computes with; some have a sign of their own."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in ("apply", "copied"):
        function = function.value
    name = ast.unparse(function).rpartition(".")[2].lstrip("_")
    form = _FORMS.get((name, len(node.args))) or _FORMS.get((name, -1))
    if form is not None:
        return form(node.args)
    given = [_write(one)[0] for one in node.args if not _is_plumbing(one)]
    return f"{name}({', '.join(given)})", ATOM


def _is_plumbing(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and (node.id in PLUMBING or node.id.endswith("_shape"))


def _matrix_product(args: list[ast.expr]) -> Piece:
    return f"{_held(args[0], POWER)} @ {_held(args[1], POWER)}", PRODUCT


def _transposed(args: list[ast.expr]) -> Piece:
    return _held(args[0], ATOM) + "ᵀ", ATOM


def _times(args: list[ast.expr]) -> Piece:
    return f"{_write(args[1])[0]} · {_held(args[0], PRODUCT)}", PRODUCT


def _as_is(args: list[ast.expr]) -> Piece:
    return _write(args[0])


def _total(args: list[ast.expr]) -> Piece:
    return f"Σ({_write(args[0])[0]})", ATOM


def _nothing(args: list[ast.expr]) -> Piece:
    return "0", ATOM


def _root(args: list[ast.expr]) -> Piece:
    return f"√{_held(args[0], ATOM)}", ATOM


def _one_over_root(args: list[ast.expr]) -> Piece:
    return f"1/√{_held(args[0], ATOM)}", PRODUCT


def _above_zero(args: list[ast.expr]) -> Piece:
    return f"{_held(args[0], PRODUCT)} where {_held(args[1], POWER)} > 0, else 0", 0


def _one_power_less(args: list[ast.expr]) -> Piece:
    return f"{_held(args[0], ATOM)}^({_write(args[1])[0]} − 1)", POWER


def _conjugate(args: list[ast.expr]) -> Piece:
    return _held(args[0], ATOM) + "*", ATOM


def _chosen(args: list[ast.expr]) -> Piece:
    return _either(*args)


def _spread(args: list[ast.expr]) -> Piece:
    return f"{_held(args[0], PRODUCT)}, once for each summand", 0


def _reshaped(args: list[ast.expr]) -> Piece:
    return f"{_held(args[0], PRODUCT)}, in the shape of a", 0


def _for_each(node: ast.ListComp | ast.GeneratorExp) -> Piece:
    return f"{_held(node.elt, PRODUCT)} for each {ast.unparse(node.generators[0].target)}", 0


def _lambda(node: ast.Lambda) -> Piece:
    return f"{ast.unparse(node.args)} ↦ {_write(node.body)[0]}", 0


def _tuple(node: ast.Tuple | ast.List) -> Piece:
    return f"({', '.join(_write(one)[0] for one in node.elts)})", ATOM


_FORMS: dict[tuple[str, int], Callable[[list[ast.expr]], Piece]] = {
    **dict.fromkeys([("mm", 2), ("matmul", 2), ("bmm", 2), ("mv", 2), ("dot", 2)], _matrix_product),
    **dict.fromkeys([("t", 1), ("T", 1), ("mT", 1)], _transposed),
    ("times", 2): _times,
    **dict.fromkeys([("raw", 1), ("copy", 1), ("as_array", 1)], _as_is),
    **dict.fromkeys([("total", -1), ("sum", -1), ("sum_over", -1), ("over_channels", -1), ("sum_to", 2)], _total),
    ("zero", -1): _nothing,
    ("sqrt", 1): _root,
    ("rsqrt", 1): _one_over_root,
    ("relu_slope", 2): _above_zero,
    ("one_power_less", 2): _one_power_less,
    ("conj", 1): _conjugate,
    ("choose", 3): _chosen,
    ("spread", -1): _spread,
    **dict.fromkeys([("reshape_to", 2), ("squeezed_again", -1)], _reshaped),
}
"""Functions that have a form of their own, by name and number of arguments; -1 stands for any number."""

_WRITERS: dict[type[ast.expr], Callable[..., Piece]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Call: _call,
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp), _for_each),
    ast.Lambda: _lambda,
    **dict.fromkeys((ast.Tuple, ast.List), _tuple),
}
