"""Writing a file whole or not at all: beside its place first, then renamed into it. Must not know what is in it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from inspector.draw.errors import DrawError


def write_whole(path: Path, data: bytes) -> None:
    """Put ``data`` in the file ``path``; if that fails, with ``DrawError``, what was there before stays whole."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise DrawError(f"Cannot write the picture to {path}: that is a folder; name a file in it.")
    if target.exists() and not os.access(target, os.W_OK):
        raise DrawError(f"Cannot write the picture to {path}: the file is write-protected.")
    beside = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        beside.write_bytes(data)
        beside.replace(target)
    except OSError as error:
        raise DrawError(f"Cannot write the picture to {path}: {error.strerror or error}.") from None
    finally:
        beside.unlink(missing_ok=True)
