"""Trace files: whatever is written is read again, and whatever else lies in a file does no harm."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.trace import file
from inspector.trace import writer as writing
from inspector.trace.cursor import Cursor
from inspector.trace.facts import Fact, Printed, ScriptEnded
from inspector.trace.file import StoredFacts, TraceFileError, TraceWriter, open_trace
from inspector.trace.keyframes import Keyframes
from inspector.trace.schema import LARGEST, MOST_IN_A_BATCH, VERSION, checksum
from inspector.trace.trace import Trace
from tests.inspector.trace.arbitrary import TRACES
from tests.inspector.trace.examples import FILE, SOURCE, facts
from tests.inspector.trace.test_codec import same

ROOT = Path(__file__).resolve().parents[3]


def write(path: Path, some: list[Fact], batch: int = 10) -> Path:
    """A trace file with many small batches."""
    with TraceWriter(path, script=FILE, argv=["--epochs", "3"], sources={FILE: SOURCE}) as writer:
        for start in range(0, len(some), batch):
            writer.write(some[start : start + batch])
            writer.flush()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny.trace", facts())


def read(path: Path) -> list[Fact] | None:
    """The facts in a file, or None if it was refused; any other exception is a failure of the test."""
    refusal = ""
    try:
        trace = open_trace(path)
        found = list(trace.facts)
        for ask in (
            lambda: trace.names,
            trace.tasks,
            trace.errors,
            lambda: trace.outcome,
            lambda: trace.at(len(trace)),
        ):
            ask()
    except TraceFileError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert path.name in (refusal or path.name)
    return None if refusal else found


def test_a_file_gives_back_the_whole_trace(path: Path) -> None:
    trace, original = open_trace(path), Trace(facts())
    assert list(trace.facts) == facts()
    assert (trace.script, trace.argv, trace.sources) == (FILE, ("--epochs", "3"), {FILE: SOURCE})
    assert trace.names == original.names
    assert trace.producers == original.producers
    assert trace.tasks() == original.tasks()
    assert trace.outcome == original.outcome
    assert [trace.describe(step) for step in range(94)] == [original.describe(step) for step in range(94)]
    assert trace.at(93) == original.at(93)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(TRACES)
def test_any_facts_come_back(tmp_path: Path, some: list[Fact]) -> None:
    path = tmp_path / "any.trace"
    path.unlink(missing_ok=True)
    trace = open_trace(write(path, some, batch=7))
    assert same(list(trace.facts), some)
    assert len(trace) == len(some)
    assert dict(trace.names) == dict(Trace(some).names)
    assert isinstance(trace.facts, StoredFacts)
    trace.facts.close()


def test_facts_can_be_had_from_anywhere_in_any_order(path: Path) -> None:
    stored, all_facts = open_trace(path).facts, facts()
    for step in (92, 0, 41, -1, 40):
        assert stored[step] == all_facts[step]
    for part in (slice(5, 25), slice(None), slice(90, 200), slice(30, 10), slice(20, 3, -4)):
        assert list(stored[part]) == all_facts[part]
    with pytest.raises(IndexError):
        stored[93]


def test_a_cursor_walks_a_file_as_it_walks_a_list(path: Path) -> None:
    stored, listed = Cursor(open_trace(path)), Cursor(Trace(facts()))
    for step in (93, 12, 60, 0, 93):
        stored.seek(step)
        listed.seek(step)
        assert stored.state == listed.state


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that are decoded."""
    lines: list[bytes] = []
    decode = file.decode_line
    monkeypatch.setattr(file, "decode_line", lambda line, version: lines.append(line) or decode(line, version))
    return lines


def test_the_first_way_to_the_end_decodes_every_batch_once(path: Path, decoded: list[bytes]) -> None:
    trace = open_trace(path)
    trace.keyframes = Keyframes(trace.facts, every=5)
    Cursor(trace).seek(93)
    assert len(decoded) == len(set(decoded)) == 10


