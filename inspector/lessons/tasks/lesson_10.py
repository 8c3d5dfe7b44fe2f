"""Lesson 10, the clinic: what people answer and what they should hear, and three patients to mend."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.explain import explain
from inspector.lessons.clinic import script, visit
from inspector.lessons.exercises import Demand, Solution, Task

HINTS = {
    "patient 1: the line that spoils it": {
        23: "that is where the old numbers were saved, which is no crime; who changed them afterwards?",
        26: "a backward pass changes no numbers; the line after it does.",
        30: "that is where it was noticed; what happened between line 23 and here?",
        31: "it never gets that far.",
    },
    "patient 2: the line that is gone through twice": {
        32: "that line asks for it; but which computation belongs to both passes?",
        25: "there the state is new, once for each epoch; it happens between two pieces of one epoch.",
        29: "this is made anew for each character, and belongs to one piece only.",
    },
    "patient 3: the line that cuts the history": {
        28: "that line hides the cut: the list holds plain numbers already when it gets there.",
        30: "backward runs, over a graph of two nodes; where did the rest of it stay?",
        26: "the scores have their history; what is kept of it a line later?",
    },
    "patient 4: the line to mend first": {
        22: "that is where it hurts; .grad is missing there since w1 was made.",
        19: "backward does what it should: it goes on to the leaf. Is w1 a leaf?",
        13: "zeros with requires_grad=True: that one is a leaf.",
    },
    "patient 5: the number of differences in the loss": {
        20: "so it should be; but (20, 1) against (20,) makes a table.",
        40: "every one is compared with every other.",
    },
}


Check = Callable[[list[str]], str]
"""Says what is wrong with what a mended script prints, or nothing."""


def cured(name: str, hints: Mapping[str, str], check: Check) -> Demand:
    """That a changed script of that patient is sound; ``hints`` are for who wrote this or that and did not cure it."""

    def complaint(mine: Solution) -> str:
        text = mine(script(name))
        if not isinstance(text, str):
            return "return the text of the mended script: script.replace(…, …)."
        if text == script(name):
            return "nothing has changed: what is to be replaced is not in the script, letter by letter."
        written = "\n".join(line for line in text.splitlines() if line not in script(name).splitlines())
        trouble = _trouble(name, text, check)
        return next((hint for wrong, hint in hints.items() if wrong in written), trouble) if trouble else ""

    return complaint


def _trouble(name: str, text: str, check: Check) -> str:
    one = visit(name, text)
    if one.error:
        return f"now it ends with {one.error}"
    return next((f"it is still ill: {finding.sentence}" for finding in explain(one.trace)), "") or check(one.said)


def _patient(number: str, name: str, hints: Mapping[str, str], check: Check, praise: str) -> Task:
    """The task to mend that patient."""
    task = Task(number, given=[(script(name),)], praise=praise)
    task.demand(cured(name, hints, check))
    return task


def _last_number(said: list[str]) -> float:
    return float(said[-1].replace(",", " ").split()[-1])


# -- 10.1

AT_THE_LOSS = "the loss was never NaN; its gradient is. What where() does not choose must be finite as well."
CLIPPED = "a NaN that is clipped is still a NaN: all numbers are divided by a norm that is NaN."
SLOWER = "no rate is small enough: NaN times anything is NaN."

MASK = _patient(
    "10.1",
    "6_masked_log",
    {"nan_to_num": AT_THE_LOSS, "clip_grad": CLIPPED, "lr=": SLOWER},
    lambda said: "" if 0 < _last_number(said) < 10 else f"the weights are not as they should be: {said[-1]}",
    "what is not chosen is finite now, and 0 times it is 0.",
)


@MASK.mistake(AT_THE_LOSS)
def _at_the_loss(script: str) -> str:
    return script.replace("0.0).sum(dim=1).mean()", "0.0).sum(dim=1).mean().nan_to_num()")


@MASK.mistake(CLIPPED)
def _clipped(script: str) -> str:
    clip = "nn.utils.clip_grad_norm_(gate.parameters(), 1.0)"
    return script.replace("    optimizer.step()", f"    {clip}\n    optimizer.step()")


@MASK.mistake(SLOWER)
def _slower(script: str) -> str:
    return script.replace("lr=0.1", "lr=0.0001")


# -- 10.2

WRITTEN_OUT = "that is the same, written out: the new total still holds the old one, with all its past."
NAME_ONLY = "del takes a name away; total still holds on to what it named."
NOT_GRADIENTS = "gradients are not what piles up: each has its place, and is used again."

MEMORY = _patient(
    "10.2",
    "7_growing_memory",
    {"total = total + loss": WRITTEN_OUT, "del ": NAME_ONLY, "set_to_none": NOT_GRADIENTS},
    lambda said: "" if said[-1:] == ["step 60: mean loss 0.083"] else f"the mean loss is another now: {said[-1]}",
    "a number has no past.",
)


@MEMORY.mistake(WRITTEN_OUT)
def _written_out(script: str) -> str:
    return script.replace("    total += loss\n", "    total = total + loss\n")


@MEMORY.mistake(NAME_ONLY)
def _name_only(script: str) -> str:
    return script.replace("    total += loss\n", "    total += loss\n    del loss\n")


@MEMORY.mistake(NOT_GRADIENTS)
def _not_gradients(script: str) -> str:
    return script.replace("zero_grad()", "zero_grad(set_to_none=True)")


# -- 10.3

KEPT = "retain_graph keeps the old graph for another pass; it records no new one. What records the pass itself?"
NEW_LEAF = "that makes a leaf of a number which is cut off already: no path leads from it back to the critic."
TIMES_NOTHING = "a hundred times nothing is nothing: the penalty has no gradient."

PENALTY = _patient(
    "10.3",
    "8_penalty",
    {"retain_graph": KEPT, "requires_grad_(": NEW_LEAF, "PENALTY = ": TIMES_NOTHING},
    lambda said: "" if _last_number(said) < 2 else f"the penalty still makes no difference: {said[-1]}",
    "the slope stays near 1, as it was meant to.",
)


@PENALTY.mistake(KEPT)
def _kept(script: str) -> str:
    return script.replace("critic(between).sum(), between)", "critic(between).sum(), between, retain_graph=True)")


@PENALTY.mistake(NEW_LEAF)
def _new_leaf(script: str) -> str:
    return script.replace("slope.norm(dim=1)", "slope.requires_grad_().norm(dim=1)")


@PENALTY.mistake(TIMES_NOTHING)
def _times_nothing(script: str) -> str:
    return script.replace("PENALTY = 10.0", "PENALTY = 1000.0")


TASKS = {task.number: task for task in (MASK, MEMORY, PENALTY)}
