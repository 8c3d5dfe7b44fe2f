"""Runs a program on one backend and writes down what could be seen after each statement. Knows no other backend's log.

A statement that raises is noted and the program goes on; one whose variables are missing is skipped.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from tests.differential.functions import functions
from tests.differential.programs import Block, Program, Statement

DEPTH = 4
"""How far ``grad_fn.next_functions`` is followed."""

HIGHER_ORDER = "of higher order"
"""Stands for a node that a backward with ``create_graph`` has made."""

FAMILIES = (
    IndexError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
    AttributeError,
    KeyError,
    ArithmeticError,
)
"""An exception counts as the first of these that it is an instance of."""

PHRASES = tuple(
    re.compile(phrase)
    for phrase in (
        r"inplace operation",
        r"in-place operation",
        r"output \d+ of (?!torch)\w+",
        r"a leaf variable that requires grad",
        r"a view of a leaf variable that requires grad",
        r"returns multiple views",
        r"created inside a custom function",
        r"is a view and was created in no_grad mode",
        r"created in inference mode",
        r"inference tensors? cannot be saved for backward",
        r"outside inferencemode",
        r"setting requires_grad=true on inference tensor",
        r"cannot set version_counter for inference tensor",
        r"base or another view of its base has been modified inplace",
        r"a second time",
        r"retain_graph=true",
        r"does not require grad and does not have a grad_fn",
        r"one of the differentiated tensors does not require grad",
        r"appears to not have been used in the graph",
        r"implicitly created only for scalar outputs",
        r"mismatch in shape",
        r"only tensors of floating point",
        r"result type \w+ can't be cast",
        r"single memory location",
        r"out of range",
        r"out of bounds",
        r"must match the size",
        r"is invalid for input of size",
        r"not compatible with input tensor's size and stride",
        r"doesn't match the broadcast shape",
        r"non-leaf",
        r"requires_grad flags of leaf variables",
        r"cannot register a hook on a tensor that doesn't require gradient",
        r"can't retain_grad on tensor that has requires_grad=false",
        r"can't detach views",
        r"assigned grad has data of a different",
        r"returned an invalid gradient at index \d+",
        r"returned an incorrect number of gradients",
        r"marked as once_differentiable",
        r"@once_differentiable",
        r"mark_dirty",
        r"has changed the size of value",
        r"has changed the type of value",
        r"shapes cannot be multiplied",
        r"incompatible tensor type",
        r"post accumulate grad hooks cannot be registered on non-leaf",
        r"zero-dimensional tensor",
        r"too many indices",
        r"shape mismatch",
    )
)
"""The words of an error message that a user would search for; each is compared as it stands in the message."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception: its family, the known phrases in its message, and the message itself (which is not compared)."""

    family: str
    phrases: frozenset[str]
    message: str

    def __str__(self) -> str:
        return f"{self.family}: {self.message.strip()}"


@dataclass(slots=True)
class Entry:
    """What was seen once ``statement`` had run (None: once the program was over)."""

    statement: Statement | None
    raised: Raised | None = None
    skipped: bool = False
    in_inference_mode: bool = False
    seen: list[tuple[str, object]] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    variables: dict[str, dict[str, object]] = field(default_factory=dict)


@lru_cache(maxsize=20_000)
def compiled(code: str) -> CodeType:
    """``code``, compiled once."""
    return compile(code, "<program>", "exec")


