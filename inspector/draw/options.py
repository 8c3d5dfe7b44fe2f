"""What a picture is to show, of all that it could: chosen once, for every step. Must not know how anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.draw.errors import DrawError
from inspector.draw.fold import How, check_ways
from inspector.draw.themes import palette_of

STYLES = ("cards", "graph")
SHOWS = ("both", "forward", "backward")
DETAILS = ("all", "shapes", "versions")
DIRECTIONS = ("right", "down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices; see ``draw``. Raises ``DrawError`` for one that does not exist."""

    style: str = "cards"
    values: int = 1
    show: str = "both"
    detail: str = "all"
    fold: How | Sequence[How] = ()
    around: Any = None
    reach: int = 2
    direction: str = "right"
    theme: str = "light"
    legend: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, known in (("style", STYLES), ("show", SHOWS), ("detail", DETAILS), ("direction", DIRECTIONS)):
            given = getattr(self, name)
            if given not in known:
                what = (
                    f"no {name} {given!r}; draw in one of" if name == "style" else f"no {name}={given!r}; give one of"
                )
                raise DrawError(f"There is {what} {', '.join(known)}.")
        if self.style == "graph" and (self.show, self.detail) != ("both", "all"):
            raise DrawError("The bare graph shows grad_fns only: choose `show` and `detail` with the style 'cards'.")
        palette_of(self.theme)
        check_ways(self.fold)

    @property
    def shapes_the_scene(self) -> bool:
        """Whether it leaves cards or lines out, folds them, or draws them in another style."""
        chosen = (self.style, self.show, self.detail)
        return chosen != ("cards", "both", "all") or self.fold != () or self.around is not None
