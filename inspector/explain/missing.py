"""Why a tensor has no gradient: the possible reasons, the most telling first.

Answers a ``Question``, whoever asks it: the user's code that read ``.grad``, an optimiser that skipped a parameter,
``grad()`` that found an input unused. Must not know which.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.explain import cuts
from inspector.explain.finding import Evidence, Location, at
from inspector.explain.flow import Flow
from inspector.explain.functions import is_marked, parameters, returns, runs, writes_within
from inspector.explain.rewrite import as_update, assigned_name, leaf_itself, whole
from inspector.explain.source import (
    called,
    library,
    place_of,
    short_where,
    statement,
    targets_of,
    tree_of,
    where,
)
from inspector.explain.words import listed, worth
from inspector.trace.facts import GradCleared, GradientAccumulated, OptimizerStepped, Place
from inspector.trace.state import State, TaskState, TensorState
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Question:
    """Why has ``tensor`` no gradient at ``step``, after ``passes``?"""

    trace: Trace
    flow: Flow
    step: int
    tensor: TensorState
    state: State
    passes: tuple[TaskState, ...]

    @property
    def name(self) -> str:
        return called(self.trace, self.tensor.serial)

    @property
    def roots(self) -> set[int]:
        return {root for task in self.passes for root in task.roots}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why it has none: a clause to follow a colon, without its full stop."""

    clause: str
    locations: tuple[Location, ...] = ()
    mend: str = ""
    evidence: tuple[Evidence, ...] = ()


def why(question: Question) -> Reason:
    """The most telling reason why ``.grad`` is None."""
    return next(filter(None, (ask(question) for ask in _REASONS)))


def why_unused(question: Question) -> Reason:
    """The most telling reason why the roots do not depend on the tensor at all."""
    return next(filter(None, (ask(question) for ask in (_needs_none, _cut, _read_out, _not_reached))))


def _not_leaf(question: Question) -> Reason | None:
    tensor, trace = question.tensor, question.trace
    node = None if tensor.grad_fn is None else question.state.nodes.get(tensor.grad_fn)
    if tensor.is_leaf or tensor.grad_fn is None or node is None:
        return None
    rebound = _computed_anew(question)
    if rebound is not None:
        return rebound
    owner = next(_leaves_behind(question.state, tensor.grad_fn), None)
    went = (
        f"The gradient went on to {_leaf(question, owner)}" if owner is not None else "The gradient went on through it"
    )
    own = "" if owner is None or tensor.base is not None else leaf_itself(trace, tensor.place, owner.place)
    made = trace.op_at(tensor.op or 0)
    of = f"{made.op}()" if made is not None else node.name
    return Reason(
        f"it is not a leaf but the result of {of} on {where(trace, tensor.place)}. {went}; only leaves keep theirs, "
        "unless asked to",
        at(tensor.place, "created"),
        (f"{own}  # a leaf; or, before backward, " if own else "")
        + f"{question.name}.retain_grad()"
        + ("" if own else "  # before backward; or keep a name for the leaf itself and read its .grad"),
    )


def _computed_anew(question: Question) -> Reason | None:
    """``w = w - lr * w.grad``: the name of a leaf was given to a result."""
    trace, tensor = question.trace, question.tensor
    name = assigned_name(trace, tensor.place)
    earlier = (one for one in question.state.tensors.values() if one.created < tensor.created)
    leaf = next((one for one in earlier if one.is_leaf and one.requires_grad and _is_called(trace, one, name)), None)
    if not name or leaf is None or not _reads(trace, tensor.place, name):
        return None
    return Reason(
        f"since {where(trace, tensor.place)} the name {name} stands for what was computed there, which is no leaf. The "
        f"leaf {name} of {short_where(trace, leaf.place)} is another tensor, and only leaves keep their gradients",
        (*at(leaf.place, "created"), *at(tensor.place, "rebound")),
        f"with {library(trace)}no_grad():\n    {as_update(trace, tensor.place)}  # changes the tensor, where "
        f"{name} = … makes another one",
    )


def _is_called(trace: Trace, tensor: TensorState, name: str) -> bool:
    return trace.names.get(tensor.serial) == name or assigned_name(trace, tensor.place) == name


