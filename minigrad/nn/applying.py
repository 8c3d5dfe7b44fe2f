"""The base of layers that hold no parameters and only call a function with options they were made with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.nn.module import Module


class Applying(Module):
    """Calls ``function`` on its inputs with ``options``, each of which is also an attribute."""

    function: ClassVar[Callable[..., Any]]
    shown: ClassVar[tuple[str, ...] | None] = None
    """The options that are printed, in order; None for all."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = tuple(options)
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        """What the function gives."""
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        """The options, but for ``inplace=False``."""
        names = self._options if self.shown is None else self.shown
        told = ((name, getattr(self, name)) for name in names)
        return ", ".join(f"{name}={value!r}" for name, value in told if (name, value) != ("inplace", False))
