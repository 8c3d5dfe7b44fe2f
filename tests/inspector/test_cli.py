"""The commands, as a user types them, each in a process of its own; and what they say to bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from inspector import demos
from inspector.cli import main
from inspector.trace.file import open_trace

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from inspector.cli import main; main(prog_name='inspector')"

SQUARE = """
    import minigrad as mg
    w = mg.tensor(3.0, requires_grad=True)
    loss = w * w
    loss.backward()
    print("gradient", w.grad.item())
"""
BROKEN = """
    import minigrad as mg
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()
    h.add_(1.0)
    h.sum().backward()
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Types ``inspector …`` in a fresh folder, without a terminal; only the script has a process of its own."""
    monkeypatch.chdir(tmp_path)
    return refused


@pytest.fixture
def shell(tmp_path: Path) -> Command:
    """Types ``inspector …`` in a fresh folder and a process of its own, with something to read from stdin."""

    def command(*words: str, given: str = "", **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            cwd=tmp_path,
            input=given,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return command


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def script(name: str, source: str) -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    return script


Write = Callable[[str, str], Path]


def refused(*words: str) -> Done:
    """What a command says, typed without a terminal; for commands that are refused before any script runs."""
    result = CliRunner().invoke(main, list(words), prog_name="inspector")
    return Done(result.exit_code, result.stdout, result.stderr)


def test_run_without_a_terminal_prints_the_walk(inspect: Command, write: Write) -> None:
    write("square.py", SQUARE)
    done = inspect("run", "square.py")
    assert done.status == 0
    assert done.err == ""
    assert "loss = w * w" in done.out
    assert "── backward #1 of loss" in done.out
    assert "w.grad = 6.0" in done.out
    assert "  │ gradient 6.0\n" in done.out
    assert "\x1b" not in done.out


def test_options_that_are_not_ours_are_the_scripts(inspect: Command, write: Write) -> None:
    write("args.py", "import sys, minigrad as mg\nmg.tensor(1.0)\nprint(sys.argv[1:])")
    given = ("run", "--plain", "args.py", "data.csv", "--epochs", "3", "-n4", "--limit", "50")
    assert "│ ['data.csv', '--epochs', '3', '-n4']" in inspect(*given).out
    assert "│ ['--plain', '--limit', '50']" in inspect("run", "args.py", "--", "--plain", "--limit", "50").out


def test_a_script_that_raises_is_shown_up_to_its_error(inspect: Command, write: Write) -> None:
    write("broken.py", BROKEN)
    done = inspect("run", "broken.py")
    assert done.status == 1
    assert "h.add_(1.0)" in done.out
    assert "it saved h as 'out' at v0, which is at v1 now" in done.out
    assert "h.sum().backward()" in done.out
    assert done.err.startswith("inspector: broken.py raised InplaceError on line 6: one of the variables needed")
    assert done.err.endswith("`inspector explain broken.py` says why\n")
    assert len(done.err.splitlines()) == 1


def test_the_exit_status_is_the_scripts(inspect: Command, write: Write) -> None:
    write("exits.py", f"{textwrap.dedent(SQUARE)}\nimport sys\nsys.exit(7)\n")
    done = inspect("run", "exits.py")
    assert (done.status, done.err) == (7, "inspector: exits.py ended with exit status 7\n")
    assert "w.grad = 6.0" in done.out


def test_a_script_that_runs_for_ever_is_ended(inspect: Command, write: Write) -> None:
    write("loop.py", f"{textwrap.dedent(SQUARE)}\nwhile True:\n    pass\n")
    done = inspect("run", "loop.py", "--plain", "--timeout", "0.5")
    assert done.status == 124
    assert "w.grad = 6.0" in done.out
    assert done.err.startswith(
        "inspector: loop.py did not end by itself: it ran longer than 0.5 s and was ended on line"
    )


def test_a_script_may_print_megabytes(inspect: Command, write: Write) -> None:
    write("flood.py", "import minigrad as mg\nfor n in range(300_000):\n    print('line', n)\nmg.tensor(1.0)\n")
    done = inspect("run", "flood.py")
    assert done.status == 0
    assert len(done.out) < 30_000
    assert "rows left out here; --all shows every one" in done.out


def test_a_script_reads_what_is_piped_in(shell: Command, write: Write) -> None:
    write("asks.py", "import minigrad as mg\nmg.tensor(float(input('how much? ')))")
    assert "42.0" in shell("run", "asks.py", given="42\n").out
    done = shell("run", "asks.py")
    assert done.status == 1
    assert "pipe it in, `inspector run --plain asks.py < answers.txt`" in done.err


@pytest.mark.parametrize(
    ("name", "source", "status", "said"),
    [
        ("syntax.py", "x = 1\ndef f(:\n", 1, "inspector: not a Python script: {path}:2: invalid syntax"),
        (
            "binary.py",
            "\0\1\2",
            1,
            "inspector: not a Python script: {path}: source code string cannot contain null bytes",
        ),
        ("plain.py", "print('hi')", 2, "inspector: plain.py never used minigrad, so there is nothing to show"),
        ("other.py", "try:\n    import torch\nexcept ImportError: pass", 2, "`inspector run --as torch other.py`"),
        ("raises.py", "raise ValueError('bad')", 1, "inspector: raises.py raised ValueError on line 1: bad"),
    ],
)
def test_a_script_that_leaves_nothing_to_see_gets_one_sentence(
    inspect: Command, write: Write, name: str, source: str, status: int, said: str
) -> None:
    path = write(name, source)
    done = inspect("run", name)
    assert done.status == status
    assert len(done.err.splitlines()) == 1
    assert said.format(path=path) in done.err
    assert "inspector/" not in done.out + done.err


@pytest.mark.parametrize("command", ["run", "explain"])
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("nowhere.py", "inspector: there is no script nowhere.py"),
        ("no/such/folder/x.py", "inspector: there is no script no/such/folder/x.py, nor a folder"),
        (".", "inspector: . is a folder; name a Python script in it.\n"),
        ("--colour", "inspector: --colour is no option of this command"),
    ],
)
def test_a_script_that_is_none_gets_one_sentence(command: str, script: str, said: str) -> None:
    done = refused(command, script)
    assert done.status == 2
    assert done.err.startswith(said)
    assert len(done.err.splitlines()) == 1


def test_a_misspelt_script_is_recognised(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write("train.py", SQUARE).parent)
    assert refused("run", "trian.py").err == "inspector: there is no script trian.py; did you mean train.py?\n"


def test_demos_are_listed_with_what_they_show() -> None:
    done = refused("demo", "--list")
    assert done.status == 0
    listed = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert listed.keys() == demos.demos().keys() >= {"first", "mlp", "inplace", "fanout", "twice", "views"}
    assert all(about.endswith((".", "?")) for about in listed.values())


def test_an_unknown_demo_is_told_the_nearest() -> None:
    done = refused("demo", "inplce")
    assert done.status == 2
    assert done.err.startswith("inspector: there is no demo called 'inplce'; did you mean 'inplace'? The demos are")
    assert refused("demo", "zzz").err.startswith("inspector: there is no demo called 'zzz'; the demos are")


@pytest.mark.parametrize(
    ("name", "status", "shown"),
    [
        ("first", 0, "│ de/da = 64.0, by hand 2·d·(b + 1) = 64"),
        ("mlp", 0, "loss = nll_loss"),
        ("inplace", 1, "it saved h as 'a' at v0, which is at v1 now"),
        ("fanout", 0, "x.grad = [22.8 125] + [22.8 125] = [45.6 250]"),
        ("twice", 1, "✗ FreedError in ExpBackward0 of features"),
        ("net222", 0, "│ the deltas of the outputs [0.138498559"),
        ("leaves", 0, "│ w.grad [18.0, 64.0] by hand 2 · y · x = [18.0, 64.0]"),
        ("views", 0, "│ start.grad [5.0, 2.5] by hand 1 + gate + 1 = [5.0, 2.5]"),
    ],
)
def test_every_demo_shows_what_it_promises(inspect: Command, name: str, status: int, shown: str) -> None:
    done = inspect("demo", name)
    assert done.status == status, done.err
    assert shown in done.out


def test_a_picture_is_drawn(inspect: Command, write: Write, tmp_path: Path) -> None:
    write("square.py", SQUARE)
    done = inspect("draw", "square.py", "-o", "square.svg")
    assert (done.status, done.out, done.err) == (0, "gradient 6.0\n", "")
    assert "<svg" in (tmp_path / "square.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("square.xyz", "Cannot tell how to draw square.xyz"),
        ("no/such/folder/square.svg", "there is no folder no/such/folder to write square.svg in"),
        ("square", "Cannot tell how to draw square"),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused_before_the_script_runs(
    write: Write, monkeypatch: pytest.MonkeyPatch, output: str, said: str
) -> None:
    script = write("touches.py", "open('touched', 'w')")
    monkeypatch.chdir(script.parent)
    done = refused("draw", "touches.py", "-o", output)
    assert done.status == 2
    assert done.err.startswith(f"inspector: {said}")
    assert not (script.parent / "touched").exists()


def test_nothing_is_overwritten_when_there_is_nothing_to_draw(inspect: Command, write: Write, tmp_path: Path) -> None:
    write("plain.py", "print('hi')")
    (tmp_path / "old.svg").write_text("mine")
    done = inspect("draw", "plain.py", "-o", "old.svg")
    assert done.status == 2
    assert "never used minigrad" in done.err
    assert (tmp_path / "old.svg").read_text() == "mine"


def test_a_trace_file_is_explained_without_its_script(inspect: Command, write: Write) -> None:
    write("broken.py", BROKEN)
    inspect("record", "broken.py", "-o", "run.trace")
    (Path.cwd() / "broken.py").unlink()
    told = inspect("explain", "run.trace")
    assert told.status == 0
    assert told.out.startswith("inplace-version: ")
    assert "broken.py:" in told.out
    assert inspect("explain", "run.trace", "--strict").status == 1
    found = json.loads(inspect("explain", "run.trace", "--json").out)
    assert found["outcome"]["kind"] == "error"
    assert [one["kind"] for one in found["findings"]] == ["inplace-version"]


def test_an_error_is_explained(inspect: Command, write: Write) -> None:
    write("broken.py", BROKEN)
    done = inspect("explain", "broken.py")
    assert done.status == 1
    assert "says why" not in done.err
    assert done.out.startswith("inplace-version: ExpBackward0")
    assert "broken.py:4" in done.out
    assert "broken.py:5" in done.out


def test_an_explanation_as_json_is_alone_on_stdout(inspect: Command, write: Write) -> None:
    path = write("broken.py", f"print('noise')\n{textwrap.dedent(BROKEN)}")
    done = inspect("explain", "broken.py", "--json")
    report = json.loads(done.out)
    assert report.keys() == {"schema", "script", "outcome", "findings", "notes"}
    assert (report["schema"], report["script"], report["outcome"]["kind"]) == (1, str(path), "error")
    (finding,) = report["findings"]
    assert finding["kind"] == "inplace-version"
    assert {one["role"]: one["line"] for one in finding["locations"]} == {"saved": 5, "mutated": 6}
    assert "noise" in done.err


def test_a_healthy_script_needs_no_explanation(inspect: Command, write: Write) -> None:
    write("square.py", SQUARE)
    done = inspect("explain", "square.py", "--strict")
    assert done.status == 0
    assert done.out == "gradient 6.0\nNothing to explain: the gradients are as they should be.\n"


def test_strict_fails_on_a_finding_of_a_script_that_ends_well(inspect: Command, write: Write) -> None:
    write("caught.py", f"try:\n{textwrap.indent(textwrap.dedent(BROKEN), '    ')}\nexcept RuntimeError:\n    pass\n")
    assert inspect("explain", "caught.py").status == 0
    assert inspect("explain", "caught.py", "--strict").status == 1


def test_a_trace_is_recorded_and_opened_again(inspect: Command, write: Write, tmp_path: Path) -> None:
    write("square.py", SQUARE)
    done = inspect("record", "square.py", "-o", "square.trace")
    assert (done.status, done.out) == (0, "gradient 6.0\n")
    assert "look at them with `inspector open square.trace`" in done.err
    (tmp_path / "square.py").unlink()
    trace = open_trace(tmp_path / "square.trace")
    assert len(trace.steps_of("GradientAccumulated")) == 1
    opened = inspect("open", "square.trace")
    assert opened.status == 0
    assert "loss = w * w" in opened.out
    assert inspect("record", str(write("again.py", SQUARE)), "-o", "square.trace").status == 0


def test_recording_overwrites_nothing_but_traces(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    script = write("square.py", SQUARE)
    monkeypatch.chdir(script.parent)
    done = refused("record", "square.py", "-o", "square.py")
    assert (done.status, done.err) == (
        2,
        "inspector: square.py exists and is no trace, so it is left alone; name another file.\n",
    )
    assert script.read_text() == textwrap.dedent(SQUARE)


def test_recording_nothing_leaves_an_older_trace_alone(inspect: Command, write: Write, tmp_path: Path) -> None:
    write("square.py", SQUARE)
    inspect("record", "square.py", "-o", "old.trace")
    before = (tmp_path / "old.trace").read_bytes()
    write("plain.py", "print('hi')")
    done = inspect("record", "plain.py", "-o", "old.trace")
    assert done.status == 2
    assert (tmp_path / "old.trace").read_bytes() == before


@pytest.mark.parametrize("name", ["nowhere.trace", "text.trace"])
def test_opening_what_is_no_trace_gets_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.trace").write_text("hello")
    done = refused("open", str(tmp_path / name))
    assert done.status == 2
    assert "`inspector record SCRIPT -o FILE` makes one" in done.err
    assert len(done.err.splitlines()) == 1


def test_the_help_tells_each_command() -> None:
    done = refused("--help")
    assert done.status == 0
    assert all(command in done.out for command in ("run", "demo", "draw", "explain", "record", "open"))


def test_a_terminal_that_cannot_show_everything_gets_what_it_can(shell: Command, write: Write) -> None:
    write("square.py", SQUARE)
    done = shell("run", "square.py", PYTHONIOENCODING="ascii")
    assert done.status == 0
    assert "w.grad = 6.0" in done.out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("run", "--plain"), 0, "w.grad = 6.0"),
        (("explain",), 0, "Nothing to explain"),
        (("record", "-o", "kept.trace"), 0, "inspector open kept.trace"),
        (("draw", "-o", "graph.dot"), 0, "gradient 6.0"),
    ],
)
def test_every_command_that_runs_a_script_puts_minigrad_in_torchs_place_when_asked(
    inspect: Command, write: Write, words: tuple[str, ...], status: int, said: str
) -> None:
    write("square.py", SQUARE.replace("import minigrad as mg", "import torch as mg"))
    done = inspect(words[0], "--as", "torch", *words[1:], "square.py")
    assert done.status == status, done.err
    assert said in done.out + done.err


def test_minigrad_stands_for_torch_only(inspect: Command, write: Write) -> None:
    write("square.py", SQUARE)
    done = inspect("run", "--as", "jax", "square.py")
    assert done.status == 2
    assert "'jax' is not 'torch'" in done.err
