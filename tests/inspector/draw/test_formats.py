"""Every format says what the picture says, read back by another program's rules; no name breaks out of any of them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from inspector.draw import DrawError, draw
from inspector.draw.data import as_json
from inspector.draw.graphml import graphml
from inspector.draw.mermaid import mermaid
from inspector.draw.moving import Moving
from inspector.draw.options import Options
from inspector.draw.scene import Kind, Scene
from inspector.draw.text import text
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.reading import SVG, cards_in, picture
from tests.inspector.draw.test_escaping import hostile_picture, names
from tests.inspector.draw.test_files import png_size

XML = "{http://graphml.graphdrawing.org/xmlns}"
BROKEN = picture(stories.network(broken=True)).scene


def flows(scene: Scene) -> list[tuple[str, str]]:
    """From and to, for every line in the picture; gradients go backwards."""
    ends = [(link.head, link.tail) if link.kind is Kind.BACKWARD else (link.tail, link.head) for link in scene.links]
    return sorted(end for end, link in zip(ends, scene.links, strict=True) for _ in link.strands)


# Mermaid.

BOX = re.compile(
    r'^  (\w+)(?:\(\["|\{\{"|>"|\[\["|\("|\[")([^"\[\](){}<>|`]|<br/>)*(?:"\]\)|"\}\}|"\]|"\]\]|"\))(:::\w+)?$'
)
ARROW = re.compile(r'^  (\w+) (?:-->|-\.->|-\.-|--x|---)(?:\|"[^"|<>\[\]{}`]*"\|)? (\w+)$')


def read_mermaid(scene: Scene) -> tuple[list[str], list[tuple[str, str]]]:
    lines = mermaid(scene).split("\n")
    start = lines.index("flowchart LR")
    assert all(line.startswith("%% ") for line in lines[:start])
    body = [line for line in lines[start + 1 :] if line and not line.startswith("  classDef ")]
    boxes = [found[1] for line in body if (found := BOX.match(line))]
    arrows = [(found[1], found[2]) for line in body if (found := ARROW.match(line))]
    assert len(boxes) + len(arrows) == len(body)
    return boxes, arrows


def test_mermaid_has_every_card_and_line() -> None:
    boxes, arrows = read_mermaid(BROKEN)
    assert boxes == [card.key for card in BROKEN.cards]
    assert sorted(arrows) == flows(BROKEN)
    assert 'n23["y = F.linear#40;q, W2#41; f32#91;3,1#93; v0<br/>' in mermaid(BROKEN)


@settings(max_examples=60)
@given(name=names, expression=names)
def test_no_name_breaks_mermaid(name: str, expression: str) -> None:
    scene = hostile_picture(name, expression).scene
    boxes, arrows = read_mermaid(scene)
    assert boxes == [card.key for card in scene.cards]
    assert sorted(arrows) == flows(scene)


# GraphML, JSON, text.


@settings(max_examples=60)
@given(name=names, expression=names)
def test_graphml_read_back_has_every_card_and_line(name: str, expression: str) -> None:
    scene = hostile_picture(name, expression).scene
    root = ElementTree.fromstring(graphml(scene).encode())
    assert [node.get("id") for node in root.iter(f"{XML}node")] == [card.key for card in scene.cards]
    ends = [(str(edge.get("source")), str(edge.get("target"))) for edge in root.iter(f"{XML}edge")]
    assert sorted(ends) == flows(scene)
    declared = {key.get("id") for key in root.iter(f"{XML}key")}
    assert {data.get("key") for data in root.iter(f"{XML}data")} <= declared


@settings(max_examples=60)
@given(name=names, expression=names)
def test_json_read_back_has_every_card_and_line(name: str, expression: str) -> None:
    scene = hostile_picture(name, expression).scene
    found = json.loads(as_json(scene).encode())
    assert [card["key"] for card in found["cards"]] == [card.key for card in scene.cards]
    assert sorted((link["from"], link["to"]) for link in found["links"]) == flows(scene)


def test_json_says_what_the_picture_says() -> None:
    found = json.loads(as_json(BROKEN))
    card = next(card for card in found["cards"] if card["name"] == "y")
    assert (found["schema"], card["kind"], card["alarm"]) == (1, "failed", True)
    assert ["▣ x: q", "saved v0 ≠ now v1"] in card["lines"]
    assert {"kind": "backward", "from": "n27", "to": "n23", "label": "0.577", "run": True}.items() <= next(
        link for link in found["links"] if link["label"]
    ).items()


@settings(max_examples=40)
@given(name=names, expression=names)
def test_text_keeps_its_frames_whatever_the_names(name: str, expression: str) -> None:
    lines = text(hostile_picture(name, expression).scene).split("\n")
    inside = [line for line in lines if line.strip().startswith("║")]
    assert inside
    assert len({len(line.rstrip()) for line in inside}) == 1
    assert all(line.isprintable() for line in lines)


def test_text_reads_downwards_as_the_gradient_goes() -> None:
    drawn = text(BROKEN)
    assert drawn.startswith("loss.backward()\ntrain.py:12")
    assert drawn.index("loss = y.mean()") < drawn.index("y = F.linear") < drawn.index("◆ W1")


# PDF and moving pictures.


def test_a_pdf_is_one_page_of_the_size_of_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("svglib")
    drawn = draw(Trace(stories.network()), tmp_path / "picture.pdf")
    data = (tmp_path / "picture.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    (wide, high) = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", data).groups()  # type: ignore[union-attr]
    root = ElementTree.fromstring(drawn.svg)
    assert float(wide) == pytest.approx(float(root.get("width", "0")) * 0.75, abs=1)
    assert float(high) == pytest.approx(float(root.get("height", "0")) * 0.75, abs=1)


@pytest.mark.parametrize(
    ("ending", "modules", "said"),
    [("pdf", ["svglib.svglib"], "A PDF needs svglib and reportlab"), ("gif", ["PIL"], "A GIF needs Pillow")],
)
def test_what_is_not_installed_is_named(
    ending: str, modules: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DrawError, match=rf"{said}.*not installed: `pip install 'minigrad-inspector\[{ending}\]'`"):
        draw(Trace(stories.loop(1)), tmp_path / f"picture.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_a_gif_shows_every_step_in_one_size(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    draw(Trace(stories.loop(1)), tmp_path / "picture.gif", scale=1)
    with image.open(tmp_path / "picture.gif") as opened:
        steps = list(Moving(Trace(stories.loop(1)), None, Options()).stills())
        assert 5 < opened.n_frames <= len(steps)
        assert opened.info["loop"] == 0


@pytest.mark.parametrize("broken", [False, True])
def test_the_pictures_of_a_film_have_one_size_and_fixed_places(broken: bool) -> None:
    moving = Moving(Trace(stories.network(broken=broken)), None, Options(), widest=1700.0)
    roots = [ElementTree.fromstring(still.svg) for still in moving.stills(embed_font=False)]
    assert len({(root.get("width"), root.get("height")) for root in roots}) == 1
    places = {
        tuple(
            (group.get("data-key"), group.get("transform")) for group in root.iter(f"{SVG}g") if group.get("data-key")
        )
        for root in roots
    }
    assert len(places) == 1
    assert len(places.pop()) == 9
    future = [sum("future" in card.classes for card in cards_in(root)) for root in roots]
    assert future[0] > 5
    assert future[-1] == 0
    assert moving.told == ""


def test_too_many_pictures_are_thinned_out_and_it_is_said(tmp_path: Path) -> None:
    moving = Moving(Trace(stories.network()), None, Options())
    steps = [still.step for still in moving.stills(10)]
    assert len(steps) <= 10
    assert steps[-1] == len(stories.network())
    assert re.fullmatch(r"\d\d steps are too many pictures: here is every \dth of them\.", moving.told)


def test_frames_are_written_by_step(tmp_path: Path) -> None:
    moving = Moving(Trace(stories.loop(1)), None, Options())
    written = moving.save_stills(tmp_path / "frames", ".png", 1.0)
    assert [path.name for path in sorted((tmp_path / "frames").iterdir())] == [path.name for path in written]
    assert all(re.fullmatch(r"step-\d\d\.png", path.name) for path in written)
    assert len({png_size(path.read_bytes()) for path in written}) == 1
    with pytest.raises(DrawError, match=r"The pictures of a film are \.svg or \.png, not \.gif"):
        moving.save_stills(tmp_path, ".gif", 1.0)


def test_dots_per_inch_are_another_word_for_scale() -> None:
    assert draw(Trace(stories.loop(1)), dpi=192).png == draw(Trace(stories.loop(1)), scale=2.0).png
