"""A small run, written down by hand as a recorder would: fan-out, two backward calls, and a write that breaks a third.

Every number can be checked with a pencil. ``facts()`` is the trace, ``SOURCE`` the script it comes from, and the
serials below name what is in it.
"""

from __future__ import annotations

from inspector.trace.facts import (
    BackwardFailed,
    BackwardFinished,
    BackwardStarted,
    Edge,
    Fact,
    GradientAccumulated,
    GradientSent,
    HistoryRebased,
    NameBound,
    NodeCreated,
    NodeFinished,
    NodeReady,
    NodeStarting,
    OpApplied,
    Place,
    Printed,
    SavedReleased,
    SavedSlot,
    SavedUnpacked,
    ScriptEnded,
    Summary,
    TensorCreated,
    TensorSaved,
    VersionBumped,
)

FILE = "tiny.py"
SOURCE = """\
import minigrad as mg

x = mg.tensor([[1.0, 2.0]])
W = mg.tensor([[3.0], [4.0]], requires_grad=True)
h = x @ W
q = h * h
loss = q.sum()
loss.backward(retain_graph=True)
loss.backward()
print(W.grad)
t = W.exp()
t.add_(1.0)
t.sum().backward()
"""

X, W, H, Q, LOSS, T, TOTAL = 1, 2, 3, 4, 5, 6, 7
MM, ACCUMULATE, MUL, SUM, EXP, ADD, TOTAL_SUM = 11, 12, 13, 14, 15, 16, 17
FIRST, SECOND, THIRD = 21, 22, 23
EXP_OF_W = (20.085536923187668, 54.598150033144236)
MESSAGE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[minigrad.FloatTensor [2, 1]], which is output 0 of ExpBackward0, is at version 1; expected version 0 instead."
)


def place(line: int, text: str) -> Place:
    """Where ``text`` stands in a line of the script."""
    column = SOURCE.splitlines()[line - 1].index(text)
    return Place(FILE, line, line, column, column + len(text), "<module>")


def summary(shape: tuple[int, ...], *values: float) -> Summary:
    """The summary of a float64 array with these values."""
    norm = sum(value * value for value in values) ** 0.5
    return Summary(shape, "f64", norm, min(values), max(values), sum(values) / len(values), 0, 0, values)


def facts() -> list[Fact]:
    """The whole run."""
    return [*forward(), *backward(FIRST, (0.0, 0.0)), *backward(SECOND, (22.0, 44.0)), *failure()]


def forward() -> list[Fact]:
    """Lines 3 to 7: a matrix product, a square that reads ``h`` twice, and a sum."""
    at_x, at_w = place(3, "mg.tensor([[1.0, 2.0]])"), place(4, "mg.tensor([[3.0], [4.0]], requires_grad=True)")
    at_h, at_q, at_loss = place(5, "x @ W"), place(6, "h * h"), place(7, "q.sum()")
    return [
        TensorCreated(X, "tensor", (1, 2), "f64", False, True, None, X, 0, summary((1, 2), 1.0, 2.0), place=at_x),
        NameBound(X, "x", place=at_w),
        TensorCreated(W, "tensor", (2, 1), "f64", True, True, None, W, 0, summary((2, 1), 3.0, 4.0), place=at_w),
        NameBound(W, "W", place=at_h),
        TensorCreated(H, "matmul", (1, 1), "f64", True, False, None, H, 0, summary((1, 1), 11.0), place=at_h),
        NodeCreated(ACCUMULATE, "AccumulateGrad", 2**64 - 1, (), (), W, place=at_h),
        NodeCreated(MM, "MmBackward0", 0, (Edge(0, None), Edge(1, ACCUMULATE)), (H,), None, "a.T @ g", place=at_h),
        TensorSaved(MM, SavedSlot("a", X, X, 0), False, place=at_h),
        OpApplied("matmul", "@", (("a", X), ("b", W)), (), (H,), MM, None, False, "x @ W", place=at_h),
        NameBound(H, "h", place=at_q),
        TensorCreated(Q, "mul", (1, 1), "f64", True, False, None, Q, 0, summary((1, 1), 121.0), place=at_q),
        NodeCreated(MUL, "MulBackward0", 1, (Edge(0, MM), Edge(1, MM)), (Q,), None, "g * b; g * a", place=at_q),
        TensorSaved(MUL, SavedSlot("a", H, H, 0), False, place=at_q),
        TensorSaved(MUL, SavedSlot("b", H, H, 0), False, place=at_q),
        OpApplied("mul", "×", (("a", H), ("b", H)), (), (Q,), MUL, None, False, "h * h", place=at_q),
        NameBound(Q, "q", place=at_loss),
        TensorCreated(LOSS, "sum", (), "f64", True, False, None, LOSS, 0, summary((), 121.0), place=at_loss),
        NodeCreated(SUM, "SumBackward0", 2, (Edge(0, MUL),), (LOSS,), None, "expand(g)", place=at_loss),
        OpApplied("sum", "sum", (("x", Q),), (), (LOSS,), SUM, None, False, "q.sum()", place=at_loss),
    ]


