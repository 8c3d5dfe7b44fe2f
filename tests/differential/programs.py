"""Programs as plain data: what the fuzzer draws, runs on two backends, shrinks and prints. Knows no backend.

A statement's one meaning is its ``code``: Python text in which ``xp`` is the backend, ``see`` makes a hook that tells
what it saw, and ``fn`` holds a few custom Functions. What is printed is therefore what was run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

GIVEN = frozenset({"xp", "see", "fn"})
"""Names that every program may use without defining them, beside Python's own."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A variable, where a plain value could stand."""

    name: str


@dataclass(frozen=True, slots=True)
class Dtype:
    """A dtype by its public name."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """A tensor of integers or booleans written in place, such as an index or a mask."""

    values: tuple[object, ...]


def text_of(value: object) -> str:
    """``value`` as Python source."""
    match value:
        case Ref(name):
            return name
        case Dtype(name):
            return f"xp.{name}"
        case Array(values):
            return f"xp.tensor({text_of(list(values))})"
        case slice(start=start, stop=stop, step=step):
            ends = f"{'' if start is None else start}:{'' if stop is None else stop}"
            return ends if step is None else f"{ends}:{step}"
        case list():
            return f"[{', '.join(map(text_of, value))}]"
        case tuple():
            return f"({', '.join(map(text_of, value))}{',' if len(value) == 1 else ''})"
        case _:
            return "..." if value is Ellipsis else repr(value)


def arguments(args: tuple[object, ...], options: Options = ()) -> str:
    """The text between the brackets of a call."""
    return ", ".join([*map(text_of, args), *(f"{name}={text_of(value)}" for name, value in options)])


def subscript(index: tuple[object, ...]) -> str:
    """The text between the brackets of an index."""
    return ", ".join(map(text_of, index)) or "()"


Options = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Statement:
    """One line of a program."""

    @property
    def code(self) -> str:
        """The Python text that this statement is."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """A short word for the kind of statement, by which differences are counted."""
        return type(self).__name__

    @property
    def reads(self) -> frozenset[str]:
        """The variables that must be there."""
        return names_in(self.code)[0]


@lru_cache(maxsize=20_000)
def names_in(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that ``code`` reads and those that it assigns."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    inner = {node.arg for node in nodes if isinstance(node, ast.arg)}
    inner |= {
        node.target.id for node in nodes if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name)
    }
    stored = frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))
    loaded = frozenset(name.id for name in names if not isinstance(name.ctx, ast.Store))
    return loaded - GIVEN - inner - vars(builtins).keys(), stored - inner


@dataclass(frozen=True)
class Create(Statement):
    """``out = xp.tensor(values, …)``."""

    out: str
    values: object
    dtype: str
    requires_grad: bool

    @property
    def code(self) -> str:
        grad = ", requires_grad=True" if self.requires_grad else ""
        return f"{self.out} = xp.tensor({text_of(self.values)}, dtype=xp.{self.dtype}{grad})"


@dataclass(frozen=True)
class Method(Statement):
    """``outs = target.name(…)``: elementwise, reductions, views, detach, clone."""

    outs: tuple[str, ...]
    target: str
    name: str
    args: tuple[object, ...] = ()
    options: Options = ()

    @property
    def code(self) -> str:
        return f"{', '.join(self.outs)} = {self.target}.{self.name}({arguments(self.args, self.options)})"

    @property
    def label(self) -> str:
        return self.name


@dataclass(frozen=True)
class Call(Statement):
    """``outs = xp.path(…)``: functions of several tensors."""

    outs: tuple[str, ...]
    path: str
    args: tuple[object, ...]
    options: Options = ()

    @property
    def code(self) -> str:
        return f"{', '.join(self.outs)} = xp.{self.path}({arguments(self.args, self.options)})"

    @property
    def label(self) -> str:
        return self.path


@dataclass(frozen=True)
class Infix(Statement):
    """``out = left ∘ right``."""

    out: str
    left: object
    symbol: str
    right: object

    @property
    def code(self) -> str:
        return f"{self.out} = {text_of(self.left)} {self.symbol} {text_of(self.right)}"

    @property
    def label(self) -> str:
        return self.symbol


@dataclass(frozen=True)
class Do(Statement):
    """``target.name(…)`` for its effect: in-place operations, ``requires_grad_``, ``retain_grad``, ``detach_``."""

    target: str
    name: str
    args: tuple[object, ...] = ()
    options: Options = ()

    @property
    def code(self) -> str:
        return f"{self.target}.{self.name}({arguments(self.args, self.options)})"

    @property
    def label(self) -> str:
        return self.name


@dataclass(frozen=True)
class Augment(Statement):
    """``target ∘= value``."""

    target: str
    symbol: str
    value: object

    @property
    def code(self) -> str:
        return f"{self.target} {self.symbol}= {text_of(self.value)}"

    @property
    def label(self) -> str:
        return f"{self.symbol}="

    @property
    def reads(self) -> frozenset[str]:
        return names_in(self.code)[0] | {self.target}


@dataclass(frozen=True)
class Read(Statement):
    """``out = target[index]``."""

    out: str
    target: str
    index: tuple[object, ...]

    @property
    def code(self) -> str:
        return f"{self.out} = {self.target}[{subscript(self.index)}]"


@dataclass(frozen=True)
class Write(Statement):
    """``target[index] = value``."""

    target: str
    index: tuple[object, ...]
    value: object

    @property
    def code(self) -> str:
        return f"{self.target}[{subscript(self.index)}] = {text_of(self.value)}"


@dataclass(frozen=True)
class Custom(Statement):
    """``outs = fn.Function.apply(…)``: one of the fixed custom Functions."""

    outs: tuple[str, ...]
    function: str
    args: tuple[object, ...]

    @property
    def code(self) -> str:
        return f"{', '.join(self.outs)} = fn.{self.function}.apply({arguments(self.args)})"

    @property
    def label(self) -> str:
        return self.function


@dataclass(frozen=True)
class Hook(Statement):
    """Register a hook that tells what it sees, and perhaps returns something else. ``place`` is the registering method.

    ``ask``: ask for the grad_fn first. PyTorch 2.13 crashes when the tensor is a view whose grad_fn is due for renewal.
    """

    handle: str
    target: str
    place: str
    change: str = ""
    ask: bool = False

    @property
    def code(self) -> str:
        change = f", {self.change}" if self.change else ""
        first = f"{self.target}.grad_fn\n" if self.ask else ""
        return f'{first}{self.handle} = {self.target}.{self.place}(see("{self.handle}"{change}))'

    @property
    def label(self) -> str:
        return self.place


@dataclass(frozen=True)
class MultiHook(Statement):
    """Register a hook of several tensors, whose grad_fns are asked for first as ``Hook`` does."""

    handle: str
    targets: tuple[str, ...]
    mode: str

    @property
    def code(self) -> str:
        asked = "; ".join(f"{target}.grad_fn" for target in self.targets)
        several = f'[{", ".join(self.targets)}], see("{self.handle}"), mode="{self.mode}"'
        return f"{asked}\n{self.handle} = xp.autograd.graph.register_multi_grad_hook({several})"

    @property
    def label(self) -> str:
        return "register_multi_grad_hook"


@dataclass(frozen=True)
class Unhook(Statement):
    """Remove a hook by its handle."""

    handle: str

    @property
    def code(self) -> str:
        return f"{self.handle}.remove()"


@dataclass(frozen=True)
class Backward(Statement):
    """``root.backward(…)``; ``gradient`` is None, a variable, or ``ones`` for a tensor of ones of the root's shape.

    ``others``: further roots with their gradients, for ``xp.autograd.backward([root, …], …)``.
    """

    root: str
    gradient: object = None
    inputs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    others: tuple[tuple[str, object], ...] = ()

    @property
    def code(self) -> str:
        args = [f"{flag}=True" for flag in self.flags]
        args += [f"inputs=[{', '.join(self.inputs)}]"] if self.inputs else []
        if self.others:
            pairs = ((self.root, self.gradient), *self.others)
            roots, seeds = ", ".join(root for root, _ in pairs), ", ".join(_seed(*pair) for pair in pairs)
            return f"xp.autograd.backward([{roots}], {', '.join([f'[{seeds}]', *args])})"
        if self.gradient is not None:
            args.insert(0, _seed(self.root, self.gradient))
        return f"{self.root}.backward({', '.join(args)})"

    @property
    def label(self) -> str:
        return "backward"


def _seed(root: str, gradient: object) -> str:
    return f"xp.ones_like({root})" if gradient == "ones" else text_of(gradient)


@dataclass(frozen=True)
class Grad(Statement):
    """``outs = xp.autograd.grad(outputs, inputs, …)``; ``ones`` seeds every output with ones."""

    outs: tuple[str, ...]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    ones: bool = False
    flags: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        seeds = [f"[{', '.join(f'xp.ones_like({name})' for name in self.outputs)}]"] if self.ones else []
        given = [f"[{', '.join(self.outputs)}]", f"[{', '.join(self.inputs)}]", *seeds]
        flags = [f"{flag}=True" for flag in self.flags]
        return f"{', '.join(self.outs)}, = xp.autograd.grad({', '.join(given + flags)})"

    @property
    def label(self) -> str:
        return "grad"


@dataclass(frozen=True)
class SetData(Statement):
    """``target.data = source``."""

    target: str
    source: str

    @property
    def code(self) -> str:
        return f"{self.target}.data = {self.source}"


@dataclass(frozen=True)
class SetGrad(Statement):
    """``target.grad = source``; None clears it."""

    target: str
    source: object = None

    @property
    def code(self) -> str:
        return f"{self.target}.grad = {text_of(self.source)}"


@dataclass(frozen=True)
class Take(Statement):
    """``out = target.attribute``, such as ``.grad``, ``.data`` or ``.T``."""

    out: str
    target: str
    attribute: str

    @property
    def code(self) -> str:
        return f"{self.out} = {self.target}.{self.attribute}"

    @property
    def label(self) -> str:
        return f".{self.attribute}"


@dataclass(frozen=True)
class Step(Statement):
    """What a plain optimiser does to one parameter."""

    target: str
    rate: float

    @property
    def code(self) -> str:
        return f"with xp.no_grad():\n    {self.target} -= {self.rate} * {self.target}.grad"


@dataclass(frozen=True)
class Forget(Statement):
    """``del target``: what nobody else holds may die now."""

    target: str

    @property
    def code(self) -> str:
        return f"del {self.target}"


@dataclass(frozen=True)
class Text(Statement):
    """Any line of Python, for programs that people write."""

    line: str

    @property
    def code(self) -> str:
        return self.line


@dataclass(frozen=True)
class Block(Statement):
    """``with context:`` around other statements, each of which is observed."""

    context: str
    body: tuple[Statement, ...] = field(default=())

    @property
    def code(self) -> str:
        return f"with {self.context}:"

    @property
    def reads(self) -> frozenset[str]:
        return names_in(self.context)[0]

    @property
    def label(self) -> str:
        return self.context.split("(")[0].split(".")[-1]


@dataclass(frozen=True)
class Program:
    """A list of statements. ``watch``: look at every variable after each statement, or only at the end.

    Looking is not neutral: it makes a stale view renew its grad_fn. Both ways of running are therefore drawn.
    """

    statements: tuple[Statement, ...]
    watch: bool = True

    @property
    def size(self) -> int:
        """How many statements there are, those in blocks included."""
        return sum(1 for _ in flat(self.statements))

    def __str__(self) -> str:
        return "\n".join(lines_of(self.statements))

    def quiet(self) -> Program:
        """The same program, looked at only when it is over."""
        return replace(self, watch=False)


def flat(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements in the order of their text, blocks before their bodies."""
    for statement in statements:
        yield statement
        if isinstance(statement, Block):
            yield from flat(statement.body)


def lines_of(statements: tuple[Statement, ...], indent: str = "") -> Iterator[str]:
    """The program's lines of text."""
    for statement in statements:
        yield from (indent + line for line in statement.code.splitlines())
        if isinstance(statement, Block):
            yield from lines_of(statement.body, indent + "    ") if statement.body else iter([f"{indent}    pass"])


def program_of(text: str, watch: bool = True) -> Program:
    """The program that ``text`` is, one statement a line; ``with`` blocks are opened."""
    return Program(_statements(ast.parse(text).body), watch)


def _statements(body: list[ast.stmt]) -> tuple[Statement, ...]:
    return tuple(_statement(node) for node in body)


def _statement(node: ast.stmt) -> Statement:
    if isinstance(node, ast.With):
        return Block(", ".join(map(ast.unparse, node.items)), _statements(node.body))
    return Text(ast.unparse(node))
