"""Runs written down by hand, as a recorder would, for pictures to be made of: needs neither the core nor a recorder.

A ``Tape`` is told what a script does, line by line, and writes the facts. Norms and values are given by whoever tells
the story; nothing is computed here, so that a picture's numbers can be checked against the story's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inspector.trace import facts as f


def summary(shape: tuple[int, ...], norm: float, *values: float) -> f.Summary:
    """An array of this shape with this norm; its values where they are given."""
    return f.Summary(shape, "f32", norm, -norm, norm, 0.0, 0, 0, values)


@dataclass
class Value:
    """A tensor of the story, and the node that it comes from now."""

    serial: int
    storage: int
    shape: tuple[int, ...]
    node: int | None = None
    leaf: bool = False
    version: list[int] = field(default_factory=lambda: [0])


class Tape:
    """Writes facts. Lines count up by themselves; ``at(n)`` sets the next one."""

    def __init__(self, file: str = "/home/ada/train.py") -> None:
        self.facts: list[f.Fact] = []
        self.file = file
        self._line = 1
        self._serial = 0
        self._sequence = 0
        self._accumulators: dict[int, int] = {}

    def at(self, line: int) -> Tape:
        """What follows happens on this line."""
        self._line = line
        return self

    def _new(self) -> int:
        self._serial += 1
        return self._serial

    def place(self, text: str = "") -> f.Place:
        """The present line."""
        return f.Place(self.file, self._line, self._line, 4, 4 + len(text), "<module>")

    def add(self, fact: f.Fact) -> int:
        """Write a fact; how many there are now."""
        self.facts.append(fact)
        return len(self.facts)

    def tensor(
        self, name: str, shape: tuple[int, ...], *, grad: bool = False, norm: float = 1.0, values: Sequence[float] = ()
    ) -> Value:
        """A tensor that the user makes."""
        value = Value(self._new(), self._new(), shape, leaf=grad)
        held = summary(shape, norm, *values)
        self.add(
            f.TensorCreated(
                value.serial, "tensor", shape, "f32", grad, True, None, value.storage, 0, held, place=self.place()
            )
        )
        self._name(value, name)
        self._line += 1
        return value

    def op(
        self,
        name: str,
        expression: str,
        inputs: dict[str, Value | str],
        shape: tuple[int, ...],
        *,
        saves: dict[str, Value | None] | None = None,
        node: str | None = None,
        op: str | None = None,
        label: str | None = None,
        values: Sequence[float] = (),
        view: bool = False,
    ) -> Value:
        """``name = expression``; ``saves`` names slots (None: the result). No input that requires grad: no node."""
        first = next(one for one in inputs.values() if isinstance(one, Value))
        out = Value(self._new(), first.storage if view else self._new(), shape)
        out.version = first.version if view else out.version
        kind = op or expression.split("(")[0].split(".")[-1].strip()
        ways = [one for one in inputs.values() if isinstance(one, Value)]
        recorded = node != "" and any(one.leaf or one.node is not None for one in ways)
        base = first.serial if view else None
        held = summary(shape, 1.0, *values)
        edges = self._edges(ways) if recorded else ()
        out.node = self._new() if recorded else None
        self._applied(kind, label, inputs, out, expression, inplace=False)
        self.add(
            f.TensorCreated(
                out.serial, kind, shape, "f32", recorded, not recorded, base, out.storage, out.version[0], held,
                place=self.place(expression),
            )
        )  # fmt: skip
        if recorded:
            self._node(out, edges, node or f"{kind.capitalize()}Backward0", saves or {}, expression)
        if name:
            self._name(out, name)
        self._line += 1
        return out

    def write(self, target: Value, expression: str, op: str, *, recorded: bool = True) -> None:
        """An in-place operation on ``target``."""
        old, at = target.node, self.place(expression)
        edges = self._edges([target]) if recorded else ()
        target.node = self._new() if recorded else None
        self._applied(op, None, {"self": target, "other": "1"}, target, expression, inplace=True)
        if recorded:
            self._node(target, edges, f"{op.strip('_').capitalize()}Backward0", {}, expression)
        target.version[0] += 1
        now, held = target.version[0], summary(target.shape, 1.0)
        self.add(f.VersionBumped(target.serial, target.storage, now - 1, now, op, held, place=at))
        if recorded:
            self.add(f.HistoryRebased(target.serial, old, target.node, place=at))
        target.node = target.node or old
        self._line += 1

    def _edges(self, ways: list[Value]) -> tuple[f.Edge, ...]:
        return tuple(f.Edge(index, self._target(way)) for index, way in enumerate(ways))

    def _node(
        self, out: Value, edges: tuple[f.Edge, ...], name: str, saves: dict[str, Value | None], expression: str
    ) -> None:
        assert out.node is not None
        at = self.place(expression)
        self._sequence += 1
        self.add(f.NodeCreated(out.node, name, self._sequence, edges, (out.serial,), None, "g", place=at))
        for slot, saved in saves.items():
            kept = saved or out
            one = f.SavedSlot(slot, kept.serial, kept.storage, kept.version[0])
            self.add(f.TensorSaved(out.node, one, False, place=at))

    def _target(self, way: Value) -> int | None:
        if not way.leaf:
            return way.node
        if way.serial not in self._accumulators:
            node = self._accumulators[way.serial] = self._new()
            self.add(f.NodeCreated(node, "AccumulateGrad", 2**64 - 1, (), (), way.serial, place=self.place()))
        return self._accumulators[way.serial]

    def _applied(
        self,
        kind: str,
        label: str | None,
        inputs: dict[str, Value | str],
        out: Value,
        expression: str,
        *,
        inplace: bool,
    ) -> None:
        given = tuple((name, one.serial if isinstance(one, Value) else one) for name, one in inputs.items())
        why = None if out.node is not None else "no_grad"
        self.add(
            f.OpApplied(
                kind, label or kind, given, (), (out.serial,), out.node, why, inplace, expression,
                place=self.place(expression),
            )
        )  # fmt: skip

    def _name(self, value: Value, name: str) -> None:
        self.add(f.NameBound(value.serial, name, place=self.place()))

    # -- backward

    def backward(self, root: Value, *, create_graph: bool = False, called: str = "backward") -> Backward:
        """``root.backward()`` begins."""
        task, at = self._new(), self.place("loss.backward()")
        one = summary((), 1.0, 1.0)
        assert root.node is not None
        self.add(
            f.BackwardStarted(
                task, (root.serial,), (root.node,), (one,), create_graph, create_graph, None, None, called, place=at
            )
        )
        return Backward(self, task, at)

    def ended(self, error: str = "", message: str = "") -> list[f.Fact]:
        """The script ends; all its facts."""
        self.add(f.ScriptEnded("error" if error else "ok", int(bool(error)), error, message))
        return self.facts


@dataclass
class Backward:
    """A backward pass under way: nodes run in the order in which the story lets them."""

    tape: Tape
    task: int
    at: f.Place
    buffers: dict[int, f.Summary] = field(default_factory=dict)

    def run(self, value: Value, arrived: f.Summary, *sent: f.Summary | None, free: bool = True) -> Backward:
        """The node of ``value`` runs, and sends one gradient along each of its edges."""
        node = self._node_of(value)
        self._ready(node, arrived)
        add, at = self.tape.add, self.at
        add(f.NodeFinished(self.task, node, (arrived,), sent, place=at))
        if free:
            add(f.SavedReleased(node, place=at))
        created = next(one for one in self.tape.facts if isinstance(one, f.NodeCreated) and one.node == node)
        for edge, gradient in zip(created.edges, sent, strict=True):
            if edge.target is not None and gradient is not None:
                before = self.buffers.get(edge.target)
                self.buffers[edge.target] = gradient
                add(f.GradientSent(self.task, node, edge.index, edge.target, 0, gradient, before, gradient, place=at))
        return self

    def _node_of(self, value: Value) -> int:
        node = self.tape._accumulators[value.serial] if value.leaf else value.node
        assert node is not None
        return node

    def _ready(self, node: int, arrived: f.Summary) -> None:
        self.tape.add(f.NodeReady(self.task, node, place=self.at))
        self.tape.add(f.NodeStarting(self.task, node, (arrived,), place=self.at))

    def accumulate(self, leaf: Value, incoming: f.Summary) -> Backward:
        """``leaf.grad`` takes what came."""
        node = self.tape._accumulators[leaf.serial]
        self._ready(node, incoming)
        self.tape.add(
            f.GradientAccumulated(self.task, node, leaf.serial, None, incoming, incoming, "stolen", place=self.at)
        )
        self.tape.add(f.NodeFinished(self.task, node, (incoming,), (), place=self.at))
        return self

    def fail(self, value: Value, arrived: f.Summary, slot: str, saved: Value, message: str) -> None:
        """The node of ``value`` starts, takes out ``slot``, and raises."""
        node = self._node_of(value)
        self._ready(node, arrived)
        self.tape.add(f.SavedUnpacked(node, slot, saved.storage, 0, saved.version[0], place=self.at))
        self.tape.add(f.BackwardFailed(self.task, node, "RuntimeError", message, place=self.at))

    def finish(self) -> None:
        """The pass ends well."""
        self.tape.add(f.BackwardFinished(self.task, place=self.at))


MISMATCH = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[minigrad.FloatTensor [3, 4]], which is output 0 of AddBackward0, is at version 1; expected version 0 instead."
)


def network(*, broken: bool = False) -> list[f.Fact]:
    """Two linear layers, tanh, a square and a mean; if ``broken``, ``q`` is overwritten before backward wants it."""
    tape = Tape()
    x = tape.at(2).tensor("x", (3, 2))
    w1 = tape.tensor("W1", (4, 2), grad=True)
    b1 = tape.tensor("b1", (4,), grad=True)
    w2 = tape.tensor("W2", (1, 4), grad=True)
    z = tape.op("z", "F.linear(x, W1, b1)", {"x": x, "w": w1, "b": b1}, (3, 4), node="AddmmBackward0", saves={"x": x})
    h = tape.op("h", "z.tanh()", {"x": z}, (3, 4), saves={"out": None}, label="tanh")
    q = tape.op("q", "h * h", {"a": h, "b": h}, (3, 4), op="mul", label="×", saves={"a": h, "b": h})
    y = tape.op("y", "F.linear(q, W2)", {"x": q, "w": w2}, (3, 1), node="MmBackward0", saves={"x": q, "w": w2})
    if broken:
        tape.write(q, "q.add_(1)", "add_")
    loss = tape.op("loss", "y.mean()", {"x": y}, (), values=(0.482,))
    run = tape.backward(loss)
    run.run(loss, summary((), 1.0, 1.0), summary((3, 1), 0.577))
    if broken:
        run.fail(y, summary((3, 1), 0.577), "x", q, MISMATCH)
        return tape.ended("RuntimeError", MISMATCH)
    into_q, parts, into_h = summary((3, 4), 0.24), summary((3, 4), 0.176), summary((3, 4), 0.352)
    run.run(y, summary((3, 1), 0.577), into_q, summary((1, 4), 0.61))
    run.accumulate(w2, summary((1, 4), 0.61))
    run.run(q, into_q, parts, parts).run(h, into_h, summary((3, 4), 0.28))
    run.run(z, summary((3, 4), 0.28), None, summary((4, 2), 0.31), summary((4,), 0.22))
    run.accumulate(w1, summary((4, 2), 0.31)).accumulate(b1, summary((4,), 0.22)).finish()
    return tape.ended()


def scalars() -> list[f.Fact]:
    """A 2-2-1 net of single numbers, in micrograd's manner: every value and gradient shows."""
    tape = Tape("neuron.py")
    names = ("x1", "x2", "w1", "w2", "w3", "w4")
    numbers = (1.0, -2.0, 0.5, -0.25, 1.5, 0.75)
    x1, x2, w1, w2, w3, w4 = (
        tape.tensor(name, (), grad=name[0] == "w", norm=abs(number), values=(number,))
        for name, number in zip(names, numbers, strict=True)
    )
    kept: dict[str, Value] = {}
    for name, x, w, number in (("p1", x1, w1, 0.5), ("p2", x2, w2, 0.5), ("p3", x1, w3, 1.5), ("p4", x2, w4, -1.5)):
        text = f"{'x1' if x is x1 else 'x2'} * w{name[1]}"
        kept[name] = tape.op(name, text, {"a": x, "b": w}, (), op="mul", label="×", saves={"a": x}, values=(number,))
    s1 = tape.op("s1", "p1 + p2", {"a": kept["p1"], "b": kept["p2"]}, (), op="add", label="+", values=(1.0,))
    s2 = tape.op("s2", "p3 + p4", {"a": kept["p3"], "b": kept["p4"]}, (), op="add", label="+", values=(0.0,))
    h1 = tape.op("h1", "s1.tanh()", {"x": s1}, (), saves={"out": None}, values=(0.7616,))
    h2 = tape.op("h2", "s2.tanh()", {"x": s2}, (), saves={"out": None}, values=(0.0,))
    out = tape.op("out", "h1 - h2", {"a": h1, "b": h2}, (), op="sub", label="−", values=(0.7616,))

    def one(number: float) -> f.Summary:
        return summary((), abs(number), number)

    run = tape.backward(out).run(out, one(1.0), one(1.0), one(-1.0))
    run.run(h2, one(-1.0), one(-1.0)).run(h1, one(1.0), one(0.42)).run(s2, one(-1.0), one(-1.0), one(-1.0))
    run.run(s1, one(0.42), one(0.42), one(0.42))
    for name, leaf, arrived, sent in (
        ("p4", w4, -1.0, 2.0), ("p3", w3, -1.0, -1.0), ("p2", w2, 0.42, -0.84), ("p1", w1, 0.42, 0.42)
    ):  # fmt: skip
        run.run(kept[name], one(arrived), None, one(sent)).accumulate(leaf, one(sent))
    run.finish()
    return tape.ended()


