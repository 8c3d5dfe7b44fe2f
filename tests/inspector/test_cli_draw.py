"""``inspector draw`` with a trace from a file: every kind of output, every choice, every refusal before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import main
from inspector.record.keeping import Keeper
from inspector.trace.trace import Trace
from tests.inspector.draw import stories


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``run.trace`` in it, where the commands are typed."""
    story = stories.network(broken=True)
    trace = Trace(story, {"/home/ada/train.py": "x = 1\n" * 20}, "/home/ada/train.py")
    with Keeper(tmp_path / "run.trace") as keeper:
        keeper.keep(trace, story)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def draw(*words: str) -> Result:
    return CliRunner().invoke(main, ["draw", "run.trace", *words])


def test_several_pictures_come_of_one_run(folder: Path) -> None:
    files = ["a.svg", "a.html", "a.txt", "a.json", "a.mmd", "a.graphml", "a.dot", "a.png"]
    done = draw(*(word for file in files for word in ("-o", file)))
    assert (done.exit_code, done.output) == (0, "")
    assert all((folder / file).stat().st_size > 500 for file in files)


def test_choices_reach_the_picture(folder: Path) -> None:
    words = ["--around", "q", "--reach", "1", "--detail", "versions", "--label", "q=squares", "--title", "A lesson"]
    assert draw("-o", "a.json", "--step", "30", *words[:2], *words[2:6], *words[8:]).exit_code == 0
    found = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    assert found["headline"] == "A lesson"
    assert [card["name"] for card in found["cards"]] == ["h", "q", "y"]
    assert draw("-o", "b.json", *words[6:8]).exit_code == 0
    assert "squares" in (folder / "b.json").read_text(encoding="utf-8")


def test_frames_go_into_a_folder_and_their_number_is_told(folder: Path) -> None:
    done = draw("--frames", "film", "--frames-as", "png", "--scale", "0.5")
    count = len(list((folder / "film").glob("step-??.png")))
    assert count > 20
    assert (done.exit_code, done.stderr) == (0, f"inspector: {count} pictures are in film\n")


def test_a_film_is_a_gif_or_a_page(folder: Path) -> None:
    pytest.importorskip("PIL")
    assert draw("--animate", "a.gif", "--scale", "0.5").exit_code == 0
    assert (folder / "a.gif").read_bytes().startswith(b"GIF89a")
    assert draw("--animate", "a.html").exit_code == 0
    assert "Content-Security-Policy" in (folder / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to draw into: name a picture with -o graph.svg, or a folder with --frames."),
        (("-o", "a.svg", "--theme", "pink"), "There is no theme 'pink'; draw in one of light, dark,"),
        (("-o", "a.svg", "--show", "left"), "There is no show='left'; give one of both, forward, backward."),
        (("-o", "a.svg", "--fold", "files"), "Cannot fold by 'files': give one of composites, modules, loops,"),
        (("-o", "a.svg", "--label", "q"), "--label q names no text for it: write --label NAME=TEXT."),
        (("-o", "a.svg", "--task", "7"), "There is no backward pass number 7 in this trace: it has 1."),
        (("-o", "a.xyz"), "Cannot tell how to draw a.xyz"),
        (("--frames", "run.trace"), "run.trace is a file; name a folder for the frames."),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(folder: Path, words: tuple[str, ...], said: str) -> None:
    done = draw(*words)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"inspector: {said}")
    assert [path.name for path in folder.iterdir()] == ["run.trace"]
