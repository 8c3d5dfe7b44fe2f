"""The quiz: nothing on the screen gives a gradient away before it is guessed or given up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, get_type_hints

from inspector.app.desk import LOWER
from inspector.app.quiz import Question, Quiz
from inspector.app.screens.guess import Guess
from inspector.app.veil import Sealed, Veiled
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.trace import facts
from inspector.trace.facts import Summary
from inspector.trace.trace import Trace
from tests.inspector.trace import examples

Open = Callable[..., AbstractAsyncContextManager[Any]]


def summaries(trace: Trace) -> list[Summary]:
    """The gradients at the end of a trace, as the panes find them."""
    state = trace.at(70)
    found: list[Any] = [tensor.grad for tensor in state.tensors.values()]
    for node in state.nodes.values():
        found += [*node.gradients_in, *node.gradients_out, *node.sent.values(), *node.buffers.values()]
    return [one for one in found if one is not None]


def test_every_gradient_is_sealed_but_what_backward_starts_with(trace: Trace) -> None:
    true, veiled = summaries(trace), summaries(Veiled(trace))
    assert len(true) == len(veiled) > 10
    open_ones = [one for one in veiled if one.norm is not None]
    assert {one.norm for one in open_ones} == {1.0}
    for hidden, one in zip(veiled, true, strict=True):
        assert (hidden.shape, hidden.dtype) == (one.shape, one.dtype)
        if hidden not in open_ones:
            assert (hidden.values, hidden.low, hidden.high, hidden.mean, hidden.nans) == ((), None, None, None, 0)


def test_values_of_the_forward_pass_stay_to_be_seen(trace: Trace) -> None:
    true, veiled = trace.at(26).tensors, Veiled(trace).at(26).tensors
    assert {serial: one.value for serial, one in veiled.items()} == {serial: one.value for serial, one in true.items()}


def test_a_broken_seal_shows_in_states_that_were_there_before(trace: Trace) -> None:
    veiled = Veiled(trace)
    state = veiled.at(65)
    grad = state.tensors[examples.W].grad
    assert isinstance(grad, Sealed)
    assert grad.sealed
    veiled.seals.open((examples.SECOND, examples.ACCUMULATE))
    assert not grad.sealed
    assert grad.norm == trace.at(65).tensors[examples.W].grad.norm


def test_a_printed_gradient_is_masked_until_it_is_known() -> None:
    gradient = Summary((2,), "f32", 151.6047, 78.0, 130.0, 104.0, 0, 0, (78.0, 130.0))
    trace = Trace(
        [
            facts.NodeCreated(1, "AccumulateGrad", 1, (), (), 1),
            facts.BackwardStarted(9, (5,), (4,), (None,), False, False, None, None, "backward"),
            facts.NodeStarting(9, 1, (gradient,)),
            facts.GradientAccumulated(9, 1, 1, None, gradient, gradient, "stolen"),
            facts.Printed("stdout", "loss 0.25 grad tensor([ 78., 130.]) norm 151.605\n"),
        ]
    )
    veiled = Veiled(trace)
    said = veiled.facts[4]
    assert isinstance(said, facts.Printed)
    assert said.text == "loss 0.25 grad tensor([ ??., ???.]) norm ???.???\n"
    veiled.seals.open((9, 1))
    assert veiled.facts[4] == trace.facts[4]


def test_what_is_computed_from_a_gradient_is_sealed_with_it() -> None:
    value = Summary((), "f32", 6.0, 6.0, 6.0, 6.0, 0, 0, (6.0,))
    made: Any = lambda tensor: facts.TensorCreated(tensor, "mul", (), "f32", False, True, None, tensor, 0, value)  # noqa: E731
    trace = Trace(
        [
            facts.NodeCreated(1, "AccumulateGrad", 1, (), (), 1),
            facts.BackwardStarted(9, (5,), (4,), (None,), False, False, None, None, "backward"),
            facts.GradientAccumulated(9, 1, 1, None, value, value, "stolen"),
            facts.BackwardFinished(9),
            facts.GradRead(1, 7),
            facts.OpApplied("mul", "×", (("a", 7),), (), (8,), None, None, False),
            made(8),
            facts.OpApplied("mul", "×", (("a", 3),), (), (10,), None, None, False),
            made(10),
        ]
    )
    veiled = Veiled(trace)
    derived, other = veiled.facts[6], veiled.facts[8]
    assert isinstance(derived, facts.TensorCreated)
    assert isinstance(other, facts.TensorCreated)
    assert derived.value is not None
    assert derived.value.norm is None
    assert other.value == value
    veiled.seals.open((9, 1))
    assert derived.value.norm == 6.0


def look(quiz: Quiz, **view: Any) -> Question | str:
    """What is asked of who looks there."""
    walk = Walk(quiz.trace)
    return quiz.question(walk.moment(walk.go(View(pinned=True, **view), view.get("step", 0))))


def asked(quiz: Quiz, **view: Any) -> Question:
    found = look(quiz, **view)
    assert isinstance(found, Question), found
    return found


def test_it_asks_for_a_partial_derivative_at_a_node_and_for_grad_at_a_leaf(trace: Trace) -> None:
    quiz = Quiz(trace)
    inner = asked(quiz, node=examples.MM, step=30)
    assert (inner.words, inner.of, inner.truth) == ("∂loss/∂h in backward #1", "one number", [[22.0]])
    leaf = asked(quiz, node=examples.ACCUMULATE, step=30)
    assert leaf.words == "W.grad after backward #1"
    assert leaf.of == "f64[2,1]: type it as [[1], [2]]"
    assert leaf.truth == [[22.0], [44.0]]
    assert asked(quiz, node=examples.ACCUMULATE, step=66).truth == [[44.0], [88.0]]
    assert asked(quiz, tensor=examples.W, step=0).words == "W.grad after backward #1"


def test_it_says_why_nothing_can_be_asked(trace: Trace) -> None:
    quiz = Quiz(trace)
    assert "Choose a node" in str(look(quiz))
    assert "All gradients of SumBackward0 of loss are known already" in str(look(quiz, node=examples.SUM))
    bare = Trace([fact for fact in trace.facts if not isinstance(fact, facts.NodeStarting)], trace.sources)
    assert "No backward call of this run reaches MmBackward0 of h" in str(look(Quiz(bare), node=examples.MM))


def test_the_first_guess_counts_and_hints_are_given(trace: Trace) -> None:
    quiz = Quiz(trace)
    question = asked(quiz, node=examples.MM, step=30)
    wrong = quiz.answer(question, "[[11]]")
    assert (wrong.right, wrong.over) == (False, False)
    assert "exactly half" in wrong.words
    late = quiz.answer(question, "[[22.05]]")
    assert (late.right, late.over) == (False, True)
    assert quiz.score == "0 of 1 right"
    at_once = quiz.answer(asked(quiz, node=examples.ACCUMULATE, step=30), "[[22], [44]]")
    assert (at_once.right, at_once.over) == (True, True)
    assert quiz.score == "1 of 2 right"


def test_who_forgets_what_an_earlier_call_left_is_told_so(trace: Trace) -> None:
    quiz = Quiz(trace)
    reply = quiz.answer(asked(quiz, node=examples.ACCUMULATE, step=66), "[[22], [44]]")
    assert "what an earlier one left in .grad stays there" in reply.words


def test_a_question_mark_reveals_and_scores_nothing(trace: Trace) -> None:
    quiz = Quiz(trace)
    question = asked(quiz, node=examples.MM, step=30)
    reply = quiz.answer(question, " ? ")
    assert (reply.right, reply.over, quiz.score) == (False, True, "0 of 1 right")
    assert "is [[22]]" in reply.words
    assert asked(quiz, node=examples.MM, step=30).words == "∂loss/∂h in backward #2"


def test_of_a_large_gradient_the_norm_is_asked(trace: Trace) -> None:
    large = Summary((100, 100), "f32", 7.5, 0.0, 1.0, 0.5, 0, 0, (0.1,) * 64)
    changed = [
        facts.NodeStarting(fact.task, fact.node, (large,)) if isinstance(fact, facts.NodeStarting) else fact
        for fact in trace.facts
    ]
    question = asked(Quiz(Trace(changed, trace.sources)), node=examples.MM, step=30)
    assert (question.words, question.truth) == ("the norm of ∂loss/∂h in backward #1", 7.5)
    bare = Summary((2,), "f32")
    without = [
        facts.NodeStarting(fact.task, fact.node, (bare,)) if isinstance(fact, facts.NodeStarting) else fact
        for fact in trace.facts
    ]
    assert "recorded without values" in str(look(Quiz(Trace(without)), node=examples.MM))


# -- in the app


HIDDEN = ("‖g‖ 24.6", "‖g‖ 49.2", "g 22.0", "g 44.0", "24.6", "49.19", " 44.0", "22.0")
"""The numbers of all gradients of the small run but the first, as any pane may write them."""


def told(app: Any) -> str:
    """All that is on the screen."""
    panes = app.desk.query("Canvas")
    return "\n".join(app.text(pane.id) for pane in panes if pane.region.area)


async def test_no_pane_tells_a_gradient_during_the_quiz_at_any_step(open_app: Open, trace: Trace) -> None:
    async with open_app(size=(200, 60)) as app:
        await app.go(64)
        assert any(number in told(app) for number in HIDDEN)
        await app.press("Q")
        for lower in LOWER:
            app.desk.action_to(lower)
            for step in range(30, 67, 3):
                app.desk.go(step)
                await app.pilot.pause()
                found = [number for number in HIDDEN if number in told(app)]
                assert not found, (lower, step, found)


async def test_a_guess_is_judged_and_a_right_one_shows_the_gradient_everywhere(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("Q")
        await app.go(40)
        assert "W.grad" in told(app)
        assert "nothing guessed yet" in app.text("banner")
        await app.press("y", *"[[22],[43]]", "enter")
        sheet = app.app.screen
        assert isinstance(sheet, Guess)
        assert "W.grad after backward #1" in str(sheet.query_one("#asked").render())
        assert "1 of 2 numbers are right; the first wrong one is at [1, 0]" in str(sheet.query_one("#reply").render())
        await app.press(*"[[22],[44]]", "enter")
        assert app.app.screen is app.desk
        assert "quiz: 0 of 1 right" in app.text("banner")
        assert "‖g‖ 49.2" in app.text("graph")
        await app.press("Q")
        assert "quiz" not in app.text("banner")
        assert app.step == 40


async def test_giving_up_is_one_click(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("Q")
        await app.go(40)
        await app.click("banner", "y guesses")
        hint = app.app.screen.query(".hint").last()
        await app.pilot.click(hint, offset=(str(hint.render()).index("tell me"), 0))
        await app.pilot.pause()
        assert "‖g‖ 49.2" in app.text("graph")
        assert "0 of 1 right" in app.text("banner")


async def test_y_without_a_quiz_says_how_to_begin_one(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("y")
        assert any("Q hides the gradients" in note.message for note in app.app._notifications)


async def test_the_app_can_open_as_a_quiz(open_app: Open) -> None:
    async with open_app(quiz=True) as app:
        assert "quiz: nothing guessed yet" in app.text("banner")


async def test_a_check_by_differences_would_give_it_away(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("Q")
        await app.go(40)
        await app.press("f")
        assert any("would give gradients away" in note.message for note in app.app._notifications)


def test_every_array_of_a_fact_that_a_backward_call_makes_is_sealed() -> None:
    """A new field of a fact must not slip through: whatever holds numbers during a call is hidden, or is a seed."""
    number = Summary((), "f32", 6.0, 6.0, 6.0, 6.0, 0, 0, (6.0,))
    kinds = [
        facts.NodeStarting,
        facts.NodeFinished,
        facts.GradientSent,
        facts.GradientAccumulated,
        facts.HookRan,
        facts.GradCleared,
        facts.GradAssigned,
        facts.TensorCreated,
        facts.VersionBumped,
    ]
    before: list[facts.Fact] = [
        facts.NodeCreated(1, "AccumulateGrad", 1, (), (), 1),
        facts.BackwardStarted(9, (5,), (4,), (None,), False, False, None, None, "backward"),
        facts.GradientAccumulated(9, 1, 1, None, number, number, "stolen"),
    ]
    for kind in kinds:
        fields: dict[str, Any] = {"node": 1, "task": 9, "leaf": 1, "tensor": 1, "target": 1}
        given = {
            name: (number,)
            if str(hint).startswith("tuple[inspector")
            else number
            if "Summary" in str(hint)
            else fields.get(name, () if "tuple" in str(hint) else 0)
            for name, hint in get_type_hints(kind).items()
            if name != "place"
        }
        held = [name for name, hint in get_type_hints(kind).items() if "Summary" in str(hint)]
        assert held, kind
        veiled = Veiled(Trace([*before, kind(**given)])).facts[3]
        for name in held:
            found = getattr(veiled, name)
            (one,) = found if isinstance(found, tuple) else (found,)
            assert one.norm is None, (kind, name)
    holding = {kind for kind in facts.KINDS.values() if any("Summary" in str(h) for h in get_type_hints(kind).values())}
    assert holding == {*kinds, facts.BackwardStarted}
