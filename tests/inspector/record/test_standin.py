"""minigrad in PyTorch's place: scripts that import torch run as they are, and are told by name what is missing."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.record.runner import run_script
from inspector.record.standin import VERSION
from inspector.trace.facts import Printed, ScriptEnded
from inspector.trace.trace import Trace

Runs = Callable[[str], Trace]


@pytest.fixture
def run(tmp_path: Path) -> Runs:
    """Runs a script, given as text, with minigrad in torch's place."""

    def runs(source: str) -> Trace:
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(source), encoding="utf-8")
        return run_script(script, timeout=60, stands_for="torch")

    return runs


def printed(trace: Trace) -> list[str]:
    return "".join(one.text for one in trace.facts if isinstance(one, Printed) and one.stream == "stdout").splitlines()


def ended(trace: Trace) -> ScriptEnded:
    last = trace.facts[-1]
    assert isinstance(last, ScriptEnded)
    return last


def test_every_way_of_importing_reaches_the_same_objects(run: Runs) -> None:
    trace = run(
        """
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        import torch.optim.lr_scheduler as schedules
        import torch.backends.cudnn as cudnn
        import torch.autograd.functional
        from torch import Tensor, float32, optim
        from torch import nn as again
        from torch.autograd import Function
        from torch.nn.modules.module import Module
        from torch.nn.parameter import Parameter
        from torch.optim.lr_scheduler import StepLR
        from torch.utils.checkpoint import checkpoint
        import minigrad

        print(nn is again is torch.nn, F is torch.nn.functional, schedules is optim.lr_scheduler)
        print(Tensor is minigrad.Tensor, Module is nn.Module is minigrad.nn.Module, StepLR is schedules.StepLR)
        print(torch.float32 is float32, torch.ones(2).dtype is torch.float32)
        print(isinstance(torch.ones(2), torch.Tensor), isinstance(torch.ones(2).shape, torch.Size))
        print(isinstance(nn.Linear(1, 1), torch.nn.Module), issubclass(Function, torch.autograd.Function))
        print("nn" in dir(torch), "Linear" in dir(torch.nn), torch.__version__)
        """
    )
    assert ended(trace).kind == "ok", ended(trace).traceback
    *truths, last = printed(trace)
    assert {word for line in truths for word in line.split()} == {"True"}
    assert last == f"True True {VERSION}"


def test_a_training_script_is_recorded_on_its_own_lines(run: Runs) -> None:
    trace = run(
        """
        import torch
        from torch import nn
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.backends.cudnn.deterministic = True
        torch.cuda.manual_seed_all(0)
        w = torch.tensor([3.0], requires_grad=True, device=device)
        (w * w).sum().backward()
        print(w.grad, w.device.type)
        """
    )
    assert printed(trace) == ["tensor([6.]) cpu"]
    multiplied = next(one for one in trace.facts if getattr(one, "op", None) == "mul")
    assert multiplied.place is not None
    assert (Path(multiplied.place.file).name, multiplied.place.line) == ("script.py", 8)


@pytest.mark.parametrize(
    ("line", "error", "said"),
    [
        ("torch.compile(print)", "AttributeError", "minigrad has no torch.compile; every call is computed at once"),
        ("from torch import compile", "ImportError", "minigrad has no torch.compile; every call is computed at once"),
        ("import torch.distributed as dist", "ImportError", "minigrad has no torch.distributed; it computes in one"),
        ("from torch.utils.tensorboard import SummaryWriter", "ImportError", "minigrad has no torch.utils.tensorboard"),
        (
            "from torch.optim.lr_scheduler import StepLr",
            "ImportError",
            "minigrad has no torch.optim.lr_scheduler.StepLr",
        ),
        (
            "torch.nn.Linaer(1, 1)",
            "AttributeError",
            "module 'torch.nn' has no attribute 'Linaer'; did you mean 'Linear'?",
        ),
        ("import torchvision", "ModuleNotFoundError", "torchvision needs PyTorch itself, not minigrad: load the data"),
        (
            "torch.ones(2).cuda()",
            "AttributeError",
            "'Tensor' object has no attribute 'cuda': minigrad has none; there is",
        ),
        (
            "torch.nn.Linear(1, 1).cuda()",
            "AttributeError",
            "'Linear' object has no attribute 'cuda': minigrad has none",
        ),
        (
            "torch.ones(2).to('cuda')",
            "RuntimeError",
            "minigrad computes on the CPU only: device='cuda' is not available",
        ),
        ("torch.device('cuda')", "RuntimeError", "minigrad computes on the CPU only: device='cuda' is not available"),
        ("torch.zeros(2, dtype=torch.bfloat16)", "AttributeError", "minigrad has no torch.bfloat16; NumPy has none"),
        ("torch.cuda.current_device()", "RuntimeError", "ask cuda.is_available() first, it is False"),
    ],
)
def test_what_is_missing_is_named_in_one_sentence_at_the_users_line(
    run: Runs, line: str, error: str, said: str
) -> None:
    trace = run(f"import torch\nx = torch.ones(2)\n{line}\n")
    end = ended(trace)
    assert (end.kind, end.error) == ("error", error)
    assert said in end.message
    assert "\n" not in end.message
    assert end.place is not None
    assert end.place.line == 3
    assert "standin" not in end.traceback
    assert "importlib" not in end.traceback


def test_asking_first_whether_something_is_there_says_no(run: Runs) -> None:
    trace = run(
        """
        import torch
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            SummaryWriter = None
        try:
            import torchvision
        except ImportError:
            torchvision = None
        print(SummaryWriter, torchvision, hasattr(torch, "compile"), hasattr(torch.ones(1), "cuda"))
        print(torch.cuda.is_available(), torch.backends.mps.is_available(), "cuda" in dir(torch.ones(1)))
        """
    )
    assert printed(trace) == ["None None False False", "False False False"]


def test_the_watching_process_keeps_its_own_torch(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\ntorch.ones(2)\n")
    program = (
        "import sys; from inspector.record.runner import run_script; "
        "trace = run_script(sys.argv[1], stands_for='torch'); "
        "print(trace.outcome.kind, 'torch' in sys.modules, any('standin' in type(f).__module__ for f in sys.meta_path))"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program, str(script)], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "ok False False\n", done.stderr
