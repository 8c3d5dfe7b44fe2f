"""More losses, distances, padding and resampling as layers, each a function with its options."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.applying import Applying
from minigrad.nn.functional.reduction import older_reduction
from minigrad.nn.module import Module


class KLDivLoss(Applying):
    """How far one distribution is from another."""

    function = F.kl_div
    shown = ()

    @older_reduction
    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction=reduction, log_target=log_target)


class HingeEmbeddingLoss(Applying):
    """Distances that are to be small where the target is 1, large where it is -1."""

    function = F.hinge_embedding_loss
    shown = ()

    @older_reduction
    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(margin=margin, reduction=reduction)


class MarginRankingLoss(Applying):
    """The first is to be larger where the target is 1, smaller where it is -1."""

    function = F.margin_ranking_loss
    shown = ()

    @older_reduction
    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(margin=margin, reduction=reduction)


class SoftMarginLoss(Applying):
    """``log(1 + exp(-target·input))``."""

    function = F.soft_margin_loss
    shown = ()

    @older_reduction
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)


class TripletMarginLoss(Applying):
    """An anchor is to be nearer to the positive than to the negative."""

    function = F.triplet_margin_loss
    shown = ()

    @older_reduction
    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__(margin=margin, p=p, eps=eps, swap=swap, reduction=reduction)


class CosineEmbeddingLoss(Applying):
    """Directions that are to agree where the target is 1."""

    function = F.cosine_embedding_loss
    shown = ()

    @older_reduction
    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(margin=margin, reduction=reduction)


class PoissonNLLLoss(Applying):
    """Minus the log-likelihood of counts."""

    function = F.poisson_nll_loss
    shown = ()

    @older_reduction
    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(log_input=log_input, full=full, eps=eps, reduction=reduction)


class GaussianNLLLoss(Applying):
    """Minus the log-likelihood under normal distributions."""

    function = F.gaussian_nll_loss
    shown = ()

    def __init__(self, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(full=full, eps=eps, reduction=reduction)


class CosineSimilarity(Applying):
    """The cosine of the angle between two inputs."""

    function = F.cosine_similarity
    shown = ()

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__(dim=dim, eps=eps)


class PairwiseDistance(Applying):
    """The norm of the difference of two inputs."""

    function = F.pairwise_distance
    shown = ()

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__(p=p, eps=eps, keepdim=keepdim)


class PixelShuffle(Applying):
    """Channels become pixels."""

    function = F.pixel_shuffle

    def __init__(self, upscale_factor: int) -> None:
        super().__init__(upscale_factor=upscale_factor)


class PixelUnshuffle(Applying):
    """Pixels become channels."""

    function = F.pixel_unshuffle

    def __init__(self, downscale_factor: int) -> None:
        super().__init__(downscale_factor=downscale_factor)


class Unfold(Applying):
    """Windows as columns."""

    function = F.unfold

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Fold(Applying):
    """Columns added back to their windows."""

    function = F.fold

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(
            output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
        )


class Upsample(Applying):
    """Sampled anew in another size."""

    function = F.interpolate

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__(
            size=size,
            scale_factor=float(scale_factor) if isinstance(scale_factor, int) else scale_factor,
            mode=mode,
            align_corners=align_corners,
            recompute_scale_factor=recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The size, or by how much it grows."""
        size = f"scale_factor={self.scale_factor}" if self.size is None else f"size={self.size}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """An older name of ``Upsample`` with ``mode="nearest"``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """An older name of ``Upsample`` with ``mode="bilinear"`` and ``align_corners=True``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class ChannelShuffle(Applying):
    """The channels of ``groups`` groups, shuffled."""

    function = F.channel_shuffle

    def __init__(self, groups: int) -> None:
        super().__init__(groups=groups)


class _Pad(Module):
    """A border of one mode around the last ``count`` dimensions."""

    mode, count, value = "constant", 1, 0.0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.count) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Any) -> Any:
        """``input`` with the border."""
        return F.pad(input, self.padding, self.mode, self.value if self.mode == "constant" else None)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ZeroPad1d(_Pad):
    """A border, ``constant``, around the last dimension."""

    mode, count = "constant", 1


class ZeroPad2d(_Pad):
    """A border, ``constant``, around the last 2 dimensions."""

    mode, count = "constant", 2


class ZeroPad3d(_Pad):
    """A border, ``constant``, around the last 3 dimensions."""

    mode, count = "constant", 3


class ReflectionPad1d(_Pad):
    """A border, ``reflect``, around the last dimension."""

    mode, count = "reflect", 1


class ReflectionPad2d(_Pad):
    """A border, ``reflect``, around the last 2 dimensions."""

    mode, count = "reflect", 2


class ReflectionPad3d(_Pad):
    """A border, ``reflect``, around the last 3 dimensions."""

    mode, count = "reflect", 3


class ReplicationPad1d(_Pad):
    """A border, ``replicate``, around the last dimension."""

    mode, count = "replicate", 1


class ReplicationPad2d(_Pad):
    """A border, ``replicate``, around the last 2 dimensions."""

    mode, count = "replicate", 2


class ReplicationPad3d(_Pad):
    """A border, ``replicate``, around the last 3 dimensions."""

    mode, count = "replicate", 3


class CircularPad1d(_Pad):
    """A border, ``circular``, around the last dimension."""

    mode, count = "circular", 1


class CircularPad2d(_Pad):
    """A border, ``circular``, around the last 2 dimensions."""

    mode, count = "circular", 2


class CircularPad3d(_Pad):
    """A border, ``circular``, around the last 3 dimensions."""

    mode, count = "circular", 3


class ConstantPad1d(_Pad):
    """A border of one number around the last dimension."""

    count = 1

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad2d(_Pad):
    """A border of one number around the last 2 dimensions."""

    count = 2

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad3d(_Pad):
    """A border of one number around the last 3 dimensions."""

    count = 3

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value
