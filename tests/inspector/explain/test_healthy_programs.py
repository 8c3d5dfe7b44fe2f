"""Programs as people rightly write them: a finding in any of these is a false alarm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.explain import explain
from inspector.record.runner import run_script

Healthy = Callable[[str], None]

ROOT = Path(__file__).resolve().parents[3]
DEMOS = {path.stem: path for path in sorted((ROOT / "tutorials" / "demos").glob("*.py"))}
TAUGHT = {"inplace": ["inplace-version"], "twice": ["backward-twice"], "fanout": ["grad-accumulated"]}
"""What three of the demos are there to show."""

TRAINING = """
import minigrad as mg
from minigrad import nn
mg.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
x, labels = mg.randn(8, 3), mg.tensor([0, 1, 0, 1, 1, 0, 1, 0])
optimizer = mg.optim.{optimizer}
for epoch in range(6):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), labels)
    loss.backward()
    {before_step}
    optimizer.step()
    print(epoch, loss.item())
with mg.no_grad():
    print((net(x).argmax(1) == labels).float().mean().item())
"""


@pytest.mark.parametrize(
    "optimizer", ["SGD(net.parameters(), lr=0.1, momentum=0.9)", "Adam(net.parameters(), lr=0.01)"]
)
@pytest.mark.parametrize(
    "before_step",
    [
        "pass",
        "nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
        "print([p.grad.norm().item() for p in net.parameters()])",
    ],
    ids=["plain", "clipped", "watched"],
)
def test_a_training_loop(healthy: Healthy, optimizer: str, before_step: str) -> None:
    healthy(TRAINING.format(optimizer=optimizer, before_step=before_step))


PROGRAMS = {
    "a head on frozen features": """
        from minigrad import nn
        body, head = nn.Linear(3, 4), nn.Linear(4, 1)
        for p in body.parameters():
            p.requires_grad_(False)
        optimizer = mg.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            head(body(mg.ones(2, 3)).relu()).sum().backward()
            optimizer.step()
    """,
    "a moving average of the weights": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        average = w.detach().clone()
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(6):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
            with mg.no_grad():
                average.mul_(0.9).add_(0.1 * w)
    """,
    "a recurrent net, all of a sequence": """
        from minigrad import nn
        cell, out = nn.Linear(5, 4), nn.Linear(4, 1)
        optimizer = mg.optim.Adam([*cell.parameters(), *out.parameters()], lr=0.01)
        for _ in range(4):
            optimizer.zero_grad()
            h = mg.zeros(2, 4)
            loss = 0.0
            for t in range(6):
                h = cell(mg.cat([h, mg.ones(2, 1)], 1)).tanh()
                loss = loss + (out(h) ** 2).mean()
            loss.backward()
            optimizer.step()
    """,
    "two players, each with an optimiser": """
        g = mg.tensor([1.0], requires_grad=True)
        d = mg.tensor([0.5], requires_grad=True)
        of_g, of_d = mg.optim.SGD([g], lr=0.1), mg.optim.SGD([d], lr=0.1)
        for _ in range(5):
            of_d.zero_grad()
            fake = g * 2.0
            ((d * fake.detach()) ** 2 + (d - 1.0) ** 2).sum().backward()
            of_d.step()
            of_g.zero_grad()
            ((d * (g * 2.0)) ** 2).sum().backward()
            of_g.step()
    """,
    "a gradient penalty": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            x = mg.ones(2, requires_grad=True)
            score = (w * x * x).sum()
            (slope,) = mg.autograd.grad(score, x, create_graph=True)
            (score + (slope.norm() - 1.0) ** 2).backward()
            optimizer.step()
    """,
    "several steps inside, differentiated through": """
        theta = mg.tensor(2.0, requires_grad=True)
        w = theta
        for _ in range(5):
            (g,) = mg.autograd.grad(w ** 2, w, create_graph=True)
            w = w - 0.1 * g
        (w ** 2).backward()
        print(theta.grad)
    """,
    "Jacobian, Hessian and products by the functional interface": """
        from minigrad.autograd import functional
        x = mg.tensor([1.0, 2.0])
        functional.jacobian(lambda t: t * t, x)
        functional.hessian(lambda t: (t ** 3).sum(), x)
        functional.hvp(lambda t: (t ** 3).sum(), x, mg.ones(2))
    """,
    "a buffer that is filled row by row": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        rows = mg.zeros(4, 2)
        for i in range(4):
            rows[i] = w * float(i)
        rows.sum().backward()
        print(w.grad)
    """,
    "a custom function, its save and its checkpoint": """
        class Cube(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 3.0 * x * x * g
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        Cube.apply(x).sum().backward()
        print(x.grad)
    """,
    "hooks that watch and hooks that clip": """
        seen = []
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        w.register_hook(lambda g: g.clamp(-1.0, 1.0))
        w.register_hook(lambda g: seen.append(g.norm().item()))
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            (w ** 4).sum().backward()
            optimizer.step()
    """,
    "shared weights and an embedding": """
        from minigrad import nn
        table = nn.Embedding(5, 3)
        optimizer = mg.optim.SGD(table.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            (table(mg.tensor([0, 3, 3])) @ table.weight.T).logsumexp(1).sum().backward()
            optimizer.step()
    """,
    "descent by hand": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(5):
            loss = ((w - 3.0) ** 2).sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
    """,
    "a step that goes through grad": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        losses = []
        for _ in range(6):
            loss = ((w - 3.0) ** 2).sum()
            (g,) = mg.autograd.grad(loss, w)
            losses.append(loss.item())
            w = (w - 0.1 * g).detach().requires_grad_()
        print(w.grad is None, losses[-1])
    """,
    "numbers that were read to be looked at": """
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * w
        print(h.tolist(), h.sum().item(), h.detach().numpy(), bool(h.sum() > 0))
        scale = mg.tensor(h.sum().item())
        (h / scale).sum().backward()
        print(w.grad)
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_as_people_rightly_write_it(healthy: Healthy, program: str) -> None:
    lines = [line.removeprefix("        ") for line in program.splitlines()]
    healthy("import minigrad as mg\nmg.manual_seed(0)\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize("demo", DEMOS.values(), ids=DEMOS)
def test_a_demo_shows_the_fault_that_it_is_about_and_no_other(demo: Path) -> None:
    trace = run_script(demo, timeout=120)
    assert [finding.kind for finding in explain(trace)] == TAUGHT.get(demo.stem, [])


def test_training_on_the_digits_has_no_finding() -> None:
    trace = run_script(ROOT / "tutorials" / "digits.py", ["--epochs", "1"], timeout=300)
    assert trace.outcome is not None
    assert trace.outcome.kind == "ok"
    assert explain(trace) == []
