"""Modules that hold modules: in a row, in a list, in a dictionary; and parameters in a list or a dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor


class _Numbered(Module):
    """Children named 0, 1, 2, … in order."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def _at(self, index: int) -> str:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return str(index % count)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self._remade(list(self)[index])
        return self._modules[self._at(index.__index__())]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        kept = list(self)
        del kept[index]
        self._renumber(kept)

    def _renumber(self, modules: Iterable[Module]) -> None:
        modules = list(modules)
        self._modules.clear()
        for number, module in enumerate(modules):
            self.add_module(str(number), module)

    def _remade(self, modules: list[Module]) -> Any:
        raise NotImplementedError

    def append(self, module: Module) -> Self:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add every one of ``modules`` at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put ``module`` before place ``index``."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, index: int = -1) -> Module:
        """Take out the module at ``index``."""
        module: Module = self[index]
        del self[index]
        return module


class Sequential(_Numbered):
    """Modules that compute one after the other, each on the output of the one before.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU())(mg.zeros(4, 2)).shape
    minigrad.Size([4, 3])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def _at(self, index: int) -> str:
        return list(self._modules)[int(super()._at(index))]

    def _remade(self, modules: list[Module]) -> Sequential:
        return type(self)({name: module for name, module in self._modules.items() if any(module is m for m in modules)})

    def forward(self, input: Any) -> Any:
        """The last module's output."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules, all of whose parameters are known to the module that holds it.

    >>> from minigrad import nn
    >>> len(nn.ModuleList([nn.Linear(2, 2) for _ in range(3)]))
    3
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        """Equal neighbours are printed once: ``(0-2): 3 x Linear(…)``."""
        runs: list[tuple[int, str]] = []
        for text in map(repr, self):
            if runs and runs[-1][1] == text:
                runs[-1] = (runs[-1][0] + 1, text)
            else:
                runs.append((1, text))
        if not runs:
            return f"{self._get_name()}()"
        lines, first = [], 0
        for count, text in runs:
            place = f"({first})" if count == 1 else f"({first}-{first + count - 1})"
            lines.append(f"{place}: {'' if count == 1 else f'{count} x '}{text}".replace("\n", "\n  "))
            first += count
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def _remade(self, modules: list[Module]) -> ModuleList:
        return type(self)(modules)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return type(self)([*self, *other])


class ModuleDict(Module):
    """A dictionary of modules.

    >>> from minigrad import nn
    >>> list(nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()}))
    ['a', 'b']
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add or replace modules by name."""
        for name, module in modules.items() if isinstance(modules, Mapping) else modules:
            self[name] = module

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        if key in self._modules:
            setattr(self, key, module)
        else:
            self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module | None]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module | None]]:
        """Names and modules."""
        return self._modules.items()

    def pop(self, key: str) -> Module:
        """Take out the module called ``key``."""
        module: Module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Take out all."""
        self._modules.clear()


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters; tensors put in become parameters.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> [tuple(p.shape) for p in nn.ParameterList([mg.zeros(2), mg.zeros(3)])]
    [(2,), (3,)]
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._count = 0
        self.extend(values or ())

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(len(self)))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._at(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._at(index), _as_parameter(value))

    def _at(self, index: int) -> str:
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def append(self, value: Any) -> Self:
        """Add ``value`` at the end."""
        setattr(self, str(self._count), _as_parameter(value))
        self._count += 1
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add every one of ``values`` at the end."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters; tensors put in become parameters."""

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        self._names: dict[str, None] = {}
        self.update(parameters or {})

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add or replace parameters by name."""
        for name, value in parameters.items() if isinstance(parameters, Mapping) else parameters:
            self[name] = value

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, key, _as_parameter(value))
        self._names[key] = None

    def __delitem__(self, key: str) -> None:
        del self._names[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._names.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return [self[key] for key in self]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return [(key, self[key]) for key in self]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")
