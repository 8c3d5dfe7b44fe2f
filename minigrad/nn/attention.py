"""``MultiheadAttention`` and the encoder layers of the transformer (Vaswani et al. 2017)."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.containers import ModuleList
from minigrad.nn.dropping import Dropout
from minigrad.nn.functional.attention import masked_softmax
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.normalisation import LayerNorm
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import empty
from minigrad.ops.matmul import matmul
from minigrad.ops.reduction import mean
from minigrad.ops.shape import chunk, reshape
from minigrad.ops.viewing import transpose


class MultiheadAttention(Module):
    """Attention in ``num_heads`` parts of the embedding at once. Inputs are (L, N, E), or (N, L, E) with
    ``batch_first``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> attention = nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = mg.zeros(3, 5, 4)
    >>> out, weights = attention(x, x, x)
    >>> out.shape, weights.shape
    (minigrad.Size([3, 5, 4]), minigrad.Size([3, 5, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                f"instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError(
                "add_bias_kv and add_zero_attn are not supported: concatenate to key and value instead"
            )
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first = dropout, batch_first
        self._make_projections(bias)

    def _make_projections(self, bias: bool) -> None:
        size = self.embed_dim
        together = self.kdim == self.vdim == size
        shapes = {"q_proj_weight": size, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        self.register_parameter("in_proj_weight", Parameter(empty(3 * size, size)) if together else None)
        for name, width in shapes.items():
            self.register_parameter(name, None if together else Parameter(empty(size, width)))
        self.register_parameter("in_proj_bias", Parameter(empty(3 * size)) if bias else None)
        self.out_proj = Linear(size, size, bias)
        for each in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if each is not None:
                init.xavier_uniform_(each)
        if bias:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """The attended values, and the weights (None unless needed; their mean over the heads, or each head's).

        In the masks, True (or -inf) hides a key: ``key_padding_mask`` (N, S) for all queries, ``attn_mask`` (L, S) for
        each.
        """
        unbatched = query.array.ndim == 2
        if unbatched:
            query, key, value = (each.unsqueeze(0 if self.batch_first else 1) for each in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        if not self.batch_first:
            query, key, value = (transpose.apply(each, 0, 1) for each in (query, key, value))
        q, k, v = map(self._in_heads, self._projected(query, key, value))
        weights = self._weights(q, k, key_padding_mask, attn_mask)
        out = self.out_proj(self._joined(matmul(F.dropout(weights, self.dropout, self.training), v)))
        if not self.batch_first:
            out = transpose.apply(out, 0, 1)
        shown = None
        if need_weights:
            shown = mean(weights, 1) if average_attn_weights else weights
        if unbatched:
            return out.squeeze(0 if self.batch_first else 1), None if shown is None else shown.squeeze(0)
        return out, shown

    def _projected(self, query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        if self.in_proj_weight is not None:
            weights = chunk(self.in_proj_weight, 3)
        biases = (None,) * 3 if self.in_proj_bias is None else chunk(self.in_proj_bias, 3)
        q, k, v = (F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
        return q, k, v

    def _in_heads(self, x: Any) -> Any:
        """(N, L, E) as (N, heads, L, E / heads)."""
        n, length, _ = x.array.shape
        return transpose.apply(reshape(x, n, length, self.num_heads, self.head_dim), 1, 2)

    def _joined(self, x: Any) -> Any:
        n, _, length, _ = x.array.shape
        return reshape(transpose.apply(x, 1, 2), n, length, self.embed_dim)

    def _weights(self, q: Any, k: Any, key_padding_mask: Any, attn_mask: Any) -> Any:
        scores = matmul(q * (1 / math.sqrt(self.head_dim)), transpose.apply(k, -2, -1))
        if attn_mask is not None:
            mask = attn_mask
            if mask.array.ndim == 3:
                mask = reshape(mask, -1, self.num_heads, *mask.array.shape[1:])
            scores = _hide(scores, mask)
        if key_padding_mask is not None:
            n, length = key_padding_mask.array.shape
            scores = _hide(scores, reshape(key_padding_mask, n, 1, 1, length))
        return masked_softmax(scores)


def _hide(scores: Any, mask: Any) -> Any:
    if mask.array.dtype.kind == "b":
        return scores.masked_fill(mask, -math.inf)
    return scores + mask


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each added to its input and normalised (before, with ``norm_first``).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(mg.zeros(3, 5, 8)).shape
    minigrad.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first)
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """``src`` after attention and feed-forward; in the masks, True hides."""
        if self.norm_first:
            x = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self._feed(self.norm2(x))
        x = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed(x))

    def _attend(self, x: Any, mask: Any, padding: Any) -> Any:
        out, _ = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        return self.dropout1(out)

    def _feed(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _activation(given: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    if not isinstance(given, str):
        return given
    known: dict[str, Callable[[Any], Any]] = {"relu": F.relu, "gelu": F.gelu}
    if given not in known:
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return known[given]


class TransformerEncoder(Module):
    """Copies of one encoder layer after each other. The last two options change nothing: padding is masked here."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """``src`` after every layer, and after ``norm`` if there is one."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
