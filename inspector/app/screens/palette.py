"""The command palette: beside every command it answers with places in the trace, and remembers which were gone to."""

from __future__ import annotations

import asyncio
import functools
from itertools import islice
from typing import TYPE_CHECKING

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from inspector.app.searching import Found, search

if TYPE_CHECKING:
    from inspector.app.screens.desk import DeskScreen

HINT = "a step, tensor, node, line or operation;  f32[3,2];  W1.grad is None;  nan;  ‖g‖ > 100;  or a command"
LISTED = 80
REMEMBERED = 12


class Recent(DiscoveryHit):
    """A place that one went to; the latest stand before all commands."""

    @property
    def score(self) -> float:
        """Above that of what is merely there."""
        return 1.0


class Places(Provider):
    """Searches the trace of the desk."""

    @property
    def desk(self) -> DeskScreen:
        """The screen under the palette."""
        from inspector.app.screens.desk import DeskScreen

        assert isinstance(self.screen, DeskScreen)
        return self.screen

    async def discover(self) -> Hits:
        """Before anything is typed: where one went last."""
        for found in self.desk.gone_to:
            yield Recent(shown(found), functools.partial(self.go, found), found.words, found.about)

    async def search(self, query: str) -> Hits:
        """Aside, for a long trace takes a while; the most certain answers come first."""
        moment = self.desk.walk.moment(self.desk.view)
        answers = await asyncio.to_thread(lambda: list(islice(search(moment, query), LISTED)))
        for rank, found in enumerate(answers):
            yield Hit(1 - rank / LISTED, shown(found), functools.partial(self.go, found), found.words, found.about)

    def go(self, found: Found) -> None:
        """Follow an answer, and remember it."""
        self.desk.gone_to[:] = [found, *(one for one in self.desk.gone_to if one != found)][:REMEMBERED]
        self.desk.jump(found.jump)


def shown(found: Found) -> Content:
    """An answer's words; what they are about stands under them."""
    return Content(found.words)


def palette() -> CommandPalette:
    """The palette, with a hint of what it takes."""
    return CommandPalette(placeholder=HINT, id="--command-palette")
