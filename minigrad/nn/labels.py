"""Losses for several classes at once, and for sequences, as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.applying import Applying
from minigrad.nn.functional.reduction import older_reduction
from minigrad.nn.module import Module


class MultiMarginLoss(Module):
    """The target's score is to be greater than all others by ``margin``."""

    @older_reduction
    def __init__(self, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        self.p, self.margin, self.reduction = p, margin, reduction
        self.register_buffer("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Applying):
    """The scores of all labels are to be greater than those of the other classes by 1."""

    function = F.multilabel_margin_loss
    shown = ()

    @older_reduction
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)


class MultiLabelSoftMarginLoss(Module):
    """Binary cross-entropy of scores, on average over the classes."""

    @older_reduction
    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction
        self.register_buffer("weight", weight)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class TripletMarginWithDistanceLoss(Applying):
    """An anchor is to be nearer to the positive than to the negative, by a distance of one's own."""

    function = F.triplet_margin_with_distance_loss

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(distance_function=distance_function, margin=margin, swap=swap, reduction=reduction)


class CTCLoss(Applying):
    """Minus the log-probability of every way to read a target in frames of probabilities (Graves et al. 2006)."""

    function = F.ctc_loss
    shown = ()

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(blank=blank, reduction=reduction, zero_infinity=zero_infinity)
