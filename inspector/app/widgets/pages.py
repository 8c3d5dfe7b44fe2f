"""The panes that are read like a page: tensor, node and why."""

from __future__ import annotations

from inspector.app.lines import Line
from inspector.app.reading import nodes, tensors, why
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Page


class TensorPane(Page):
    """Every field of the selected tensor."""

    TITLE = "TENSOR"

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        self.entitle(*tensors.title(moment))
        return tensors.lines(moment, room)


class NodePane(Page):
    """The selected node: its formula, its gradients and what it saved."""

    TITLE = "NODE"

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        self.entitle(*nodes.title(moment))
        return nodes.lines(moment, room)


class WhyPane(Page):
    """The explanation of what went wrong, or of what the reader may wonder about."""

    TITLE = "WHY"

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        self.entitle()
        return why.lines(moment, room)