def fan_out() -> list[f.Fact]:
    """One value used three times; its gradient is a sum. It keeps it, too."""
    tape = Tape("fan.py")
    w = tape.tensor("w", (3,), grad=True, values=(1.0, 2.0, 3.0))
    u = tape.op("u", "w.exp()", {"x": w}, (3,), saves={"out": None}, values=(2.718, 7.389, 20.09))
    tape.add(f.GradRetained(u.serial, place=tape.place("u.retain_grad()")))
    a = tape.op("a", "u.sin()", {"x": u}, (3,), saves={"x": u})
    b = tape.op("b", "a * u", {"a": a, "b": u}, (3,), op="mul", label="×", saves={"a": a, "b": u})
    c = tape.op("c", "u.sum()", {"x": u}, (), values=(30.19,))
    loss = tape.op("loss", "b.sum() + c", {"a": b, "b": c}, (), op="add", label="+", values=(37.8,))
    g, total = summary((3,), 1.73), summary((3,), 11.2)
    run = tape.backward(loss).run(loss, summary((), 1.0, 1.0), g, summary((), 1.0, 1.0))
    run.run(c, summary((), 1.0, 1.0), g).run(b, g, summary((3,), 21.6), summary((3,), 1.04))
    run.run(a, summary((3,), 21.6), summary((3,), 9.7))
    tape.add(f.HookRan("retain_grad", u.serial, None, "retain_grad", False, total, total, place=run.at))
    run.run(u, total, summary((3,), 180.0))
    run.accumulate(w, summary((3,), 180.0)).finish()
    return tape.ended()


