"""The quiz: gradients are hidden until they are guessed; a guess is judged as an exercise is. Must not know Textual."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.app.veil import Key, Veiled
from inspector.app.view import Moment
from inspector.trace import facts
from inspector.trace.facts import Summary
from inspector.trace.trace import Trace

REVEAL = "?"
"""What a reader types who gives up."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which gradient is asked for, and what is right."""

    key: Key
    words: str
    """``∂loss/∂q``, ``W.grad after backward #2``."""
    of: str
    """What kind of answer: ``one number``, ``f32[3,2]: numbers in brackets, row by row``."""
    truth: Any = field(repr=False)
    hints: Mapping[Any, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to a guess. ``over`` when the gradient shows from now on."""

    right: bool
    over: bool
    words: str


class Quiz:
    """A trace behind a veil, and the score of who guesses."""

    def __init__(self, trace: Trace) -> None:
        self.trace = Veiled(trace)
        self.right = 0
        self.asked = 0
        self._tried: set[Key] = set()

    @property
    def score(self) -> str:
        """``2 of 3 right``."""
        return f"{self.right} of {self.asked} right" if self.asked else "nothing guessed yet"

    def question(self, moment: Moment) -> Question | str:
        """What is asked about the node, or the tensor, that the reader looks at; else why nothing can be asked."""
        truth, view = self.trace.truth, moment.view
        node = view.node if view.node is not None else self._owner(view.tensor)
        if node is None:
            return "Choose a node or a tensor first: its gradient is what you guess."
        label = truth.labels.label_of(node)
        steps = [step for step in truth.steps_of_node(node) if isinstance(truth.facts[step - 1], facts.NodeStarting)]
        if not steps and truth.outcome is None:
            return f"No gradient has arrived at {label} yet: go on, and guess when it runs."
        if not steps:
            return f"No backward call of this run reaches {label}, so no gradient arrives there."
        for step in _in_turn(steps, view.step):
            fact = truth.facts[step - 1]
            assert isinstance(fact, facts.NodeStarting)
            if not self.trace.seals.is_open((fact.task, node)):
                return self._asked(moment, fact, step)
        return f"All gradients of {label} are known already."

    def _owner(self, tensor: int | None) -> int | None:
        """The node that takes a tensor's gradient."""
        if tensor is None:
            return None
        births = self.trace.labels.nodes.items()
        return next((node for node, birth in births if tensor in birth.outputs or birth.leaf == tensor), None)

    def _asked(self, moment: Moment, fact: facts.NodeStarting, step: int) -> Question | str:
        tensor, labels, key = moment.view.tensor, self.trace.labels, (fact.task, fact.node)
        birth = labels.nodes[fact.node]
        into = self._accumulation(fact, step)
        if into is not None and birth.leaf is not None:
            name = labels.name_before(birth.leaf, ".grad")
            return _question(key, f"{name} after {labels.task_name(fact.task)}", into.after, _about_a_sum(into))
        number = birth.outputs.index(tensor) if tensor in birth.outputs else 0
        found = fact.gradients[number] if number < len(fact.gradients) else None
        found = found or next((one for one in fact.gradients if one is not None), None)
        if found is None:
            return "Nothing but zero arrives there."
        return _question(key, self._partial(moment, fact, birth.outputs, number), found, {})

    def _partial(self, moment: Moment, fact: facts.NodeStarting, outputs: Sequence[int], number: int) -> str:
        """``∂loss/∂q``; of many calls, which one."""
        labels = self.trace.labels
        start = next(one for one in self.trace.tasks() if one.serial == fact.task)
        began = self.trace.facts[start.start - 1]
        assert isinstance(began, facts.BackwardStarted)
        root = moment.name(began.roots[0]) if began.roots else "output"
        of = moment.name(outputs[number]) if number < len(outputs) else labels.label_of(fact.node)
        which = f" in {labels.task_name(fact.task)}" if len(labels.tasks) > 1 else ""
        return f"∂{_bracketed(root)}/∂{_bracketed(of)}{which}"

    def _accumulation(self, fact: facts.NodeStarting, step: int) -> facts.GradientAccumulated | None:
        """What the node of a leaf does with the gradient that reaches it."""
        truth = self.trace.truth
        for later in truth.steps_of_node(fact.node):
            found = truth.facts[later - 1]
            if later > step and isinstance(found, facts.GradientAccumulated) and found.task == fact.task:
                return found
        return None

    def answer(self, question: Question, typed: str) -> Reply:
        """Judge a guess; ``?`` gives up. The first guess is what counts."""
        from inspector.lessons.judging import judge, shown  # who only opens a trace need not wait for its NumPy

        if typed.strip() == REVEAL:
            return self._over(question, right=False, words=f"{question.words} is {shown(question.truth)}.")
        first = question.key not in self._tried
        self._tried.add(question.key)
        verdict = judge(typed, question.truth, hints=question.hints)
        if verdict.right:
            words = f"Right: {question.words} is {shown(question.truth)}."
            return self._over(question, right=first, words=words if first else f"{words} (not at the first guess)")
        return Reply(False, False, f"Not yet: {verdict.hint}")

    def _over(self, question: Question, *, right: bool, words: str) -> Reply:
        self.trace.seals.open(question.key)
        self.asked += 1
        self.right += right
        return Reply(right, True, words)


def _in_turn(steps: Sequence[int], now: int) -> list[int]:
    """The run that is nearest to the reader: the last that has begun, then those to come, then those before."""
    at = max(0, bisect_right(steps, now) - 1)
    return [*steps[at:], *reversed(steps[:at])]


def _question(key: Key, words: str, one: Summary, hints: Mapping[Any, str]) -> Question | str:
    """Asks for the numbers if they are few enough to have been kept, else for their norm."""
    size = math.prod(one.shape)
    if 0 < size <= len(one.values):
        kind = "one number" if size == 1 else f"{one.dtype}[{','.join(map(str, one.shape))}]: {_brackets(one.shape)}"
        return Question(key, words, kind, _nested(list(one.values), one.shape), hints)
    if one.norm is None:
        return "This run was recorded without values, so nobody knows what is right."
    return Question(key, f"the norm of {words}", "one number", float(one.norm))


def _brackets(shape: tuple[int, ...]) -> str:
    """``[[1, 2], [3, 4]]``: how an array of this shape is typed."""
    example = _nested(list(range(1, math.prod(shape) + 1)), shape)
    text = str(example)
    return f"type it as {text}" if len(text) < 40 else "numbers in brackets, row in row"


def _nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    step = len(values) // shape[0] if shape[0] else 0
    return [_nested(values[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def _about_a_sum(into: facts.GradientAccumulated) -> Mapping[Any, str]:
    """For who forgets what lay in ``.grad`` already."""
    size = math.prod(into.incoming.shape)
    if into.before is None or not 0 < size <= len(into.incoming.values):
        return {}
    brought = _tupled(_nested(list(into.incoming.values), into.incoming.shape))
    return {brought: "that is what this call brings; what an earlier one left in .grad stays there, and is added to."}


def _bracketed(name: str) -> str:
    return f"({name})" if " " in name and not (name[0] == "(" and name[-1] == ")") else name
