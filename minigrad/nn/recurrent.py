"""Recurrent layers: RNN, LSTM and GRU, step by step along a sequence, in layers and both directions; and their
single cells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.nn.utils.rnn import PackedSequence, pad_packed_sequence
from minigrad.ops.choice import relu, where
from minigrad.ops.creation import zeros
from minigrad.ops.exponential import sigmoid
from minigrad.ops.joining import cat, stack
from minigrad.ops.shape import chunk
from minigrad.ops.trigonometric import tanh
from minigrad.ops.viewing import transpose, unbind

State = tuple[Any, ...]
"""The hidden state, and for an LSTM the cell state behind it."""


def _rnn_step(gates: Any, hidden: Any, state: State, squash: Any) -> State:
    return (squash(gates + hidden),)


def _lstm_step(gates: Any, hidden: Any, state: State) -> State:
    """Input, forget, cell and output gate (Hochreiter & Schmidhuber 1997)."""
    let_in, keep, new, let_out = chunk(gates + hidden, 4, -1)
    cell = sigmoid.apply(keep) * state[1] + sigmoid.apply(let_in) * tanh.apply(new)
    return sigmoid.apply(let_out) * tanh.apply(cell), cell


def _gru_step(gates: Any, hidden: Any, state: State) -> State:
    """Reset and update gate, and the new value (Cho et al. 2014), in the form in which the reset gate comes last."""
    from_input, from_hidden = chunk(gates, 3, -1), chunk(hidden, 3, -1)
    reset = sigmoid.apply(from_input[0] + from_hidden[0])
    update = sigmoid.apply(from_input[1] + from_hidden[1])
    new = tanh.apply(from_input[2] + reset * from_hidden[2])
    return (new + update * (state[0] - new),)


_GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _step(kind: str, nonlinearity: str, gates: Any, hidden: Any, state: State) -> State:
    if kind == "LSTM":
        return _lstm_step(gates, hidden, state)
    if kind == "GRU":
        return _gru_step(gates, hidden, state)
    return _rnn_step(gates, hidden, state, tanh.apply if nonlinearity == "tanh" else relu.apply)


class _Recurrent(Module):
    """Weights of all layers and directions, and the way along the sequence."""

    kind = ""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if hidden_size <= 0 or num_layers <= 0:
            raise ValueError("hidden_size and num_layers must be greater than zero")
        if not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.nonlinearity = bidirectional, nonlinearity
        self._make_weights({"device": device, "dtype": dtype})
        self.reset_parameters()

    @property
    def _directions(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    def _make_weights(self, kind: dict[str, Any]) -> None:
        rows = _GATES[self.kind] * self.hidden_size
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * len(self._directions)
            for direction in self._directions:
                end = f"l{layer}{direction}"
                self.register_parameter(f"weight_ih_{end}", Parameter(zeros(rows, width, **kind)))
                self.register_parameter(f"weight_hh_{end}", Parameter(zeros(rows, self.hidden_size, **kind)))
                for name in ("bias_ih", "bias_hh"):
                    self.register_parameter(f"{name}_{end}", Parameter(zeros(rows, **kind)) if self.bias else None)

    def reset_parameters(self) -> None:
        """Drawn evenly from ±1/√hidden_size."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The last layer's hidden state at every step, and the last state of every layer and direction.

        A packed sequence gives a packed one.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        batched = input.array.ndim == 3
        if input.array.ndim not in (2, 3):
            raise ValueError(f"{self.kind}: Expected input to be 2D or 3D, got {input.array.ndim}D instead")
        if input.array.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.array.shape[-1]}"
            )
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        sequence = transpose.apply(input, 0, 1) if self.batch_first else input
        states = self._first_states(hx, sequence, batched)
        output, last = self._through_layers(sequence, states)
        if self.batch_first:
            output = transpose.apply(output, 0, 1)
        if not batched:
            output, last = output.squeeze(0 if self.batch_first else 1), tuple(each.squeeze(1) for each in last)
        return output, last if self.kind == "LSTM" else last[0]

    def _packed(self, packed: PackedSequence, hx: Any) -> tuple[Any, Any]:
        """The same for sequences of different lengths: those that have ended keep their state."""
        counts = packed.batch_sizes.array
        sequence, _ = pad_packed_sequence(PackedSequence(packed.data, packed.batch_sizes))
        going = wrap((np.arange(counts[0]) < counts[:, None])[..., None])
        if hx is not None and packed.sorted_indices is not None:
            parts = hx if self.kind == "LSTM" else (hx,)
            turned = tuple(each.index_select(1, packed.sorted_indices) for each in parts)
            hx = turned if self.kind == "LSTM" else turned[0]
        output, last = self._through_layers(sequence, self._first_states(hx, sequence, True), going)
        steps, members = np.nonzero(going.array[..., 0])
        if packed.unsorted_indices is not None:
            last = tuple(each.index_select(1, packed.unsorted_indices) for each in last)
        together = PackedSequence(output[wrap(steps), wrap(members)], *packed[1:])
        return together, last if self.kind == "LSTM" else last[0]

    def _first_states(self, hx: Any, sequence: Any, batched: bool) -> list[State]:
        """The first state of each layer and direction."""
        count = self.num_layers * len(self._directions)
        if hx is None:
            kind = sequence.dtype
            parts = 2 if self.kind == "LSTM" else 1
            given: State = tuple(
                zeros(count, sequence.array.shape[1], self.hidden_size, dtype=kind) for _ in range(parts)
            )
        else:
            given = tuple(hx) if self.kind == "LSTM" else (hx,)
            given = given if batched else tuple(each.unsqueeze(1) for each in given)
        expected = (count, sequence.array.shape[1], self.hidden_size)
        for each in given:
            if each.array.shape != expected:
                raise RuntimeError(f"Expected hidden size {list(expected)}, got {list(each.array.shape)}")
        return list(zip(*(unbind.apply(each, 0) for each in given), strict=True))

    def _through_layers(self, sequence: Any, states: list[State], going: Any = None) -> tuple[Any, State]:
        last: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for number, direction in enumerate(self._directions):
                first = states[layer * len(self._directions) + number]
                output, end = self._along(sequence, first, f"l{layer}{direction}", bool(direction), going)
                outputs.append(output)
                last.append(end)
            sequence = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                sequence = F.dropout(sequence, self.dropout, self.training)
        return sequence, tuple(stack(parts) for parts in zip(*last, strict=True))

    def _along(self, sequence: Any, state: State, end: str, backwards: bool, going: Any) -> tuple[Any, State]:
        """One layer in one direction: what the input gives to the gates is computed for all steps at once.

        ``going`` says which sequences take part in each step; the others keep their state.
        """
        weight, recurrent = getattr(self, f"weight_ih_{end}"), getattr(self, f"weight_hh_{end}")
        bias, recurrent_bias = getattr(self, f"bias_ih_{end}"), getattr(self, f"bias_hh_{end}")
        gates = unbind.apply(F.linear(sequence, weight, bias), 0)
        outputs = []
        order = range(len(gates))
        for place in reversed(order) if backwards else order:
            hidden = F.linear(state[0], recurrent, recurrent_bias)
            after = _step(self.kind, self.nonlinearity, gates[place], hidden, state)
            if going is not None:
                after = tuple(where(going[place], new, old) for new, old in zip(after, state, strict=True))
            state = after
            outputs.append(state[0])
        return stack(outputs[::-1] if backwards else outputs), state

    def extra_repr(self) -> str:
        """Sizes, and the options that are not the usual ones."""
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return text + "".join(
            f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value
        )


