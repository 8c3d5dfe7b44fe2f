"""What the user's own code calls its tensors.

Two ways lead to a name. A tensor that an expression made is called what the expression is assigned to: known only once
the assignment has run, so such a name waits for the next event. A tensor that an expression uses is found by following
the names in its text, ``h``, ``self.w``, ``rows[2]``, ``net``, through the frame that evaluates it.

Remembers serials, never tensors or frames, so that it keeps nothing alive; and looks into variables without running
any code of the user's.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from inspect import CO_NEWLOCALS
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from inspector.record.source import Site
from minigrad.provenance import caller_of, user_frame
from minigrad.tensor import Tensor

ITEMS = 256
"""How many items of a list, or attributes of an object, are looked at in search of a tensor."""

Bind = Callable[[int, str], None]
Locate = Callable[[FrameType], Site]


class Awaited(NamedTuple):
    """Names that hold once the assignment at ``bound`` has run: where the tensors were made, or in the caller."""

    bound: Site
    names: list[tuple[int, str]]


class Names:
    """Calls ``bind(serial, name)`` whenever it learns one. ``locate`` says at which site a frame is.

    One for each recording; every thread awaits its own names. Called from within the user's code, as a listener is.
    """

    def __init__(self, bind: Bind, locate: Locate) -> None:
        self._bind = bind
        self._locate = locate
        self._known: dict[int, str] = {}
        self._awaited: dict[int, dict[Site, Awaited]] = {}
        self._modules: weakref.WeakSet[Any] = weakref.WeakSet()
        self._searched: set[int] = set()
        self._temporary: set[int] = set()

    def made(self, tensors: Sequence[Tensor], site: Site, thread: int) -> None:
        """The expression at ``site`` made ``tensors``: await their names.

        If others that the same expression made are awaited still, then either a composite is at work, or a loop has
        come round, and the variables hold what it made the last time.
        """
        if site.temporary:
            self._temporary.update([one.serial for one in tensors])
        bound, frame = self._binding_site(site) if site.returned else (site, None)
        if not bound.target:
            return
        known = self._known
        names = [(one.serial, name) for one, name in zip(tensors, bound.names(len(tensors)), strict=True) if name]
        names = [(serial, name) for serial, name in names if serial not in known]
        if not names:
            return
        awaited = self._awaited.setdefault(thread, {})
        before = awaited.get(site)
        if before is not None and before.names != names:
            self._learn_if_bound(before, frame or user_frame())
        awaited[site] = Awaited(bound, names)

    def settle(self, site: Site, thread: int) -> None:
        """The thread has come to ``site``; if that is another statement than the one it awaits, that one has run."""
        awaited = self._awaited.get(thread)
        if not awaited:
            return
        frame = None
        for made_at, one in list(awaited.items()):
            if made_at is not site and not site.shares_statement(one.bound):
                del awaited[made_at]
                frame = frame or user_frame()
                if frame is not None and one.bound.is_in(frame.f_code):
                    self._learn_if_bound(one, frame)
                else:
                    self._learn_all(one)

    def settle_all(self) -> None:
        """The recording ends: what is still awaited is as good as true."""
        for awaited in self._awaited.values():
            for one in awaited.values():
                self._learn_all(one)
        self._awaited.clear()

    def used(self, tensors: Iterable[Any], site: Site) -> None:
        """The expression at ``site`` uses ``tensors``: find the names of those that have none."""
        known, temporary = self._known, self._temporary
        nameless = {}
        for one in tensors:
            if isinstance(one, Tensor) and (serial := one.serial) not in known and serial not in temporary:
                nameless[id(one)] = one
        if not nameless:
            return
        view = View(user_frame())
        for mention in site.mentions:
            found = view.find(mention)
            if found is not None:
                self._match(*found, nameless)
            if not nameless:
                return
        self._search(view, nameless)

    def entered(self, owner: Any, name: str, site: Site) -> None:
        """A module was called: its parameters are called after the variable that holds it."""
        parameters = getattr(owner, "named_parameters", None)
        if parameters is None or owner in self._modules:
            return
        self._modules.add(owner)
        prefix = _name_of(owner, site, View(user_frame())) or name
        for path, parameter in parameters():
            known = self._known.get(parameter.serial)
            if known is None or known.startswith("self."):
                self._learn(parameter.serial, f"{prefix}.{path}")

    def _binding_site(self, site: Site) -> tuple[Site, FrameType | None]:
        """Where the value of ``site`` gets its name: there, or in the caller when the function returns it."""
        frame = user_frame()
        while site.returned and frame is not None:
            frame = caller_of(frame)
            site = Site(site.place) if frame is None else self._locate(frame)
        return site, frame

    def _learn_all(self, awaited: Awaited) -> None:
        for serial, name in awaited.names:
            self._learn(serial, name)

    def _learn_if_bound(self, awaited: Awaited, frame: FrameType | None) -> None:
        """Learn those names that the variables of ``frame`` confirm."""
        view = None
        for serial, name in awaited.names:
            if frame is not None and name.isidentifier():
                value = variable_of(frame, name)
            else:
                view = view or View(frame)
                value = view.value_of(name)
            if isinstance(value, Tensor) and value.serial == serial:
                self._learn(serial, name)

    def _learn(self, serial: int, name: str) -> None:
        if self._known.get(serial) != name:
            self._known[serial] = name
            self._bind(serial, name)

    def _match(self, value: Any, text: str, nameless: dict[int, Tensor]) -> None:
        """Name what ``value`` is or holds, as far as it is one of ``nameless``."""
        if id(value) in nameless:
            self._learn(nameless.pop(id(value)).serial, text)
            return
        for path, item in _parts(value):
            if id(item) in nameless:
                self._learn(nameless.pop(id(item)).serial, text + path)

    def _search(self, view: View, nameless: dict[int, Tensor]) -> None:
        """The text does not say; perhaps some variable does. A tensor is searched for once, and only a leaf at all."""
        leaves = {key: one for key, one in nameless.items() if one.is_leaf and one.serial not in self._searched}
        self._searched.update(leaf.serial for leaf in leaves.values())
        if leaves:
            for name, value in view.variables.items():
                self._match(value, name, leaves)


def _name_of(owner: Any, site: Site, view: View) -> str | None:
    found = (view.find(mention) for mention in site.mentions)
    return next((one[1] for one in found if one is not None and one[0] is owner), None)


class View:
    """The variables of a frame, read without running anything of the user's."""

    def __init__(self, frame: FrameType | None) -> None:
        self.variables = {} if frame is None else variables_of(frame)
        self._globals: dict[str, Any] = {} if frame is None else frame.f_globals

    def value_of(self, name: str) -> Any:
        """The value that ``name``, as a target writes it, has now; None when there is none."""
        found = self.find(_expression(name))
        return None if found is None else found[0]

    def find(self, node: ast.expr) -> tuple[Any, str] | None:
        """The value of a name, attribute or item, and how to write it; None when that needs more than looking."""
        match node:
            case ast.Name(id=name):
                return self._variable(name)
            case ast.Attribute(value=owner, attr=name):
                found = self.find(owner)
                return None if found is None else _attribute(*found, name)
            case ast.Subscript(value=owner, slice=index):
                found, key = self.find(owner), self._key(index)
                return None if found is None or key is None else _item(*found, key)
        return None

    def _variable(self, name: str) -> tuple[Any, str] | None:
        for scope in (self.variables, self._globals):
            if name in scope:
                return scope[name], name
        return None

    def _key(self, index: ast.expr) -> int | str | None:
        try:
            key = ast.literal_eval(index)
        except ValueError:
            found = self.find(index)
            key = None if found is None else found[0]
        return key if type(key) in (int, str) else None


