"""Searching a trace in a reader's words: for steps, lines, tensors, nodes, operations and conditions. Must not know
Textual.

Each answer says what it is, where and when; and where it leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.app.lines import Jump, text
from inspector.app.reading.events import Teller
from inspector.app.reading.places import short, where
from inspector.app.view import Moment
from inspector.draw.wording import plain, shape
from inspector.trace.conditions import Condition, ConditionError, parse
from inspector.trace.facts import OpApplied, TensorCreated

MOST = 30
"""Answers of one sort; who wants others says more."""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: ``◆ W1``, ``f32[2,4]``, ``step 5, mlp.py:10``."""

    words: str
    about: str
    jump: Jump


def step_from(answer: str, now: int, length: int) -> int | None:
    """The step that an answer means; None when it means none.

    >>> [step_from(answer, 10, 200) for answer in ("31", "+5", "-5", "50%", "end", "x")]
    [31, 15, 5, 100, 200, None]
    """
    answer = answer.strip().replace(",", "").replace("_", "")
    if answer in {"end", "start"}:
        return length if answer == "end" else 0
    try:
        if answer.endswith("%"):
            step = round(float(answer[:-1]) / 100 * length)
        else:
            step = int(answer) + (now if answer[:1] in {"+", "-"} else 0)
    except (ValueError, OverflowError):
        return None
    return max(0, min(length, step))


def search(moment: Moment, query: str) -> Iterator[Found]:
    """What ``query`` may mean, the most certain first; nothing twice."""
    query = " ".join(query.split())
    seen: set[Jump] = set()
    sorts = (_steps, _missing_now, _tensors, _nodes, _conditions, _ops, _lines) if query else ()
    for sort in sorts:
        for found in islice(sort(moment, query), MOST):
            if found.jump not in seen:
                seen.add(found.jump)
                yield found


def _at(moment: Moment, step: int, words: str = "", jump: Jump | None = None) -> Found:
    """The fact of a step in words."""
    fact = moment.trace.facts[step - 1]
    row = Teller(moment).tell(fact)
    told = f"{row.glyph} {row.verb} {text(row.subject)}"
    place = where(fact.place)
    return Found(words or told, f"step {step:,}{f', {place}' if place else ''}", jump or Jump("step", step))


def _steps(moment: Moment, query: str) -> Iterator[Found]:
    """``31``, ``step 31``, ``+5``, ``50%``."""
    length = moment.marks.length
    step = step_from(query.removeprefix("step "), moment.view.step, length)
    if step is not None:
        said = text(Teller(moment).tell(moment.trace.facts[step - 1]).subject) if step else "the beginning"
        yield Found(f"go to step {step:,}", said, Jump("step", step))


def _condition(query: str) -> Condition | None:
    try:
        return parse(query)
    except ConditionError:
        return None


def _missing_now(moment: Moment, query: str) -> Iterator[Found]:
    """Leaves that require a gradient and have none at this step."""
    condition = _condition(query)
    if condition is None or not condition.missing:
        return
    for serial, tensor in moment.state.tensors.items():
        name = moment.name(serial)
        if tensor.is_leaf and tensor.requires_grad and tensor.grad is None and condition.tensor in ("", name):
            about = f"now, at step {moment.view.step:,}; {shape(tensor.dtype, tensor.shape)}"
            yield Found(f"◆ {plain(moment.grad_name(serial))} is None", about, Jump("tensor", serial))


def _conditions(moment: Moment, query: str) -> Iterator[Found]:
    """Where a condition is met: from this step on, and then from the beginning."""
    condition = _condition(query)
    if condition is not None:
        steps = condition.steps(moment.trace)
        here = moment.view.step
        for step in [*(one for one in steps if one > here), *(one for one in steps if one <= here)]:
            yield _at(moment, step)


def _matcher(query: str) -> Callable[[str], bool]:
    """All words must be there; capitals matter in a word that has some."""
    words = query.split()
    return lambda name: all(word in (name.lower() if word.islower() else name) for word in words)


def _tensors(moment: Moment, query: str) -> Iterator[Found]:
    """By name, those that are called so to the letter first."""
    fits, names = _matcher(query), moment.trace.names
    known = [serial for serial, name in names.items() if fits(name)]
    for serial in sorted(known, key=lambda one: (names[one] != query, one)):
        made = next((step for step in moment.trace.steps_of_tensor(serial) if _makes(moment, step, serial)), None)
        if made is None:
            continue
        fact = moment.trace.facts[made - 1]
        assert isinstance(fact, TensorCreated)
        sign = "◆" if fact.is_leaf and fact.requires_grad else "○"
        there = serial in moment.state.tensors
        words = f"{sign} {plain(names[serial])}  {shape(fact.dtype, fact.shape)}"
        yield _at(moment, made, words, Jump("tensor", serial) if there else Jump("step", made))


def _makes(moment: Moment, step: int, serial: int) -> bool:
    fact = moment.trace.facts[step - 1]
    return isinstance(fact, TensorCreated) and fact.tensor == serial


def _nodes(moment: Moment, query: str) -> Iterator[Found]:
    """By class and tensor: ``MulBackward0 of q``."""
    fits, labels = _matcher(query.removeprefix("node ")), moment.trace.labels
    for node, birth in labels.nodes.items():
        label = labels.label_of(node)
        if fits(label):
            there = node in moment.state.nodes
            yield _at(
                moment, birth.step, f"● {plain(label)}", Jump("node", node) if there else Jump("step", birth.step)
            )


def _ops(moment: Moment, query: str) -> Iterator[Found]:
    """By the operation's name, or by the user's expression."""
    fits = _matcher(query.removeprefix("op "))
    for step in moment.marks.steps["op"]:
        fact = moment.trace.facts[step - 1]
        if isinstance(fact, OpApplied) and (fits(fact.op) or fits(fact.expression)):
            yield _at(moment, step)


def _lines(moment: Moment, query: str) -> Iterator[Found]:
    """Lines of the source that hold these words."""
    fits = _matcher(query)
    for file, source in moment.trace.sources.items():
        for number, words in enumerate(source.splitlines(), 1):
            steps = moment.trace.steps_of_line(file, number) if fits(words) else ()
            if steps:
                about = f"runs at step {steps[0]:,}"
                yield Found(f"{short(file)}:{number}  {plain(words.strip())}", about, Jump("line", number, file))
