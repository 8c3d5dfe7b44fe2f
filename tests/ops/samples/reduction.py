"""Samples of reductions, extremes, variances and norms, scans and order."""

from __future__ import annotations

from tests.ops.sample import Sample, Table, real, sample, truth, whole

SHAPES = ((2, 3), (), (0, 3), (2, 3, 4))


def everywhere(call: str, **options: object) -> list[Sample]:
    """A reduction over all elements, of tensors of several shapes."""
    return [sample(call, x=shape, **options) for shape in SHAPES]


def along(call: str, **options: object) -> list[Sample]:
    """A call whose dimension is 0 or 1: on matrices, empty ones, and three dimensions, front and back."""
    return [sample(call, x=shape, **options) for shape in ((2, 3), (4, 2, 3), (3, 2))]


POSITIVE = real(2, 3, low=0.3, high=2)

SAMPLES: Table = {
    "spread": [
        sample("op(x, (2, 3), (1,), False)", torch="x[:, None].expand(2, 3)", x=(2,)),
        sample("op(x, (2, 3), (0,), True)", torch="x.expand(2, 3)", x=(1, 3)),
        sample("op(x, (2, 3), (0, 1), False)", torch="x.expand(2, 3)", x=()),
    ],
    "sum_all": [*everywhere("x.sum()"), *everywhere("m.sum(x, dtype=m.float64)", kinds="i")],
    "sum_over": [
        *along("x.sum(1)"),
        *along("m.sum(x, dim=-1, keepdim=True)"),
        *along("x.sum((0, 1))"),
        *along("x.sum(0, dtype=m.float64)", kinds="i"),
        sample("x.sum(0)", x=(0, 3)),
        sample("x.sum(0)", x=()),
        sample("x.sum(dim=())", x=(2, 3)),
    ],
    "mean_all": [*everywhere("x.mean()", kinds="c"), sample("m.mean(x, dtype=m.float64)", x=whole(3, low=0, high=9))],
    "mean_over": [
        *along("x.mean(1)", kinds="c"),
        *along("m.mean(x, (0, 1), True)", kinds="c"),
        sample("x.mean(1)", x=(2, 0)),
    ],
    "nansum_over": [*everywhere("x.nansum()", kinds="i"), *along("m.nansum(x, 1, keepdim=True)", kinds="i")],
    "prod_all": everywhere("x.prod()", special=False),
    "prod_along": [
        *along("x.prod(1)", special=False),
        *along("m.prod(x, 0, keepdim=True)", special=False),
        sample("x.prod(0)", x=()),
        sample("x.prod(1)", x=(2, 0)),
    ],
    "logsumexp_over": [
        *along("x.logsumexp(1)", kinds="i"),
        *along("m.logsumexp(x, (0, 1), True)", kinds="i"),
        sample("x.logsumexp(0)", x=()),
        sample("x.logsumexp(1)", x=(2, 0)),
    ],
    "any_over": [sample("x.any()", x=truth(2, 3)), *along("x.any(1)"), sample("m.any(x, 0, True)", x=truth(0, 3))],
    "all_over": [sample("x.all()", x=truth(2, 3)), *along("x.all(1)"), sample("m.all(x, 0, True)", x=truth(0, 3))],
    "count_nonzero_over": [*everywhere("m.count_nonzero(x)"), *along("m.count_nonzero(x, 1)")],
    "softmax_along": [
        *along("x.softmax(1)", kinds=""),
        *along("m.softmax(x, 0, dtype=m.float64)", kinds="i"),
        sample("x.softmax(0)", x=(), kinds=""),
        sample("x.softmax(1)", x=(2, 0), kinds=""),
    ],
    "log_softmax_along": [*along("x.log_softmax(-1)", kinds=""), sample("x.log_softmax(0)", x=(), kinds="")],
    "softmax_back": [
        sample(
            "op(x, y, 1)",
            torch="m._softmax_backward_data(x, y, 1, x.dtype)",
            x=(2, 3),
            y=(2, 3),
            kinds="",
            special=False,
        ),
        sample("op(x, y, 0)", torch="m._softmax_backward_data(x, y, 0, x.dtype)", x=(), y=(), kinds="", special=False),
    ],
    "log_softmax_back": [
        sample(
            "op(x, y, 1)",
            torch="m._log_softmax_backward_data(x, y, 1, x.dtype)",
            x=(2, 3),
            y=(2, 3),
            kinds="",
            special=False,
        ),
    ],
    # --- extremes
    "share": [
        sample("op(x, c, (1,))", torch="x * c / c.sum(1, keepdim=True)", x=(2, 1), c=truth(2, 3), kinds="c"),
    ],
    "pick_along": [
        sample("op(x, x.detach().argsort(1), 1, True)", torch="x.sort(1).values", x=(2, 3), kinds="", special=False),
        sample("op(x, i, 1, False)", torch="x.gather(1, i[:, None])[:, 0]", x=(2, 3), i=whole(2, low=0, high=3)),
    ],
    "place_along": [
        sample(
            "op(x, i, (2, 3), 1, True)",
            torch="x.new_zeros(2, 3).scatter(1, i, x)",
            x=(2, 1),
            i=whole(2, 1, low=0, high=3),
        ),
    ],
    "max_all": [sample("x.max()", x=(2, 3), kinds="i"), sample("m.max(x)", x=(), kinds="i"), sample("x.max()", x=(0,))],
    "min_all": [sample("x.min()", x=(2, 3), kinds="i"), sample("m.min(x)", x=(), kinds="i"), sample("x.min()", x=(0,))],
    "amax_over": [
        *along("x.amax(1)", kinds="i"),
        *along("m.amax(x, (0, 1), True)", kinds="i"),
        sample("x.amax()", x=()),
        sample("x.amax(1)", x=(2, 0)),
    ],
    "amin_over": [
        *along("x.amin(1)", kinds="i"),
        *along("m.amin(x, (0, 1), True)", kinds="i"),
        sample("x.amin()", x=()),
    ],
    "aminmax_over": [*along("m.aminmax(x, dim=1)", kinds="i"), sample("x.aminmax()", x=(2, 3), kinds="i")],
    "max_along": [
        *along("x.max(1)", kinds="i"),
        *along("m.max(x, 0, True)", kinds="i"),
        sample("x.max(0)", x=()),
        sample("x.max(1)", x=(2, 0)),
    ],
    "min_along": [*along("x.min(1)", kinds="i"), *along("m.min(x, 0, True)", kinds="i"), sample("x.min(0)", x=())],
    "argmax_along": [
        *along("x.argmax(1)", kinds="i"),
        *everywhere("x.argmax()", kinds="i"),
        sample("m.argmax(x, 0, True)", x=(2, 3)),
    ],
    "argmin_along": [
        *along("x.argmin(1)", kinds="i"),
        *everywhere("x.argmin()", kinds="i"),
        sample("m.argmin(x, 0, True)", x=(2, 3)),
    ],
    # --- variance and norms
    "var_over": [
        *everywhere("x.var()")[:1],
        *along("x.var(1)"),
        *along("m.var(x, (0, 1), correction=0, keepdim=True)"),
        *along("x.var(0, False)"),
    ],
    "std_over": [
        *along("x.std(1)"),
        *along("m.std(x, (0, 1), correction=0, keepdim=True)"),
        sample("x.std()", x=(2, 3)),
    ],
    "var_mean_over": [*along("m.var_mean(x, 1)", special=False), sample("m.var_mean(x)", x=(2, 3), special=False)],
    "std_mean_over": [*along("m.std_mean(x, 1)", special=False), sample("m.std_mean(x)", x=(2, 3), special=False)],
    "renormed": [
        sample("m.renorm(x, 2, 0, 1.0)", x=(2, 3), kinds="c"),
        sample("m.renorm(x, 1, -1, 2.5)", x=(2, 3, 4), kinds="c"),
        sample("m.renorm(x, 3, 1, 100.0)", x=(2, 3), kinds="c"),
    ],
    "distance": [
        sample("m.dist(x, y)", x=(2, 3), y=(3,), kinds="c"),
        sample("m.dist(x, y, 1)", x=(2, 3), y=(2, 3), kinds="c"),
        sample("x.dist(y, 3)", x=(2, 3), y=(2, 1), kinds="c"),
        sample("m.dist(x, y, float('inf'))", x=(3,), y=(3,), kinds="c"),
        sample("m.dist(x, y, 0)", x=(3,), y=(3,), kinds="c", smooth=False, second=False),
    ],
    "vector_norm_over": [
        *everywhere("x.norm()", kinds="c"),
        *along("x.norm(1, 1)", kinds="c"),
        *along("m.norm(x, 3, 0, True)", kinds="c"),
        *along("m.norm(x, 1.5, 0)", kinds="c"),
        *along("m.norm(x, 0.5, 0)", kinds="c"),
        *along("m.norm(x, 0, 1)", kinds="c", smooth=False),
        *along("m.norm(x, float('inf'), 1)", kinds="c"),
        *along("m.norm(x, float('-inf'), 1)", kinds="c"),
        *along("m.norm(x, 2, (0, 1), dtype=m.float64)", kinds=""),
    ],
    # --- scans
    "cumsum_along": [
        *along("x.cumsum(1)"),
        *along("m.cumsum(x, 0, dtype=m.float64)", kinds="i"),
        sample("x.cumsum(0)", x=()),
        sample("x.cumsum(1)", x=(2, 0)),
    ],
    "cumprod_along": [
        *along("x.cumprod(1)", special=False),
        *along("m.cumprod(x, 0)", special=False),
        sample("x.cumprod(0)", x=()),
        sample("x.cumprod(1)", x=(2, 0)),
    ],
    "logcumsumexp_along": [
        *along("x.logcumsumexp(1)", kinds=""),
        sample("x.logcumsumexp(0)", x=(), kinds=""),
        sample("x.logcumsumexp(1)", x=(2, 0), kinds=""),
        sample("x.logcumsumexp(1)", x=(2, 1), kinds=""),
    ],
    "cummax_along": [*along("x.cummax(1)", kinds="i"), sample("x.cummax(0)", x=())],
    "cummin_along": [*along("x.cummin(1)", kinds="i"), sample("x.cummin(0)", x=())],
    "trace": [sample("m.trace(x)", x=(3, 3)), sample("x.trace()", x=(2, 4)), sample("x.trace()", x=(3,))],
    # --- order
    "sort_along": [
        *along("x.sort()", kinds=""),
        *along("m.sort(x, 0, descending=True)", kinds=""),
        sample("x.sort()", x=(), kinds=""),
        sample("x.sort(1)", x=(2, 0)),
    ],
    "sort_stably": along("m.sort(x, dim=0, stable=True, descending=True)", kinds="i"),
    "argsort_along": [*along("x.argsort(1)", kinds=""), *along("m.argsort(x, 0, descending=True)", kinds="")],
    "topk_along": [
        *along("x.topk(2)", kinds="", special=False),
        *along("m.topk(x, 1, 0, largest=False)", kinds="", special=False),
        sample("x.topk(4)", x=(3,)),
    ],
    "kthvalue_along": [
        *along("x.kthvalue(2)", kinds="", special=False),
        *along("m.kthvalue(x, 1, 0, True)", kinds="", special=False),
    ],
    "median_along": [
        *along("x.median(1)", kinds="", special=False),
        *along("m.median(x, 0, True)", kinds="", special=False),
    ],
    "nanmedian_along": [
        *along("x.nanmedian(1)", kinds="", special=False),
        *along("m.nanmedian(x, 0, True)", kinds="", special=False),
    ],
    "median_all": [
        sample("x.median()", x=(2, 3), kinds="i"),
        sample("x.median()", x=(4,)),
        sample("m.median(x)", x=()),
        sample("x.median()", x=(0,)),
    ],
    "nanmedian_all": [sample("x.nanmedian()", x=(2, 3), kinds="i"), sample("m.nanmedian(x)", x=(4,))],
    "mode_along": [
        sample("x.mode(1)", x=whole(4, 9, low=0, high=4)),
        sample("m.mode(x, 0, True)", x=whole(9, 4, low=0, high=4)),
        sample("x.mode()", x=(2, 1), kinds=""),
    ],
}
