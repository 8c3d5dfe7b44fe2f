"""Samples of the copies of what views show, and of parts replaced."""

from __future__ import annotations

from tests.ops.sample import Table, sample

SAMPLES: Table = {
    "copied_alias": [sample("m.alias_copy(x)", x=(2, 3))],
    "copied_as_strided": [sample("m.as_strided_copy(x, (2, 2), (1, 2), 1)", x=(2, 3))],
    "copied_diagonal": [
        sample("m.diag(x)", x=(2, 3)),
        sample("m.diag(x, 1)", x=(3, 3)),
        sample("m.diag(x)", x=(2, 2, 2)),
        sample("m.diagonal_copy(x, 1, 0, 2)", x=(2, 3, 4)),
    ],
    "copied_expand": [sample("m.expand_copy(x, (4, -1, 3))", x=(2, 1))],
    "narrowly_slice_along": [sample("m.narrow_copy(x, 1, -2, 2)", x=(2, 3), second=False)],
    "copied_permute": [sample("m.permute_copy(x, (2, 0, 1))", x=(2, 3, 4))],
    "copied_select": [sample("m.select_copy(x, 1, -1)", x=(2, 3))],
    "copied_slice_along": [
        sample("m.slice_copy(x, 1, 0, 4, 2)", x=(2, 5)),
        sample("m.slice_copy(x)", x=(2, 3)),
        sample("m.slice_copy(x, 0, 2, 1)", x=(3,)),
    ],
    "copied_split": [sample("m.split_copy(x, 2, 1)", x=(2, 5))],
    "copied_split_with_sizes": [sample("m.split_with_sizes_copy(x, (1, 2))", x=(3, 2))],
    "copied_squeeze_all": [sample("m.squeeze_copy(x)", x=(1, 3, 1))],
    "copied_squeeze_dim": [sample("m.squeeze_copy(x, 0)", x=(1, 3, 1))],
    "copied_squeeze_dims": [sample("m.squeeze_copy(x, (0, 1))", x=(1, 3, 1))],
    "copied_t": [sample("m.t_copy(x)", x=(2, 3))],
    "copied_transpose": [sample("m.transpose_copy(x, 0, -1)", x=(2, 3, 4))],
    "copied_unbind": [sample("m.unbind_copy(x, 1)", x=(2, 3))],
    "copied_unfold": [sample("m.unfold_copy(x, 0, 3, 2)", x=(7, 2))],
    "copied_unsqueeze": [sample("m.unsqueeze_copy(x, -1)", x=(2, 3))],
    "copied_unsafe_view": [sample("m.view_copy(x, (3, -1))", x=(2, 6))],
    "unsafe_split": [sample("m.unsafe_split(x, 2)", x=(5, 2)), sample("m.unsafe_chunk(x, 3, 1)", x=(2, 5))],
    "unsafe_split_with_sizes": [sample("m.unsafe_split_with_sizes(x, (1, 2), 1)", x=(2, 3))],
    "select_scatter": [
        sample("m.select_scatter(x, y, 1, -1)", x=(2, 3), y=(2,)),
        sample("m.select_scatter(x, y, 0, 0)", x=(2, 3), y=(2,)),
    ],
    "slice_replaced": [
        sample("m.slice_scatter(x, y, 1, 0, 3, 2)", x=(2, 3), y=(2, 2)),
        sample("m.slice_scatter(x, y, 0, 1)", x=(3,), y=(3,)),
    ],
    "diagonal_scatter": [
        sample("m.diagonal_scatter(x, y, 1)", x=(3, 3), y=(2,)),
        sample("x.diagonal_scatter(y, 0, 1, 2)", x=(2, 3, 3), y=(2, 3)),
    ],
}
