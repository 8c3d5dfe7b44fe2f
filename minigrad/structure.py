"""Nested state as JSON: dictionaries, lists and numbers as text, arrays by the names under which they are kept beside.

What is not one of a few plain types is refused, on the way in and on the way out; nothing is ever looked up or called
by a name that a file gives. Knows nothing of files.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.devices import device
from minigrad.dtypes import Array
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Size

Json = Any
_PLAIN = (type(None), bool, int, str)
_BY_NAME = {each.name: each for each in dtypes.ALL}


class StructureError(ValueError):
    """A text that describes no state."""


class Packer:
    """Turns a value into JSON, and gathers the arrays in it as ``arrays``, by name.

    Raises TypeError, which names the place, for what is no plain state.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._known: dict[int, tuple[Any, Json]] = {}
        self._open: set[int] = set()

    def pack(self, value: Any, path: tuple[str, ...] = ()) -> Json:
        """``value`` as JSON."""
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            return value
        if isinstance(value, float) and type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, TensorBase | np.ndarray):
            return self._array(value, path)
        for kind, tag, parts in _WRITERS:
            if isinstance(value, kind):
                return {tag: parts(value)}
        if id(value) in self._open:
            raise TypeError(f"cannot save {_place(path)}: it contains itself.")
        self._open.add(id(value))
        packed = self._container(value, path)
        self._open.discard(id(value))
        return packed

    def _container(self, value: Any, path: tuple[str, ...]) -> Json:
        if isinstance(value, Mapping):
            return {"dict": [[self.pack(key, path), self.pack(one, (*path, str(key)))] for key, one in value.items()]}
        if type(value) not in (list, tuple, set, frozenset):
            raise TypeError(_refusal(value, path))
        members = [self.pack(one, (*path, str(i))) for i, one in enumerate(value)]
        return members if type(value) is list else {type(value).__name__: members}

    def _array(self, value: Any, path: tuple[str, ...]) -> Json:
        """Several mentions of one tensor stay one."""
        if id(value) not in self._known:
            array = value.array if isinstance(value, TensorBase) else value
            if array.dtype.kind not in "biufcUS":
                raise TypeError(f"cannot save {_place(path)}: an array of type {array.dtype} holds more than numbers.")
            name = self._name(path)
            self.arrays[name] = array
            self._known[id(value)] = value, {_tag(value): name, **_needs_grad(value)}
        return self._known[id(value)][1]

    def _name(self, path: tuple[str, ...]) -> str:
        """The name is for people, who may open the file with NumPy; it only has to be different from the others."""
        wanted = name = ".".join(path).replace("/", "_").replace("\\", "_").replace("\0", "_") or "value"
        number = 2
        while name in self.arrays:
            name, number = f"{wanted}~{number}", number + 1
        return name


def _tag(value: Any) -> str:
    kinds = ((Parameter, "parameter"), (TensorBase, "tensor"))
    return next((tag for kind, tag in kinds if isinstance(value, kind)), "array")


def _needs_grad(value: Any) -> dict[str, bool]:
    return {"requires_grad": True} if isinstance(value, TensorBase) and value.requires_grad else {}


def _refusal(value: Any, path: tuple[str, ...]) -> str:
    name = type(value).__name__
    if hasattr(value, "state_dict"):
        return f"cannot save {_place(path)}, a {name}: only state is saved, never code; save its .state_dict() instead."
    return (
        f"cannot save {_place(path)}, a {name}: a file holds tensors, arrays, numbers, strings, and lists, tuples and "
        "dictionaries of them."
    )


def _place(path: tuple[str, ...]) -> str:
    return "the value under " + " → ".join(map(repr, path)) if path else "the value"


_WRITERS: tuple[tuple[type | tuple[type, ...], str, Callable[[Any], Json]], ...] = (
    (Size, "size", list),
    (np.bool_, "bool", bool),
    (np.integer, "int", int),
    (np.floating, "float", lambda value: repr(float(value))),
    ((complex, np.complexfloating), "complex", lambda value: [repr(float(value.real)), repr(float(value.imag))]),
    ((bytes, bytearray), "bytes", lambda value: base64.b64encode(value).decode()),
    (dtypes.dtype, "dtype", lambda value: value.name),
    (device, "device", str),
)


class Unpacker:
    """Turns the JSON back. ``array`` gives an array by its name. Raises StructureError for what no ``Packer`` wrote."""

    def __init__(self, array: Callable[[str], Array]) -> None:
        self._array = array
        self._made: dict[str, Any] = {}

    def unpack(self, packed: Json) -> Any:
        """The value that ``packed`` describes."""
        if isinstance(packed, list):
            return [self.unpack(one) for one in packed]
        if not isinstance(packed, dict):
            return packed
        tag, given = next(iter(packed.items()), ("", None))
        try:
            return self._tagged(tag, given, packed.get("requires_grad") is True)
        except (TypeError, ValueError, KeyError, AttributeError, binascii.Error) as error:
            if isinstance(error, StructureError):
                raise
            raise StructureError(f"{tag!r} is not described as it should be") from None

    def _tagged(self, tag: str, given: Json, requires_grad: bool) -> Any:
        if tag in ("tensor", "parameter", "array"):
            return self._tensor(tag, given, requires_grad)
        if tag == "dict":
            return {self.unpack(key): self.unpack(value) for key, value in given}
        if tag in _COLLECTIONS:
            return _COLLECTIONS[tag](self.unpack(one) for one in given)
        if tag in _READERS:
            return _READERS[tag](given)
        raise StructureError(f"{tag!r} is no kind of value that is known here")

    def _tensor(self, tag: str, name: Json, requires_grad: bool) -> Any:
        if not isinstance(name, str):
            raise StructureError("an array has a name that is no text")
        if name not in self._made:
            array = self._array(name)
            self._made[name] = array if tag == "array" else _as_tensor(array, tag, requires_grad)
        return self._made[name]


def _as_tensor(array: Array, tag: str, requires_grad: bool) -> Any:
    dtypes.of(array.dtype)
    if tag == "parameter":
        return Parameter(wrap(array), requires_grad)
    tensor = wrap(array)
    if requires_grad:
        tensor.require_from_birth()
    return tensor


def _lengths(given: Json) -> Iterator[int]:
    for length in given:
        if type(length) is not int:
            raise StructureError("a shape has a length that is no whole number")
        yield length


_COLLECTIONS: dict[str, Callable[[Iterator[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
_READERS: dict[str, Callable[[Json], Any]] = {
    "size": lambda given: Size(_lengths(given)),
    "bool": lambda given: given is True,
    "int": int,
    "float": float,
    "complex": lambda given: complex(float(given[0]), float(given[1])),
    "bytes": lambda given: base64.b64decode(given, validate=True),
    "dtype": lambda given: _BY_NAME[given],
    "device": device,
}
