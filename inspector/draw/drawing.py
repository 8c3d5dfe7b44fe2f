"""``draw``: from a trace, a cursor or a tensor to a picture, and to a file if one is named."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspector.draw.bare import bare
from inspector.draw.cards import cards
from inspector.draw.errors import DrawError
from inspector.draw.from_trace import subject_of
from inspector.draw.headline import headline
from inspector.draw.live import is_tensor, names_around, subject_of_tensor
from inspector.draw.picture import Picture, writer_for
from inspector.draw.player import Player
from inspector.draw.scene import Card, Link, Scene
from inspector.draw.selection import Selection, select
from inspector.draw.subject import Subject
from inspector.trace.cursor import Cursor
from inspector.trace.trace import Trace

LIMIT = 1500
"""Graphviz places so many cards in about two seconds; twice as many take ten times as long."""

WIDEST = 1700.0
"""A line of cards longer than this is broken into several, like a line of text."""

Style = Callable[[Subject, Selection, int], tuple[tuple[Card, ...], tuple[Link, ...]]]
STYLES: dict[str, Style] = {"cards": cards, "graph": bare}


def draw(
    what: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    step: int | None = None,
    task: int | None = None,
    style: str = "cards",
    values: int = 1,
    names: Mapping[str, Any] | None = None,
    title: str | None = None,
    scale: float = 2.0,
    widest: float | None = WIDEST,
    embed_font: bool = True,
) -> Picture:
    """Draw a trace, the place of a cursor in one, or the graph behind a tensor; write it to ``path`` if one is given.

    The ending of ``path`` names the format: ``.svg``, ``.png``, ``.dot``, or ``.html``, a page that steps through a
    trace. ``step`` is how many facts of the trace to look back on (all), ``task`` the number of the backward pass (the
    one at that step). ``style`` is ``cards``, which pair a value with its grad_fn, or ``graph``, the bare grad_fns.
    ``values`` is how many numbers a tensor may hold to be shown with them. ``names`` are tensors by name, for a tensor
    without a trace; by default the variables of the calling code. A row of cards wider than ``widest`` pixels goes on
    in the next line; None lets it run. ``scale`` is a PNG's pixels for each of an SVG's; ``embed_font`` puts the
    letters into an SVG (30 kB).

    Raises ``DrawError``, with a sentence for people, when it cannot.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> draw((w * w).sum())
    <Picture of How this tensor came to be: 3 cards>
    """
    target = None if path is None else Path(path)
    if target is not None:
        writer_for(target)
    subject = _subject(what, step, task, names, title)
    scene = scene_of(subject, style=style, values=values)
    player = _player(what, subject, task=task, values=values, title=title)
    picture = Picture(scene, scale=scale, widest=widest, embed_font=embed_font, player=player)
    if target is not None:
        picture.save(target)
    return picture


def scene_of(subject: Subject, *, style: str = "cards", values: int = 1) -> Scene:
    """What the picture of ``subject`` shows; raises ``DrawError`` for an unknown style, or for too large a graph."""
    if style not in STYLES:
        raise DrawError(f"There is no style {style!r}; draw in one of {', '.join(STYLES)}.")
    chosen = select(subject, LIMIT)
    built, links = STYLES[style](subject, chosen, values)
    return Scene(*headline(subject, chosen), built, links)


def _player(what: Any, subject: Subject, *, task: int | None, values: int, title: str | None) -> Player:
    """What steps through the same thing."""
    trace = what.trace if isinstance(what, Cursor) else what
    if isinstance(trace, Trace):
        return Player(trace, task=task, values=values, title=title)
    return Player.of(subject, values=values)


def _subject(
    what: Any, step: int | None, task: int | None, names: Mapping[str, Any] | None, title: str | None
) -> Subject:
    if isinstance(what, Cursor):
        return subject_of(what.trace, what.step if step is None else step, task, title)
    if isinstance(what, Trace):
        return subject_of(what, step, task, title)
    if is_tensor(what):
        return subject_of_tensor(what, names_around() if names is None else names, title)
    raise DrawError(f"Cannot draw an object of type {type(what).__name__}: give a tensor, a trace, or a cursor in one.")
