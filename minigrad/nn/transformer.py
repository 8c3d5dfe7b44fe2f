"""The transformer (Vaswani et al. 2017): encoder, decoder, and both together."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.attention import MultiheadAttention
from minigrad.nn.containers import ModuleList
from minigrad.nn.dropping import Dropout
from minigrad.nn.linear import Linear
from minigrad.nn.module import Module
from minigrad.nn.normalisation import LayerNorm

Activation = str | Callable[[Any], Any]


def _activation(given: Activation) -> Callable[[Any], Any]:
    if not isinstance(given, str):
        return given
    known: dict[str, Callable[[Any], Any]] = {"relu": F.relu, "gelu": F.gelu}
    if given not in known:
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return known[given]


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
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **kind)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **kind)
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


class TransformerDecoderLayer(Module):
    """Self-attention, attention to what the encoder gave, and a feed-forward network.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.TransformerDecoderLayer(8, 2, 16)(mg.zeros(4, 3, 8), mg.zeros(5, 3, 8)).shape
    minigrad.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **kind)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **kind)
        self.norm_first = norm_first
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model, layer_norm_eps, bias=bias, **kind) for _ in range(3))
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """``tgt`` after attention to itself and to ``memory``, and feed-forward; in the masks, True hides."""
        if self.norm_first:
            x = tgt + self._attend_self(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
            x = x + self._attend_memory(self.norm2(x), memory, memory_mask, memory_key_padding_mask)
            return x + self._feed(self.norm3(x))
        x = self.norm1(tgt + self._attend_self(tgt, tgt_mask, tgt_key_padding_mask))
        x = self.norm2(x + self._attend_memory(x, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(x + self._feed(x))

    def _attend_self(self, x: Any, mask: Any, padding: Any) -> Any:
        out, _ = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        return self.dropout1(out)

    def _attend_memory(self, x: Any, memory: Any, mask: Any, padding: Any) -> Any:
        out, _ = self.multihead_attn(x, memory, memory, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        return self.dropout2(out)

    def _feed(self, x: Any) -> Any:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Copies of one encoder layer after each other."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers, self.num_layers, self.norm = _copies(encoder_layer, num_layers), num_layers, norm

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """``src`` after every layer, and after ``norm`` if there is one."""
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of one decoder layer after each other."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers, self.num_layers, self.norm = _copies(decoder_layer, num_layers), num_layers, norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """``tgt`` after every layer, each of which attends to ``memory``, and after ``norm`` if there is one."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to what it gives.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(mg.zeros(2, 5, 8), mg.zeros(2, 3, 8)).shape
    minigrad.Size([2, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        ends = [LayerNorm(d_model, layer_norm_eps, bias=bias, **kind) for _ in range(2)]
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*options, **kind), num_encoder_layers, ends[0]
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*options, **kind), num_decoder_layers, ends[1]
        )
        for each in self.parameters():
            if each.array.ndim > 1:
                init.xavier_uniform_(each)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """What the decoder makes of ``tgt``, seeing what the encoder made of ``src``."""
        place = 0 if self.batch_first or src.array.ndim == 2 else 1
        if src.array.ndim == 3 and src.array.shape[place] != tgt.array.shape[place]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if self.d_model not in (src.array.shape[-1],) or tgt.array.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """A mask that lets each place see those up to its own: -inf above the diagonal, else 0.

        >>> from minigrad import nn
        >>> nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        kind = getattr(dtype, "numpy", np.float32)
        return wrap(np.triu(np.full((sz, sz), -math.inf, kind), 1))
