"""Every section can be run; the traces made up for them are sound; a copy without guards still computes the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from inspector.trace.facts import NodeCreated
from tests.benchmarks import command
from tests.benchmarks.circumstances import ROOT
from tests.benchmarks.graph_facts import synthetic
from tests.benchmarks.memory import per_event, per_node, tracked_by
from tests.benchmarks.training_facts import trace_of
from tests.benchmarks.without_guards import Cutter, copy
from tests.benchmarks.worker import Worker


@pytest.mark.parametrize("name", sorted(command.SECTIONS))
def test_a_section_says_what_it_measures(name: str) -> None:
    section = import_module(f"tests.benchmarks.{name}")
    assert section.TITLE
    assert callable(section.rows)


def test_the_command_lists_its_sections(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(command.SECTIONS)


def test_threads_cannot_be_limited_once_numpy_is_there() -> None:
    program = "import numpy\nfrom tests.benchmarks.one_thread import use_one_thread as use\nuse()"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "after NumPy was imported" in done.stderr


def test_made_up_traces_can_be_walked_to_their_end() -> None:
    graph, training = synthetic(60, 1_000), trace_of(3_000)
    assert len(training) == 3_000
    assert len(graph) >= 1_000
    assert sum(isinstance(fact, NodeCreated) for fact in graph.facts) == 60
    assert all(trace.at(len(trace)).tensors for trace in (graph, training))


def cut(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(Cutter().visit(ast.parse(text))))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if Kind.listeners:\n    tell()\nrest()", "pass\nrest()"),
        ("if x and Kind.listeners:\n    tell()\nelse:\n    rest()", "rest()"),
        ("if a(x) and Kind.listeners:\n    tell()", "if a(x) and False:\n    tell()"),
        ("if regime.unusual or odd(x):\n    slow()", "if odd(x):\n    slow()"),
        ("if not regime.unusual:\n    quick()", "quick()"),
        ("told = bool(Kind.listeners)", "told = False"),
        ("f = slow if Kind.listeners else quick", "f = quick"),
        ("if audience.places:\n    look()", "pass"),
        ("if regime.unusual == 1 and audience.journal is not None:\n    note()", "pass"),
        ("if audience.journal is not None:\n    note()", "pass"),
        ("audience.places = True", "audience.places = True"),
        ("if tell := audience.scope_left:\n    tell()\nrest()", "pass\nrest()"),
        ("if (tell := audience.scope_left) and not quiet:\n    tell()", "pass"),
    ],
)
def test_a_guard_is_cut_out_with_all_that_hangs_on_it(before: str, after: str) -> None:
    assert cut(before) == after


def test_the_copy_without_guards_still_computes_and_says_nothing(tmp_path: Path) -> None:
    assert copy(ROOT / "minigrad", tmp_path) > 50
    program = (
        "import minigrad as mg; from minigrad.events import listen, OpApplied; heard = []\n"
        "x = mg.tensor(3.0, requires_grad=True)\n"
        "with listen(heard.append, OpApplied): (x * x).backward()\n"
        "print(x.grad.item(), len(heard), mg.__file__)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:2] == ["6.0", "0"]
    assert Path(done.stdout.split()[2]).is_relative_to(tmp_path)


def test_a_worker_runs_the_minigrad_of_its_folder(tmp_path: Path) -> None:
    copy(ROOT / "minigrad", tmp_path, without=False)
    with Worker(tmp_path) as worker:
        assert worker.take("tiny_mlp", 2) > 0
    (tmp_path / "minigrad" / "__init__.py").write_text("raise SystemExit('no minigrad here')", encoding="utf-8")
    with Worker(tmp_path) as broken, pytest.raises(RuntimeError, match="a worker that was to run tiny_mlp has ended"):
        broken.take("tiny_mlp", 1)


def test_a_worker_counts_instructions_to_the_last_one(tmp_path: Path) -> None:
    copy(ROOT / "minigrad", tmp_path, without=False)
    with Worker(tmp_path) as worker:
        worker.count("tiny_mlp")
        counted = [worker.count("tiny_mlp") for _ in range(2)]
    assert counted[0] == counted[1] > 1_000


def test_nodes_that_save_more_weigh_more() -> None:
    light, heavy = (per_node(link, 300)["in a graph"].value for link in (lambda h, w: h + w, lambda h, w: h * w))
    assert 0 < light < heavy


def test_the_collector_looks_at_containers_and_not_at_numbers() -> None:
    assert tracked_by(lambda: [[one] for one in range(100)])[1] == 101
    assert tracked_by(lambda: 1.5)[1] == 0


def test_an_event_weighs_something_in_memory_and_in_a_file() -> None:
    figures = per_event({}, 50)
    assert all(figure.value > 10 for figure in figures.values())
