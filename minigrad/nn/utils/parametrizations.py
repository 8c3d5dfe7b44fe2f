"""Ready parametrisations: ``weight_norm``."""

from __future__ import annotations

from typing import Any, NoReturn

from minigrad.missing import lacking
from minigrad.nn.module import Module
from minigrad.nn.utils.parametrize import register_parametrization

__all__ = ["weight_norm"]


def norm_except(tensor: Any, dim: int | None) -> Any:
    """The norm of each slice along ``dim``, in a shape that divides ``tensor``; of all of it when ``dim`` is None."""
    if dim is None or dim == -1:
        return tensor.norm()
    others = [place for place in range(tensor.dim()) if place != dim % tensor.dim()]
    return tensor.square().sum(others, keepdim=True).sqrt()


class WeightNorm(Module):
    """``g · v / ‖v‖`` (Salimans & Kingma 2016)."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The weight of this length and direction."""
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Length and direction of a weight."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn the length and the direction of ``module.<name>`` apart: ``g · v / ‖v‖``, g being ``original0``, v
    ``original1``.

    >>> from minigrad import nn
    >>> layer = weight_norm(nn.Linear(2, 3))
    >>> [key for key, _ in layer.named_parameters()]
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    register_parametrization(module, name, WeightNorm(dim))
    return module


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
