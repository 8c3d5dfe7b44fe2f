"""Saved state comes back as it was; nothing in a file is executed; an interrupted save leaves the old file whole."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import subprocess
import sys
import time
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad import nn, optim
from minigrad.serialization import SavedFileError

ROOT = Path(__file__).resolve().parents[1]


def back(value: Any) -> Any:
    """``value``, saved and loaded."""
    file = io.BytesIO()
    mg.save(value, file)
    return mg.load(file)


@pytest.mark.parametrize("kind", mg.dtypes.ALL, ids=str)
def test_tensors_of_every_type_and_shape_come_back(kind: mg.dtypes.dtype) -> None:
    for shape in ((), (0,), (3,), (2, 0, 3), (2, 3)):
        tensor = (mg.rand(shape) * 10).to(kind)
        found = back(tensor)
        assert found.dtype is kind
        assert found.shape == tensor.shape
        assert mg.equal(found, tensor)


def test_a_view_comes_back_as_what_it_shows_and_no_more() -> None:
    file = io.BytesIO()
    mg.save(mg.arange(1_000_000).reshape(1000, 1000).t()[3, ::500], file)
    assert len(file.getvalue()) < 2000
    assert mg.load(file).tolist() == [3, 500003]


def test_parameters_come_back_as_parameters_and_tied_ones_stay_one() -> None:
    weight = nn.Parameter(mg.ones(2), requires_grad=False)
    needs = mg.ones(2, requires_grad=True)
    found = back({"a": weight, "b": weight, "needs": needs})
    assert type(found["a"]) is nn.Parameter
    assert not found["a"].requires_grad
    assert found["a"] is found["b"]
    assert found["needs"].requires_grad
    assert found["needs"].is_leaf


PLAIN = [
    None, True, 0, -(2**70), 0.1, float("inf"), "ü\ud800", b"\x00\xff", 1 - 2j, (), (1, "a"), [], [[1], (2,)], {},
    {1: "int", "1": "text", None: 0, (1, 2): [3], 1.5: True}, {1, 2}, mg.float32, mg.Size([2, 3]), mg.device("cpu"),
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_come_back_with_their_types(value: Any) -> None:
    found = back(value)
    assert found == value
    assert type(found) is type(value)


def test_what_is_not_a_number_and_the_sign_of_zero_come_back() -> None:
    found = back([float("nan"), -0.0, complex(-0.0, float("-inf"))])
    assert [str(one) for one in found] == ["nan", "-0.0", "(-0-infj)"]


def test_numpys_values_come_back() -> None:
    found = back({"scalar": np.float64(0.1), "count": np.int32(3), "flag": np.bool_(True), "a": np.arange(3)})
    assert (found["scalar"], found["count"], found["flag"]) == (0.1, 3, True)
    assert isinstance(found["a"], np.ndarray)
    assert found["a"].tolist() == [0, 1, 2]
    assert back(OrderedDict(a=1)) == {"a": 1}


def test_names_that_would_meet_in_the_file_are_kept_apart() -> None:
    state = {
        "a.b": mg.tensor(1.0),
        "a": {"b": mg.tensor(2.0)},
        "../x": mg.tensor(3.0),
        0: mg.tensor(4.0),
        "0": mg.tensor(5.0),
    }
    found = back(state)
    assert [found["a.b"].item(), found["a"]["b"].item(), found["../x"].item(), found[0].item(), found["0"].item()] == [
        1.0, 2.0, 3.0, 4.0, 5.0,
    ]  # fmt: skip


MAKERS = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: optim.Adam(p, betas=(0.8, 0.99), amsgrad=True),
    "RMSprop": lambda p: optim.RMSprop(p, momentum=0.5, centered=True),
    "Adagrad": lambda p: optim.Adagrad(p),
    "LBFGS": lambda p: optim.LBFGS(p, max_iter=2),
}


@pytest.mark.parametrize("name", MAKERS)
def test_training_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(name: str, tmp_path: Path) -> None:
    def parts() -> tuple[nn.Module, optim.Optimizer, optim.lr_scheduler.StepLR]:
        mg.manual_seed(1)
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = MAKERS[name](model.parameters())
        return model, optimizer, optim.lr_scheduler.StepLR(optimizer, 2)

    def train(model: nn.Module, optimizer: optim.Optimizer, schedule: Any, steps: range) -> list[float]:
        losses = []
        for step in steps:
            x = mg.tensor(np.random.default_rng(step).normal(size=(8, 3)), dtype=mg.float32)

            def closure(x: Any = x) -> Any:
                optimizer.zero_grad()
                loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
                loss.backward()
                return loss

            losses.append(optimizer.step(closure).item())
            schedule.step()
        return losses

    one = parts()
    train(*one, range(4))
    file = tmp_path / "checkpoint.npz"
    mg.save({"parts": [part.state_dict() for part in one], "rng": mg.get_rng_state()}, file)
    expected = train(*one, range(4, 8))

    other = parts()
    loaded = mg.load(file)
    for part, state in zip(other, loaded["parts"], strict=True):
        part.load_state_dict(state)
    mg.set_rng_state(loaded["rng"])
    assert train(*other, range(4, 8)) == expected


def test_the_same_state_gives_the_same_file_and_numpy_can_read_it(tmp_path: Path) -> None:
    state = nn.Linear(2, 3).state_dict()
    mg.save(state, tmp_path / "one.npz")
    mg.save(state, str(tmp_path / "two.npz"))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["one.npz", "two.npz"]
    with np.load(tmp_path / "one.npz", allow_pickle=False) as file:
        assert np.array_equal(file["weight"], state["weight"].numpy())


def test_a_file_that_numpy_wrote_is_a_dictionary_of_tensors(tmp_path: Path) -> None:
    weight = np.arange(6.0).reshape(2, 3)
    np.savez(tmp_path / "w.npz", weight=np.asfortranarray(weight), bias=np.ones(2, ">f4"))
    found = mg.load(tmp_path / "w.npz", map_location="cpu", weights_only=True)
    assert mg.equal(found["weight"], mg.tensor(weight))
    assert found["bias"].dtype is mg.float32
    assert found["bias"].tolist() == [1.0, 1.0]


# Refusals


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (nn.Linear(1, 1), "cannot save the value, a Linear: only state is saved, never code; save its .state_dict()"),
        ({"model": nn.Linear(1, 1)}, "cannot save the value under 'model', a Linear: only state"),
        (
            {"a": [1, print]},
            "cannot save the value under 'a' → '1', a builtin_function_or_method: a file holds tensors",
        ),
        ([np.array([object()])], "an array of type object holds more than numbers"),
        ({print: 1}, "a builtin_function_or_method"),
    ],
)
def test_what_is_no_plain_state_is_refused_by_its_place(value: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError) as error:
        mg.save(value, tmp_path / "x.npz")
    assert said in str(error.value)
    assert os.listdir(tmp_path) == []


def test_state_that_contains_itself_is_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(TypeError, match="contains itself"):
        mg.save(ring, io.BytesIO())
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TypeError, match="nested too deeply"):
        mg.save(deep, io.BytesIO())


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("a pickle was executed",))


def zipped(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name.replace("__", "."), data)
    return file.getvalue()


def described(value: Any, **others: Any) -> bytes:
    return zipped(structure__json=json.dumps({"format": "minigrad", "version": 1, "value": value, **others}).encode())


def bomb() -> bytes:
    file = io.BytesIO()
    np.savez(file, a=np.array([Bomb()], dtype=object))
    return file.getvalue()


def compressed() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(1_000_000))
    return file.getvalue()


def huge() -> bytes:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,)}"
    return zipped(a__npy=b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"12345678")


HOSTILE = {
    "empty": (b"", "is empty"),
    "text": (b"hello there", "is no file that minigrad.save or numpy.savez wrote"),
    "pickle": (pickle.dumps(Bomb()), "is a pickle, as torch.save writes: opening it could run code"),
    "pt": (zipped(archive__data__pkl=b"").replace(b"archive.data", b"archive/data"), "is a pickle, as torch.save"),
    "objects": (bomb(), "holds Python objects under 'a', which are not loaded"),
    "compressed": (compressed(), "is compressed"),
    "huge": (huge(), "the array 'a' is not as long as it says"),
    "other zip": (zipped(readme__txt=b"hi"), "is a zip file, but none that minigrad.save"),
    "version": (described(1, version=2), "has version 2 of the format, and this minigrad reads version 1"),
    "format": (zipped(structure__json=b"{}"), "does not describe what minigrad.save writes"),
    "no json": (zipped(structure__json=b"\xff{"), "is damaged or not whole"),
    "tag": (described({"call": "os.system"}), "'call' is no kind of value that is known here"),
    "lost array": (described({"tensor": "w"}), "the array 'w' is not in it"),
    "odd dict": (described({"dict": [[1]]}), "'dict' is not described as it should be"),
    "unhashable": (described({"dict": [[[1], 2]]}), "'dict' is not described as it should be"),
    "odd size": (described({"size": ["x"]}), "a length that is no whole number"),
    "odd type": (described({"dtype": "os"}), "'dtype' is not described as it should be"),
    "deep": (zipped(structure__json=b"[" * 200_000), "is damaged or not whole: it is nested too deeply"),
    "cut": (compressed()[:40], "is damaged or not whole"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_damaged_file_gets_one_sentence(name: str, tmp_path: Path) -> None:
    data, said = HOSTILE[name]
    path = tmp_path / "x.npz"
    path.write_bytes(data)
    with pytest.raises(SavedFileError) as error:
        mg.load(path)
    assert said in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.oracle
def test_a_file_that_pytorch_wrote_is_told_from_others(torch: Any, tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "new.pt")
    torch.save({"w": torch.ones(2)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("new.pt", "old.pt"):
        with pytest.raises(SavedFileError, match=r"is a pickle, as torch\.save writes"):
            mg.load(tmp_path / name)


@given(st.data())
def test_a_file_that_is_cut_or_changed_anywhere_loads_as_it_was_or_not_at_all(data: st.DataObject) -> None:
    state = {"w": mg.arange(6.0), "n": [1, (2.5, "x")]}
    file = io.BytesIO()
    mg.save(state, file)
    whole = bytearray(file.getvalue())
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[place:]
    else:
        whole[place] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = mg.load(io.BytesIO(bytes(whole)))
    except SavedFileError:
        return
    assert found["w"].tolist() == state["w"].tolist()
    assert found["n"] == state["n"]


def test_other_devices_and_lost_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="on the CPU only"):
        mg.load(io.BytesIO(), map_location="cuda:0")
    with pytest.raises(FileNotFoundError):
        mg.load(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError):
        mg.save(1, tmp_path / "no folder" / "x.npz")


def test_a_model_refuses_values_of_a_type_that_would_be_cut() -> None:
    model = nn.Linear(2, 1)
    state = model.state_dict()
    model.load_state_dict({name: value.double() for name, value in state.items()})
    with pytest.raises(RuntimeError, match=r"type mismatch for weight: copying a param of type complex64"):
        model.load_state_dict({**state, "weight": state["weight"].cfloat()})


# Interruptions

SAVER = """
import sys
import minigrad as mg
path, size = sys.argv[1], int(sys.argv[2])
number = 0
while True:
    number += 1
    mg.save({"number": number, "w": mg.full((size,), float(number))}, path)
    print(number, flush=True)
