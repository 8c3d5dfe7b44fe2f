"""README.md tells the truth: examples print what it says, pictures and links exist, the explanation is the real one."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of README.md in ``language``; an empty string for those that name none."""
    found = re.findall(r"^```(.*)\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)
    return [body for named, body in found if named == language]


def promised(example: str) -> list[str]:
    """What the comments say that each print gives: in its line, up to a wider gap, or in the line below."""
    said = re.findall(r"^print\(.*\)(?:[ ]+|\n)# (.*?)(?:[ ]{2,}.*)?$", example, re.MULTILINE)
    return [want.replace("…", "...") + "\n" for want in said]


def test_the_python_examples_print_what_their_comments_say() -> None:
    names: dict[str, object] = {}
    checked = 0
    for example in blocks("python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, "README.md", "exec"), names)
        lines = printed.getvalue().splitlines(keepends=True)
        wanted = promised(example)
        assert len(lines) == len(wanted)
        for line, want in zip(lines, wanted, strict=True):
            assert doctest.OutputChecker().check_output(want, line, doctest.ELLIPSIS), f"README: {want}got:    {line}"
            checked += 1
    assert checked >= 3


def test_the_explanation_shown_is_the_one_given() -> None:
    script = "tutorials/demos/inplace.py"
    command = [sys.executable, "-m", "inspector", "explain", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120, check=False)
    given = done.stdout.replace(str(ROOT / script), script).split()
    assert given in [block.split() for block in blocks("")], done.stdout + done.stderr


def test_every_picture_and_link_leads_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", TEXT) if "://" not in target]
    assert any(target.endswith(".png") for target in targets)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_two_commands_are_all_that_a_newcomer_types() -> None:
    assert blocks("sh")[:2] == ["pip install -e . && inspector demo\n", 'pip install -e ".[test]" && pytest\n']
