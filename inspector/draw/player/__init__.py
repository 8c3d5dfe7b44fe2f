"""The player: one HTML file that replays a trace, backwards too, from disk and without a network.

``Player(trace).save("lesson.html")``, or ``inspector.draw(trace, "lesson.html")``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path

from inspector.draw.collecting import undisturbed
from inspector.draw.composing import UTMOST, composed, renamed
from inspector.draw.errors import DrawError
from inspector.draw.files import write_whole
from inspector.draw.options import Options
from inspector.draw.player.chapters import Chapter, affordable, chapters
from inspector.draw.player.film import Film, Panorama
from inspector.draw.player.page import page
from inspector.draw.player.posed import Posed
from inspector.draw.player.stage import staged
from inspector.draw.selection import select
from inspector.draw.subject import Subject
from inspector.trace.trace import Trace

WIDEST = 860.0
"""A line of cards that is longer goes on in the next: beside the source, a screen has no more room."""
LIMIT = 1500
"""So many cards are filmed; of more one sees how things stood at the end, folded."""


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
        options: Options | None = None,
    ) -> None:
        """``options`` are the choices of ``draw``; without them ``values`` is all that one chooses."""
        self.trace = trace
        self.height = height
        self._task = task
        self._options = options or Options(values=values)
        self._title = title
        self._widest = widest
        self._subject: Subject | None = None

    @classmethod
    def of(cls, subject: Subject, *, options: Options | None = None) -> Player:
        """The page of a subject that has no history: one picture, with its numbers at a click."""
        player = cls(Trace(), options=options)
        player._subject = subject
        return player

    @cached_property
    def html(self) -> str:
        """The page. Raises ``DrawError`` where a chapter cannot be drawn."""
        with undisturbed():
            return self._page()

    def _page(self) -> str:
        known: Sequence[Chapter] = () if self._subject is not None else chapters(self.trace, self._task)
        if self._subject is not None:
            films = [self._film(0, self._subject)]
        else:
            films = [self._film(one.start, one.subject(self.trace, self._title)) for one in affordable(known)]
        stages = staged(films, self._widest, down=self._options.direction == "down")
        note = " ".join(_notes(films, len(known)))
        return page(self.trace, stages, note=note, theme=self._options.theme, legend=self._options.legend)

    def _film(self, start: int, subject: Subject) -> Film:
        options = self._options
        subject = renamed(subject, options)
        chosen = select(subject, UTMOST)
        if options.shapes_the_scene:
            scene = composed(subject, options).scene
            if len(scene.cards) <= LIMIT:
                return Posed(self.trace, start, subject, chosen, options)
        elif len(chosen.parts) <= LIMIT:
            return Film(self.trace, start, subject, chosen, options.values)
        else:
            scene = composed(subject, replace(options, fold="loops")).scene
        return Panorama(self.trace, start, subject, chosen, scene)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; whole, or not at all. Returns the path."""
        target = Path(path)
        write_whole(target, self.html.encode())
        return target

    def _repr_html_(self) -> str:
        """For notebooks: in a frame of its own, so that neither's style reaches the other; or why there is none."""
        try:
            html = self.html
        except DrawError as error:
            return f"<p>{escape(str(error))}</p>"
        return (
            f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" title="A replay of the backward pass" '
            f'style="width:100%;height:{self.height}px;border:0"></iframe>'
        )

    def _mime_(self) -> tuple[str, str]:
        """For marimo."""
        return "text/html", self._repr_html_()

    def __repr__(self) -> str:
        return f"<Player of {len(self.trace):,} steps: save(path) writes it as a page>"


def _notes(films: Sequence[Film], passes: int) -> Iterator[str]:
    """What is not as one may expect, in sentences."""
    if len(films) < passes:
        yield f"{len(films):,} of {passes:,} backward passes are here."
    if any(isinstance(film, Panorama) for film in films):
        yield f"More than {LIMIT:,} cards are too many to film: the picture is of the end, with loops folded."
    every = max((film.every for film in films if isinstance(film, Posed)), default=1)
    if every > 1:
        yield f"There are too many steps to compose each: here is one in {every}."
