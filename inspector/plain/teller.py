"""Facts into rows: what is told of each, and what is gathered into the row of another.

Reads the trace only; knows no widths, colours or folding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, Literal

from inspector.plain.numbers import array, times, worth
from inspector.plain.rows import Row
from inspector.trace import facts
from inspector.trace.facts import Fact, Place, SavedSlot
from inspector.trace.trace import Trace

_LONGEST = 30
"""Characters of an unnamed operand's own text; a longer one is ``…``."""
_MANY = 6
"""Parts of a row that are told."""


class Teller:
    """Tells the facts of one trace, in order, once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._script = trace.script
        self._names = trace.names
        self._results = {
            out
            for fact in trace.facts
            if isinstance(fact, facts.OpApplied) and not fact.inplace
            for out in fact.outputs
        }
        self._tensors: dict[int, facts.TensorCreated] = {}
        self._nodes: dict[int, facts.NodeCreated] = {}
        self._said: dict[int, str] = {}
        self._saved: dict[int, dict[str, facts.TensorSaved]] = {}
        self._infix: set[int] = set()
        self._bumps: list[facts.VersionBumped] = []
        self._operation: facts.OpApplied | None = None
        self._open: Row | None = None
        self._partial = {"stdout": "", "stderr": ""}
        self._depth = 0
        self._passes = 0
        self._operations = 0

    def rows(self) -> list[Row]:
        """The whole walk, with a line at the end that counts it."""
        rows = [row for fact in self._trace.facts for row in self._tell(fact)]
        rows += [*self._close(), *self._last_output()]
        if self._operations or self._passes:
            rows.append(self._count())
        return rows

    def _tell(self, fact: Fact) -> Iterator[Row]:
        """The rows of one fact. Names are known beforehand; what is ready, released or rebased needs no words here."""
        tell = _TELL.get(type(fact))
        if tell is not None:
            yield from tell(self, fact)

    def _close(self) -> Iterator[Row]:
        """The row that still gathered, and the writes that turned out to be no operation's."""
        if self._operation is not None:
            yield self._of_operation(self._operation)
            self._operation = None
        if self._open is not None:
            row, self._open = self._open, None
            row.rest = "   ".join(_few(row.parts))
            yield row
        if self._bumps:
            bumps, self._bumps = self._bumps, []
            yield self._written(bumps)

    # Forward

    def _created(self, fact: facts.TensorCreated) -> Iterator[Row]:
        self._tensors[fact.tensor] = fact
        if fact.tensor in self._results:
            return
        yield from self._close()
        kind = "leaf, requires grad" if fact.requires_grad else "alias" if fact.base is not None else "constant"
        text = self._source(fact.place) or f"{fact.how}(…)"
        self._said[fact.tensor] = text
        named = f"{self._names[fact.tensor]} = {text}" if fact.tensor in self._names else text
        yield self._row("step", named, array(fact.value), kind, fact.place)

    def _node_created(self, fact: facts.NodeCreated) -> Iterator[Row]:
        self._nodes[fact.node] = fact
        yield from ()

    def _tensor_saved(self, fact: facts.TensorSaved) -> Iterator[Row]:
        self._saved.setdefault(fact.node, {})[fact.saved.slot] = fact
        yield from ()

    def _bumped(self, fact: facts.VersionBumped) -> Iterator[Row]:
        if fact.tensor not in self._tensors:  # a gradient that was added to in place: told with the accumulation
            return
        if not self._goes_on(fact):
            yield from self._close()
        self._bumps.append(fact)

    def _goes_on(self, fact: facts.VersionBumped) -> bool:
        """Whether this write is the present operation's, or one more of the same step of an optimiser."""
        if self._operation is not None:
            return self._operation.inplace and fact.tensor in self._operation.outputs
        last = self._bumps[-1] if self._bumps else fact
        return (last.by, last.place) == (fact.by, fact.place)

    def _applied(self, fact: facts.OpApplied) -> Iterator[Row]:
        """Its results, its node, what that saved and the write are told after it, or before it in other recordings."""
        if not (fact.inplace and any(bump.tensor in fact.outputs for bump in self._bumps)):
            yield from self._close()
        call = self._call(fact, attributes=False)
        for out in fact.outputs:
            self._said.setdefault(out, call)
        self._operations += 1
        self._operation = fact

    def _of_operation(self, fact: facts.OpApplied) -> Row:
        bumps = [bump for bump in self._bumps if fact.inplace and bump.tensor in fact.outputs]
        self._bumps = [bump for bump in self._bumps if bump not in bumps]
        value = bumps[-1].value if bumps else self._value_of(fact.outputs)
        return self._row("step", self._sentence(fact), array(value), self._consequences(fact, bumps), fact.place)

    def _sentence(self, fact: facts.OpApplied) -> str:
        """``h = z.tanh()``; inside a module or composite, where the user's text says something else, ``tanh(z)``."""
        call = self._call(fact)
        named = dict.fromkeys(self._names[out] for out in fact.outputs if out in self._names)
        text = call if self._depth or not fact.expression else fact.expression
        if fact.inplace:
            return text
        return f"{', '.join(named)} = {text}" if named else call

    def _call(self, fact: facts.OpApplied, *, attributes: bool = True) -> str:
        if len(fact.inputs) == 2 and not fact.label[:1].isalnum():
            self._infix.update(fact.outputs)
            left, right = (one if isinstance(one, str) else self._operand(one) for _, one in fact.inputs)
            return f"{left} {fact.label} {right}"
        given = [one if isinstance(one, str) else self._short(one) for _, one in fact.inputs if one != "None"]
        if attributes and not self._depth:
            given += [f"{name}={value}" for name, value in fact.attributes if value != "None"]
        return f"{fact.op}{'_' if fact.inplace else ''}({', '.join(given)})"

    def _short(self, tensor: int) -> str:
        name = self._name(tensor)
        return "…" if len(name) > _LONGEST and tensor not in self._names else name

    def _operand(self, tensor: int) -> str:
        """The same in brackets where it is a sum or product, or cut short."""
        short = self._short(tensor)
        return f"({short})" if short == "…" or (tensor in self._infix and tensor not in self._names) else short

    def _consequences(self, fact: facts.OpApplied, bumps: list[facts.VersionBumped]) -> str:
        node = self._nodes.get(fact.node or 0)
        parts = [node.name if node else f"— {fact.unrecorded or 'not recorded'}"]
        parts += [self._bump(bump) for bump in bumps]
        kept = sorted(self._saved.get(fact.node or 0, {}).items())
        saved = [self._slot(one.saved, one.by_copy) for _, one in kept]
        return "   ".join([*parts, *([f"saves {', '.join(saved)}"] if saved else [])])

    def _bump(self, bump: facts.VersionBumped) -> str:
        """``h v0 → v1``; a view without a name goes by its base, whose versions these are as well."""
        made = self._tensors.get(bump.tensor)
        owner = bump.tensor if bump.tensor in self._names or made is None or made.base is None else made.base
        return f"{self._name(owner)} v{bump.old} → v{bump.new}"

    def _slot(self, saved: SavedSlot, by_copy: bool) -> str:
        kept = "copy" if by_copy else f"{self._operand(saved.tensor)}@v{saved.version}"
        return f"{saved.slot}={kept}"

    def _op_failed(self, fact: facts.OpFailed) -> Iterator[Row]:
        yield from self._close()
        yield self._row("error", f"✗ {fact.op}: {fact.error}", rest=_first_line(fact.message), place=fact.place)

    def _written(self, bumps: list[facts.VersionBumped]) -> Row:
        told = _few([self._bump(bump) for bump in bumps])
        value = worth(bumps[0].value) if len(bumps) == 1 else ""
        return self._row("step", bumps[0].by, value, f"writes {', '.join(told)}", bumps[0].place)

    def _mode(self, fact: facts.GradModeChanged) -> Iterator[Row]:
        yield from self._close()
        yield self._row("note", f"{fact.by}: recording {'on' if fact.enabled else 'off'}", place=fact.place)

    def _entered(self, fact: facts.ScopeEntered) -> Iterator[Row]:
        yield from self._close()
        own = "" if fact.name in ("", fact.class_name) else f"{fact.name}: "
        text = "" if self._depth else self._source(fact.place)
        yield self._row("note", f"{own}{fact.class_name or fact.name}", text, place=fact.place)
        self._depth += 1

    def _left(self, fact: facts.ScopeLeft) -> Iterator[Row]:
        yield from self._close()
        self._depth = max(0, self._depth - 1)

    def _requires(self, fact: facts.RequiresGradChanged) -> Iterator[Row]:
        if fact.tensor not in self._tensors:  # about to be made so, and told then
            return
        yield from self._close()
        what = f"{self._name(fact.tensor)}.requires_grad = {fact.requires_grad}"
        yield self._row("note", what, place=fact.place)

    def _retained(self, fact: facts.GradRetained) -> Iterator[Row]:
        yield from self._close()
        yield self._row("note", f"{self._name(fact.tensor)}.retain_grad()", place=fact.place)

    # Backward

    def _started(self, fact: facts.BackwardStarted) -> Iterator[Row]:
        yield from self._close()
        self._passes += 1
        roots = ", ".join(self._name(root) for root in fact.roots)
        options = [name for name in ("retain_graph", "create_graph") if getattr(fact, name)]
        if fact.inputs is not None:
            options.append(f"to {', '.join(self._name(one) for one in fact.inputs)}")
        row = self._row("head", f"{fact.called} #{self._passes} of {roots}", place=fact.place)
        row.value, row.rest = self._seeds(fact), ", ".join(options)
        row.begins, row.likeness = True, f"{fact.called} of {roots}"
        row.headline = f"{roots} {worth(self._value_of(fact.roots))}" if len(fact.roots) == 1 else ""
        yield row

    def _seeds(self, fact: facts.BackwardStarted) -> str:
        return f"seed {', '.join(map(worth, fact.seeds))}" if fact.seeds else ""

    def _node_finished(self, fact: facts.NodeFinished) -> Iterator[Row]:
        node = self._nodes.get(fact.node)
        if node is not None and node.leaf is not None:
            return
        yield from self._close()
        coming = ", ".join(f"g {array(one)}" if one else "g —" for one in fact.gradients_in)
        self._open = self._row("node", self._title(fact.node), coming, place=node.place if node else None)

    def _sent(self, fact: facts.GradientSent) -> Iterator[Row]:
        total = worth(fact.gradient)
        if fact.before is not None:
            total = f"{worth(fact.before)} + {total} = {worth(fact.after)}"
        if self._open is not None:
            self._open.parts.append(f"→ {self._target(fact.target)}: {total}")
        yield from ()

    def _accumulated(self, fact: facts.GradientAccumulated) -> Iterator[Row]:
        yield from self._close()
        name = self._name(fact.leaf)
        total = f"{name}.grad = {worth(fact.after)}"
        if fact.before is not None:
            total = f"{name}.grad = {worth(fact.before)} + {worth(fact.incoming)} = {worth(fact.after)}"
        place = self._tensors[fact.leaf].place if fact.leaf in self._tensors else None
        yield self._row("gradient", f"⊕ {name}", f"g {array(fact.incoming)}", total, place)

    def _unpacked(self, fact: facts.SavedUnpacked) -> Iterator[Row]:
        if fact.saved_version == fact.version:
            return
        yield from self._close()
        what = f"✗ {self._title(fact.node)}"
        told = f"it saved {self._kept(fact)} at v{fact.saved_version}, which is at v{fact.version} now"
        yield self._row(
            "error", what, rest=told, place=self._nodes[fact.node].place if fact.node in self._nodes else None
        )

    def _kept(self, fact: facts.SavedUnpacked) -> str:
        kept = self._saved.get(fact.node, {}).get(fact.slot)
        return fact.slot if kept is None else f"{self._name(kept.saved.tensor)} as {fact.slot!r}"

    def _failed(self, fact: facts.BackwardFailed) -> Iterator[Row]:
        yield from self._close()
        what = f"✗ {fact.error}" + (f" in {self._title(fact.node)}" if fact.node is not None else "")
        yield self._row("error", what, rest=_first_line(fact.message), place=fact.place)
        yield self._forward_again()

    def _finished(self, fact: facts.BackwardFinished) -> Iterator[Row]:
        yield from self._close()
        yield self._forward_again()

    def _forward_again(self) -> Row:
        return Row("head", "", begins=True)

    def _hook(self, fact: facts.HookRan) -> Iterator[Row]:
        yield from self._close()
        owner = self._name(fact.tensor) if fact.tensor is not None else self._title(fact.node or 0)
        change = f"{worth(fact.before)} becomes {worth(fact.after)}" if fact.changed else "changes nothing"
        yield self._row("note", f"hook {fact.hook} on {owner}", rest=change, place=fact.place)

    def _cleared(self, fact: facts.GradCleared) -> Iterator[Row]:
        what = f"gradients set to {'None' if fact.to_none else '0'}"
        if self._open is None or (self._open.what, self._open.place) != (what, self._at(fact.place)):
            yield from self._close()
            self._open = self._row("note", what, place=fact.place)
        self._open.parts.append(self._name(fact.tensor))

    def _assigned(self, fact: facts.GradAssigned) -> Iterator[Row]:
        yield from self._close()
        yield self._row("note", f"{self._name(fact.tensor)}.grad is replaced", array(fact.after), place=fact.place)

    def _missing(self, fact: facts.GradMissing) -> Iterator[Row]:
        yield from self._close()
        yield self._row("note", f"{self._name(fact.tensor)}.grad is None here", place=fact.place)

    def _stepped(self, fact: facts.OptimizerStepped) -> Iterator[Row]:
        yield from self._close()
        skipped = ", ".join(map(self._name, fact.skipped))
        what = f"{fact.optimizer}.step() moved {times(len(fact.parameters), 'parameter')}"
        yield self._row("note", what, rest=f"skipped, .grad is None: {skipped}" if skipped else "", place=fact.place)

    # The script itself

    def _printed(self, fact: facts.Printed) -> Iterator[Row]:
        # What was typed stands where it was asked for.
        stream: Literal["stdout", "stderr"] = "stderr" if fact.stream == "stderr" else "stdout"
        *lines, self._partial[stream] = (self._partial[stream] + fact.text).split("\n")
        if lines:
            yield from self._close()
        for line in lines:
            yield Row(stream, line)

    def _last_output(self) -> Iterator[Row]:
        for stream, text in self._partial.items():
            if text:
                yield Row("stderr" if stream == "stderr" else "stdout", text)
        self._partial = dict.fromkeys(self._partial, "")

    def _recording_stopped(self, fact: facts.RecordingStopped) -> Iterator[Row]:
        yield from self._close()
        yield Row("error", "the recording stops here", rest=f"{fact.reason}; the script ran on unrecorded")

    def _ended(self, fact: facts.ScriptEnded) -> Iterator[Row]:
        yield from self._close()
        yield from self._last_output()
        yield from (Row("stderr", line) for line in fact.traceback.splitlines())

    def _count(self) -> Row:
        counts = times(self._operations, "operation"), times(self._passes, "backward pass")
        return Row("note", ", ".join(counts))

    # How things are called

    def _row(self, kind: Any, what: str, value: str = "", rest: str = "", place: Place | None = None) -> Row:
        return Row(kind, what, value, rest, self._at(place), self._depth)

    def _at(self, place: Place | None) -> str:
        if place is None:
            return ""
        return str(place.line) if place.file == self._script else f"{PurePath(place.file).name}:{place.line}"

    def _name(self, tensor: int) -> str:
        return self._names.get(tensor) or self._said.get(tensor) or f"tensor {tensor}"

    def _title(self, node: int) -> str:
        made = self._nodes.get(node)
        if made is None:
            return f"node {node}"
        known = [self._operand(out) for out in made.outputs if out in self._names or out in self._said]
        return f"{made.name} of {', '.join(known)}" if known else made.name

    def _target(self, node: int) -> str:
        made = self._nodes.get(node)
        return f"⊕ {self._name(made.leaf)}" if made is not None and made.leaf is not None else self._title(node)

    def _source(self, place: Place | None) -> str:
        """The user's own text at a place on one line; nothing where there is no source."""
        lines = self._trace.sources.get(place.file, "").splitlines() if place is not None else []
        if place is None or place.line != place.end_line or not 0 < place.line <= len(lines):
            return ""
        return lines[place.line - 1].encode()[place.column : place.end_column].decode(errors="replace")

    def _value_of(self, tensors: tuple[int, ...]) -> facts.Summary | None:
        made = self._tensors.get(tensors[0]) if tensors else None
        return None if made is None else made.value


