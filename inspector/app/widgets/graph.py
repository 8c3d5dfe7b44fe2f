"""The graph pane: the backward graph of the moment's chapter, its nodes by status, its edges by what they carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rich.segment import Segment
from textual import events, work
from textual.strip import Strip

from inspector.app.chapters import Chapter, Chapters
from inspector.app.chart import Chart, Charts, Key, draw
from inspector.app.folding import near, ways_of
from inspector.app.lines import BLANK, Bit, Jump, Line, Role, fit, line, width
from inspector.app.reading import groups
from inspector.app.reading.cards import card
from inspector.app.reading.looks import FUTURE, LOOKS, look
from inspector.app.view import Moment, Way, Zoom
from inspector.app.widgets.canvas import Canvas, Jumped
from inspector.app.widgets.surface import stretches
from inspector.draw.chart_text import DOUBLE, Border, lower_side, stub, upper_side
from inspector.draw.layers import Box
from inspector.draw.wording import gradient, magnitude
from inspector.trace.facts import Summary
from inspector.trace.state import Status

BIG = 300
"""From so many nodes on, a chart is laid out in another thread: 20 ms is more than a key press may take."""

WIDEST_LABEL = 20
"""Cells that a gradient beside an edge takes, at most."""
HOPS = 3
"""The neighbourhood of a node: what is so many edges away, at most."""

FILLS: dict[Status, Role] = {Status.RUNNING: "running", Status.FAILED: "failed"}


class GraphPane(Canvas):
    """Draws the chart that the moment's step belongs to, and follows the node that runs."""

    TITLE = "GRAPH"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.chapters: Chapters | None = None
        self.charts = Charts()
        self.chart: Chart | None = None
        self._edge_roles: dict[int, Role] = {}
        self._cards: dict[int, list[Line]] = {}
        self._wanted: Key | None = None
        """The chart that is being laid out."""
        self._node: int | None = None
        self._centre: int | None = None
        """In whose neighbourhood the reader is; it stays while the selection does not leave its inner part."""
        self._inner: tuple[object, frozenset[int]] = (), frozenset()
        self._members: tuple[object, frozenset[int]] = (), frozenset()
        self._followed: tuple[int | None, Chart | None] = (None, None)

    # -- which chart

    def show(self, moment: Moment) -> None:
        """Draw another moment; lay out its chapter if that was never seen before."""
        if self.chapters is None or self.chapters.marks is not moment.marks:
            self.chapters = Chapters(moment.marks)
        self.moment = moment
        self._edge_roles.clear()
        self._cards.clear()
        chapter = self._chosen(moment, self.chapters.at(moment.view.step))
        chart = self.charts.get(chapter, moment.view.zoom)
        if chart is None and len(chapter.nodes) < BIG:
            chart = draw(moment, chapter, moment.view.zoom)
            self.charts.keep(chart)
        if chart is None:
            self._order(moment, chapter)
            chart = self.chart if self.chart is not None and self.chart.chapter.key == chapter.key else None
        self._use(chart, chapter)

    def _chosen(self, moment: Moment, chapter: Chapter) -> Chapter:
        """The chapter as the reader wants it: folded, or only what is about the selected node."""
        node = moment.view.node
        if not moment.view.near or node not in self._nodes_of(chapter):
            return replace(chapter, fold=moment.view.fold)
        if self._centre is None or self._inner[0] != chapter.key or node not in self._inner[1]:
            self._centre = node
            self._inner = chapter.key, frozenset(near(moment.marks, chapter, node, HOPS - 1))
        nodes = near(moment.marks, chapter, self._centre, HOPS)
        used = {edge.target for one in nodes for edge in moment.marks.nodes[one].edges}
        roots = tuple(one for one in nodes if one not in used)
        return replace(chapter, nodes=nodes, roots=roots or nodes[:1], centre=self._centre)

    def _nodes_of(self, chapter: Chapter) -> frozenset[int]:
        if self._members[0] != chapter.key:
            self._members = chapter.key, frozenset(chapter.nodes)
        return self._members[1]

    def ways(self) -> list[Way]:
        """The ways of folding that make a difference to this graph."""
        moment, chapters = self.moment, self.chapters
        if moment is None or chapters is None:
            return [""]
        return ways_of(moment.trace, moment.marks, chapters.at(moment.view.step))

    def _order(self, moment: Moment, chapter: Chapter) -> None:
        """Have a big chart laid out, one at a time; of a script that runs on, none: it would be outdated at once."""
        if self._wanted is None and not _runs_on(moment):
            self._wanted = chapter.key, moment.view.zoom
            self.lay_out(moment, chapter)

    @work(thread=True, exclusive=True, description="lay out a graph")
    def lay_out(self, moment: Moment, chapter: Chapter) -> None:
        """Draw a big chart aside, and show it when it is ready and still wanted."""
        chart = draw(moment, chapter, moment.view.zoom)
        self.app.call_from_thread(self._laid_out, chart)

    def _laid_out(self, chart: Chart) -> None:
        self.charts.keep(chart)
        self._wanted = None
        if self.moment is not None:
            self.show(self.moment)

    def _use(self, chart: Chart | None, chapter: Chapter) -> None:
        moment = self.moment
        assert moment is not None
        before, self.chart = self.chart, chart
        size = chart.scene if chart is not None else None
        self.resize_to(size.width if size else 0, size.height if size else 0)
        self.entitle((self._heading(moment, chapter), "muted"))
        self._forget_touched(before if chart is not None and before is chart else None)
        if self._followed != (moment.view.node, chart):
            fresh = self._followed[1] is not chart
            self._followed = moment.view.node, chart
            self.keep_up(fresh=fresh)

    def _forget_touched(self, chart: Chart | None) -> None:
        """Paint anew the rows of what the last move changed, if the chart is still the same; else everything."""
        moment, change = self.moment, self.moment.change if self.moment is not None else None
        if moment is None or chart is None or change is None or change.everything or change.storages:
            self._node = None if moment is None else moment.view.node
            self.forget()
            return
        rows: set[int] = set()
        leaves = (node for tensor in change.tensors if (node := chart.leaves.get(tensor)) is not None)
        for one in {*change.nodes, *leaves, self._node, moment.view.node}:
            node = chart.box_of(one)
            if node is not None:
                rows.update(chart.touched(node))
        self._node = moment.view.node
        seen = self.seen
        for row in rows:
            self._strips.pop(row, None)
        for start, stop in stretches(sorted(row for row in rows if row in seen)):
            self.forget(range(start, stop))

    def _heading(self, moment: Moment, chapter: Chapter) -> str:
        count = len(chapter.nodes)
        nodes = "1 node" if count == 1 else f"{count:,} nodes"
        zoom = f"zoom {int(moment.view.zoom)}"
        if chapter.span is None:
            return f"no backward call follows · {nodes} · {zoom}"
        span = self._span(chapter.span)
        begun = moment.marks.spans[span].start <= moment.view.step
        made = sum(node in moment.state.nodes for node in chapter.nodes) if not begun and count < BIG else count
        built = "" if begun else f"forward, {made} of " if made < count else "forward done, "
        part = f" · by {chapter.fold.rstrip('s')}" if chapter.fold else ""
        part = " · about the selected one" if chapter.centre is not None else part
        return f"{moment.marks.spans[span].called} #{chapter.span} · {built}{nodes}{part} · {zoom}"

    @staticmethod
    def _span(number: int) -> int:
        return number - 1

    # -- where it looks

    @property
    def pad(self) -> int:
        """Columns left of a chart that is narrower than the pane."""
        return 0 if self.chart is None else max(0, (self.columns - self.chart.scene.width) // 2)

    @property
    def _window(self) -> tuple[int, int]:
        """The first and last column of the chart that are seen."""
        first = self.scroll_offset.x - self.pad
        return first, first + self.columns

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """A row is painted as far as it is seen."""
        super().watch_scroll_x(old_value, new_value)
        if round(old_value) != round(new_value):
            self.forget()

    def keep_up(self, *, fresh: bool = False) -> None:
        """Bring the selected node into sight, and no farther than needed; on a ``fresh`` chart, from its left edge."""
        if self.chart is None or self.moment is None:
            return
        node = self.moment.view.node
        homes = (self.chart.box_of(one) for one in (node, *self.chart.chapter.roots))
        home = next((one for one in homes if one is not None), None)
        if home is None:
            return
        box = self.chart.scene.boxes[home]
        x, y = self._target(box, 0 if fresh else round(self.scroll_target_x))
        self.scroll_to(x, y, animate=False, force=True)

    def _target(self, box: Box, now_x: int) -> tuple[int, int]:
        """Where to scroll, so that a box is seen with what comes above and below."""
        now_y = round(self.scroll_target_y)
        wide, high = self.columns, self.window.height
        x = next((x for x in (now_x, 0) if x <= box.x and box.right <= x + wide), (box.x + box.right - wide) // 2)
        seen = now_y <= max(0, box.y - 2) and box.bottom + 2 <= now_y + high
        y = now_y if seen else (box.y + box.bottom - high) // 2
        return max(0, x), max(0, y)

    def on_resize(self) -> None:
        """The chart may stand in the middle elsewhere now."""
        self.forget()
        self.keep_up()

    # -- painting

    def row(self, y: int) -> Line:
        return BLANK

    def painted(self, y: int) -> Strip:
        if self.chart is None or not self.chart.scene.boxes:
            return self._message(y)
        return super().painted(y)

    def _message(self, y: int) -> Strip:
        words = "" if y != self.window.height // 2 else self._waiting()
        left = max(0, (self.columns - width(line(words))) // 2)
        return self.paint(line(" " * left, (fit(words, min(len(words), self.columns)), "muted"))).extend_cell_length(
            self.columns, self.blank
        )

    def _waiting(self) -> str:
        if self._wanted is not None:
            return f"laying out {self._wanted[0][1]:,} nodes …"
        if self.moment is not None and _runs_on(self.moment):
            return "too large to be laid out while the script runs"
        return "nothing that requires a gradient was used"

    def strip(self, y: int) -> Strip:
        """Row ``y`` of the chart: boxes, wires, and the gradients that the wires carry."""
        chart, moment = self.chart, self.moment
        assert chart is not None
        assert moment is not None
        pad, (first, last) = self.pad, self._window
        boxes = ((x, node) for x, node in chart.rows.get(y, ()) if x <= last and chart.scene.boxes[node].right > first)
        pieces = [(x, self._box_row(moment, chart, node, y)) for x, node in boxes]
        pieces += self._wire_row(chart, y, first, last)
        pieces += self._stubs(moment, chart, y)
        pieces.sort(key=lambda piece: piece[0])
        if y in chart.ends:
            pieces = self._with_labels(moment, chart, y, pieces, first, last)
        return self._joined(pieces, pad)

    def _joined(self, pieces: list[tuple[int, list[Segment]]], pad: int) -> Strip:
        segments: list[Segment] = []
        at, blank = -pad, self.blank
        for x, piece in pieces:
            if x > at:
                segments.append(Segment(" " * (x - at), blank))
            segments += piece
            at = x + sum(segment.cell_length for segment in piece)
        return Strip(segments, at + pad)

    def _box_row(self, moment: Moment, chart: Chart, node: int, y: int) -> list[Segment]:
        box = chart.scene.boxes[node]
        group = chart.folded.groups.get(node)
        signs = look(moment, node) if group is None else groups.look(moment, group)
        selected = node == chart.box_of(moment.view.node)
        border: Border = DOUBLE if selected else signs.border
        frame: Role = "strong" if selected and signs is not FUTURE else signs.role
        fill = next((role for status, role in FILLS.items() if signs is LOOKS[status]), None)
        if box.height == 1:
            return self._chip(moment, node, box.width, fill or ("marked" if selected else None))
        if y in (box.y, box.bottom - 1):
            side = self._side(chart, node, box.width, border, top=y == box.y)
            stop = moment.stops.on_node(moment.trace.labels, node) if y == box.y else ""
            return [self.segment(Bit(stop, "alarm")), self.segment(Bit(side[len(stop) :], frame), fill)]
        lines = self._cards.get(node)
        if lines is None:
            lines = self._cards[node] = self._card(moment, chart, node, box.width - 4)
        inner = lines[y - box.y - 1] if y - box.y - 1 < len(lines) else BLANK
        blank = Bit(" " * (box.width - 4 - width(inner)))
        bits = (Bit(f"{border.upright} ", frame), *inner, blank, Bit(f" {border.upright}", frame))
        return [self.segment(bit, fill) for bit in bits]

    def _card(self, moment: Moment, chart: Chart, node: int, room: int) -> list[Line]:
        group = chart.folded.groups.get(node)
        return card(moment, node, chart.zoom, room) if group is None else groups.card(moment, group, chart.zoom, room)

    def _side(self, chart: Chart, node: int, wide: int, border: Border, *, top: bool) -> str:
        if top:
            return upper_side(wide, border, chart.wiring.arrivals.get(node, ()))
        return lower_side(wide, border, chart.wiring.departures.get(node, ()))

    def _chip(self, moment: Moment, node: int, wide: int, fill: Role | None) -> list[Segment]:
        assert self.chart is not None
        inner = self._card(moment, self.chart, node, wide - 2)[0]
        stop = moment.stops.on_node(moment.trace.labels, node) or " "
        return [self.segment(bit, fill) for bit in (Bit(stop, "alarm"), *inner, Bit(" " * (wide - 1 - width(inner))))]

    def _wire_row(self, chart: Chart, y: int, first: int, last: int) -> list[tuple[int, list[Segment]]]:
        pieces = []
        chips = chart.zoom is Zoom.CHIPS
        for cell in chart.wiring.window(y, first, last):
            live = {edge for edge, _ in cell.parts if self._edge_role(chart, edge) == "gradient"}
            glyph, edges = cell.glyph(live, chart.wiring.targets)
            if chips and any(chart.wiring.end_of[edge] == (cell.x, y) for edge in edges):
                glyph = "▼"
            role = max((self._edge_role(chart, edge) for edge in edges), key=_PRECEDENCE.index)
            pieces.append((cell.x, [self.segment(Bit(glyph, role))]))
        return pieces

    def _edge_role(self, chart: Chart, edge: int) -> Role:
        """What an edge is doing: carrying a gradient to a node that has not used it yet, or having carried one."""
        role = self._edge_roles.get(edge)
        if role is None:
            role = self._edge_roles[edge] = self._look_at(chart, edge)
        return role

    def _look_at(self, chart: Chart, edge: int) -> Role:
        bundle = chart.bundles.get(edge)
        if bundle is not None:
            return max((self._role_of(*one) for one in bundle), key=_PRECEDENCE.index)
        return self._role_of(*chart.slots[edge], chart.edges[edge][1])

    def _role_of(self, source: int, index: int, target_node: int) -> Role:
        assert self.moment is not None
        state = self.moment.state.nodes.get(source)
        if state is None:
            return "faint"
        if index not in state.sent:
            return "muted"
        target = self.moment.state.nodes.get(target_node)
        used = target is None or target.status in (Status.DONE, Status.FREED)
        return "trail" if used else "gradient"

    def _stubs(self, moment: Moment, chart: Chart, y: int) -> list[tuple[int, list[Segment]]]:
        """The names of the targets of edges that are too long to draw."""
        pieces = []
        for edge in chart.stubs.get(y, ()):
            target = chart.edges[edge][1]
            leaf = moment.leaf_name(target)
            name = f"⊕ {leaf}" if leaf else moment.node_name(target)
            x, words = stub(name, chart.scene.stubs[edge], chart.wiring.end_of[edge][0])
            pieces.append((x, [self.segment(Bit(words, self._edge_role(chart, edge)))]))
        return pieces

    def _with_labels(
        self, moment: Moment, chart: Chart, y: int, pieces: list[tuple[int, list[Segment]]], first: int, last: int
    ) -> list[tuple[int, list[Segment]]]:
        """Write the gradient beside the last cell of each edge that has one: right of it or left, if there is room."""
        taken = [(x, x + sum(segment.cell_length for segment in piece)) for x, piece in pieces]
        for edge in chart.ends.get(y, ()):
            if not first - WIDEST_LABEL <= chart.wiring.end_of[edge][0] <= last + WIDEST_LABEL:
                continue
            sent = self._sent(moment, chart, edge)
            if sent is None:
                continue
            at = chart.wiring.end_of[edge][0]
            for words in (gradient(sent), magnitude(sent)):
                x = free_beside(at, len(words), taken)
                if x is not None:
                    taken.append((x, x + len(words)))
                    pieces.append((x, [self.segment(Bit(words, self._edge_role(chart, edge)))]))
                    break
        return sorted(pieces, key=lambda piece: piece[0])

    def _sent(self, moment: Moment, chart: Chart, edge: int) -> Summary | None:
        if edge in chart.bundles:  # one number would speak of one of them only
            return None
        source, index = chart.slots[edge]
        state = moment.state.nodes.get(source)
        return None if state is None else state.sent.get(index)

    # -- choosing

    def jump_at(self, x: int, y: int) -> Jump | None:
        """A click on a box leads to its node, one on the end of a cut edge to its target."""
        chart = self.chart
        if chart is None:
            return None
        node = chart.node_at(x - self.pad, y)
        for edge in chart.stubs.get(y, ()):
            box = chart.scene.stubs[edge]
            if box.x <= x - self.pad < box.right:
                node = chart.edges[edge][1]
        return None if node is None else Jump("node", node)

    def action_page_down(self) -> None:
        """Scroll; or, for a presenter's remote, turn to the next bookmark."""
        self._page("next", super().action_page_down)

    def action_page_up(self) -> None:
        """And back."""
        self._page("previous", super().action_page_up)

    def _page(self, way: str, scroll: Callable[[], None]) -> None:
        if self.moment is not None and self.moment.view.presenting:
            self.post_message(Jumped(Jump("action", f"turn({way!r})")))
        else:
            scroll()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click anywhere on the pane gives it the keys."""
        self.focus()

    def choose(self, dx: int, dy: int) -> None:
        """Select the neighbour in a direction."""
        if self.chart is None or self.moment is None:
            return
        node = self.chart.neighbour(self.moment.view.node, dx, dy)
        if node is not None:
            self.post_message(Jumped(Jump("node", node)))


_PRECEDENCE: list[Role] = ["faint", "muted", "trail", "gradient"]
"""Where edges share a cell, the one that does the most decides how it looks."""


def free_beside(at: int, room: int, taken: list[tuple[int, int]]) -> int | None:
    """Where ``room`` cells are free beside column ``at``, a blank cell away from all that is ``taken``.

    >>> free_beside(10, 4, [(10, 11)]), free_beside(10, 4, [(10, 11), (13, 14)]), free_beside(3, 4, [(3, 4), (5, 6)])
    (12, 5, None)
    """
    for start in (at + 2, at - 1 - room):
        if start >= 0 and all(stop < start or begin > start + room for begin, stop in taken):
            return start
    return None


def _runs_on(moment: Moment) -> bool:
    """Whether a script makes the graph larger just now."""
    return moment.child is not None and moment.child.status == "running"
