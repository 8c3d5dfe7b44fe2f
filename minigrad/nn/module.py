"""``Module``: a tree of parts that hold parameters and buffers, and compute.

Knows tensors and events; what a particular layer computes is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self, TypeVar

from minigrad.audience import audience
from minigrad.autograd.hooks import HookDict, RemovableHandle
from minigrad.autograd.modes import no_grad
from minigrad.autograd.regime import regime
from minigrad.devices import device
from minigrad.dtypes import category
from minigrad.dtypes import dtype as dtype_type
from minigrad.missing import absent
from minigrad.nn.calling import call_with_hooks
from minigrad.nn.parameter import Buffer, Parameter
from minigrad.settings import memory_format
from minigrad.tensor import Tensor, clear_grad

T = TypeVar("T")
Named = Iterator[tuple[str, T]]


class IncompatibleKeys(NamedTuple):
    """What ``load_state_dict`` did not find, and what it had no place for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Held:
    """A parameter of a layer, found at once where modules keep it: Python would first look everywhere else in vain, and
    make an error of that. Anything else of this name that a module is given comes first, as without it.
    """

    __slots__ = ("_name",)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, module: Any, owner: type | None = None) -> Any:
        if module is not None:
            try:
                return module._parameters[self._name]
            except KeyError:
                pass
        raise AttributeError(self._name)


