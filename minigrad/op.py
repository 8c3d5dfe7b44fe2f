"""How an operation is defined: its forward on arrays, its derivative rules, and what they need saved.

    @op(label="×")
    def mul(a, b, /):
        \"\"\"The product ``a * b``, element by element, with broadcasting.\"\"\"
        return np.multiply(a, b)

    mul.grads(a=lambda g, b: g * b,
              b=lambda g, a: g * a)

Positional-only parameters are operands, the others are attributes. A rule is given the gradient ``g`` of the output,
and by name what else it asks for: an operand or ``out`` (which is thereby *saved*), an attribute, or ``a_shape``, the
shape of operand ``a`` (which saves nothing). Only what the rules that will run ask for is saved. A rule is written with
operators and our own functions, so that the same text runs on arrays and on tensors.

Broadcasting, promotion, versions and events appear in no rule; they live in ``dispatch`` and the engine.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from minigrad import dispatch
from minigrad.autograd.op_node import Conjugated, JointOpNode, MultiOpNode, OpNode
from minigrad.autograd.plans import Plan, Rule, as_usual, sender
from minigrad.autograd.regime import Regime, regime, unheard
from minigrad.autograd.saved_attributes import saved_attributes
from minigrad.fast import make_apply
from minigrad.fast_inplace import make_inplace
from minigrad.outputs import into
from minigrad.specialised import with_code_of_its_own

_PYTORCHS_NAMES = {"a": "self", "b": "other", "c": "tensor2", "x": "input", "y": "input"}

REGISTRY: dict[str, Op] = {}
"""Every operation by the name of its function; the tests walk it."""


OFTEN_RUN: tuple[Callable[..., Any], ...] = (OpNode.run, OpNode.unpack_arrays, OpNode.release)
"""What each class of nodes has a copy of, for Python to adapt to it."""


class Op:
    """One operation. Call it with tensors (recorded), with arrays (plain), attributes by position or name.

    ``apply`` is the same call without argument binding: operands, then all attributes by position. It is a plain
    function, so that a class can lend it as a method. ``inplace`` is the derived in-place form, called the same way: it
    computes, writes into the first operand, bumps its version, rebases its history and returns it.
    """

    def __init__(self, forward: Callable[..., Any], label: str, backward: str | None, **traits: Any) -> None:
        self.forward = forward
        self.ufunc: np.ufunc | None = traits.pop("on_floats", None) or _ufunc_of(forward)
        self.name: str = traits.pop("name", None) or forward.__name__.rstrip("_")
        self.label = label
        self.__doc__ = forward.__doc__
        self.__name__ = self.name
        self.__module__ = forward.__module__
        self.__wrapped__ = forward
        self.backward_name = backward or _camel(self.name) + "Backward0"
        self.promotion: str | None = traits.pop("promotes", None)
        self.elementwise: bool = traits.pop("elementwise", False)
        self.linear: bool = traits.pop("linear", False)
        self.view: bool = traits.pop("view", False)
        self.holomorphic: bool = traits.pop("holomorphic", True)
        self.several: bool = traits.pop("several", False)
        self.exact: bool = traits.pop("exact", False)
        self.writes: Callable[..., None] | None = traits.pop("writes", None)
        self.may_overlap: bool = traits.pop("may_overlap", False)
        self.converts: bool = traits.pop("converts", False)
        self.keeps: tuple[str, ...] = traits.pop("keeps", ())
        self.saves_others: bool = traits.pop("saves_others", False)
        self.unpacks: tuple[str, ...] = traits.pop("unpacks", ())
        self.results: tuple[str, ...] = traits.pop("outputs", ("out",))
        self.one_differentiable_output: bool = traits.pop("one_differentiable_output", False)
        self.real_only: tuple[type[Exception], str] | None = None
        self.samples: Callable[..., Iterable[Any]] | None = traits.pop("samples", None)
        if traits:
            raise TypeError(f"op {self.name!r} was given the unknown trait {next(iter(traits))!r}")
        self._read_signature(inspect.signature(forward))
        if self.variadic and self.attributes:
            self.forward = _by_position(forward, self.attributes)
        self.rules: dict[str, Rule] = {}
        self.constants: frozenset[str] = frozenset()
        self.joint: Rule | None = None
        self.joint_wishes: tuple[str, ...] = ()
        self.plans: list[Any] = []
        self.node_class = self._node_type(MultiOpNode if self.several else OpNode)
        self.apply: Callable[..., Any] = self._way(regime, dispatch.general)
        self.inplace: Callable[..., Any] = make_inplace(self)
        self._arity = len(self.operands) + len(self.attributes)

    def _read_signature(self, signature: inspect.Signature) -> None:
        kinds = inspect.Parameter
        parameters = signature.parameters.values()
        self.variadic = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        operand_kinds = (kinds.POSITIONAL_ONLY, kinds.VAR_POSITIONAL)
        self.operands = tuple(p.name for p in parameters if p.kind in operand_kinds)
        self.fixed = len(self.operands) - self.variadic
        attributes = [p for p in parameters if p.kind not in operand_kinds]
        self.attributes = tuple(p.name for p in attributes)
        self.defaults = tuple(p.default for p in attributes)

    def _node_type(self, *bases: type) -> type[OpNode]:
        names = {"__slots__": (), "op": self, "exact": self.exact, "__module__": "minigrad.autograd.node"}
        own = (each for each in OFTEN_RUN if getattr(bases[0], each.__name__, None) is each)
        names |= {each.__name__: with_code_of_its_own(each) for each in own}
        return type(self.backward_name, bases, names | saved_attributes(self))

    @cached_property
    def complex_node_class(self) -> type[OpNode]:
        """The node for complex operands: the textbook's rules between two conjugations, where the operation is
        holomorphic."""
        return self._node_type(Conjugated, self.node_class) if self.holomorphic else self.node_class

    def grads(self, **rules: Rule) -> Op:
        """State the derivative: for each operand that has one, what its gradient is. Returns the operation.

        Raises TypeError, at definition, for a name that is no operand or a rule that asks for something unknown.
        """
        for name, rule in rules.items():
            if name not in self.operands:
                raise TypeError(
                    f"op {self.name!r} has no operand {name!r} to give a gradient; its operands are "
                    f"{', '.join(self.operands)}"
                )
            self._check_wishes(_wishes(rule))
        self.rules = rules
        self.constants = frozenset(self.operands) - rules.keys()
        self.plans = [self._plan(mask) for mask in range(1 << len(self.operands))]
        self.apply = self._way(regime, dispatch.general)
        return self

    def _way(self, regime: Regime, general: dispatch.General) -> Callable[..., Any]:
        """The quickest way to apply this operation."""
        return make_apply(self, regime, general)

    @cached_property
    def unheard(self) -> Callable[..., Any]:
        """``apply`` where the only listener keeps a journal: as if nobody listened, and nothing is announced."""
        return self._way(unheard, dispatch.fully)

    @cached_property
    def unheard_inplace(self) -> Callable[..., Any]:
        """``inplace`` in the same way; what is no plain write is left to ``dispatch.aloud``, which announces it."""
        return make_inplace(self, unheard, dispatch.aloud)

    def operand_names(self, count: int) -> tuple[str, ...]:
        """What each of ``count`` operands is called: ``tensors[0]`` and so on where there may be any number."""
        return self.operands[: self.fixed] + tuple(f"{self.operands[-1]}[{i}]" for i in range(count - self.fixed))

    def leading(self, count: int) -> list[int]:
        """Of ``count`` operands, the positions of those that can have a gradient."""
        return [i for i in range(count) if self.operands[min(i, len(self.operands) - 1)] not in self.constants]

    @cached_property
    def leading_mask(self) -> int:
        """The same as bits, for any number of operands."""
        last = -1 << self.fixed if self.variadic and self.operands[-1] not in self.constants else 0
        return last | sum(1 << i for i in self.leading(self.fixed))

    def grads_together(self, rule: Rule, constants: tuple[str, ...] = ()) -> Op:
        """State the derivative of all operands in one rule, which returns a sequence of gradients, one for each
        operand.

        For operations with any number of operands (``cat``) and where the gradients share much work. The rule may ask
        for ``needs``, a tuple that says which operands need a gradient, and returns None for the others and for
        ``constants``, the operands that never have one.
        """
        self.joint_wishes = _wishes(rule)
        self._check_wishes(self.joint_wishes)
        self.joint = rule
        self.node_class = self._node_type(JointOpNode)
        self.constants = frozenset(constants)
        self.apply = self._way(regime, dispatch.general)
        return self

    def _check_wishes(self, wishes: tuple[str, ...]) -> None:
        known = {*self.operands, *self.attributes, *self.results, *(f"{name}_shape" for name in self.operands), "needs"}
        for wish in wishes:
            if wish not in known:
                raise TypeError(
                    f"a rule of op {self.name!r} asks for {wish!r}; it may ask for {', '.join(sorted(known))}"
                )

    def _plan(self, mask: int) -> Plan:
        """Which rules run when just the operands in ``mask`` need a gradient, and what must be kept for them."""
        active = [self.rules[self.operands[i]] if mask >> i & 1 else None for i in self.leading(self.fixed)]
        wished = dict.fromkeys(wish for rule in active if rule is not None for wish in _wishes(rule))
        wished.update(dict.fromkeys(self._always_saved))
        slots = self._as_unpacked(name for name in wished if name in self.operands or name in self.results)
        others = tuple(name for name in wished if name not in slots)
        place = {name: i for i, name in enumerate((*slots, *others))}
        rules = tuple(None if rule is None else (rule, tuple(place[wish] for wish in _wishes(rule))) for rule in active)
        return Plan(rules, as_usual(map(self._source, slots)), tuple(map(self._extra, others)), sender(rules), slots)

    @property
    def _always_saved(self) -> Iterator[str]:
        """What is kept whichever rules will run: as PyTorch does, it leaves out only what one rule of several needs."""
        wishes = [wish for rule in self.rules.values() for wish in _wishes(rule)]
        yield from (name for name in self.operands if wishes.count(name) > 1)
        yield from (name for name in self.results if name in wishes)
        yield from self.keeps

    def _as_unpacked(self, names: Iterable[str]) -> tuple[str, ...]:
        """Saved values in the order in which PyTorch unpacks them, which decides which of two overwritten ones is told:
        operands by PyTorch's names for them, then results."""
        return tuple(sorted(names, key=self._turn))

    def _turn(self, name: str) -> tuple[bool, str | int]:
        if self.unpacks:
            return False, self.unpacks.index(name)
        return name in self.results, "" if name in self.results else _PYTORCHS_NAMES.get(name, name)

    def _source(self, name: str) -> int:
        return self.operands.index(name) if name in self.operands else -1 - self.results.index(name)

    def _extra(self, name: str) -> tuple[bool, int]:
        if name in self.attributes:
            return False, self.attributes.index(name)
        return True, self.operands.index(name.removesuffix("_shape"))

    @cached_property
    def joint_saved(self) -> tuple[str, ...]:
        """Those values that the one rule for all operands asks for, and what is kept besides."""
        wished = dict.fromkeys((*self.joint_wishes, *self.keeps))
        return self._as_unpacked(name for name in wished if name in self.operands or name in self.results)

    @cached_property
    def savable(self) -> frozenset[str]:
        """What a node of this operation saves under some circumstances."""
        wished = {wish for rule in self.rules.values() for wish in _wishes(rule)} | {*self.joint_saved}
        return frozenset(wished & {*self.operands, *self.results})

    @property
    def differentiable(self) -> bool:
        """Whether any derivative is stated."""
        return bool(self.rules) or self.joint is not None

    @cached_property
    def formula(self) -> str:
        """The derivative rules as their author wrote them, one line each: ``a: g * b``."""
        if self.joint is not None:
            return f"{', '.join(self.operands)}: {_text_of(self.joint)}"
        return "\n".join(f"{name}: {_text_of(rule)}" for name, rule in self.rules.items())

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Sort a call's arguments into operands and attributes.

        Raises TypeError for a missing, surplus or unknown argument, in the words of Python's own.
        """
        if self.variadic:
            return args, self._attributes((), kwargs)
        count = len(self.operands)
        if len(args) < count:
            named = tuple(kwargs[name] for name in self.operands[len(args) :] if name in kwargs)
            kwargs = {key: value for key, value in kwargs.items() if key not in self.operands}
            args = args + named
        if len(args) < count:
            raise TypeError(
                f"{self.name}() missing required argument {self.operands[len(args)]!r}; expected {self._signature()}"
            )
        return args[:count], self._attributes(args[count:], kwargs)

    def _attributes(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        if len(given) > len(self.attributes):
            raise TypeError(
                f"{self.name}() takes {self._signature()}, but {len(given) - len(self.attributes)} more were given"
            )
        values = list(given) + list(self.defaults[len(given) :])
        for name, value in named.items():
            if name not in self.attributes:
                raise TypeError(
                    f"{self.name}() got an unexpected keyword argument {name!r}; expected {self._signature()}"
                )
            values[self.attributes.index(name)] = value
        for name, value in zip(self.attributes, values, strict=True):
            if value is inspect.Parameter.empty:
                raise TypeError(f"{self.name}() missing required argument {name!r}; expected {self._signature()}")
        return tuple(values)

    def _signature(self) -> str:
        return f"{self.name}({', '.join((*self.operands, *self.attributes))})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            return into(self.name, kwargs.pop("out"), self, args, kwargs)
        if self.variadic:
            return self.apply(*args, *self._attributes((), kwargs))
        if kwargs or len(args) != self._arity:
            operands, attributes = self.bind(args, kwargs)
            return self.apply(*operands, *attributes)
        return self.apply(*args)

    def __repr__(self) -> str:
        return f"<op {self._signature()}>"


def op(label: str, backward: str | None = None, **traits: Any) -> Callable[[Callable[..., Any]], Op]:
    """Make an operation of a function on arrays, and register it.

    ``label`` is what pictures show. ``backward`` is the node's name where it is not the operation's in camel case and
    ``Backward0``. Traits: ``name`` (what users call it, where several operations answer to one name; the registry
    knows it by its function's), ``promotes`` (``"result"``: operands meet in one type; ``"float"``: integers become
    floating point first), ``elementwise``, ``linear``, ``view`` (the result shares the operand's memory), ``exact``
    (its rules give gradients of the operands' own shapes and types, one rule for all those of operands that are of one
    type: nothing has to be fitted), ``holomorphic`` (False where complex rules are written in full), ``may_overlap``
    (in place, it writes the same everywhere), ``writes`` (how it is done in place without a copy: or an error, and
    nothing is written), ``converts`` (in place, whole numbers take anything, and lose its history), ``outputs``
    (names, where there are several), ``on_floats`` (NumPy's function that does all that is to do where operands are
    floating point of one type), ``unpacks`` (the order in which saved values are unpacked, where it is not the
    alphabet's order of PyTorch's names), ``saves_others`` (the gradient of each of any number of operands asks for the
    others alone), ``keeps`` (what PyTorch saves though no rule asks for it: overwriting it is an error all the same),
    ``samples`` (a function that gives the test walker its inputs).
    """

    def define(forward: Callable[..., Any]) -> Op:
        made = Op(forward, label, backward, **traits)
        REGISTRY[forward.__name__.rstrip("_")] = made
        return made

    return define


def _calls_one(a: Any) -> Any:
    return np.negative(a)


def _calls_two(a: Any, b: Any) -> Any:
    return np.add(a, b)


def _ufunc_of(forward: Callable[..., Any]) -> np.ufunc | None:
    """NumPy's function, where ``forward`` calls it with its operands and does nothing else: the fast path then calls it
    straight, and can ask it to keep 0-dim results arrays."""
    code = forward.__code__
    if code.co_names[:1] != ("np",) or code.co_code not in (_calls_one.__code__.co_code, _calls_two.__code__.co_code):
        return None
    called = getattr(np, code.co_names[1])
    return called if isinstance(called, np.ufunc) and called.nout == 1 else None


def _by_position(forward: Callable[..., Any], attributes: tuple[str, ...]) -> Callable[..., Any]:
    """``forward`` with its attributes, which after a star can be given by name only, at the end of its positions."""
    count = len(attributes)
    if count == 1:
        (only,) = attributes
        return lambda *values: forward(*values[:-1], **{only: values[-1]})

    def call(*values: Any) -> Any:
        return forward(*values[:-count], **dict(zip(attributes, values[-count:], strict=True)))

    return call


@cache
def _wishes(rule: Rule) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)[1:]


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _text_of(rule: Rule) -> str:
    """The source of a rule, without its parameters; its name where there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(rule)).strip().rstrip(","))
    except (OSError, SyntaxError):
        return rule.__name__
    code = rule.__code__
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and [a.arg for a in node.args.args] == list(
            code.co_varnames[: code.co_argcount]
        ):
            return ast.unparse(node.body)
    return rule.__name__
