"""``MultiheadAttention`` (Vaswani et al. 2017)."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import zeros
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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                f"instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self._make_projections(bias, add_bias_kv, {"device": device, "dtype": dtype})

    def _make_projections(self, bias: bool, add_bias_kv: bool, kind: dict[str, Any]) -> None:
        size = self.embed_dim
        together = self.kdim == self.vdim == size
        shapes = {"q_proj_weight": size, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        self.register_parameter("in_proj_weight", Parameter(zeros(3 * size, size, **kind)) if together else None)
        for name, width in shapes.items():
            self.register_parameter(name, None if together else Parameter(zeros(size, width, **kind)))
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * size, **kind)) if bias else None)
        self.out_proj = Linear(size, size, bias, **kind)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, Parameter(zeros(1, 1, size, **kind)) if add_bias_kv else None)
        for each in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if each is not None:
                init.xavier_uniform_(each)
        if bias:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for each in (self.bias_k, self.bias_v):
            if each is not None:
                init.xavier_normal_(each)

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
        batched = query.array.ndim == 3
        turn = self.batch_first and batched
        if turn:
            query, key, value = (transpose.apply(each, 0, 1) for each in (query, key, value))
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            self.in_proj_weight is None,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (transpose.apply(out, 0, 1) if turn else out), weights
