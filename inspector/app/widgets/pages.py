"""The panes that are read like a page: each is a module of ``inspector.app.reading`` with a ``lines`` of its own.

A new one is such a module and its line in ``PAGES``; ``inspector.app.desk`` says where it stands.
"""

from __future__ import annotations

from types import ModuleType

from inspector.app.desk import LOWER
from inspector.app.lines import Line
from inspector.app.reading import caption, ledger, nodes, queue, saved, tensors, versions, why
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Page

PAGES: dict[str, ModuleType] = {
    "caption": caption,
    "tensor": tensors,
    "node": nodes,
    "why": why,
    "versions": versions,
    "ledger": ledger,
    "saved": saved,
    "queue": queue,
}
"""What each page reads: ``lines(moment, room)``, and ``title(moment)`` for what stands in its frame."""


class ReadingPane(Page):
    """One of ``PAGES``, by the widget's id."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.TITLE = id.upper()
        self.reading = PAGES[id]

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        title: Line = self.reading.title(moment)
        lines: list[Line] = self.reading.lines(moment, room)
        if self.id in (*LOWER, "caption"):  # it has no frame to bear a title
            return [title, *lines] if title else lines
        self.entitle(*title)
        return lines