def _few(parts: list[str]) -> list[str]:
    """The first of many parts, and how many more there are."""
    return parts if len(parts) <= _MANY else [*parts[: _MANY - 1], f"and {len(parts) - _MANY + 1} more"]


def _first_line(text: str) -> str:
    """What a row says of a message that the traceback tells in full."""
    line = text.partition("\n")[0]
    return line if len(line) <= 120 else line[:119] + "…"


_TELL: dict[type[Fact], Callable[[Teller, Any], Iterator[Row]]] = {
    facts.TensorCreated: Teller._created,
    facts.NodeCreated: Teller._node_created,
    facts.TensorSaved: Teller._tensor_saved,
    facts.VersionBumped: Teller._bumped,
    facts.OpApplied: Teller._applied,
    facts.OpFailed: Teller._op_failed,
    facts.GradModeChanged: Teller._mode,
    facts.ScopeEntered: Teller._entered,
    facts.ScopeLeft: Teller._left,
    facts.RequiresGradChanged: Teller._requires,
    facts.GradRetained: Teller._retained,
    facts.BackwardStarted: Teller._started,
    facts.NodeFinished: Teller._node_finished,
    facts.GradientSent: Teller._sent,
    facts.GradientAccumulated: Teller._accumulated,
    facts.SavedUnpacked: Teller._unpacked,
    facts.BackwardFailed: Teller._failed,
    facts.BackwardFinished: Teller._finished,
    facts.HookRan: Teller._hook,
    facts.GradCleared: Teller._cleared,
    facts.GradAssigned: Teller._assigned,
    facts.GradMissing: Teller._missing,
    facts.OptimizerStepped: Teller._stepped,
    facts.Printed: Teller._printed,
    facts.RecordingStopped: Teller._recording_stopped,
    facts.ScriptEnded: Teller._ended,
}
