"""``nan-origin``: the first operation, forward or backward, to make NaN or infinity of finite numbers.

Only where it did harm: a gradient or the root of a pass is no longer finite. Infinity that a mask puts in on purpose,
or that never reaches a gradient, is nobody's business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inspector.explain import divergence
from inspector.explain.domain import (
    ALONE_STD,
    ALONE_VAR,
    BY_ZERO,
    OVERFLOW,
    ROOT_OF_NEGATIVE,
    SLOPES,
    UNDEFINED,
    VALUES,
    ZERO_BELOW,
    Edge,
    edge_of,
)
from inspector.explain.finding import Evidence, Finding, Location, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import chosen_safely, with_finite_mask, with_safe_operand
from inspector.explain.source import called, short_where, where
from inspector.explain.words import number, spot
from inspector.trace.facts import NodeFinished, Summary
from inspector.trace.trace import Trace

KIND = "nan-origin"
PRODUCTS = ("mul", "div", "pow", "matmul", "var", "std", "linalg_vector_norm", "square")
"""Operations whose backward multiplies the gradient by an operand."""


@dataclass(frozen=True, slots=True)
class _Case:
    """What all parts of the answer look at."""

    trace: Trace
    flow: Flow
    one: Pass

    def name(self, use: Use | None, node: int) -> str:
        """``SqrtBackward0 (sqrt on line 7 (`x.sqrt()`))``."""
        title = self.trace.labels.node_name(node)
        return title if use is None else f"{title} ({use.fact.op} on {where(self.trace, use.fact.place)})"


@dataclass(frozen=True, slots=True)
class _Spot:
    """The first element that is no longer finite: its index, and what it is now."""

    index: int
    shape: tuple[int, ...]
    now: float

    @property
    def words(self) -> str:
        place = spot(self.index, self.shape)
        return f", at {place}" if place else ""

    @property
    def kind(self) -> str:
        return "NaN" if math.isnan(self.now) else "infinity"

    def of(self, summary: Summary | None) -> float | None:
        """The number at this element of another array of the same shape, or of a single number."""
        if summary is None:
            return None
        index = self.index if summary.shape == self.shape else 0 if math.prod(summary.shape) == 1 else None
        return None if index is None or index >= len(summary.values) else summary.values[index]


def _spot_in(summary: Summary | None) -> _Spot | None:
    if summary is None or not (summary.nans or summary.infinities):
        return None
    index = next((i for i, x in enumerate(summary.values) if isinstance(x, float) and not math.isfinite(x)), None)
    if index is None:  # beyond the sample
        return _Spot(0, (), math.nan if summary.nans else math.inf)
    return _Spot(index, summary.shape, summary.values[index])


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each place where numbers stop being finite and a gradient suffers."""
    found: dict[tuple[Location, ...], Finding] = {}
    for one in passes_of(trace):
        finding = _of_pass(_Case(trace, flow_of(trace), one))
        if finding is not None:
            found.setdefault(finding.locations[:1], finding)
    return list(found.values())


def _of_pass(case: _Case) -> Finding | None:
    for root in case.one.start.roots:
        if _broken(case.flow.value_of(root, case.one.step)):
            return _forward(case, root)
    return _backward(case) if _does_harm(case.one) else None


def _broken(summary: Summary | None) -> bool:
    return summary is not None and bool(summary.nans or summary.infinities)


def _does_harm(one: Pass) -> bool:
    """Whether what is not finite arrived: in a ``.grad``, in what ``grad()`` returns, or at anomaly mode."""
    arrived = any(_broken(fact.incoming) for _, fact in one.arrived)
    stopped = one.failed is not None and "returned nan values" in one.failed.message
    return arrived or stopped or any(_broken(fact.after) for _, fact in one.captured())


# Forward


def _forward(case: _Case, root: int) -> Finding | None:
    """The first operation behind the root whose operands were finite and whose result is not."""
    behind = _behind(case, root)
    use = next((use for use in behind if _made_it(case.flow, use)), None)
    undefined = next((use for use in behind if _made_nan(case.flow, use)), None) if use is None else None
    if undefined is not None:
        return _undefined(case, root, undefined)
    if use is None:
        return None
    trace, flow = case.trace, case.flow
    result = use.fact.outputs[0]
    place = _spot_in(flow.value_after(result, use.step))
    assert place is not None
    told = called(trace, root)
    reached = "" if root == result else f" From there it reached {told}, from which backward starts on {_start(case)}."
    sentence = (
        f"{use.fact.op} on {where(trace, use.fact.place)} made the first {place.kind}{place.words}"
        f"{_why(case, use, place, VALUES)}.{reached}"
    )
    grown = divergence.divergence(trace, flow, case.one) if _may_overflow(case, use, place) else None
    if grown is not None:
        sentence += f" {divergence.sentence(trace, grown)}"
    shown = (
        Evidence(use.step, trace.describe(use.step), result),
        Evidence(case.one.step, f"{told} is not finite", root),
    )
    stepped = () if grown is None else divergence.places(grown)
    places = unique((*at(use.fact.place, "produced"), *at(case.one.place, "used"), *stepped))
    mend = _mend_forward(case, use, place) if grown is None else divergence.mend(trace, grown)
    return Finding(KIND, sentence, shown, places, mend)


