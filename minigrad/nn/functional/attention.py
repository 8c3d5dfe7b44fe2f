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
    added, empty = _mask(attn_mask, is_causal, scores)
    weights = softmax(scores if added is None else scores + added, -1)
    if empty is not None:
        weights = masked_fill(weights, wrap(empty), 0.0)
    return matmul(dropout(weights, dropout_p, True) if dropout_p else weights, value)


def _mask(attn_mask: Any, is_causal: bool, scores: Any) -> tuple[Any, Array | None]:
    """What is added to the scores, and which queries see nothing, where there are any."""
    shape, kind = scores.array.shape, scores.array.dtype
    if is_causal:
        return wrap(np.triu(np.full(shape[-2:], -math.inf, kind), 1)), None
    if attn_mask is None:
        return None, None
    seen = attn_mask.array if attn_mask.array.dtype.kind == "b" else ~np.isneginf(attn_mask.array)
    blind = ~seen.any(-1, keepdims=True)
    if attn_mask.array.dtype.kind == "b":
        attn_mask = wrap(np.where(seen, 0.0, -math.inf).astype(kind))
    return attn_mask, np.broadcast_to(blind, (*shape[:-1], 1)) if blind.any() else None
