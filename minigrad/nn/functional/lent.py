"""The functions that PyTorch has at its top as well, and so have we: ``minigrad.conv2d`` is ``functional.conv2d``."""

from minigrad.nn.functional.activations import celu, hardshrink, prelu, rrelu, selu, threshold
from minigrad.nn.functional.bags import embedding_bag
from minigrad.nn.functional.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from minigrad.nn.functional.distances import bilinear, cdist, pdist
from minigrad.nn.functional.losses import binary_cross_entropy_with_logits
from minigrad.nn.functional.more_losses import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    triplet_margin_loss,
)
from minigrad.nn.functional.normalisation import cosine_similarity, group_norm, layer_norm, pairwise_distance, rms_norm
from minigrad.nn.functional.pooling import (
    adaptive_avg_pool1d,
    avg_pool1d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from minigrad.nn.functional.vision import channel_shuffle, pixel_shuffle, pixel_unshuffle

__all__ = [
    "adaptive_avg_pool1d",
    "avg_pool1d",
    "bilinear",
    "binary_cross_entropy_with_logits",
    "cdist",
    "celu",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "embedding_bag",
    "group_norm",
    "hardshrink",
    "hinge_embedding_loss",
    "kl_div",
    "layer_norm",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "rms_norm",
    "rrelu",
    "selu",
    "threshold",
    "triplet_margin_loss",
]
