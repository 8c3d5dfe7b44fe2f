"""Samples of views, joining, rearranging, padding and overwriting."""

from __future__ import annotations

from tests.ops.sample import Table, sample, truth, whole

WINDOW = "m.autograd.views.Geometry((2,), (2,), 1), m.autograd.views.Geometry((2, 2), (2, 1), 0)"
"""A look at the second column of a matrix of two by two."""

SAMPLES: Table = {
    "view": [
        sample("x.view(3, 4)", x=(2, 6)),
        sample("x.view(-1)", x=(2, 3)),
        sample("x.view(2, -1, 1)", x=(4, 3)),
        sample("x.view(())", x=(1,)),
        sample("x.view(0, 3)", x=(3, 0)),
        sample("x.view(4)", x=(2, 3)),
        sample("x.flatten(1)", x=(2, 3, 2)),
        sample("m.unflatten(x, 1, (2, -1))", x=(2, 6)),
        sample("x.view_as(y)", x=(6,), y=(2, 3)),
    ],
    "reshape_alias": [
        sample("x.transpose(0, 1).reshape(3, 2, 1)", x=(2, 3)),
        sample("m.reshape(x[:, ::2], (2, 2, 1))", x=(2, 4)),
    ],
    "unsafe_view": [
        sample("x.t().reshape(6)", x=(2, 3)),
        sample("x.transpose(0, 2).flatten(1)", x=(2, 3, 4)),
        sample("m.matmul(x, y)", x=(2, 3, 4), y=(4, 2), kinds="c"),
    ],
    "clone": [sample("x.clone()", x=(2, 3)), sample("m.clone(x)", x=()), sample("x.t().clone()", x=(0, 3))],
    "channels_last_copy": [
        sample("x.contiguous(memory_format=m.channels_last)", x=(2, 3, 4, 2)),
        sample("x.contiguous(memory_format=m.channels_last_3d)", x=(1, 2, 3, 2, 2)),
    ],
    "contiguous_copy": [sample("x.t().contiguous()", x=(2, 3)), sample("x.transpose(0, 2).contiguous()", x=(2, 3, 4))],
    "alias": [sample("x[...]", x=(2, 3)), sample("x[...]", x=())],
    "transpose": [
        sample("x.transpose(0, 1)", x=(2, 3)),
        sample("m.transpose(x, -1, 0)", x=(2, 3, 4)),
        sample("x.mT", x=(2, 3, 4)),
        sample("x.swapaxes(1, 1)", x=(2, 3)),
        sample("x.transpose(0, 2)", x=(2, 3)),
    ],
    "t": [sample("x.t()", x=(2, 3)), sample("m.t(x)", x=(3,)), sample("x.t()", x=()), sample("x.t()", x=(2, 2, 2))],
    "permute": [
        sample("x.permute(2, 0, 1)", x=(2, 3, 4)),
        sample("m.permute(x, (-1, 0, 1))", x=(2, 3, 4)),
        sample("x.T", x=(2, 3)),
        sample("m.movedim(x, 0, 2)", x=(2, 3, 4)),
        sample("x.movedim((0, 1), (2, 0))", x=(2, 3, 4)),
        sample("x.permute(0, 0)", x=(2, 3)),
    ],
    "unsqueeze": [
        sample("x.unsqueeze(0)", x=(2, 3)),
        sample("m.unsqueeze(x, -1)", x=(2, 3)),
        sample("x[:, None]", x=(2, 3)),
        sample("x.unsqueeze(0)", x=()),
        sample("x.unsqueeze(4)", x=(2, 3)),
    ],
    "squeeze_all": [
        sample("x.squeeze()", x=(1, 3, 1)),
        sample("m.squeeze(x)", x=(1,)),
        sample("x.squeeze()", x=(2, 3)),
    ],
    "squeeze_dim": [
        sample("x.squeeze(0)", x=(1, 3, 1)),
        sample("x.squeeze(-2)", x=(1, 3, 1)),
        sample("x.squeeze(0)", x=()),
    ],
    "squeeze_dims": [sample("x.squeeze((0, 2))", x=(1, 3, 1)), sample("m.squeeze(x, (0, 1))", x=(1, 3))],
    "expand": [
        sample("x.expand(2, 3)", x=(3,)),
        sample("x.expand(4, -1, 2)", x=(3, 1)),
        sample("x.expand_as(y)", x=(1, 3), y=(2, 3)),
        sample("m.broadcast_to(x, (2, 2))", x=()),
        sample("x.expand(0, 3)", x=(1, 3)),
        sample("x.expand(2, 4)", x=(3,)),
        sample("x.expand(3)", x=(2, 3)),
    ],
    "select": [
        sample("x[1]", x=(2, 3)),
        sample("x[:, -1]", x=(2, 3)),
        sample("x.select(-1, 0)", x=(2, 3)),
        sample("m.select(x, 1, 2)", x=(2, 3, 2)),
        sample("x[3]", x=(2, 3)),
        sample("x[0]", x=()),
    ],
    "select_backward": [sample("op(x, (2, 3), 0, 1)", x=(3,)), sample("op(x, (2, 3), 1, 2)", x=(2,))],
    "slice_along": [
        sample("x[1:]", x=(3, 2)),
        sample("x[:, 1:3]", x=(2, 4)),
        sample("x[::2]", x=(5,)),
        sample("x[2:1]", x=(3,)),
        sample("x[-2:, ::3]", x=(3, 4)),
        sample("m.narrow(x, 1, 1, 2)", x=(2, 4)),
        sample("m.tensor_split(x, 3)", x=(5,)),
        sample("m.tensor_split(x, [1, 3], 1)", x=(2, 4)),
    ],
    "slice_backward": [sample("op(x, (5,), 0, 1, 5, 2)", x=(2,)), sample("op(x, (2, 4), 1, 0, 2, 1)", x=(2, 2))],
    "unbind": [sample("x.unbind()", x=(2, 3)), sample("m.unbind(x, 1)", x=(2, 3)), sample("list(x)", x=(2, 3))],
    "split": [
        sample("x.split(2)", x=(5, 2)),
        sample("m.split(x, 1, 1)", x=(2, 3)),
        sample("x.chunk(2, -1)", x=(2, 5)),
        sample("x.split(0)", x=(2,)),
    ],
    "split_with_sizes": [sample("x.split([1, 2], 1)", x=(2, 3)), sample("x.split([1, 1], 1)", x=(2, 3))],
    "diagonal": [
        sample("x.diagonal()", x=(2, 3)),
        sample("m.diagonal(x, 1, 0, 2)", x=(3, 2, 4)),
        sample("x.diagonal(-1)", x=(3, 3)),
        sample("x.diagonal(0, 1, 1)", x=(2, 3)),
    ],
    "diagonal_backward": [sample("op(x, (2, 3), 1, 0, 1)", x=(2,)), sample("op(x, (2, 3, 2), 0, 0, 2)", x=(3, 2))],
    "unfold": [
        sample("x.unfold(0, 2, 1)", x=(4, 2)),
        sample("x.unfold(1, 2, 2)", x=(2, 5)),
        sample("x.unfold(0, 5, 1)", x=(4,)),
    ],
    "unfold_backward": [sample("op(x, (4,), 0, 2, 1)", x=(3, 2)), sample("op(x, (2, 5), 1, 2, 2)", x=(2, 2, 2))],
    "as_strided": [
        sample("x.as_strided((2, 2), (1, 2))", x=(6,)),
        sample("m.as_strided(x, (3, 2), (1, 1), 1)", x=(5,)),
        sample("x.as_strided((9,), (1,))", x=(5,)),
    ],
    "strided_gather": [sample(f"op(x, {WINDOW})", x=(2, 2), second=False)],
    "strided_scatter_add": [
        sample(f"op(x, {WINDOW})", x=(2,), second=False),
        sample(
            "op(x, m.autograd.views.Geometry((2, 2), (1, 1), 0), m.autograd.views.Geometry((3,), (1,), 0))",
            x=(2, 2),
            second=False,
        ),
        sample(
            "op(x, m.autograd.views.Geometry((2,), (1,), 0), m.autograd.views.Geometry((2, 2), (1, 2), 0))",
            x=(2,),
            second=False,
        ),
    ],
    "strided_replace": [
        sample(f"op(x, y, {WINDOW})", x=(2, 2), y=(2,), second=False),
        sample(
            "op(x, y, m.autograd.views.Geometry((2,), (1,), 0), m.autograd.views.Geometry((2, 2), (1, 2), 0))",
            x=(2, 2),
            y=(2,),
            second=False,
        ),
    ],
    # --- joining
    "cat_along": [
        sample("m.cat([x, y])", x=(2, 3), y=(1, 3)),
        sample("m.cat([x, y], -1)", x=(2, 3), y=(2, 0)),
        sample("m.cat([x, y])", x=(0,), y=(2, 3)),
        sample("m.cat([x, x], 1)", x=(2, 3)),
        sample("m.cat([x, y])", x=(2, 3), y=(2, 4)),
        sample("m.cat([x, y])", x=(), y=(1,)),
        sample("m.hstack([x, y])", x=(2,), y=(3,)),
        sample("m.vstack([x, y])", x=(2, 3), y=(1, 3)),
        sample("m.dstack([x, y])", x=(2, 3), y=(2, 3)),
        sample("m.column_stack([x, y])", x=(2,), y=(2, 3)),
    ],
    "stack_along": [
        sample("m.stack([x, y])", x=(2, 3), y=(2, 3)),
        sample("m.stack([x, y], -1)", x=(), y=()),
        sample("m.stack([x, y], 1)", x=(2, 3), y=(2, 3)),
        sample("m.stack([x, y])", x=(2,), y=(3,)),
    ],
    "repeat": [
        sample("x.repeat(2, 3)", x=(2,)),
        sample("x.repeat(1, 0)", x=(2, 3)),
        sample("m.tile(x, (2,))", x=(2, 3)),
        sample("x.repeat(2)", x=(2, 3)),
    ],
    "fold_repeats": [sample("op(x, (2,), (2, 3))", x=(2, 6)), sample("op(x, (2, 3), (2, 1))", x=(4, 3))],
    # --- rearranging
    "flipped": [sample("m.flip(x, (0,))", x=(3, 2)), sample("x.flip(0, 1)", x=(2, 3)), sample("x.fliplr()", x=(2, 3))],
    "rolled": [
        sample("m.roll(x, 1)", x=(2, 3)),
        sample("x.roll((1, -2), (0, 1))", x=(2, 3)),
        sample("x.roll((1, 2), 0)", x=(2, 3)),
    ],
    "turned": [sample("m.rot90(x)", x=(2, 3)), sample("x.rot90(-1, (1, 0))", x=(2, 3)), sample("x.rot90(2)", x=(2, 3))],
    "tril": [sample("m.tril(x)", x=(3, 3)), sample("x.tril(-1)", x=(2, 2, 3)), sample("m.tril(x)", x=(3,))],
    "triu": [sample("m.triu(x)", x=(3, 3)), sample("m.triu(x, 1)", x=(3, 2))],
    "diag_embed": [
        sample("m.diag_embed(x)", x=(2, 3)),
        sample("x.diag_embed(1, 0, 2)", x=(2, 3)),
        sample("m.diag(x, -1)", x=(3,)),
        sample("m.diagflat(x)", x=(2, 2)),
    ],
    "block_diagonal": [
        sample("m.block_diag(x, y)", x=(2, 3), y=(1, 2)),
        sample("m.block_diag(x, y)", x=(3,), y=(), kinds="c"),
    ],
    # --- padding
    "padded": [
        sample("m.nn.functional.pad(x, (1, 2))", x=(2, 3)),
        sample("m.nn.functional.pad(x, (0, 1, 2, 0), value=3.0)", x=(2, 3), kinds=""),
        sample("m.nn.functional.pad(x, (-1, 1))", x=(2, 3)),
        sample("m.nn.functional.pad(x, (1,))", x=(2, 3)),
    ],
    "folded_border": [
        sample("op(x, (3,), ((1, 1),), 'reflect')", x=(5,)),
        sample("op(x, (2, 2), ((1, 0), (0, 2)), 'replicate')", x=(3, 4)),
    ],
    **{
        name: [
            sample(f"m.nn.functional.pad(x, {width}, mode='{mode}')", x=shape, kinds="c", special=mode != "circular")
            for shape in shapes
        ]
        for name, mode, width, shapes in (
            ("reflection_pad1d", "reflect", (1, 2), [(2, 4), (1, 2, 3)]),
            ("reflection_pad2d", "reflect", (1, 1, 0, 2), [(1, 4, 3), (1, 2, 3, 3)]),
            ("reflection_pad3d", "reflect", (1, 0, 1, 1, 0, 1), [(1, 1, 2, 3, 2)]),
            ("replication_pad1d", "replicate", (1, 2), [(2, 4), (1, 2, 3)]),
            ("replication_pad2d", "replicate", (1, 1, 0, 2), [(1, 4, 3), (1, 2, 3, 3)]),
            ("replication_pad3d", "replicate", (1, 0, 1, 1, 0, 1), [(1, 1, 2, 3, 2)]),
        )
    },
    **{
        name: [sample(f"m.nn.functional.pad(x, {width}, mode='circular') * 1", x=shape, kinds="")]
        for name, width, shape in (
            ("circular_pad1d", (1, 2), (1, 2, 4)),
            ("circular_pad2d", (1, 1, 0, 2), (1, 2, 3, 3)),
            ("circular_pad3d", (1, 0, 1, 1, 0, 1), (1, 1, 2, 3, 2)),
        )
    },
    # --- overwriting
    "copy_from": [
        sample("(x * 1).copy_(y.to(x.dtype))", x=(2, 3), y=(3,), kinds=""),
        sample("(x * 1).copy_(y)", x=(2, 3), y=(2, 3), kinds="c"),
        sample("(x * 1).copy_(y)", x=(3,), y=(2, 3), kinds=""),
    ],
    "zero_out": [sample("(x * 1).zero_()", x=(2, 3), kinds="c"), sample("(x * 1).zero_()", x=(), kinds="c")],
    "filled": [sample("m.fill(x, 2.5)", x=(2, 3), kinds="c")],
    "filled_with": [sample("m.fill(x, y)", x=(2, 3), y=(), kinds="c")],
    "fill_number": [sample("(x * 1).fill_(2.5)", x=(2, 3), kinds="c"), sample("(x * 1).fill_(3)", x=(), kinds="c")],
    "fill_tensor": [
        sample("(x * 1).fill_(y.to(x.dtype))", x=(2, 3), y=(), kinds="c"),
        sample("(x * 1).fill_(y)", x=(2, 3), y=(3,), kinds=""),
    ],
    "masked_fill_number": [
        sample("x.masked_fill(c, 1.5)", x=(2, 3), c=truth(2, 3), kinds="c"),
        sample("m.masked_fill(x, c, 2.0)", x=(2, 3), c=truth(3), kinds="c"),
        sample("(x * 1).masked_fill_(c, 0.0)", x=(2, 3), c=truth(2, 1), kinds="c"),
    ],
    "masked_fill_tensor": [
        sample("x.masked_fill(c, y)", x=(2, 3), c=truth(2, 3), y=(), kinds=""),
        sample("x.masked_fill(c, y)", x=(2, 3), c=truth(2, 3), y=(3,), kinds=""),
    ],
    "kept_where": [sample("op(x, c, True)", x=(2, 3), c=truth(2, 3)), sample("op(x, c, False)", x=(2, 3), c=truth(3))],
    # --- picking and placing
    "index": [
        sample("x[i]", x=(3, 2), i=whole(4, low=-3, high=3)),
        sample("x[i, j]", x=(3, 4), i=whole(2, 2, low=0, high=3), j=whole(2, low=0, high=4)),
        sample("x[c]", x=(2, 3), c=truth(2, 3)),
        sample("x[:, c]", x=(2, 3), c=truth(3)),
        sample("x[0, :, i]", x=(2, 3, 4), i=whole(2, low=0, high=4)),
        sample("x[i, :, j]", x=(2, 3, 4), i=whole(2, low=0, high=2), j=whole(2, low=0, high=4)),
        sample("x[[0, 2, 0]]", x=(3, 2)),
        sample("x[True]", x=(2,)),
        sample("x[i]", x=(2,), i=whole(3, low=2, high=4)),
        sample("x[c]", x=(2, 3), c=truth(3)),
    ],
    "index_backward": [
        sample("op(x, i, shape=(3, 2), pattern=(True,))", x=(4, 2), i=whole(4, low=0, high=3)),
        sample("op(x, c, shape=(2, 3), pattern=(False, True))", x=(2, 1), c=truth(3)),
    ],
    "index_put": [
        sample("m.index_put(x, (i,), y)", x=(3, 2), i=whole(2, low=0, high=2), y=(2, 2), smooth=False, kinds=""),
        sample("m.index_put(x, (i,), y, accumulate=True)", x=(3, 2), i=whole(4, low=0, high=3), y=(4, 2), kinds=""),
        sample("m.index_put(x, (c,), y)", x=(2, 3), c=truth(2, 3), y=(), kinds=""),
    ],
    "parts_at": [
        sample("m.index_select(x, 0, i)", x=(3, 2), i=whole(4, low=0, high=3)),
        sample("x.index_select(-1, i)", x=(2, 3), i=whole(2, low=0, high=3)),
        sample("x.index_select(0, i)", x=(3,), i=whole(2, low=3, high=5)),
        sample("m.repeat_interleave(x, i, 0)", x=(3, 2), i=whole(3, low=0, high=3)),
    ],
    "parts_added": [
        sample("m.index_add(x, 0, i, y)", x=(3, 2), i=whole(4, low=0, high=3), y=(4, 2), kinds="c"),
        sample("m.index_add(x, 1, i, y, alpha=2)", x=(2, 3), i=whole(4, low=0, high=3), y=(2, 4), kinds="c"),
    ],
    "parts_copied": [sample("m.index_copy(x, 0, i, y)", x=(3, 2), i=whole(1, low=0, high=3), y=(1, 2), kinds="c")],
    "parts_filled": [sample("m.index_fill(x, 1, i, 2.0)", x=(2, 3), i=whole(2, low=0, high=3), kinds="c")],
    "parts_filled_with": [sample("m.index_fill(x, 1, i, y)", x=(2, 3), i=whole(2, low=0, high=3), y=(), kinds="")],
    "sum_of_parts": [sample("op(x, i, 1)", x=(2, 3), i=whole(2, low=0, high=3))],
    "masked_elements": [
        sample("m.masked_select(x, c)", x=(2, 3), c=truth(2, 3)),
        sample("x.masked_select(c)", x=(2, 3), c=truth(3)),
        sample("x.masked_select(c)", x=(3,), c=truth(2, 3)),
    ],
    "masked_placed": [
        sample("m.masked_scatter(x, c, y)", x=(2, 3), c=truth(2, 3), y=(6,), kinds="c"),
        sample("x.masked_scatter(c, y)", x=(2, 3), c=truth(3), y=(2, 3), kinds="c"),
    ],
    "laid_out": [sample("op(x, (2, 3))", x=(4,))],
    "taken": [
        sample("m.take(x, i)", x=(2, 3), i=whole(2, 2, low=-6, high=6)),
        sample("x.take(i)", x=(3,), i=whole(2, low=3, high=5)),
    ],
    "put_flat": [
        sample("(x * 1).put_(i, y, accumulate=True)", x=(2, 3), i=whole(4, low=0, high=6), y=(4,), kinds="c"),
        sample("(x * 1).put_(i, y)", x=(2, 3), i=whole(1, low=0, high=6), y=(1,), kinds="c"),
    ],
    "gathered": [
        sample("m.gather(x, 0, i)", x=(3, 4), i=whole(2, 4, low=0, high=3)),
        sample("x.gather(-1, i)", x=(3, 4), i=whole(3, 2, low=0, high=4)),
        sample("x.gather(0, i)", x=(), i=whole(low=0, high=1)),
        sample("x.gather(0, i)", x=(2,), i=whole(3, low=2, high=4)),
        sample("m.take_along_dim(x, i, 1)", x=(3, 4), i=whole(1, 2, low=0, high=4)),
    ],
    "scattered_sum": [
        sample("m.scatter_add(x, 0, i, y)", x=(3, 4), i=whole(2, 4, low=0, high=3), y=(2, 4), kinds="c"),
        sample("m.scatter_add(x, 1, i, y)", x=(3, 4), i=whole(3, 2, low=0, high=4), y=(3, 2), kinds="c"),
    ],
    "scattered": [sample("m.scatter(x, 0, i, y)", x=(3, 4), i=whole(1, 4, low=0, high=3), y=(1, 4), kinds="c")],
    "scattered_number": [sample("m.scatter(x, 0, i, 2.0)", x=(3, 4), i=whole(2, 4, low=0, high=3), kinds="c")],
    "parts_together": [
        sample(
            f"m.index_reduce(x, {dim}, i, y, '{reduce}', include_self={own})",
            x=(3, 4),
            i=whole(2, low=0, high=3),
            y=(2, 4) if dim == 0 else (3, 2),
            kinds="",
            special=False,
        )
        for reduce in ("prod", "mean", "amax", "amin")
        for own in (True, False)
        for dim in (0, 1)
    ],
    "scattered_together": [
        sample(
            f"m.scatter_reduce(x, 0, i, y, '{reduce}', include_self={own})",
            x=(3, 4),
            i=whole(2, 4, low=0, high=3),
            y=(2, 4),
            kinds="",
            special=False,
        )
        for reduce in ("sum", "mean", "prod", "amax", "amin")
        for own in (True, False)
    ],
}
