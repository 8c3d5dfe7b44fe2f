"""Samples of comparisons, tests, logic and searching: none of it differentiable."""

from __future__ import annotations

from tests.ops.sample import Table, elementwise, sample, truth, whole


def _bits(sign: str) -> list:
    return [
        sample(f"x {sign} y", x=whole(2, 3, low=0, high=9), y=whole(3, low=0, high=5)),
        sample(f"x {sign} 3", x=whole(2, 3, low=0, high=9)),
        sample(f"x {sign} y", x=whole(low=0, high=9), y=whole(0, 3, low=0, high=5)),
    ]


SAMPLES: Table = {
    "eq": [*elementwise("x == y"), *elementwise("m.eq(x, 1)")],
    "ne": [*elementwise("x != y"), *elementwise("m.ne(x, 1)")],
    "lt": [*elementwise("x < y", kinds="i"), *elementwise("m.lt(x, 0.5)", kinds="i")],
    "le": [*elementwise("x <= y", kinds="i"), *elementwise("m.le(x, 0.5)", kinds="i")],
    "gt": [*elementwise("x > y", kinds="i"), *elementwise("2 < x", kinds="i")],
    "ge": [*elementwise("x >= y", kinds="i"), *elementwise("m.ge(x, 0.5)", kinds="i")],
    "isnan": elementwise("m.isnan(x)"),
    "isinf": elementwise("m.isinf(x)"),
    "isposinf": elementwise("m.isposinf(x)", kinds="i"),
    "isneginf": elementwise("m.isneginf(x)", kinds="i"),
    "isfinite": elementwise("m.isfinite(x)"),
    "isreal": elementwise("m.isreal(x)"),
    "signbit": elementwise("m.signbit(x)", kinds="i"),
    "near": [*elementwise("m.isclose(x, x + 1e-7)"), *elementwise("m.isclose(x, y, rtol=0.5, atol=0.1)")],
    "logical_and": elementwise("m.logical_and(x, y)"),
    "logical_or": elementwise("m.logical_or(x, y)"),
    "logical_xor": elementwise("m.logical_xor(x, y)"),
    "logical_not": elementwise("m.logical_not(x)"),
    "bitwise_and": [*_bits("&"), sample("x & y", x=truth(2, 3), y=truth(3))],
    "bitwise_or": [*_bits("|"), sample("x | y", x=truth(2, 3), y=truth(3))],
    "bitwise_xor": [*_bits("^"), sample("x ^ y", x=truth(2, 3), y=truth(3))],
    "bitwise_not": [sample("~x", x=whole(2, 3, low=-4, high=4)), sample("~x", x=truth(3))],
    "bitwise_left_shift": _bits("<<"),
    "bitwise_right_shift": _bits(">>"),
    "among": [
        sample("m.isin(x, y)", x=whole(2, 3, low=0, high=5), y=whole(4, low=0, high=5)),
        sample("m.isin(x, 2, invert=True)", x=whole(2, 3, low=0, high=5)),
    ],
    "place_in_order": [
        sample("m.searchsorted(x.sort().values, y)", x=(5,), y=(2, 3), special=False),
        sample("m.searchsorted(x.sort().values, y, right=True)", x=(2, 5), y=(2, 3), special=False),
        sample("m.searchsorted(x.sort().values, 0.5)", x=(5,), special=False),
        sample("m.bucketize(y, x.sort().values)", x=(5,), y=(2, 3), special=False),
    ],
}
