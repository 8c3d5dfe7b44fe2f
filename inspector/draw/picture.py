"""A picture: one scene, placed once, written in any format. What ``draw`` returns, and what a notebook shows."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from inspector.draw.collecting import undisturbed
from inspector.draw.data import as_json
from inspector.draw.dot import source
from inspector.draw.errors import DrawError
from inspector.draw.files import write_whole
from inspector.draw.graphml import graphml
from inspector.draw.mermaid import mermaid
from inspector.draw.moving import Moving
from inspector.draw.options import Options
from inspector.draw.pdf import pdf
from inspector.draw.place import Layout, arrange
from inspector.draw.raster import png
from inspector.draw.scene import Scene
from inspector.draw.svg import svg
from inspector.draw.text import text
from inspector.draw.themes import painted, palette_of

WIDEST = 1700.0
"""A line of cards longer than this is broken into several, like a line of text."""
CELL = 900.0
"""The same in a notebook, whose cells are about so wide: shrunk to fit, a longer one could not be read."""


class Picture:
    """A picture of a graph. ``save`` writes it; a notebook displays it by itself."""

    def __init__(
        self,
        scene: Scene,
        *,
        scale: float = 2.0,
        embed_font: bool = True,
        widest: float | None = None,
        layout: Layout | None = None,
        whole: Scene | None = None,
        options: Options | None = None,
        film: Moving | None = None,
    ) -> None:
        self.scene = scene
        self.scale = scale
        self.embed_font = embed_font
        self.widest = widest
        self.whole = whole or scene
        self.options = options or Options()
        self.film = film
        if layout is not None:
            self.layout = layout

    @cached_property
    def layout(self) -> Layout:
        """Where the cards stand: the same for the whole scene and for each half of it."""
        return arrange(self.whole, self.widest, down=self.options.direction == "down")

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        chosen = self.options
        with undisturbed():
            return self._svg(chosen)

    def _svg(self, chosen: Options) -> str:
        return svg(self.scene, self.layout, embed_font=self.embed_font, theme=chosen.theme, legend=chosen.legend)

    @cached_property
    def dot(self) -> str:
        """The picture as DOT text, for Graphviz to lay out and draw."""
        return painted(source(self.scene), palette_of(self.options.theme))

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG, at its scale."""
        return png(self.svg, self.scale)

    @cached_property
    def pdf(self) -> bytes:
        """The picture as PDF; raises ``DrawError`` where the extra ``pdf`` is not installed."""
        return pdf(self.svg)

    @property
    def moving(self) -> Moving:
        """What led to the picture, step by step; raises ``DrawError`` if nothing is known of that."""
        if self.film is None:
            raise DrawError(
                "This picture was made of a scene alone, and nothing is known of its steps: draw the trace."
            )
        return self.film

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture, in the format that the ending names; whole, or not at all. Returns the path.

        Raises ``DrawError`` for an ending that is not known, or a place that cannot be written.
        """
        target = Path(path)
        write_whole(target, writer_for(target)(self))
        return target

    def _repr_svg_(self) -> str:
        """For notebooks: in lines as wide as a cell, unless a width was asked for; never wider than the cell."""
        return self._for_a_cell().svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)

    def _for_a_cell(self) -> Picture:
        if self.widest != WIDEST or self.layout.down or self.layout.width <= CELL:
            return self
        font = self.embed_font
        return Picture(self.scene, embed_font=font, widest=CELL, whole=self.whole, options=self.options)

    def _mime_(self) -> tuple[str, str]:
        """For marimo."""
        return "image/svg+xml", self._repr_svg_()

    def __repr__(self) -> str:
        return f"<Picture of {self.scene.headline}: {len(self.scene.cards)} cards>"


WRITERS: dict[str, Callable[[Picture], bytes]] = {
    ".svg": lambda picture: picture.svg.encode(),
    ".png": lambda picture: picture.png,
    ".pdf": lambda picture: picture.pdf,
    ".html": lambda picture: picture.moving.html.encode(),
    ".gif": lambda picture: picture.moving.gif(picture.scale),
    ".dot": lambda picture: picture.dot.encode(),
    ".mmd": lambda picture: mermaid(picture.scene).encode(),
    ".graphml": lambda picture: graphml(picture.scene).encode(),
    ".json": lambda picture: as_json(picture.scene).encode(),
    ".txt": lambda picture: text(picture.scene).encode(),
}
"""Each ending, and what is written for it."""


def writer_for(path: Path) -> Callable[[Picture], bytes]:
    """What turns a picture into the format that the ending of ``path`` names; raises ``DrawError`` if none does."""
    ending = path.suffix.lower()
    if ending not in WRITERS:
        known = ", ".join(WRITERS)
        said = f"does not end in a picture format that is known ({ending})" if ending else "has no ending"
        raise DrawError(f"Cannot tell how to draw {path.name or path}: it {said}; end it in one of {known}.")
    return WRITERS[ending]