def views() -> list[f.Fact]:
    """A row of a table is written in place, and the table is used afterwards."""
    tape = Tape("table.py")
    w = tape.tensor("w", (3,), grad=True)
    table = tape.op("table", "w.expand(2, 3).clone()", {"x": w}, (2, 3), op="clone")
    row = tape.op("row", "table[0]", {"x": table}, (3,), op="select", view=True)
    tape.write(row, "row.mul_(2)", "mul_")
    cut = tape.op("target", "row.detach()", {"x": row}, (3,), op="detach", node="", view=True)
    loss = tape.op("loss", "((row - target) ** 2).sum()", {"a": row, "b": cut}, (), op="sum", values=(0.0,))
    run = tape.backward(loss).run(loss, summary((), 1.0, 1.0), summary((3,), 0.5), None)
    run.run(row, summary((3,), 0.5), summary((3,), 1.0)).finish()
    return tape.ended()


def chain(length: int = 60) -> list[f.Fact]:
    """A long computation: ``length`` cards, each of the value before it and a weight now and then."""
    tape = Tape("chain.py")
    x = tape.tensor("x", (8,), grad=True)
    weights = [tape.tensor(f"w{index}", (8,), grad=True) for index in range(max(length // 6, 1))]
    value = x
    for index in range(length - len(weights) - 1):
        other = weights[index % len(weights)] if index % 3 == 0 else value
        text = f"h{index - 1} * {index}"
        value = tape.op(f"h{index}", text, {"a": value, "b": other}, (8,), op="mul", saves={"a": value})
    tape.backward(value).run(value, summary((8,), 1.0), summary((8,), 1.0), summary((8,), 1.0)).finish()
    return tape.ended()


def loop(times: int) -> list[f.Fact]:
    """Two lines, again and again: ``a = h @ W`` and ``h = a.tanh()``; then a loss."""
    tape = Tape("loop.py")
    w, h = tape.at(1).tensor("W", (2, 2), grad=True), tape.at(2).tensor("x", (1, 2))
    for _ in range(times):
        a = tape.at(4).op("a", "h @ W", {"a": h, "b": w}, (1, 2), op="mm", saves={"a": h, "b": w})
        h = tape.at(5).op("h", "a.tanh()", {"x": a}, (1, 2), saves={"out": None})
    loss = tape.at(7).op("loss", "h.sum()", {"x": h}, ())
    tape.at(8).backward(loss).run(loss, summary((), 1.0, 1.0), summary((1, 2), 1.4)).finish()
    return tape.ended()


def failing_product() -> list[f.Fact]:
    """A product of shapes that do not fit, after two operations that went well."""
    tape = Tape("fail.py")
    x = tape.tensor("x", (3, 2))
    w = tape.tensor("W", (3, 4), grad=True)
    h = tape.op("h", "(W * 2).exp()", {"x": w}, (3, 4), op="exp", saves={"out": None})
    given = (("a", x.serial), ("b", h.serial))
    message = "mat1 and mat2 shapes cannot be multiplied"
    tape.add(f.OpFailed("mm", given, "RuntimeError", message, place=tape.place("x @ h")))
    return tape.ended("RuntimeError", message)


def second_derivative() -> list[f.Fact]:
    """The gradient of a cube by create_graph, differentiated once more."""
    tape = Tape("second.py")
    x = tape.tensor("x", (), grad=True, values=(2.0,))
    y = tape.op("y", "x ** 3", {"x": x}, (), op="pow", saves={"x": x}, values=(8.0,))
    first = tape.backward(y, create_graph=True, called="grad")
    square = tape.op("", "x ** 2", {"x": x}, (), op="pow", saves={"x": x}, values=(4.0,))
    g = tape.op("g", "autograd.grad(y, x)", {"a": square, "b": "3"}, (), op="mul", values=(12.0,))
    first.finish()
    one = summary((), 1.0, 1.0)
    run = tape.backward(g).run(g, one, summary((), 3.0, 3.0))
    run.run(square, summary((), 3.0, 3.0), summary((), 12.0, 12.0)).accumulate(x, summary((), 12.0, 12.0)).finish()
    return tape.ended()


def composite() -> list[f.Fact]:
    """One expression of the user's that is two operations inside."""
    tape = Tape()
    logits = tape.tensor("logits", (2, 3), grad=True)
    target = tape.tensor("target", (2,))
    text = "cross_entropy(logits, target)"
    line = tape._line
    inner = tape.op("", text, {"x": logits}, (2, 3), op="log_softmax", saves={"out": None})
    tape.at(line)
    loss = tape.op("loss", text, {"x": inner, "target": target}, (), op="nll_loss", values=(1.1,))
    tape.backward(loss).finish()
    return tape.ended()


def long_expression() -> list[f.Fact]:
    """An expression that repeats what the card before it says."""
    tape = Tape()
    w = tape.tensor("weights", (2, 3), grad=True)
    inner = "(weights.exp() + weights.sin() * weights.cos())"
    total = tape.op("", inner.strip("()") + ")", {"x": w}, (2, 3), op="add")
    loss = tape.op("loss", f"({inner.strip('()')})).mean()", {"x": total}, (), op="mean", values=(0.5,))
    tape.backward(loss).finish()
    return tape.ended()


def trained(*, steps: int) -> list[f.Fact]:
    """One pass, then an optimiser that steps more than once."""
    tape = Tape()
    w = tape.tensor("w", (3,), grad=True)
    loss = tape.op("loss", "w.sum()", {"x": w}, (), values=(0.5,))
    one, g = summary((), 1.0, 1.0), summary((3,), 1.73)
    tape.backward(loss).run(loss, one, g).accumulate(w, g).finish()
    tape.at(4)
    for version in range(steps):
        held = summary((3,), 1.0)
        tape.add(
            f.VersionBumped(w.serial, w.storage, version, version + 1, "SGD.step", held, place=tape.place("opt.step()"))
        )
    return tape.ended()
