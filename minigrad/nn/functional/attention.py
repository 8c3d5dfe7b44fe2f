"""Attention (Vaswani et al. 2017): each query takes a mean of the values, weighted by how well their keys fit it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.ops.copying import masked_fill
from minigrad.ops.dropping import dropout
from minigrad.ops.matmul import matmul
from minigrad.ops.rearranging import repeat_interleave
from minigrad.ops.scope import composite
from minigrad.ops.softmax import softmax
from minigrad.ops.viewing import transpose


@composite
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """``softmax(query @ keyᵀ · scale + mask) @ value``, for (…, L, E), (…, S, E) and (…, S, Ev); the scale is 1/√E
    unless given.

    ``attn_mask`` is added to the scores, or, of bools, says which keys each query may see; ``is_causal`` lets each
    query see the
    keys up to its own place. A query that may see nothing gets zeros. ``enable_gqa`` repeats heads of keys and values
    for groups
    of queries.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> x = mg.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> F.scaled_dot_product_attention(x, x, x, is_causal=True)
    tensor([[1.0000, 0.0000],
            [0.3302, 0.6698]])
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key, value = (
            repeat_interleave(each, query.array.shape[-3] // each.array.shape[-3], -3) for each in (key, value)
        )
    factor = 1 / math.sqrt(query.array.shape[-1]) if scale is None else scale
    scores = matmul(query * math.sqrt(factor), transpose.apply(key * math.sqrt(factor), -2, -1))
    hidden, added = _masks(attn_mask, is_causal, scores.array.shape)
    weights = masked_softmax(scores if added is None else scores + added, hidden)
    return matmul(dropout(weights, dropout_p, True) if dropout_p else weights, value)


def _masks(attn_mask: Any, is_causal: bool, shape: tuple[int, ...]) -> tuple[Array | None, Any]:
    """Which scores do not count, and what is added to the scores."""
    if is_causal:
        return np.tri(shape[-2], shape[-1]) == 0, None
    if attn_mask is not None and attn_mask.array.dtype.kind == "b":
        return ~attn_mask.array, None
    return None, attn_mask


def masked_softmax(scores: Any, hidden: Array | None = None) -> Any:
    """``softmax`` along the last dimension without the ``hidden`` scores; zeros where nothing is left."""
    if hidden is not None:
        scores = masked_fill(scores, wrap(hidden), -math.inf)
    weights = softmax(scores, -1)
    nothing = np.isneginf(scores.array).all(-1, keepdims=True)
    return masked_fill(weights, wrap(nothing), 0.0) if nothing.any() else weights
