"""Where functions and their slopes stop being finite: square roots at 0, logarithms at 0, division by 0, overflow.

Textbook knowledge, one line a function; must not know traces.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Test = Callable[[float], bool]


@dataclass(frozen=True, slots=True)
class Edge:
    """A place at the edge of a function's domain: ``at`` says whether a number lies there, ``words`` what happens."""

    at: Test
    words: str
    safe: str = ""
    """How to stay away from it, as code with ``x`` for the operand."""


def _zero(x: float) -> bool:
    return x == 0


def _negative(x: float) -> bool:
    return x < 0


def _one(x: float) -> bool:
    return abs(x) == 1


def _beyond_one(x: float) -> bool:
    return abs(x) > 1


def _large(x: float) -> bool:
    return abs(x) > 80


def _any(_: float) -> bool:
    return True


BY_ZERO = Edge(_zero, "a division by exactly 0 has no finite result", "x / (y + 1e-12)")
"""Of the divisor, ``y``."""
ROOT_OF_NEGATIVE = Edge(
    _negative, "a negative number has no power with a fractional exponent", "x.sign() * x.abs() ** p"
)
OVERFLOW = Edge(_any, "the result is beyond the largest number of its type")
ZERO_BELOW = Edge(_zero, "0 to a negative power is a division by exactly 0", "(x + 1e-12) ** p")
ALONE_STD = Edge(_any, "the spread of a single number is 0 / 0: it divides by n - 1", "x.std(correction=0)")
ALONE_VAR = Edge(_any, ALONE_STD.words, "x.var(correction=0)")
"""Of one number, or along a dimension of length 1."""


VALUES: dict[str, tuple[Edge, ...]] = {
    "log": (
        Edge(_zero, "the logarithm of exactly 0 is -∞", "(x + 1e-12).log()"),
        Edge(_negative, "a negative number has no logarithm", "x.clamp(min=1e-12).log()"),
    ),
    "sqrt": (Edge(_negative, "a negative number has no square root", "x.clamp(min=0.0).sqrt()"),),
    "rsqrt": (
        Edge(_zero, "1 / √0 is infinite", "(x + 1e-12).rsqrt()"),
        Edge(_negative, "a negative number has no square root", "x.clamp(min=1e-12).rsqrt()"),
    ),
    "reciprocal": (Edge(_zero, "1 / 0 is infinite", "(x + 1e-12).reciprocal()"),),
    "acos": (Edge(_beyond_one, "acos is defined from -1 to 1 only", "x.clamp(-1.0, 1.0).acos()"),),
    "asin": (Edge(_beyond_one, "asin is defined from -1 to 1 only", "x.clamp(-1.0, 1.0).asin()"),),
    "atanh": (Edge(lambda x: abs(x) >= 1, "atanh is finite between -1 and 1 only"),),
    "exp": (
        Edge(
            _large,
            "the exponential of so large a number is beyond the largest float",
            "(x - x.max()).exp()",
        ),
    ),
}
"""Why the value of an operation is not finite, by its operand."""
VALUES["log2"] = VALUES["log10"] = VALUES["log"]
VALUES["log1p"] = (
    Edge(lambda x: x == -1, "the logarithm of 1 - 1 is -∞"),
    Edge(lambda x: x < -1, "log1p needs x > -1"),
)
VALUES["expm1"] = VALUES["exp2"] = VALUES["cosh"] = VALUES["sinh"] = (Edge(_large, VALUES["exp"][0].words),)

UNDEFINED = {
    "softmax": "all that it compares there is -∞, so that it divides 0 by 0",
    "log_softmax": "all that it compares there is -∞",
    "sub": "∞ - ∞ is not defined",
    "add": "∞ - ∞ is not defined",
    "mul": "0 · ∞ is not defined",
    "matmul": "0 · ∞ and ∞ - ∞ are not defined",
    "div": "∞ / ∞ is not defined",
    "mean": "∞ - ∞ is not defined",
    "sum": "∞ - ∞ is not defined",
}
"""Why an operation makes NaN of infinities."""

SLOPES: dict[str, tuple[Edge, ...]] = {
    "sqrt": (Edge(_zero, "the slope of √x is 1 / (2·√x), infinite at exactly 0", "(x + 1e-12).sqrt()"),),
    "rsqrt": (Edge(_zero, "the slope of 1/√x is infinite at exactly 0", "(x + 1e-12).rsqrt()"),),
    "log": (Edge(_zero, "the slope of log(x) is 1 / x, infinite at exactly 0", "(x + 1e-12).log()"),),
    "reciprocal": (Edge(_zero, "the slope of 1/x is infinite at exactly 0"),),
    "acos": (Edge(_one, "the slope of acos is infinite at -1 and 1", "x.clamp(-1 + 1e-6, 1 - 1e-6).acos()"),),
    "asin": (Edge(_one, "the slope of asin is infinite at -1 and 1", "x.clamp(-1 + 1e-6, 1 - 1e-6).asin()"),),
    "atanh": (Edge(_one, "the slope of atanh is infinite at -1 and 1"),),
    "pow": (Edge(_zero, "the slope of a power below 1 is infinite at exactly 0", "(x + 1e-12) ** p"),),
}
"""Why the derivative of an operation is not finite, by its operand."""
SLOPES["log2"] = SLOPES["log10"] = SLOPES["log"]
SLOPES["log1p"] = (Edge(lambda x: x == -1, "the slope of log1p(x) is 1 / (1 + x), infinite at -1"),)


def edge_of(table: dict[str, tuple[Edge, ...]], op: str, x: object) -> Edge | None:
    """The edge of ``op`` at which the number ``x`` lies, if it does.

    >>> edge_of(SLOPES, "sqrt", 0.0).words
    'the slope of √x is 1 / (2·√x), infinite at exactly 0'
    """
    if not isinstance(x, int | float) or not math.isfinite(x):
        return None
    return next((edge for edge in table.get(op, ()) if edge.at(float(x))), None)
