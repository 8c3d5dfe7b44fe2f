"""Finding Graphviz and running it: the system's ``dot`` if there is one, else the wheel ``graphviz-pure``.

Must not know what is drawn. ``INSPECTOR_GRAPHVIZ`` names another program to use, or ``none``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from typing import Any

from inspector.draw.errors import DrawError

VARIABLE = "INSPECTOR_GRAPHVIZ"
PATIENCE = 60
"""Seconds that one layout may take."""


def engines() -> Iterator[str]:
    """The layout programs on this machine, the best first."""
    wanted = os.environ.get(VARIABLE, "")
    names = [wanted] if wanted else ["dot", "graphviz-pure"]
    for name in names:
        # A virtual environment's programs are often not on the path of a notebook or an editor that uses it.
        found = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
        if found and name != "none":
            yield found


def has_engine() -> bool:
    """Whether there is a program here to lay out with; raises ``DrawError`` if one was named that is not."""
    wanted = os.environ.get(VARIABLE, "")
    found = next(engines(), None) is not None
    if not found and wanted not in {"", "none"}:
        raise DrawError(f"{VARIABLE}={wanted} names no program here: name one that is, or `none` to do without.")
    return found


def layout(source: str) -> dict[str, Any]:
    """Graphviz's placing of what ``source`` describes, as JSON. Raises ``DrawError`` if none is there or all fail."""
    complaints = []
    for engine in engines():
        try:
            return _run(engine, source)
        except subprocess.TimeoutExpired:
            raise DrawError(
                f"Graphviz could not place this graph within {PATIENCE} seconds: draw less of it."
            ) from None
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            complaints.append(f"{engine}: {error}")
    if complaints:
        raise DrawError(f"Graphviz could not lay out this graph ({'; '.join(complaints)}).")
    raise DrawError(
        "This layout needs Graphviz, and there is neither `dot` nor `graphviz-pure`: "
        "`pip install graphviz-pure`, or install Graphviz (https://graphviz.org/download)."
    )


def _run(engine: str, source: str) -> dict[str, Any]:
    done = subprocess.run(
        [engine, "-Tjson0"], input=source.encode(), capture_output=True, timeout=PATIENCE, check=False
    )
    if done.returncode != 0:
        raise ValueError(done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}")
    placed: dict[str, Any] = json.loads(done.stdout)
    return placed