def test_only_the_batches_that_somebody_looks_at_are_decoded(path: Path, decoded: list[bytes]) -> None:
    trace = open_trace(path)
    assert (len(trace), trace.steps_of("GradientAccumulated"), decoded) == (93, [40, 64], [])
    assert isinstance(trace.facts[39].place, object)
    assert trace.facts[38] is not None
    assert len(decoded) == 1


def test_a_closed_file_is_one_file(path: Path) -> None:
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert path.read_bytes()[18:20] == b"\x01\x01", (
        "no write-ahead mode, so that it opens in a folder that is read-only"
    )


def test_more_facts_at_once_than_a_batch_may_hold_are_all_read_again(tmp_path: Path) -> None:
    count = 2 * MOST_IN_A_BATCH + 3
    with TraceWriter(tmp_path / "a.trace") as writer:
        writer.write([Printed("stdout", "x")] * count)
    assert len(open_trace(tmp_path / "a.trace")) == count


def test_a_file_may_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "live.trace"
    with TraceWriter(path) as writer:
        writer.write(facts()[:50])
        writer.flush()
        assert len(open_trace(path)) == 50
        writer.write(facts()[50:])
        writer.flush()
        assert list(open_trace(path).facts) == facts()


def test_facts_reach_the_file_by_themselves_after_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "live.trace"
    monkeypatch.setattr(writing, "SECONDS", 0.0)
    with TraceWriter(path) as writer:
        writer.write(facts())
        assert len(open_trace(path)) == 93


def test_the_outcome_is_written_once(tmp_path: Path) -> None:
    killed = ScriptEnded("signal", -9)
    for name, some, expected in (("ended", facts(), facts()[-1]), ("killed", facts()[:-1], killed)):
        writer = TraceWriter(tmp_path / name)
        writer.write(some)
        writer.close(killed)
        writer.close(killed)
        trace = open_trace(tmp_path / name)
        assert trace.outcome == expected
        assert len(trace.steps_of("ScriptEnded")) == 1


KILLED = """
import sys
from tests.inspector.trace.examples import facts
from inspector.trace.file import TraceWriter
writer = TraceWriter(sys.argv[1], sources={"a.py": "pass"})
print("writing", flush=True)
while True:
    writer.write(facts())
    writer.flush()
"""


