"""minigrad in PyTorch's place: a finder that answers ``import torch`` and all that is imported from under it.

For the script's own process, before the script runs. What minigrad lacks is refused by name; PyTorch itself is never
looked for.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from minigrad.missing import OTHER_HOUSES, instead, lacking

REAL = "minigrad"
VERSION = "2.13.0+minigrad"
"""What a script finds in ``torch.__version__``: the version whose behaviour this is."""
_ELSEWHERE = {"nn.modules": "nn", "optim.adamw": "optim.adam", "optim.rmsprop": "optim", "optim.adagrad": "optim"}
"""Modules of PyTorch whose contents are in another one here; so is what is under them."""


class StandIn(ModuleType):
    """A module of minigrad's under the name by which the script knows it."""

    def __init__(self, name: str, real: ModuleType) -> None:
        super().__init__(name, real.__doc__)
        self.__path__: list[str] = []
        self._real = real

    def __getattr__(self, name: str) -> Any:
        real = self.__dict__["_real"]
        try:
            value = getattr(real, name)
        except AttributeError:
            raise lacking(self.__name__, name, dir(real)) from None
        if isinstance(value, ModuleType) and value.__name__.startswith(REAL):
            return importlib.import_module(f"{self.__name__}.{name}")
        return value

    def __dir__(self) -> list[str]:
        return dir(self._real)


class Finder(MetaPathFinder, Loader):
    """Finds stand-ins for ``name`` and its parts, and tells of packages that cannot do without the real one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """The stand-in of that name; None for what is none of ours. Raises ImportError for what minigrad lacks."""
        root, _, rest = fullname.partition(".")
        if root in OTHER_HOUSES:
            raise ModuleNotFoundError(f"{root} needs PyTorch itself, not minigrad: {OTHER_HOUSES[root]}.", name=root)
        if root != self._name:
            return None
        if _real(rest) is None:
            advice = instead(rest)
            told = f"; {advice}." if advice else f"; see dir({fullname.rpartition('.')[0]})."
            raise ImportError(f"minigrad has no {fullname}{told}", name=fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The stand-in that ``spec`` tells of."""
        real = _real(spec.name.partition(".")[2])
        assert real is not None
        stand_in = StandIn(spec.name, real)
        if spec.name == self._name:
            stand_in.__version__ = VERSION  # type: ignore[attr-defined]
        return stand_in

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def _real(path: str) -> ModuleType | None:
    """The module of minigrad's that stands for ``torch.<path>``; None where there is none."""
    for theirs, ours in _ELSEWHERE.items():
        if path == theirs or path.startswith(f"{theirs}."):
            path = ours
    found = importlib.import_module(REAL)
    for part in path.split(".") if path else ():
        name = f"{found.__name__}.{part}"
        below = found.__dict__.get(part)
        if not isinstance(below, ModuleType):
            below = _imported(name) if hasattr(found, "__path__") else None
        if below is None:
            return None
        found = below
    return found


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def stand_in_for(name: str) -> None:
    """Answer every import of ``name`` in this process with minigrad."""
    sys.meta_path.insert(0, Finder(name))
