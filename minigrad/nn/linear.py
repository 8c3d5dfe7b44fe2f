"""Layers that multiply with a matrix, and those that only change the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigrad.dtypes import dtype as dtype_type
from minigrad.nn import init
from minigrad.nn.functional.distances import bilinear
from minigrad.nn.module import Held, Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import zeros
from minigrad.ops.matmul import linear
from minigrad.ops.shape import flatten, unflatten


class Identity(Module):
    """Its input, whatever it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """``input``."""
        return input


class Linear(Module):
    """``x @ weightᵀ + bias``: ``weight`` is (out_features, in_features), drawn evenly from ±1/√in_features like
    ``bias``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> layer = nn.Linear(3, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    >>> layer(mg.zeros(4, 3)).shape
    minigrad.Size([4, 2])
    """

    weight: Any = Held()
    bias: Any = Held()

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_type | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        # Zeros rather than empty memory, here and in the other layers: a recording shows what a tensor was made with.
        self.weight = Parameter(zeros(out_features, in_features, dtype=dtype, device=device))
        if bias:
            self.bias = Parameter(zeros(out_features, dtype=dtype, device=device))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Any) -> Any:
        """``input`` (…, in_features) as (…, out_features)."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes, and whether there is a bias."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Flatten(Module):
    """Dimensions ``start_dim`` to ``end_dim`` run together; by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Any) -> Any:
        """``input``, flattened."""
        return flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension ``dim`` taken apart into ``unflattened_size``."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, input: Any) -> Any:
        """``input``, unflattened."""
        return unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dimension and what becomes of it."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Bilinear(Module):
    """``x1ᵀ @ weight[k] @ x2 + bias[k]``: ``weight`` is (out_features, in1_features, in2_features).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Bilinear(2, 3, 4)(mg.zeros(5, 2), mg.zeros(5, 3)).shape
    minigrad.Size([5, 4])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: dtype_type | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(zeros(out_features, in1_features, in2_features, dtype=dtype, device=device))
        shift = Parameter(zeros(out_features, dtype=dtype, device=device)) if bias else None
        self.register_parameter("bias", shift)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Drawn evenly from ±1/√in1_features."""
        bound = 1 / math.sqrt(self.in1_features)
        for each in self.parameters():
            init.uniform_(each, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Any:
        """The form of both inputs."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes."""
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"
