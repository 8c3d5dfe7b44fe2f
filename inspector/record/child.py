"""The script's process: runs a script as ``python SCRIPT ARGS…`` would, while the recorder sends what happens.

The script finds its own ``__main__``, ``sys.argv`` and ``sys.path``. ``inspector.record.start`` comes before this, and
``inspector.record.runner`` watches from the other process.
"""

from __future__ import annotations

import atexit
import builtins
import faulthandler
import json
import os
import signal
import sys
import threading
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path

from inspector.record import breaking
from inspector.record.channel import Outlet
from inspector.record.interrupts import Interrupts
from inspector.record.journal import STROKES
from inspector.record.meeting import ORDER, join
from inspector.record.output import ScriptText, ToWatcher
from inspector.record.recorder import Recorder
from inspector.record.standin import stand_in_for
from inspector.record.tracebacks import message_of, place_of, trimmed
from inspector.record.typed import typed
from inspector.record.unfold import Note
from inspector.trace.facts import Fact, Place, Printed, ScriptEnded
from inspector.trace.labels import Labels
from minigrad import provenance

NUDGE = "SIGURG"
"""The signal by which the watcher asks for attention where no event comes: whoever does not know it ignores it."""
UNWATCHED = "nobody steps through this run, so it goes on: `inspector run --live SCRIPT` stops here"


class Session:
    """The recorder, the outlet and the streams of one script. With ``stops`` somebody lets it go on from a pause."""

    def __init__(self, address: str, limit: int, paused: bool, stops: bool = False) -> None:
        self._outlet = Outlet(join(address), paused=paused)
        self._stops = stops
        self._late = False
        """Whether a nudge came while something was being sent."""
        own = (Session.end.__code__, Session._finish.__code__, Session._reads.__code__)
        delicate = (Recorder.record.__code__, *STROKES, ToWatcher.write.__code__, *own)
        self._interrupts = Interrupts(delicate, patient=(Outlet.wait_if_paused.__code__,))
        self._streams = tuple(self._stream(name, fd) for name, fd in (("stdout", 1), ("stderr", 2)))
        self._recorder = Recorder(self.send, limit=limit, after=self._after_event)
        self._recorder.tell_each_event(paused)
        self._outlet.unfold = self._recorder.unfold

    def begin(self) -> None:
        """Take over the streams and the interrupt, and listen."""
        sys.stdout, sys.stderr = self._streams
        if self._stops:
            self._let_reader_in()
        breaking.stops.append(self._break)
        self._interrupts.take_over()
        faulthandler.enable(2)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._flush_streams, after_in_child=self._abandon)
        self._outlet.begin()
        atexit.register(self._finish)  # the first to be registered is the last to run
        self._recorder.start()

    def send(self, told: Fact | Note) -> None:
        """Send what the recorder tells, after what the script printed before it."""
        self._flush_streams()
        self._outlet.send(told)

    def end(self, ended: ScriptEnded) -> None:
        """Say how the script ended; what its threads and exit functions still do is sent after it."""
        self.send(ended)
        self._outlet.flush()

    def _let_reader_in(self) -> None:
        """Somebody types for the script, may pause it where no event comes, and wants to see its breakpoints."""
        sys.stdin = typed(0, self._reads)
        self._outlet.labels = Labels()
        if hasattr(signal, NUDGE):
            signal.signal(getattr(signal, NUDGE), self._nudged)
        if "PYTHONBREAKPOINT" not in os.environ:
            sys.breakpointhook = breaking.breakpoint

    def _after_event(self) -> None:
        self._outlet.wait_if_paused()
        self._recorder.tell_each_event(self._outlet.paused)
        self._interrupts.deliver()

    def _pause_at(self, place: Place | None) -> None:
        """Wait for an order here, between two events."""
        self._flush_streams()
        self._outlet.wait(place)
        self._recorder.tell_each_event(self._outlet.paused)

    def _break(self, place: Place | None) -> str | None:
        if not (self._stops and self._outlet.open):
            return UNWATCHED
        self._pause_at(place)
        return None

    def _nudged(self, number: int, frame: object) -> None:
        """The watcher asks for what is held, and perhaps for a pause. A wait goes on; what is half sent comes first."""
        if self._outlet.waiting:
            return
        self._late = self._interrupts.is_delicate(frame)
        if self._late:
            self._outlet.nudge_later()
            return
        self._outlet.nudge()
        if self._outlet.interrupted:
            self._pause_at(_user_place())

    def _before_print(self) -> None:
        """A script that only prints is interrupted, and paused, between two pieces of what it prints."""
        self._interrupts.deliver()
        if self._late and threading.current_thread() is threading.main_thread():
            self._late = False
            self._outlet.nudge()
            if self._outlet.interrupted:
                self._outlet.wait(_user_place())
                self._recorder.tell_each_event(self._outlet.paused)

    def _reads(self, whether: bool) -> None:
        if whether:
            self._flush_streams()
        self._outlet.reads(whether, _user_place() if whether else None)

    def _stream(self, name: str, fd: int) -> ScriptText:
        return ScriptText(ToWatcher(name, fd, self._print, self._before_print))

    def _print(self, printed: Printed) -> bool:
        self._outlet.send(printed)
        return self._outlet.open

    def _flush_streams(self) -> None:
        for stream in self._streams:
            if not stream.closed:
                stream.flush()

    def _abandon(self) -> None:
        """In a forked process: it may go on and print, but is no part of the recording."""
        self._recorder.abandon()
        self._outlet.abandon()

    def _finish(self) -> None:
        self._recorder.stop()
        self._flush_streams()
        self._outlet.flush()


