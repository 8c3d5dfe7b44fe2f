"""The part of the desk for a class: the quiz, in which gradients are hidden until they are guessed; and presenting,
with nothing on the screen but the graph and a caption.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.reactive import var
from textual.screen import Screen

from inspector.app.keys import KEYS
from inspector.app.landmarks import Kind
from inspector.app.quiz import Quiz, Reply
from inspector.app.screens.guess import Guess
from inspector.app.view import View, Zoom
from inspector.app.walk import Walk
from inspector.trace.trace import Trace

PRESSED = 4
"""Keys that are shown."""


class Teaching(Screen[None]):
    """The keys of the quiz, and of who presents."""

    walk: Walk
    quiz: Quiz | None = None
    presents_at_first = False
    _zoom = Zoom.CARDS
    """How the graph looked before it was presented."""
    if TYPE_CHECKING:
        view: var[View]

        def draw_anew(self) -> None: ...
        def explain_anew(self) -> None: ...
        def action_to_bookmark(self, way: Literal["next", "previous"]) -> None: ...
        def action_next(self, kind: Kind) -> None: ...
        def action_previous(self, kind: Kind) -> None: ...

    def first_walk(self, trace: Trace, *, quiz: bool) -> Walk:
        """A walk through ``trace``; for a quiz, through what may be seen of it."""
        if not quiz:
            return Walk(trace)
        self.quiz = Quiz(trace)
        walk = Walk(self.quiz.trace)
        walk.score = self.quiz.score
        return walk

    def action_quiz(self) -> None:
        """Begin a quiz, or end it and show everything."""
        if self.quiz is None:
            self.quiz = Quiz(self.walk.trace)
            self._go_on_with(self.quiz.trace)
            self.notify("Gradients are hidden now. Choose a node and press y to guess; Q ends the quiz.", title="quiz")
        else:
            self.notify(f"{self.quiz.score}. All gradients are shown again.", title="quiz")
            truth, self.quiz = self.quiz.trace.truth, None
            self._go_on_with(truth)

    def _go_on_with(self, trace: Trace) -> None:
        """The same walk through a veiled trace instead of a bare one, or the other way round."""
        old, self.walk = self.walk, Walk(trace)
        self.walk.take_over(old)
        self.walk.child = old.child
        self.walk.score = None if self.quiz is None else self.quiz.score
        there = self.walk.go(replace(self.view, pinned=True), self.view.step)
        self.view = replace(there, pinned=self.view.pinned)
        self.draw_anew()
        self.explain_anew()

    # -- presenting

    def on_mount(self) -> None:
        """Begin as the command asks."""
        if self.presents_at_first:
            self.action_present()

    def action_present(self) -> None:
        """Hide all but the graph and a caption, or show everything again."""
        view = self.view
        self.set_class(not view.presenting, "presents")  # what is notified must not cover the caption
        if view.presenting:
            self.view = replace(view, presenting=False, zoom=self._zoom)
            return
        self._zoom = view.zoom
        self.view = replace(view, presenting=True, zoom=Zoom.POSTERS, pressed="")
        self.query_one("#graph").focus()

    def on_key(self, event: events.Key) -> None:
        """Who watches a presenter sees which keys they press."""
        if self.view.presenting:
            names = {key: one.sign for one in KEYS for key in one.keys.split(",")}
            pressed = [*self.view.pressed.split(), *names.get(event.key, "").split()[:1]]
            self.view = replace(self.view, pressed=" ".join(pressed[-PRESSED:]))

    def action_turn(self, way: Literal["next", "previous"]) -> None:
        """What the buttons of a presenter's remote do: to the next bookmark; without any, to the next node."""
        if self.walk.bookmarks:
            self.action_to_bookmark(way)
        elif way == "next":
            self.action_next("node")
        else:
            self.action_previous("node")

    def action_guess(self) -> None:
        """Ask for the gradient of what is selected."""
        if self.quiz is None:
            self.notify("There is no quiz: Q hides the gradients, and then y asks for one.")
            return
        question = self.quiz.question(self.walk.moment(self.view))
        if isinstance(question, str):
            self.notify(question, markup=False)
        else:
            self.app.push_screen(Guess(self.quiz, question), self._answered_guess)

    def _answered_guess(self, reply: Reply | None) -> None:
        if reply is None or self.quiz is None:
            return
        self.walk.score = self.quiz.score
        self.draw_anew()
        self.notify(reply.words, severity="information" if reply.right else "warning", markup=False, timeout=8)
