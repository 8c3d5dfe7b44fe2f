"""The watcher of a script: starts it in a process of its own, collects what happens there, and can end it.

Whatever the script does, raise, exit, hang, fork, crash or print without end, the watcher lives on with all that was
recorded before. Does not import minigrad: only the script's process needs it.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from msgspec.structs import replace

from inspector.record.channel import Inlet
from inspector.record.keyboard import Keyboard
from inspector.record.meeting import ORDER, Meeting, meet
from inspector.record.output import CHUNK, Spool
from inspector.record.sources import Sources
from inspector.trace.codec import CodecError, decode_line
from inspector.trace.facts import Fact, Place, Printed, RecordingStopped, ScriptEnded
from inspector.trace.goals import Goal, encode_goals
from inspector.trace.trace import Trace

LIMIT = 1_000_000
"""Facts after which a recording stops, unless told otherwise."""
TIMED_OUT, STOPPED = 124, 130
"""The exit statuses of a script that ran out of time, as `timeout` gives it, and of one that was stopped."""

_START = Path(__file__).with_name("start.py")
_STAGES = ((("CTRL_BREAK_EVENT", "SIGINT"), 0.3), (("SIGTERM",), 0.2), (("SIGKILL", "SIGTERM"), 2.0))
"""How a script is ended: signals, of which the first that this system has is sent, and seconds to wait after it.
Windows knows SIGINT, but cannot send it."""
_SLOWEST_START = 60.0
BACKLOG = 64
"""Lines of facts that may wait to be polled; then the script has to wait."""
FAR_AHEAD = 3600.0
NUDGE, NUDGES = "SIGURG", (0.15, 1.0)
"""A signal that scripts ignore, and when a silent script gets it, in seconds since it was heard last."""
_LINGER = 0.3
"""Seconds to wait for the last output of a script that is gone; a process it left behind may hold its streams open."""


class Run:
    """One run of a script: ``start`` it, ``poll`` until ``ended`` is set, or ``stop`` it; ``trace`` grows meanwhile.

    ``stdin`` is a file descriptor, ``subprocess.DEVNULL`` (the script reads an empty input), None (it reads ours) or
    ``subprocess.PIPE`` (it reads what is given to ``type``). With ``paused`` the script waits at its first event for
    ``step``, ``until`` or ``resume``; with ``stops`` it waits at its breakpoints, too. ``stands_for`` is the name of a
    module, ``torch``, in whose place the script finds minigrad.
    """

    def __init__(
        self,
        script: str | os.PathLike[str],
        argv: Sequence[str] = (),
        *,
        stdin: int | None = subprocess.DEVNULL,
        timeout: float | None = None,
        limit: int = LIMIT,
        paused: bool = False,
        stops: bool = False,
        stands_for: str | None = None,
        meeting: Callable[[], Meeting] = meet,
    ) -> None:
        self.script = os.fspath(script)
        self.argv = list(argv)
        self.trace = Trace(script=os.path.abspath(self.script), argv=argv)
        self.ended: ScriptEnded | None = None
        """The last fact, once the script's process is gone and all that it sent has been polled."""
        self._sources = Sources(self.trace.sources)
        self._stdin = stdin
        self._timeout = timeout
        self._orders = {"limit": limit, "paused": paused, "stops": stops, "stands_for": stands_for}
        self._meeting = meeting
        self._arrived: queue.Queue[bytes | list[Fact]] = queue.Queue(BACKLOG)
        """Lines to be decoded by whoever polls, as fast as they like; a thread that did it would keep them waiting."""
        self._last = 0.0
        """When something arrived last."""
        self._keyboard = Keyboard()
        self._spools = {stream: Spool() for stream in ("stdin", "stdout", "stderr")}
        self._told: ScriptEnded | None = None
        self._garbled = False
        self._cut_short: str | None = None
        self._inlet: Inlet | None = None
        self._calls: list[float] = []
        self._silences: list[float] = []
        """When to ask for attention, should the script not have paused by then, or have said nothing more."""

    def start(self) -> None:
        """Start the script's process. Raises OSError if there can be none."""
        meeting = self._meeting()
        orders = json.dumps({"address": meeting.address, **self._orders})
        self._process = subprocess.Popen(
            [sys.executable, str(_START), self.script, *self.argv],
            env={**os.environ, ORDER: orders},
            stdin=self._stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **_apart(meeting),
        )
        self._sources.add(self.trace.script)  # for who looks at it before it does anything
        self._keyboard.plug_in(self._process.stdin)
        self._watched = weakref.finalize(self, _end_group, self._process)
        self._started = time.monotonic()
        self._begun: float | None = None
        self._gone: float | None = None
        pipes = {"stdout": self._process.stdout, "stderr": self._process.stderr}
        self._readers = [threading.Thread(target=self._read_facts, args=(meeting,), daemon=True)]
        for stream, pipe in pipes.items():
            self._readers.append(threading.Thread(target=self._read_output, args=(stream, pipe), daemon=True))
        for reader in self._readers:
            reader.start()

    @property
    def paused(self) -> bool:
        """Whether the script waits at an event, or elsewhere at ``place``, and all that it told has been polled."""
        return self._inlet is not None and self._inlet.paused and self._arrived.empty()

    @property
    def place(self) -> Place | None:
        """Where a script waits, paused or for somebody to type, if that is not at its last event."""
        return None if self._inlet is None else self._inlet.place

    @property
    def begun(self) -> bool:
        """Whether the script has started; Python itself takes a while to."""
        return self._inlet is not None and self._inlet.begun

    @property
    def reads(self) -> bool:
        """Whether the script waits for somebody to type."""
        return self._inlet is not None and self._inlet.reads and self.ended is None and self._arrived.empty()

    def pause(self) -> None:
        """Let the script wait at its next event; or, where none comes, wherever Python code of it runs."""
        self._order("pause")
        self._calls = self._later()

    def until(self, goals: Sequence[Goal]) -> None:
        """Let a paused script go on until one of ``goals`` is met."""
        self._order(f"until {encode_goals(goals)}")

    def step(self, events: int = 1) -> None:
        """Let a paused script go on until it has come to another ``events`` events."""
        self._order(f"step {events}")

    def resume(self) -> None:
        """Let a paused script run on."""
        self._order("run")

    def type(self, text: str | None) -> None:
        """Give the script something to read, which the trace shows as well; None ends its input."""
        if text:
            with contextlib.suppress(queue.Full):
                self._arrived.put_nowait([Printed("stdin", text)])  # before what the script answers
        self._keyboard.type(text)

    def poll(self, wait: float = 0.0, *, at_most: float = FAR_AHEAD) -> list[Fact]:
        """The facts that arrived since the last call; waits up to ``wait`` seconds for one. The last is ScriptEnded.

        What cannot be read in ``at_most`` seconds is left for the next call; meanwhile the script may have to wait.
        """
        if self.ended is not None:
            return []
        self._keyboard.send()
        facts = _joined(fact for batch in self._batches(wait, at_most) for fact in self._received(batch))
        self._nudge()
        if self._has_run_too_long() and self._process.poll() is None:
            self.stop("timeout")
        if self._is_over() and self._arrived.empty():
            facts += self._last_words()
        self._sources.note(facts)
        if self.place is not None:
            self._sources.add(self.place.file)
        self.trace.extend(facts)
        return facts

    def stop(self, kind: str = "stopped") -> None:
        """End the script and every process it started, in under a second; ``poll`` then tells the rest."""
        if self.ended is not None:
            return
        self._cut_short = self._cut_short or kind
        for signals, patience in _STAGES:
            if self._process.poll() is not None:
                break
            self._signal(first_known(signals))
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        self._signal_group_left_behind()

    def finish(self) -> None:
        """Stop the script and poll to the end."""
        self.stop()
        while self.ended is None:
            self.poll(0.05)

    def _has_run_too_long(self) -> bool:
        """The script's time begins when it does, not with Python's start and the import of NumPy."""
        if self._timeout is None:
            return False
        now = time.monotonic()
        if self._begun is None:
            if self._inlet is not None and self._inlet.begun:
                self._begun = now
            return now - self._started > self._timeout + _SLOWEST_START
        return now - self._begun > self._timeout

    def _order(self, order: str) -> None:
        if self._inlet is not None:
            self._inlet.order(order)

    @staticmethod
    def _later() -> list[float]:
        now = time.monotonic()
        return [now + delay for delay in NUDGES]

    def _nudge(self) -> None:
        """Ask a script for attention by a signal: one that was told to pause and has not, or that has fallen silent: it
        may hold back its last facts for those to come."""
        now = time.monotonic()
        due = [times for times in (self._calls, self._silences) if times and times[0] < now]
        for times in due:
            times.pop(0)
        if due and self.begun and not self.paused and self._orders["stops"] and hasattr(signal, NUDGE):
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(getattr(signal, NUDGE))

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def _signal_group_left_behind(self) -> None:
        if os.name == "posix":
            self._signal(signal.SIGKILL)

    def _read_facts(self, meeting: Meeting) -> None:
        connection = meeting.accept(lambda: self._process.poll() is None)
        if connection is None:
            return
        self._inlet = Inlet(connection)
        try:
            for line in self._inlet.lines():
                self._arrived.put(line)
        except CodecError as error:
            self._arrived.put([_unreadable(error)])
        else:
            if not self._dies_within(_LINGER) and self._told is None:
                self._arrived.put([RecordingStopped("the script closed the line to the recorder")])

    def _dies_within(self, patience: float) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.returncode is not None

    def _read_output(self, stream: str, pipe: IO[bytes] | None) -> None:
        """What did not go through ``sys.stdout``: other programs' output, and writes to the file descriptor."""
        assert pipe is not None
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with pipe:
            while data := os.read(pipe.fileno(), 1 << 16):
                self._arrived.put([Printed(stream, decoder.decode(data))])

    def _batches(self, wait: float, at_most: float) -> Iterator[list[Fact]]:
        """What has arrived, decoded; nothing comes after a line that cannot be."""
        for arrived in self._taken(wait, at_most):
            if isinstance(arrived, list):
                yield arrived
            elif arrived and not self._garbled:
                try:
                    yield decode_line(arrived)
                except CodecError as error:
                    self._garbled = True
                    yield [_unreadable(error)]

    def _taken(self, wait: float, at_most: float) -> Iterator[bytes | list[Fact]]:
        with contextlib.suppress(queue.Empty):
            yield self._arrived.get(timeout=wait) if wait > 0 else self._arrived.get_nowait()
            self._last = time.monotonic()
            self._silences = self._later()
            while time.monotonic() - self._last < at_most:
                yield self._arrived.get_nowait()

    def _received(self, batch: list[Fact]) -> Iterator[Fact]:
        for fact in batch:
            if isinstance(fact, ScriptEnded):
                self._told = fact
            elif isinstance(fact, Printed):
                text = self._spools[fact.stream].feed(fact.text)
                if text:
                    yield fact if text == fact.text else replace(fact, text=text)
            else:
                yield fact

    def _is_over(self) -> bool:
        """Whether the process is gone, and all that it sent has arrived as far as it will."""
        if self._process.poll() is None:
            return False
        now = time.monotonic()
        self._gone = self._gone or now
        return now - max(self._gone, self._last) > _LINGER or not any(reader.is_alive() for reader in self._readers)

    def _last_words(self) -> list[Fact]:
        if self._inlet is not None:
            self._inlet.close()
        rest = ((stream, spool.rest()) for stream, spool in self._spools.items())
        self.ended = self._how_it_ended(self._process.returncode)
        self._keyboard.unplug()
        self._watched.detach()
        return [*(Printed(stream, text) for stream, text in rest if text), self.ended]

    def _how_it_ended(self, returned: int) -> ScriptEnded:
        place = self._told.place if self._told is not None else None
        if self._cut_short == "timeout":
            message = f"it ran longer than {self._timeout:g} s and was ended"
            return ScriptEnded("timeout", TIMED_OUT, message=message, place=place)
        if self._cut_short is not None:
            return ScriptEnded(self._cut_short, STOPPED, message="it was stopped", place=place)
        if returned < 0:
            name = _signal_name(-returned)
            perhaps = ", as the system does when memory runs out" if name == "SIGKILL" else ""
            return ScriptEnded("signal", 128 - returned, error=name, message=f"it was killed by {name}{perhaps}")
        if self._told is not None:
            return self._told if self._told.status == returned else replace(self._told, status=returned)
        if self._inlet is None or not self._inlet.begun:
            why = "Python could not import minigrad or the inspector; its own words are above"
            return ScriptEnded("exit", returned or 1, message=f"the script was never started: {why}")
        return ScriptEnded("exit", returned, message=f"it left at once, with status {returned}, as os._exit() does")


