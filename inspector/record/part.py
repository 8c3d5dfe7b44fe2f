"""What the parts of the journal have in common: whom they hand notes to, and how much they keep of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.record.summary import Look

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder


class Part:
    """Some of the journal's strokes: methods that write one note each.

    A stroke takes just the parts of what it is told, and the functions that it calls from where they lie here: Python
    calls such a method in half the time, and goes on doing so in the next recording, whose strokes are the same.
    """

    def __init__(self, recorder: Recorder, look: Look) -> None:
        self.recorder, self.look = recorder, look
        self.nowhere, self.keep = recorder.nowhere, recorder.keep
        self.one, self.form, self.bare = look.one, look.form, look.bare
