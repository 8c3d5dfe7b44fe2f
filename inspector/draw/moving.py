"""A picture that moves: a chapter as one picture a step, all of one size, each thing in its place; and as a GIF.

Steps that nobody sees (a name becomes known) are passed over, as in the player; too many are thinned out, and it says
so.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from inspector.draw.composing import composed
from inspector.draw.errors import DrawError
from inspector.draw.files import write_whole
from inspector.draw.lines import lines
from inspector.draw.options import Options
from inspector.draw.place import Layout, arrange
from inspector.draw.player import Player
from inspector.draw.player.chapters import chapters
from inspector.draw.player.film import is_quiet
from inspector.draw.raster import png
from inspector.draw.scene import Row, Scene
from inspector.draw.subject import Subject
from inspector.draw.svg import Frame, frame_of, svg
from inspector.trace.cursor import Cursor
from inspector.trace.trace import Trace

MOST_FRAMES = 600
"""So many pictures go into a folder, or into a GIF a quarter of it: more, and one takes every second, or third, …"""
BEAT, REST = 700, 2500
"""Milliseconds for which a GIF shows a frame, and its last one."""


@dataclass(frozen=True, slots=True)
class Still:
    """One picture of a film."""

    step: int
    svg: str


class Moving:
    """What led to a picture: ``stills`` one by one, or ``gif``, or ``html``, the player."""

    def __init__(
        self,
        what: Trace | Subject,
        task: int | None,
        options: Options,
        *,
        title: str | None = None,
        widest: float | None = None,
    ) -> None:
        self._trace = what if isinstance(what, Trace) else Trace()
        self._subject = what if isinstance(what, Subject) else None
        self._task = task
        self._options = options
        self._title = title
        self._widest = widest
        self.told = ""
        """What was left out, as a sentence; empty if nothing was."""

    @cached_property
    def html(self) -> str:
        """The player's page; of a tensor without a history the picture, with its numbers at a click."""
        if self._subject is not None:
            return Player.of(self._subject, options=self._options).html
        return Player(self._trace, task=self._task, title=self._title, options=self._options).html

    def stills(self, most: int = MOST_FRAMES, *, embed_font: bool = True) -> Iterator[Still]:
        """A picture for every step of the chapter, or for as many as are wanted at ``most``."""
        steps = self._steps(most)
        scenes = [composed(subject, self._options) for subject in self._subjects(steps)]
        if not scenes:
            return
        whole = _all_links(_roomy([one.whole for one in scenes]))
        placed = arrange(whole, self._widest, down=self._options.direction == "down")
        shown = _roomy([one.scene for one in scenes])
        frame = _frame(shown, placed)
        for step, scene in zip(steps, shown, strict=True):
            options = {"theme": self._options.theme, "legend": self._options.legend, "frame": frame}
            yield Still(step, svg(scene, placed, embed_font=embed_font, **options))  # type: ignore[arg-type]

    def _steps(self, most: int) -> list[int]:
        chapter = chapters(self._trace, self._task)[-1]
        cursor = Cursor(self._trace, chapter.start)
        ends: list[int] = []
        for step in range(chapter.start + 1, chapter.end + 1):
            cursor.seek(step)
            quiet = is_quiet(self._trace.facts[step - 1], cursor.state)
            if quiet and ends:
                ends[-1] = step
            else:
                ends.append(step)
        every = -(-len(ends) // most)
        kept = ends[::-1][::every][::-1] if every > 1 else ends
        self.told = f"{len(ends):,} steps are too many pictures: here is every {every}th of them." if every > 1 else ""
        return kept

    def _subjects(self, steps: list[int]) -> Iterator[Subject]:
        last = chapters(self._trace, self._task)[-1].subject(self._trace, self._title)
        for step in steps:
            yield replace(last, now=self._trace.at(step))

    def save_stills(self, folder: Path, ending: str, scale: float) -> list[Path]:
        """Write each picture into ``folder``, named by its step, as ``.svg`` or ``.png``."""
        if ending not in {".svg", ".png"}:
            raise DrawError(f"The pictures of a film are .svg or .png, not {ending}.")
        folder.mkdir(parents=True, exist_ok=True)
        digits = len(str(len(self._trace)))
        written = []
        for still in self.stills():
            path = folder / f"step-{still.step:0{digits}}{ending}"
            write_whole(path, still.svg.encode() if ending == ".svg" else png(still.svg, scale))
            written.append(path)
        return written

    def gif(self, scale: float) -> bytes:
        """An animated GIF; raises ``DrawError`` where the extra ``gif`` is not installed."""
        try:
            from PIL import Image
        except ImportError:
            raise DrawError(
                "A GIF needs Pillow, which is not installed: `pip install 'minigrad-inspector[gif]'`, "
                "or write .html, which can be stepped through as well."
            ) from None
        stills = self.stills(MOST_FRAMES // 4, embed_font=False)
        images = [Image.open(io.BytesIO(png(still.svg, scale))).convert("RGB") for still in stills]
        if not images:
            raise DrawError("There is no step in this trace to make a GIF of.")
        # One palette for all, of the richest frame: colours must not shimmer.
        palette = images[-1].quantize(128, dither=Image.Dither.NONE)
        frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
        times = [BEAT] * (len(frames) - 1) + [REST]
        written = io.BytesIO()
        frames[0].save(written, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False)
        return written.getvalue()


def _roomy(scenes: list[Scene]) -> list[Scene]:
    """The scenes with room in every card for what it says at any step."""
    spare: dict[str, dict[Row, None]] = {}
    for scene in scenes:
        for card in scene.cards:
            spare.setdefault(card.key, {}).update(dict.fromkeys(card.rows + card.spare))
    return [
        replace(scene, cards=tuple(replace(card, spare=tuple(spare[card.key])) for card in scene.cards))
        for scene in scenes
    ]


def _all_links(scenes: list[Scene]) -> Scene:
    """The last scene with every link that there ever is."""
    links = {(one.kind, one.tail, one.head, one.head_port): one for scene in scenes for one in scene.links}
    return replace(scenes[-1], links=tuple(links.values()))


def _frame(scenes: list[Scene], placed: Layout) -> Frame:
    """The room that the largest of them takes."""
    frame = None
    for scene in scenes:
        one = frame_of(scene, placed, lines(scene, placed))
        frame = one if frame is None else frame.around(one)
    assert frame is not None
    return frame