class Module:
    """The base of all layers and models. Subclass it, assign parameters and modules in ``__init__``, compute in
    ``forward``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(mg.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> [name for name, _ in scale.named_parameters()]
    ['factor']
    >>> scale(mg.tensor([1.0, 2.0])).tolist()
    [2.0, 4.0]
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _transient: set[str]
    _hooks: dict[str, HookDict]
    """By kind, once there are any: the hooks around a call, see ``calling``."""

    def __init__(self) -> None:
        put = self.__dict__.update
        put(training=True, _parameters={}, _buffers={}, _modules={}, _transient=set(), _hooks={})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes. Subclasses say."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooks or (regime.unusual and audience.scope_entered):
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # --- what it is made of -----------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, (Parameter, Module, Buffer)):
            self._adopt(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' (nn.Parameter or None expected)"
                )
            own["_parameters"][name] = None
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as child module '{name}' (nn.Module or None expected)"
                )
            own["_modules"][name] = None
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{_type_name(value)}' as buffer '{name}' (Tensor or None expected)")
            own["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _adopt(self, name: str, value: Parameter | Module | Buffer) -> None:
        own = self.__dict__
        kind = "parameters" if isinstance(value, Parameter) else "modules" if isinstance(value, Module) else "buffers"
        if f"_{kind}" not in own:
            raise AttributeError(f"cannot assign {kind.removesuffix('s')} before Module.__init__() call")
        own.pop(name, None)
        for table in ("_parameters", "_modules", "_buffers"):
            if table != f"_{kind}":
                own[table].pop(name, None)
        own[f"_{kind}"][name] = value
        if isinstance(value, Buffer):
            (self._transient.discard if value.persistent else self._transient.add)(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            found = own.get(table)
            if found is not None and name in found:
                return found[name]
        raise absent(type(self).__name__, name)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._transient.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or the place of one that is None for now."""
        self._check_name(name, "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' (nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express "
                f"'{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not learnt; ``persistent=False`` leaves it out of ``state_dict()``."""
        self._check_name(name, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (Tensor or None required)")
        self._buffers[name] = tensor
        (self._transient.discard if persistent else self._transient.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child."""
        self._check_name(name, "module")
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._modules[name] = module

    add_module = register_module

    def _check_name(self, name: str, kind: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and not any(name in t for t in (self._parameters, self._buffers, self._modules)):
            raise KeyError(f"attribute '{name}' already exists")

    # --- walking ----------------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Named[Module]:
        """This module and all below it, parents first, by qualified name; each once, unless told otherwise."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(seen, _joined(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Named[Module]:
        """The modules directly below, by name, each once."""
        seen: set[Module] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The modules directly below."""
        return (child for _, child in self.named_children())

    def _named_members(self, table: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Named[Any]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in getattr(module, table).items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _joined(path, name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Named[Parameter]:
        """Every parameter here and below by qualified name, shared ones once."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter here and below."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Named[Tensor]:
        """Every buffer here and below by qualified name."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer here and below."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The module of that qualified name. Raises AttributeError if there is none."""
        module: Module = self
        for name in target.split(".") if target else ():
            found = module._modules.get(name)
            if found is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = found
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of that qualified name. Raises AttributeError if there is none."""
        return self._member("_parameters", target)  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of that qualified name. Raises AttributeError if there is none."""
        return self._member("_buffers", target)  # type: ignore[no-any-return]

    def _member(self, table: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, table).get(name)
        if found is None:
            raise AttributeError(f"{type(module).__name__} has no {table[1:-1]} named `{name}`")
        return found

    # --- state ------------------------------------------------------------------------------------------------------

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> dict[str, Tensor]:
        """Every parameter and persistent buffer by qualified name, as tensors without history that share their
        memory.
        """
        state: dict[str, Tensor] = {}
        for path, module in self.named_modules(prefix=prefix.removesuffix("."), remove_duplicate=False):
            for name, tensor in module._own_state():
                state[_joined(path, name)] = tensor if keep_vars else tensor.detach()
        return state

    def _own_state(self) -> Named[Tensor]:
        """Parameters, then the buffers that are kept."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._transient:
                yield name, buffer

    def load_state_dict(
        self, state_dict: Mapping[str, Tensor], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the values of ``state_dict`` into the parameters and buffers of these names.

        With ``assign`` the tensors themselves take their places. Raises RuntimeError that lists everything that does
        not fit;
        with ``strict=False`` names that are missing or unexpected are only returned.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        places = {
            _joined(path, name): (module, name)
            for path, module in self.named_modules(remove_duplicate=False)
            for name, _ in module._own_state()
        }
        missing = [name for name in places if name not in state_dict]
        unexpected = [name for name in state_dict if name not in places]
        problems = _listed(missing, unexpected) if strict else []
        problems += [text for name, place in places.items() if (text := _misfit(name, place, state_dict))]
        if problems:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        for name, (module, key) in places.items():
            if name in state_dict:
                module._load(key, state_dict[name], assign)
        return IncompatibleKeys(missing, unexpected)

    def _load(self, name: str, value: Tensor, assign: bool) -> None:
        table: dict[str, Any] = self._parameters if name in self._parameters else self._buffers
        present = table[name]
        if not assign:
            with no_grad():
                present.copy_(value)
        elif isinstance(present, Parameter):
            table[name] = value if isinstance(value, Parameter) else Parameter(value, present.requires_grad)
        else:
            table[name] = value

    # --- changing all of it -----------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set training mode here and below, which dropout and batch normalisation ask for."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Leave training mode, here and below."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of every parameter, or with ``set_to_none=False`` fill it with zeros."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` on every module, children first; returns this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def to(
        self, *args: Any, dtype: dtype_type | None = None, memory_format: memory_format | None = None, **kwargs: Any
    ) -> Self:
        """Convert floating-point parameters and buffers, here and below, to a type; ``"cpu"`` changes nothing.

        With a ``memory_format`` those that have channels of pictures are laid out anew.
        """
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, dtype_type):
                dtype = argument
            elif isinstance(argument, Tensor):
                dtype = argument.dtype
            elif isinstance(argument, str):
                device(argument)
            elif not isinstance(argument, device | bool | None):
                raise TypeError(f"to() takes a type, a tensor or the device 'cpu', not {argument!r}")
        if memory_format is not None:
            self._lay_out(memory_format)
        return self if dtype is None else self._converted(dtype)

    def _lay_out(self, wanted: memory_format) -> None:
        with no_grad():
            for tensor in (*self.parameters(), *self.buffers()):
                if tensor.ndim in (4, 5):
                    tensor.data = tensor.data.to(memory_format=wanted)

    def _converted(self, kind: dtype_type) -> Self:
        """Parameters stay the same objects, so that an optimiser goes on knowing them."""
        for module in self.modules():
            tensors = [t for t in (*module._parameters.values(), *module._buffers.values()) if t is not None]
            for tensor in tensors:
                if tensor.array.dtype.kind not in "fc":
                    continue
                tensor.array = tensor.array.astype(kind.numpy, copy=False)
                if tensor._grad is not None:
                    tensor._grad.array = tensor._grad.array.astype(kind.numpy, copy=False)
        return self

    def float(self) -> Self:
        """Convert to float32."""
        from minigrad.dtypes import float32

        return self._converted(float32)

    def double(self) -> Self:
        """Convert to float64."""
        from minigrad.dtypes import float64

        return self._converted(float64)

    def half(self) -> Self:
        """Convert to float16."""
        from minigrad.dtypes import float16

        return self._converted(float16)

    def cpu(self) -> Self:
        """All there is."""
        return self

    # --- hooks ------------------------------------------------------------------------------------------------------

    def _hook(self, kind: str, hook: Callable[..., Any], first: bool = False) -> RemovableHandle:
        hooks = self._hooks.setdefault(kind, HookDict())
        handle = RemovableHandle(hooks, hook)
        if first:
            for key in [key for key in hooks if hooks[key] is not hook]:
                hooks[key] = hooks.pop(key)
        return handle

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; a result other than None replaces the arguments.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)``, and the result replaces both.
        """
        return self._hook("forward_pre_with_kwargs" if with_kwargs else "forward_pre", hook, prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; a result other than None replaces the output."""
        return self._hook("forward_with_kwargs" if with_kwargs else "forward", hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradient of the output is known; a result other than None
        replaces it.
        """
        return self._hook("backward_pre", hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known; a result
        replaces them.
        """
        return self._hook("backward", hook, prepend)

    # --- showing ----------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What the printed form says between its brackets. Subclasses say."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        own = self.extra_repr()
        parts = [f"({name}): " + repr(child).replace("\n", "\n  ") for name, child in self._modules.items()]
        lines = [*(own.split("\n") if own else []), *parts]
        if not lines:
            return f"{self._get_name()}()"
        if not parts and len(lines) == 1:
            return f"{self._get_name()}({own})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _type_name(value: object) -> str:
    return type(value).__name__


def _listed(missing: list[str], unexpected: list[str]) -> list[str]:
    """One line for each kind of trouble with names."""
    lines = []
    if unexpected:
        lines.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{name}"' for name in unexpected) + ". ")
    if missing:
        lines.append("Missing key(s) in state_dict: " + ", ".join(f'"{name}"' for name in missing) + ". ")
    return lines


def _misfit(name: str, place: tuple[Module, str], state: Mapping[str, Any]) -> str:
    if name not in state:
        return ""
    module, key = place
    value = state[name]
    if not isinstance(value, Tensor):
        return f'While copying the parameter named "{name}", expected a Tensor but received {type(value)}.'
    present = getattr(module, key)
    if present.array.shape == value.array.shape:
        return _cut(name, present.dtype, value.dtype)
    return (
        f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, the shape in current "
        f"model is "
        f"{present.shape}."
    )


def _cut(name: str, present: dtype_type, saved: dtype_type) -> str:
    """A type in which the saved values would lose more than digits is refused."""
    if category(saved.numpy) <= category(present.numpy):
        return ""
    return (
        f"type mismatch for {name}: copying a param of type {saved.name} from checkpoint would cut its values, the "
        f"type in current model is {present.name}."
    )
