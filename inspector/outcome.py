"""How a run went, in one sentence: for stderr, and for whoever asks why there is nothing to see."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

from inspector.trace.facts import BackwardFailed, Printed, RecordingStopped, ScriptEnded
from inspector.trace.trace import Trace

_AS_TORCH = "--as torch"
LONGEST = 160
"""Characters of an error's message that the sentence quotes."""


def verdict(trace: Trace, stood_for: str | None = None, *, explained: bool = False) -> str | None:
    """How the script failed; None when it ended well and was seen to use minigrad.

    ``stood_for`` is the name of the module in whose place the script found minigrad; ``explained`` says that the reader
    has been told why already.
    """
    ended = trace.outcome
    name = Path(trace.script).name
    if ended is None or ended.kind == "ok":
        return nothing_recorded(trace, stood_for)
    match ended.kind:
        case "error":
            hint = "" if explained else _hint(trace, ended, name, stood_for)
            return f"{name} raised {ended.error}{_line(ended)}{_message(ended)}{hint}"
        case "syntax":
            return f"not a Python script: {ended.message}"
        case "exit":
            return f"{name} ended with exit status {ended.status}{_message(ended)}"
        case _:
            return f"{name} did not end by itself: {ended.message}{_line(ended)}"


def cut_short(trace: Trace) -> str | None:
    """Why a recording holds less than happened; None when it holds all."""
    steps = trace.steps_of(RecordingStopped)
    fact = trace.facts[steps[0] - 1] if steps else None
    if not isinstance(fact, RecordingStopped):
        return None
    return f"the recording stopped: {fact.reason}" + ("; `--limit N` records N" if "limit" in fact.reason else "")


def nothing_recorded(trace: Trace, stood_for: str | None = None) -> str | None:
    """Why a trace holds nothing of minigrad's; None when it does hold something."""
    if any(not isinstance(fact, Printed | ScriptEnded | RecordingStopped) for fact in trace.facts):
        return None
    name, imported = Path(trace.script).name, _imports(trace.script)
    used = {"minigrad", stood_for} & imported
    if used:
        return f"{name} imports {min(used, key=str)} but made no tensor with it, so there is nothing to show."
    if "torch" in imported:
        return (
            f"{name} computes with torch, whose insides cannot be watched: "
            f"`inspector run {_AS_TORCH} {name}` runs it with minigrad in torch's place."
        )
    return f"{name} never used minigrad, so there is nothing to show: it must compute with minigrad's tensors."


def _line(ended: ScriptEnded) -> str:
    return "" if ended.place is None else f" on line {ended.place.line}"


def _message(ended: ScriptEnded) -> str:
    first = ended.message.partition("\n")[0]
    return f": {first[:LONGEST]}{'…' if len(first) > LONGEST else ''}" if first else ""


def _hint(trace: Trace, ended: ScriptEnded, name: str, stood_for: str | None) -> str:
    """What to do: a script that asks gets no answer from the terminal; a failed backward has a reason."""
    if stood_for is None and _wanted_torch(trace, ended):
        return f"; `inspector run {_AS_TORCH} {name}` runs it with minigrad in torch's place"
    if ended.error == "EOFError":
        return f"; it asked for input, and there was none: pipe it in, `inspector run --plain {name} < answers.txt`"
    if trace.steps_of(BackwardFailed):
        in_its_place = "" if stood_for is None else f"{_AS_TORCH} "
        return f"; `inspector explain {in_its_place}{name}` says why"
    return ""


def _wanted_torch(trace: Trace, ended: ScriptEnded) -> bool:
    """Whether the script failed for want of PyTorch, or in it."""
    if ended.error == "ModuleNotFoundError" and ended.message.startswith("No module named 'torch"):
        return True
    return nothing_recorded(trace) is not None and "torch" in _imports(trace.script) - {"minigrad"}


def _imports(script: str) -> set[str]:
    """The top-level modules that a script imports, anywhere in it."""
    found: set[str] = set()
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        for node in ast.walk(ast.parse(Path(script).read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found
