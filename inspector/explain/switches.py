"""Where recording had been switched off: by a block, a decorator, a switch that stays, or a Function's own rule.

Says it in words, with a mend as code. Must not know any diagnosis.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from inspector.explain.finding import Location, at
from inspector.explain.rewrite import whole
from inspector.explain.source import call_at, expression, place_of, short_where, tree_of, where
from inspector.trace.facts import GradModeChanged, Place
from inspector.trace.trace import Trace

SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")
ONCE = "once_differentiable"


@dataclass(frozen=True, slots=True)
class Switch:
    """What switched recording off: ``how`` is ``block``, ``decorator``, ``switch`` or ``once`` (differentiable)."""

    how: str
    place: Place | None
    name: str = ""
    """The function that is decorated, or the class of the Function."""


def switch_at(trace: Trace, step: int, place: Place | None) -> Switch:
    """What had switched recording off for what ran at ``step``, on the line at ``place``."""
    decorated = _decorator(trace, place)
    if decorated is not None:
        return decorated
    changes = [trace.facts[one - 1] for one in trace.steps_of(GradModeChanged) if one < step]
    off = [fact for fact in changes if isinstance(fact, GradModeChanged) and not fact.enabled]
    last = off[-1].place if off else None
    stays = "set_grad_enabled" in whole(trace, last)
    return Switch("switch" if stays else "block", last)


def _decorator(trace: Trace, place: Place | None) -> Switch | None:
    """The decorator of the function that holds ``place``, if it is one that switches recording off."""
    for owner, function in _functions(trace, place):
        for decorator in function.decorator_list:
            name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
            spot = place_of(decorator, place.file if place is not None else "")
            if name == ONCE or _stands_for(trace, place, name) == ONCE:
                return Switch("once", spot, owner)
            if name in SWITCHES:
                return Switch("decorator", spot, function.name)
    return None


def _stands_for(trace: Trace, place: Place | None, name: str) -> str:
    """What a name of the script's own was given to: ``once = torch.autograd.function.once_differentiable``."""
    for node in ast.walk(tree_of(trace, place.file)) if place is not None else ():
        if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == [name]:
            return ast.unparse(node.value).rpartition(".")[2]
    return ""


def _functions(trace: Trace, place: Place | None) -> list[tuple[str, ast.FunctionDef]]:
    """The functions that hold ``place``, the innermost first, each with the class that it is a method of."""
    found = []
    if place is None:
        return []
    for node in ast.walk(tree_of(trace, place.file)):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef) and child.lineno <= place.line <= (child.end_lineno or 0):
                found.append((node.name if isinstance(node, ast.ClassDef) else "", child))
    return found[::-1]


def sentence(trace: Trace, switch: Switch, how: str, mode: str, place: Place | None) -> str:
    """What ran unrecorded, where, and why; without the full stop."""
    done = _done(trace, how, place)
    match switch.how:
        case "once":
            return (
                f"{switch.name}.backward is marked as once differentiable on {where(trace, switch.place)}, so what it "
                "returns is a constant, which cannot be differentiated again"
            )
        case "decorator":
            return (
                f"{done} ran under {mode}, with which {switch.name}() is decorated on "
                f"{short_where(trace, switch.place)} (`@{expression(trace, switch.place)}`): nothing in it is "
                "recorded, so no gradient comes back through it"
            )
        case "switch":
            return (
                f"{done} ran with recording switched off, since {where(trace, switch.place)}, which nothing had "
                "switched on again, so no gradient comes back through it"
            )
    since = _since(trace, switch, place)
    return f"{done} ran under {mode}{since}, which records nothing, so no gradient comes back through it"


def _done(trace: Trace, how: str, place: Place | None) -> str:
    """The operation and its line; what a call does inside is called by that call."""
    call = call_at(trace, place)
    if call is None or ast.unparse(call.func).rpartition(".")[2] == how:
        return f"{how} on {where(trace, place)}"
    return f"`{expression(trace, place)}` on {short_where(trace, place)}"


def _since(trace: Trace, switch: Switch, place: Place | None) -> str:
    """Where it had been switched off, if that is another line."""
    if switch.place is None or (
        place is not None and (place.file, place.line) == (switch.place.file, switch.place.line)
    ):
        return ""
    return f" (since {where(trace, switch.place)})"


def places(switch: Switch, place: Place | None) -> tuple[Location, ...]:
    """Where the history was cut, and by what if that is another line."""
    if switch.how in ("decorator", "once", "switch"):
        return (*at(place, "cut"), *at(switch.place, "disabled"))
    return at(place, "cut")


def mend(trace: Trace, switch: Switch, mode: str, place: Place | None) -> str:
    """How to have it recorded."""
    match switch.how:
        case "once":
            return "# write backward with tensor operations, and leave out once_differentiable, to differentiate twice"
        case "decorator":
            return f"# leave out @{expression(trace, switch.place)} above {switch.name}()"
        case "switch":
            on = whole(trace, switch.place).replace("False", "True")
            return f"{on}  # before {short_where(trace, place)}; a block, with no_grad():, ends by itself"
    line = whole(trace, place)
    return f"{line}  # outside of the {mode} block" if line else f"# move this line out of the {mode} block"
