"""What is compared is the same: each workload and each operation gives everybody the same results. Nothing is timed."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import minigrad
from tests.benchmarks import contest, inputs
from tests.benchmarks.agreement import disagreement, results
from tests.benchmarks.contestants import OURS, PACKAGES, TORCH, Contestant, Package, installed, missing
from tests.benchmarks.figures import RATIO, SECONDS, Row, exact
from tests.benchmarks.operations import OPERATIONS, SIZES, Operation
from tests.benchmarks.ops import middle_of, refused
from tests.benchmarks.workloads import WORKLOADS, Workload


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same texts with fewer repetitions."""
    for name, count in {"SCALAR_STEPS": 40, "VECTOR_STEPS": 20, "LONG_STEPS": 200, "USES": 30, "RNN_STEPS": 10}.items():
        monkeypatch.setattr(inputs, name, count)


def test_there_are_the_ten_workloads() -> None:
    assert len({workload.key for workload in WORKLOADS}) == 10


@pytest.mark.oracle
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.key)
def test_a_workload_gives_the_results_of_pytorch(workload: Workload, torch: ModuleType) -> None:
    ours, theirs = (results(workload.prepare(xp)) for xp in (minigrad, torch))
    assert disagreement(ours, theirs) is None
    assert all(np.isfinite(one).all() for one in ours)
    assert any(np.abs(one).max() > 1e-6 for one in ours[1:]), "only zeros: that would agree with anything"


@pytest.mark.parametrize("peer", [package for package in PACKAGES if package.text], ids=lambda one: one.contestant)
@pytest.mark.filterwarnings("ignore")
def test_a_peer_gives_our_results_in_every_workload_that_it_has(peer: Package) -> None:
    pytest.importorskip(peer.module)
    contestant = peer.load()
    prepared = {workload: contestant.prepare(workload) for workload in WORKLOADS}
    found = {workload: step for workload, step in prepared.items() if step is not None}
    assert len(found) >= 5
    for workload, step in found.items():
        assert disagreement(results(step), results(workload.prepare(minigrad))) is None, workload.title


@pytest.mark.oracle
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_gives_the_results_of_pytorch_at_every_size(operation: Operation, torch: ModuleType) -> None:
    for shape in SIZES.values():
        if operation.fits(shape):
            assert refused(operation, shape, torch) is None


def _made_up(**values: object) -> list[Contestant]:
    return [Contestant(name, lambda _, value=value: lambda: [np.asarray(value)]) for name, value in values.items()]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.float32([1.0, 2.5]), "differs in result 1 by up to 0.5"),
        (np.float32([1.0, np.nan]), "differs in result 1 by up to nan"),
        (np.float64([1.0, 2.0]), "in float64 where float32 was expected"),
        (np.float32([[1.0, 2.0]]), r"the shape (1, 2) where (2,) was expected"),
    ],
)
def test_whoever_computes_something_else_is_refused_with_a_sentence(value: object, words: str) -> None:
    made = _made_up(PyTorch=np.float32([1.0, 2.0]), minigrad=np.float32([1.0, 2.0]), other=value)
    steps, refusals = contest.agreeing(WORKLOADS[0], made)
    assert list(steps) == [TORCH, OURS]
    assert len(refusals) == 1
    assert words in refusals[0]
    assert refusals[0].endswith("so it is not timed.")


def test_rounding_is_no_disagreement() -> None:
    assert disagreement([np.float32([1.0, 1e-9])], [np.float32([1.00001, 0.0])]) is None


def test_a_peer_that_is_not_installed_is_left_out_with_a_line_that_says_how_to_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.benchmarks.contestants.find_spec", lambda module: module in ("numpy", "minigrad"))
    assert [contestant.name for contestant in installed()] == [OURS, "NumPy by hand"]
    assert len(missing()) == 3
    assert all('pip install -e ".[bench]"' in line for line in missing())


def test_the_table_has_a_row_for_each_workload_and_its_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "installed", lambda: _made_up(PyTorch=1.0, minigrad=1.0, MyGrad=1.0))
    monkeypatch.setattr(contest, "BUDGET", 0.0)
    monkeypatch.setattr("tests.benchmarks.timing.TURN", 0.0)
    monkeypatch.setattr(contest, "WORKLOADS", WORKLOADS[:2])
    rows = [row for row in contest.rows(quick=False) if isinstance(row, Row)]
    assert [row.name for row in rows] == [workload.title for workload in WORKLOADS[:2]]
    assert all(list(row.figures) == [OURS, "MyGrad", "PyTorch's time"] for row in rows)
    assert [row.figures[OURS].at_most for row in rows] == [workload.at_most for workload in WORKLOADS[:2]]


def test_without_pytorch_times_are_told_instead_of_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "installed", lambda: _made_up(minigrad=1.0, MyGrad=1.0))
    monkeypatch.setattr(contest, "BUDGET", 0.0)
    monkeypatch.setattr(contest, "WORKLOADS", WORKLOADS[:1])
    (row,) = (row for row in contest.rows(quick=False) if isinstance(row, Row))
    assert {name: figure.unit for name, figure in row.figures.items()} == {OURS: SECONDS, "MyGrad": SECONDS}


def test_if_we_compute_something_else_ourselves_there_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "installed", lambda: _made_up(PyTorch=1.0, minigrad=2.0))
    monkeypatch.setattr(contest, "WORKLOADS", WORKLOADS[:1])
    (said,) = (row for row in contest.rows(quick=False) if "minigrad" in str(row))
    assert said.startswith(f"{WORKLOADS[0].title}: minigrad differs in result 1 by up to 1")


def test_the_middle_of_all_operations_is_a_median() -> None:
    rows = [Row(name, {"scalar": exact(value, RATIO)}) for name, value in (("a", 1.0), ("b", 2.0), ("c", 9.0))]
    assert middle_of(rows)["scalar"].value == 2.0


def test_a_quick_run_leaves_the_peers_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "installed", lambda: _made_up(PyTorch=1.0, minigrad=1.0, MyGrad=1.0))
    monkeypatch.setattr(contest, "QUICK_BUDGET", 0.0)
    monkeypatch.setattr(contest, "WORKLOADS", WORKLOADS[:1])
    said, row = contest.rows(quick=True)
    assert "left out of a quick run" in str(said)
    assert isinstance(row, Row)
    assert "MyGrad" not in row.figures