def _user_place() -> Place | None:
    """Where the script's own code is."""
    frame = provenance.user_frame()
    return None if frame is None else Place(*provenance.place_of(frame))


def run(path: str, session: Session) -> ScriptEnded:
    """Run the script at ``path`` in a ``__main__`` of its own, and tell how it ended."""
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return _not_python(path, error)
    sys.modules["__main__"] = main = _main_module(path)
    session.begin()
    try:
        exec(code, main.__dict__)
    except SystemExit as leaving:
        return _left(leaving)
    except BaseException as error:
        return _raised(error)
    return ScriptEnded("ok", 0)


def _main_module(path: str) -> types.ModuleType:
    main = types.ModuleType("__main__")
    loader = SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=builtins, __annotations__={}, __loader__=loader)
    return main


def _not_python(path: str, error: SyntaxError | ValueError) -> ScriptEnded:
    line = getattr(error, "lineno", None)
    where = f"{path}:{line}" if line else path
    return ScriptEnded("syntax", 1, type(error).__name__, f"{where}: {getattr(error, 'msg', error)}", trimmed(error))


def _left(leaving: SystemExit) -> ScriptEnded:
    code = leaving.code
    if code is None or code == 0:
        return ScriptEnded("ok", 0)
    if isinstance(code, int):
        return ScriptEnded("exit", code & 0xFF)
    print(code, file=sys.stderr)
    return ScriptEnded("exit", 1, message=str(code))


def _raised(error: BaseException) -> ScriptEnded:
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
    status = 130 if isinstance(error, KeyboardInterrupt) else 1
    name, place = type(error).__name__, place_of(error)
    return ScriptEnded("error", status, name, message_of(error), trimmed(error), place=place)


def main() -> None:
    """Called in the script's process, with the script and its arguments in ``sys.argv``."""
    order = json.loads(os.environ.pop(ORDER))
    path = os.path.abspath(sys.argv[1])
    del sys.argv[0]
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    if order["stands_for"] is not None:
        stand_in_for(order["stands_for"])
    session = Session(order["address"], order["limit"], order["paused"], order["stops"])
    ended = run(path, session)
    session.end(ended)
    sys.exit(ended.status)
