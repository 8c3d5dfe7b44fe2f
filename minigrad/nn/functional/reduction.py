"""How losses were told to reduce before there was ``reduction``: ``size_average`` and ``reduce``."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made", bound=Callable[..., Any])


def older_reduction(function: Made) -> Made:
    """Let a function with ``reduction`` be told by ``size_average=`` and ``reduce=`` as well, with a warning.

    >>> from minigrad.nn.functional.reduction import older_reduction
    >>> @older_reduction
    ... def loss(reduction="mean"):
    ...     return reduction
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     loss(size_average=False)
    'sum'
    """

    @functools.wraps(function)
    def reduced(*args: Any, size_average: bool | None = None, reduce: bool | None = None, **kwargs: Any) -> Any:
        if size_average is not None or reduce is not None:
            kwargs["reduction"] = _read(size_average, reduce)
        return function(*args, **kwargs)

    return reduced  # type: ignore[return-value]


def _read(size_average: bool | None, reduce: bool | None) -> str:
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
        UserWarning,
        stacklevel=4,
    )
    return found
