"""Where every pane stands: one pure function of the terminal's size, and the layout that obeys it.

From 100 columns on all panes are open, as on a desk. Below, those of the right column lie on one pile with the
source, and one of them is in front; below 60 columns the graph lies there too. The lower panes are as wide as the
timeline above them, and always on one pile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

OPEN_FROM, GRAPH_FROM = 100, 60
LOWER = ("events", "versions", "ledger", "saved", "queue")
"""The panes under the timeline, of which one is in front; the digits choose among them."""
PANES = ("source", "graph", "tensor", "node", "why", "output", *LOWER)
"""The panes in the order in which the tab key visits them."""
RULED = ("source", "output", "graph", "timeline", "tensor", "node", "why")
"""The panes with a level rule on top."""
CAPTION = 7
"""Rows of a presenter's caption."""
PILE = ("source", "tensor", "node", "why", "output")


@dataclass(frozen=True, slots=True)
class Plan:
    """The regions of all that is on the screen, by the widgets' ids, and which panes share one place.

    ``between`` and ``beside`` are upright rules. Panes have a level rule of their own on top, which bears their title.
    """

    regions: dict[str, Region]
    pile: tuple[str, ...] = ()

    def rule(self, name: str) -> str:
        """The glyphs of an upright rule, from top to bottom, joined to the level rules that meet it."""
        rule = self.regions[name]
        tops = [region for pane, region in self.regions.items() if pane in RULED and pane not in self.pile]
        return "".join(_joint(rule, row, tops) for row in range(rule.y, rule.bottom))


@lru_cache(maxsize=64)
def plan(
    width: int,
    height: int,
    front: str = "source",
    lower: str = "events",
    *,
    failed: bool = False,
    presenting: bool = False,
) -> Plan:
    """Divide a screen of ``width`` x ``height`` cells: ``front`` lies on top of the pile, ``lower`` of the lower one.

    ``failed`` gives the explanation more room; ``presenting`` leaves nothing but the graph and a caption.
    """
    if presenting:
        graph, caption = Region(0, 0, width, height).split_horizontal(max(0, height - CAPTION))
        return Plan({"graph": graph, "caption": caption})
    bars = {"banner": Region(0, 0, width, 1), "keybar": Region(0, height - 1, width, 1)}
    desk = Region(0, 1, width, max(0, height - 2))
    rest = _open(desk, lower, failed) if width >= OPEN_FROM else _piled(desk, front, lower)
    return Plan({**bars, **rest.regions}, rest.pile)


def _open(desk: Region, shown: str, failed: bool) -> Plan:
    stage, column = desk.split_vertical(desk.width - _between(desk.width * 28 // 100, 30, 52))
    beside, column = column.split_vertical(1)
    upper, lower = stage.split_horizontal(stage.height - _bottom(stage.height))
    source, graph = upper.split_vertical(_between(stage.width * 37 // 100, 30, 78))
    between, graph = graph.split_vertical(1)
    source, output = source.split_horizontal(source.height - _between(upper.height * 22 // 100, 3, 9))
    tensor_share, node_share = (34, 26) if failed else (47, 33)
    tensor, below = column.split_horizontal(column.height * tensor_share // 100)
    node, why = below.split_horizontal(column.height * node_share // 100)
    timeline, under = lower.split_horizontal(2)
    return Plan(
        {
            "source": source,
            "output": output,
            "graph": graph,
            "timeline": timeline,
            shown: under,
            "tensor": tensor,
            "node": node,
            "why": why,
            "beside": beside,
            "between": between,
        }
    )


def _piled(desk: Region, front: str, shown: str) -> Plan:
    upper, lower = desk.split_horizontal(desk.height - _bottom(desk.height))
    timeline, under = lower.split_horizontal(2)
    regions = {"timeline": timeline, shown: under}
    pile: tuple[str, ...] = PILE
    if desk.width >= GRAPH_FROM:
        upper, graph = upper.split_vertical(_between(desk.width * 43 // 100, 30, 46))
        regions["between"], regions["graph"] = graph.split_vertical(1)
    else:
        pile = ("graph", *PILE)
    regions["tabs"], regions[front if front in pile else pile[0]] = upper.split_horizontal(1)
    return Plan(regions, pile)


def _joint(rule: Region, row: int, tops: list[Region]) -> str:
    """One glyph of an upright rule: how it looks where a pane begins at its left, at its right, or at both."""
    left = any(top.y == row and top.right == rule.x for top in tops)
    right = any(top.y == row and top.x == rule.right for top in tops)
    first = row == rule.y
    return "│┤├┼╷╮╭┬"[left + 2 * right + 4 * first]


def _bottom(height: int) -> int:
    """Rows for the timeline and the events."""
    return _between(height * 26 // 100, 5, 16)


def _between(value: int, least: int, most: int) -> int:
    return max(least, min(most, value))


class DeskLayout(Layout):
    """Puts each child of the desk in the region that the plan has for its id; a child without one is not shown."""

    name = "desk"

    def __init__(self) -> None:
        self.front, self.lower = "source", LOWER[0]
        self.failed = self.presenting = False
        self.typing = False
        """Whether there is a line to type in, at the foot of the output."""

    def plan(self, size: Size) -> Plan:
        return plan(size.width, size.height, self.front, self.lower, failed=self.failed, presenting=self.presenting)

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        regions = dict(self.plan(size).regions)
        output = regions.get("output")
        if self.typing and output is not None:
            regions["output"], regions["typing"] = output.split_horizontal(output.height - 1)
        return [
            WidgetPlacement(regions[child.id], Offset(), Spacing(), child, 0)
            for child in children
            if child.id in regions
        ]