def run(program: Program, backend: ModuleType) -> list[Entry]:
    """The log of ``program`` on ``backend``."""
    bench = Bench(backend)
    with warnings.catch_warnings():
        for category in (UserWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("error", category=RuntimeWarning, append=True)
        bench.perform(program.statements, program.watch)
        bench.log.append(Entry(None, variables=bench.look()))
    return bench.log


class Bench:
    """One run: the namespace in which the statements work, and the log."""

    def __init__(self, backend: ModuleType) -> None:
        self.xp: Any = backend
        self.log: list[Entry] = []
        self.sightings: list[tuple[str, object]] = []
        self.higher: list[range] = []
        self.namespace: dict[str, Any] = {"xp": backend, "see": self.see, "fn": functions(backend)}

    def perform(self, statements: tuple[Statement, ...], watch: bool) -> None:
        """Run ``statements`` one by one, opening blocks."""
        for statement in statements:
            if isinstance(statement, Block):
                self._block(statement, watch)
            else:
                self._note(statement, partial(self._execute, statement), watch)

    def _execute(self, statement: Statement) -> None:
        """Run it. PyTorch writes an inference tensor before it refuses to: such a write is undone."""
        former = self._inference_tensors()
        try:
            self._run(statement)
        except RuntimeError as error:
            if former and "Inplace update to inference tensor outside" in str(error):
                self._restore(former)
            raise

    def _inference_tensors(self) -> list[tuple[Any, Any, tuple[int, ...]]]:
        """Those that must not be written now, with copies of them and their strides."""
        if self.xp.is_inference_mode_enabled():
            return []
        tensors = [one for one in self.namespace.values() if isinstance(one, self.xp.Tensor) and one.is_inference()]
        return [(tensor, tensor.detach().clone(), tuple(tensor.stride())) for tensor in tensors]

    def _restore(self, former: list[tuple[Any, Any, tuple[int, ...]]]) -> None:
        with self.xp.inference_mode():
            for tensor, copy, strides in former:
                if tensor.shape != copy.shape or tuple(tensor.stride()) != strides:
                    tensor.as_strided_(copy.shape, strides)
                part = tensor.detach()
                for dim, stride in enumerate(strides):
                    once = copy.shape[dim] if stride else min(copy.shape[dim], 1)
                    part, copy = part.narrow(dim, 0, once), copy.narrow(dim, 0, once)
                part.copy_(copy)

    def _run(self, statement: Statement) -> None:
        """Run it, and remember which nodes a backward with ``create_graph`` has made."""
        if "create_graph" not in statement.code:
            exec(compiled(statement.code), self.namespace)
            return
        first = self._next_sequence_number()
        try:
            exec(compiled(statement.code), self.namespace)
        finally:
            self.higher.append(range(first, self._next_sequence_number()))

    def _next_sequence_number(self) -> int:
        with self.xp.enable_grad():
            return int((self.xp.ones((), requires_grad=True) * 1).grad_fn._sequence_nr())

    def _block(self, block: Block, watch: bool) -> None:
        try:
            context = eval(block.context, self.namespace)
            context.__enter__()
        except Exception as error:
            self.log.append(Entry(block, raised=raised_by(error)))
            return
        try:
            self.perform(block.body, watch)
        finally:
            self._note(block, lambda: context.__exit__(None, None, None), watch)

    def _note(self, statement: Statement, action: Callable[[], object], watch: bool) -> None:
        entry = Entry(statement, in_inference_mode=self.xp.is_inference_mode_enabled())
        self.log.append(entry)
        if any(self.namespace.get(name) is None for name in statement.reads):
            entry.skipped = True
            return
        try:
            action()
        except Exception as error:
            entry.raised = raised_by(error)
        entry.seen, self.sightings = self.sightings, []
        if watch:
            entry.variables = self.look()

    def see(self, name: str, change: Callable[..., object] = lambda *_: None) -> Callable[..., object]:
        """A hook that notes what it is given and returns what ``change`` makes of it."""

        def hook(*given: object) -> object:
            self.sightings.append((name, tuple(plain(one) for one in given)))
            return change(*given)

        return hook

    def look(self) -> dict[str, dict[str, object]]:
        """The state of every variable that is a tensor now."""
        tensors = {name: value for name, value in self.namespace.items() if isinstance(value, self.xp.Tensor)}
        names: dict[int, str] = {}
        for name, tensor in tensors.items():
            names.setdefault(id(tensor), name)
        trees = Trees(names, self.higher)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            return {name: snapshot(tensor, trees, caught) for name, tensor in tensors.items()}


def raised_by(error: Exception) -> Raised:
    """``error`` as it is compared."""
    family = next((cls.__name__ for cls in FAMILIES if isinstance(error, cls)), type(error).__name__)
    text = str(error)
    found = {match.group() for phrase in PHRASES if (match := phrase.search(text.lower()))}
    versions = re.search(r"is at version (\d+); expected version (\d+)", text)
    if versions:
        found.add(f"written {int(versions[1]) - int(versions[2])} times since")
    return Raised(family, frozenset(found), text)


def plain(value: Any) -> object:
    """What a hook was given, as plain data."""
    if isinstance(value, list | tuple):
        return tuple(plain(one) for one in value)
    if hasattr(value, "tolist"):
        return listed(value), dtype_of(value), value.requires_grad
    return value if isinstance(value, int | float | str | bool | None) else type(value).__name__


def listed(tensor: Any) -> object:
    """The values as nested lists. Some of PyTorch's zeros have no memory, and so no ``tolist``."""
    try:
        return tensor.tolist()
    except RuntimeError:
        return np.zeros(tuple(tensor.shape)).tolist()


def dtype_of(tensor: Any) -> str:
    """The dtype's own name, without its module."""
    return str(tensor.dtype).rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Trees:
    """Describes graphs: ``names`` maps identities to variables, ``higher`` holds the numbers of second-order nodes."""

    names: dict[int, str]
    higher: list[range]

    def named(self, tensor: Any) -> object:
        """The variable that holds ``tensor``."""
        return tensor if tensor is None or isinstance(tensor, Raised) else self.names.get(id(tensor), "no variable")

    def tree(self, node: Any, depth: int = DEPTH) -> object:
        """The names along ``next_functions``, in order; leaves with the variable that they accumulate into.

        How a derivative is itself computed is each backend's own affair: such nodes are seen, but not looked into.
        """
        if node is None or isinstance(node, Raised):
            return node
        name = node.name().rpartition("::")[2]
        if name == "AccumulateGrad":
            return f"{name}({self.named(node.variable)})"
        if self.higher and any(node._sequence_nr() in numbers for numbers in self.higher):
            return HIGHER_ORDER
        if depth == 0:
            return name
        below = tuple(self.tree(target, depth - 1) for target, _ in node.next_functions)
        inputs = tuple(index for _, index in node.next_functions)
        return (name, below, inputs) if any(inputs) else (name, below)


def snapshot(tensor: Any, trees: Trees, caught: list[warnings.WarningMessage]) -> dict[str, object]:
    """Everything a user can see of ``tensor``; ``caught`` gathers the warnings on the way."""
    state: dict[str, object] = {
        "dtype": dtype_of(tensor),
        "shape": tuple(tensor.shape),
        "value": listed(tensor),
        "same object as": trees.names[id(tensor)],
    }
    for attribute in ("requires_grad", "is_leaf", "_version", "output_nr", "retains_grad"):
        state[attribute] = asked(tensor, attribute)
    state["is_inference"] = tensor.is_inference()
    state["_base"] = trees.named(asked(tensor, "_base"))
    state["grad_fn"] = trees.tree(asked(tensor, "grad_fn"))
    return state | _gradient(tensor, trees, caught)


def asked(tensor: Any, attribute: str) -> Any:
    """``tensor.attribute``, or the exception that asking for it raised."""
    try:
        return getattr(tensor, attribute)
    except RuntimeError as error:
        return raised_by(error)


def _gradient(tensor: Any, trees: Trees, caught: list[warnings.WarningMessage]) -> dict[str, object]:
    caught.clear()
    grad = asked(tensor, "grad")
    warned = any("not a leaf" in str(one.message) for one in caught)
    state: dict[str, object] = {"grad warns": warned}
    if grad is None or isinstance(grad, Raised):
        return state | {"grad": grad}
    return state | {
        "grad": listed(grad),
        "grad dtype": dtype_of(grad),
        "grad held by": trees.named(grad),
        "grad requires_grad": asked(grad, "requires_grad"),
    }


def numbers(value: object) -> Iterator[object]:
    """The numbers in nested lists and tuples, in order."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from numbers(one)
    else:
        yield value