@pytest.mark.parametrize("moment", [0.0, 0.03, 0.1, 0.3])
def test_a_killed_writer_leaves_a_file_that_opens_up_to_its_last_batch(tmp_path: Path, moment: float) -> None:
    path = tmp_path / "killed.trace"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(moment)
    process.kill()
    process.communicate()
    trace = open_trace(path)
    assert len(trace) % 93 == 0
    assert list(trace.facts) == facts() * (len(trace) // 93)
    assert trace.sources == {"a.py": "pass"}


def test_what_was_folded_in_opens_without_the_second_file(path: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone" / "a.trace"
    alone.parent.mkdir()
    with TraceWriter(path, replace=True) as writer:
        writer.write(facts())
        writer.flush()
        shutil.copy(path, alone)
        assert read(alone) is not None


def test_every_truncation_gives_a_shorter_trace_or_one_sentence(path: Path, tmp_path: Path) -> None:
    whole, cut = path.read_bytes(), tmp_path / "cut.trace"
    for size in range(0, len(whole), 1024):
        cut.write_bytes(whole[:size])
        found = read(cut)
        assert found is None or found == facts()[: len(found)]


def test_flipped_bytes_give_a_shorter_trace_or_one_sentence(path: Path, tmp_path: Path) -> None:
    whole, rng, flipped = path.read_bytes(), random.Random(1), tmp_path / "flipped.trace"
    places = [*range(100), *rng.sample(range(len(whole)), 300)]
    outcomes = set()
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= rng.randrange(1, 256)
        flipped.write_bytes(damaged)
        found = read(flipped)
        assert found is None or found == facts()[: len(found)]
        outcomes.add(None if found is None else len(found) == 93)
    assert outcomes == {None, True, False}, "some flips are fatal, some shorten the trace, some hit empty room"


def test_a_file_that_is_refused_is_let_go_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: opened.append(connect(*a, **k)) or opened[-1])
    whole = path.read_bytes()
    start = whole.index(b"CREATE TABLE")
    for place in range(start, start + 100):  # SQLite may complain in words that are no text
        path.write_bytes(whole[:place] + b"\x94" + whole[place + 1 :])
        with pytest.raises(TraceFileError, match=r"damaged|could not be opened"):
            open_trace(path)
    assert len(opened) >= 100
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")


def altered(path: Path, *statements: str) -> Path:
    database = sqlite3.connect(path)
    with database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return path


def no_file(path: Path) -> Path:
    return path.with_name("absent")


def a_text(path: Path) -> Path:
    path.write_text("hello")
    return path


def another_database(path: Path) -> Path:
    path.unlink()
    return altered(path, "CREATE TABLE batches (x)")


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "no file": (no_file, "there is no file"),
    "a folder": (lambda path: path.parent, "there is no file"),
    "an empty file": (lambda path: (path.write_bytes(b"") and path) or path, "is not a trace"),
    "a text": (a_text, "is not a trace"),
    "another database": (another_database, "is not a trace"),
    "a newer schema": (
        lambda path: altered(path, f"PRAGMA user_version = {VERSION + 1}"),
        f"written by a newer version \\(schema {VERSION + 1}; this one reads up to {VERSION}\\)",
    ),
    "a view in the place of a table": (
        lambda path: altered(path, "DROP TABLE batches", "CREATE VIEW batches AS SELECT 1"),
        "its tables are not those of a trace",
    ),
    "a trigger": (
        lambda path: altered(path, "CREATE TRIGGER t AFTER INSERT ON about BEGIN SELECT 1; END"),
        "its tables are not those of a trace",
    ),
    "unknown kinds": (
        lambda path: altered(path, "UPDATE about SET value = '[\"Exploit\"]' WHERE key = 'kinds'"),
        "kinds of facts that this version does not know",
    ),
    "no kinds": (lambda path: altered(path, "DELETE FROM about"), "is damaged"),
    "kinds that are no list": (lambda path: altered(path, "UPDATE about SET value = '3'"), "is damaged"),
    "a key that is a blob": (lambda path: altered(path, "UPDATE about SET value = x'ff'"), "is damaged"),
    "a source too large": (
        lambda path: altered(path, f"INSERT INTO sources VALUES ('b.py', zeroblob({2 * LARGEST + 1}))"),
        "is damaged",
    ),
}


