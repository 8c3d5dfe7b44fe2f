"""Pictures as files, with a system's Graphviz and without: every format and refusal, nothing lost or half written."""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import inspector.draw
from inspector.draw import DrawError, Picture, draw
from inspector.draw.engine import VARIABLE, engines
from inspector.draw.files import write_whole
from inspector.draw.place import arrange
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.reading import cards_in, objects, parsed, picture

PNG = b"\x89PNG\r\n\x1a\n"


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height, as the header of a PNG says."""
    assert data.startswith(PNG)
    wide, high = struct.unpack(">II", data[16:24])
    return wide, high


def svg_size(drawn: Picture) -> tuple[float, float]:
    root = parsed(drawn)
    return float(root.get("width", "0")), float(root.get("height", "0"))


@pytest.fixture
def trace() -> Trace:
    return Trace(stories.network(broken=True))


def test_the_ending_names_the_format(trace: Trace, tmp_path: Path) -> None:
    for ending in ("svg", "png", "dot", "SVG"):
        draw(trace, tmp_path / f"picture.{ending}")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8").startswith("<svg xmlns=")
    assert (tmp_path / "picture.png").read_bytes().startswith(PNG)
    assert (tmp_path / "picture.dot").read_text(encoding="utf-8").startswith("digraph")
    assert (tmp_path / "picture.SVG").read_bytes() == (tmp_path / "picture.svg").read_bytes()


def test_the_module_itself_can_be_called(trace: Trace, tmp_path: Path) -> None:
    drawn = inspector.draw(trace, tmp_path / "picture.svg")
    assert isinstance(drawn, Picture)
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8") == drawn.svg


def test_a_notebook_shows_it_no_wider_than_its_cell(trace: Trace) -> None:
    drawn = draw(trace, widest=2000)
    assert drawn._repr_svg_().startswith('<svg style="max-width:100%;height:auto" ')
    assert drawn._repr_svg_().replace(' style="max-width:100%;height:auto"', "", 1) == drawn.svg
    assert repr(drawn) == "<Picture of loss.backward(): 9 cards>"


def test_in_a_notebook_a_long_line_of_cards_goes_on_in_the_next_unless_a_width_was_asked_for(trace: Trace) -> None:
    def width(shown: str) -> float:
        return float(ElementTree.fromstring(shown).get("width", "0"))

    drawn = draw(trace)
    assert width(drawn.svg) > 1000
    assert width(drawn._repr_svg_()) < 1000
    assert width(draw(trace, widest=None)._repr_svg_()) == width(draw(trace, widest=None).svg)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_png_has_the_size_of_the_svg_times_its_scale(trace: Trace, scale: float) -> None:
    drawn = draw(trace, scale=scale)
    wide, high = svg_size(drawn)
    assert png_size(drawn.png) == (pytest.approx(wide * scale, abs=1), pytest.approx(high * scale, abs=1))


def test_a_png_never_takes_more_pixels_than_a_machine_can_spare(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.draw.raster.MOST_PIXELS", 1_000_000)
    wide, high = png_size(draw(trace, scale=20).png)
    assert 980_000 < wide * high <= 1_005_000


def test_a_picture_too_large_for_a_legible_png_is_refused(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.draw.raster.MOST_PIXELS", 100_000)
    with pytest.raises(DrawError, match="too large for a PNG that one can read: write an SVG instead"):
        _ = draw(trace).png


@pytest.mark.parametrize("scale", [0, -1, 21, float("nan")])
def test_a_scale_that_makes_no_picture_is_refused(trace: Trace, scale: float) -> None:
    with pytest.raises(DrawError, match="scale above 0 and up to 20"):
        _ = draw(trace, scale=scale).png


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("picture.bmp", "it does not end in a picture format that is known (.bmp)"),
        ("picture", "it has no ending"),
        (".svg", "it has no ending"),
    ],
)
def test_an_unknown_ending_is_refused_with_the_known_ones(trace: Trace, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(DrawError) as refusal:
        draw(trace, tmp_path / name)
    assert said in str(refusal.value)
    assert str(refusal.value).endswith(
        "end it in one of .svg, .png, .pdf, .html, .gif, .dot, .mmd, .graphml, .json, .txt."
    )
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DrawError, match="Cannot draw an object of type list: give a tensor, a trace, or a cursor"):
        draw([1, 2, 3], tmp_path / "picture.svg")


def test_a_folder_that_does_not_exist_is_told(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(DrawError, match=r"Cannot write the picture to .*nowhere.*: No such file or directory\."):
        draw(trace, tmp_path / "nowhere" / "picture.svg")


def test_a_folder_is_not_overwritten(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "picture.svg").mkdir()
    with pytest.raises(DrawError, match="that is a folder; name a file in it"):
        draw(trace, tmp_path / "picture.svg")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_write_protected_file_is_left_alone(trace: Trace, tmp_path: Path) -> None:
    target = tmp_path / "picture.svg"
    target.write_text("mine")
    target.chmod(stat.S_IREAD)
    with pytest.raises(DrawError, match="write-protected"):
        draw(trace, target)
    assert target.read_text() == "mine"


def test_a_failure_on_the_way_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "picture.svg"
    target.write_text("mine")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DrawError, match=r"No space left on device\."):
        write_whole(target, b"a new picture")
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]


def test_a_picture_that_cannot_be_made_touches_no_file(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "picture.svg"
    target.write_text("mine")
    monkeypatch.setenv(VARIABLE, "no-such-dot")
    with pytest.raises(DrawError):
        draw(trace, target)
    assert target.read_text() == "mine"


def test_a_link_is_followed(trace: Trace, tmp_path: Path) -> None:
    real, link = tmp_path / "real.svg", tmp_path / "link.svg"
    real.write_text("old")
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("no symbolic links here")
    draw(trace, link)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8").startswith("<svg")


# Graphviz, or what there is of it.


def test_graphviz_pure_is_found_when_the_system_has_no_dot(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (found,) = engines()
    assert Path(found).stem == "graphviz-pure"
    assert len(list(cards_in(parsed(draw(trace))))) == 9


def test_without_any_graphviz_we_place_the_cards_ourselves(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda name: "/nowhere")
    assert list(engines()) == []
    assert len(list(cards_in(parsed(draw(trace))))) == 9


def test_a_named_program_that_is_not_there_is_told(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "no-such-dot")
    with pytest.raises(DrawError, match="INSPECTOR_GRAPHVIZ=no-such-dot names no program here"):
        _ = draw(trace).svg


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for dot")
def test_a_dot_that_fails_gives_way_to_graphviz_pure(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "dot"
    broken.write_text("#!/bin/sh\necho 'library not found' >&2\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.defpath}")
    assert len(list(cards_in(parsed(draw(trace))))) == 9
    monkeypatch.setattr("sysconfig.get_path", lambda name: "/nowhere")
    monkeypatch.setattr("inspector.draw.engine.engines", lambda: iter([str(broken)]))
    with pytest.raises(DrawError, match=r"could not lay out this graph .*library not found"):
        _ = draw(trace).svg


@pytest.mark.skipif(shutil.which("dot") is None, reason="the system has no dot to compare with")
def test_both_programs_put_the_cards_in_the_same_places(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = draw(trace).scene
    places = []
    for program in ("dot", "graphviz-pure"):
        monkeypatch.setenv(VARIABLE, program)
        places.append(arrange(scene))
    assert places[0].bands == places[1].bands
    order = [sorted(place.corners, key=lambda key: place.corners[key]) for place in places]
    assert order[0] == order[1]


@pytest.mark.parametrize("style", ["cards", "graph"])
def test_the_dot_read_back_has_every_card_link_and_word(trace: Trace, style: str) -> None:
    drawn = draw(trace, style=style)
    done = subprocess.run(
        [next(engines()), "-Tjson0"], input=drawn.dot.encode(), capture_output=True, check=True, timeout=60
    )
    found = json.loads(done.stdout)
    labels = {name: thing["label"] for name, thing in objects(found).items()}
    assert list(labels) == [card.key for card in drawn.scene.cards]
    for card in drawn.scene.cards:
        for row in card.rows:
            for cell in row.left + row.right:
                assert all(words.text.strip() in labels[card.key] for words in cell.words)
    names = {thing["_gvid"]: thing["name"] for thing in found["objects"]}
    edges = [(names[e["tail"]], names[e["head"]]) for e in found["edges"] if e.get("style") != "invis"]
    assert sorted(edges) == sorted((link.tail, link.head) for link in drawn.scene.links for _ in link.strands)


def test_more_cards_than_one_can_look_at_are_folded_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(picture(stories.chain(60)).scene.cards) == 60
    monkeypatch.setattr("inspector.draw.composing.LIMIT", 50)
    scene = picture(stories.loop(60)).scene
    assert [card.name for card in scene.cards] == ["W", "x", "loop.py:4–5", "loss"]
    assert scene.detail.endswith("123 cards are too many: folded to 4")


def test_what_cannot_be_folded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.draw.composing.LIMIT", 50)
    with pytest.raises(
        DrawError, match=r"This graph has 60 cards, and a picture holds 50 at most, with loops .* folded"
    ):
        picture(stories.chain(60))
