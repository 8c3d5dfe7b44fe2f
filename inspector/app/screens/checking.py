"""The key that holds a node's gradients against finite differences. A part of the desk; a process beside does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.reactive import var
from textual.screen import Screen

from inspector.app.checks import UnknownError, request_for
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.record.recheck import Report, Request, recheck


class Checking(Screen[None]):
    """Asks for the check of the selected node, and writes down what came out."""

    walk: Walk
    if TYPE_CHECKING:
        view: var[View]

        def action_to(self, pane: str) -> None: ...
        def draw_anew(self) -> None: ...

    def action_check(self) -> None:
        """Check the selected node. The answer stands in its pane, and stays there."""
        moment = self.walk.moment(self.view)
        if moment.score is not None:
            self.notify("A check would give gradients away: first guess, with y, or end the quiz, with Q.")
            return
        self.action_to("node")
        if moment.node is None:
            self.notify("Select a node first: click on one, or go to it with n.")
            return
        key = moment.node.serial, moment.node.runs
        try:
            request = request_for(moment, moment.node)
        except UnknownError as why:
            self.walk.checks[key] = Report(refused=str(why))
        else:
            self.walk.checks[key] = None
            self._check(key, request)
        self.draw_anew()

    @work(thread=True, group="check", description="check a node by finite differences")
    def _check(self, key: tuple[int, int], request: Request) -> None:
        report = recheck(request)
        self.app.call_from_thread(self._checked, key, report)

    def _checked(self, key: tuple[int, int], report: Report) -> None:
        self.walk.checks[key] = report
        self.draw_anew()