def _reads(trace: Trace, place: Place | None, name: str) -> bool:
    """Whether the statement at ``place`` computes with what it assigns to."""
    value = None if place is None else getattr(statement(trace, place), "value", None)
    return value is not None and any(ast.unparse(node) == name for node in ast.walk(value))


def _leaf(question: Question, leaf: TensorState) -> str:
    name = question.trace.names.get(leaf.serial)
    return f"the leaf {name}" if name and name != question.name else "the unnamed leaf that it was made from"


def _leaves_behind(state: State, node: int) -> Iterator[TensorState]:
    """The leaves that a node's gradient goes to."""
    seen, stack = {node}, [node]
    while stack:
        here = state.nodes.get(stack.pop())
        if here is None:
            continue
        if here.leaf is not None and here.leaf in state.tensors:
            yield state.tensors[here.leaf]
        for edge in here.edges:
            if edge.target is not None and edge.target not in seen and edge.target in state.nodes:
                seen.add(edge.target)
                stack.append(edge.target)


def _needs_none(question: Question) -> Reason | None:
    tensor, trace = question.tensor, question.trace
    if tensor.requires_grad:
        return None
    made = at(tensor.place, "created")
    if tensor.dtype[0] not in "fc":
        mend = f"{question.name} = {question.name}.float().requires_grad_()  # or write decimal points in its numbers"
        return Reason(f"it holds {tensor.dtype} numbers, and only floating-point ones can have gradients", made, mend)
    cut = cuts.backward(trace, question.flow, question.state, tensor.serial)
    if cut is not None:
        return Reason(cuts.sentence(trace, cut), (*cuts.places(trace, cut), *made), cuts.mend(trace, cut))
    return _plain_attribute(question) or Reason(
        "it does not require grad", made, f"{question.name}.requires_grad_()  # before it is used"
    )


def _plain_attribute(question: Question) -> Reason | None:
    """``self.gain = ones(2)`` in a module: no Parameter."""
    trace, place = question.trace, question.tensor.place
    found = None if place is None else statement(trace, place)
    kept = [each for each in targets_of(found) if isinstance(each, ast.Attribute)]
    if place is None or not kept or not _in_a_module(trace, place):
        return None
    target, value = ast.unparse(kept[0]), ast.unparse(getattr(found, "value", kept[0]))
    return Reason(
        f"{target} is a plain tensor and no Parameter, so it does not require grad, and no optimiser is given it",
        at(place, "created"),
        f"{target} = {library(trace)}nn.Parameter({value})",
    )


def _in_a_module(trace: Trace, place: Place) -> bool:
    """Whether the line stands in a class that derives from a Module."""
    classes = (node for node in ast.walk(tree_of(trace, place.file)) if isinstance(node, ast.ClassDef))
    around = (node for node in classes if node.lineno <= place.line <= (node.end_lineno or 0))
    return any("Module" in ast.unparse(base) for node in around for base in node.bases)


def _cleared(question: Question) -> Reason | None:
    """It had one, and it was thrown away."""
    trace, tensor = question.trace, question.tensor.serial
    steps = [step for step in trace.steps_of(GradientAccumulated, GradCleared) if step < question.step]
    mine = [step for step in steps if _is_about(trace, step, tensor)]
    if len(mine) < 2 or not isinstance(trace.facts[mine[-1] - 1], GradCleared):
        return None
    cleared, arrived = trace.facts[mine[-1] - 1], trace.facts[mine[-2] - 1]
    return Reason(
        f"it had one, which backward put there on {where(trace, arrived.place)}, and which was cleared on "
        f"{where(trace, cleared.place)} before anybody used it",
        (*at(arrived.place, "accumulated"), *at(cleared.place, "cleared")),
        "# clear before backward, or after the optimiser's step: zero_grad(); backward(); step()",
        (Evidence(mine[-1], trace.describe(mine[-1]), tensor),),
    )


def _is_about(trace: Trace, step: int, tensor: int) -> bool:
    fact = trace.facts[step - 1]
    return tensor in (getattr(fact, "leaf", None), getattr(fact, "tensor", None))


