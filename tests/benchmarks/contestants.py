"""Who takes part: PyTorch, by which all are measured, minigrad, and the peers that are installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType

from tests.benchmarks.workloads import Step, Workload

TORCH, OURS = "PyTorch", "minigrad"


@dataclass(frozen=True, slots=True)
class Contestant:
    """``prepare(workload)`` gives its step, or None where it has no text of that workload."""

    name: str
    prepare: Callable[[Workload], Step | None]


@dataclass(frozen=True, slots=True)
class Package:
    """What has to be installed for a contestant, and the module with its own text of the workloads, if it needs one."""

    contestant: str
    module: str
    text: str | None = None

    def load(self) -> Contestant:
        if self.text is None:
            return Contestant(self.contestant, _common_text(importlib.import_module(self.module)))
        return Contestant(self.contestant, _own_text(importlib.import_module(f"tests.benchmarks.{self.text}")))


PACKAGES = (
    Package(TORCH, "torch"),
    Package(OURS, "minigrad"),
    Package("HIPS autograd", "autograd", "peer_autograd"),
    Package("MyGrad", "mygrad", "peer_mygrad"),
    Package("NumPy by hand", "numpy", "peer_numpy"),
)


def _common_text(xp: ModuleType) -> Callable[[Workload], Step | None]:
    if xp.__name__ == "torch":
        xp.set_num_threads(1)
    return lambda workload: workload.prepare(xp)


def _own_text(texts: ModuleType) -> Callable[[Workload], Step | None]:
    def prepare(workload: Workload) -> Step | None:
        text: Callable[[], Step] | None = getattr(texts, workload.key, None)
        return None if text is None else text()

    return prepare


def installed() -> list[Contestant]:
    """All whose package is there, PyTorch first."""
    return [package.load() for package in PACKAGES if find_spec(package.module)]


def missing() -> list[str]:
    """A line for each that is left out, which says how to have it."""
    return [
        f'{package.contestant} is not installed and left out; `pip install -e ".[bench]"` brings it.'
        for package in PACKAGES
        if not find_spec(package.module)
    ]
