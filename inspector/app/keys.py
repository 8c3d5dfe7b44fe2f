"""Every action of the app, once: its key, what the key bar and the palette call it, and what the help says of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from inspector.app.desk import LOWER

Group = Literal["Step", "Script", "Jump", "Stop", "Teach", "Look", "App"]


@dataclass(frozen=True, slots=True)
class Key:
    """An action that a key, a button and the palette share."""

    keys: str
    """What Textual calls the keys, with commas between."""
    sign: str
    """How the key is written."""
    action: str
    label: str
    help: str
    group: Group
    rank: int = 9
    """Where it stands in the key bar; what has 9 stands in the help only."""
    live: bool = False
    """Whether it is for a script that runs beside the trace, and hidden where none does."""


KEYS: tuple[Key, ...] = (
    Key("right", "→", "forward", "step", "one event on", "Step", 1),
    Key("left", "←", "back", "back", "one event back", "Step", 1),
    Key("space", "space", "play", "play", "play, or pause", "Step", 2),
    Key("o", "o", "next('op')", "", "to the next operation of the forward pass", "Step"),
    Key("O", "O", "previous('op')", "", "to the operation before", "Step"),
    Key("n", "n", "next('node')", "node", "to the next node that runs", "Step", 2),
    Key("p", "p", "previous('node')", "", "to the node that ran before", "Step"),
    Key("c", "c", "continue", "continue", "let the script run on; while it runs, pause it", "Script", 1, live=True),
    Key("r", "r", "restart", "restart", "the script anew, from its beginning", "Script", 2, live=True),
    Key("x", "x", "stop_script", "stop", "end the script; what was recorded stays", "Script", 2, live=True),
    Key("i", "i", "type", "type", "type for the script: it reads its input from here", "Script", 1, live=True),
    Key("ctrl+c", "^c", "interrupt", "", "pause a running script, wherever it is", "Script", live=True),
    Key("u", "u", "run_to", "until", "run until … a line, a node, a tensor, a NaN, ‖g‖ > 100", "Step", 4),
    Key("plus,equals_sign", "+", "faster", "", "play faster", "Step"),
    Key("minus", "-", "slower", "", "play slower", "Step"),
    Key("home", "home", "start", "", "to the beginning of the run", "Step"),
    Key("end", "end", "finish", "", "to its end", "Step"),
    Key("v", "v", "next('bump')", "bump", "to the next write that bumps a version", "Jump", 3),
    Key("V", "V", "previous('bump')", "", "to the write before", "Jump"),
    Key("a", "a", "next('accumulation')", "accum", "to the next gradient added to a .grad", "Jump", 3),
    Key("A", "A", "previous('accumulation')", "", "to the accumulation before", "Jump"),
    Key("d", "d", "next('backward')", "backward", "to the next call of backward()", "Jump", 4),
    Key("D", "D", "previous('backward')", "", "to the call before", "Jump"),
    Key("exclamation_mark", "!", "error", "error", "to the error; again, to the next one", "Jump", 2),
    Key("g", "g", "ask_step", "go to", "to a step by its number, or to a share of the run (50%)", "Jump", 5),
    Key("slash", "/", "find", "find", "find an event by name, operation or kind", "Jump", 3),
    Key(
        "colon,ctrl+p",
        ":",
        "palette",
        "go",
        "to a step, line, tensor, node or condition; any command",
        "Jump",
        5,
    ),
    Key("left_square_bracket,backspace", "[", "went('back')", "", "back to where the last jump left", "Jump"),
    Key("right_square_bracket", "]", "went('forward')", "", "and forward again", "Jump"),
    Key("b", "b", "break", "break", "set or remove a breakpoint on what has the keys", "Stop", 2),
    Key("B", "B", "breakpoints", "", "all breakpoints; conditions in words", "Stop"),
    Key("full_stop", ".", "run_on('next')", "run on", "run to the next breakpoint", "Stop", 6),
    Key("comma", ",", "run_on('previous')", "", "run back to the breakpoint before", "Stop"),
    Key("m", "m", "bookmark", "mark", "set a bookmark here, with a caption", "Stop", 6),
    Key("M", "M", "bookmarks", "", "all bookmarks", "Stop"),
    Key("apostrophe", "'", "to_bookmark('next')", "", "to the next bookmark", "Stop"),
    Key("quotation_mark", '"', "to_bookmark('previous')", "", "to the bookmark before", "Stop"),
    Key("P", "P", "present", "", "present: graph and caption only; page keys turn bookmarks", "Teach"),
    Key("Q", "Q", "quiz", "", "quiz: hide gradients until they are guessed; again: show all", "Teach"),
    Key("y", "y", "guess", "", "guess the gradient of what is selected", "Teach"),
    Key("tab", "tab", "next_pane", "pane", "to the next pane", "Look", 4),
    Key("shift+tab", "⇧tab", "previous_pane", "", "to the pane before", "Look"),
    Key("z", "z", "zoom", "zoom", "cards, boxes or chips in the graph", "Look", 2),
    Key("F", "F", "fold", "fold", "fold the graph: by module, by composite, by loop, or not", "Look", 5),
    Key("G", "G", "near", "", "the graph about the selected node only, or the whole", "Look"),
    Key("up,k", "↑ k", "look(0,-1)", "", "up: to the node or link above, or scroll", "Look"),
    Key("down,j", "↓ j", "look(0,1)", "", "down", "Look"),
    Key("h", "h", "look(-1,0)", "", "to the node or link on the left", "Look"),
    Key("l", "l", "look(1,0)", "", "to the node or link on the right", "Look"),
    Key("enter", "⏎", "follow", "", "follow the link that is marked", "Look"),
    *(
        Key(str(digit), str(digit), f"to('{pane}')", "", f"the {pane}, under the timeline", "Look")
        for digit, pane in enumerate(LOWER, 1)
    ),
    Key("escape", "esc", "unpin", "", "let tensor and node follow the step again", "Look"),
    Key("w", "w", "why", "why", "to the explanation", "Look", 3),
    Key("f", "f", "check", "check", "check the node's gradients by finite differences", "Look", 6),
    Key("t", "t", "next_theme", "", "the next theme", "App"),
    Key("e", "e", "export", "export", "a picture of this step, a page of the run, a pane's text", "App", 6),
    Key("s", "s", "save", "save", "save what is on the screen as SVG", "App", 5),
    Key("question_mark", "?", "keys", "help", "this page", "App", 1),
    Key("q", "q", "quit", "quit", "leave", "App", 1),
)


def shown(room: int, offers: Collection[str] = ()) -> list[Key]:
    """The keys for a bar of ``room`` cells: the most important ones that fit, in their usual order.

    ``offers`` are the actions that a script has a use for just now.
    """
    chosen: list[Key] = []
    barred = [key for key in KEYS if key.rank < 9 and (not key.live or key.action in offers)]
    for key in sorted(barred, key=lambda key: key.rank):
        if sum(width(one) for one in [*chosen, key]) <= room:
            chosen.append(key)
    return [key for key in KEYS if key in chosen]


def width(key: Key) -> int:
    """The cells that a key takes in the bar."""
    return len(key.sign) + len(key.label) + 3
