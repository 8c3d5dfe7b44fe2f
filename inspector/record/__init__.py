"""Recording: events of minigrad become the facts of a trace, in this process or in a script's own.

The package can be called: ``with inspector.record() as trace`` records this process (``session``). ``runner`` runs a
script in a process of its own and watches it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.record.session import Recording


class _Record(ModuleType):
    """This package as a function. It imports minigrad on first use, which a watcher of scripts never needs."""

    def __call__(self, **options: Any) -> AbstractContextManager[Recording]:
        from inspector.record.session import record

        return record(**options)


sys.modules[__name__].__class__ = _Record
