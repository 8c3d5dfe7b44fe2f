"""How long a reader waits for the app: from the command to its first picture, in a terminal made for the purpose."""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIGNS = (b"GRAPH", b"quit")
"""What the first picture holds: a pane's title, and the end of the bar of keys."""
PATIENCE = 60.0
UNWANTED = {"COLUMNS", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE"}


def first_picture(file: Path, screen: tuple[int, int], *, compiled: Path) -> float | None:
    """Seconds until ``inspector open`` has drawn ``file``; None where there are no such terminals.

    Python keeps compiled modules in ``compiled``, as it does where a package is installed: the first time is longer.

    Raises TimeoutError when there is no picture after a minute.
    """
    if os.name != "posix":
        return None
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", screen[1], screen[0], 0, 0))
    with tempfile.TemporaryDirectory() as home:
        settings = {key: value for key, value in os.environ.items() if key not in UNWANTED}
        settings |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        settings |= {"XDG_STATE_HOME": home, "PYTHONPYCACHEPREFIX": str(compiled)}
        begun = time.perf_counter()
        app = subprocess.Popen(
            [sys.executable, "-m", "inspector", "open", str(file)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=settings,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            return _seen(ours) - begun
        finally:
            app.kill()
            app.wait()
            os.close(ours)


def _seen(terminal: int) -> float:
    """The moment at which all signs have been drawn."""
    drawn, last = b"", time.perf_counter() + PATIENCE
    while (left := last - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            drawn += os.read(terminal, 1 << 16)
            if all(sign in drawn for sign in SIGNS):
                return time.perf_counter()
    raise TimeoutError(f"the app drew nothing in {PATIENCE:g} s; it wrote {drawn[:200]!r}")
