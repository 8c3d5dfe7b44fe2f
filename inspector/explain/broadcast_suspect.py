"""``broadcast-suspect``: a column of shape (n, 1) met a row of shape (n,) in a loss, and every element was compared
with every other.

Where the extra dimension was put in by hand (``x[:, None]``, ``unsqueeze``, ``view``) it is meant, and nothing is said.
"""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.passes import passes_of
from inspector.explain.source import called, where
from inspector.explain.words import shape
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace

KIND = "broadcast-suspect"
COMPARED = ("sub", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")
"""Operations of two operands that should be of one shape in a loss."""
WEIGHTED = "mul"
RESHAPED = (
    "unsqueeze",
    "view",
    "reshape",
    "index",
    "slice",
    "select",
    "expand",
    "transpose",
    "permute",
    "t",
    "as_strided",
)
"""Operations that put a dimension where the user wants it."""


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each line where that happened on the way to a root of backward."""
    flow = flow_of(trace)
    suspects = [use for use in _comparisons(trace) if _column_and_row(flow, use) is not None]
    roots = {root for one in passes_of(trace) for root in one.start.roots} if suspects else set()
    suspects = [use for use in suspects if use.fact.op in COMPARED or _is_a_weighting(flow, use, roots)]
    found: dict[Place | None, Finding] = {}
    for use in suspects:
        if use.fact.place not in found and flow.downstream(use.fact.outputs[0])[0] & roots:
            found[use.fact.place] = _finding(trace, flow, use)
    return list(found.values())


def _comparisons(trace: Trace) -> list[Use]:
    uses = [Use(step, fact) for step in trace.steps_of(OpApplied) if (fact := trace.op_at(step)) is not None]
    kinds = (*COMPARED, WEIGHTED)
    return [use for use in uses if use.fact.op in kinds and len(use.fact.inputs) == 2 and use.fact.outputs]


def _is_a_weighting(flow: Flow, use: Use, roots: set[int]) -> bool:
    """A product that is averaged on the spot into the root: weights times errors, each of which should meet its own."""
    following = flow.uses(use.fact.outputs[0])
    return (
        len(following) == 1 and following[0].fact.op in ("mean", "sum") and bool({*following[0].fact.outputs} & roots)
    )


def _column_and_row(flow: Flow, use: Use) -> tuple[int, int] | None:
    """The operand of shape (n, 1) and that of shape (n,), if these are the two and neither was reshaped for it."""
    operands = [_unstretched(flow, use, x) for _, x in use.fact.inputs if isinstance(x, int)]
    for column, row in (operands, operands[::-1]) if len(operands) == 2 else ():
        wide, flat = _shape(flow, column), _shape(flow, row)
        if wide is not None and flat is not None and len(flat) == 1 and wide == (*flat, 1) and flat[0] > 1:
            return None if _was_reshaped(flow, column) or _was_reshaped(flow, row) else (column, row)
    return None


def _unstretched(flow: Flow, use: Use, tensor: int) -> int:
    """What a loss function stretched to the common shape before it compared."""
    maker = flow.makers.get(tensor)
    if maker is not None and maker.fact.op in ("expand", "broadcast_to") and maker.fact.place == use.fact.place:
        source = maker.fact.inputs[0][1]
        return source if isinstance(source, int) else tensor
    return tensor


def _shape(flow: Flow, tensor: int) -> tuple[int, ...] | None:
    birth = flow.births.get(tensor)
    return None if birth is None else birth[1].shape


def _was_reshaped(flow: Flow, tensor: int) -> bool:
    maker = flow.makers.get(tensor)
    return maker is not None and maker.fact.op in RESHAPED


def _finding(trace: Trace, flow: Flow, use: Use) -> Finding:
    pair = _column_and_row(flow, use)
    assert pair is not None
    column, row = (called(trace, x) for x in pair)
    flat = flow.births[pair[1]][1].shape
    n = flat[0]
    did, done = ("multiplies", "multiplied") if use.fact.op == WEIGHTED else ("compares", "compared")
    sentence = (
        f"{use.fact.op} on {where(trace, use.fact.place)} {did} {column} of shape {shape((n, 1))} with {row} of shape "
        f"{shape(flat)}: they broadcast to {shape((n, n))}, so that each of the {n} is {done} with all {n} of the "
        f"other. {_harm(use)}"
    )
    places = [*at(use.fact.place, "used")]
    for tensor, role in zip(pair, ("column", "row"), strict=True):
        places += at(flow.births[tensor][1].place, role)
    shown = (Evidence(use.step, trace.describe(use.step), use.fact.outputs[0]),)
    mend = f"{column}.squeeze(1)  # of shape {shape(flat)}, like {row}; or {row}.view({n}, 1)"
    return Finding(KIND, sentence, shown, unique(places), mend)


def _harm(use: Use) -> str:
    if use.fact.op == WEIGHTED:
        return "The result is the product of the two sums, and no weighted sum: no weight meets its own number alone."
    return (
        "The loss is then not 0 even where all of them are right, and pulls every one towards the mean of the others."
    )