@lru_cache(maxsize=4096)
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def variable_of(frame: FrameType, name: str) -> Any:
    """One local or global variable of ``frame``, as ``variables_of`` would show it, without a copy of all."""
    variables = frame.f_locals
    found = variables[name] if name in variables else frame.f_globals.get(name)
    if frame.f_code.co_flags & CO_NEWLOCALS and sys.version_info < (3, 13):
        if sys.getrefcount(variables) <= _ONLY_THE_FRAME:
            variables.clear()
    return found


def variables_of(frame: FrameType) -> dict[str, Any]:
    """The local variables of ``frame``.

    Before Python 3.13 the frame keeps the dictionary it is asked for, and with it every tensor in it; so that nothing
    lives longer for being looked at, it is emptied again, unless the user's code holds it (``locals()``).
    """
    variables = frame.f_locals
    if not frame.f_code.co_flags & CO_NEWLOCALS:
        return variables
    copy = dict(variables)
    if sys.version_info < (3, 13) and sys.getrefcount(variables) <= _ONLY_THE_FRAME:
        variables.clear()
    return copy


_ONLY_THE_FRAME = 3
"""``sys.getrefcount`` of a dictionary held by its frame, by ``variables_of`` and by the call of ``getrefcount``."""


def _attribute(owner: Any, text: str, name: str) -> tuple[Any, str] | None:
    if isinstance(owner, Tensor):
        return (owner._grad, f"{text}.grad") if name == "grad" else None
    for scope in _scopes(owner):
        if name in scope:
            return scope[name], f"{text}.{name}"
    return None


def _item(owner: Any, text: str, key: int | str) -> tuple[Any, str] | None:
    if type(owner) is dict:
        return (owner[key], f"{text}[{key!r}]") if key in owner else None
    if type(owner) in (list, tuple) and isinstance(key, int) and -len(owner) <= key < len(owner):
        key %= len(owner)
        return owner[key], f"{text}[{key}]"
    return None


def _parts(value: Any) -> list[tuple[str, Any]]:
    """What a container or a plain object holds, each with what one appends to the container's name."""
    if type(value) in (list, tuple):
        return [(f"[{i}]", item) for i, item in enumerate(value[:ITEMS])]
    if type(value) is dict:
        return [(f"[{key!r}]", value[key]) for key in list(value)[:ITEMS] if type(key) in (int, str)]
    if isinstance(value, Tensor | ModuleType | type):
        return []
    return [(f".{name}", item) for scope in _scopes(value) for name, item in list(scope.items())[:ITEMS]]


def _scopes(owner: Any) -> list[dict[str, Any]]:
    """Where attributes are kept: the object's own dictionary, and those in which a module keeps what it registers."""
    own = getattr(type(owner), "__dictoffset__", 0) and vars(owner)
    if not isinstance(own, dict):
        return []
    registered = (own.get(name) for name in ("_parameters", "_buffers", "_modules"))
    return [own, *(scope for scope in registered if isinstance(scope, dict))]
