"""The tensor pane's maps: a number's size and sign can be read from the glyph alone; counts are those of NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inspector.app.lines import text, width
from inspector.app.reading import tensors
from inspector.app.reading.heat import LESS, MORE, heat, shade
from inspector.record.summary import summarise
from inspector.trace.facts import Summary, VersionBumped


@pytest.mark.parametrize("value", [3.0, 1.1, 0.4, 0.01])
def test_the_glyph_tells_the_sign_and_grows_with_the_number(value: float) -> None:
    glyph, role = shade(value, 3.0)
    mirrored, other = shade(-value, 3.0)
    assert MORE.index(glyph) == LESS.index(mirrored) == min(3, int(value / 3 * 4))
    assert role != other


def test_what_is_not_finite_and_what_is_zero_look_like_nothing_else() -> None:
    glyphs = [shade(value, 1.0)[0] for value in (math.nan, math.inf, -math.inf, 0.0)]
    assert glyphs == ["✗", "∞", "∞", "·"]
    assert not set(glyphs) & set(MORE + LESS)


def test_a_map_has_a_row_for_each_of_the_last_dimension() -> None:
    summary = summarise(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8))
    assert summary is not None
    rows = [text(row) for row in heat(summary, 40)]
    assert rows[0] == "▤▤▤▤▤▤▤▤≡≡≡≡≡≡≡≡"  # −1 to −0.55
    assert rows[3] == "▓▓▓▓▓▓▓▓████████"
    assert [len(row) for row in rows[:4]] == [16] * 4
    assert set(rows[0]) <= set(LESS)
    assert set(rows[3]) <= set(MORE)
    assert rows[4] == "▤ −1.0  █ 1.0"


def test_the_map_of_a_large_array_is_one_of_all_of_it_and_says_how_coarse_it_is() -> None:
    array = np.zeros((64, 64), dtype=np.float32)
    array[:, 32:] = 1.0
    array[40:] *= -1.0
    rows = [text(row) for row in heat(_summary(array), 30)]
    assert rows[:8] == ["········████████"] * 5 + ["········▤▤▤▤▤▤▤▤"] * 3
    assert rows[8].endswith("  8×8 of 64×64")


def test_a_map_is_as_wide_and_as_high_as_there_is_room_for() -> None:
    long = _summary(np.arange(4096, dtype=np.float32))
    rows = heat(long, 30)
    assert [width(row) for row in rows[:-1]] == [30]
    assert text(rows[-1]).endswith("  30 of 4,096")
    tall = heat(_summary(np.ones((4096, 3), dtype=np.float32)), 30)
    assert [text(row) for row in tall[:-1]] == ["██████"] * 8
    assert text(tall[-1]).endswith("  8×3 of 4,096×3")
    nothing = heat(_summary(np.zeros((100, 10), dtype=np.float32)), 30)
    assert text(nothing[-1]) == "all 0  8×8 of 100×10"
    assert heat(Summary((64,), "f32"), 30) == []
    assert heat(Summary((64, 64), "f32", values=(1.0, 2.0)), 30) == []  # a damaged file may say so


def _summary(array: np.ndarray[Any, Any]) -> Summary:
    summary = summarise(array)
    assert summary is not None
    return summary


VIEWS = """
    import minigrad as mg

    table = mg.zeros(3, 2)
    first = table[0]
    turned = table.t()
    table[1] = float("nan")
"""


def test_views_are_listed_with_their_shapes_and_nan_is_counted(walks: Callable[[str], Any]) -> None:
    walk = walks(VIEWS)
    rows = walk.says(tensors, len(walk.trace), room=60, tensor=walk.tensor("table"))
    at = rows.index("shares its storage with")
    assert "  first  f32[2]  select of table" in rows[at:]
    assert "  turned  f32[2,3]  t of table" in rows[at:]
    first = walk.says(tensors, len(walk.trace), room=60, tensor=walk.tensor("first"))
    assert any(row.startswith("view of") and "table" in row for row in first)
    assert any(row.startswith("value  0 NaN, 0 ∞  of v0: written since through ") for row in first)
    assert any(row.startswith("value  2 NaN") and "written since" not in row for row in rows)
    bump = walk.trace.facts[walk.trace.steps_of(VersionBumped)[0] - 1]
    assert any("2 NaN" in row for row in walk.says(tensors, len(walk.trace), room=60, tensor=bump.tensor))


def test_value_and_gradient_have_numbers_shades_or_bars(walks: Callable[[str], Any]) -> None:
    walk = walks(
        """
        import minigrad as mg

        small = mg.tensor([[1.0, -2.0], [0.5, 0.0]], requires_grad=True)
        large = mg.arange(1000, dtype=mg.float32).requires_grad_()
        ((small * small).sum() + (large * 2).sum()).backward()
        """
    )
    end = len(walk.trace)
    rows = walk.says(tensors, end, room=60, tensor=walk.tensor("small"))
    value, grad = rows.index("value  0 NaN, 0 ∞"), rows.index("grad  0 NaN, 0 ∞")
    assert [row.split()[-1] for row in rows[value + 1 : value + 3]] == ["▓▓▤▤", "▒▒··"]
    assert rows[value + 1].split()[:2] == ["1.0", "−2.0"]
    assert [row.split()[-1] for row in rows[grad + 1 : grad + 3]] == ["▓▓▤▤", "▒▒··"]
    many = walk.says(tensors, end, room=60, tensor=walk.tensor("large"))
    assert any("0.0 … 999" in row for row in many)
    assert any("bars of 64 of 1,000" in row for row in many)
