"""What a script prints: line by line, whole, and within bounds."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from inspector.record.output import ScriptText, Spool, ToWatcher
from inspector.trace.facts import Printed


def nothing() -> None: ...


def stream(taken: list[Printed], takes: bool = True, fd: int = 1, before: Callable[[], None] = nothing) -> ScriptText:
    def send(printed: Printed) -> bool:
        if takes:
            taken.append(printed)
        return takes

    return ScriptText(ToWatcher("stdout", fd, send, before))


def test_a_line_is_sent_when_it_is_complete() -> None:
    taken: list[Printed] = []
    out = stream(taken)
    out.write("epoch ")
    assert taken == []
    out.write("1\n")
    assert [one.text for one in taken] == ["epoch 1\n"]


def test_a_flood_is_sent_in_few_parts_and_loses_nothing() -> None:
    taken: list[Printed] = []
    out = stream(taken)
    lines = [f"line {number}\n" for number in range(50_000)]
    for line in lines:
        out.write(line)
    out.flush()
    assert "".join(one.text for one in taken) == "".join(lines)
    assert len(taken) < 10_000  # the first lines one by one, then by the bufferful


def test_one_long_line_is_cut_into_facts_of_bounded_length() -> None:
    taken: list[Printed] = []
    out = stream(taken)
    print("é" * 200_000, file=out, flush=True)
    assert max(len(one.text) for one in taken) <= 1 << 16
    assert "".join(one.text for one in taken) == "é" * 200_000 + "\n"


def test_bytes_may_be_written_too() -> None:
    taken: list[Printed] = []
    out = stream(taken)
    out.buffer.write(b"raw \xff\n")
    out.flush()
    assert [one.text for one in taken] == ["raw \ufffd\n"]


def test_text_that_cannot_be_encoded_does_not_raise() -> None:
    taken: list[Printed] = []
    print("\ud800", file=stream(taken))
    assert taken[0].text == "\\ud800\n"


def test_what_the_watcher_does_not_take_goes_to_the_file_descriptor() -> None:
    reading, writing = os.pipe()
    print("from a forked process", file=stream([], takes=False, fd=writing))
    assert os.read(reading, 100) == b"from a forked process\n"
    os.close(reading)
    os.close(writing)


def test_an_interrupt_before_writing_loses_and_doubles_nothing() -> None:
    taken: list[Printed] = []
    raised = iter([False, True, False])

    def interrupt() -> None:
        if next(raised):
            raise KeyboardInterrupt

    out = stream(taken, before=interrupt)
    print("one", file=out)
    with pytest.raises(KeyboardInterrupt):
        print("two", file=out)
    out.flush()
    assert "".join(one.text for one in taken) == "one\ntwo\n"


@pytest.mark.parametrize("part", [1, 7, 1000])
def test_a_spool_keeps_the_beginning_and_the_end(part: int) -> None:
    text = "".join(f"{number:06}\n" for number in range(1000))
    spool = Spool(head=70, tail=35)
    passed = "".join(spool.feed(text[start : start + part]) for start in range(0, len(text), part))
    assert passed == text[:70]
    assert spool.rest() == f"\n[… {len(text) - 105:,} characters of output left out …]\n{text[-35:]}"


def test_a_spool_leaves_out_nothing_that_fits() -> None:
    spool = Spool(head=5, tail=5)
    assert spool.feed("12345678") == "12345"
    assert spool.rest() == "678"
    assert Spool().rest() == ""
