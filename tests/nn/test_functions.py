"""Functions that are composed of operations, against PyTorch: values, first and second derivatives, and refusals."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from tests.ops.sample import Sample, real, sample, truth, whole
from tests.ops.test_every_operation import agree, gradients, tensors

F = "m.nn.functional"
GRID = "m.nn.functional.grid_sample(x, y"
DEEP = {"x": (1, 2, 2, 3, 3), "y": real(1, 2, 2, 1, 3, low=-1.2, high=1.2)}
FLAT = {"x": (2, 2, 4, 3), "y": real(2, 3, 2, 2, low=-1.3, high=1.3)}
HEADS = (
    f"{F}.multi_head_attention_forward(x, x, x, 4, 2, y, y[:, 0], z[None, :1], z[None, 1:], True, 0.0, y[:4], y[0], "
    "need_weights={}, attn_mask=t, average_attn_weights={})[0]"
)

CALLS = [
    # distances
    sample("m.cdist(x, y)", x=(2, 3), y=(4, 3)),
    sample("m.cdist(x, y, p=1.0)", x=(2, 2, 3), y=(4, 3)),
    sample("m.cdist(x, y, p=float('inf'))", x=(2, 3), y=(4, 3)),
    sample("m.cdist(x, y)", x=(2, 3), y=(4, 2)),
    sample(f"{F}.pdist(x)", x=(4, 3)),
    sample(f"{F}.pdist(x, 3.0)", x=(4, 3)),
    sample(f"{F}.bilinear(x, y, z)", x=(5, 2), y=(5, 3), z=(4, 2, 3)),
    sample(f"{F}.bilinear(x, y, z, z[:, 0, 0])", x=(2,), y=(3,), z=(4, 2, 3)),
    sample(f"{F}.bilinear(x, y, z)", x=(5, 2), y=(4, 3), z=(4, 2, 3)),
    # several classes at once
    sample(f"{F}.multi_margin_loss(x, i)", x=(4, 3), i=whole(4, low=0, high=3)),
    sample(
        f"{F}.multi_margin_loss(x, i, p=2, margin=0.5, weight=y.detach())", x=(4, 3), y=(3,), i=whole(4, low=0, high=3)
    ),
    sample(f"{F}.multi_margin_loss(x, i, reduction='none')", x=(3,), i=whole(low=0, high=3)),
    sample(f"{F}.multi_margin_loss(x, i)", x=(4, 3), i=whole(4, low=3, high=5)),
    sample(f"{F}.multilabel_margin_loss(x, i - 1)", x=(4, 3), i=whole(4, 3, low=0, high=4)),
    sample(f"{F}.multilabel_margin_loss(x, i, reduction='sum')", x=(3,), i=whole(3, low=0, high=3)),
    sample(f"{F}.multilabel_margin_loss(x, i)", x=(3,), i=whole(2, low=0, high=3)),
    sample(f"{F}.multilabel_soft_margin_loss(x, y)", x=(4, 3), y=real(4, 3, low=0, high=1)),
    sample(f"{F}.multilabel_soft_margin_loss(x, y, z, reduction='none')", x=(4, 3), y=real(4, 3, low=0), z=(3,)),
    sample(f"{F}.triplet_margin_with_distance_loss(x, y, z, swap=True)", x=(4, 3), y=(4, 3), z=(4, 3)),
    sample(f"{F}.gaussian_nll_loss(x, y, z.abs())", x=(4, 3), y=(4, 3), z=(4,)),
    # pictures
    *(
        sample(f"{GRID}, mode='{mode}', padding_mode='{border}', align_corners={align})", **FLAT)
        for mode in ("bilinear", "nearest", "bicubic")
        for border in ("zeros", "border", "reflection")
        for align in (False, True)
    ),
    sample(f"{GRID}, padding_mode='reflection', align_corners=False)", **DEEP),
    sample(f"{GRID}, mode='nearest', align_corners=True)", **DEEP),
    sample(f"{GRID}, align_corners=True)", x=(2, 2, 4, 3), y=(1, 3, 2, 2)),
    sample(f"{F}.affine_grid(x, (2, 1, 3, 4), align_corners=False)", x=(2, 2, 3)),
    sample(f"{F}.affine_grid(x, (1, 1, 2, 3, 4), align_corners=True)", x=(1, 3, 4)),
    sample(f"{F}.affine_grid(x, (1, 1, 2, 3))", x=(1, 3, 4)),
    sample(f"{F}.channel_shuffle(x, 2)", x=(1, 4, 2, 2)),
    sample(f"{F}.channel_shuffle(x, 3)", x=(1, 4, 2, 2)),
    sample(f"{F}.interpolate(x, size=(2, 2), mode='area')", x=(1, 2, 4, 5)),
    sample(f"{F}.pad(x, (-1, 2, 1, -1), mode='replicate')", x=(1, 1, 4, 3)),
    sample(f"{F}.pad(x, (-1, 1, 2, -1), mode='reflect')", x=(1, 1, 4, 4)),
    sample(f"{F}.pad(x, (-1, 1, 2, -1), mode='circular')", x=(1, 1, 4, 4)),
    sample(
        f"{F}.conv_transpose1d(x, y, z, stride=2, padding=1, output_padding=2, dilation=3)",
        x=(1, 2, 4),
        y=(2, 3, 2),
        z=(3,),
    ),
    # pooling
    sample(f"{F}.max_unpool1d(*{F}.max_pool1d(x, 2, return_indices=True), 2, output_size=(7,))", x=(1, 2, 7)),
    sample(f"{F}.adaptive_max_pool3d(x, 2, return_indices=True)", x=(1, 2, 3, 4, 5)),
    sample(
        f"{F}.fractional_max_pool2d(x, 2, output_size=3, _random_samples=y.detach().abs() % 1)",
        x=(1, 2, 6, 7),
        y=(1, 2, 2),
    ),
    sample(
        f"{F}.fractional_max_pool3d(x, 2, output_ratio=0.5, _random_samples=y.detach().abs() % 1)",
        x=(1, 1, 4, 5, 6),
        y=(1, 1, 3),
    ),
    sample(f"{F}.lp_pool3d(x, 2, 2)", x=real(1, 1, 2, 4, 4, low=0.1)),
    # lookups
    *(
        sample(
            f"{F}.embedding_bag(i, x, m.tensor([0, 2, 2]), mode='{mode}', padding_idx=1)",
            x=(4, 3),
            i=whole(5, low=0, high=4),
        )
        for mode in ("sum", "mean", "max")
    ),
    sample(
        f"{F}.embedding_bag(i, x, per_sample_weights=y, mode='sum')", x=(4, 3), y=(2, 3), i=whole(2, 3, low=0, high=4)
    ),
    sample(f"{F}.embedding_bag(i, x)", x=(4, 3), i=whole(5, low=0, high=4)),
    # attention
    *(sample(HEADS.format(needed, False), x=(3, 2, 4), y=(12, 4), z=(2, 4), t=truth(3, 3)) for needed in (True, False)),
    # nothing is dropped
    sample(f"{F}.alpha_dropout(x, 0.0, training=True) + {F}.feature_alpha_dropout(x, 0.3)", x=(2, 3, 2)),
    sample(f"{F}.dropout2d(x, 1.0) + {F}.dropout1d(x[:, :, 0], 0.5, training=False).sum()", x=(2, 3, 2, 2)),
    sample(f"{F}.dropout3d(x, 1.5)", x=(2, 3, 2, 2)),
    # matrices
    sample("m.linalg.cond(x)", x=(3, 3)),
    sample("m.linalg.cond(x.detach(), 1)", x=(3, 3)),
    sample("m.linalg.vander(x, N=4)", x=(2, 3)),
    sample("m.linalg.tensorinv(x, ind=1)", x=(4, 2, 2)),
    sample("m.linalg.tensorsolve(x, y)", x=(2, 2, 4), y=(2, 2)),
    sample("m.linalg.tensorinv(x, ind=1)", x=(3, 2, 2)),
    sample("m.linalg.householder_product(x, y)", x=(4, 3), y=(2,)),
    sample("m.ormqr(x, y, z, left=False, transpose=True)", x=(4, 2), y=(2,), z=(3, 4)),
    sample("m.linalg.inv_ex(x)[0] + m.linalg.solve_ex(x, x.mT)[0]", x=(3, 3)),
    sample("m.linalg.cholesky_ex(x @ x.mT + m.eye(3, dtype=x.dtype), upper=True)[0]", x=(3, 3)),
    sample("m.linalg.matrix_power(x, 0)", x=(3, 3)),
    sample("m.logdet(x @ x.mT)", x=(3, 3)),
    sample("m.inner(x, y)", x=(2, 3), y=(4, 3)),
    sample("m.inner(x, y)", x=(2, 3), y=(4, 2)),
    sample("m.chain_matmul(x, y, z)", x=(2, 3), y=(3, 4), z=(4, 2)),
    sample("m.triangular_solve(x, y, upper=False, transpose=True)[0]", x=(3, 2), y=real(3, 3, low=1)),
    sample("m.tensordot(x, y, dims=[[1], [0]])", x=(2, 1), y=(3, 2)),
    sample("m.svd(x)[1] + m.qr(x)[1].diagonal().abs()", x=(4, 3)),
]


def run(library: ModuleType, each: Sample, inputs: dict[str, Any]) -> tuple[Any, ...]:
    out = eval(each.call, {"m": library, **inputs})
    return tuple(out) if isinstance(out, tuple | list) else (out,)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("each", CALLS, ids=str)
def test_a_function_gives_what_pytorchs_gives_and_so_do_its_derivatives(torch: ModuleType, each: Sample) -> None:
    outcomes: list[list[Any]] = []
    for library in (torch, mg):
        inputs = tensors(library, each.draw(), each.differentiable)
        leaves = [inputs[name] for name in each.differentiable]
        try:
            outputs = run(library, each, inputs)
        except (RuntimeError, ValueError, NotImplementedError, AssertionError) as refusal:
            outcomes.append([type(refusal)])
            continue
        first = gradients(library, outputs, leaves, create_graph=True)
        again = [g for g in first if g is not None and g.requires_grad]
        try:
            second = gradients(library, tuple(again), leaves) if again else (None,) * len(leaves)
        except RuntimeError:
            second = ()  # PyTorch has not derived it
        outcomes.append([*outputs, *first, *second])
    theirs, ours = outcomes
    if isinstance(theirs[0], type):
        assert issubclass(ours[0], theirs[0]) or issubclass(theirs[0], ours[0])
        return
    assert len(ours) >= len(theirs)
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if mine is None or other is None:
            assert not np.any(_values(mine)), f"{place}: PyTorch has no gradient there"
            assert not np.any(_values(other)), f"{place}: we have no gradient there"
        else:
            agree(mine, other, f"part {place}")


def _values(tensor: Any) -> Any:
    return 0.0 if tensor is None else tensor.detach().numpy()


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    mg.manual_seed(0)
    out = mg.nn.functional.alpha_dropout(mg.randn(20_000), 0.3, training=True)
    assert abs(out.mean().item()) < 0.05
    assert abs(out.var().item() - 1) < 0.05


def test_feature_alpha_dropout_drops_whole_channels() -> None:
    mg.manual_seed(0)
    out = mg.nn.functional.feature_alpha_dropout(mg.ones(8, 8, 5), 0.5, training=True).array
    assert (out == out[:, :, :1]).all()
    assert len(np.unique(out)) == 2


def test_an_embedding_longer_than_max_norm_is_shortened_in_the_table_itself() -> None:
    table = mg.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    out = mg.nn.functional.embedding(mg.tensor([0, 1]), table, max_norm=1.0)
    np.testing.assert_allclose(out.array, [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    np.testing.assert_allclose(table.array, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-5)


def test_a_singular_matrix_has_no_inverse_but_a_place_where_that_shows() -> None:
    found = mg.linalg.inv_ex(mg.tensor([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]]))
    assert found.info.tolist() == [2, 0]
    with pytest.raises(mg.linalg.LinAlgError):
        mg.linalg.inv_ex(mg.zeros(2, 2), check_errors=True)
    assert mg.linalg.cholesky_ex(mg.tensor([[1.0, 0.0], [0.0, -1.0]])).info.item() == 2
    with pytest.raises(RuntimeError, match=r"U\[1,1\] is zero"):
        mg.linalg.lu_factor(mg.zeros(2, 2))


def test_a_target_too_long_for_its_frames_costs_infinity_or_nothing() -> None:
    logs = mg.zeros(1, 1, 3).log_softmax(-1)
    assert np.isinf(mg.nn.functional.ctc_loss(logs, mg.tensor([[1, 2]]), [1], [2]).item())
    assert mg.nn.functional.ctc_loss(logs, mg.tensor([[1, 2]]), [1], [2], zero_infinity=True).item() == 0


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_column_compared_with_a_row_is_warned_of_on_the_users_own_line(loss: str) -> None:
    with pytest.warns(UserWarning, match=r"target size \(minigrad.Size\(\[3\]\)\).*lead to incorrect results") as told:
        getattr(mg.nn.functional, loss)(mg.zeros(3, 1), mg.zeros(3))
    assert [one.filename for one in told] == [__file__]


def test_a_layer_warns_of_the_users_own_line_too() -> None:
    with pytest.warns(UserWarning, match="target size") as told:
        mg.nn.MSELoss()(mg.zeros(3, 1), mg.zeros(3))
    assert [one.filename for one in told] == [__file__]
