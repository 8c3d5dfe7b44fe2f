"""The player: one HTML file that replays a trace, backwards too, from disk and without a network.

``Player(trace).save("lesson.html")``, or ``inspector.draw(trace, "lesson.html")``.
"""

from __future__ import annotations

import os
from functools import cached_property
from html import escape
from pathlib import Path

from inspector.draw.files import write_whole
from inspector.draw.player.chapters import affordable, chapters
from inspector.draw.player.film import Film
from inspector.draw.player.page import page
from inspector.draw.player.stage import staged
from inspector.draw.selection import select
from inspector.draw.subject import Subject
from inspector.trace.trace import Trace

WIDEST = 860.0
"""A line of cards that is longer goes on in the next: beside the source, a screen has no more room."""
LIMIT = 1500
"""Cards in one chapter."""


class Player:
    """A trace as a page to step through. ``save`` writes it; a notebook shows it by itself."""

    def __init__(
        self,
        trace: Trace,
        *,
        task: int | None = None,
        values: int = 1,
        title: str | None = None,
        widest: float | None = WIDEST,
        height: int = 640,
    ) -> None:
        self.trace = trace
        self.height = height
        self._task = task
        self._values = values
        self._title = title
        self._widest = widest
        self._subject: Subject | None = None

    @classmethod
    def of(cls, subject: Subject, *, values: int = 1) -> Player:
        """The page of a subject that has no history: one picture, with its numbers at a click."""
        player = cls(Trace(), values=values)
        player._subject = subject
        return player

    @cached_property
    def html(self) -> str:
        """The page. Raises ``DrawError`` where a chapter cannot be drawn."""
        if self._subject is not None:
            return page(self.trace, staged([self._film(0, self._subject)], self._widest))
        known = chapters(self.trace, self._task)
        shown = affordable(known)
        note = "" if len(shown) == len(known) else f"{len(shown):,} of {len(known):,} backward passes are here."
        films = [self._film(one.start, one.subject(self.trace, self._title)) for one in shown]
        return page(self.trace, staged(films, self._widest), note=note)

    def _film(self, start: int, subject: Subject) -> Film:
        return Film(self.trace, start, subject, select(subject, LIMIT), self._values)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; whole, or not at all. Returns the path."""
        target = Path(path)
        write_whole(target, self.html.encode())
        return target

    def _repr_html_(self) -> str:
        """For notebooks: in a frame of its own, so that neither's style reaches the other."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="A replay of the backward pass" '
            f'style="width:100%;height:{self.height}px;border:0"></iframe>'
        )

    def _mime_(self) -> tuple[str, str]:
        """For marimo."""
        return "text/html", self._repr_html_()

    def __repr__(self) -> str:
        return f"<Player of {len(self.trace):,} steps: save(path) writes it as a page>"
