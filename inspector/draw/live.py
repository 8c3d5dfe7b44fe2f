"""From a live tensor, without a recording, to the subject of a picture: what its graph still knows of itself.

Reads tensors and nodes by the names of their attributes, as PyTorch and minigrad have them, and imports neither. Such a
picture has no history: no expressions, no gradients but those in ``.grad``, and the versions of now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.draw.subject import Subject
from inspector.trace.facts import SAMPLE, Edge, Place, Summary
from inspector.trace.sampling import places
from inspector.trace.state import NodeState, Saved, State, Status, StorageState, TensorState

if TYPE_CHECKING:
    import numpy as np  # who only reads a trace need not wait for it

OURS = "inspector."


def is_tensor(what: Any) -> bool:
    """Whether it looks like a tensor with autograd metadata."""
    return all(hasattr(type(what), name) for name in ("grad_fn", "requires_grad", "shape", "dtype"))


def subject_of_tensor(tensor: Any, names: Mapping[str, Any], title: str | None = None) -> Subject:
    """The graph behind ``tensor``; ``names`` are the user's variables, in which tensors and modules are looked for."""
    seen = _Seen()
    for name, named in _named_tensors(names):
        seen.called(named, name)
    root = seen.tensor(tensor)
    seen.walk(tensor.grad_fn)
    seen.adopt([tensor, *(named for _, named in _named_tensors(names))])
    name = seen.names.get(root, "this tensor")
    head = title or (name if tensor.grad_fn is None else f"How {name} came to be")
    roots = (seen.node(tensor.grad_fn),) if tensor.grad_fn is not None else ()
    alone = None if roots else root
    return Subject(seen.state, seen.state, seen.names, lambda _: None, 0, title=head, roots=roots, alone=alone)


def names_around() -> dict[str, Any]:
    """The variables of the code that called for a picture: the nearest frame that is not the inspector's own."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(OURS):
        frame = frame.f_back
    return {**frame.f_globals, **frame.f_locals}


def _named_tensors(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Tensors by name; a module's parameters by dotted name. What begins with ``_`` is no name that a reader knows."""
    for name, value in list(names.items()):
        if name.startswith("_"):
            continue
        if is_tensor(value):
            yield name, value
        elif callable(parameters := getattr(value, "named_parameters", None)) and not isinstance(value, type):
            yield from ((f"{name}.{inner}", parameter) for inner, parameter in parameters())


