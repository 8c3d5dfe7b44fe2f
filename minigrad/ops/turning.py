"""Views in place: the tensor itself gets another look at its memory (``t_``, ``transpose_``, ``squeeze_``,
``unsqueeze_``, ``as_strided_``).

Nothing is written, yet it counts as a write: whoever saved the tensor saved another shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigrad import dispatch
from minigrad.autograd import views
from minigrad.autograd.geometry import geometry
from minigrad.autograd.modes import modes
from minigrad.autograd.replay import Step
from minigrad.op import Op
from minigrad.ops import viewing
from minigrad.ops.shape import strided_window


def _in_place(op: Op, backward: str) -> Callable[..., Any]:
    """``op`` on the tensor itself; its node has a name of its own."""
    form = Op(op.forward, op.label, backward, name=op.name, linear=True, view=True).grads(**op.rules)

    def turn(tensor: Any, *attributes: Any) -> Any:
        tracked = tensor.requires_grad
        views.check_writable(tensor, tracked, may_overlap=True)
        turned = form.forward(tensor.array, *attributes)
        views.check_inference(tensor)
        recorded = tracked and modes.grad and not modes.inference
        node = dispatch.inplace_node(form, (tensor,), attributes) if recorded else None
        tensor.array = turned
        if tensor._view is not None and tensor._view.path is not None:
            tensor._view.path = tensor._view.path.then(Step(form, attributes, None), turned)
        dispatch.finish_inplace(form, (tensor,), attributes, node)
        return tensor

    return turn


_squeeze_all = _in_place(viewing.squeeze_all, "SqueezeBackward3")
squeeze_dim_ = _in_place(viewing.squeeze_dim, "SqueezeBackward4")
_squeeze_dims = _in_place(viewing.squeeze_dims, "SqueezeBackward5")
_unsqueeze = _in_place(viewing.unsqueeze, "UnsqueezeBackward1")
_t = _in_place(viewing.t, "TBackward1")
_transpose = _in_place(viewing.transpose, "TransposeBackward1")
_as_strided = _in_place(viewing.as_strided, "AsStridedBackward1")


class TurningMethods:
    """The same as methods."""

    __slots__ = ()

    def squeeze_(self, dim: Any = None) -> Any:
        """``squeeze``, in place."""
        if dim is None:
            return _squeeze_all(self)
        return _squeeze_dims(self, tuple(dim)) if isinstance(dim, (tuple, list)) else squeeze_dim_(self, dim)

    def unsqueeze_(self, dim: int) -> Any:
        """``unsqueeze``, in place."""
        return _unsqueeze(self, dim)

    def t_(self) -> Any:
        """``t``, in place."""
        return _t(self)

    def transpose_(self, dim0: int, dim1: int) -> Any:
        """``transpose``, in place."""
        return _transpose(self, dim0, dim1)

    swapaxes_ = swapdims_ = transpose_

    def as_strided_(self: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Any:
        """``as_strided``, in place."""
        window = strided_window(self, size, stride, storage_offset)
        return _as_strided(self, window, geometry(self.array))
