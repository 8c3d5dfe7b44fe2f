"""PyTorch's name for what training loops do to all parameters at once; see ``minigrad.nn.whole``."""

from minigrad.nn.whole import (
    clip_grad_norm_,
    clip_grad_value_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)

__all__ = ["clip_grad_norm_", "clip_grad_value_", "get_total_norm", "parameters_to_vector", "vector_to_parameters"]