class RNN(_Recurrent):
    """``h = tanh(W x + b + U h + c)`` along the sequence (L, N, input_size), or (N, L, input_size) with
    ``batch_first``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> output, last = nn.RNN(3, 4)(mg.zeros(5, 2, 3))
    >>> output.shape, last.shape
    (minigrad.Size([5, 2, 4]), minigrad.Size([1, 2, 4]))
    """

    kind = "RNN"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", **options: Any
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, nonlinearity=nonlinearity, **options)


class LSTM(_Recurrent):
    """Long short-term memory: a cell state that gates let in, keep and let out. The state is the pair (h, c).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> output, (h, c) = nn.LSTM(3, 4, batch_first=True)(mg.zeros(2, 5, 3))
    >>> output.shape, c.shape
    (minigrad.Size([2, 5, 4]), minigrad.Size([1, 2, 4]))
    """

    kind = "LSTM"


class GRU(_Recurrent):
    """Gated recurrent unit: one gate for how much is new, one for how much of the old is asked.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.GRU(3, 4, num_layers=2)(mg.zeros(5, 2, 3))[1].shape
    minigrad.Size([2, 2, 4])
    """

    kind = "GRU"


class _Cell(Module):
    """One step of a recurrent layer."""

    kind = ""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias, self.nonlinearity = input_size, hidden_size, bias, nonlinearity
        rows, kind = _GATES[self.kind] * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(zeros(rows, input_size, **kind))
        self.weight_hh = Parameter(zeros(rows, hidden_size, **kind))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(zeros(rows, **kind)) if bias else None)
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        if hx is None:
            blank = zeros(*input.array.shape[:-1], self.hidden_size, dtype=input.dtype)
            hx = (blank, blank) if self.kind == "LSTM" else blank
        state = tuple(hx) if self.kind == "LSTM" else (hx,)
        gates = F.linear(input, self.weight_ih, self.bias_ih)
        hidden = F.linear(state[0], self.weight_hh, self.bias_hh)
        after = _step(self.kind, self.nonlinearity, gates, hidden, state)
        return after if self.kind == "LSTM" else after[0]

    def extra_repr(self) -> str:
        """Sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    """One step of ``RNN``."""

    kind = "RNN"


class LSTMCell(_Cell):
    """One step of ``LSTM``: gives the pair (h, c)."""

    kind = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)


class GRUCell(LSTMCell):
    """One step of ``GRU``."""

    kind = "GRU"
