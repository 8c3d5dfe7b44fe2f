"""A solution is compared with the truth and with the usual mistakes, and is told which of them it is."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from inspector.lessons import Task, exercise, exercises
from inspector.lessons.exercises import NoSuchExerciseError
from inspector.lessons.tasks.derived import derivatives


def slope_of_cube() -> Task:
    task = Task("0.1", given=[(2.0,), (3.0,)], truth=lambda x: 3 * x * x, praise="3x².")

    @task.mistake("the power comes down as a factor.")
    def no_factor(x: float) -> float:
        return x * x

    @task.mistake("x is not to be divided by.")
    def divides(x: float) -> float:
        raise ZeroDivisionError

    return task


def test_a_right_solution_has_no_complaint() -> None:
    assert slope_of_cube().complaint(lambda x: x * x * 3) == ""


def test_a_usual_mistake_is_named_also_one_that_raises() -> None:
    task = slope_of_cube()
    assert task.complaint(lambda x: x**2) == "the power comes down as a factor."
    assert task.complaint(lambda x: x / 0) == "x is not to be divided by."


def test_another_mistake_is_told_by_the_first_case_that_shows_it() -> None:
    def mine(x: float) -> float:
        return 6 * x

    assert slope_of_cube().complaint(mine) == "mine(3) gave 18: too small."


def test_a_solution_that_raises_or_returns_nothing_is_told_so() -> None:
    def raises(x: float) -> float:
        raise ValueError("no idea")

    def forgets(x: float) -> None:
        3 * x * x

    assert slope_of_cube().complaint(raises) == "raises(2) raised ValueError: no idea"
    assert slope_of_cube().complaint(forgets) == "forgets(2) returned nothing: is there a `return`?"


def test_what_else_is_demanded_comes_first() -> None:
    task = slope_of_cube()

    @task.demand
    def has_a_name(mine: Any) -> str:
        return "give it a name." if mine.__name__ == "<lambda>" else ""

    assert task.complaint(lambda x: x**2) == "give it a name."


def test_arguments_that_are_made_are_made_anew_for_each_call() -> None:
    task = Task("0.2", given=[(lambda: [1, 2],)], truth=lambda values: [*values, 3])

    def appends(values: list[int]) -> list[int]:
        values.append(3)
        return values

    assert task.complaint(appends) == ""


def test_a_reader_is_told_at_once_and_left_alone_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(exercises, "find", lambda number: slope_of_cube())

    @exercise("0.1")
    def not_begun(x: float) -> Any:
        return ...

    @exercise("0.1")
    def wrong(x: float) -> float:
        return x * x

    @exercise("0.1")
    def right(x: float) -> float:
        return 3 * x * x

    assert capsys.readouterr().out.splitlines() == [
        "✗ 0.1: the power comes down as a factor.",
        "✓ 0.1 is right: 3x².",
    ]
    assert right(1.0) == 3


@pytest.mark.parametrize("number", ["99.1", "x", "", "0.1"])
def test_an_exercise_that_is_not_there_is_refused(number: str) -> None:
    with pytest.raises(NoSuchExerciseError, match="there is no exercise"):
        exercise(number)


def test_a_lens_looks_at_all_solutions_alike_right_and_wrong_ones() -> None:
    task = Task(
        "0.9", given=[(lambda: mg.tensor([2.0], requires_grad=True),)], truth=lambda x: x**3, lens=derivatives(2)
    )

    @task.mistake("the second derivative is lost.")
    def frozen(x: mg.Tensor) -> mg.Tensor:
        return x.detach() ** 2 * 3 * x - 2 * x.detach() ** 3

    assert task.complaint(lambda x: x * x * x) == ""
    assert task.complaint(frozen) == "the second derivative is lost."
    assert "[[16], [32], [48]]" in task.complaint(lambda x: x**4).replace(",\n ", ", ")