"""


def test_whoever_is_killed_in_the_middle_of_a_save_keeps_the_file_before_it(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    chance = random.Random(0)
    for _ in range(6):
        command = [sys.executable, "-c", SAVER, str(path), "300000"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as saver:
            assert saver.stdout is not None
            first = saver.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.1))
            saver.kill()
            told = [int(line) for line in [first, *saver.stdout.read().splitlines()]]
        found = mg.load(path)
        assert found["number"] in (told[-1], told[-1] + 1)  # the last may have taken its place before it was told
        assert mg.equal(found["w"], mg.full((300_000,), float(found["number"])))


def test_a_save_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.npz"
    mg.save({"old": 1}, path)
    path.chmod(0o600)

    def full(handle: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        mg.save({"new": 2}, path)
    monkeypatch.undo()
    assert mg.load(path) == {"old": 1}
    assert os.listdir(tmp_path) == ["x.npz"]
    mg.save({"new": 2}, path)
    assert path.stat().st_mode & 0o777 == 0o600 or os.name != "posix"


@pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.npz").write_bytes(b"")
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    mg.save([1], tmp_path / "link.npz")
    assert (tmp_path / "link.npz").is_symlink()
    assert mg.load(tmp_path / "real.npz") == [1]
    mg.save([1], "/dev/null")
