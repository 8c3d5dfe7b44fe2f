"""The walls of the house hold, and each can be felt: who imports whom, how files are named, how long they grow."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("minigrad", "inspector")
SOURCES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

FOLDERS = {*PACKAGES, "tutorials", "tests"}
FILES = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"}
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "misc", "common", "manager", "managers"}
"""For files; a folder may bear one of PyTorch's public names, as in ``minigrad.utils.checkpoint``."""
LONGEST = 600


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)


def loaded_by(*modules: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after importing ``modules``."""
    done = run(sys.executable, "-c", f"import sys, {', '.join(modules)}; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


def lint_imports(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Check the contracts on the packages in ``root``: with -c, the folder one stands in comes first on the path."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return run(sys.executable, "-c", program, "--no-cache", "--no-logo", *options, cwd=root)


def imported_from_elsewhere(package: str) -> set[str]:
    """The top-level modules that ``package`` imports anywhere, type checking included, beside the standard library."""
    graph = grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
    imported = {
        target.partition(".")[0]
        for module in graph.modules
        if module.partition(".")[0] == package
        for target in graph.find_modules_directly_imported_by(module)
    }
    return imported - set(sys.stdlib_module_names) - set(PACKAGES)


def declared() -> set[str]:
    """The distributions that the project says it needs, the extras for its users included, as module names."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *(one for extra in ("tutorials", "gif", "pdf", "web") for one in extras[extra])]
    return {re.split(r"[^\w-]", need)[0].replace("-", "_").lower() for need in needed}


def test_the_core_loads_neither_the_inspector_nor_what_it_draws_with() -> None:
    loaded = loaded_by("minigrad", "minigrad.nn", "minigrad.optim")
    assert {"minigrad", "numpy"} <= loaded
    assert not loaded & {"inspector", "textual", "rich", "graphviz", "graphviz_pure", "resvg_py", "msgspec", "click"}


def test_traces_pictures_and_explanations_load_no_textual() -> None:
    loaded = loaded_by("inspector.trace", "inspector.explain", "inspector.draw")
    assert "inspector" in loaded
    assert "textual" not in loaded


def test_the_core_imports_numpy_and_the_standard_library_only() -> None:
    assert imported_from_elsewhere("minigrad") == {"numpy"}


def test_the_inspector_imports_only_what_the_project_declares() -> None:
    # IPython comes with ipykernel; rich with textual, which is built on it, and so aiohttp with textual-serve; PIL is
    # what Pillow is imported as.
    brought = {"ipython", "rich", "aiohttp", "aiohttp_jinja2"}
    known = declared() | brought | ({"pil"} if "pillow" in declared() else set())
    assert {name.lower() for name in imported_from_elsewhere("inspector")} <= known


def test_the_import_contracts_hold() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("contract", "module", "line"),
    [
        ("core-alone", "minigrad/events.py", "import rich"),
        ("core-alone", "minigrad/events.py", "def late():\n    import inspector.trace"),
        ("inspector-layers", "inspector/trace/facts.py", "import inspector.draw"),
        ("inspector-layers", "inspector/draw/__init__.py", "import inspector.explain"),
        ("inspector-layers", "inspector/draw/__init__.py", "import inspector.app"),
        ("inspector-layers", "inspector/newcomer.py", ""),
        ("no-screen-below-the-app", "inspector/trace/state.py", "import textual.app"),
        ("panes-are-read-without-a-screen", "inspector/app/reading/why.py", "import inspector.app.widgets.canvas"),
        ("trace-only", "inspector/explain/__init__.py", "from minigrad.tensor import Tensor"),
        ("trace-only", "inspector/draw/__init__.py", "import inspector.record"),
    ],
)
def test_a_broken_wall_is_reported(tmp_path: Path, contract: str, module: str, line: str) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    done = lint_imports(tmp_path, "--contract", contract)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Contracts: 0 kept, 1 broken." in done.stdout, done.stdout + done.stderr


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [path for path in SOURCES if SAYS_NOTHING & set(path.stem.split("_"))] == []


def test_no_file_grows_too_long_to_read() -> None:
    lengths = {str(path): len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}


def test_the_top_level_holds_only_what_belongs_there() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    tracked = run("git", "-c", "safe.directory=*", "ls-files")
    assert tracked.returncode == 0, tracked.stderr
    top = {line.partition("/")[0] for line in tracked.stdout.splitlines()}
    assert "pyproject.toml" in top
    assert {name for name in top if not name.startswith(".")} <= FOLDERS | FILES
