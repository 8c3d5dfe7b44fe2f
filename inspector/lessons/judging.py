"""Compare an answer with the truth, and say what kind of mistake it is. It prints nothing, and needs NumPy only.

An answer may be a number, nested lists, an array, a tensor, a word (``"yes"``, ``"AddBackward0"``), None, or any of
these as somebody typed it: ``"1/3"``, ``"[1, 2]"``.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Reason: TypeAlias = Callable[[Array, Array], str]

TOLERANCE = 5e-3
"""Relative to the largest number of the truth: three digits are enough for someone with a pencil."""
ONE_LINE = 72
"""Characters of an array that is written on one line."""
WORDS = {"yes": "true", "no": "false", "nothing": "none", "—": "none", "-": "none"}
FACTORS = {2: "twice", 3: "three times", 4: "four times", 1 / 2: "half", 1 / 3: "a third", 1 / 4: "a quarter"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right; if not, what is wrong, and how far off it is (0: not at all; inf: no telling)."""

    right: bool
    hint: str
    distance: float


def judge(
    answer: object,
    truth: object,
    *,
    tolerance: float = TOLERANCE,
    hints: Mapping[Any, str] | None = None,
    batch: int | None = None,
) -> Verdict:
    """What to say to an answer.

    ``hints`` maps wrong answers that one can foresee to what is behind each; it is asked before all general reasons. An
    array stands in it as nested tuples. ``batch`` is the number of examples, where a sum over them may be mistaken for
    a mean. Nothing is raised: an answer that makes no sense is a wrong one.

    >>> judge(6.0, 6).right
    True
    >>> judge("-6", 6).hint
    'the sign is wrong: the number itself is right.'
    >>> judge(3, 6, hints={3: "w is used twice."}).hint
    'w is used twice.'
    """
    answer, truth = simplified(answer), simplified(truth)
    distance = _distance(answer, truth)
    if distance <= tolerance:
        return Verdict(True, "", 0.0)
    for wrong, reason in (hints or {}).items():
        if _distance(answer, simplified(wrong)) <= tolerance:
            return Verdict(False, reason, distance)
    return Verdict(False, _reason(answer, truth, tolerance, batch), distance)


def simplified(value: object) -> Any:
    """A value as we compare it: an array of numbers, or a word in lower case. What was typed is read first."""
    if isinstance(value, str):
        value = read(value)
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]  # what `grad(y, x)` returns
    if value is None or isinstance(value, bool | str | type):
        word = value.__name__ if isinstance(value, type) else str(value)
        word = word.strip().lower()
        return WORDS.get(word, word)
    return _numbers(value)


def read(typed: str) -> Any:
    """What somebody typed, as a value: ``"-1/2"``, ``"[[1, 2], [3, 4]]"``, ``"None"``; else the words as they are.

    >>> read("3/4"), read("[1, -2.5]"), read(" AddBackward0 ")
    (0.75, [1, -2.5], 'AddBackward0')
    """
    try:
        return _value(ast.parse(typed.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError):
        return typed.strip()


def shown(value: object) -> str:
    """A value in few words: a number to six digits, an array on one line, or else on as many as it has rows.

    >>> shown(64.0), shown([[1, 0.5]]), shown(None)
    ('64', '[[1, 0.5]]', 'None')
    """
    plain = value[0] if isinstance(value, tuple) and len(value) == 1 else value
    if plain is None or isinstance(plain, bool | str):
        return str(plain)
    if isinstance(plain, type):
        return plain.__name__
    numbers = _numbers(plain)
    if isinstance(numbers, str):
        return numbers
    written = _written(numbers.tolist(), ", ")
    return written if len(written) <= ONE_LINE else _written(numbers.tolist(), ",\n ")


# -- from what is given to what is compared


def _value(tree: ast.expr) -> Any:
    """Literals, with signs, fractions and products in them."""
    match tree:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _value(left) / _value(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left) * _value(right)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element) for element in elements]
        case ast.Constant(value=bool() | int() | float() | None as value):
            return value
    raise ValueError("not a number")


