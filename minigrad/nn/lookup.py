"""``Embedding``: a table of learnt rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import bump_version
from minigrad.dtypes import dtype as dtype_type
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import empty
from minigrad.ops.embedding import embedding


class Embedding(Module):
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
        scale_grad_by_freq: bool = False,
        dtype: dtype_type | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = Parameter(empty(num_embeddings, embedding_dim, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.array[self.padding_idx] = np.zeros((), self.weight.array.dtype)
            bump_version(self.weight, "reset_parameters")

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, scale_grad_by_freq: bool = False
    ) -> Embedding:
        """An embedding around a table that is there already; ``freeze`` keeps it from being learnt."""
        if embeddings.array.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.array.shape
        made = cls(rows, columns, padding_idx, scale_grad_by_freq)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, input: Any) -> Any:
        """The rows at ``input``."""
        return embedding(input, self.weight, self.padding_idx, self.scale_grad_by_freq)

    def extra_repr(self) -> str:
        """Sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
