"""Parametrisations: an attribute of a module that is computed, at every look, from parameters behind it."""

from __future__ import annotations

from typing import Any, NoReturn

from minigrad.autograd.modes import no_grad
from minigrad.missing import lacking
from minigrad.nn.containers import ModuleDict, ModuleList
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter

__all__ = ["is_parametrized", "register_parametrization", "remove_parametrizations"]


class ParametrizationList(ModuleList):
    """The functions of one attribute, applied in turn to ``original``, or to ``original0``, ``original1``, …"""

    def __init__(self, parametrizations: list[Module], original: Any) -> None:
        super().__init__(parametrizations)
        value = original
        with no_grad():
            for each in reversed(parametrizations):
                if hasattr(each, "right_inverse"):
                    value = each.right_inverse(value)
        parts = list(value) if isinstance(value, tuple | list) else [value]
        self._names = [f"original{i}" for i in range(len(parts))] if isinstance(value, tuple | list) else ["original"]
        for name, part in zip(self._names, parts, strict=True):
            if isinstance(original, Parameter):
                setattr(self, name, Parameter(part.detach(), original.requires_grad))
            else:
                self.register_buffer(name, part)

    def forward(self) -> Any:
        """The attribute's value now."""
        first, *others = self
        value = first(*(getattr(self, name) for name in self._names))
        for each in others:
            value = each(value)
        return value


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Any:
    """Let ``module.<tensor_name>`` be ``parametrization`` of what it was, which becomes a parameter under
    ``module.parametrizations.<tensor_name>``. Returns the module.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> class Doubled(nn.Module):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> layer = register_parametrization(nn.Linear(2, 2), "weight", Doubled())
    >>> mg.equal(layer.weight, 2 * layer.parametrizations.weight.original)
    True
    """
    if is_parametrized(module, tensor_name):
        present = module.parametrizations[tensor_name]
        present.append(parametrization)
        return module
    tables = (module._parameters, module._buffers)
    table = next((table for table in tables if tensor_name in table), None)
    if table is None:
        raise ValueError(f"Module '{type(module).__name__}' has no parameter or buffer with name '{tensor_name}'")
    parts = ParametrizationList([parametrization], table.pop(tensor_name))
    if not is_parametrized(module):
        _give_own_class(module)
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = parts
    setattr(type(module), tensor_name, property(lambda self: self.parametrizations[tensor_name]()))
    return module


def _give_own_class(module: Module) -> None:
    """A property belongs to a class; this one's instance is the module alone."""
    base = type(module)
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), {"__module__": base.__module__})


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether ``module`` has a parametrised attribute, or has this one parametrised."""
    present = module._modules.get("parametrizations")
    return present is not None and (tensor_name is None or tensor_name in present._modules)


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make ``module.<tensor_name>`` a parameter again: with its value now, or else with what is behind it."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {type(module).__name__} does not have a parametrization on {tensor_name}")
    parts = module.parametrizations[tensor_name]
    if not leave_parametrized and parts._names != ["original"]:
        raise ValueError("leave_parametrized=False needs a parametrization of one tensor")
    value = parts().detach() if leave_parametrized else parts.original.detach()
    delattr(type(module), tensor_name)
    del module.parametrizations._modules[tensor_name]
    if not module.parametrizations._modules:
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    setattr(module, tensor_name, Parameter(value))
    return module


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
