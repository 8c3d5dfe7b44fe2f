"""Layers that learn from their first input how large they must be, and then are ordinary ones."""

from __future__ import annotations

from typing import Any, ClassVar

from minigrad.nn.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.normalisation import BatchNorm1d, BatchNorm2d, BatchNorm3d


class _Lazy(Module):
    """Keeps how it is to be made, until an input shows the number that is missing."""

    becomes: ClassVar[type[Module]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        vars(self)["_wishes"] = (args, kwargs)

    def forward(self, input: Any, *more: Any) -> Any:
        """Turn into the ordinary layer, and do what that does."""
        args, kwargs = vars(self).pop("_wishes")
        hooks, training = vars(self)["_hooks"], self.training
        size = input.array.shape[self._place(input.array.ndim)]
        self.__class__ = self.becomes  # type: ignore[assignment]
        self.__init__(size, *args, **kwargs)  # type: ignore[misc]
        vars(self).update(_hooks=hooks)
        self.train(training)
        return self.forward(input, *more)

    def _place(self, ndim: int) -> int:
        """Where the number is in the input's shape: before the spatial dimensions, or last."""
        if self.becomes is Linear:
            return -1
        spatial = getattr(self.becomes, "count", None)
        return 1 if spatial is None else ndim - spatial - 1


class LazyLinear(_Lazy):
    """``Linear`` with as many ``in_features`` as its first input has.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> layer = nn.LazyLinear(2)
    >>> layer(mg.zeros(4, 3)).shape
    minigrad.Size([4, 2])
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    becomes = Linear


class LazyConv1d(_Lazy):
    """``Conv1d`` with as many ``in_channels`` as its first input has."""

    becomes = Conv1d


class LazyConv2d(_Lazy):
    """``Conv2d`` with as many ``in_channels`` as its first input has."""

    becomes = Conv2d


class LazyConv3d(_Lazy):
    """``Conv3d`` with as many ``in_channels`` as its first input has."""

    becomes = Conv3d


class LazyConvTranspose1d(_Lazy):
    """``ConvTranspose1d`` with as many ``in_channels`` as its first input has."""

    becomes = ConvTranspose1d


class LazyConvTranspose2d(_Lazy):
    """``ConvTranspose2d`` with as many ``in_channels`` as its first input has."""

    becomes = ConvTranspose2d


class LazyConvTranspose3d(_Lazy):
    """``ConvTranspose3d`` with as many ``in_channels`` as its first input has."""

    becomes = ConvTranspose3d


class LazyBatchNorm1d(_Lazy):
    """``BatchNorm1d`` with as many ``num_features`` as its first input has."""

    becomes = BatchNorm1d


class LazyBatchNorm2d(_Lazy):
    """``BatchNorm2d`` with as many ``num_features`` as its first input has."""

    becomes = BatchNorm2d


class LazyBatchNorm3d(_Lazy):
    """``BatchNorm3d`` with as many ``num_features`` as its first input has."""

    becomes = BatchNorm3d
