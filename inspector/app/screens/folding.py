"""The keys that fold the graph, and show no more of it than what is about the selected node. A part of the desk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.reactive import var
from textual.screen import Screen

from inspector.app.view import View
from inspector.app.widgets.graph import GraphPane


class Folding(Screen[None]):
    """Changes how much of the graph is shown."""

    if TYPE_CHECKING:
        view: var[View]

    def action_fold(self) -> None:
        """The next way that folds anything in this graph; after the last, all nodes again."""
        ways = self.query_one(GraphPane).ways()
        if len(ways) == 1:
            self.notify("Nothing in this graph folds: it has no modules, no composites and no loops.")
            return
        at = ways.index(self.view.fold) if self.view.fold in ways else 0
        self.view = replace(self.view, fold=ways[(at + 1) % len(ways)])

    def action_near(self) -> None:
        """The neighbourhood of the selected node, or the whole graph."""
        self.view = replace(self.view, near=not self.view.near)
