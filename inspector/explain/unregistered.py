"""``unregistered-parameter``: a module keeps a layer in a plain list, or a weight as a plain tensor, so that its
``parameters()`` does not name it: it gets gradients, and no optimiser ever moves it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.source import called, library, place_of, short_where, statement, tree_of, where
from inspector.explain.words import listed
from inspector.trace.facts import GradientAccumulated, OptimizerStepped, Place
from inspector.trace.trace import Trace

KIND = "unregistered-parameter"
LISTS = (ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.DictComp)


@dataclass(frozen=True, slots=True)
class _Keeper:
    """What a module keeps it in: ``self.layers``, the statement that says so, and what should stand there."""

    target: str
    place: Place
    kind: str
    mend: str


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each attribute of a module that hides parameters from the optimiser of the run."""
    steps = trace.steps_of(OptimizerStepped)
    if not steps:
        return []
    given = {x for step in steps if isinstance(fact := trace.facts[step - 1], OptimizerStepped) for x in _held(fact)}
    hidden: dict[_Keeper, list[tuple[int, int]]] = {}
    for step, leaf in _reached(trace):
        keeper = _keeper(trace, leaf) if leaf not in given else None
        if keeper is not None:
            hidden.setdefault(keeper, []).append((step, leaf))
    return [_finding(trace, keeper, leaves, steps[0]) for keeper, leaves in hidden.items()]


def _held(fact: OptimizerStepped) -> tuple[int, ...]:
    return (*fact.parameters, *fact.skipped)


def _reached(trace: Trace) -> Iterator[tuple[int, int]]:
    """Every leaf that a pass brought a gradient to, with the step of the first."""
    seen: set[int] = set()
    for step in trace.steps_of(GradientAccumulated):
        fact = trace.facts[step - 1]
        if isinstance(fact, GradientAccumulated) and fact.leaf not in seen:
            seen.add(fact.leaf)
            yield step, fact.leaf


def _keeper(trace: Trace, leaf: int) -> _Keeper | None:
    birth = flow_of(trace).births.get(leaf)
    place = None if birth is None else birth[1].place
    if birth is None or place is None or not _in_a_module(trace, place):
        return None
    found = statement(trace, place)
    if isinstance(found, ast.Assign) and isinstance(found.targets[0], ast.Attribute):
        return _assigned(trace, found, found.targets[0], place.file, parameter=birth[1].how == "Parameter")
    return None


def _assigned(trace: Trace, found: ast.Assign, target: ast.Attribute, file: str, *, parameter: bool) -> _Keeper | None:
    """``self.layers = [Linear(…), …]``, or ``self.gain = ones(2, requires_grad=True)``."""
    name, value, place = ast.unparse(target), ast.unparse(found.value), place_of(found, file)
    if isinstance(found.value, LISTS):
        own = "Parameter(" in value
        held = "Dict" if isinstance(found.value, ast.Dict | ast.DictComp) else "List"
        container = f"{library(trace)}nn.{'Parameter' if own else 'Module'}{held}"
        kind = f"a plain {'dict' if held == 'Dict' else 'tuple' if isinstance(found.value, ast.Tuple) else 'list'}"
        return _Keeper(name, place, kind, f"{name} = {container}({value})")
    if parameter or "Parameter(" in value:
        return None
    return _Keeper(name, place, "a plain tensor", f"{name} = {library(trace)}nn.Parameter({value})")


def _in_a_module(trace: Trace, place: Place) -> bool:
    classes = (node for node in ast.walk(tree_of(trace, place.file)) if isinstance(node, ast.ClassDef))
    around = [node for node in classes if node.lineno <= place.line <= (node.end_lineno or 0)]
    return any("Module" in ast.unparse(base) for node in around for base in node.bases)


def _finding(trace: Trace, keeper: _Keeper, leaves: list[tuple[int, int]], first: int) -> Finding:
    names = listed([*dict.fromkeys(called(trace, leaf) for _, leaf in leaves)])
    stepped, reached = trace.facts[first - 1], trace.facts[leaves[0][0] - 1]
    optimizer = stepped.optimizer if isinstance(stepped, OptimizerStepped) else "the optimiser"
    sentence = (
        f"{keeper.target} on {short_where(trace, keeper.place)} is {keeper.kind}, in which a module does not look for "
        f"its parameters: {names} get gradients from the backward on {where(trace, reached.place)}, but {optimizer} "
        "was never given them, so they stay as they are, and their gradients pile up."
    )
    shown = (
        *(Evidence(step, trace.describe(step), leaf) for step, leaf in leaves[:2]),
        Evidence(first, trace.describe(first)),
    )
    places = (*at(keeper.place, "created"), *at(reached.place, "used"), *at(stepped.place, "updated"))
    return Finding(KIND, sentence, shown, unique(places), keeper.mend)
