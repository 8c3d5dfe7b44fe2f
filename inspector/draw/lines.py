"""From links to lines: the curve of each strand, from row to row, and where its words stand. Must not know colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from inspector.draw.geometry import Box, Curve, Point, straight, upright
from inspector.draw.labelling import Label, Labeller, Side, beside_stub
from inspector.draw.place import STUB, Layout, box_of
from inspector.draw.scene import Card, Kind, Link, Scene, Strand

STRANDS_APART = 7.0
TRACKS_APART = 4.5
"""How far the way forward and the way back each keep from their common middle where both climb."""


DOWN_APART = 9.0
"""The same, where both lead downwards."""
ASIDE = 48.0


@dataclass(frozen=True, slots=True)
class Line:
    """One strand of a link, or one end of it where the other is in another line of cards; as it is drawn."""

    link: Link
    strand: Strand
    curve: Curve
    starts: bool = True
    """Whether its tail is here, and ``ends``, whether its head is."""
    ends: bool = True
    index: int = 0
    """Which of its link's strands it is."""
    label: Label | None = None


def lines(scene: Scene, placed: Layout) -> list[Line]:
    """Every strand of every link with its curve and, where there is one, the place of its label."""
    cards = {card.key: card for card in scene.cards}
    bare = [line for link in scene.links for line in _lines_of(link, cards, placed)]
    bare = [_with_stub_label(line) for line in bare]
    signposts = list(_signposts(scene, placed, cards))
    taken = [box_of(card, placed.corners[card.key]) for card in scene.cards]
    taken += [line.label.box for line in (*bare, *signposts) if line.label is not None]
    labeller, crowd = Labeller(taken, [line.curve for line in bare]), _Crowd(scene, placed)
    return [*(_with_label(line, index, labeller, crowd) for index, line in enumerate(bare)), *signposts]


class _Crowd:
    """How many links dock at each end: where one stands alone, its label is told apart best."""

    def __init__(self, scene: Scene, placed: Layout) -> None:
        self._leaving: dict[str, int] = {}
        self._arriving: dict[str, int] = {}
        for link in scene.links:
            if link.kind is Kind.BACKWARD and not placed.apart(link.tail, link.head):
                self._leaving[link.tail] = self._leaving.get(link.tail, 0) + 1
                self._arriving[link.head] = self._arriving.get(link.head, 0) + 1

    def side(self, link: Link) -> Side:
        """Where along a link its label stands best: near the end that it has for itself."""
        leaving, arriving = self._leaving.get(link.tail, 1), self._arriving.get(link.head, 1)
        return Side.MIDDLE if leaving == arriving else Side.TAIL if arriving > leaving else Side.HEAD


def _with_stub_label(line: Line) -> Line:
    """The label of a line that goes on elsewhere stands at its tail, where the way back is read."""
    if not line.strand.label or line.ends or not line.starts:
        return line
    return replace(
        line, label=beside_stub(line.strand.label, line.curve.points[0], before=False, below=line.index % 2 == 0)
    )


def _with_label(line: Line, number: int, labeller: Labeller, crowd: _Crowd) -> Line:
    if not line.strand.label or not (line.starts and line.ends):
        return line
    below = line.index % 2 == 1
    return replace(line, label=labeller.place(line.strand.label, number, crowd.side(line.link), below=below))


def _lines_of(link: Link, cards: Mapping[str, Card], placed: Layout) -> Iterator[Line]:
    for index, strand in enumerate(link.strands):
        aside = STRANDS_APART * (index - (len(link.strands) - 1) / 2)
        if placed.apart(link.tail, link.head):
            yield Line(link, strand, _way_out(link, cards, placed).beside(aside), ends=False, index=index)
            yield Line(link, strand, _way_in(link, cards, placed).beside(aside), starts=False, index=index)
        else:
            way = _follow(link, cards, placed)
            yield Line(link, strand, way.moved(Point(aside, 0.0)) if placed.down else way.beside(aside), index=index)


def _follow(link: Link, cards: Mapping[str, Card], placed: Layout) -> Curve:
    """The way of a link: the layout's between the two cards, moved to the rows where this link docks."""
    if placed.down and link.kind is not Kind.SAVED:
        return _descend(link, cards, placed)
    start, end = _docks(link, cards, placed)
    if link.kind is Kind.SAVED:
        above, below = box_of(cards[link.tail], placed.corners[link.tail]), placed.corners[link.head]
        middle = below.x + cards[link.head].width / 2
        return upright(Point((above.left + above.right) / 2, above.bottom), Point(middle, below.y))
    if link.kind is Kind.BROKEN:
        way = placed.ways.get((link.tail, link.head, f"{link.tail_port}-{link.head_port}"))
        return straight(start, end) if way is None else way.pinned(start, end)
    way = placed.ways[link.tail, link.head, "way"]
    apart = {Kind.FORWARD: -TRACKS_APART, Kind.BACKWARD: TRACKS_APART}.get(link.kind, 0.0)
    lowered = way.beside(apart).lowered(start.y - way.points[0].y - apart, end.y - way.points[-1].y - apart)
    return lowered.pinned(start, end)


