"""Why a gradient that one might expect is not there, in a few words. Must not know how it looks."""

from __future__ import annotations

from inspector.draw.mismatch import Mismatch
from inspector.draw.selection import Part, Selection
from inspector.draw.subject import Subject
from inspector.draw.titles import Titles
from inspector.trace.state import Status, TensorState


class Missing:
    """Answers for one picture."""

    def __init__(self, subject: Subject, chosen: Selection, titles: Titles, broken: list[Mismatch]) -> None:
        self._subject = subject
        self._titles = titles
        self._needs: dict[str, str] = {}
        for one in broken:
            self._note(one, chosen)

    def _note(self, broken: Mismatch, chosen: Selection) -> None:
        """What flows into a node that failed over ``broken`` needs the value that is gone: ``needs q@v0``."""
        node = chosen.parts[broken.victim].node
        if node is None or self._subject.node(node).status is not Status.FAILED:
            return
        text = f"needs {self._titles.short(broken.saved.tensor)}@v{broken.saved.version}"
        for flow in chosen.flows:
            if flow.target == broken.victim:
                self._needs.setdefault(flow.source, text)

    def why(self, part: Part, state: TensorState) -> str:
        """Nothing while the pass still runs, or when the gradient is there."""
        task = self._subject.pass_()
        if state.grad is not None or task is None or task.ended is None or part.node is None:
            return ""
        ran = self._subject.node(part.node).status in (Status.DONE, Status.FREED)
        if ran and task.called == "backward":
            return "cleared since"
        if task.called != "backward":
            return f"{task.called}() leaves it alone"
        if task.failed is not None:
            return self._needs.get(part.key, "not reached")
        return "not asked for" if task.inputs is not None else "not reached"