def _numbers(value: object) -> Array | str:
    """An array of floats; the value's own words if it is none."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    try:
        return np.asarray(listed, dtype=float)
    except (TypeError, ValueError):
        return str(listed).lower()


def _written(numbers: Any, between_rows: str) -> str:
    if not isinstance(numbers, list):
        return f"{numbers:.6g}"
    deep = bool(numbers) and isinstance(numbers[0], list)
    return "[" + (between_rows if deep else ", ").join(_written(one, between_rows) for one in numbers) + "]"


# -- how far


def _distance(answer: Any, truth: Any) -> float:
    """The largest difference, relative to the largest number of the truth; inf where there is no comparing."""
    if isinstance(answer, str) or isinstance(truth, str):
        same = isinstance(answer, str) and isinstance(truth, str) and answer == truth
        return 0.0 if same else math.inf
    if answer.shape != truth.shape:
        return math.inf
    if not answer.size or np.array_equal(answer, truth, equal_nan=True):
        return 0.0
    off = float(np.abs(answer - truth).max() / (np.abs(truth).max() or 1.0))
    return math.inf if math.isnan(off) else off


# -- why


def _reason(answer: Any, truth: Any, tolerance: float, batch: int | None) -> str:
    """The first that applies, from the particular to the general."""
    if isinstance(truth, str):
        return _about_words(answer, truth)
    if isinstance(answer, str):
        return f"{_kind(truth)} is asked for here."
    if answer.shape != truth.shape:
        return _about_shape(answer, truth, tolerance)
    return next(_about_numbers(answer, truth, tolerance, batch))


def _about_words(answer: Any, truth: str) -> str:
    if truth == "none":
        return "it is not zero and not a number: nothing was computed there." if _is_zero(answer) else "not that."
    if truth in ("true", "false"):
        return "the other one." if answer in ("true", "false") else "the answer is yes or no."
    return "not that." if isinstance(answer, str) else "a word is asked for here, not a number."


def _is_zero(answer: Any) -> bool:
    return not isinstance(answer, str) and not answer.any()


def _kind(truth: Array) -> str:
    return "a number" if truth.ndim == 0 else f"an array of shape {truth.shape}"


def _about_shape(answer: Array, truth: Array, tolerance: float) -> str:
    if answer.ndim > 1 and _distance(answer.T, truth) <= tolerance:
        return "the numbers are right, but transposed."
    for axis in range(answer.ndim):
        for keep in (False, True):
            if _distance(answer.sum(axis, keepdims=keep), truth) <= tolerance:
                of = "one row for each example: " if axis == 0 and truth.ndim else ""
                return f"{of}it still has to be summed over dimension {axis}."
    if answer.size == truth.size and _distance(answer.reshape(truth.shape), truth) <= tolerance:
        return f"the numbers are right; their shape is {truth.shape}, and yours {answer.shape}."
    return f"the shape is wrong: {_kind(truth)} is asked for, and yours has shape {answer.shape}."


def _about_numbers(answer: Array, truth: Array, tolerance: float, batch: int | None) -> Iterator[str]:
    """All that may be said of an answer of the right shape, the best first."""
    if np.isnan(answer).any():
        yield "there is a NaN in it."
    if _is_zero(answer):
        yield "zero would mean that it does not matter at all."
    if _is_zero(truth):
        yield "it does not matter that much."
    ratio = _ratio(answer, truth, tolerance)
    if ratio is not None:
        yield from _about_ratio(ratio, tolerance, batch)
    if answer.ndim == 2 and answer.shape[0] == answer.shape[1] and _distance(answer.T, truth) <= tolerance:
        yield "the numbers are right, but transposed."
    if truth.size and _distance(np.abs(answer), np.abs(truth)) <= tolerance:
        wrong = np.argwhere(np.sign(answer) != np.sign(truth))[0].tolist()
        yield f"the sign is wrong in places, first at {wrong}."
    close = np.abs(answer - truth) <= tolerance * np.abs(truth).max()
    if close.any():
        wrong = np.argwhere(~close)[0].tolist()
        yield f"{int(close.sum())} of {close.size} numbers are right; the first wrong one is at {wrong}."
    yield _about_size(answer, truth)


def _ratio(answer: Array, truth: Array, tolerance: float) -> float | None:
    """The one number by which all the answer is the truth, if there is one."""
    largest = np.abs(truth).argmax()
    ratio = float(answer.flat[largest] / truth.flat[largest])
    if not ratio or not math.isfinite(ratio):
        return None
    return ratio if _distance(answer / ratio, truth) <= tolerance else None


def _about_ratio(ratio: float, tolerance: float, batch: int | None) -> Iterator[str]:
    def near(number: float) -> bool:
        return abs(abs(ratio) / number - 1) <= tolerance

    sign = "the sign is wrong, and " if ratio < 0 else ""
    if near(1):
        yield "the sign is wrong: the number itself is right."
    if batch is not None and batch > 1 and near(1 / batch):
        yield f"{sign}it is divided by the {batch} examples: this is a sum over them, not a mean."
    if batch is not None and batch > 1 and near(batch):
        yield f"{sign}it is {batch} times too much: a mean over the examples divides by {batch}."
    for factor, word in FACTORS.items():
        if near(factor):
            yield sign + _about_factor(factor, word)
    power = round(math.log10(abs(ratio)))
    if power and near(10.0**power):
        yield f"{sign}the digits are right, but not the decimal point."


def _about_factor(factor: float, word: str) -> str:
    if factor > 1:
        return f"it is exactly {word} too much: some factor or some path is counted too often."
    return f"it is exactly {word} of the truth: a factor, or another path, is forgotten."


def _about_size(answer: Array, truth: Array) -> str:
    mine, its = float(np.abs(answer).max()), float(np.abs(truth).max())
    if mine >= 10 * its or its >= 10 * mine:
        power = round(abs(math.log10(mine / its)))
        return f"it is about {10**power} times too {'large' if mine > its else 'small'}."
    if truth.ndim == 0:
        if answer * truth < 0:
            return "even the sign is wrong."
        return f"too {'large' if answer > truth else 'small'}."
    return f"no number is right yet; the largest is too {'large' if mine > its else 'small'}."
