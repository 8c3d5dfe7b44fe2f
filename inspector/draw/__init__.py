"""Pictures of a trace or of a tensor: ``inspector.draw(loss, "loss.svg")``. Nothing here knows minigrad or a screen.

The package is also the function: ``inspector.draw`` may be called, and ``inspector.draw.draw`` is the same.
"""

from __future__ import annotations

import sys
from types import ModuleType

from inspector.draw.drawing import draw
from inspector.draw.errors import DrawError
from inspector.draw.picture import WRITERS, Picture

__all__ = ["WRITERS", "DrawError", "Picture", "draw"]


class _Callable(ModuleType):
    """A package that can be called: as its function ``draw``."""

    __call__ = staticmethod(draw)


sys.modules[__name__].__class__ = _Callable
