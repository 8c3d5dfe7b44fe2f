"""The line between a script and its watcher: facts one way, orders the other."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from inspector.record.channel import EAGER, Inlet, Outlet
from inspector.trace.codec import CodecError, decode_line
from inspector.trace.facts import BackwardFinished, Fact, NodeReady, Printed

Ends = tuple[Outlet, Inlet]


@pytest.fixture
def line() -> Iterator[Callable[..., Ends]]:
    sockets: list[socket.socket] = []

    def connect(paused: bool = False) -> Ends:
        theirs, ours = socket.socketpair()
        sockets.extend((theirs, ours))
        return Outlet(theirs, paused=paused), Inlet(ours)

    yield connect
    for one in sockets:
        one.close()


def batches_of(inlet: Inlet) -> Iterator[list[Fact]]:
    """What each line holds; nothing, where it is a notice."""
    return (decode_line(line) if line else [] for line in inlet.lines())


def test_facts_arrive_as_they_were_sent(line: Callable[..., Ends]) -> None:
    outlet, inlet = line()
    facts = [NodeReady(1, 2), BackwardFinished(1), Printed("stdout", "done\n")]
    for fact in facts:
        outlet.send(fact)
    outlet.abandon()
    assert [fact for batch in batches_of(inlet) for fact in batch] == facts


def test_the_first_facts_are_sent_as_they_happen_and_later_ones_together(line: Callable[..., Ends]) -> None:
    outlet, inlet = line()
    lengths: list[int] = []
    reading = threading.Thread(target=lambda: lengths.extend(map(len, batches_of(inlet))))
    reading.start()
    for number in range(EAGER + 1000):
        outlet.send(NodeReady(1, number))
    outlet.flush()
    outlet.abandon()
    reading.join(10)
    assert lengths[:EAGER] == [1] * EAGER
    assert sum(lengths) == EAGER + 1000
    assert len(lengths) < EAGER + 500


def test_half_a_line_of_a_killed_script_is_left_out(line: Callable[..., Ends]) -> None:
    outlet, inlet = line()
    outlet.send(BackwardFinished(1))
    outlet._socket.sendall(b'[[],[],[["Backw')
    outlet.abandon()
    assert list(batches_of(inlet)) == [[BackwardFinished(1)]]


def test_a_line_of_something_else_is_refused(line: Callable[..., Ends]) -> None:
    outlet, inlet = line()
    outlet._socket.sendall(b"hello\n")
    with pytest.raises(CodecError):
        next(batches_of(inlet))
    outlet._socket.sendall(b"!paused nowhere\n")
    with pytest.raises(CodecError):
        next(inlet.lines())


def run_events(outlet: Outlet, count: int) -> threading.Thread:
    """A script in which ``count`` events happen."""

    def script() -> None:
        for number in range(count):
            outlet.send(NodeReady(1, number))
            outlet.wait_if_paused()
        outlet.send(BackwardFinished(1))

    thread = threading.Thread(target=script, daemon=True)
    thread.start()
    return thread


def until_paused(inlet: Inlet, batches: Iterator[list[object]]) -> int:
    """How many facts arrive before the script waits."""
    count = 0
    while not inlet.paused:
        count += len(next(batches))
    return count


def test_a_paused_script_goes_on_by_as_many_events_as_it_is_told(line: Callable[..., Ends]) -> None:
    outlet, inlet = line(paused=True)
    script = run_events(outlet, 10)
    batches = batches_of(inlet)
    assert until_paused(inlet, batches) == 1
    inlet.order("step 3")
    assert until_paused(inlet, batches) == 3
    inlet.order("step 1")
    assert until_paused(inlet, batches) == 1
    inlet.order("run")
    assert sum(len(next(batches)) for _ in range(6)) == 6
    script.join(5)
    assert not script.is_alive()


def test_a_running_script_can_be_paused(line: Callable[..., Ends]) -> None:
    outlet, inlet = line()
    inlet.order("pause")
    script = run_events(outlet, 100_000)
    count = until_paused(inlet, batches_of(inlet))
    assert 0 < count < 100_000
    inlet.order("run")
    threading.Thread(target=lambda: list(batches_of(inlet)), daemon=True).start()
    script.join(20)
    assert not script.is_alive()
