"""Functions of tensors that layers are made of, under PyTorch's names; usually imported as ``F``."""

from minigrad.nn.functional.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from minigrad.ops.choice import relu
from minigrad.ops.dropping import dropout
from minigrad.ops.embedding import embedding, one_hot
from minigrad.ops.exponential import logit, sigmoid, softplus
from minigrad.ops.matmul import linear
from minigrad.ops.padding import pad
from minigrad.ops.softmax import log_softmax, softmax
from minigrad.ops.trigonometric import tanh

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dropout",
    "embedding",
    "huber_loss",
    "l1_loss",
    "linear",
    "log_softmax",
    "logit",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "pad",
    "relu",
    "sigmoid",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]
