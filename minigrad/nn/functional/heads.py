"""Attention in several heads: inputs projected, each head attended to on its own, and the heads joined again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.nn.functional.attention import scaled_dot_product_attention
from minigrad.ops.dropping import dropout
from minigrad.ops.joining import cat
from minigrad.ops.matmul import linear, matmul
from minigrad.ops.padding import padded
from minigrad.ops.reduction import mean
from minigrad.ops.scope import composite
from minigrad.ops.shape import chunk, reshape
from minigrad.ops.softmax import softmax
from minigrad.ops.viewing import transpose


@composite
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """What ``nn.MultiheadAttention`` computes, with all that it keeps given: inputs are (L, N, E) or (L, E).

    Returns the attended values, and the weights (None unless needed; their mean over the heads, or each head's). In the
    masks True hides a key, and numbers are added to the scores.
    """
    single = query.array.ndim == 2
    if single:
        query, key, value = (each.unsqueeze(1) for each in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, count, width = query.array.shape
    _check(width, embed_dim_to_check, num_heads, key, value)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else chunk(in_proj_weight, 3)
    biases = (None,) * 3 if in_proj_bias is None else chunk(in_proj_bias, 3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    mask, padding = (_as_numbers(each, q) for each in (attn_mask, key_padding_mask))
    if bias_k is not None:
        k, v = (cat([each, bias.repeat(1, count, 1)]) for each, bias in ((k, bias_k), (v, bias_v)))
        mask, padding = _one_more(mask), _one_more(padding)
    q, k, v = (_in_heads(each, num_heads) for each in (q, k, v))
    k, v = (k if static_k is None else _regrouped(static_k, k)), (v if static_v is None else _regrouped(static_v, v))
    if add_zero_attn:
        k, v = (cat([each, each.new_zeros((*each.array.shape[:2], 1, each.array.shape[3]))], 2) for each in (k, v))
        mask, padding = _one_more(mask), _one_more(padding)
    shape = (count, num_heads, length, k.array.shape[2])
    joined = _joined_mask(mask, padding, shape)
    rate = dropout_p if training else 0.0
    if not need_weights:
        out = _out_of_heads(scaled_dot_product_attention(q, k, v, joined, rate))
        out = linear(out, out_proj_weight, out_proj_bias)
        return (out.squeeze(1) if single else out), None
    scores = matmul(q * math.sqrt(1.0 / q.array.shape[-1]), transpose.apply(k, -2, -1))
    shares = dropout(softmax(scores if joined is None else scores + joined, -1), rate, True)
    out = linear(_out_of_heads(matmul(shares, v)), out_proj_weight, out_proj_bias)
    shown = mean(shares, 1) if average_attn_weights else shares
    return (out.squeeze(1), shown.squeeze(0)) if single else (out, shown)


def _check(width: int, expected: int, heads: int, key: Any, value: Any) -> None:
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width % heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    if key.array.shape[:2] != value.array.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.array.shape[:2]} do not match value's {value.array.shape[:2]}"
        )


def _as_numbers(mask: Any, like: Any) -> Any:
    """A mask of bools as what is added to the scores."""
    if mask is None or mask.array.dtype.kind != "b":
        return mask
    return wrap(np.where(mask.array, -np.inf, 0.0).astype(like.array.dtype))


def _one_more(mask: Any) -> Any:
    """A mask with a further key, which is not hidden."""
    return None if mask is None else padded.apply(mask, ((0, 0),) * (mask.array.ndim - 1) + ((0, 1),), 0)


def _in_heads(x: Any, heads: int) -> Any:
    """(L, N, E) as (N, heads, L, E / heads)."""
    length, count, width = x.array.shape
    split = transpose.apply(reshape(x, length, count * heads, width // heads), 0, 1)
    return reshape(split, count, heads, length, width // heads)


def _regrouped(given: Any, like: Any) -> Any:
    """(N · heads, S, E / heads) as (N, heads, S, E / heads)."""
    return reshape(given, *like.array.shape[:2], *given.array.shape[1:])


def _out_of_heads(x: Any) -> Any:
    """(N, heads, L, E / heads) as (L, N, E)."""
    count, heads, length, width = x.array.shape
    return reshape(x.permute(2, 0, 1, 3), length, count, heads * width)


def _joined_mask(mask: Any, padding: Any, shape: tuple[int, ...]) -> Any:
    """Both masks as one, to be added to scores of ``shape``."""
    if mask is not None and mask.array.ndim == 3:
        mask = reshape(mask, shape)
    if padding is not None:
        hidden = reshape(padding, shape[0], 1, 1, shape[3])
        mask = hidden if mask is None else mask + hidden
    return mask
