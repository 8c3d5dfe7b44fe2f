"""Modules: inside which of them something happened, and how the script made them. Must not know any diagnosis."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from inspector.explain.source import place_of, tree_of
from inspector.trace.facts import Place, ScopeEntered, ScopeLeft
from inspector.trace.trace import Trace


def scopes_at(trace: Trace, step: int) -> list[ScopeEntered]:
    """The modules, composites and functions that were being run at ``step`` in its thread, the outermost first."""
    open_: list[ScopeEntered] = []
    thread = trace.facts[step - 1].thread
    for one in trace.steps_of(ScopeEntered, ScopeLeft):
        fact = trace.facts[one - 1]
        if one >= step:
            break
        if fact.thread != thread:
            continue
        if isinstance(fact, ScopeEntered):
            open_.append(fact)
        elif open_:
            open_.pop()
    return open_


def module_at(trace: Trace, step: int) -> str:
    """``module 1 (Sigmoid)``, for what happens inside of one of the library's own; empty text elsewhere."""
    inside = [scope for scope in scopes_at(trace, step) if scope.kind == "module"]
    if not inside or _is_own(trace, inside[-1].class_name):
        return ""
    return f"module {inside[-1].name} ({inside[-1].class_name})"


def _is_own(trace: Trace, class_name: str) -> bool:
    """Whether the script defines the class itself: then its lines say more than its name."""
    return any(isinstance(node, ast.ClassDef) and node.name == class_name for node in _nodes(trace))


def _nodes(trace: Trace) -> Iterator[ast.AST]:
    for file in trace.sources:
        yield from ast.walk(tree_of(trace, file))


def made_inplace(trace: Trace, step: int) -> tuple[Place, str] | None:
    """Where a module that writes in place was made, ``nn.ReLU(inplace=True)``, and how it is made without that."""
    inside = [scope.class_name for scope in scopes_at(trace, step) if scope.kind == "module"]
    for file in trace.sources:
        for node in ast.walk(tree_of(trace, file)):
            if isinstance(node, ast.Call) and inside and ast.unparse(node.func).rpartition(".")[2] == inside[-1]:
                without = _without_inplace(node)
                if without:
                    return place_of(node, file), without
    return None


def _without_inplace(call: ast.Call) -> str:
    """The call without ``inplace=True``; empty text if it has none."""
    kept = [each for each in call.keywords if each.arg != "inplace"]
    arguments = [each for each in call.args if not (isinstance(each, ast.Constant) and each.value is True)]
    if len(kept) == len(call.keywords) and len(arguments) == len(call.args):
        return ""
    call = copy.deepcopy(call)
    call.keywords, call.args = kept, arguments
    return ast.unparse(call)
