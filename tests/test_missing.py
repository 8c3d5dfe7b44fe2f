"""What minigrad lacks is named, with what to use instead; and nothing is called missing that is there."""

from __future__ import annotations

import importlib

import pytest

import minigrad as mg
from minigrad import missing, nn

MODULES = ["", ".nn", ".nn.functional", ".nn.utils", ".optim", ".utils", ".utils.data", ".func", ".cuda", ".backends"]


@pytest.mark.parametrize("path", missing.INSTEAD)
def test_what_is_called_missing_is_not_there(path: str) -> None:
    holder, _, name = f"minigrad.{path}".rpartition(".")
    try:
        module = importlib.import_module(holder)
    except ModuleNotFoundError:
        return
    with pytest.raises(AttributeError, match=rf"minigrad has no torch\.{path.replace('.', '[.]')}; "):
        getattr(module, name)


@pytest.mark.parametrize("name", [name for name in dir(missing.AbsentMethods) if not name.startswith("_")])
def test_a_method_that_tensors_lack_is_named_and_hidden(name: str) -> None:
    tensor = mg.ones(2)
    with pytest.raises(AttributeError, match=rf"'Tensor' object has no attribute '{name}': minigrad has none; "):
        getattr(tensor, name)
    assert not hasattr(tensor, name)
    assert name not in dir(tensor)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_was_perhaps_meant(module: str) -> None:
    holder = importlib.import_module(f"minigrad{module}")
    name = next(one for one in dir(holder) if one.islower() and len(one) > 4 and not one.startswith("_"))
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}q'; did you mean '{name}'\?"):
        getattr(holder, f"{name}q")
    with pytest.raises(AttributeError, match=r"dir\(minigrad"):
        holder.zzzzzz  # noqa: B018


def test_what_python_itself_asks_for_is_answered_shortly() -> None:
    with pytest.raises(AttributeError, match=r"^module 'minigrad' has no attribute '__wrapped__'$"):
        mg.__wrapped__  # noqa: B018


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: nn.Linear(1, 1).bfloat16(), "NumPy has none; use float32"),
        (lambda: nn.Linear(1, 1).cuda(), "there is the CPU only, so leave it out"),
        (lambda: mg.ones(2).to_sparse(), "tensors are dense"),
        (lambda: mg.sparse_coo, "tensors are dense"),
        (lambda: mg.bfloat16, "NumPy has none; use float32, or float16"),
    ],
)
def test_bfloat16_sparse_and_devices_get_a_sentence(ask: object, said: str) -> None:
    with pytest.raises(AttributeError, match=said) as error:
        ask()  # type: ignore[operator]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", ["cuda", "cuda:1", "mps", "meta"])
def test_a_device_other_than_the_cpu_is_refused_wherever_it_is_named(given: str) -> None:
    for ask in (
        lambda: mg.device(given),
        lambda: mg.ones(2, device=given),
        lambda: mg.ones(2).to(given),
        lambda: nn.Linear(1, 1).to(given),
        lambda: nn.Linear(1, 1).to(device=given),
        lambda: mg.Generator(device=given),
    ):
        with pytest.raises(RuntimeError, match=r"minigrad computes on the CPU only: device='[a-z]+(:1)?'"):
            ask()


def test_the_cpu_is_a_device_by_name_and_number() -> None:
    device = mg.device("cpu", 0)
    assert (device.type, device.index, str(device)) == ("cpu", 0, "cpu:0")
    assert mg.device(device) == device != mg.device("cpu")
    assert mg.ones(2, device=mg.device("cpu")).device == "cpu"
    with mg.device("cpu"):
        assert mg.ones(2).device.type == "cpu"
    assert repr(mg.ones(1).device) == "device(type='cpu')"