def backward(task: int, before: tuple[float, float]) -> list[Fact]:
    """Line 8 or 9: 1 to the sum, 1 to the square, 11 + 11 to the product, and (22, 44) onto ``W.grad``."""
    last = task == SECOND
    at = place(9, "loss.backward()") if last else place(8, "loss.backward(retain_graph=True)")
    one, square, eleven, twice = summary((), 1.0), summary((1, 1), 1.0), summary((1, 1), 11.0), summary((1, 1), 22.0)
    incoming, old = summary((2, 1), 22.0, 44.0), summary((2, 1), *before) if last else None
    after = summary((2, 1), before[0] + 22.0, before[1] + 44.0)
    name = [] if last else [NameBound(LOSS, "loss", place=at)]
    released = [SavedReleased(node, place=at) for node in (MUL, MM)] if last else []
    return [
        *name,
        BackwardStarted(task, (LOSS,), (SUM,), (one,), not last, False, None, None, "backward", place=at),
        NodeReady(task, SUM, place=at),
        NodeStarting(task, SUM, (one,), place=at),
        NodeFinished(task, SUM, (one,), (square,), place=at),
        GradientSent(task, SUM, 0, MUL, 0, square, None, square, place=at),
        NodeReady(task, MUL, place=at),
        NodeStarting(task, MUL, (square,), place=at),
        SavedUnpacked(MUL, "a", H, 0, 0, place=at),
        SavedUnpacked(MUL, "b", H, 0, 0, place=at),
        NodeFinished(task, MUL, (square,), (eleven, eleven), place=at),
        *released[:1],
        GradientSent(task, MUL, 0, MM, 0, eleven, None, eleven, place=at),
        GradientSent(task, MUL, 1, MM, 0, eleven, eleven, twice, place=at),
        NodeReady(task, MM, place=at),
        NodeStarting(task, MM, (twice,), place=at),
        SavedUnpacked(MM, "a", X, 0, 0, place=at),
        NodeFinished(task, MM, (twice,), (None, incoming), place=at),
        *released[1:],
        GradientSent(task, MM, 1, ACCUMULATE, 0, incoming, None, incoming, place=at),
        NodeReady(task, ACCUMULATE, place=at),
        NodeStarting(task, ACCUMULATE, (incoming,), place=at),
        GradientAccumulated(task, ACCUMULATE, W, old, incoming, after, "in place" if last else "stolen", place=at),
        NodeFinished(task, ACCUMULATE, (incoming,), (), place=at),
        BackwardFinished(task, place=at),
    ]


def failure() -> list[Fact]:
    """Lines 10 to 13: ``exp`` saves its result, ``add_`` overwrites it, backward notices."""
    at_t, at_add, at_sum = place(11, "W.exp()"), place(12, "t.add_(1.0)"), place(13, "t.sum()")
    at = place(13, "t.sum().backward()")
    one, ones = summary((), 1.0), summary((2, 1), 1.0, 1.0)
    bumped = summary((2, 1), *(value + 1.0 for value in EXP_OF_W))
    return [
        Printed("stdout", "[[44.]\n [88.]]\n"),
        TensorCreated(T, "exp", (2, 1), "f64", True, False, None, T, 0, summary((2, 1), *EXP_OF_W), place=at_t),
        NodeCreated(EXP, "ExpBackward0", 3, (Edge(0, ACCUMULATE),), (T,), None, "g * out", place=at_t),
        TensorSaved(EXP, SavedSlot("out", T, T, 0), False, place=at_t),
        OpApplied("exp", "exp", (("x", W),), (), (T,), EXP, None, False, "W.exp()", place=at_t),
        NameBound(T, "t", place=at_add),
        VersionBumped(T, T, 0, 1, "add_", bumped, place=at_add),
        NodeCreated(ADD, "AddBackward0", 4, (Edge(0, EXP),), (T,), None, "g", place=at_add),
        HistoryRebased(T, EXP, ADD, place=at_add),
        OpApplied("add_", "add_", (("a", T), ("b", "1.0")), (), (T,), ADD, None, True, "t.add_(1.0)", place=at_add),
        TensorCreated(
            TOTAL, "sum", (), "f64", True, False, None, TOTAL, 0, summary((), 76.6836869563319), place=at_sum
        ),
        NodeCreated(TOTAL_SUM, "SumBackward0", 5, (Edge(0, ADD),), (TOTAL,), None, "expand(g)", place=at_sum),
        OpApplied("sum", "sum", (("x", T),), (), (TOTAL,), TOTAL_SUM, None, False, "t.sum()", place=at_sum),
        BackwardStarted(THIRD, (TOTAL,), (TOTAL_SUM,), (one,), False, False, None, None, "backward", place=at),
        NodeReady(THIRD, TOTAL_SUM, place=at),
        NodeStarting(THIRD, TOTAL_SUM, (one,), place=at),
        NodeFinished(THIRD, TOTAL_SUM, (one,), (ones,), place=at),
        GradientSent(THIRD, TOTAL_SUM, 0, ADD, 0, ones, None, ones, place=at),
        NodeReady(THIRD, ADD, place=at),
        NodeStarting(THIRD, ADD, (ones,), place=at),
        NodeFinished(THIRD, ADD, (ones,), (ones,), place=at),
        GradientSent(THIRD, ADD, 0, EXP, 0, ones, None, ones, place=at),
        NodeReady(THIRD, EXP, place=at),
        NodeStarting(THIRD, EXP, (ones,), place=at),
        SavedUnpacked(EXP, "out", T, 0, 1, place=at),
        BackwardFailed(THIRD, EXP, "RuntimeError", MESSAGE, place=at),
        ScriptEnded("error", 1, "RuntimeError", MESSAGE, "Traceback …\n", place=None),
    ]