def _may_overflow(case: _Case, use: Use, place: _Spot) -> bool:
    """Whether it was large numbers that made it: they came in, or it is no edge of a domain."""
    edge = _edge(case, use, place, VALUES)
    return edge is None or edge is OVERFLOW or use.fact.op.startswith("exp")


def _made_nan(flow: Flow, use: Use) -> bool:
    """Whether it made NaN of infinities."""
    result = flow.value_after(use.fact.outputs[0], use.step) if use.fact.outputs else None
    given = [flow.value_of(x, use.step) for _, x in use.fact.inputs if isinstance(x, int)]
    infinite = any(each is not None and each.infinities for each in given)
    return result is not None and bool(result.nans) and infinite and not any(each and each.nans for each in given)


def _undefined(case: _Case, root: int, use: Use) -> Finding:
    trace = case.trace
    result = use.fact.outputs[0]
    place = _spot_in(case.flow.value_after(result, use.step))
    assert place is not None
    why = UNDEFINED.get(use.fact.op, "its operands are infinite there")
    sentence = (
        f"{use.fact.op} on {where(trace, use.fact.place)} made the first NaN, of infinities{place.words}: {why}. From "
        "there "
        f"it reached {called(trace, root)}, from which backward starts on {_start(case)}."
    )
    shown = (Evidence(use.step, trace.describe(use.step), result),)
    places = unique((*at(use.fact.place, "produced"), *at(case.one.place, "used")))
    return Finding(KIND, sentence, shown, places, _mend_undefined(case, use))


def _mend_undefined(case: _Case, use: Use) -> str:
    """Of a softmax that sees only -∞: the mask with a large negative number instead."""
    maker = case.flow.makers.get(_operand(use, 0) or 0)
    masked = "" if maker is None else with_finite_mask(case.trace, maker.fact.place)
    note = "# leave at least one finite number in every row, or a large negative one"
    return f"{masked}  {note}" if masked else note


def _start(case: _Case) -> str:
    return where(case.trace, case.one.place)


def _behind(case: _Case, root: int) -> list[Use]:
    """The operations that ``root`` came from, in order."""
    seen, stack, found = {root}, [root], {}
    while stack:
        tensor = stack.pop()
        for use in case.flow.writers.get(tensor, []):
            if use.step < case.one.step:
                found[use.step] = use
                new = [x for _, x in use.fact.inputs if isinstance(x, int) and x not in seen]
                seen.update(new)
                stack += new
    return [found[step] for step in sorted(found)]


def _made_it(flow: Flow, use: Use) -> bool:
    result = flow.value_after(use.fact.outputs[0], use.step) if use.fact.outputs else None
    given = [flow.value_of(x, use.step) for _, x in use.fact.inputs if isinstance(x, int)]
    plain = [x for _, x in use.fact.inputs if isinstance(x, str)] + [x for _, x in use.fact.attributes]
    return _broken(result) and not any(map(_broken, given)) and not any(x in ("inf", "-inf", "nan") for x in plain)


def _mend_forward(case: _Case, use: Use, place: _Spot) -> str:
    edge = _edge(case, use, place, VALUES)
    if edge is not None and edge.safe:
        return _safe(case, use, edge)
    return "# keep the operands of this line away from where it is not finite: clamp them, or add a small number"


# Backward


