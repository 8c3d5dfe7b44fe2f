"""The desk: all panes about one view. It turns keys, clicks and commands into views, and views into pictures."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.layout import Layout
from textual.reactive import var
from textual.timer import Timer
from textual.worker import get_current_worker

from inspector.app.desk import LOWER, PANES, PILE, DeskLayout, Plan
from inspector.app.history import History
from inspector.app.keys import KEYS
from inspector.app.landmarks import Kind
from inspector.app.lines import Jump
from inspector.app.live import Live
from inspector.app.memory import Memory
from inspector.app.save import save_frame
from inspector.app.screens.ask import AskStep
from inspector.app.screens.checking import Checking
from inspector.app.screens.find import Find
from inspector.app.screens.folding import Folding
from inspector.app.screens.habits import Habits
from inspector.app.screens.help import Help
from inspector.app.screens.live import LiveDesk
from inspector.app.screens.teaching import Teaching
from inspector.app.themes import ORDER
from inspector.app.view import View, Zoom
from inspector.app.widgets.bars import Banner, Keybar, Rule, Tabs
from inspector.app.widgets.canvas import Canvas, Inkwell, Jumped
from inspector.app.widgets.events import EventsPane
from inspector.app.widgets.graph import GraphPane
from inspector.app.widgets.output import OutputPane
from inspector.app.widgets.pages import PAGES, ReadingPane
from inspector.app.widgets.source import SourcePane
from inspector.app.widgets.timeline import Timeline
from inspector.app.widgets.typing import TypeLine
from inspector.trace.trace import Trace

if TYPE_CHECKING:
    from inspector.explain import Finding

GROWTH = 0.1
"""Seconds between two looks at a trace that may be growing."""
FASTEST = 60
AHEAD = ("banner", "keybar", "timeline", "output", "events")
"""The panes that need no state."""
PATIENCE = 1.0
"""Seconds for which threads wait at most for the first picture: they would take half of the time from it."""
FAR = 20_000
"""From so many steps on, the way to the first one that is shown takes longer than a reader should wait."""


class Desk(Inkwell):
    """Holds the panes where the plan wants them."""

    DEFAULT_CSS = "Desk { width: 100%; height: 100%; }"

    def __init__(self) -> None:
        super().__init__(id="desk")
        self.plan = DeskLayout()

    @property
    def layout(self) -> Layout:
        """The plan of the panes."""
        return self.plan


class DeskScreen(LiveDesk, Habits, Teaching, Checking, Folding):
    """Everything there is to see of a trace, at one step."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.label or key.help, key_display=key.sign, show=False) for key in KEYS
    ]
    AUTO_FOCUS = "#graph"
    DEFAULT_CSS = """
    DeskScreen.presents ToastRack {
        dock: top;
        align: right top;
    }
    """

    view: var[View] = var(View(), init=False)

    def __init__(
        self,
        trace: Trace,
        *,
        at_end: bool = False,
        script: Live | None = None,
        memory: Memory | None = None,
        quiz: bool = False,
        presenting: bool = False,
    ) -> None:
        super().__init__()
        self.walk = self.first_walk(trace, quiz=quiz)
        self.presents_at_first = presenting
        self.script = script
        self.memory = memory
        self._at_end = at_end
        self.history = History()
        self._timer: Timer | None = None
        self._sought = ""
        self._unexplained = False
        self._panes: list[Canvas] = []
        self._arranged: Plan | None = None
        self._skipped = False
        """Whether panes are still to show the last move."""
        self._painted = threading.Event()
        """Once there is a first picture."""

    def compose(self) -> ComposeResult:
        """All panes, once; the plan says which of them are seen."""
        with Desk():
            yield Banner("banner")
            yield Tabs("tabs")
            yield SourcePane("source")
            yield OutputPane("output")
            yield TypeLine()
            yield Rule("between")
            yield GraphPane("graph")
            yield Rule("beside")
            yield Timeline("timeline")
            yield EventsPane("events")
            yield from map(ReadingPane, PAGES)
            yield Keybar("keybar")

    def on_mount(self) -> None:
        """Open where the reader wants to begin, and keep an eye on a trace that grows."""
        self._panes = list(self.query(Canvas))
        step = self.walk.marks.length if self._at_end else self.opening()
        failed = step in self.walk.marks.steps["error"]
        zoom = Zoom.CARDS if self.size.height >= 30 else Zoom.BOXES
        view = View(zoom=zoom, front="why" if failed else "source")
        self.view = self.walk.go(self.recalled(view), 0)
        self.open_at(step)
        self._explain()
        self.call_after_refresh(self._painted.set)
        if self.script is None:
            self.set_interval(GROWTH, self._grow)
        else:
            self.begin()

    def open_at(self, step: int) -> None:
        """Show ``step``; on the way to one that is far, the beginning."""
        if step < FAR:
            self.view = self.walk.go(self.view, step)
        else:
            self._read_to(step)

    @work(thread=True, group="read", description="read the trace")
    def _read_to(self, step: int) -> None:
        """Go through a long trace aside, so that the screen is there at once, and then open at ``step``."""
        worker = get_current_worker()
        self._painted.wait(PATIENCE)
        for reached in self.walk.trace.keyframes.build():
            if worker.is_cancelled:  # the app ends, which would wait for this
                return
            self.app.call_from_thread(self._has_read, reached, step)
        self.app.call_from_thread(self._has_read, self.walk.marks.length, step)

    @property
    def _is_up(self) -> bool:
        """Whether the panes are there: what is worked out aside may arrive while the app takes them down."""
        return bool(self.query(Banner))

    def _has_read(self, reached: int, step: int) -> None:
        if not self._is_up:
            return
        self.walk.progress = reached / self.walk.marks.length if reached < self.walk.marks.length else None
        if reached >= step and self.view.step == 0:
            self.go(step)
        self.query_one(Banner).show(self.walk.moment(self.view))

    @work(thread=True, exclusive=True, group="explain", description="explain the trace")
    def _explain(self) -> None:
        """Have the trace explained aside. A diagnosis that fails is no reason to leave the reader without the rest."""
        worker = get_current_worker()
        self._painted.wait(PATIENCE)
        try:
            findings = self.walk.explain(while_=lambda: not worker.is_cancelled)
        except Exception as error:
            message = f"The explanation failed: {type(error).__name__}: {error}"
            self.app.call_from_thread(self.notify, message, severity="warning")
        else:
            if not worker.is_cancelled:
                self.app.call_from_thread(self._explained, findings)

    def _explained(self, findings: tuple[Finding, ...]) -> None:
        if self._is_up:
            self.walk.findings = findings
            self._draw()

    # -- from a view to the screen

    def watch_view(self, old: View, new: View) -> None:
        """Draw what changed."""
        if old.playing != new.playing or old.speed != new.speed:
            self._play_at(new.speed if new.playing else 0)
        self._arrange()
        if self.app.message_queue_size:
            self._skip()
        else:
            self._draw()

    def _skip(self) -> None:
        """While a key is held down faster than panes are drawn: draw once, when the keys that wait have been heard."""
        if not self._skipped:
            self._skipped = True
            self.call_later(self._draw_skipped)

    def _draw_skipped(self) -> None:
        if self._skipped:
            self._draw()

    def _draw(self) -> None:
        if self._skipped:
            self._skipped = False
            self.walk.change = None  # of what the panes show, more has changed than in the last move
        moment = self.walk.moment(self.view)
        seen = self.places.regions
        for pane in self._panes:
            if pane.id in seen:
                pane.show(moment)

    def draw_ahead(self) -> None:
        """Draw only how far the script is, and what it prints: the cursor comes after it, and all that hangs on it."""
        moment = self.walk.moment(self.view)
        last = replace(moment, view=replace(self.view, step=self.walk.marks.length))
        seen = self.places.regions
        for pane in self._panes:
            if pane.id in AHEAD and pane.id in seen:
                pane.show(last)

    def draw_anew(self) -> None:
        """Draw everything, though the view is the same: what is marked in it has changed."""
        for pane in self._panes:
            pane.forget()
        self._draw()

    def _arrange(self) -> None:
        """Let the plan follow the view: which pane is in front, and whether an error wants room."""
        plan, failed = self.desk.plan, self.view.step in self.walk.marks.steps["error"]
        wanted = (self.view.front, self.view.lower, failed, self.view.presenting)
        if (plan.front, plan.lower, plan.failed, plan.presenting) != wanted:
            plan.front, plan.lower, plan.failed, plan.presenting = wanted
            self.query_one(Tabs).refresh(layout=True)  # a widget's own call has its parent arranged anew, not itself
        places = self.places
        if places is self._arranged:
            return
        self._arranged = places
        self.desk.set_class(bool(places.pile), "piled")
        self.query_one(Tabs).pick(places.pile, self.view.front)
        for rule in self.query(Rule):
            if rule.id in places.regions:
                rule.draw(places.rule(str(rule.id)))

    @property
    def places(self) -> Plan:
        """Where everything stands now."""
        return self.desk.plan.plan(self.desk.size)

    @property
    def desk(self) -> Desk:
        """Where the panes are."""
        return self.query_one(Desk)

    def on_resize(self) -> None:
        """Another size may put panes on the pile, or take them off."""
        if self.is_mounted:
            self._arrange()
            self.call_after_refresh(self._draw)

    def _grow(self) -> None:
        """Draw anew what a recording in progress has added, and have it explained when it pauses."""
        if self.walk.grow():
            self._unexplained = True
            self._draw()
        elif self._unexplained:
            self._unexplained = False
            self._explain()

    draw_growth = _draw

    def explain_anew(self) -> None:
        """Have what is new explained as well."""
        self._explain()

    def show_typing(self, shown: bool) -> None:
        """Have a line to type in at the foot of the output, which comes to the front of its pile, or no more."""
        if shown != self.desk.plan.typing:
            self.desk.plan.typing = shown
            if shown and "output" in self.places.pile:
                self.view = replace(self.view, front="output")
            self.query_one(Tabs).refresh(layout=True)

    # -- moving

    def go(self, step: int | None) -> None:
        """Move to ``step``; None stays, with a sign that there is nothing that way."""
        if step is None:
            self.app.bell()
        elif step != self.view.step:
            self.view = self.walk.go(self.view, step)

    def action_forward(self) -> None:
        self.onward("event")

    def action_back(self) -> None:
        self.go(self.walk.previous("event", self.view.step))

    def leap(self, step: int | None) -> None:
        """Move to ``step``, from where the reader can come back."""
        if step is not None and step != self.view.step:
            self.history.leave(self.view)
        self.go(step)

    def action_went(self, way: Literal["back", "forward"]) -> None:
        """Back to the view that a jump left, or forward again."""
        view = self.history.back(self.view) if way == "back" else self.history.forward(self.view)
        if view is None:
            self.app.bell()
            return
        there = self.walk.go(replace(view, pinned=True), view.step)
        self.view = replace(there, pinned=view.pinned, playing=False)

    def action_next(self, kind: Kind) -> None:
        self.onward(kind)

    def action_previous(self, kind: Kind) -> None:
        self.leap(self.walk.previous(kind, self.view.step))

    def action_start(self) -> None:
        self.leap(0)

    def action_finish(self) -> None:
        self.leap(self.walk.marks.length)

    def action_error(self) -> None:
        """The next error, and after the last the first again; the explanation comes with it."""
        errors = self.walk.marks.steps["error"]
        if self.can_move and self.walk.next("error", self.view.step) is None:
            self.onward("error")
            return
        if not errors:
            self.notify("Nothing went wrong in this run.")
            return
        step = self.walk.next("error", self.view.step) or errors[0]
        self.history.leave(self.view)
        self.view = replace(self.walk.go(replace(self.view, pinned=False), step), front="why")

    def action_play(self) -> None:
        """Play or pause; at the end, begin anew."""
        if not self.view.playing and self.walk.next("event", self.view.step) is None and not self.can_move:
            self.go(0)
        self.view = replace(self.view, playing=not self.view.playing)

    def _play_at(self, speed: int) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_interval(1 / speed, self._play_on) if speed else None

    def _play_on(self) -> None:
        step = self.walk.next("event", self.view.step)
        if step is None and self.can_move:
            self.onward("event")
        elif step is None and not self.is_moving:
            self.view = replace(self.view, playing=False)
        elif step is not None:
            self.go(step)

    def action_faster(self) -> None:
        self.view = replace(self.view, speed=min(FASTEST, self.view.speed * 2))

    def action_slower(self) -> None:
        self.view = replace(self.view, speed=max(1, self.view.speed // 2))

    # -- choosing

    def on_jumped(self, message: Jumped) -> None:
        """Go where a click leads."""
        self.jump(message.jump)

    def jump(self, jump: Jump) -> None:
        """Follow a jump: to a step, a node, a tensor, a line of source, a pane; or do what a key does."""
        match jump:
            case Jump("step", int(step)):
                self.leap(step)
            case Jump("node", int(node)):
                self._select(node=node)
            case Jump("tensor", int(tensor)):
                self._select(tensor=tensor)
            case Jump("line", int(line), file):
                self.to_line(file, line)
            case Jump("pane", str(pane)):
                self._to_pane(pane)
            case Jump("action", str(action)):
                self.run_worker(self.run_action(action))

    def _select(self, node: int | None = None, tensor: int | None = None) -> None:
        """Keep a node or a tensor in view. With a node comes the tensor whose gradient it takes, and the other way."""
        if node is not None:
            tensor = self.walk.tensor_of(node)
        elif tensor is not None:
            state = self.walk.cursor.state.tensors.get(tensor)
            node = None if state is None else state.grad_fn if state.grad_fn is not None else state.accumulator
        view = self.view
        self.history.leave(view)
        node, tensor = (view.node if node is None else node), (view.tensor if tensor is None else tensor)
        self.view = replace(view, node=node, tensor=tensor, pinned=True)

    def action_unpin(self) -> None:
        if self.view.presenting:
            self.action_present()
        self.view = self.walk.go(replace(self.view, pinned=False), self.view.step)

    def action_look(self, dx: int, dy: int) -> None:
        """In the graph choose a neighbour, in the list of events go to one, in a page choose a link; or scroll."""
        focused = self.focused
        if isinstance(focused, EventsPane):
            self.go((self.walk.next if dy > 0 else self.walk.previous)("event", self.view.step) if dy else None)
        elif isinstance(focused, Canvas):
            focused.choose(dx, dy)

    def action_follow(self) -> None:
        """Go where the chosen link of the pane leads."""
        jump = self.focused.follow() if isinstance(self.focused, Canvas) else None
        if jump is None:
            self.app.bell()
        else:
            self.jump(jump)

    # -- looking

    def action_next_pane(self) -> None:
        self._cycle(1)

    def action_previous_pane(self) -> None:
        self._cycle(-1)

    def _cycle(self, by: int) -> None:
        at = self.focused.id if self.focused is not None and self.focused.id in PANES else PANES[0]
        self._to_pane(PANES[(PANES.index(str(at)) + by) % len(PANES)])

    def _to_pane(self, pane: str) -> None:
        """Give a pane the keys, and bring it to the front of its pile; who presents is done with it then."""
        if self.view.presenting and pane != "graph":
            self.action_present()
        if pane in LOWER:
            self.view = replace(self.view, lower=pane)
        elif pane in PILE or pane in self.places.pile:
            self.view = replace(self.view, front=pane)
        self.query_one(f"#{pane}").focus()

    def on_descendant_focus(self) -> None:
        """The rule above the lower panes belongs to the timeline."""
        self.query_one(Timeline).light(self.focused is not None and self.focused.id in LOWER)

    def on_descendant_blur(self) -> None:
        self.query_one(Timeline).light(False)

    def action_to(self, pane: str) -> None:
        self._to_pane(pane)

    def action_why(self) -> None:
        self._to_pane("why")

    def action_zoom(self) -> None:
        """Cards, boxes, chips, and cards again; who presents has posters."""
        most = Zoom.POSTERS if self.view.presenting else Zoom.CARDS
        self.view = replace(self.view, zoom=Zoom(self.view.zoom - 1) if self.view.zoom > 1 else most)

    # -- sheets and the rest

    def action_ask_step(self) -> None:
        self.app.push_screen(AskStep(self.view.step, self.walk.marks.length), self._answered)

    def action_find(self) -> None:
        sheet = Find(self.walk.moment(self.view), self._sought)

        def found(step: int | None) -> None:
            self._sought = sheet.words
            self._answered(step)

        self.app.push_screen(sheet, found)

    def _answered(self, step: int | None) -> None:
        if step is not None:
            self.leap(step)

    def action_keys(self) -> None:
        self.app.push_screen(Help(live=self.script is not None), self._helped)

    def _helped(self, action: str | None) -> None:
        if action is not None:
            self.jump(Jump("action", action))

    def action_next_theme(self) -> None:
        at = ORDER.index(self.app.theme) if self.app.theme in ORDER else -1
        self.app.theme = ORDER[(at + 1) % len(ORDER)]

    def action_save(self) -> None:
        """Save the screen beside the reader's other files, over none of them."""
        try:
            path = save_frame(self.app.export_screenshot(title="inspector"), self.view.step)
        except OSError as error:
            self.notify(f"The picture could not be saved: {error.strerror}.", severity="error")
        else:
            self.notify(f"Saved {path.name}")

    def action_quit(self) -> None:
        self.app.exit()

    def runner(self, action: str) -> Callable[[], None]:
        """A function that does what a key does, for the palette."""
        return lambda: self.jump(Jump("action", action))
