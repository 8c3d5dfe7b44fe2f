"""What the panes say at chosen moments of the small trace; every number in it can be checked with a pencil."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from msgspec import structs

from inspector.app.lines import Line, clip, fit, justified, line, text, width, wrapped
from inspector.app.reading import nodes, tensors, why
from inspector.app.reading.cards import card, size
from inspector.app.reading.events import TELLERS, Teller
from inspector.app.reading.looks import look
from inspector.app.reading.source import Stretch, coloured, margin, note, shown, stretch
from inspector.app.reading.story import STORIES, story
from inspector.app.reading.timeline import cell_of, drawn, marked, step_of
from inspector.app.view import Moment, View, Zoom
from inspector.app.walk import Walk
from inspector.trace.facts import KINDS, Place, Summary
from inspector.trace.trace import Trace


def at(trace: Trace, step: int, **chosen: object) -> Moment:
    """The moment at ``step``, with the node and the tensor that it is about unless others are chosen."""
    walk = Walk(trace)
    walk.findings = walk.explain()
    view = walk.go(View(), step)
    return walk.moment(replace(view, pinned=bool(chosen), **chosen))  # type: ignore[arg-type]


def said(rows: list[Line]) -> str:
    return "\n".join(text(row).rstrip() for row in rows)


def test_a_leaf_before_and_after_its_first_gradient(trace: Trace, tiny: ModuleType) -> None:
    before = said(tensors.lines(at(trace, 21, tensor=tiny.W), 60))
    assert "◆ f64[2,1]  leaf" in before
    assert "grad           — none yet" in before
    assert "grad_fn        —" in before
    after = said(tensors.lines(at(trace, 40, tensor=tiny.W), 40))
    assert "grad           ‖g‖ 49.2" in after  # √(22² + 44²)
    assert "grad_impl      f64[2,1]" in after
    assert "  22.0   ▓▓\n  44.0   ██" in after


def test_a_tensor_tells_every_field_of_its_metadata(trace: Trace, tiny: ModuleType) -> None:
    rows = said(tensors.lines(at(trace, 30, tensor=tiny.H), 40))
    for field in (
        "requires_grad",
        "is_leaf",
        "grad_fn",
        "output_nr",
        "version",
        "grad",
        "grad_impl",
        "retains_grad",
    ):
        assert f"\n{field} " in rows
    assert "MmBackward0 ○" in rows
    assert "▣ MulBackward0 a@v0 ✓" in rows
    assert "▣ MulBackward0 b@v0 ✓" in rows
    assert "value  11.0" in rows
    assert "— not a leaf" in rows


def test_an_overwritten_tensor_names_who_will_miss_the_old_value(trace: Trace, tiny: ModuleType) -> None:
    rows = said(tensors.lines(at(trace, 73, tensor=tiny.T), 60))
    assert "version        v1" in rows
    assert "bumped by  ▲ add_  tiny.py:12" in rows
    assert "✗ ExpBackward0 out@v0 ≠ now v1" in rows


def test_what_is_not_made_yet_says_so(trace: Trace, tiny: ModuleType) -> None:
    early = at(trace, 3, tensor=tiny.T, node=tiny.EXP)
    assert "not made yet" in said(tensors.lines(early, 40))
    assert "not made yet" in said(nodes.lines(early, 40))
    assert look(early, tiny.EXP).glyph == "·"


def test_a_node_tells_formula_gradients_and_saved_versions(trace: Trace, tiny: ModuleType) -> None:
    rows = said(nodes.lines(at(trace, 34, node=tiny.MM), 60))
    assert rows.startswith("h = x @ W\n  a.T @ g")
    assert "g in  g 22.0  f64[1,1]" in rows  # the sum of two times 11
    assert "▣ a  x  v0 ✓" in rows
    assert "→ needs no gradient" in rows
    assert "→ ⊕ W  —" in rows
    assert "made at   tiny.py:5" in rows
    waiting = said(nodes.lines(at(trace, 31, node=tiny.MM), 60))
    assert "g so far  g 11.0" in waiting


def test_a_node_that_found_its_saved_value_changed_names_the_write(trace: Trace, tiny: ModuleType) -> None:
    rows = said(nodes.lines(at(trace, 92, node=tiny.EXP), 60))
    assert "▣ out  t  saved v0 ≠ now v1 ✗\n     ▲ add_  tiny.py:12" in rows


def test_at_the_error_the_explanation_comes_first_and_the_message_last(trace: Trace) -> None:
    rows = " ".join(said(why.lines(at(trace, 92), 70)).split())
    assert rows.index("saved its own output t at version 0") < rows.index("t = t.add(1.0)") < rows.index("RuntimeError")


def test_an_explanation_is_told_at_each_step_that_proves_it_and_pointed_to_elsewhere(
    trace: Trace, tiny: ModuleType
) -> None:
    assert "mend it" in said(why.lines(at(trace, 73), 70))
    elsewhere = said(why.lines(at(trace, 10), 70))
    assert "mend it" not in elsewhere
    assert "? inplace-version  step 92" in elsewhere
    assert "✗ goes wrong at step 92" in elsewhere
    assert "mend it" in said(why.lines(at(trace, 10, tensor=tiny.T), 70))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (0, "Nothing has happened yet"),
        (3, "W, f64[2,1], is a leaf that requires a gradient"),
        (13, "The derivative of MulBackward0 needs h. It keeps it, and notes that it is at version 0."),
        (32, "It is added to the g 11.0 that waits there: g 22.0. Fan-out is a sum."),
        (40, "W.grad was empty and is now ‖g‖ 49.2."),
        (64, "W.grad already held ‖g‖ 49.2 from an earlier pass."),
        (73, "ExpBackward0 had saved the old one: a backward pass that needs it will fail."),
        (91, "ExpBackward0 saved t at version 0; it is at version 1 now."),
    ],
)
def test_the_story_of_a_step(trace: Trace, step: int, words: str) -> None:
    assert words in story(at(trace, step))


def test_every_kind_of_fact_has_a_row(trace: Trace) -> None:
    assert set(TELLERS) == set(KINDS.values())
    assert set(STORIES) <= set(KINDS.values())
    moment = at(trace, len(trace))
    for fact in trace.facts:
        row = Teller(moment).tell(fact)
        assert row.kind == type(fact).__name__
        assert len(row.glyph) == 1
        assert text(row.subject)


def test_cards_keep_their_size_from_the_first_step_to_the_last(trace: Trace, tiny: ModuleType) -> None:
    for node in (tiny.MM, tiny.ACCUMULATE, tiny.MUL, tiny.EXP):
        for zoom in Zoom:
            sizes = {size(at(trace, step), node, zoom) for step in (0, 20, 40, 66, 92)}
            assert len(sizes) == 1
            wide, high = sizes.pop()
            for step in (0, 20, 40, 66, 92):
                rows = card(at(trace, step), node, zoom, 99)
                assert len(rows) == high - (2 if zoom > 1 else 0)
                assert all(width(row) <= wide - (4 if zoom > 1 else 2) for row in rows)


def test_a_card_shows_status_expression_and_what_it_saved(trace: Trace, tiny: ModuleType) -> None:
    assert said(card(at(trace, 27), tiny.MUL, Zoom.CARDS, 30)) == "▶ MulBackward0\n  q = h * h\n▣ a@v0 ▣ b@v0"
    assert said(card(at(trace, 66), tiny.MUL, Zoom.CARDS, 30)) == "✓ MulBackward0\n  q = h * h\n□ a@v0 □ b@v0"
    assert said(card(at(trace, 92), tiny.EXP, Zoom.CARDS, 30)) == "✗ ExpBackward0\n  t = W.exp()\n▣ out@v0≠v1"
    assert said(card(at(trace, 20), tiny.ACCUMULATE, Zoom.CARDS, 30)) == "○ ⊕ W\n  .grad —"
    assert said(card(at(trace, 27), tiny.MUL, Zoom.CHIPS, 30)) == "▶ Mul q"


def test_the_margin_marks_saves_writes_errors_and_where_the_script_is(trace: Trace, tiny: ModuleType) -> None:
    moment = at(trace, 92)
    margins = {number: text(margin(moment, tiny.FILE, number, 2, 2)) for number in range(1, 14)}
    assert margins[1] == "        1 "
    assert margins[6] == "1× ✓▣   6 "
    assert margins[11] == "1× ✗▣✗ 11 "
    assert margins[12] == "1× ✓ ▲ 12 "
    assert margins[13] == "1× ✓ ✗►13 "
    assert "▣ 2 saved" in text(note(moment, tiny.FILE, 6))
    assert "▲ written" in text(note(moment, tiny.FILE, 12))
    assert "◄ here" in text(note(moment, tiny.FILE, 13))


def test_marks_of_what_is_still_to_come_are_faint(trace: Trace, tiny: ModuleType) -> None:
    early, late = (margin(at(trace, step), tiny.FILE, 12, 2)[4] for step in (20, 80))
    assert (early.text, early.role) == ("▲", "faint")
    assert (late.text, late.role) == ("▲", "bump")


def test_during_backward_the_expression_whose_node_runs_is_lit(trace: Trace, tiny: ModuleType) -> None:
    running = at(trace, 27)
    assert running.lit == tiny.place(6, "h * h")
    assert running.here == tiny.place(8, "loss.backward(retain_graph=True)")
    forward = at(trace, 15)
    assert forward.lit == forward.here == tiny.place(6, "h * h")


def test_columns_count_bytes_and_light_characters() -> None:
    words = "σ2 = 数 * tanh(b)"
    place = Place("f.py", 1, 1, len("σ2 = ".encode()), len("σ2 = 数 * tanh(b)".encode()))
    assert stretch(place, "f.py", 1, words) == Stretch(5, 16)
    assert stretch(place, "f.py", 2, words) is None
    assert stretch(place, "g.py", 1, words) is None


def test_an_expression_over_several_lines_is_lit_on_each_of_them() -> None:
    place = Place("f.py", 1, 3, 4, 5)
    assert stretch(place, "f.py", 1, "y = (a +") == Stretch(4, 8)
    assert stretch(place, "f.py", 2, "     b +") == Stretch(5, 8)
    assert stretch(place, "f.py", 3, "    c) ") == Stretch(4, 5)


def test_tabs_and_control_characters_are_shown_and_not_obeyed() -> None:
    assert shown("\tx = '\x1b[2J'") == "    x = '·[2J'"
    assert stretch(Place("f.py", 1, 1, 1, 2), "f.py", 1, "\tx = 1") == Stretch(4, 5)


def test_code_is_coloured_and_broken_code_is_still_shown() -> None:
    row = coloured("for x in f(1):  # go\n    pass\n")[0]
    roles = {bit.text: bit.role for bit in row}
    assert roles["for"] == "keyword"
    assert roles["f"] == "call"
    assert roles["1"] == "number"
    assert roles["# go"] == "comment"
    broken = "x = (1,\ny = '''"
    assert [text(line) for line in coloured(broken)] == broken.splitlines()
    assert coloured("") == []


def test_the_timeline_shows_the_most_telling_sign_of_each_cell(trace: Trace) -> None:
    walk = Walk(trace)
    signs = marked(walk.marks, 94)
    assert signs[73][0] == "▲"
    assert signs[92][0] == "✗"
    assert signs[21][0] == "┃"
    line_ = text(drawn(signs, 40, 94))
    assert len(line_) == 94
    assert line_[40] == "●"
    assert marked(walk.marks, 2)[0][0] == "✗" or marked(walk.marks, 2)[1][0] == "✗"


def test_cells_and_steps_of_the_timeline_agree() -> None:
    for length in (1, 7, 100, 100_000):
        for room in (2, 30, 120):
            assert cell_of(0, length, room) == 0
            assert cell_of(length, length, room) == room - 1
            assert all(cell_of(step_of(cell, length, room), length, room) >= cell for cell in range(room))


def test_lines_are_cut_filled_justified_and_wrapped_in_cells_not_characters() -> None:
    assert fit("数据流", 5) == "数据…"
    assert text(clip(line("abc", ("defgh", "name")), 6)) == "abcde…"
    assert text(clip(line("abc"), 6)) == "abc"
    assert text(justified(line("left"), line("right"), 12)) == "left   right"
    assert width(justified(line("a" * 40), line("right"), 20)) == 20
    assert [text(row) for row in wrapped("one two three", 8)] == ["one two", "three"]
    assert all(width(row) <= 6 for row in wrapped("数据流数据流 x", 6))


def test_numbers_that_are_many_become_a_distribution_and_odd_ones_are_counted(trace: Trace, tiny: ModuleType) -> None:
    moment = at(trace, 30, tensor=tiny.X)
    assert moment.tensor is not None
    big = Summary((100,), "f32", 5.0, -1.0, 1.0, 0.25, 3, 1, tuple(n / 32 - 1 for n in range(64)))
    moment.state.tensors[tiny.X] = structs.replace(moment.tensor, value=big)
    fresh = Moment(moment.trace, moment.marks, moment.state, moment.view)
    rows = said(tensors.lines(fresh, 40))
    assert "value  3 NaN  1 ∞" in rows
    assert "−1.0 … 1.0" in rows
    assert "█" in rows
    assert "mean 0.25" in rows


def test_a_tensor_without_a_name_is_called_by_what_was_done_to_get_it(walks: Callable[[str], Any]) -> None:
    walk = walks(
        """
        import minigrad as mg
        from minigrad.nn import functional as F

        x, W = mg.ones(4, 3), mg.ones(2, 3, requires_grad=True)
        y = F.linear(x, W).relu().sum()
        """
    )
    moment = walk.moment(walk.go(View(), len(walk.trace)))
    names = {moment.name(tensor) for tensor in moment.state.tensors}
    assert not any(name.startswith("#") for name in names)
    assert "W.T" in names


def test_a_node_of_a_module_is_called_by_what_it_does_not_by_the_call_that_made_them_all(
    walks: Callable[[str], Any],
) -> None:
    walk = walks(
        """
        import minigrad as mg
        from minigrad import nn

        model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
        alone = model(mg.ones(1, 2))
        sum = alone.sum()
        """
    )
    moment = walk.moment(walk.go(View(), len(walk.trace)))
    said = {made.name: moment.expression(node) for node, made in walk.marks.nodes.items() if made.leaf is None}
    assert said["ReluBackward0"] == "relu(addmm(…))"
    assert said["TBackward0"] == "model.2.weight.T"
    assert said["AddmmBackward0"] == "alone = model(mg.ones(1, 2))"
    assert said["SumBackward0"] == "sum = alone.sum()"
