"""``vanishing-or-exploding``: from the last layer to the first the gradients fall, or rise, by orders of magnitude.

Judged by what arrives at the leaves of one backward pass, in order of arrival: first those of the last layers. A
gradient that is small everywhere has not vanished; it is small because the loss is near its minimum.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, where
from inspector.explain.words import count, number
from inspector.trace.facts import GradientSent
from inspector.trace.trace import Trace

KIND = "vanishing-or-exploding"
LEAST = 8
"""So many gradients must arrive for a trend to be one."""
FACTOR = 1e6
"""Between the first quarter of them and the last."""


@dataclass(frozen=True, slots=True)
class _Trend:
    """The gradients that arrived at leaves, first and last quarter, by their median norm."""

    near: float
    far: float
    first: tuple[int, GradientSent, int]
    last: tuple[int, GradientSent, int]
    many: int


def diagnose(trace: Trace) -> list[Finding]:
    """The first pass of which this is so."""
    for one in passes_of(trace):
        trend = _trend(trace, one)
        if trend is not None and not 1 / FACTOR < trend.far / trend.near < FACTOR:
            return [_finding(trace, one, trend)]
    return []


def _trend(trace: Trace, one: Pass) -> _Trend | None:
    sent = [(step, fact, leaf) for step, fact in one.sent if (leaf := _leaf(trace, fact.target)) is not None]
    norms = [fact.gradient.norm or 0.0 for _, fact, _ in sent]
    quarter = len(sent) // 4
    if len(sent) < LEAST or not all(norms) or not _is_steady(norms):
        return None
    near, far = statistics.median(norms[:quarter]), statistics.median(norms[-quarter:])
    return _Trend(near, far, sent[0], sent[-1], len(sent))


def _is_steady(norms: list[float]) -> bool:
    """Whether the quarters follow one another in order: falling, or rising."""
    quarter = len(norms) // 4
    medians = [statistics.median(norms[i * quarter : (i + 1) * quarter]) for i in range(4)]
    return medians in (sorted(medians), sorted(medians, reverse=True))


def _leaf(trace: Trace, node: int) -> int | None:
    birth = trace.labels.nodes.get(node)
    return None if birth is None else birth.leaf


def _finding(trace: Trace, one: Pass, trend: _Trend) -> Finding:
    vanished = trend.far < trend.near
    near, far = (called(trace, leaf) for _, _, leaf in (trend.first, trend.last))
    named = (f" (beginning with {near})", f" (ending with {far})") if near != far else ("", "")
    verb = "vanish" if vanished else "explode"
    sentence = (
        f"In the backward on {where(trace, one.place)} the gradients {verb} on their way to the first layers: of "
        f"{count(trend.many, 'gradient')} that arrived at leaves, the first quarter{named[0]} had a norm of about "
        f"{number(trend.near)}, the last{named[1]} of about {number(trend.far)}. "
        + ("The first layers hardly learn." if vanished else "One step throws the first layers far off: NaN is near.")
    )
    made = flow_of(trace).births
    places = [*at(one.place, "used")]
    for _, _, leaf in (trend.first, trend.last):
        places += at(made[leaf][1].place, "created") if leaf in made else ()
    shown = tuple(Evidence(step, trace.describe(step), leaf) for step, _, leaf in (trend.first, trend.last))
    mend = (
        "# use relu instead of sigmoid or tanh, residual connections or normalisation, or larger initial weights"
        if vanished
        else "# use smaller initial weights or normalisation; or clip: nn.utils.clip_grad_norm_(parameters, 1.0)"
    )
    return Finding(KIND, sentence, shown, unique(places), mend)