def _backward(case: _Case) -> Finding | None:
    """The first node to which finite gradients came, and from which others went."""
    origin = next((fact for _, fact in case.one.ran if _turned(fact)), None)
    if origin is None:
        return None
    trace, use = case.trace, case.flow.of_node.get(origin.node)
    index = next(i for i, each in enumerate(origin.gradients_out) if _broken(each))
    place = _spot_in(origin.gradients_out[index])
    assert place is not None
    step = next(step for step, fact in case.one.ran if fact is origin)
    chooser = _chooser(case, origin, place)
    made = f"{case.name(use, origin.node)} made the first {place.kind} of this backward{place.words}"
    differentiated = _differentiated(case, origin.node)
    if differentiated is not None:
        cause, mend = _second_order(case, differentiated), "# add a small number: ((x * x).sum() + 1e-12).sqrt()"
    else:
        cause = _first_order(case, origin, use, place, index, chooser)
        mend = _mend_backward(case, use, place, index, chooser)
    places = [
        *at(use.fact.place if use is not None else None, "produced"),
        *at(chooser.fact.place if chooser is not None else None, "chose"),
        *at(case.one.place, "used"),
    ]
    shown = Evidence(step, trace.describe(step), node=origin.node)
    return Finding(KIND, made + cause, (shown,), unique(places), mend)


def _first_order(
    case: _Case, origin: NodeFinished, use: Use | None, place: _Spot, index: int, chooser: Use | None
) -> str:
    cause = "" if use is None else _why(case, use, place, SLOPES, index)
    zero = "; the gradient that came in there is 0, and 0 · ∞ is NaN" if _came_in(origin, place) else ""
    infinite = None if use is None else _infinite_operand(case, use, place)
    if infinite is not None and zero:
        made = f"{infinite.fact.op} on {short_where(case.trace, infinite.fact.place)}"
        cause = f": there {made} had made infinity{_why(case, infinite, place, VALUES).replace(': there', ', since')}"
    more = [*_sent_by(case, chooser), *_then(case, origin, place), *_gentle(case, use)]
    return " ".join([f"{cause}{zero}.", *more])


def _infinite_operand(case: _Case, use: Use, place: _Spot) -> Use | None:
    """The operation that made the operand infinite by which a gradient of 0 was multiplied."""
    for _, operand in use.fact.inputs:
        value = place.of(case.flow.value_of(operand, use.step)) if isinstance(operand, int) else None
        if value is not None and math.isinf(value) and isinstance(operand, int):
            return case.flow.makers.get(operand)
    return None


def _came_in(origin: NodeFinished, place: _Spot) -> bool:
    """Whether it was a gradient of exactly 0 that became NaN."""
    given = next((place.of(each) for each in origin.gradients_in if each is not None), None)
    return given == 0 and math.isnan(place.now)


def _turned(fact: NodeFinished) -> bool:
    return any(map(_broken, fact.gradients_out)) and not any(map(_broken, fact.gradients_in))


def _chooser(case: _Case, origin: NodeFinished, place: _Spot) -> Use | None:
    """The ``where`` that sent a gradient of 0 into the branch that it had not chosen."""
    if not _came_in(origin, place) or _differentiated(case, origin.node) is not None:
        return None
    sources = [fact.source for _, fact in case.one.sent if fact.target == origin.node]
    uses = [case.flow.of_node.get(source) for source in sources]
    return next((use for use in uses if use is not None and use.fact.op in ("where", "masked_fill")), None)


def _sent_by(case: _Case, chooser: Use | None) -> list[str]:
    if chooser is None:
        return []
    place = where(case.trace, chooser.fact.place)
    return [f"That 0 comes from {chooser.fact.op}() on {place}: it sends a gradient of 0 into the branch not chosen."]


def _then(case: _Case, origin: NodeFinished, place: _Spot) -> list[str]:
    """Infinity becomes NaN where the next node multiplies it by 0."""
    if math.isnan(place.now):
        return []
    seen = False
    for _, fact in case.one.ran:
        seen = seen or fact is origin
        if seen and any(g is not None and g.nans for g in fact.gradients_out):
            use = case.flow.of_node.get(fact.node)
            named = case.name(use, fact.node)
            times = use is not None and use.fact.op in PRODUCTS
            return [f"{named} then " + ("multiplied it by 0, and ∞ · 0 is NaN." if times else "made NaN of it.")]
    return []


def _gentle(case: _Case, use: Use | None) -> list[str]:
    """What has the same value and a slope of 0 there."""
    if use is None or use.fact.op != "sqrt":
        return []
    maker = case.flow.makers.get(_operand(use, 0) or 0)
    return ["norm() and std() have the same values, and take the slope 0 there."] if _is_spread(maker) else []


def _is_spread(maker: Use | None) -> bool:
    return maker is not None and maker.fact.op in ("sum", "mean", "var")


def _differentiated(case: _Case, node: int) -> Use | None:
    """The operation whose backward made this node, while it ran with create_graph."""
    born = case.trace.labels.nodes.get(node)
    state = None if born is None else case.trace.at(born.step)
    if state is None or not state.running or state.node is None or state.node == node:
        return None
    return case.flow.of_node.get(state.node)


