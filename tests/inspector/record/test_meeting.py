"""Two processes find each other, and nobody else comes between."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from inspector.record.meeting import Loopback, SocketPair, join, meet


@pytest.mark.skipif(os.name != "posix", reason="sockets are inherited on POSIX only")
def test_an_inherited_socket_connects() -> None:
    meeting = SocketPair()
    theirs = join(f"fd:{os.dup(meeting.inherited[0])}")
    ours = meeting.accept(lambda: True)
    assert ours is not None
    with ours, theirs:
        theirs.sendall(b"hello")
        assert ours.recv(5) == b"hello"
        assert not theirs.get_inheritable()


def heard_by(stranger: socket.socket) -> bytes:
    """What somebody is told who was turned away."""
    with stranger:
        try:
            return stranger.recv(10)
        except ConnectionResetError:
            return b""


def test_a_port_connects_whoever_knows_the_secret() -> None:
    meeting = Loopback()
    port = int(meeting.address.split(":")[1])
    strangers = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
    strangers[0].sendall(b"let me in\n" + b"x" * 40)
    joined: list[socket.socket] = []
    joining = threading.Thread(target=lambda: joined.append(join(meeting.address)))
    joining.start()
    ours = meeting.accept(lambda: True)
    joining.join()
    assert ours is not None
    with ours, joined[0]:
        ours.sendall(b"pause\n")
        assert joined[0].recv(10) == b"pause\n"
    assert [heard_by(stranger) for stranger in strangers] == [b"", b""]


def test_nobody_is_waited_for_once_the_other_process_is_gone() -> None:
    assert Loopback().accept(lambda: False) is None


def test_the_meeting_suits_the_system() -> None:
    meeting = meet()
    assert isinstance(meeting, SocketPair if os.name == "posix" else Loopback)
    connection = meeting.accept(lambda: False)
    if connection is not None:
        connection.close()
