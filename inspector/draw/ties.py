"""The links between cards: values on their way forward, gradients on their way back, cuts, and what broke.

Must not know where cards stand, nor what is written on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from copy import copy

from inspector.draw.mismatch import Mismatch
from inspector.draw.scene import Kind, Link, Strand
from inspector.draw.selection import Flow, Selection
from inspector.draw.subject import Subject
from inspector.draw.theme import Glyph
from inspector.draw.wording import gradient, magnitude, norm_of, plain
from inspector.trace.facts import Summary

THIN, THICK, UNRUN = 1.3, 3.6, 1.2
SPAN = 2.0
"""The fewest powers of ten between the thinnest line and the thickest: alike gradients look alike."""


class Ties:
    """Builds the links of one picture."""

    def __init__(self, subject: Subject, chosen: Selection, broken: list[Mismatch]) -> None:
        self._subject = subject
        self._chosen = chosen
        self._broken = broken
        self._order = {key: index for index, key in enumerate(chosen.parts)}
        self._receives = Counter(flow.source for flow in chosen.flows for _ in flow.edges)
        self._thinnest, self._thickest = self._range()

    def at(self, subject: Subject, broken: list[Mismatch]) -> Ties:
        """The same ties at another step of the same picture."""
        other = copy(self)
        other._subject, other._broken = subject, broken
        return other

    def links(self) -> Iterator[Link]:
        """Every link, those into one card together."""
        for flow in self._chosen.flows:
            yield self._forward(flow)
            if flow.edges:
                yield self._backward(flow)
        yield from self.breaks()

    def _forward(self, flow: Flow) -> Link:
        port = f"f{flow.port}"
        if flow.cut:
            return Link(Kind.CUT, flow.source, flow.target, port, "f0", (Strand(f"{Glyph.CUT} {plain(flow.cut)}"),))
        return Link(Kind.FORWARD, flow.source, flow.target, port, "f0", main=_is_main(flow))

    def _backward(self, flow: Flow) -> Link:
        return Link(Kind.BACKWARD, flow.source, flow.target, "b", "b", self.strands(flow), main=_is_main(flow))

    def strands(self, flow: Flow) -> tuple[Strand, ...]:
        """What a gradient's ways back carry."""
        labelled = not self._goes_to_leaf(flow) or self._receives[flow.source] > 1
        return tuple(self._strand(one, labelled) for one in self._sent(self._subject, flow))

    def _sent(self, subject: Subject, flow: Flow) -> list[Summary | None]:
        node = self._chosen.parts[flow.target].node
        return [] if node is None else [subject.node(node).sent.get(edge) for edge in flow.edges]

    def _goes_to_leaf(self, flow: Flow) -> bool:
        node = self._chosen.parts[flow.source].node
        return node is not None and self._subject.horizon.nodes[node].leaf is not None

    def _strand(self, sent: Summary | None, labelled: bool) -> Strand:
        if sent is None:
            return Strand(weight=UNRUN, run=False)
        return Strand(magnitude(sent) if labelled else "", self._weight(norm_of(sent)), tip=gradient(sent))

    def _range(self) -> tuple[float, float]:
        """Powers of ten of the smallest and largest gradient at the horizon, so that widths keep from step to step."""
        subject = self._subject.at_horizon()
        norms = [norm_of(one) for flow in self._chosen.flows for one in self._sent(subject, flow)]
        powers = [math.log10(norm) for norm in norms if norm]
        if not powers:
            return -SPAN / 2, SPAN / 2
        middle, half = (min(powers) + max(powers)) / 2, max(max(powers) - min(powers), SPAN) / 2
        return middle - half, middle + half

    def _weight(self, norm: float | None) -> float:
        if norm is None:
            return (THIN + THICK) / 2
        share = (math.log10(norm) - self._thinnest) / (self._thickest - self._thinnest) if norm > 0 else 0.0
        return round(THIN + (THICK - THIN) * min(max(share, 0.0), 1.0), 2)

    def breaks(self) -> Iterator[Link]:
        """From each write to what it broke."""
        for one in self._broken:
            if one.culprit is not None and one.culprit != one.victim:
                ports = ("f0" if one.operation else "v", f"s{one.slot}")
                against = self._order[one.culprit] > self._order[one.victim]
                yield Link(Kind.BROKEN, one.culprit, one.victim, *ports, (Strand(weight=1.8),), against=against)


def _is_main(flow: Flow) -> bool:
    return bool(flow.edges) and flow.source.startswith("n")
