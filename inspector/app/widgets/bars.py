"""The bars: the banner above, the key bar below, and the tabs of the pile."""

from __future__ import annotations

from inspector.app.child import OFFERS
from inspector.app.keys import shown
from inspector.app.lines import Bit, Jump, Line, justified, line, width
from inspector.app.reading.places import short
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas
from inspector.draw.wording import plain


class Bar(Canvas, can_focus=False):
    """One row."""

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        super().show(moment)
        self.resize_to(self.window.width, 1)

    def on_resize(self) -> None:
        """A bar is as wide as the screen."""
        self.resize_to(self.window.width, 1)
        self.forget()


class Banner(Bar):
    """What is looked at, and where in it: script, step, whether it plays."""

    def row(self, y: int) -> Line:
        moment = self.moment
        if moment is None:
            return ()
        script = short(next(iter(moment.trace.sources), moment.trace.script or "no source"))
        left = line(
            (" ∇ ", "here"),
            ("inspector", "strong"),
            ("  │  ", "faint"),
            (script, "plain"),
            *self._quiz(moment),
            *self._how(moment),
            *self._caption(moment),
        )
        view = moment.view
        state = (f"▶ {view.speed}/s", "here") if view.playing else ("■ paused", "muted")
        play = Bit(state[0], "here" if view.playing else "muted", Jump("action", "play"))
        if moment.child is not None and not view.playing:
            steer = {"reading": "type", "ended": "error"}.get(moment.child.status, "continue")
            play = Bit(moment.child.words, moment.child.role, Jump("action", steer))
        share = f"step {view.step:,} of {moment.marks.length:,}"
        if moment.progress is not None:
            share = f"reading {moment.progress:.0%} of {moment.marks.length:,} steps"
        return justified(left, line(play, ("  │  ", "faint"), (share, "strong"), " "), self.window.width)

    def _quiz(self, moment: Moment) -> Line:
        """How the quiz goes; a click asks about what is selected."""
        if moment.score is None:
            return ()
        return line(("  │  ", "faint"), Bit(f"quiz: {moment.score}, y guesses", "gradient", Jump("action", "guess")))

    def _caption(self, moment: Moment) -> Line:
        """What the bookmark says that is set here."""
        caption = moment.bookmarks.caption(moment.view.step)
        words = f"⚑ {plain(caption)}" if caption else "⚑"
        return () if caption is None else line(("  │  ", "faint"), Bit(words, "here", Jump("action", "bookmark")))

    def _how(self, moment: Moment) -> Line:
        """How the run ended, if it did not end well; and where the error is."""
        ended = moment.marks.ended
        if moment.child is not None and moment.child.status == "ended":
            return ()  # it is told on the right
        if not moment.marks.steps["error"] or ended is None or ended.kind in ("ok", "exit"):
            return ()
        words = f"✗ {ended.error or ended.kind}"
        return line(("  │  ", "faint"), Bit(words, "alarm", Jump("action", "error")))


class Keybar(Bar):
    """The keys that matter most; each is a button too."""

    def show(self, moment: Moment) -> None:
        """Draw another moment: only playing and pausing make a difference, and what the script does."""
        before, self.moment = self.moment, moment
        if before is None or (before.view.playing, before.child) != (moment.view.playing, moment.child):
            self.on_resize()

    def row(self, y: int) -> Line:
        bits: list[Bit] = [Bit(" ")]
        moment = self.moment
        child = None if moment is None else moment.child
        runs = {
            "play": moment is not None and moment.view.playing,
            "continue": child is not None and child.status == "running",
        }
        for key in shown(self.window.width - 1, () if child is None else OFFERS[child.status]):
            label = "pause" if runs.get(key.action) else key.label
            bits += [
                Bit(key.sign, "key", Jump("action", key.action)),
                Bit(f" {label}", "muted", Jump("action", key.action)),
            ]
            bits.append(Bit("  "))
        return tuple(bits)


class Rule(Canvas, can_focus=False):
    """An upright line between panes, joined to their titles' lines."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.glyphs = ""

    def draw(self, glyphs: str) -> None:
        """Take the glyphs from the plan, from top to bottom."""
        if glyphs != self.glyphs:
            self.glyphs = glyphs
            self.resize_to(1, len(glyphs))
            self.forget()

    def show(self, moment: Moment) -> None:
        """A rule is the same at every moment."""

    def row(self, y: int) -> Line:
        return (Bit(self.glyphs[y], "rule"),) if y < len(self.glyphs) else ()


class Tabs(Bar):
    """The panes of the pile, the one in front marked."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.pile: tuple[str, ...] = ()
        self.front = ""

    def pick(self, pile: tuple[str, ...], front: str) -> None:
        """Say which panes lie on the pile, and which is in front."""
        self.pile, self.front = pile, front
        self.forget()

    def row(self, y: int) -> Line:
        names = [
            Bit(name.upper(), "marked" if name == self.front else "muted", Jump("pane", name)) for name in self.pile
        ]
        for gap in ("  ", " "):
            bits = [bit for name in names for bit in (name, Bit(gap))]
            if width(tuple(bits)) <= self.window.width:
                break
        return (Bit(" "), *bits)
