"""Tables of learnt rows: looked up one by one, or in bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import bump_version
from minigrad.dtypes import dtype as dtype_type
from minigrad.nn import init
from minigrad.nn.functional.bags import embedding, embedding_bag
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import zeros


class _Table(Module):
    """``num_embeddings`` rows of ``embedding_dim`` numbers, and how they are looked up."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
        weight: Any,
        freeze: bool,
        device: Any,
        dtype: dtype_type | None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type, self.sparse = max_norm, norm_type, sparse
        self.scale_grad_by_freq = scale_grad_by_freq
        if weight is not None and weight.array.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        rows = zeros(num_embeddings, embedding_dim, dtype=dtype, device=device) if weight is None else weight
        self.weight = Parameter(rows, requires_grad=not freeze)
        if weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.array[self.padding_idx] = np.zeros((), self.weight.array.dtype)
            bump_version(self.weight, "reset_parameters")

    def extra_repr(self) -> str:
        """Sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


def _check_table(embeddings: Any) -> tuple[int, int]:
    if embeddings.array.ndim != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
    rows, columns = embeddings.array.shape
    return rows, columns


class Embedding(_Table):
    """A row of ``embedding_dim`` numbers for each of ``num_embeddings`` indices, drawn from the normal distribution.

    The row ``padding_idx`` begins as zeros and receives no gradient.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Embedding(10, 3)(mg.tensor([1, 2])).shape
    minigrad.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: dtype_type | None = None,
    ) -> None:
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        super().__init__(num_embeddings, embedding_dim, *options, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An embedding around a table that is there already; ``freeze`` keeps it from being learnt."""
        rows, columns = _check_table(embeddings)
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def forward(self, input: Any) -> Any:
        """The rows at ``input``."""
        options = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
        return embedding(input, self.weight, *options)


class EmbeddingBag(_Table):
    """The sum, mean or largest elements of each bag of rows.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.EmbeddingBag(10, 3)(mg.tensor([1, 2, 4, 5]), mg.tensor([0, 3])).shape
    minigrad.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: dtype_type | None = None,
    ) -> None:
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        super().__init__(num_embeddings, embedding_dim, *options, _weight, False, device, dtype)
        self.mode, self.include_last_offset = mode, include_last_offset

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, **options: Any) -> EmbeddingBag:
        """Bags from a table that is there already; ``freeze`` keeps it from being learnt."""
        made = cls(*_check_table(embeddings), _weight=embeddings, **options)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """One row for each bag."""
        return embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Sizes and the mode."""
        return f"{super().extra_repr()}, mode={self.mode!r}"
