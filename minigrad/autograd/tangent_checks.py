"""What ``gradcheck`` asks of forward mode beside its Jacobian: that a missing tangent counts as zero, and that a batch
of tangents gives what each of them gives alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd import forward_ad
from minigrad.autograd.batching import old_vmap
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Complaint = Callable[[str], Exception]


def check_undefined(
    func: Callable[..., Any], given: Sequence[Any], places: Sequence[int], complaint: Complaint
) -> None:
    """Whether an input without a tangent is the same to ``func`` as one with zeros, while all others have one.

    Raises ``complaint`` where it is not. ``places`` are those of the inputs that may have tangents.
    """
    for place in (place for place in places if given[place].array.size):
        others = {other: wrap(np.ones_like(given[other].array)) for other in places if other != place}
        zeros = wrap(np.zeros_like(given[place].array))
        with_zeros = _tangents(func, given, {**others, place: zeros})
        without = _tangents(func, given, others) if others else [None] * len(with_zeros)
        for number, (a, b) in enumerate(zip(with_zeros, without, strict=True)):
            if not np.allclose(_or_zero(a), _or_zero(b), equal_nan=True):
                raise complaint(
                    f"Expected forward mode to take a missing tangent of input {place} for zeros, but output {number} "
                    f"has the tangent {a} with zeros, and {b} without."
                )


def check_batched(func: Callable[..., Any], given: Sequence[Any], places: Sequence[int], complaint: Complaint) -> None:
    """Whether two tangents of one input in a batch give what the first of them gives alone.

    Raises ``complaint`` where they do not, and whatever ``vmap`` raises.
    """
    rng = np.random.default_rng(0)
    for place in places:
        shape, kind = given[place].array.shape, given[place].array.dtype
        batch = wrap(rng.standard_normal((2, *shape)).astype(kind))

        def forward(tangent: Tensor, place: int = place) -> tuple[Tensor | None, ...]:
            return tuple(_tangents(func, given, {place: tangent}))

        together = old_vmap(forward)(batch)
        for number, (both, one) in enumerate(zip(together, forward(batch[0]), strict=True)):
            if (both is None) != (one is None) or not np.allclose(_or_zero(both, 0), _or_zero(one), equal_nan=True):
                raise complaint(
                    f"While testing batched forward gradients: output {number} has another tangent in a batch of "
                    f"tangents of input {place} than for the first of them alone."
                )


def _tangents(func: Callable[..., Any], given: Sequence[Any], tangents: dict[int, Tensor]) -> list[Tensor | None]:
    """The outputs' tangents, from those of the inputs at the places named."""
    with forward_ad.dual_level():
        bare = [x.detach() if isinstance(x, TensorBase) and x.requires_grad else x for x in given]
        duals = [forward_ad.make_dual(x, tangents[i]) if i in tangents else x for i, x in enumerate(bare)]
        several = func(*duals)
        outputs = several if isinstance(several, (tuple, list)) else (several,)
        return [forward_ad.unpack_dual(out).tangent for out in outputs if isinstance(out, TensorBase)]


def _or_zero(tangent: Tensor | None, row: int | None = None) -> Array | float:
    if tangent is None:
        return 0.0
    return tangent.array if row is None else tangent.array[row]
