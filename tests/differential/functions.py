# mypy: disable-error-code="no-untyped-def,misc"
"""A few custom Functions, the same for every backend, that fuzzed programs call as ``fn.Name.apply(…)``."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType, SimpleNamespace
from typing import Any

SIGNATURES: dict[str, tuple[int, int]] = {
    "Scale": (1, 1),
    "Product": (2, 1),
    "Exponential": (1, 1),
    "Same": (1, 1),
    "Flat": (1, 1),
    "Doubled": (1, 1),
    "Split": (1, 2),
    "Largest": (1, 2),
    "Bare": (2, 2),
    "SetUp": (2, 1),
    "Once": (1, 1),
    "Silent": (2, 1),
    "Broad": (1, 1),
    "Inner": (1, 1),
    "TwoKept": (1, 2),
}
"""How many tensors each takes and returns."""


@lru_cache(maxsize=4)
def functions(xp: ModuleType) -> SimpleNamespace:
    """The Functions of ``SIGNATURES``, made with ``xp.autograd.Function``."""
    every = {**_plain(xp), **_aliasing(xp), **_several(xp), **_contract(xp)}
    for cls in every.values():
        cls.__module__ = __name__
    return SimpleNamespace(**every)


def _plain(xp: Any) -> dict[str, type]:
    class Scale(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3.0

        @staticmethod
        def backward(ctx, g):
            return g * 3.0

    class Product(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return (
                _reduce(g * y, x.shape) if ctx.needs_input_grad[0] else None,
                _reduce(g * x, y.shape) if ctx.needs_input_grad[1] else None,
            )

    class Exponential(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            (out,) = ctx.saved_tensors
            return g * out

    return {"Scale": Scale, "Product": Product, "Exponential": Exponential}


def _reduce(gradient: Any, shape: Any) -> Any:
    """Sum ``gradient`` to ``shape``, undoing a broadcast."""
    return gradient.sum_to_size(shape) if tuple(gradient.shape) != tuple(shape) else gradient


def _aliasing(xp: Any) -> dict[str, type]:
    class Same(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2.0

    class Flat(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.shape = x.shape
            return x.view(-1)

        @staticmethod
        def backward(ctx, g):
            return g.reshape(ctx.shape)

    class Doubled(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2.0)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2.0

    return {"Same": Same, "Flat": Flat, "Doubled": Doubled}


def _several(xp: Any) -> dict[str, type]:
    class Split(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0, x + 1.0

        @staticmethod
        def backward(ctx, g, h):
            return g * 2.0 + h

    class Largest(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            where = x.argmax()
            ctx.mark_non_differentiable(where)
            return x * 1.0, where

        @staticmethod
        def backward(ctx, g, nothing):
            return g

    class Bare(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.set_materialize_grads(False)
            return x * 2.0, y * 3.0

        @staticmethod
        def backward(ctx, g, h):
            return None if g is None else g * 2.0, None if h is None else h * 3.0

    class TwoKept(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            double, square = x * 2.0, x * x
            ctx.save_for_backward(x, double)
            return double, square

        @staticmethod
        def backward(ctx, g, h):
            _, double = ctx.saved_tensors
            return g * 2.0 + h * double

    return {"Split": Split, "Largest": Largest, "Bare": Bare, "TwoKept": TwoKept}


def _contract(xp: Any) -> dict[str, type]:
    class SetUp(xp.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x - y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.shapes = [tensor.shape for tensor in inputs]

        @staticmethod
        def backward(ctx, g):
            return _reduce(g, ctx.shapes[0]), _reduce(-g, ctx.shapes[1])

    class Once(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @xp.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2.0 * x * g

    class Silent(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return None, None, None

    class Broad(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum()

        @staticmethod
        def backward(ctx, g):
            return g

    class Inner(xp.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with xp.enable_grad():
                again = x.detach().requires_grad_()
                (inner,) = xp.autograd.grad((again * again).sum(), again)
            return inner * g

    return {"SetUp": SetUp, "Once": Once, "Silent": Silent, "Broad": Broad, "Inner": Inner}
