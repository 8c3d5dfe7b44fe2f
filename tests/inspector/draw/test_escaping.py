"""Names that are hostile, by accident or not: they may not break a picture, nor say anything in its name."""

from __future__ import annotations

import json
import subprocess
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.draw import Picture, draw
from inspector.draw.engine import engines
from inspector.draw.wording import plain
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.reading import SVG, cards_in, objects, parsed

HOSTILE = [
    'quo"te',
    "apo'strophe",
    "<b>bold</b>",
    "</TD></TR></TABLE>>",
    "&amp; & &#0;",
    "<!-- -->",
    "]]>",
    "<script>alert(1)</script>",
    "new\nline\r\ttab",
    "back\\slash\\N\\G",
    "\u202eright to left\u202c",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "emoji 🔥🧑‍🚀",
    "nul\x00bell\x07",
    "surrogate \ud800",
    "{record|port}",
    '"]; evil [label="',
    "",
    " ",
    "x" * 5000,
]
names = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=30))


def hostile_picture(name: str, expression: str, file: str = "train.py", *, broken: bool = False) -> Picture:
    """A small picture in which everything that the user may choose is this text."""
    tape = stories.Tape(file)
    w = tape.tensor(name, (2,), grad=True)
    given, node = {expression: w}, f"{name}Backward0"
    h = tape.op(name, expression or "h", given, (2,), op=name or "op", node=node, saves={name: w})
    loss = tape.op("loss", expression, {"x": h}, (), label=name, saves={"out": None})
    if broken:
        tape.write(w, expression, name)
    tape.backward(loss).fail(loss, stories.summary((), 1.0, 1.0), name, w, expression)
    return draw(Trace(tape.ended("RuntimeError", expression)), values=3, embed_font=False)


@settings(max_examples=60)
@given(name=names, expression=names)
def test_no_name_breaks_the_svg(name: str, expression: str) -> None:
    drawn = hostile_picture(name, expression)
    root = parsed(drawn)
    assert len(list(cards_in(root))) == 3
    allowed = {"svg", "title", "desc", "rect", "g", "path", "text", "polygon"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed


@settings(max_examples=60)
@given(name=names, expression=names)
def test_a_text_arrives_as_it_was_given_or_spelt_out(name: str, expression: str) -> None:
    texts = [element.text or "" for element in parsed(hostile_picture(name, expression)).iter(f"{SVG}text")]
    node = f"● {plain(name)}Backward0"
    assert any(text == node or node.startswith(text.removesuffix("…")) for text in texts if text.startswith("● "))
    assert all(plain(text) == text for text in texts)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("style", ["cards", "graph"])
def test_no_name_breaks_the_dot(name: str, style: str) -> None:
    tape = stories.Tape(name or "file")
    w = tape.tensor(name, (2,), grad=True)
    h = tape.op(name, name, {"x": w}, (2,), op="exp", node=name + "0", saves={name: w, "out": None})
    tape.backward(h)
    drawn = draw(Trace(tape.ended()), style=style, title=name)
    read = subprocess.run(
        [next(engines()), "-Tjson0"], input=drawn.dot.encode(), capture_output=True, check=True, timeout=60
    )
    found = json.loads(read.stdout)
    assert set(objects(found)) == {card.key for card in drawn.scene.cards}
    visible = [edge for edge in found["edges"] if edge.get("style") != "invis"]
    assert len(visible) == sum(len(link.strands) for link in drawn.scene.links)
    assert b"syntax" not in read.stderr


@settings(max_examples=200)
@given(st.text())
def test_plain_text_prints_as_itself_and_stays_so(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert once.isprintable() or not once
    once.encode()
    ElementTree.fromstring(f"<a>{once.replace('&', '').replace('<', '')}</a>")


def test_direction_marks_and_line_ends_are_spelt_out() -> None:
    assert plain("a\u202eb\nc\x00") == r"a\u202eb\nc\x00"
    assert plain("Größe × 権重 🔥") == "Größe × 権重 🔥"


def test_a_folder_with_strange_letters_shows_its_file_only() -> None:
    drawn = hostile_picture("w", "h", file='C:\\Users\\A"<da>\\train.py')
    assert "train.py:" in drawn.scene.detail
    assert "Users" not in drawn.svg
