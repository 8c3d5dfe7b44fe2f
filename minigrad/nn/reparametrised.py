"""Weights that are computed from others before each call: by length and direction, or divided by their norm."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.modes import no_grad
from minigrad.nn.functional.normalisation import normalize
from minigrad.nn.parameter import Parameter
from minigrad.ops.matmul import dot, mv
from minigrad.ops.variance import vector_norm


def _length(v: Any, dim: int | None) -> Any:
    """The norm over all dimensions but ``dim``."""
    if dim is None or dim == -1:
        return vector_norm(v, 2.0)
    others = tuple(axis for axis in range(v.array.ndim) if axis != dim % v.array.ndim)
    return vector_norm(v, 2.0, others, keepdim=True) if others else v.abs()


class _Normed:
    """The hook of ``weight_norm``."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, dim

    def weight(self, module: Any) -> Any:
        v = getattr(module, f"{self.name}_v")
        return v * (getattr(module, f"{self.name}_g") / _length(v, self.dim))

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Let ``module`` learn the length ``weight_g`` and the direction ``weight_v`` of its weight (Salimans & Kingma
    2016).

    >>> from minigrad import nn
    >>> layer = nn.utils.weight_norm(nn.Linear(2, 3))
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight_g', 'weight_v']
    """
    hook = _Normed(name, dim)
    weight = module._parameters.pop(name)
    module.register_parameter(f"{name}_g", Parameter(_length(weight.detach(), dim).clone()))
    module.register_parameter(f"{name}_v", Parameter(weight.detach().clone()))
    return _hooked(module, hook)


class _Spectral:
    """The hook of ``spectral_norm``."""

    def __init__(self, name: str, rounds: int, eps: float, dim: int) -> None:
        self.name, self.rounds, self.eps, self.dim = name, rounds, eps, dim

    def matrix(self, weight: Any) -> Any:
        """The weight with ``dim`` first and all others in one."""
        turned = weight.movedim(self.dim, 0) if self.dim else weight
        return turned.reshape(turned.array.shape[0], -1)

    def weight(self, module: Any) -> Any:
        weight = getattr(module, f"{self.name}_orig")
        matrix = self.matrix(weight)
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        if module.training:
            with no_grad():
                for _ in range(self.rounds):
                    v.copy_(normalize(mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(mv(matrix, v), dim=0, eps=self.eps))
            u, v = u.clone(), v.clone()
        return weight / dot(u, mv(matrix, v))

    def __call__(self, module: Any, args: Any) -> None:
        setattr(module, self.name, self.weight(module))


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide the weight of ``module`` by its largest singular value, which is followed by power iteration (Miyato et
    al. 2018).
    """
    turned = type(module).__name__.startswith("ConvTranspose")
    hook = _Spectral(name, n_power_iterations, eps, int(turned) if dim is None else dim)
    weight = module._parameters.pop(name)
    module.register_parameter(f"{name}_orig", Parameter(weight.detach().clone()))
    matrix = hook.matrix(weight.detach())
    rows, columns = matrix.array.shape
    for end, size in (("u", rows), ("v", columns)):
        start = weight.detach().new_empty(size).normal_()
        module.register_buffer(f"{name}_{end}", normalize(start, dim=0, eps=eps))
    return _hooked(module, hook)


def _hooked(module: Any, hook: Any) -> Any:
    with no_grad():
        setattr(module, hook.name, hook.weight(module))
    handle = module.register_forward_pre_hook(hook)
    vars(module).setdefault("_computed_weights", {})[hook.name] = (hook, handle)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight that ``weight_norm`` computes an ordinary parameter again."""
    return _removed(module, name, ("g", "v"), "weight_norm")


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight that ``spectral_norm`` computes an ordinary parameter again."""
    return _removed(module, name, ("orig", "u", "v"), "spectral_norm")


def _removed(module: Any, name: str, ends: tuple[str, ...], what: str) -> Any:
    known = vars(module).get("_computed_weights", {})
    if name not in known:
        raise ValueError(f"{what} of '{name}' not found in {module}")
    hook, handle = known.pop(name)
    with no_grad():
        weight = hook.weight(module)
    handle.remove()
    delattr(module, name)
    for end in ends:
        delattr(module, f"{name}_{end}")
    module.register_parameter(name, Parameter(weight))
    return module