def _descend(link: Link, cards: Mapping[str, Card], placed: Layout) -> Curve:
    """The way of a link where values flow downwards: the way back runs to the right of the way forward."""
    if link.kind is Kind.BROKEN:
        tail, head = cards[link.tail], cards[link.head]
        a, b = placed.corners[link.tail], placed.corners[link.head]
        start = Point(a.x + tail.width, a.y + tail.middle(link.tail_port))
        end = Point(b.x + head.width, b.y + head.middle(link.head_port))
        out = max(start.x, end.x) + ASIDE
        return Curve((start, Point(out, start.y), Point(out, end.y), end))
    way = placed.ways[link.tail, link.head, "way"]
    way = way.moved(Point({Kind.FORWARD: -DOWN_APART, Kind.BACKWARD: DOWN_APART}.get(link.kind, 0.0), 0.0))
    first, behind = way.points[0], cards[link.tail].behind
    return way.pinned(Point(first.x, first.y + behind), way.points[-1]) if behind else way


def _docks(link: Link, cards: Mapping[str, Card], placed: Layout) -> tuple[Point, Point]:
    """The two places on the borders of the cards between which a link runs."""
    tail, head = cards[link.tail], cards[link.head]
    start, end = placed.corners[link.tail], placed.corners[link.head]
    out, into = (0.0, head.width + head.behind) if link.against else (tail.width + tail.behind, 0.0)
    return (
        Point(start.x + out, start.y + tail.middle(link.tail_port)),
        Point(end.x + into, end.y + head.middle(link.head_port)),
    )


# -- links between two lines of cards


def _way_out(link: Link, cards: Mapping[str, Card], placed: Layout) -> Curve:
    start, _ = _docks(link, cards, placed)
    return upright(start, Point(start.x + (-STUB if link.against else STUB), start.y))


def _way_in(link: Link, cards: Mapping[str, Card], placed: Layout) -> Curve:
    _, end = _docks(link, cards, placed)
    return upright(Point(end.x + (STUB if link.against else -STUB), end.y), end)


def _signposts(scene: Scene, placed: Layout, cards: Mapping[str, Card]) -> Iterator[Line]:
    """What stands at the open ends of links that go on elsewhere: the names of the cards at their other ends."""
    out: dict[tuple[str, str, Kind], list[Link]] = {}
    into: dict[tuple[str, str, Kind], list[Link]] = {}
    named = {(link.tail, link.head) for link in scene.links if link.kind is not Kind.BACKWARD}
    for link in scene.links:
        # A gradient's way back needs no name of its own beside the value's way forward.
        follows = link.kind is Kind.BACKWARD and (link.tail, link.head) in named
        if placed.apart(link.tail, link.head) and not follows:
            out.setdefault((link.tail, link.tail_port, link.kind), []).append(link)
            into.setdefault((link.head, link.head_port, link.kind), []).append(link)
    for links in out.values():
        text = f"{_sense(links[0])} " + ", ".join(dict.fromkeys(cards[link.head].name for link in links))
        curve = _way_out(links[0], cards, placed)
        yield _signpost(links[0], curve, beside_stub(text, curve.points[0], before=links[0].against))
    for links in into.values():
        text = ", ".join(dict.fromkeys(cards[link.tail].name for link in links)) + f" {_sense(links[0])}"
        curve = _way_in(links[0], cards, placed)
        yield _signpost(links[0], curve, beside_stub(text, curve.points[-1], before=not links[0].against))


def _sense(link: Link) -> str:
    return "←" if link.kind is Kind.BACKWARD else "→"


def _signpost(link: Link, curve: Curve, label: Label) -> Line:
    return Line(link, Strand(weight=0), curve, starts=False, ends=False, label=label)


def extent(drawn: list[Line], placed: Layout) -> Box:
    """The room that cards, lines and labels take together."""
    points = [point for line in drawn for point in line.curve.points]
    boxes = [line.label.box for line in drawn if line.label is not None]
    return Box(
        min([0.0, *(p.x for p in points), *(box.left for box in boxes)]),
        min([0.0, *(p.y for p in points), *(box.top for box in boxes)]),
        max([placed.width, *(p.x for p in points), *(box.right for box in boxes)]),
        max([placed.height, *(p.y for p in points), *(box.bottom for box in boxes)]),
    )
