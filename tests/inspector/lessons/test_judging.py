"""An answer is judged as a patient teacher would: right to three digits, or wrong for a reason that is named."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minigrad as mg
from inspector.lessons.judging import judge, read, shown, simplified


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        (6, 6.0),
        (0.333, 1 / 3),
        ("1/3", 1 / 3),
        ("-2*3", -6),
        ([1, 2], mg.tensor([1.0, 2.0])),
        ("[[1, 2], [3, 4]]", np.array([[1, 2], [3, 4]])),
        (None, None),
        ("none", None),
        ("no", False),
        (True, True),
        ("mulbackward0", "MulBackward0"),
        (RuntimeError, "RuntimeError"),
        (64, (mg.tensor(64.0),)),
        (0, 0.0),
        ([], []),
        (math.nan, math.nan),
        (math.inf, math.inf),
    ],
)
def test_what_is_right_in_any_form_is_right(answer: object, truth: object) -> None:
    verdict = judge(answer, truth)
    assert (verdict.right, verdict.hint, verdict.distance) == (True, "", 0.0)


@pytest.mark.parametrize(
    ("answer", "truth", "says"),
    [
        (-6, 6, "sign is wrong: the number itself is right"),
        (3, 6, "half of the truth"),
        (12, 6, "twice too much"),
        (-12, 6, "the sign is wrong, and it is exactly twice too much"),
        (60, 6, "decimal point"),
        (0, 6, "does not matter at all"),
        (2, 0, "does not matter that much"),
        (5.5, 6, "too small"),
        (7, 6, "too large"),
        (-1.1, 6, "even the sign"),
        (700, 6, "about 100 times too large"),
        (math.nan, 6, "NaN"),
        ([[1, 3], [2, 4]], [[1, 2], [3, 4]], "transposed"),
        ([[1], [2]], [[1, 2]], "transposed"),
        ([[1, 2], [3, 4]], [4, 6], "one row for each example: it still has to be summed over dimension 0"),
        ([1, 2, 3], 6, "summed over dimension 0"),
        ([1, 2, 3], [[1], [2], [3]], "their shape is (3, 1), and yours (3,)"),
        ([1, 2, 3], [1, 2], "the shape is wrong"),
        (5, [1, 2], "an array of shape (2,) is asked for"),
        ([1, -2], [1, 2], "wrong in places, first at [1]"),
        ([1, 2, 5], [1, 2, 3], "2 of 3 numbers are right; the first wrong one is at [2]"),
        ([9, 9], [1, 2], "the largest is too large"),
        (0, None, "not zero and not a number"),
        (7, None, "not that"),
        (None, 6, "a number is asked for"),
        ("yes", False, "the other one"),
        (7, False, "yes or no"),
        (7, "AddBackward0", "a word is asked for"),
        ("AddBackward0", "MulBackward0", "not that"),
    ],
)
def test_what_is_wrong_is_wrong_for_a_reason(answer: object, truth: object, says: str) -> None:
    verdict = judge(answer, truth)
    assert not verdict.right
    assert says in verdict.hint
    assert verdict.distance > 0


def test_a_sum_over_the_batch_is_told_from_a_mean() -> None:
    assert "divided by the 5 examples" in judge([2, 4], [10, 20], batch=5).hint
    assert "a mean over the examples divides by 5" in judge([10, 20], [2, 4], batch=5).hint
    assert "5 examples" not in judge([2, 4], [10, 20]).hint


def test_a_foreseen_answer_gets_its_own_reason_before_all_others() -> None:
    hints = {16: "that is one path.", (1, 2): "never", None: "there is one."}
    assert judge("16", 64, hints=hints).hint == "that is one path."
    assert judge(None, 64, hints=hints).hint == "there is one."
    assert judge([1.0, 2.0], [3.0, 4.0], hints={(1, 2): "those are the inputs."}).hint == "those are the inputs."


def test_the_distance_falls_as_answers_get_warmer() -> None:
    distances = [judge(answer, 10).distance for answer in (None, 100, 5, 9, 10)]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] == math.inf


@pytest.mark.parametrize("typed", ["", "__import__('os')", "9 ** 9", "1/0", "[1, [2]]", "(" * 300, "x + 1"])
def test_nonsense_is_wrong_and_nothing_worse(typed: str) -> None:
    assert not judge(typed, 6).right


def test_no_code_is_run_that_somebody_typed() -> None:
    assert read("().__class__") == "().__class__"
    assert simplified("[1, 2]").tolist() == [1, 2]


def test_values_are_shown_briefly() -> None:
    assert shown(mg.tensor([[1.0, 2.5], [3.0, 4.0]])) == "[[1, 2.5], [3, 4]]"
    assert shown((mg.tensor(64.0),)) == "64"
    assert shown(1 / 3) == "0.333333"
    assert shown(RuntimeError) == "RuntimeError"
    assert shown(False) == "False"
