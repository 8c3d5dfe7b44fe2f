"""Lesson 8, memory: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

import functools
from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Solution, Task
from minigrad.autograd.graph import saved_tensors_hooks

HINTS = {
    "the number of slots that are saved": {
        2: "those are the pieces of memory that are new; each is counted where it is saved.",
        3: "the product saves both factors, though one of them is saved by exp already.",
        5: "a sum saves nothing: its slope is 1 wherever it is.",
    },
    "the bytes kept for 1000 numbers of 4 bytes": {
        16000: "one piece of memory is in two slots, and x is there anyway.",
        12000: "one of the three pieces is x, which is there anyway.",
        4000: "the result of exp, and what else?",
        2000: "that many numbers, of 4 bytes each.",
    },
    "the place in which the node of sin lets go, from 1 to 4": {
        1: "it was made first, and backward comes to it last.",
        3: "backward begins at the loss and goes back step by step; count again.",
    },
    "how often sin is computed with checkpoint": {
        2: "that is without: once for each block.",
        3: "both blocks are computed again.",
        1: "there are two blocks.",
    },
    "whether the gradient is exactly the same (yes or no)": {
        "no": "the same operations on the same numbers give the same bits, whenever they are computed.",
    },
    "megabytes that the first block keeps": {
        1: "the result of relu is four times as wide as the batch.",
        4: "that is the result of relu; tanh keeps something too.",
        6: "the input of the first block is the batch, which is there anyway.",
        9: "relu and the layer after it keep one and the same tensor.",
        10: "relu and the layer after it keep one and the same tensor, and the batch is there anyway.",
    },
    "megabytes held at most after a block, with checkpoints": {
        1: "that is one input; sixteen of them are kept.",
        0: "what goes into each block is kept: without it nothing could be computed again.",
        80: "that is about what is held without checkpoints.",
    },
}


# -- 8.1


def _reals() -> Any:
    return mg.linspace(0.1, 1.0, 10).requires_grad_()


def _numbers_kept(function: Solution, x: mg.Tensor, weight: Any, key: Any) -> Any:
    memory: dict[Any, Any] = {}
    kept = []

    def pack(tensor: mg.Tensor) -> Any:
        kept.append(tensor)
        memory[key(tensor, len(kept))] = weight(tensor)
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        _result = function(x)
    return sum(memory.values())


WEIGH = Task(
    "8.1",
    given=[
        (lambda: lambda x: x * x, _reals),
        (lambda: lambda x: (x.exp() + 1).sin(), _reals),
        (lambda: lambda x: x + 1, _reals),
    ],
    truth=lambda function, x: _numbers_kept(function, x, lambda t: t.nbytes, lambda t, _: t.data_ptr()),
    praise="each piece of memory once.",
)


@WEIGH.mistake("in x * x the same memory is saved twice, and you count it twice: tell pieces apart by data_ptr().")
def _by_slot(function: Solution, x: mg.Tensor) -> Any:
    return _numbers_kept(function, x, lambda t: t.nbytes, lambda _, number: number)


@WEIGH.mistake("those are numbers; a float32 takes 4 bytes: use nbytes.")
def _elements(function: Solution, x: mg.Tensor) -> Any:
    return _numbers_kept(function, x, lambda t: t.numel(), lambda t, _: t.data_ptr())


@WEIGH.mistake("that is the number of pieces, not their bytes.")
def _pieces(function: Solution, x: mg.Tensor) -> Any:
    return _numbers_kept(function, x, lambda _: 1, lambda t, _: t.data_ptr())


@WEIGH.mistake("the input counts too if a node saves it: x * x keeps x.")
def _without_input(function: Solution, x: mg.Tensor) -> Any:
    all_of_it = _numbers_kept(function, x, lambda t: t.nbytes, lambda t, _: t.data_ptr())
    own = _numbers_kept(function, x, lambda t: t.nbytes * (t.data_ptr() == x.data_ptr()), lambda t, _: t.data_ptr())
    return all_of_it - own


# -- 8.2


def _squeezed(function: Solution) -> Solution:
    """Looks at the gradient that comes of two functions, and at the bytes that are kept meanwhile."""

    @functools.wraps(function)
    def rows(power: float) -> Any:
        pair = function()
        if not isinstance(pair, tuple):
            return pair
        pack, unpack = pair
        x = mg.linspace(0.5, 2.0, 4).requires_grad_()
        kept: list[int] = []

        def noting(tensor: mg.Tensor) -> Any:
            packed = pack(tensor)
            kept.append(packed.nbytes)
            return packed

        def checked(packed: Any) -> Any:
            tensor = unpack(packed)
            if tensor.dtype != mg.float32:
                raise TypeError(f"unpack gave a tensor of {tensor.dtype}")
            return tensor

        with saved_tensors_hooks(noting, checked):
            loss = (x.exp() * power).tanh().sum()
        loss.backward()
        assert x.grad is not None
        return [*x.grad.tolist(), sum(kept) / 16]

    return rows


SQUEEZE = Task(
    "8.2",
    given=[(0.1,), (0.3,)],
    truth=lambda: (lambda t: t.half(), lambda t: t.float()),
    lens=_squeezed,
    praise="half of the memory, and the gradient is off in the fourth digit.",
)


@SQUEEZE.mistake("what is kept is as large as before: pack is to make it float16.")
def _as_it_is() -> Any:
    return lambda t: t, lambda t: t


@SQUEEZE.mistake("unpack gives back float16, but the node works with float32: turn it back with .float().")
def _stays_half() -> Any:
    return lambda t: t.half(), lambda t: t


@SQUEEZE.mistake("a float64 is twice as large, not half.")
def _double() -> Any:
    return lambda t: t.double(), lambda t: t.float()


@SQUEEZE.mistake("that keeps whole numbers: what is behind the point is lost, and with it the gradient.")
def _whole_numbers() -> Any:
    return lambda t: t.to(mg.int16), lambda t: t.float()


# -- 8.3

CUT = Task(
    "8.3",
    given=[(16,), (36,), (100,), (12,)],
    truth=lambda layers: min(_divisors(layers), key=lambda k: layers / k + k),
    praise="the square root: a hundred layers need the memory of twenty.",
)


def _divisors(layers: int) -> list[int]:
    return [k for k in range(1, layers + 1) if layers % k == 0]


@CUT.mistake("with segments of one layer, the inputs of all layers are kept: nothing is gained.")
def _all_apart(layers: int) -> int:
    return 1


@CUT.mistake(
    "one segment of all layers has to be computed again as a whole, and then holds as much as without checkpoints."
)
def _all_in_one(layers: int) -> int:
    return layers


@CUT.mistake("two halves: while one of them is computed again, half of the layers are held. It can be much less.")
def _halves(layers: int) -> int:
    return layers // 2


@CUT.mistake("that is the sum itself; the k is asked for that makes it smallest.")
def _sum_itself(layers: int) -> float:
    return min(layers / k + k for k in _divisors(layers))


TASKS = {task.number: task for task in (WEIGH, SQUEEZE, CUT)}
