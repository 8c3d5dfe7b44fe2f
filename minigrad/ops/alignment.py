"""Connectionist temporal classification (Graves et al. 2006): all ways to read a sequence in frames of probabilities.

A target with blanks between and around its labels is a chain of states. From frame to frame one stays, goes on to the
next state, or leaps over a blank between two different labels. ``forwards`` and ``backwards`` sum over the ways up to
and from each state, in logarithms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op

Lengths = tuple[int, ...]


def _each(targets: Array, lengths: Lengths) -> list[Array]:
    """The labels of each target, whether they lie in rows or one after the other."""
    if targets.ndim == 2:
        return [row[:n] for row, n in zip(targets, lengths, strict=True)]
    return np.split(targets, np.cumsum(lengths))[: len(lengths)]


def _chain(labels: Array, blank: int) -> tuple[Array, Array]:
    """The states of a target, and which of them may be reached by a leap."""
    states = np.full(2 * len(labels) + 1, blank, np.int64)
    states[1::2] = labels
    leaps = np.zeros(len(states), bool)
    leaps[2:] = (states[2:] != blank) & (states[2:] != states[:-2])
    return states, leaps


def _forwards(scores: Array, leaps: Array) -> Array:
    """The logarithm of the sum over all ways that lead to each state, frame by frame."""
    out = np.full(scores.shape, -np.inf, scores.dtype)
    out[0, :2] = scores[0, :2]
    for t in range(1, len(scores)):
        before = out[t - 1]
        ways = np.full((3, len(before)), -np.inf, scores.dtype)
        ways[0] = before
        ways[1, 1:] = before[:-1]
        ways[2, 2:] = np.where(leaps[2:], before[:-2], -np.inf)
        out[t] = np.logaddexp.reduce(ways) + scores[t]
    return out


def _backwards(scores: Array, leaps: Array) -> Array:
    """The same from the end: the chain is walked the other way round, and leaps end where they began."""
    turned = np.zeros_like(leaps)
    turned[: len(leaps) - 2] = leaps[2:]
    return _forwards(scores[::-1, ::-1], turned[::-1])[::-1, ::-1]


def _total(forwards: Array) -> Any:
    return np.logaddexp.reduce(forwards[-1, -2:])


@op(label="ctc", name="ctc_loss", backward="CtcLossBackward0")
def aligned(a: Array, targets: Array, /, frames: Lengths, lengths: Lengths, blank: int) -> Array:
    """Minus the log-probability of each target, from log-probabilities ``a`` (T, N, C).

    >>> import minigrad as mg
    >>> from minigrad.ops.alignment import aligned
    >>> aligned(mg.tensor([[[0.25, 0.75]]]).log(), mg.tensor([[1]]), (1,), (1,), 0)
    tensor([0.2877])
    """
    _check(a, frames, lengths, blank)
    out = np.empty(a.shape[1], a.dtype)
    for n, labels in enumerate(_each(targets, lengths)):
        states, leaps = _chain(labels, blank)
        out[n] = -_total(_forwards(a[: frames[n], n][:, states], leaps)) if frames[n] else np.inf
    return out


def _check(a: Array, frames: Lengths, lengths: Lengths, blank: int) -> None:
    if not 0 <= blank < a.shape[2]:
        raise RuntimeError("blank must be in label range")
    if len(frames) != a.shape[1] or len(lengths) != a.shape[1]:
        wrong = "input_lengths" if len(frames) != a.shape[1] else "target_lengths"
        raise RuntimeError(f"{wrong} must be of size batch_size")
    if max(frames, default=0) > a.shape[0]:
        raise RuntimeError(f"Expected input_lengths to have value at most {a.shape[0]}, but got value {max(frames)}")


@op(label="ctc backward", backward="NotImplemented", name="ctc_loss_backward")
def alignment_slope(
    g: Array, a: Array, targets: Array, out: Array, /, frames: Lengths, lengths: Lengths, blank: int
) -> Array:
    """``g·(exp(a) - p)``, p the probability of each class at each frame among the ways that read the target.

    >>> import minigrad as mg
    >>> from minigrad.ops.alignment import alignment_slope
    >>> log = mg.tensor([[[0.25, 0.75]]]).log()
    >>> alignment_slope(mg.ones(1), log, mg.tensor([[1]]), mg.tensor([0.2877]), (1,), (1,), 0)
    tensor([[[ 0.2500, -0.2500]]])
    """
    slope = np.zeros(a.shape, a.dtype)
    for n, labels in enumerate(_each(targets, lengths)):
        if frames[n]:
            states, leaps = _chain(labels, blank)
            slope[: frames[n], n] = _slope(a[: frames[n], n], states, leaps, out[n])
    return np.where(g[:, None] == 0, 0, slope * g[:, None]).astype(a.dtype)


def _slope(a: Array, states: Array, leaps: Array, loss: Any) -> Array:
    scores = a[:, states]
    both = _forwards(scores, leaps) + _backwards(scores, leaps) - scores
    shares = np.zeros(a.shape, a.dtype)
    np.add.at(shares.T, states, np.exp(both + loss).T)
    return np.asarray(np.exp(a) - shares)


aligned.grads(
    a=lambda g, a, targets, out, frames, lengths, blank: alignment_slope.apply(
        g, a, targets, out, frames, lengths, blank
    )
)


def _refuse() -> Any:
    raise RuntimeError("the derivative for '_ctc_loss_backward' is not implemented.")


alignment_slope.grads(g=lambda h: _refuse(), a=lambda h: _refuse())
