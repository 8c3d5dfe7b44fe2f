"""Every pane and theme looks as it did when somebody last looked at it; see ``looks.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector.app.looks import FOLDER, SIZES, looks, pieces


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
async def test_the_screen_looks_as_it_did(size: tuple[int, int], tmp_path: Path) -> None:
    taken = {name: svg async for name, svg in looks(size)}
    known = {path.stem for path in FOLDER.glob(f"*-{size[0]}x{size[1]}.svg")}
    assert all(len(pieces(svg)) > 20 for svg in taken.values())
    changed = []
    for name, svg in taken.items():
        if name in known and pieces((FOLDER / f"{name}.svg").read_text(encoding="utf-8")) != pieces(svg):
            (tmp_path / f"{name}.svg").write_text(svg, encoding="utf-8")
            changed.append(name)
    assert not changed, f"look at them in {tmp_path}; if they are right: python -m tests.inspector.app.looks"
    assert set(taken) == known
