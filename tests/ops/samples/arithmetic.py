"""Samples of arithmetic, choosing, clamping and what fits gradients."""

from __future__ import annotations

from tests.ops.sample import Table, elementwise, sample, truth

FAR = {"low": 0.5, "high": 3.0}
"""Away from 0, where quotients are tame."""

SAMPLES: Table = {
    "add_pair": [*elementwise("x + y"), *elementwise("x + 2"), *elementwise("1.5 + x"), *elementwise("m.add(x, y)")],
    "add_scaled": [*elementwise("m.add(x, y, alpha=2)"), *elementwise("x.add(y, alpha=-3)")],
    "sub_pair": [*elementwise("x - y"), *elementwise("x - 2.5"), *elementwise("m.sub(x, y)")],
    "sub_scaled": elementwise("m.sub(x, y, alpha=2)"),
    "rsub_number": [*elementwise("2 - x"), *elementwise("1.5 - x")],
    "rsub_pair": [*elementwise("m.rsub(x, y)"), *elementwise("m.rsub(x, y, alpha=2)")],
    "mul": [
        *elementwise("x * y"),
        *elementwise("x * 3"),
        *elementwise("0.5 * x"),
        *elementwise("m.mul(x, y)"),
        *elementwise("x * x"),
    ],
    "quotient": [*elementwise("x / y", **FAR), *elementwise("x / 4"), *elementwise("m.div(x, y)", **FAR)],
    "div_rounded": [
        *elementwise("m.div(x, y, rounding_mode='floor')", **FAR, kinds="i"),
        *elementwise("m.div(x, y, rounding_mode='trunc')", **FAR, kinds="i"),
        *elementwise("m.div(-x, y, rounding_mode='trunc')", **FAR, kinds="i"),
        *elementwise("m.div(x, 2, rounding_mode='floor')", kinds="i"),
    ],
    "floor_divide": [
        *elementwise("x // y", **FAR, kinds="i"),
        *elementwise("x // 2", kinds="i"),
        *elementwise("5 // x", **FAR, kinds="i"),
    ],
    "remainder_pair": elementwise("m.remainder(x, y)", **FAR, kinds="i"),
    "remainder_number": [*elementwise("x % 2", kinds="i"), *elementwise("x % -0.75", kinds="i")],
    "fmod_pair": elementwise("m.fmod(x, y)", **FAR, kinds="i"),
    "fmod_number": [*elementwise("m.fmod(x, 2)", kinds="i"), *elementwise("m.fmod(x, -0.75)", kinds="i")],
    "neg": [*elementwise("-x"), *elementwise("m.neg(x)")],
    "reciprocal": [*elementwise("m.reciprocal(x)", **FAR), *elementwise("2 / x", **FAR)],
    "add_product": [*elementwise("m.addcmul(x, y, z)"), *elementwise("m.addcmul(x, y, z, value=2)")],
    "add_quotient": [*elementwise("m.addcdiv(x, y, z)", **FAR), *elementwise("m.addcdiv(x, y, z, value=2)", **FAR)],
    "lerp_pair": elementwise("m.lerp(x, y, z)", kinds="c"),
    "lerp_number": [*elementwise("m.lerp(x, y, 0.3)", kinds="c"), *elementwise("m.lerp(x, y, 0.8)", kinds="c")],
    # --- choosing
    "zero": [sample("op(x)", torch="m.zeros_like(x)", x=(2, 3))],
    "choose": [
        sample("m.where(c, x, y)", c=truth(2, 3), x=(2, 3), y=(2, 3)),
        sample("m.where(c, x, y)", c=truth(2, 3), x=(), y=(3,)),
        sample("m.where(c, x, 0.5)", c=truth(2, 3), x=(3,)),
        sample("m.where(c, 2, x)", c=truth(), x=(0, 3)),
        sample("x.where(c, y)", c=truth(3), x=(2, 1), y=(1, 3)),
    ],
    "maximum": elementwise("m.maximum(x, y)", kinds="i"),
    "minimum": elementwise("m.minimum(x, y)", kinds="i"),
    "fmax": elementwise("m.fmax(x, y)", kinds="i"),
    "fmin": elementwise("m.fmin(x, y)", kinds="i"),
    "relu": [*elementwise("m.relu(x)", kinds="i"), *elementwise("x.relu()", kinds="i")],
    "relu_slope": [sample("op(x, y)", x=(2, 3), y=(2, 3), second=False)],
    "without_nan": [*elementwise("m.nan_to_num(x)"), *elementwise("m.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-2.0)")],
    "heaviside": elementwise("m.heaviside(x, y)", kinds=""),
    # --- filling with random numbers, here always the same ones
    "uniform": [sample("op(x, 0.0, 1.0, m.Generator().manual_seed(3))", x=(2, 3))],
    "normal": [sample("op(x, 1.0, 2.0, m.Generator().manual_seed(3))", x=(2, 3))],
    "bernoulli": [sample("op(x, 0.5, m.Generator().manual_seed(3))", x=(2, 3))],
    "exponential": [sample("op(x, 2.0, m.Generator().manual_seed(3))", x=(2, 3))],
    "cauchy": [sample("op(x, 1.0, 2.0, m.Generator().manual_seed(3))", x=(2, 3))],
    "geometric": [sample("op(x, 0.3, m.Generator().manual_seed(3))", x=(2, 3))],
    "log_normal": [sample("op(x, 1.0, 2.0, m.Generator().manual_seed(3))", x=(2, 3))],
    "random_whole": [sample("op(x, 0, 9, m.Generator().manual_seed(3))", x=(2, 3))],
    # --- clamping
    "clamp_numbers": [
        *elementwise("m.clamp(x, -1, 1)", kinds="i"),
        *elementwise("x.clamp(0.5)", kinds="i"),
        *elementwise("m.clamp(x, max=0.5)", kinds="i"),
        *elementwise("m.clamp(x, 1, -1)", kinds="i"),
    ],
    "clamp_between": [
        sample("m.clamp(x, y, z)", x=(2, 3), y=(2, 3), z=(2, 3), kinds="i"),
        sample(
            "m.clamp(x, y, z)", x=(2, 3), y=(3,), z=(), kinds="i"
        ),  # PyTorch sends no gradient back to a stretched x.
    ],
    "clamp_from": elementwise("m.clamp(x, min=y)", kinds="i"),
    "clamp_up_to": elementwise("m.clamp(x, max=y)", kinds="i"),
    "clamp_min_number": elementwise("m.clamp_min(x, 0.5)", kinds="i"),
    "clamp_max_number": elementwise("m.clamp_max(x, 0.5)", kinds="i"),
    "clamp_min_pair": elementwise("m.clamp_min(x, y)", kinds="i"),
    "clamp_max_pair": elementwise("m.clamp_max(x, y)", kinds="i"),
    # --- fitting
    "sum_to": [
        sample("op(x, (1, 3))", torch="x.sum(0, keepdim=True)", x=(2, 3), kinds="c"),
        sample("op(x, (3,))", torch="x.sum((0, 1))", x=(4, 2, 3), kinds="c"),
        sample("op(x, ())", torch="x.sum()", x=(2, 3), kinds="c"),
    ],
    "stretch": [
        sample("op(x, (2, 3))", torch="x.expand(2, 3)", x=(3,)),
        sample("op(x, (4, 2, 3))", torch="x.expand(4, 2, 3)", x=(2, 1)),
    ],
    "cast": [
        sample("x.float()", x=(2, 3), smooth=False),
        sample("x.to(m.complex64)", x=(2, 3), kinds="i", smooth=False),
        sample("x.half()", x=(2, 3), smooth=False),
        sample("x.long()", x=(2, 3), smooth=False, kinds="i"),
        sample("x.bool()", x=(2, 3), smooth=False),
        sample("x.type(m.complex128)", x=()),
    ],
}