def run_script(
    path: str | os.PathLike[str],
    argv: Sequence[str] = (),
    *,
    timeout: float | None = None,
    stdin: int | None = subprocess.DEVNULL,
    limit: int = LIMIT,
    stands_for: str | None = None,
    on_facts: Callable[[Trace, list[Fact]], None] | None = None,
) -> Trace:
    """Run a script to its end, however it ends, and return its trace.

    ``on_facts`` is called with the trace and the facts by which it grew, whenever some arrive. Ctrl-C ends the script
    and keeps what was recorded.
    """
    run = Run(path, argv, timeout=timeout, stdin=stdin, limit=limit, stands_for=stands_for)
    run.start()
    try:
        while run.ended is None:
            facts = run.poll(0.05)
            if facts and on_facts is not None:
                on_facts(run.trace, facts)
    except KeyboardInterrupt:
        run.finish()
    finally:
        run.stop()
    return run.trace


def _joined(facts: Iterable[Fact]) -> list[Fact]:
    """The facts, with what was printed without anything between it in one."""
    joined: list[Fact] = []
    for fact in facts:
        last = joined[-1] if joined else None
        if isinstance(fact, Printed) and isinstance(last, Printed) and _fit_together(last, fact):
            joined[-1] = replace(last, text=last.text + fact.text)
        else:
            joined.append(fact)
    return joined


def _fit_together(one: Printed, other: Printed) -> bool:
    return one.stream == other.stream and len(one.text) + len(other.text) <= CHUNK


def _apart(meeting: Meeting) -> dict[str, Any]:
    """A process group of its own: a terminal's signals do not reach the script, and ours reach all of it."""
    if os.name == "posix":
        return {"pass_fds": meeting.inherited, "start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Nobody watches any more: what still runs is ended."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait(1.0)


def _unreadable(error: CodecError) -> RecordingStopped:
    return RecordingStopped(f"what the script's process sent could not be read: {error}")


def first_known(names: Iterable[str]) -> int:
    """The first of these signals that this system has."""
    return next(int(getattr(signal, name)) for name in names if hasattr(signal, name))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
