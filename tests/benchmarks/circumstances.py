"""Under what circumstances a run was made: the machine, and the versions of all that takes part."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTIONS = ("numpy", "torch", "autograd", "mygrad", "textual")


def machine() -> str:
    """Which machine this is: figures from another one tell nothing about a change."""
    return f"{platform.node()}: {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or "some processor")


def versions() -> dict[str, str]:
    """What is installed, and the commit of our own that is measured."""
    found = {"python": platform.python_version(), "commit": _commit()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    """The commit that is checked out, with a + when there are changes on top of it."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return described.stdout.strip()
