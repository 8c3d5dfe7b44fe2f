"""What ``inspector serve`` and ``--live`` say where they cannot do what they are asked."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import main


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.py"
    path.write_text("import minigrad as mg\nmg.tensor(1.0)\n", encoding="utf-8")
    return str(path)


def said(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="inspector")


def test_without_the_extra_one_is_told_what_to_install(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "textual_serve" else find(name))
    done = said("serve", script)
    assert done.exit_code == 2
    assert (
        done.stderr
        == "inspector: a browser needs textual-serve: install it with `pip install 'minigrad-inspector[web]'`.\n"
    )


def test_a_port_that_is_taken_and_a_script_that_is_none_are_told(script: str) -> None:
    pytest.importorskip("textual_serve")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = said("serve", "--port", str(port), script)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"inspector: port {port} of this machine cannot be used: ")
    assert said("serve", "nowhere.py").stderr.startswith("inspector: there is no script nowhere.py")


def test_live_needs_a_terminal(script: str) -> None:
    done = said("run", "--live", script)
    assert done.exit_code == 2
    assert done.stderr.startswith("inspector: --live needs a terminal for its keys and its screen")
