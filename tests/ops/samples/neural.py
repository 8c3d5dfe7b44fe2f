"""Samples of activations, losses, lookups, convolutions, pooling and normalisation."""

from __future__ import annotations

from tests.ops.sample import Table, elementwise, real, sample, whole

F = "m.nn.functional"
WEIGHT = "m.tensor([0.5, 2.0, 1.0], dtype=x.dtype)"
STEPS = "m.ops.convolution.Steps((2,), (1,), (1,), 1)"
WINDOWS = "m.ops.pooling.Windows((2,), (2,), (1,), (1,), False), m.ops.pooling.Divisor(False, None)"


def pointwise(call: str, **options: object) -> list[object]:
    """A function of ``x`` for floating-point numbers only."""
    return elementwise(f"{F}.{call}", kinds="", **options)  # type: ignore[arg-type, return-value]


def loss(name: str, shape: tuple[int, ...] = (2, 3), more: str = "", **options: object) -> list[object]:
    """A loss of ``x`` and ``y``, in one type, under each reduction."""
    return [
        sample(f"{F}.{name}(x, y.to(x.dtype){more}, reduction='{how}')", x=shape, y=shape, kinds="", **options)
        for how in ("mean", "sum", "none")
    ]


SAMPLES: Table = {
    "leaking": [*pointwise("leaky_relu(x)"), *pointwise("leaky_relu(x, 0.3)")],
    "leaking_by": [
        sample(f"{F}.prelu(x, y)", x=(2, 3), y=(3,), kinds=""),
        sample(f"{F}.prelu(x, y)", x=(2, 3), y=(1,), kinds=""),
    ],
    "exponential_below": [*pointwise("elu(x)"), *pointwise("elu(x, 0.5)"), *pointwise("selu(x)")],
    "smooth_exponential_below": [*pointwise("celu(x)"), *pointwise("celu(x, 0.5)")],
    "gaussian_unit": pointwise("gelu(x)", special=False),
    "gaussian_unit_by_tanh": pointwise("gelu(x, approximate='tanh')", special=False),
    "silu": pointwise("silu(x)", special=False),
    "mish": pointwise("mish(x)", special=False),
    "log_sigmoid": pointwise("logsigmoid(x)"),
    "between": [*pointwise("hardtanh(x)"), *pointwise("relu6(x * 4)")],
    "hardsigmoid": [sample("op(x * 3)", torch="m.clamp(x * 3 + 3, 0, 6) / 6", x=(2, 3), kinds="", special=False)],
    "hardswish": pointwise("hardswish(x * 3)", second=False, special=False),
    "above_threshold": pointwise("threshold(x, 0.5, 20.0)", special=False),
    "shrunk": pointwise("softshrink(x)", special=False),
    "cut_out": pointwise("hardshrink(x)", special=False),
    "leaking_at_random": pointwise("rrelu(x, 0.25, 0.25)", special=False, second=False),
    "gated": [
        sample(f"{F}.glu(x)", x=(2, 4), kinds=""),
        sample(f"{F}.glu(x, 0)", x=(2, 3), kinds=""),
        sample(f"{F}.glu(x)", x=(3,), kinds=""),
    ],
    # --- losses
    "squared_error": [*loss("mse_loss"), *loss("mse_loss", (0, 2), special=False)],
    "huber_error": loss("huber_loss", more=", delta=0.5"),
    "smooth_error": loss("smooth_l1_loss", more=", beta=0.5"),
    "binary_entropy": [
        sample(
            f"{F}.binary_cross_entropy(x, y.to(x.dtype))",
            x=real(2, 3, low=0.1, high=0.9),
            y=real(2, 3, low=0, high=1),
            kinds="",
            special=False,
        ),
        sample(
            f"{F}.binary_cross_entropy(x, y.to(x.dtype), {WEIGHT}, reduction='sum')",
            x=real(2, 3, low=0.1, high=0.9),
            y=real(2, 3, low=0, high=1),
            kinds="",
            special=False,
        ),
    ],
    "logit_entropy": [
        sample(
            f"{F}.binary_cross_entropy_with_logits(x, y.to(x.dtype))",
            x=(2, 3),
            y=real(2, 3, low=0, high=1),
            kinds="",
            special=False,
        ),
        sample(
            f"{F}.binary_cross_entropy_with_logits(x, y.to(x.dtype), {WEIGHT}, pos_weight={WEIGHT} + 1, "
            f"reduction='none')",
            x=(2, 3),
            y=real(2, 3, low=0, high=1),
            kinds="",
            special=False,
        ),
    ],
    "threshold_slope": [
        sample(
            "op(x, y, 0.25)",
            torch="m.ops.aten.threshold_backward(x, y, 0.25)",
            x=(2, 3),
            y=(2, 3),
            kinds="",
            special=False,
        ),
    ],
    "picked_loss": [
        *(
            sample(f"{F}.nll_loss(x, i, reduction='{how}')", x=(4, 3), i=whole(4, low=0, high=3), kinds="")
            for how in ("mean", "sum", "none")
        ),
        sample(
            f"{F}.nll_loss(x, i, {WEIGHT}, ignore_index=1)",
            x=(5, 3),
            i=whole(5, low=0, high=3),
            kinds="",
            special=False,
        ),
        sample(f"{F}.nll_loss(x, i)", x=(3,), i=whole(low=0, high=3), kinds=""),
        sample(
            f"{F}.cross_entropy(x, i, label_smoothing=0.2).clone()",
            x=(4, 3),
            i=whole(4, low=0, high=3),
            kinds="",
            special=False,
        ),
        sample(f"{F}.cross_entropy(x, i)", x=(4, 3), i=whole(4, low=0, high=3), kinds="", special=False),
        sample(f"{F}.nll_loss(x, i)", x=(4, 3), i=whole(4, low=3, high=5), kinds=""),
    ],
    "picked_loss_2d": [
        sample(f"{F}.nll_loss(x.contiguous(), i)", x=(2, 3, 2, 2), i=whole(2, 2, 2, low=0, high=3), kinds=""),
        sample(f"{F}.nll_loss(x, i, reduction='none').clone()", x=(2, 3, 4), i=whole(2, 4, low=0, high=3), kinds=""),
    ],
    "place_loss": [sample("op(x, i, None, (4, 3), -100, 'none')", x=(4,), i=whole(4, low=0, high=3))],
    # --- lookups
    "looked_up": [
        sample(f"{F}.embedding(i, x)", x=(4, 3), i=whole(2, 3, low=0, high=4), kinds=""),
        sample(
            f"{F}.embedding(i, x, padding_idx=1)",
            x=(4, 3),
            i=whole(6, low=0, high=4),
            kinds="",
            smooth=False,
            second=False,
        ),
        sample(f"{F}.embedding(i, x)", x=(4, 3), i=whole(2, low=4, high=6), kinds=""),
    ],
    "added_rows": [
        sample("op(x, i, 4, -1, False)", x=(5, 2), i=whole(5, low=0, high=4)),
        sample("op(x, i, 4, 1, True)", x=(5, 2), i=whole(5, low=0, high=4)),
    ],
    "looked_up_scaled": [sample("op(x, i, 1, True)", x=(4, 2), i=whole(2, 3, low=0, high=4))],
    # --- convolution
    "convolved": [
        sample(f"{F}.conv1d(x, y, z, stride=2, padding=1)", x=(2, 3, 6), y=(4, 3, 3), z=(4,), kinds="", special=False),
        sample(f"{F}.conv2d(x, y, padding=1)", x=(1, 2, 4, 5), y=(3, 2, 3, 2), kinds="", special=False),
        sample(f"{F}.conv2d(x, y, dilation=2, groups=2)", x=(2, 4, 5, 5), y=(2, 2, 2, 2), kinds="", special=False),
        sample(f"{F}.conv3d(x, y)", x=(1, 1, 3, 2, 3), y=(2, 1, 2, 2, 2), kinds="", special=False),
        sample(f"{F}.conv1d(x, y)", x=(2, 3, 6), y=(4, 2, 3), kinds="", special=False),
        sample(f"{F}.conv1d(x, y)", x=(2, 3, 2), y=(4, 3, 3), kinds="", special=False),
    ],
    "spread_back": [
        sample(
            f"{F}.conv_transpose1d(x, y, z, stride=2, padding=1, output_padding=1)",
            x=(2, 3, 4),
            y=(3, 2, 3),
            z=(2,),
            kinds="",
            special=False,
        ),
        sample(f"{F}.conv_transpose2d(x, y, groups=2)", x=(1, 4, 2, 3), y=(4, 2, 2, 2), kinds="", special=False),
    ],
    "kernel_of": [sample(f"op(x, y, (3,), {STEPS})", x=(2, 3, 5), y=(2, 4, 3))],
    # --- pooling
    "max_pool2d_with_indices": [
        sample(f"{F}.max_pool2d(x, 2)", x=(2, 1, 4, 5), kinds="", special=False),
        sample(f"{F}.max_pool2d(x, 3, 2, 1, return_indices=True)", x=(1, 2, 5, 4), kinds="", special=False),
        sample(f"{F}.max_pool2d(x, 2, ceil_mode=True)", x=(2, 5, 3), kinds="", special=False),
        sample(f"{F}.max_pool1d(x, 2, 1, dilation=2).clone()", x=(1, 2, 6), kinds="", special=False),
    ],
    "max_pool3d_with_indices": [sample(f"{F}.max_pool3d(x, 2, 1)", x=(1, 2, 3, 2, 3), kinds="", special=False)],
    "adaptive_max_pool2d": [sample(f"{F}.adaptive_max_pool2d(x, (2, 3))", x=(1, 2, 5, 4), kinds="", special=False)],
    "adaptive_max_pool3d": [sample("op(x, (2, 1, 2))", x=(1, 1, 3, 2, 3))],
    "max_unpool2d": [
        sample(
            f"{F}.max_unpool2d(*{F}.max_pool2d(x, 2, return_indices=True), 2)", x=(1, 2, 4, 4), kinds="", special=False
        )
    ],
    "max_unpool3d": [
        sample(
            f"{F}.max_unpool3d(*{F}.max_pool3d(x, 2, return_indices=True), 2)",
            x=(1, 1, 2, 4, 4),
            kinds="",
            special=False,
        )
    ],
    "into_places": [sample("op(x, i, (2, 6), 1)", x=(2, 3), i=whole(2, 3, low=0, high=6))],
    "gathered_places": [sample("op(x, i, 1)", x=(2, 6), i=whole(2, 3, low=0, high=6))],
    "avg_pool2d": [
        sample(f"{F}.avg_pool2d(x, 2)", x=(2, 1, 4, 5), kinds="", special=False),
        sample(f"{F}.avg_pool2d(x, 3, 2, 1, count_include_pad=False)", x=(1, 2, 5, 4), kinds="", special=False),
        sample(f"{F}.avg_pool2d(x, 2, ceil_mode=True, divisor_override=3)", x=(2, 5, 3), kinds="", special=False),
        sample(f"{F}.avg_pool1d(x, 3, 1, 1).clone()", x=(1, 2, 5), kinds="", special=False),
    ],
    "avg_pool3d": [sample(f"{F}.avg_pool3d(x, 2, 1)", x=(1, 2, 3, 2, 3), kinds="", special=False)],
    "spread_means": [sample(f"op(x, (1, 1, 5), {WINDOWS})", x=(1, 1, 3), second=False, smooth=False)],
    "adaptive_avg_pool2d": [
        sample(f"{F}.adaptive_avg_pool2d(x, (2, 3))", x=(1, 2, 5, 4), kinds="", special=False),
        sample(f"{F}.adaptive_avg_pool1d(x, 2).clone()", x=(2, 5), kinds="", special=False),
    ],
    "adaptive_avg_pool3d": [
        sample(f"{F}.adaptive_avg_pool3d(x, (2, 1, 2))", x=(1, 1, 3, 2, 3), kinds="", special=False)
    ],
    "spread_adaptive": [sample("op(x, (5, 3))", x=(1, 1, 2, 2))],
    # --- normalisation
    "layer_normed": [
        sample(f"{F}.layer_norm(x, (3,), y, z)", x=(2, 3), y=(3,), z=(3,), kinds="", special=False),
        sample(f"{F}.layer_norm(x, (2, 3))", x=(2, 2, 3), kinds="", special=False),
        sample(f"{F}.layer_norm(x, (4,))", x=(2, 3), kinds="", special=False),
    ],
    "group_normed": [
        sample(f"{F}.group_norm(x, 2, y, z)", x=(2, 4, 3), y=(4,), z=(4,), kinds="", special=False),
        sample(f"{F}.group_norm(x, 1)", x=(2, 4), kinds="", special=False),
        sample(f"{F}.group_norm(x, 3)", x=(2, 4), kinds="", special=False),
    ],
    "batch_normed": [
        sample(
            f"{F}.batch_norm(x, None, None, y, z, training=True)", x=(4, 2), y=(2,), z=(2,), kinds="", special=False
        ),
        sample(f"{F}.batch_norm(x, None, None, training=True)", x=(2, 2, 3), kinds="", special=False),
        sample(f"{F}.instance_norm(x).clone()", x=(2, 2, 3), kinds="", special=False),
    ],
    "normed_by_running": [
        sample(
            f"{F}.batch_norm(x, {WEIGHT}, {WEIGHT} + 1, y, z)",
            x=(2, 3),
            y=(3,),
            z=(3,),
            kinds="",
            special=False,
        )
    ],
    # --- resampling
    "windows_as_columns": [
        sample(f"{F}.unfold(x, (2, 3), padding=1, stride=2)", x=(1, 2, 4, 5), kinds="", special=False)
    ],
    "columns_as_windows": [sample(f"{F}.fold(x, (3, 4), 2)", x=(1, 8, 6), kinds="", special=False)],
    "upsample_nearest1d": [sample(f"{F}.interpolate(x, scale_factor=2)", x=(1, 2, 3), kinds="", special=False)],
    "upsample_nearest2d": [sample(f"{F}.interpolate(x, size=(3, 5))", x=(1, 2, 4, 3), kinds="", special=False)],
    "upsample_nearest3d": [sample(f"{F}.interpolate(x, scale_factor=2)", x=(1, 1, 2, 1, 2), kinds="", special=False)],
    "upsample_linear1d": [
        sample(f"{F}.interpolate(x, scale_factor=2, mode='linear')", x=(1, 2, 3), kinds="", special=False)
    ],
    "upsample_linear2d": [
        sample(f"{F}.interpolate(x, size=(3, 5), mode='bilinear')", x=(1, 2, 4, 3), kinds="", special=False),
        sample(
            f"{F}.interpolate(x, size=(3, 5), mode='bilinear', align_corners=True)",
            x=(1, 2, 4, 3),
            kinds="",
            special=False,
        ),
    ],
    "upsample_linear3d": [
        sample(f"{F}.interpolate(x, scale_factor=2, mode='trilinear')", x=(1, 1, 2, 1, 2), kinds="", special=False)
    ],
    **{
        f"upsample_nearest_exact{n}d": [
            sample(
                f"{F}.interpolate(x, scale_factor=1.7, mode='nearest-exact')",
                x=(1, 2, *(3, 2, 4)[:n]),
                kinds="",
                special=False,
            )
        ]
        for n in (1, 2, 3)
    },
    "upsample_cubic2d": [
        sample(f"{F}.interpolate(x, size=(3, 5), mode='bicubic')", x=(1, 2, 4, 3), kinds="", special=False),
        sample(
            f"{F}.interpolate(x, scale_factor=2, mode='bicubic', align_corners=True)",
            x=(1, 1, 3, 3),
            kinds="",
            special=False,
        ),
    ],
    **{
        f"upsample_smooth_{kind}2d": [
            sample(
                f"{F}.interpolate(x, size=(2, 5), mode='bi{kind}', antialias=True)",
                x=(1, 2, 5, 3),
                kinds="",
                special=False,
            )
        ]
        for kind in ("linear", "cubic")
    },
    # --- alignment
    "aligned": [
        sample(
            f"{F}.ctc_loss({F}.log_softmax(x, -1), i, (5, 4), (2, 1), reduction='none')",
            x=(5, 2, 4),
            i=whole(2, 2, low=1, high=4),
            kinds="",
            special=False,
            smooth=False,
            second=False,
        ),
        sample(
            f"{F}.ctc_loss({F}.log_softmax(x, -1), i, (5, 3), (2, 1)).clone()",
            x=(5, 2, 4),
            i=whole(3, low=1, high=4),
            kinds="",
            special=False,
            smooth=False,
            second=False,
        ),
    ],
    "alignment_slope": [
        sample(
            "op(y, x, i, y, (3,), (1,), 0)",
            x=(3, 1, 3),
            y=(1,),
            i=whole(1, 1, low=1, high=3),
            smooth=False,
            second=False,
        )
    ],
}