class _Seen:
    """A state, filled with what is found. Serials are the objects' own, or else given in order."""

    def __init__(self) -> None:
        self.state = State()
        self.names: dict[int, str] = {}
        self._given: dict[int, int] = {}
        self._kept: list[Any] = []
        self._moment = 0

    def called(self, tensor: Any, name: str) -> None:
        """The user calls ``tensor`` so; the first name holds."""
        self.names.setdefault(self._serial(tensor), name)

    def _serial(self, thing: Any) -> int:
        """Small and unique while this picture is made: kept objects cannot lose their ``id`` to others."""
        if id(thing) not in self._given:
            self._given[id(thing)] = len(self._given) + 1
            self._kept.append(thing)
        return self._given[id(thing)]

    def tensor(self, tensor: Any) -> int:
        """Note a tensor; its serial."""
        serial = self._serial(tensor)
        if serial not in self.state.tensors:
            array = _array(tensor)
            counter = getattr(tensor, "version_counter", tensor)
            storage = self._serial(counter)
            self._store(storage, _version(tensor), serial)
            self.state.tensors[serial] = TensorState(
                serial=serial,
                how="",
                shape=tuple(tensor.shape),
                dtype=_short(array.dtype) if array is not None else str(tensor.dtype),
                requires_grad=bool(tensor.requires_grad),
                is_leaf=tensor.grad_fn is None,
                storage=storage,
                retains_grad=bool(getattr(tensor, "retains_grad", False)),
                made_with=(held := _summary(array)),
                value=held,
                grad=_gradient(tensor),
            )
        return serial

    def _store(self, storage: int, version: int, tensor: int) -> None:
        before = self.state.storages.get(storage) or StorageState(storage, version)
        self.state.storages[storage] = replace(before, tensors=(*before.tensors, tensor))

    def adopt(self, tensors: Iterable[Any]) -> None:
        """Give each node that was found the tensors among these that it made."""
        for tensor in tensors:
            made_by = 0 if tensor.grad_fn is None else self._serial(tensor.grad_fn)
            if made_by in self.state.nodes:
                serial = self.tensor(tensor)
                node = self.state.nodes[made_by]
                if serial not in node.outputs:
                    self.state.nodes[made_by] = replace(node, outputs=(*node.outputs, serial))
                    self.state.tensors[serial] = replace(self.state.tensors[serial], grad_fn=made_by)

    def node(self, node: Any) -> int:
        """The serial of a node."""
        return self._serial(node)

    def walk(self, root: Any) -> None:
        """Note every node behind ``root``, of a graph of any depth."""
        stack = [] if root is None else [root]
        while stack:
            node = stack.pop()
            if self._serial(node) not in self.state.nodes:
                self._note(node)
                stack += [target for target, _ in node.next_functions if target is not None]

    def _note(self, node: Any) -> None:
        serial, leaf = self._serial(node), getattr(node, "variable", None)
        edges = tuple(
            Edge(index, None if target is None else self._serial(target), number)
            for index, (target, number) in enumerate(node.next_functions)
        )
        self.state.nodes[serial] = NodeState(
            serial=serial,
            name=type(node).__name__,
            sequence_nr=0,
            edges=edges,
            outputs=(),
            leaf=None if leaf is None else self.tensor(leaf),
            status=Status.WAITING,
            saved={one.slot: one for one in self._saved(node)},
            created=_age(node, leaf),
            place=_place(getattr(node, "created_at", None)),
        )

    def _saved(self, node: Any) -> Iterator[Saved]:
        """What a node keeps, as far as it lets one look without unpacking (which may fail, or run hooks)."""
        kept = getattr(node, "saved", None) or ()
        for slot, value, version in zip(
            getattr(node, "slot_names", ()), kept, getattr(node, "versions", ()), strict=False
        ):
            counter = getattr(value, "version_counter", None)
            if version is None or counter is None:
                continue
            storage = self._serial(counter)
            tensor = self.tensor(value) if is_tensor(value) else self._output(value, storage)
            self._store(storage, int(counter.value), tensor)
            yield Saved(slot, tensor, storage, version)

    def _output(self, value: Any, storage: int) -> int:
        """A saved output is kept without its history, as another object than the tensor: found again by its memory."""
        mates = [serial for serial, state in self.state.tensors.items() if state.storage == storage]
        return mates[0] if mates else self._serial(value)


def _age(node: Any, leaf: Any) -> int:
    """Program order: the sequence number; leaves and what has none come first."""
    number = getattr(node, "sequence_nr", None)
    if number is None and callable(getattr(node, "_sequence_nr", None)):
        number = node._sequence_nr()
    return 0 if leaf is not None or not isinstance(number, int) else number + 1


def _array(tensor: Any) -> np.ndarray[Any, Any] | None:
    import numpy as np

    array = getattr(tensor, "array", None)
    if array is None and callable(getattr(tensor, "detach", None)):
        array = tensor.detach().numpy()
    return array if isinstance(array, np.ndarray) else None


def _version(tensor: Any) -> int:
    try:
        return int(tensor._version)
    except (AttributeError, RuntimeError):
        # An inference tensor has none.
        return 0


def _gradient(tensor: Any) -> Summary | None:
    """``.grad``, without asking a non-leaf that keeps none: that would warn."""
    keeps = tensor.grad_fn is None or bool(getattr(tensor, "retains_grad", False))
    gradient = tensor.grad if keeps else None
    return None if gradient is None else _summary(_array(gradient))


def _summary(array: np.ndarray[Any, Any] | None) -> Summary | None:
    if array is None:
        return None
    import numpy as np

    numbers = array.ravel().astype(complex if array.dtype.kind == "c" else float)
    nans, infinities = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    finite = numbers[np.isfinite(numbers)]
    norm = float(np.linalg.norm(finite)) if finite.size else None
    flat = array.ravel()
    values = tuple((flat if flat.size <= SAMPLE else flat[list(places(array.shape))]).tolist())
    return Summary(array.shape, _short(array.dtype), norm, nans=nans, infinities=infinities, values=values)


def _short(dtype: np.dtype[Any]) -> str:
    return f"{dtype.kind}{8 * dtype.itemsize}" if dtype.kind in "fiuc" else dtype.name


def _place(where: Any) -> Place | None:
    line = getattr(where, "line", None)
    return None if line is None else Place(str(where.file), line, line, 0, 0)
