"""Sequences of different lengths: padded to one length, or packed so that nothing is computed for the padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.ops.joining import stack
from minigrad.ops.padding import padded
from minigrad.ops.scope import composite


class PackedSequence(NamedTuple):
    """All first steps, all second steps, and so on, without padding; the longest sequence comes first."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


@composite
def pad_sequence(
    sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences (L, …) of any lengths as one tensor (longest, N, …), or (N, longest, …) with ``batch_first``.

    >>> import minigrad as mg
    >>> from minigrad.nn.utils.rnn import pad_sequence
    >>> pad_sequence([mg.tensor([1, 2]), mg.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"padding_side should be either 'left' or 'right', but got {padding_side}")
    each = list(sequences)
    if not each:
        raise RuntimeError("received an empty list of sequences")
    longest = max(len(one.array) for one in each)
    rows = []
    for one in each:
        more = longest - len(one.array)
        width = (0, more) if padding_side == "right" else (more, 0)
        rows.append(padded.apply(one, (width, *((0, 0),) * (one.array.ndim - 1)), padding_value))
    return stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences that ``pad_sequence`` padded, in their own lengths."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(rows.unbind(0), lengths, strict=True)]


@composite
def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The steps within ``lengths`` of ``input`` (L, N, …), or (N, L, …) with ``batch_first``, step by step.

    Sequences come from the longest to the shortest; with ``enforce_sorted=False`` they are put into this order.

    >>> import minigrad as mg
    >>> from minigrad.nn.utils.rnn import pack_padded_sequence
    >>> pack_padded_sequence(mg.tensor([[1, 3], [2, 0]]), [2, 1]).data
    tensor([1, 3, 2])
    """
    sizes = np.asarray(getattr(lengths, "array", lengths)).astype(np.int64)
    if sizes.size and sizes.min() <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    rows = input.transpose(0, 1) if batch_first else input
    order = None
    if enforce_sorted:
        if (np.diff(sizes) > 0).any():
            raise RuntimeError(
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if "
                "you do not need ONNX exportability."
            )
    else:
        order = np.argsort(-sizes, kind="stable")
        sizes, rows = sizes[order], rows.index_select(1, wrap(order))
    steps, members = np.nonzero(np.arange(sizes.max())[:, None] < sizes)
    back = None if order is None else wrap(np.argsort(order))
    return PackedSequence(
        rows[wrap(steps), wrap(members)],
        wrap(np.bincount(steps)),
        None if order is None else wrap(order),
        back,
    )


@composite
def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Any]:
    """What ``pack_padded_sequence`` packed, padded again, and the lengths."""
    counts = sequence.batch_sizes.array
    length = len(counts) if total_length is None else total_length
    if length < len(counts):
        raise ValueError(
            f"Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={length} and max sequence length being {len(counts)}"
        )
    sizes = (counts[:, None] > np.arange(counts[0])).sum(0)
    steps, members = np.nonzero(np.arange(len(counts))[:, None] < sizes)
    blank = sequence.data.new_full((length, int(counts[0]), *sequence.data.array.shape[1:]), padding_value)
    out = blank.index_put((wrap(steps), wrap(members)), sequence.data)
    if sequence.unsorted_indices is not None:
        out, sizes = out.index_select(1, sequence.unsorted_indices), sizes[sequence.unsorted_indices.array]
    return (out.transpose(0, 1) if batch_first else out), wrap(sizes)


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of any lengths, packed."""
    lengths = [len(one.array) for one in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)
