"""Every kind of layer beside PyTorch's: the same names in ``state_dict``, and, with the same weights, the same results
and gradients.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from tests.ops.sample import real, sample, whole
from tests.ops.test_every_operation import agree, gradients, tensors

PICTURE, SEQUENCE, ROWS = (2, 4, 6, 5), (2, 4, 7), (3, 4)
SOLID = (1, 4, 3, 4, 5)
HEADS = "4, 2, 6, dropout=0.0"

MODULES = [
    sample("nn.Conv1d(4, 6, 3, 2, 1, groups=2)(x)", x=SEQUENCE),
    sample("nn.Conv2d(4, 2, (3, 2), padding='same', dilation=2)(x)", x=PICTURE),
    sample("nn.Conv2d(4, 2, 3, padding=1, padding_mode='reflect', bias=False)(x)", x=PICTURE),
    sample("nn.Conv3d(4, 2, 2)(x)", x=SOLID),
    sample("nn.ConvTranspose1d(4, 2, 3, 2, 1, 1)(x)", x=SEQUENCE),
    sample("nn.ConvTranspose2d(4, 2, 3, stride=2)(x, output_size=(14, 12))", x=PICTURE),
    sample("nn.ConvTranspose3d(4, 2, 2)(x)", x=SOLID),
    sample("nn.BatchNorm1d(4)(x)", x=(5, 4)),
    sample("nn.BatchNorm2d(4, momentum=None)(x)", x=PICTURE),
    sample("nn.BatchNorm3d(4, affine=False)(x)", x=SOLID),
    sample("nn.BatchNorm1d(4).eval()(x)", x=SEQUENCE),
    sample("nn.InstanceNorm1d(4, affine=True)(x)", x=SEQUENCE),
    sample("nn.InstanceNorm2d(4, track_running_stats=True)(x)", x=PICTURE),
    sample("nn.InstanceNorm3d(4)(x)", x=SOLID),
    sample("nn.GroupNorm(2, 4)(x)", x=PICTURE),
    sample("nn.LayerNorm((6, 5), bias=False)(x)", x=PICTURE),
    sample("nn.RMSNorm(5)(x)", x=PICTURE),
    sample("nn.LocalResponseNorm(2)(x)", x=PICTURE),
    sample("nn.MaxPool1d(2, 1, 1)(x)", x=SEQUENCE),
    sample("nn.MaxPool2d(2, ceil_mode=True, return_indices=True)(x)", x=PICTURE),
    sample("nn.MaxPool3d(2)(x)", x=SOLID),
    sample("nn.AvgPool1d(2)(x)", x=SEQUENCE),
    sample("nn.AvgPool2d(3, 2, 1, count_include_pad=False)(x)", x=PICTURE),
    sample("nn.AvgPool3d(2)(x)", x=SOLID),
    sample("nn.LPPool1d(2, 3)(x)", x=real(*SEQUENCE, low=0.1)),
    sample("nn.LPPool2d(2, 2)(x)", x=real(*PICTURE, low=0.1)),
    sample("nn.LPPool3d(2, 2)(x)", x=real(*SOLID, low=0.1)),
    sample("nn.AdaptiveAvgPool1d(3)(x)", x=SEQUENCE),
    sample("nn.AdaptiveAvgPool2d((None, 2))(x)", x=PICTURE),
    sample("nn.AdaptiveAvgPool3d(2)(x)", x=SOLID),
    sample("nn.AdaptiveMaxPool1d(3)(x)", x=SEQUENCE),
    sample("nn.AdaptiveMaxPool2d(2, return_indices=True)(x)", x=PICTURE),
    sample("nn.AdaptiveMaxPool3d(2)(x)", x=SOLID),
    sample("nn.MaxUnpool1d(2)(*nn.MaxPool1d(2, return_indices=True)(x), output_size=(7,))", x=SEQUENCE),
    sample("nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(x), (6, 5))", x=PICTURE),
    sample("nn.MaxUnpool3d(2)(*nn.MaxPool3d(2, return_indices=True)(x), (3, 4, 5))", x=SOLID),
    sample("nn.FractionalMaxPool2d(2, 3, _random_samples=y.detach().abs() % 1)(x)", x=PICTURE, y=(2, 4, 2)),
    sample("nn.Upsample(scale_factor=2, mode='bicubic')(x)", x=PICTURE),
    sample("nn.UpsamplingNearest2d(scale_factor=2)(x)", x=PICTURE),
    sample("nn.UpsamplingBilinear2d(size=(3, 3))(x)", x=PICTURE),
    sample("nn.PixelShuffle(2)(x)", x=PICTURE),
    sample("nn.PixelUnshuffle(2)(x)", x=(1, 1, 4, 6)),
    sample("nn.ChannelShuffle(2)(x)", x=PICTURE),
    sample("nn.ZeroPad2d((1, 0, 2, -1))(x)", x=PICTURE),
    sample("nn.ReflectionPad1d(2)(x)", x=SEQUENCE),
    sample("nn.ReplicationPad3d(1)(x)", x=SOLID),
    sample("nn.CircularPad2d(1)(x)", x=PICTURE),
    sample("nn.ConstantPad1d(2, 3.5)(x)", x=SEQUENCE),
    sample("nn.Unfold(2, stride=2)(x)", x=PICTURE),
    sample("nn.Fold((4, 4), 2, stride=2)(x)", x=(2, 8, 4)),
    sample("nn.Flatten()(nn.Unflatten(1, (2, 2))(x))", x=PICTURE),
    sample("nn.Linear(4, 2)(nn.Identity(3)(x))", x=ROWS),
    sample("nn.Bilinear(4, 3, 2)(x, y)", x=ROWS, y=(3, 3)),
    sample("nn.PReLU(4)(x)", x=ROWS),
    sample("nn.Softmax2d()(x)", x=PICTURE),
    sample("nn.Embedding(5, 3, padding_idx=1)(i)", i=whole(2, 3, low=0, high=5)),
    sample("nn.EmbeddingBag(5, 3, mode='sum')(i, m.tensor([0, 4]))", i=whole(6, low=0, high=5)),
    sample("nn.RNN(4, 3, 2, nonlinearity='relu')(x)[0]", x=(5, 2, 4)),
    sample("nn.LSTM(4, 3, bidirectional=True, batch_first=True)(x)[0]", x=(2, 5, 4)),
    sample("nn.GRU(4, 3, bias=False)(x)[1]", x=(5, 4)),
    sample("nn.RNNCell(4, 3)(x)", x=ROWS),
    sample("nn.LSTMCell(4, 3)(x)", x=ROWS),
    sample("nn.GRUCell(4, 3)(x)", x=ROWS),
    sample("nn.MultiheadAttention(4, 2)(x, x, x)", x=(5, 3, 4)),
    sample("nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True)(x, x, x)", x=(3, 5, 4)),
    sample("nn.MultiheadAttention(4, 2, kdim=3, vdim=2)(x, y, z, need_weights=False)[0]", x=(5, 4), y=(6, 3), z=(6, 2)),
    sample(f"nn.TransformerEncoderLayer({HEADS}, activation='gelu', norm_first=True)(x)", x=(5, 3, 4)),
    sample(
        f"nn.TransformerEncoder(nn.TransformerEncoderLayer({HEADS}), 2, enable_nested_tensor=False)"
        "(x, nn.Transformer.generate_square_subsequent_mask(5, dtype=x.dtype))",
        x=(5, 3, 4),
    ),
    sample(f"nn.TransformerDecoder(nn.TransformerDecoderLayer({HEADS}), 2)(x, y)", x=(5, 3, 4), y=(6, 3, 4)),
    sample(f"nn.TransformerDecoderLayer({HEADS}, norm_first=True, batch_first=True)(x, y)", x=(3, 5, 4), y=(3, 6, 4)),
    sample("nn.Transformer(4, 2, 1, 1, 6, dropout=0.0)(x, y)", x=(5, 3, 4), y=(6, 3, 4)),
    sample("nn.MultiMarginLoss(p=2, weight=y.detach())(x, i)", x=ROWS, y=(4,), i=whole(3, low=0, high=4)),
    sample("nn.MultiLabelMarginLoss()(x, i - 1)", x=ROWS, i=whole(3, 4, low=0, high=5)),
    sample("nn.MultiLabelSoftMarginLoss()(x, y)", x=ROWS, y=real(3, 4, low=0, high=1)),
    sample("nn.TripletMarginWithDistanceLoss(swap=True)(x, y, z)", x=ROWS, y=ROWS, z=ROWS),
    sample("nn.TripletMarginLoss(size_average=False)(x, y, z)", x=ROWS, y=ROWS, z=ROWS),
    sample("nn.CTCLoss()(nn.LogSoftmax(-1)(x), i, (5, 4), (2, 1))", x=(5, 2, 4), i=whole(2, 2, low=1, high=4)),
    sample("nn.MSELoss(reduce=False)(x, y)", x=ROWS, y=ROWS),
    sample(
        "nn.CrossEntropyLoss(weight=y.detach().abs(), size_average=False)(x, i)",
        x=ROWS,
        y=(4,),
        i=whole(3, low=0, high=4),
    ),
]


class Kept:
    """``nn`` of one library, which keeps the layers that it makes, in float64."""

    def __init__(self, library: ModuleType) -> None:
        self.library, self.made = library, []  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> Any:
        layer = getattr(self.library.nn, name)

        def make(*args: Any, **kwargs: Any) -> Any:
            self.made.append(layer(*args, **kwargs).to(self.library.float64))
            self.fill(len(self.made), self.made[-1])
            return self.made[-1]

        make.generate_square_subsequent_mask = getattr(layer, "generate_square_subsequent_mask", None)  # type: ignore[attr-defined]
        return make

    def fill(self, number: int, layer: Any) -> None:
        """The same weights in both libraries, by their names."""
        rng = np.random.default_rng(number)
        weights = {}
        for name, each in sorted(layer.state_dict().items()):
            values = rng.uniform(0.1, 1, tuple(each.shape))
            weights[name] = self.library.from_numpy(values) if values.ndim else self.library.tensor(0)
        layer.load_state_dict(weights)

    def parameters(self) -> dict[str, Any]:
        return {
            f"{place} {name}": each for place, layer in enumerate(self.made) for name, each in layer.named_parameters()
        }


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("each", MODULES, ids=str)
def test_a_layer_does_what_pytorchs_does_with_the_same_weights(torch: ModuleType, each: Any) -> None:
    results = []
    for library in (torch, mg):
        nn = Kept(library)
        inputs = tensors(library, each.draw(), each.differentiable)
        out = eval(each.call, {"m": library, "nn": nn, **inputs})
        outputs = tuple(x for x in (out if isinstance(out, tuple) else (out,)) if x is not None)
        parameters = nn.parameters()
        leaves = [inputs[name] for name in each.differentiable] + list(parameters.values())
        found = gradients(library, outputs, leaves) if leaves else ()
        results.append((list(parameters), outputs, found))
    (names, wanted, slopes), (our_names, got, our_slopes) = results
    assert our_names == names
    for mine, other in zip(got, wanted, strict=True):
        agree(mine, other, "result")
    for name, mine, other in zip([*each.differentiable, *names], our_slopes, slopes, strict=True):
        assert (mine is None) == (other is None), name
        if mine is not None:
            agree(mine, other, f"gradient of {name}")
