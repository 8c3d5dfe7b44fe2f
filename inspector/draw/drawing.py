"""``draw``: from a trace, a cursor or a tensor to a picture, and to a file if one is named."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.draw.collecting import undisturbed
from inspector.draw.composing import composed
from inspector.draw.errors import DrawError
from inspector.draw.fold import How
from inspector.draw.from_trace import subject_of
from inspector.draw.live import is_tensor, names_around, subject_of_tensor
from inspector.draw.moving import Moving
from inspector.draw.options import Options
from inspector.draw.picture import WIDEST, Picture, writer_for
from inspector.draw.subject import Subject
from inspector.trace.cursor import Cursor
from inspector.trace.trace import Trace

POINTS = 96
"""An SVG's pixels to the inch."""


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
    dpi: float | None = None,
    embed_font: bool = True,
    show: str = "both",
    detail: str = "all",
    fold: How | Sequence[How] = (),
    around: Any = None,
    reach: int = 2,
    direction: str = "right",
    theme: str = "light",
    legend: bool = False,
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """Draw a trace, the place of a cursor in one, or the graph behind a tensor; write it to ``path`` if one is given.

    The ending of ``path`` names the format: ``.svg``, ``.png``, ``.pdf``, ``.dot``, ``.mmd`` (Mermaid), ``.graphml``,
    ``.json``, ``.txt``; and of all steps ``.html``, a page to step through, or ``.gif``.

    Which picture: ``step`` is how many facts of the trace to look back on (all), ``task`` the number of the backward
    pass (the one at that step). ``names`` are tensors by name, for a tensor without a trace; by default the variables
    of the calling code.

    How much of it: ``style`` is ``cards``, which pair a value with its grad_fn, or ``graph``, the bare grad_fns.
    ``values`` is how many numbers a tensor may hold to be shown with them. ``show`` is ``forward``, ``backward`` or
    ``both``, in the same places; ``detail`` is ``all``, ``shapes`` or ``versions``. ``fold`` makes one card of what
    belongs together: ``loops``, ``modules``, ``composites``, a depth of modules, a function that is asked about each
    card and names its group, or several of these. ``around`` is a tensor, or its name, and ``reach`` how many links
    away from it the picture ends. A graph of more than 5,000 cards is folded unasked.

    How it looks: ``direction`` is ``right`` or ``down``, ``theme`` is ``light``, ``dark``, ``high-contrast`` or
    ``colour-blind``; ``labels`` gives names other words, ``title`` the whole; ``legend`` tells what signs mean. A row
    of cards wider than ``widest`` pixels goes on in the next line; None lets it run. ``scale`` is a PNG's pixels for
    each of an SVG's, or ``dpi`` its pixels to the inch; ``embed_font`` puts the letters into an SVG (30 kB).

    Raises ``DrawError``, with a sentence for people, when it cannot.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> draw((w * w).sum())
    <Picture of How this tensor came to be: 3 cards>
    """
    target = None if path is None else Path(path)
    if target is not None:
        writer_for(target)
    options = Options(
        style=style,
        values=values,
        show=show,
        detail=detail,
        fold=fold,
        around=around,
        reach=reach,
        direction=direction,
        theme=theme,
        legend=legend,
        labels=labels or {},
    )
    with undisturbed():
        subject = _subject(what, step, task, names, title)
        made = composed(subject, options)
    trace = what.trace if isinstance(what, Cursor) else what
    film = Moving(trace if isinstance(trace, Trace) else subject, task, options, title=title, widest=widest)
    picture = Picture(
        made.scene,
        whole=made.whole,
        scale=scale if dpi is None else dpi / POINTS,
        widest=widest,
        embed_font=embed_font,
        options=options,
        film=film,
    )
    if target is not None:
        picture.save(target)
    return picture


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