def _second_order(case: _Case, inner: Use) -> str:
    what = "norm" if inner.fact.op == "linalg_vector_norm" else inner.fact.op
    operand = _operand(inner, 0)
    value = None if operand is None else case.flow.value_of(operand, inner.step)
    zero = " at exactly 0" if value is not None and value.norm == 0 else ""
    return (
        f". That is part of the second derivative of {what} on {where(case.trace, inner.fact.place)}{zero}: there "
        f"{what}() has a first derivative by convention (a subgradient), but is not twice differentiable."
    )


def _mend_backward(case: _Case, use: Use | None, place: _Spot, index: int, chooser: Use | None) -> str:
    if use is None:
        return "# keep the operands away from where the slope is infinite: add a small number inside"
    if chooser is not None:
        unsafe = _infinite_operand(case, use, place) or use
        safely = chosen_safely(case.trace, chooser.fact.place, unsafe.fact.place)
        return safely or "# put a safe operand in before this operation, with a where() of its own"
    edge = _edge(case, use, place, SLOPES, index)
    if edge is not None and edge.safe:
        return _safe(case, use, edge)
    return "# add a small number inside, where the slope is infinite"


# Both


def _operand(use: Use, index: int) -> int | None:
    """The tensor that is operand number ``index``."""
    given = use.fact.inputs[index][1] if index < len(use.fact.inputs) else None
    return given if isinstance(given, int) else None


def _number_at(case: _Case, use: Use, place: _Spot, index: int) -> float | None:
    operand = _operand(use, index)
    return None if operand is None else place.of(case.flow.value_of(operand, use.step))


def _edge(case: _Case, use: Use, place: _Spot, table: dict[str, tuple[Edge, ...]], index: int = 0) -> Edge | None:
    x = _number_at(case, use, place, index)
    if use.fact.op == "div" and _number_at(case, use, place, 1) == 0:
        return BY_ZERO
    if use.fact.op in ("var", "std") and table is VALUES and math.isnan(place.now):
        return ALONE_STD if use.fact.op == "std" else ALONE_VAR
    if use.fact.op == "pow" and table is VALUES:
        return None if x is None else _edge_of_power(x, place)
    if use.fact.op == "pow" and not _power_below_one(use):
        return None
    return edge_of(table, use.fact.op, x) or (OVERFLOW if _overflows(use, place, x) else None)


def _edge_of_power(x: float, place: _Spot) -> Edge | None:
    if math.isnan(place.now):
        return ROOT_OF_NEGATIVE if x < 0 else None
    return ZERO_BELOW if x == 0 else OVERFLOW


def _overflows(use: Use, place: _Spot, x: float | None) -> bool:
    several = sum(isinstance(value, int) for _, value in use.fact.inputs) > 1
    return several and x is not None and math.isinf(place.now) and abs(x) > 1e18


def _power_below_one(use: Use) -> bool:
    exponents = [x for name, x in (*use.fact.inputs, *use.fact.attributes) if name in ("b", "exponent")]
    try:
        return bool(exponents) and float(exponents[0]) < 1
    except ValueError:
        return False


def _why(case: _Case, use: Use, place: _Spot, table: dict[str, tuple[Edge, ...]], index: int = 0) -> str:
    """``: there x is 0, and the slope of √x …``."""
    edge = _edge(case, use, place, table, index)
    operand = 1 if use.fact.op == "div" and edge is not None else index
    tensor, x = _operand(use, operand), _number_at(case, use, place, operand)
    if tensor is None or x is None:
        return ""
    told = f": there {called(case.trace, tensor)} is {'exactly 0' if x == 0 else number(x)}"
    return told if edge is None else f"{told}, and {edge.words}"


def _safe(case: _Case, use: Use, edge: Edge) -> str:
    """The user's own expression with a small number inside; else the general recipe."""
    if edge.safe.startswith("#"):
        return edge.safe
    own = with_safe_operand(case.trace, use.fact.place, use.fact.op, edge.safe)
    if use.fact.op == "exp" and own:
        return f"{own}  # in a softmax the shift cancels; or log_softmax, logsumexp, which do it themselves"
    maker = case.flow.makers.get(_operand(use, 0) or 0)
    instead = f"  # or {'std()' if maker.fact.op == 'var' else 'norm()'}" if maker and _is_spread(maker) else ""
    return (own or f"# {edge.safe}") + (instead if use.fact.op == "sqrt" else "")
