"""Grad mode, inference mode and anomaly mode, each of them per thread.

Knows nothing of tensors. A mode that is not the ordinary one announces itself to ``regime`` while it lasts.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from minigrad.audience import audience
from minigrad.autograd.regime import regime

F = TypeVar("F", bound=Callable[..., Any])


class Modes(threading.local):
    """This thread's modes; the class attributes are what every thread begins with."""

    grad = True
    inference = False
    anomaly = False
    anomaly_checks_nan = True
    multithreading = True
    view_replay = False
    random_refused: str | None = None
    batching = False


modes = Modes()


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread."""
    return modes.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside ``inference_mode``."""
    return modes.inference


def _announce(enabled: bool, by: str) -> None:
    if tell := audience.grad_mode_changed:
        tell(enabled, by)


class _Decorates:
    """A context manager that may also decorate a function or a generator function, freshly entered at each call."""

    def _again(self) -> Any:
        return type(self)()

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly "
                "decorate the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return wrapped  # type: ignore[return-value]

    def _around_generator(self, function: F) -> F:
        """The mode holds while the generator's own code runs, not while its caller's does."""

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            resume: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with self._again():
                        value = resume()
                except StopIteration as end:
                    return end.value
                try:
                    answer = yield value
                    resume = functools.partial(generator.send, answer)
                except GeneratorExit:
                    with self._again():
                        generator.close()
                    raise
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)

        return wrapped  # type: ignore[return-value]


class _GradMode(_Decorates):
    """Sets grad mode on entry and puts the former one back on leaving."""

    enabled = True
    name = ""

    def __init__(self) -> None:
        self._former: list[bool] = []

    def __enter__(self) -> None:
        self._former.append(modes.grad)
        regime.pause()
        modes.grad = self.enabled
        _announce(self.enabled, self.name)

    def __exit__(self, *_: object) -> None:
        modes.grad = self._former.pop()
        regime.resume()
        _announce(modes.grad, self.name)


class no_grad(_GradMode):  # noqa: N801 (PyTorch's name)
    """Operations inside are not recorded: their results do not require grad. Context manager and decorator.

    >>> import minigrad as mg
    >>> x = mg.tensor(1.0, requires_grad=True)
    >>> with mg.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    enabled = False
    name = "no_grad"

    def __new__(cls, function: Any = None) -> Any:
        """``@no_grad`` without parentheses decorates as well."""
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__()


class enable_grad(no_grad):  # noqa: N801
    """Operations inside are recorded, also within ``no_grad``. Context manager and decorator."""

    enabled = True
    name = "enable_grad"


class set_grad_enabled(_GradMode):  # noqa: N801
    """Switches recording on or off at once; as a context manager, until it is left; as a decorator, within the
    function."""

    name = "set_grad_enabled"

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.enabled = bool(mode)
        self._switch_now()

    def _switch_now(self) -> None:
        """A plain call has no end, so the regime stays unusual for as long as recording is off."""
        self._before = modes.grad
        _count_switch(modes.grad, self.enabled)
        modes.grad = self.enabled
        _announce(self.enabled, self.name)

    def __call__(self, function: F) -> F:
        _count_switch(modes.grad, self._before)
        modes.grad = self._before
        return super().__call__(function)

    def _again(self) -> Any:
        return type(self)(self.enabled)

    def __enter__(self) -> None:
        self._former.append(self._before)

    def __exit__(self, *_: object) -> None:
        former = self._former.pop()
        _count_switch(modes.grad, former)
        modes.grad = former
        _announce(former, self.name)


def _count_switch(old: bool, new: bool) -> None:
    if old and not new:
        regime.pause()
    elif new and not old:
        regime.resume()


class inference_mode(_Decorates):  # noqa: N801
    """Like ``no_grad``; and tensors made inside have no version and can never enter autograd."""

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._former: list[tuple[bool, bool]] = []

    def __new__(cls, mode: Any = True) -> Any:
        """``@inference_mode`` without parentheses decorates as well."""
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def _again(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self._former.append((modes.grad, modes.inference))
        regime.enter()
        modes.grad, modes.inference = (False, True) if self.mode else (True, False)
        _announce(modes.grad, "inference_mode")

    def __exit__(self, *_: object) -> None:
        modes.grad, modes.inference = self._former.pop()
        regime.leave()
        _announce(modes.grad, "inference_mode")


class set_multithreading_enabled(_Decorates):  # noqa: N801
    """Whether a pass may use several threads; it never does here, and the order in which it runs its nodes can be asked
    for where that is said. Switches at once; as a context manager, until it is left."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._before = modes.multithreading
        modes.multithreading = mode

    def _again(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        modes.multithreading = self._before


def is_multithreading_enabled() -> bool:
    """What ``set_multithreading_enabled`` said last in this thread; True at first."""
    return modes.multithreading


def _count_anomaly(old: bool, new: bool) -> None:
    if new and not old:
        regime.enter()
    elif old and not new:
        regime.leave()


class set_detect_anomaly(_Decorates):  # noqa: N801
    """Anomaly mode: nodes remember the forward line that made them, errors in backward show it, the first NaN stops the
    pass."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.mode, self.check_nan = mode, check_nan
        self._before = (modes.anomaly, modes.anomaly_checks_nan)
        _count_anomaly(modes.anomaly, mode)
        modes.anomaly, modes.anomaly_checks_nan = mode, check_nan

    def _again(self) -> Any:
        return type(self)(self.mode, self.check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        _count_anomaly(modes.anomaly, self._before[0])
        modes.anomaly, modes.anomaly_checks_nan = self._before


class detect_anomaly(_Decorates):  # noqa: N801
    """Anomaly mode inside the block."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )
        self.check_nan = check_nan
        self._inside: list[set_detect_anomaly] = []

    def __enter__(self) -> None:
        self._inside.append(set_detect_anomaly(True, self.check_nan))

    def __exit__(self, *error: object) -> None:
        self._inside.pop().__exit__(*error)

    def _again(self) -> Any:
        return self


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread."""
    return modes.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when it is on, stops at the first NaN."""
    return modes.anomaly_checks_nan