def _rebound(question: Question) -> Reason | None:
    """Another tensor of the same name got the gradient: the name was given to a new one."""
    trace, tensor = question.trace, question.tensor
    mine = trace.names.get(tensor.serial)
    later = (one for one in question.state.tensors.values() if one.serial != tensor.serial and one.is_leaf)
    for other in later if mine is not None else ():
        if other.grad is not None and other.created > tensor.created and trace.names.get(other.serial) == mine:
            return Reason(
                f"this is the tensor made on {where(trace, tensor.place)}, but since "
                f"{where(trace, other.place)} the name {mine} stands for another one, and that one got the gradient"
                f"{_held_by_optimiser(question)}",
                (*at(tensor.place, "created"), *at(other.place, "rebound")),
                f"with no_grad():\n    {mine}.copy_(new_value)  # changes the tensor, where {mine} = … makes another "
                "one",
            )
    return _module_replaced(question)


def _module_replaced(question: Question) -> Reason | None:
    """``net.head = Linear(…)`` after the optimiser was given the parameters of the old ``net.head``."""
    trace, tensor = question.trace, question.tensor
    mine = assigned_name(trace, tensor.place).rpartition(".")
    for other in question.state.tensors.values() if mine[0] else ():
        name = assigned_name(trace, other.place).rpartition(".")
        if other.grad is not None and other.created > tensor.created and name[0] and name[2] == mine[2]:
            if other.place == tensor.place or (other.shape, other.dtype) != (tensor.shape, tensor.dtype):
                continue
            return Reason(
                f"since {where(trace, other.place)} another module stands there, and its parameters got the gradients"
                f"{_held_by_optimiser(question)}",
                (*at(tensor.place, "created"), *at(other.place, "rebound")),
                _optimiser_later(question, other.place),
            )
    return None


