"""The walk as text: what happened, in order, in the user's names, and readable without colour."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from inspector.plain import walk
from inspector.plain.fold import abridged, folded
from inspector.plain.numbers import array, times, worth
from inspector.plain.rows import Row
from inspector.trace.facts import Fact, Printed, ScriptEnded, Summary, TensorCreated
from inspector.trace.trace import Trace


def trace_of(tiny: ModuleType, facts: list[Fact] | None = None) -> Trace:
    return Trace(tiny.facts() if facts is None else facts, {tiny.FILE: tiny.SOURCE}, script=tiny.FILE)


@pytest.fixture
def lines(tiny: ModuleType) -> list[str]:
    """The walk through the small trace, with the blanks between its columns made one."""
    return [re.sub(r"  +", "  ", line.strip()) for line in walk(trace_of(tiny)).splitlines()]


def test_a_leaf_is_told_with_its_source_and_value(lines: list[str]) -> None:
    assert "3  x = mg.tensor([[1.0, 2.0]])  f64[1,2] [1.0 2.0]  constant" in lines
    assert "4  W = mg.tensor([[3.0], [4.0]], requires_grad=True)  f64[2,1] [3.0 4.0]  leaf, requires grad" in lines


def test_an_operation_is_told_with_its_node_and_what_it_saved(lines: list[str]) -> None:
    assert "6  q = h * h  f64[1,1] 121  MulBackward0  saves a=h@v0, b=h@v0" in lines


def test_an_unnamed_result_is_called_by_its_operation(lines: list[str]) -> None:
    assert "13  sum(t)  f64[] 76.7  SumBackward0" in lines


def test_a_write_shows_the_versions_and_the_new_value(lines: list[str]) -> None:
    assert "12  t.add_(1.0)  f64[2,1] [21.1 55.6]  AddBackward0  t v0 → v1" in lines


def test_fan_out_is_a_sum(lines: list[str]) -> None:
    sums = "→ MmBackward0 of h: 11.0  → MmBackward0 of h: 11.0 + 11.0 = 22.0"
    assert f"6  MulBackward0 of q  g f64[1,1] 1.0  {sums}" in lines


def test_accumulation_shows_what_was_there_before(lines: list[str]) -> None:
    first, second = (line for line in lines if line.startswith("4  ⊕ W"))
    assert first.endswith("W.grad = [22.0 44.0]")
    assert second.endswith("W.grad = [22.0 44.0] + [22.0 44.0] = [44.0 88.0]")


def test_each_pass_has_a_number_its_root_and_its_options(lines: list[str]) -> None:
    assert "8  ── backward #1 of loss  seed 1.0  retain_graph" in lines
    assert "9  ── backward #2 of loss  seed 1.0" in lines


def test_the_overwritten_value_is_named_before_the_error(lines: list[str]) -> None:
    at = lines.index("11  ✗ ExpBackward0 of t  it saved t as 'out' at v0, which is at v1 now")
    assert lines[at + 1].startswith("13  ✗ RuntimeError in ExpBackward0 of t  one of the variables needed")


def test_the_scripts_output_stands_in_its_place(lines: list[str]) -> None:
    at = lines.index("│ [[44.]")
    assert lines[at + 1] == "│  [88.]]"
    assert lines[at - 2].startswith("4  ⊕ W")
    assert lines[at + 2].startswith("11  t = W.exp()")


def test_what_happened_is_counted_at_the_end(lines: list[str]) -> None:
    assert lines[-1] == "6 operations, 3 backward passes"


def test_columns_line_up(tiny: ModuleType) -> None:
    told = [line for line in walk(trace_of(tiny)).splitlines() if "f64[1,1]" in line and "⊕" not in line]
    assert len({line.index("f64[") for line in told if " g " not in line}) == 1


def test_colour_only_paints(tiny: ModuleType) -> None:
    plain, painted = walk(trace_of(tiny)), walk(trace_of(tiny), colour=True)
    assert painted != plain
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain


def test_pieces_of_a_line_are_put_together_and_streams_kept_apart() -> None:
    facts = [Printed("stdout", "ep"), Printed("stderr", "warn\n"), Printed("stdout", "och\nend")]
    assert walk(Trace(facts)).splitlines() == ["  ┊ warn", "  │ epoch", "  │ end"]


def test_control_characters_of_the_script_do_not_reach_the_terminal() -> None:
    assert walk(Trace([Printed("stdout", "\x1b[2Jgone\r\x00\n")])) == "  │ \\x1b[2Jgone\\r\\x00"


def test_the_traceback_of_a_failed_script_is_told() -> None:
    ended = ScriptEnded("error", 1, "ValueError", "bad", "Traceback …\nValueError: bad\n")
    assert walk(Trace([ended])).splitlines() == ["  ┊ Traceback …", "  ┊ ValueError: bad"]


def iteration(loss: str) -> list[Row]:
    """One step of training: a forward stretch and a backward pass."""
    forward = [Row("step", "h = z.tanh()", place="3"), Row("stdout", f"loss {loss}")]
    forward[0].begins = True
    backward = [
        Row("head", "backward", place="4", begins=True, headline=f"loss {loss}"),
        Row("node", "Tanh", place="3"),
    ]
    return forward + backward


def test_repeated_iterations_are_told_once_and_their_output_is_kept() -> None:
    rows = [Row("step", "w = …", place="1"), *(row for loss in ("3", "2", "1") for row in iteration(loss))]
    told = folded(rows)
    assert [row.what for row in told] == [
        *("w = …", "h = z.tanh()", "loss 3", "backward", "Tanh"),
        *("↻ the same again, 2 times (lines 3 to 4)", "loss 2", "loss 1"),
    ]
    assert told[5].rest == "loss 2 … 1"


def test_epochs_fold_once_their_batches_have() -> None:
    rows: list[Row] = []
    for epoch in range(4):
        shuffled = iteration(f"{9 - epoch}")
        shuffled.insert(1, Row("step", "order = randperm(8)", place="2"))
        rows += [*shuffled, *(row for _ in range(5) for row in iteration(f"{9 - epoch}"))]
    told = folded(rows)
    folds = [(row.what, row.rest) for row in told if "↻" in row.what]
    assert folds == [
        ("↻ the same again, 4 times (lines 3 to 4)", "loss 9 … 9"),
        ("↻ the same again, 3 times (lines 2 to 4)", "loss 8 … 6"),
    ]


def test_what_differs_is_not_folded() -> None:
    rows = iteration("3") + iteration("2")
    rows[-1].what = "Exp"
    assert folded(rows) == rows


def test_a_long_walk_loses_its_middle_and_says_so() -> None:
    rows = [Row("step", str(number)) for number in range(1000)]
    told = abridged(rows, head=3, tail=2)
    assert [row.what for row in told] == [
        "0",
        "1",
        "2",
        "… 995 rows left out here; --all shows every one",
        "998",
        "999",
    ]
    assert abridged(rows[:6], head=3, tail=2) == rows[:6]


def test_what_was_printed_in_the_middle_stays() -> None:
    rows = [Row("step", str(number)) for number in range(100)]
    rows.insert(50, Row("stdout", "epoch 5"))
    told = [row.what for row in abridged(rows, head=3, tail=2)]
    assert told == ["0", "1", "2", "… 95 rows left out here; --all shows every one", "epoch 5", "98", "99"]


def test_everything_can_be_asked_for(tiny: ModuleType) -> None:
    facts = [
        TensorCreated(n, "tensor", (), "f64", False, True, None, n, 0, Summary((), "f64", 1.0, values=(1.0,)))
        for n in range(1, 1001)
    ]
    assert len(walk(trace_of(tiny, list(facts)), everything=True).splitlines()) == 1000
    assert len(walk(trace_of(tiny, list(facts))).splitlines()) < 400


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (None, "—"),
        (Summary((), "f32", 0.5, -0.5, -0.5, -0.5, 0, 0, (-0.5,)), "f32[] −0.5"),
        (Summary((2,), "f32", 5.0, 3.0, 4.0, 3.5, 0, 0, (3.0, 4.0)), "f32[2] [3.0 4.0]"),
        (Summary((9,), "f32", 5.2, 0.0, 4.0, 1.0, 2, 1, (0.0,) * 9), "f32[9] ‖5.2‖ 2 NaN 1 ∞"),
        (Summary((0, 3), "f32"), "f32[0,3] empty"),
    ],
)
def test_arrays_are_written_short(summary: Summary | None, text: str) -> None:
    assert array(summary) == text


def test_few_numbers_are_written_out() -> None:
    assert worth(Summary((), "f64", values=(float("nan"),))) == "NaN"


def test_counts_are_grammatical() -> None:
    assert [times(1, "backward pass"), times(2, "backward pass"), times(0, "row")] == [
        *("1 backward pass", "2 backward passes", "0 rows"),
    ]
