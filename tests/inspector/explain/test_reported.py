"""Values overwritten, graphs freed and numbers that are not finite, as people report them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain
from tests.inspector.explain.reports import Report

Healthy = Callable[[str], None]

REPORTS = {
    "an element of a weight set where that is recorded": Report(
        """
        import minigrad as mg
        w = mg.zeros(3, requires_grad=True)  #: created
        w[0] = 1.0  #: mutated
        """,
        "view-inplace",
        ("w[0] is a view of w, which is a leaf that requires grad, made on line 2",),
        "with mg.no_grad():\n    w[0] = 1.0",
        (("w[0] = 1.0", "with mg.no_grad():\n    w[0] = 1.0"),),
        RuntimeError,
    ),
    "the other optimiser steps between a forward pass and its backward": Report(
        """
        import minigrad as mg
        critic = mg.tensor([2.0], requires_grad=True)
        maker = mg.tensor([1.0], requires_grad=True)
        opt = mg.optim.SGD([critic], lr=0.1)
        fake = maker * 3.0
        g_loss = (critic * fake).sum()  #: saved
        (critic * fake.detach()).sum().backward()
        opt.step()  #: mutated
        g_loss.backward()
        """,
        "inplace-version",
        ("saved critic at version 0", "SGD.step on line 8 (`opt.step()`) raised it to version 1"),
        "g_loss.backward()\nopt.step()  # after every pass that needs the old numbers",
        (("opt.step()\ng_loss.backward()", "g_loss.backward()\nopt.step()"),),
        RuntimeError,
    ),
    "a hidden state carried from turn to turn": Report(
        """
        import minigrad as mg
        w = mg.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.1)
        h = mg.zeros(1, 2)
        for step in range(3):
            opt.zero_grad()
            h = (h @ w + 1.0).tanh()  #: created
            loss = (h * h).sum()
            loss.backward()  #: freed used
            opt.step()
        """,
        "backward-twice",
        ("TanhBackward0 of h", "h is carried from one turn of the loop to the next with its whole history"),
        "h = h.detach()  # at the start of each turn",
        (("    opt.zero_grad()", "    h = h.detach()\n    opt.zero_grad()"),),
        RuntimeError,
    ),
    "retain_graph against the carried state, and then the optimiser": Report(
        """
        import minigrad as mg
        w = mg.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.1)
        state = mg.zeros(1, 2)
        for step in range(3):
            opt.zero_grad()
            state = (state @ w + 1.0).tanh()  #: saved
            loss = (state * state).sum()
            loss.backward(retain_graph=True)
            opt.step()  #: mutated
        """,
        "inplace-version",
        ("saved w at version 1", "through state, which is carried from one turn of the loop to the next"),
        "state = state.detach()  # at the start of each turn",
        (("    opt.zero_grad()", "    state = state.detach()\n    opt.zero_grad()"),),
        RuntimeError,
    ),
    "two losses share a part, and the first backward frees it": Report(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        shared = x.exp()  #: created
        first = (shared * 2).sum()
        second = (shared ** 2).sum()
        first.backward()  #: freed
        second.backward()  #: used
        """,
        "backward-twice",
        ("backward of second on line 7", "ExpBackward0 of shared, made on line 3 (`x.exp()`)"),
        "first.backward(retain_graph=True)",
        (("first.backward()", "first.backward(retain_graph=True)"),),
        RuntimeError,
    ),
    "a ReLU that writes over what a sigmoid had saved": Report(
        """
        import minigrad as mg
        nn = mg.nn
        net = nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(3, 1))  #: created
        loss = net(mg.ones(4, 2)).mean()  #: saved mutated
        loss.backward()
        """,
        "inplace-version",
        ("saved its own output, the result of module 1 (Sigmoid), at version 0", "relu_ of module 2 (ReLU) on line 4"),
        "nn.ReLU()",
        (("nn.ReLU(inplace=True)", "nn.ReLU()"),),
        RuntimeError,
    ),
    "a skip connection added in place": Report(
        """
        import minigrad as mg
        class Block(mg.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = mg.nn.Linear(3, 3)
            def forward(self, x):
                y = self.fc(x).exp()  #: saved
                y += x  #: mutated
                return y
        Block()(mg.ones(2, 3)).sum().backward()
        """,
        "inplace-version",
        ("exp on line 7 (`self.fc(x).exp()`)", "saved its own output y", "add_ on line 8 (`y += x`)"),
        "y = y + x",
        (("y += x", "y = y + x"),),
        RuntimeError,
    ),
    "a base written after a view of it was used": Report(
        """
        import minigrad as mg
        a = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        h = a * 2
        row = h[0]
        energy = row * row  #: saved
        h.mul_(0.5)  #: mutated
        energy.sum().backward()
        """,
        "inplace-version",
        ("saved row at version 0", "mul_ on line 6 (`h.mul_(0.5)`)"),
        "h = h.mul(0.5)",
        (("h.mul_(0.5)", "h = h.mul(0.5)"),),
        RuntimeError,
    ),
    "weights updated by hand before the pass that needs them": Report(
        """
        import minigrad as mg
        w = mg.tensor([2.0], requires_grad=True)
        x = mg.tensor([3.0], requires_grad=True)
        y = w * x  #: saved
        with mg.no_grad():
            w -= 0.5  #: mutated
        y.sum().backward()
        """,
        "inplace-version",
        ("saved w at version 0; then sub_ on line 6 (`w -= 0.5`)",),
        "y.sum().backward()\nw -= 0.5  # after every pass that needs the old numbers",
        (("with mg", "y.sum().backward()\nwith mg"), ("w -= 0.5\ny.sum().backward()", "w -= 0.5")),
        RuntimeError,
    ),
    "a quotient in the branch that where() did not choose": Report(
        """
        import minigrad as mg
        num = mg.tensor([0.0, 2.0], requires_grad=True)
        den = mg.tensor([0.0, 4.0], requires_grad=True)
        ratio = mg.where(den != 0, num / den, mg.zeros(2))  #: produced chose
        ratio.sum().backward()  #: used
        """,
        "nan-origin",
        ("at index 0: there den is exactly 0", "sends a gradient of 0 into the branch not chosen"),
        "safe = mg.where(den != 0, den, 1.0)\n# and then num / safe in the other where",
        (
            (
                "ratio = mg.where(den != 0, num / den",
                "safe = mg.where(den != 0, den, 1.0)\nratio = mg.where(den != 0, num / safe",
            ),
        ),
    ),
    "an entropy whose masked logarithm is infinite": Report(
        """
        import minigrad as mg
        p = mg.tensor([0.0, 0.5, 0.5], requires_grad=True)
        loss = mg.where(p > 0, p * p.log(), 0.0).sum()  #: produced chose
        loss.backward()  #: used
        """,
        "nan-origin",
        ("there log on line 3 had made infinity, since p is exactly 0", "That 0 comes from where() on line 3"),
        "safe = mg.where(p > 0, p, 1.0)\n# and then safe.log() in the other where",
        (
            (
                "loss = mg.where(p > 0, p * p.log()",
                "safe = mg.where(p > 0, p, 1.0)\nloss = mg.where(p > 0, p * safe.log()",
            ),
        ),
    ),
    "an entropy with a probability of 0": Report(
        """
        import minigrad as mg
        p = mg.tensor([0.0, 0.5, 0.5], requires_grad=True)
        entropy = -(p * p.log()).sum()  #: produced
        entropy.backward()  #: used
        """,
        "nan-origin",
        ("log on line 3 (`p.log()`)", "there p is exactly 0, and the logarithm of exactly 0 is -∞"),
        "(p + 1e-12).log()",
        (("p.log()", "(p + 1e-12).log()"),),
    ),
    "a softmax by hand that overflows": Report(
        """
        import minigrad as mg
        z = mg.tensor([1000.0, 1.0], requires_grad=True)
        e = z.exp()  #: produced
        loss = -(e / e.sum())[0].log()
        loss.backward()  #: used
        """,
        "nan-origin",
        ("there z is 1000, and the exponential of so large a number is beyond the largest float",),
        "(z - z.max()).exp()",
        (("z.exp()", "(z - z.max()).exp()"),),
    ),
    "steps that are too long": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        opt = mg.optim.SGD([w], lr=10.0)
        for _ in range(5):
            opt.zero_grad()
            loss = (w ** 4).sum()  #: produced
            loss.backward()  #: used
            opt.step()  #: stepped
        """,
        "nan-origin",
        ("the result is beyond the largest number", "the value had grown (17,", "each step of SGD on line 8"),
        "mg.optim.SGD([w], lr=0.1)",
        (("lr=10.0", "lr=0.01"),),
    ),
    "a cube root of a negative number": Report(
        """
        import minigrad as mg
        x = mg.tensor([-8.0, 8.0], requires_grad=True)
        y = (x ** (1.0 / 3.0)).sum()  #: produced
        y.backward()  #: used
        """,
        "nan-origin",
        ("there x is -8, and a negative number has no power with a fractional exponent",),
        "x.sign() * x.abs() ** (1.0 / 3.0)",
        (("x ** (1.0 / 3.0)", "x.sign() * x.abs() ** (1.0 / 3.0)"),),
    ),
    "an angle between a vector and itself": Report(
        """
        import minigrad as mg
        a = mg.tensor([1.0, 0.0], requires_grad=True)
        b = mg.tensor([1.0, 0.0])
        angle = mg.acos((a * b).sum())  #: produced
        angle.backward()  #: used
        """,
        "nan-origin",
        ("the slope of acos is infinite at -1 and 1",),
        "(a * b).sum().clamp(-1 + 1e-06, 1 - 1e-06).acos()",
        (("mg.acos((a * b).sum())", "(a * b).sum().clamp(-1 + 1e-06, 1 - 1e-06).acos()"),),
    ),
    "a vector of length 0 that is normalised": Report(
        """
        import minigrad as mg
        v = mg.tensor([0.0, 0.0], requires_grad=True)
        unit = v / v.norm()  #: produced
        unit.sum().backward()  #: used
        """,
        "nan-origin",
        ("there v.norm() is exactly 0, and a division by exactly 0 has no finite result",),
        "v / (v.norm() + 1e-12)",
        (("v / v.norm()", "v / (v.norm() + 1e-12)"),),
    ),
    "distances of points to themselves": Report(
        """
        import minigrad as mg
        p = mg.tensor([[0.0, 1.0], [2.0, 3.0]], requires_grad=True)
        diff = p[:, None] - p[None]
        dist = diff.pow(2).sum(-1).sqrt()  #: produced
        dist.sum().backward()  #: used
        """,
        "nan-origin",
        ("at index (0, 0): there diff.pow(2).sum(-1) is exactly 0", "norm() and std() have the same values"),
        "(diff.pow(2).sum(-1) + 1e-12).sqrt()",
        (("diff.pow(2).sum(-1).sqrt()", "(diff.pow(2).sum(-1) + 1e-12).sqrt()"),),
    ),
    "a row of attention that is masked altogether": Report(
        """
        import minigrad as mg
        scores = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        mask = mg.tensor([[True, False], [False, False]])
        att = scores.masked_fill(~mask, float("-inf")).softmax(-1)  #: produced
        att.sum().backward()  #: used
        """,
        "nan-origin",
        ("softmax on line 4", "at index (1, 0): all that it compares there is -∞"),
        "scores.masked_fill(~mask, -1e9)",
        (('float("-inf")', "-1e9"),),
    ),
    "the spread of a single number": Report(
        """
        import minigrad as mg
        x = mg.tensor([2.0], requires_grad=True)
        z = x / (1.0 + x.std())  #: produced
        z.sum().backward()  #: used
        """,
        "nan-origin",
        ("the spread of a single number is 0 / 0: it divides by n - 1",),
        "x.std(correction=0)",
        (("x.std()", "x.std(correction=0)"),),
    ),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_cause_is_named_in_the_names_and_lines_of_the_script(explained: Explain, report: Report) -> None:
    report.check(explained)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_nothing_is_found_once_the_mend_is_applied(healthy: Healthy, report: Report) -> None:
    healthy(report.mended)