@pytest.mark.parametrize(("make", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_trace_is_refused_in_one_sentence(path: Path, make: Callable[[Path], Path], says: str) -> None:
    with pytest.raises(TraceFileError, match=says) as caught:
        open_trace(make(path))
    assert "\n" not in str(caught.value)


SHORTENED = {
    "a wrong checksum": "UPDATE batches SET crc = crc + 1 WHERE number = 4",
    "a batch of another length": "UPDATE batches SET count = 9 WHERE number = 4",
    "a batch of a text": "UPDATE batches SET facts = 'x' WHERE number = 4",
    "a batch of nothing": "UPDATE batches SET count = 0 WHERE number = 4",
    "a batch too large": f"UPDATE batches SET facts = zeroblob({LARGEST + 1}) WHERE number = 4",
    "a count beyond all measure": "UPDATE batches SET count = 9e18 WHERE number = 4",
}


@pytest.mark.parametrize("statement", SHORTENED.values(), ids=SHORTENED.keys())
def test_the_batches_before_a_damaged_one_are_kept(path: Path, statement: str) -> None:
    assert read(altered(path, statement)) == facts()[:30]


def in_version_2(path: Path) -> Path:
    """The same file as version 2 had it: place and thread are the first fields of a fact."""
    database = sqlite3.connect(path)
    with database:
        for number, kinds, *lines in database.execute("SELECT number, kinds, labels, facts FROM batches").fetchall():
            blobs = (kinds, *map(place_first, lines))
            row = (*blobs[1:], checksum(blobs), number)
            database.execute("UPDATE batches SET labels = ?, facts = ?, crc = ? WHERE number = ?", row)
        database.execute("PRAGMA user_version = 2")
    database.close()
    return path


def place_first(line: bytes) -> bytes:
    places, summaries, rows = json.loads(line)
    rows = [[kind, place, thread, *fields] for kind, *fields, place, thread in rows]
    return json.dumps([places, summaries, rows]).encode()


def test_a_file_of_version_2_is_read_as_it_was_written(path: Path) -> None:
    trace, old = Trace(facts()), open_trace(in_version_2(path))
    assert list(old.facts) == facts()
    assert old.names == trace.names
    assert old.at(93) == trace.at(93)


def test_a_batch_that_lies_about_itself_is_refused_when_somebody_looks(path: Path) -> None:
    from inspector.trace.codec import encode_line
    from inspector.trace.kinds import codes_of

    kinds, labels, line = codes_of(facts()[:10]), encode_line([]), encode_line([Printed("stdout", "x")] * 10)
    database = sqlite3.connect(path)
    with database:
        row = (kinds, labels, line, checksum((kinds, labels, line)))
        database.execute("UPDATE batches SET kinds = ?, labels = ?, facts = ?, crc = ? WHERE number = 1", row)
    database.close()
    trace = open_trace(path)
    assert len(trace) == 93
    with pytest.raises(TraceFileError, match="is not what it says it is"):
        trace.at(5)
    assert trace.facts[50] == facts()[50]


def test_nothing_is_overwritten_unasked_and_only_traces_at_all(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="exists already; choose another name"):
        TraceWriter(path)
    assert path.read_bytes() == before
    precious = tmp_path / "thesis.txt"
    precious.write_text("precious")
    with pytest.raises(TraceFileError, match="is not a trace, so it was left alone"):
        TraceWriter(precious, replace=True)
    assert precious.read_text() == "precious"
    with TraceWriter(path, replace=True) as writer:
        writer.write(facts()[:5])
    assert list(open_trace(path).facts) == facts()[:5]


def test_a_file_that_cannot_be_written_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="the trace could not be written to"):
        TraceWriter(tmp_path / "no such folder" / "a.trace")


def test_more_than_fits_a_batch_is_written_as_several_or_shortened(tmp_path: Path) -> None:
    chatter: list[Fact] = [Printed("stdout", "x" * (LARGEST // 3)) for _ in range(4)]
    monster: list[Fact] = [Printed("stdout", "y" * (LARGEST + 1)), *facts()]
    found = list(open_trace(write(tmp_path / "a.trace", chatter)).facts)
    assert found == chatter
    first, *rest = open_trace(write(tmp_path / "b.trace", monster, batch=100)).facts
    assert rest == facts()
    assert isinstance(first, Printed)
    assert set(first.text) == {"y"}


def test_sources_with_half_characters_are_written_all_the_same(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "a.trace", script="\udcff.py", argv=["\udc80"]) as writer:
        writer.source("\udcff.py", "x = '\ud800'")
        writer.source("large.py", " " * LARGEST)
    trace = open_trace(tmp_path / "a.trace")
    assert trace.sources == {"?.py": "x = '?'"}
    assert (trace.script, trace.argv) == ("\udcff.py", ("\udc80",))


def test_a_trace_from_a_file_cannot_grow(path: Path) -> None:
    with pytest.raises(TypeError, match="cannot grow"):
        open_trace(path).extend(facts())


def test_opening_writes_nothing(path: Path) -> None:
    before = path.read_bytes()
    path.chmod(0o444)
    assert read(path) == facts()
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_few_batches_are_kept_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "KEPT", 25)
    stored = open_trace(path).facts
    assert isinstance(stored, StoredFacts)
    assert list(stored) == facts()
    assert [stored[step] for step in (0, 92, 1, 91)] == [facts()[step] for step in (0, 92, 1, 91)]
    assert sum(map(len, stored._decoded.values())) <= 25
