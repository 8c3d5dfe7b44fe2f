"""Normalisation as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.module import Held, Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import ones, tensor, zeros


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then a learnt scale and shift.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.LayerNorm(2)(mg.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    weight: Any = Held()
    bias: Any = Held()

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        kind = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(shape, **kind)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(zeros(shape, **kind)) if elementwise_affine and bias else None)

    def reset_parameters(self) -> None:
        """Scale 1 and shift 0."""
        _reset(self)

    def forward(self, input: Any) -> Any:
        """``input``, normalised."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Shape and options."""
        affine, bias = self.elementwise_affine, self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={bias}"


def _reset(module: Any) -> None:
    if module.weight is not None:
        init.ones_(module.weight)
    if getattr(module, "bias", None) is not None:
        init.zeros_(module.bias)


class RMSNorm(Module):
    """Division by the root mean square over the last dimensions, then a learnt scale."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        scale = Parameter(ones(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", scale)

    def forward(self, input: Any) -> Any:
        """``input``, normalised."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Shape and options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Mean 0 and variance 1 over groups of channels, then a learnt scale and shift for each channel."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        kind = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(num_channels, **kind)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(num_channels, **kind)) if affine and bias else None)

    def forward(self, input: Any) -> Any:
        """``input``, normalised."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Sizes and options."""
        bias = self.bias is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={bias}"


class _ChannelNorm(Module):
    """Scale, shift and running statistics for each channel."""

    ndims: tuple[int, ...] = ()
    weight: Any = Held()
    bias: Any = Held()

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Any,
        dtype: Any,
        bias: bool,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        kind = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(zeros(num_features, **kind)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(num_features, **kind)) if affine and bias else None)
        self.register_buffer("running_mean", zeros(num_features, **kind) if track_running_stats else None)
        self.register_buffer("running_var", ones(num_features, **kind) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, nothing seen."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            init.zeros_(self.num_batches_tracked)

    def reset_parameters(self) -> None:
        """Scale 1 and shift 0, and nothing seen."""
        self.reset_running_stats()
        _reset(self)

    def _check(self, input: Any) -> None:
        ndim = input.array.ndim
        if ndim not in self.ndims:
            expected = " or ".join(f"{n}D" for n in self.ndims)
            raise ValueError(f"expected {expected} input (got {ndim}D input)")

    def extra_repr(self) -> str:
        """Sizes and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_ChannelNorm):
    """Normalises by the batch while training, by the running statistics in ``eval()``."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Any) -> Any:
        """``input``, normalised."""
        self._check(input)
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                share = 1.0 / float(self.num_batches_tracked)
        from_batch = self.training or self.running_mean is None
        mean, variance = self.running_mean, self.running_var
        return F.batch_norm(input, mean, variance, self.weight, self.bias, from_batch, share, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L) (Ioffe & Szegedy 2015).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.BatchNorm1d(1)(mg.tensor([[1.0], [3.0]])).detach()
    tensor([[-1.0000],
            [ 1.0000]])
    """

    ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    ndims = (5,)


class _InstanceNorm(_ChannelNorm):
    """Normalises each element of the batch by itself."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Any) -> Any:
        """``input``, normalised; without a batch dimension as well."""
        self._check(input)
        batched = input.array.ndim == max(self.ndims)
        out = F.instance_norm(
            input if batched else input.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return out if batched else out.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L)."""

    ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W)."""

    ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W)."""

    ndims = (4, 5)


class LocalResponseNorm(Module):
    """Division by the mean of the squares of neighbouring channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Any) -> Any:
        """``input``, normalised."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The options."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
