"""From a subject to the scene that was asked for: selected, written in a style, folded, narrowed down, trimmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from inspector.draw.bare import bare
from inspector.draw.cards import cards
from inspector.draw.errors import DrawError
from inspector.draw.fold import folded
from inspector.draw.headline import headline
from inspector.draw.live import is_tensor
from inspector.draw.options import Options
from inspector.draw.scene import Card, Link, Scene
from inspector.draw.selection import Selection, select
from inspector.draw.subject import Subject
from inspector.draw.trim import neighbourhood, trimmed

LIMIT = 5000
"""A picture of more nodes is folded unasked."""
UTMOST = 100_000
"""More nodes than these are not even looked at: a card takes some ten kilobytes while it is made."""

Style = Callable[[Subject, Selection, int], tuple[tuple[Card, ...], tuple[Link, ...]]]
STYLES: Mapping[str, Style] = {"cards": cards, "graph": bare}


@dataclass(frozen=True, slots=True)
class Composed:
    """A scene, and the whole of which it may be a half: positions are found for the whole."""

    scene: Scene
    whole: Scene


def composed(subject: Subject, options: Options) -> Composed:
    """What the picture of ``subject`` shows. Raises ``DrawError`` if it were too much, whatever is folded."""
    subject = renamed(subject, options)
    chosen = select(subject, UTMOST)
    built, links = STYLES[options.style](subject, chosen, options.values)
    scene = _folded(Scene(*headline(subject, chosen), built, links), subject, chosen, options)
    if options.around is not None:
        scene = neighbourhood(scene, _name_of(options.around, subject), options.reach)
    return Composed(trimmed(scene, options.show, options.detail), scene)


def renamed(subject: Subject, options: Options) -> Subject:
    """The subject with the words that ``labels`` gives for names."""
    if not options.labels:
        return subject
    return replace(subject, names={key: options.labels.get(name, name) for key, name in subject.names.items()})


def _folded(scene: Scene, subject: Subject, chosen: Selection, options: Options) -> Scene:
    scene = folded(scene, subject, chosen, options.fold)
    before = len(scene.cards)
    for how in ("loops", "composites", "modules"):
        if len(scene.cards) > LIMIT:
            scene = folded(scene, subject, chosen, how)
    if len(scene.cards) > LIMIT:
        raise DrawError(
            f"This graph has {before:,} cards, and a picture holds {LIMIT:,} at most, with loops and modules folded: "
            "draw an earlier step, a shorter loop, or what is around one tensor."
        )
    if len(scene.cards) < before:
        detail = f"{before:,} cards are too many: folded to {len(scene.cards):,}"
        scene = replace(scene, detail=" · ".join(text for text in (scene.detail, detail) if text))
    return scene


def _name_of(thing: object, subject: Subject) -> str:
    """The name under which a tensor, or a name, is found in the picture."""
    if not is_tensor(thing):
        return str(thing)
    serial = getattr(thing, "serial", None)
    return subject.names.get(serial, "") if isinstance(serial, int) else ""
