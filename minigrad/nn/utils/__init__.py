"""PyTorch's name for what is done to parameters from outside: see ``minigrad.nn.whole`` and ``reparametrised``."""

from typing import NoReturn

from minigrad.missing import lacking
from minigrad.nn.reparametrised import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm
from minigrad.nn.utils import parametrizations, parametrize, rnn
from minigrad.nn.whole import (
    clip_grad_norm_,
    clip_grad_value_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
