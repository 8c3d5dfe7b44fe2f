"""What a user installs is complete: both packages, what they read at run time, and the scripts of the tutorials."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel that the project's own build backend makes."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(made).namelist())


def sources(package: str, pattern: str = "*") -> set[str]:
    """The files of a package, as names in a wheel."""
    found = (path for path in (ROOT / package).rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in found}


@pytest.mark.parametrize("package", ["minigrad", "inspector"])
def test_every_file_of_a_package_is_in_the_wheel(wheel: set[str], package: str) -> None:
    assert f"{package}/py.typed" in wheel
    assert sources(package) <= wheel


def test_the_scripts_of_the_tutorials_travel_inside_the_inspector(wheel: set[str]) -> None:
    scripts = sources("tutorials", "*.py")
    assert scripts
    assert {f"inspector/{script}" for script in scripts} <= wheel


def test_the_wheel_adds_nothing_else_to_a_users_site_packages(wheel: set[str]) -> None:
    tops = {name.partition("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"minigrad", "inspector"}
    assert not {name for name in wheel if name.endswith(".ipynb")}