def _optimiser_later(question: Question, place: Place | None) -> str:
    """The optimiser as the script makes it, after the line that it missed."""
    trace = question.trace
    stepped = (fact for fact in trace.facts[: question.step] if isinstance(fact, OptimizerStepped))
    kind = next((fact.optimizer for fact in stepped if question.tensor.serial in fact.skipped), "")
    for file in trace.sources if kind else ():
        for node in ast.walk(tree_of(trace, file)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == kind:
                line = whole(trace, place_of(node, file))
                return f"{line or ast.unparse(node)}  # after {short_where(trace, place)}"
    return f"# make the optimiser after {short_where(trace, place)}"


def _held_by_optimiser(question: Question) -> str:
    """An optimiser goes by the tensor that it was given, not by its name."""
    trace = question.trace
    for step in trace.steps_of(OptimizerStepped):
        fact = trace.facts[step - 1]
        if isinstance(fact, OptimizerStepped) and question.tensor.serial in fact.skipped:
            return (
                f". {fact.optimizer} still holds the old one, and on {where(trace, fact.place)} it does nothing with it"
            )
    return ""


def _unmarked(question: Question) -> Reason | None:
    """It went into a custom Function that wrote it into another argument, and did not say so."""
    trace = question.trace
    for run in runs(trace):
        if question.tensor.serial in run.tensors.values() and run.applied < question.step:
            for _, write in writes_within(trace, run):
                targets = [
                    x for x in run.tensors.values() if question.flow.memory(x) == question.flow.memory(write.tensor)
                ]
                if targets and not is_marked(trace, run, write.storage):
                    name = called(trace, targets[0])
                    return Reason(
                        f"{run.name}.forward put it into {name} in place on {where(trace, write.place)} and did not "
                        "call "
                        f"ctx.mark_dirty({name}), so {name} still carries its old history, in which {question.name} "
                        "does "
                        "not occur",
                        at(write.place, "cut"),
                        f"ctx.mark_dirty({name})  # in forward, which must also return {name}",
                    )
    return None


def _unanswered(question: Question) -> Reason | None:
    """It went into a custom Function whose backward returned None for it."""
    trace, tensor = question.trace, question.tensor.serial
    for run in runs(trace):
        places = [place for place, x in sorted(run.tensors.items()) if x == tensor]
        node = None if run.fact.node is None else question.state.nodes.get(run.fact.node)
        if not places or run.applied > question.step or node is None:
            continue
        order = sorted(run.tensors).index(places[0])
        if order < len(node.gradients_out) and node.gradients_out[order] is None:
            file = run.place.file if run.place is not None else ""
            named = parameters(trace, run.name, file)
            inner = named[places[0]] if places[0] < len(named) else question.name
            answers = [place for one in returns(trace, run.name, file) for place in at(place_of(one, file), "returned")]
            return Reason(
                f"it went into {run.name} on {where(trace, run.place)} as {inner}, and {run.name}.backward returned "
                f"None for {inner}, which says that no gradient goes there",
                (*answers, *at(run.place, "used")),
                f"# return the gradient with respect to {inner} in place of that None",
            )
    return None


def _cut(question: Question) -> Reason | None:
    """It was used, but on the way to the root its history was cut."""
    trace = question.trace
    cut = cuts.forward(trace, question.flow, question.tensor.serial, question.roots, question.step)
    if cut is None:
        return None
    clause, places = cuts.sentence(trace, cut), cuts.places(trace, cut)
    fresh = question.state.tensors.get(cut.made)
    if cut.why in ("copy", "numbers") and fresh is not None and fresh.requires_grad:
        clause += f". requires_grad on that copy only silences the error: {_where_it_went(question, fresh)}"
    shown = Evidence(cut.step, trace.describe(cut.step), cut.made)
    return Reason(clause, places, cuts.mend(trace, cut), (shown,))


def _where_it_went(question: Question, copy: TensorState) -> str:
    name = called(question.trace, copy.serial)
    return f"the gradient went to {name} ({worth(copy.grad)})" if copy.grad is not None else f"it ends at {name}"


def _read_out(question: Question) -> Reason | None:
    """Its numbers were read, and nothing else of it went on: what was computed from them has no history."""
    trace = question.trace
    reached, _ = question.flow.downstream(question.tensor.serial)
    aliases = {copy.made.tensor for one in reached for copy in question.flow.copies(one)}
    reads = [
        (step, read) for step, read in question.flow.reads if read.tensor in reached | aliases and read.how != "bool"
    ]
    if not reads or reached & question.roots or not question.roots:
        return None
    step, read = reads[0]
    return Reason(
        f"all of it that can have gone into {_names(question)} are the numbers that {read.how}() on "
        f"{where(trace, read.place)} took out of the graph, and numbers have no past",
        at(read.place, "cut"),
        "# compute on with the tensor itself: item(), tolist() and numpy() are for looking",
        (Evidence(step, trace.describe(step), read.tensor),),
    )


def _not_reached(question: Question) -> Reason | None:
    """Nothing that was computed from it went into a root of backward."""
    trace = question.trace
    uses = question.flow.uses(question.tensor.serial)
    made = at(question.tensor.place, "created")
    if not uses:
        return Reason(f"no operation used it, so {_names(question)} does not depend on it", made)
    reached, _ = question.flow.downstream(question.tensor.serial)
    last = uses[-1]
    end = _dead_end(question, reached)
    if end is not None and not reached & question.roots:
        return end
    if reached & question.roots:
        return Reason(_passed_by(question), made, "# read it before it is cleared, or name it in backward(inputs=[…])")
    return Reason(
        f"backward never came by. It was last used by {last.fact.op} on {where(trace, last.fact.place)}, and nothing "
        "of "
        f"that went into {_names(question)}",
        (*made, *at(last.fact.place, "used")),
        "# call backward on a value that depends on it",
    )


def _dead_end(question: Question, reached: set[int]) -> Reason | None:
    """The last value with a name that was computed from it, and that nobody used for a root."""
    trace = question.trace
    named = [x for x in reached if x in trace.names and x in question.flow.makers and x != question.tensor.serial]
    if not named:
        return None
    name, made = trace.names[max(named)], question.flow.makers[max(named)].fact.place
    return Reason(
        f"all that was computed from it is {name} on {where(trace, made)}, and nothing of that went into "
        f"{_names(question)}",
        (*at(question.tensor.place, "created"), *at(made, "used")),
        f"# compute {_names(question)} from {name} too, or leave out what nobody uses",
    )


def _passed_by(question: Question) -> str:
    chosen = [task for task in question.passes if task.inputs is not None]
    if chosen:
        return f"backward ran through it on {where(question.trace, chosen[-1].place)}, but for other inputs only"
    return "backward did run through it, and sent it nothing"


def _names(question: Question) -> str:
    names = dict.fromkeys(called(question.trace, root) for root in sorted(question.roots))
    return listed(list(names)) or "the root of backward"


_REASONS: tuple[Callable[[Question], Reason | None], ...] = (
    _not_leaf,
    _needs_none,
    _cleared,
    _rebound,
    _unmarked,
    _unanswered,
    _cut,
    _read_out,
    _not_reached,
)
"""The last always answers."""
