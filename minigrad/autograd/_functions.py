"""Operations that PyTorch keeps as custom Functions, under the name that scripts import them from."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.function import Function


class Resize(Function):
    """The same elements in another shape: ``Resize.apply(tensor, sizes)``.

    Raises RuntimeError when the number of elements differs.
    """

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: tuple[int, ...]) -> Any:
        """The tensor in its new shape."""
        ctx.sizes = tensor.shape
        wanted = 1
        for size in sizes:
            wanted *= size
        if wanted != tensor.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({wanted} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.shape))} ({tensor.numel()} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements."
            )
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradient in the old shape."""
        return grad.contiguous().view(ctx.sizes), None
