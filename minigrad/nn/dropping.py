"""Dropout as layers: they drop while training and pass everything on in ``eval()``."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.module import Module
from minigrad.ops.dropping import check_probability, dropout


class Dropout(Module):
    """Sets elements to 0 with probability ``p`` and divides the others by ``1 - p``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Dropout(0.5).eval()(mg.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        check_probability(p)
        self.p = p
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """``input``, some of it dropped while training."""
        return dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance, for networks of ``SELU`` (Klambauer et al. 2017)."""

    def forward(self, input: Any) -> Any:
        """``input``, some of it dropped while training."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(Dropout):
    """``AlphaDropout`` of whole channels."""

    def forward(self, input: Any) -> Any:
        """``input``, some channels dropped while training."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)


class Dropout1d(Dropout):
    """Drops whole channels of (N, C, L)."""

    def forward(self, input: Any) -> Any:
        """``input``, some channels dropped while training."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """Drops whole channels of (N, C, H, W)."""

    def forward(self, input: Any) -> Any:
        """``input``, some channels dropped while training."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    """Drops whole channels of (N, C, D, H, W)."""

    def forward(self, input: Any) -> Any:
        """``input``, some channels dropped while training."""
        return F.dropout3d(input, self.p, self.training, self.inplace)
