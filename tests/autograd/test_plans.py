"""Which rules run, and how: whatever is written out is what calling the rules would have given."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from operator import sub
from typing import Any

import pytest

from minigrad.autograd.plans import sender

RULES: dict[str, tuple[Callable[..., Any], tuple[int, ...]] | None] = {
    "none": None,
    "handed on": (lambda g: g, ()),
    "negated": (lambda g: -g, ()),
    "multiplied": (lambda g, x: g * x, (0,)),
    "multiplied by another": (lambda g, x: g * x, (1,)),
    "divided": (lambda g, x: g / x, (1,)),
    "taken from it": (lambda g, x: x - g, (0,)),
    "by Python's own": (sub, (1,)),
    "of two": (lambda g, x, y: g * x - y, (1, 0)),
    "of three": (lambda g, x, y, z: g * x - y * z, (2, 0, 1)),
    "of four": (lambda g, x, y, z, w: (g * x - y * z) / w, (2, 0, 1, 0)),
}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_is_sent_is_what_the_rules_give(count: int) -> None:
    g, values = 7.0, [3.0, 5.0, 2.0]
    for names in product(RULES, repeat=count):
        rules = tuple(RULES[name] for name in names)
        expected = [entry and entry[0](g, *(values[i] for i in entry[1])) for entry in rules]
        assert sender(rules)(g, values) == expected, names
