"""Training loops and custom rules that go wrong quietly, as people report them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain
from tests.inspector.explain.reports import Report

Healthy = Callable[[str], None]

REPORTS = {
    "layers in a plain list": Report(
        """
        import minigrad as mg
        nn = mg.nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]  #: created
                self.out = nn.Linear(2, 1)
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x).tanh()
                return self.out(x)
        net = Net()
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            opt.zero_grad()
            net(mg.ones(3, 2)).pow(2).mean().backward()  #: used
            opt.step()  #: updated
        """,
        "unregistered-parameter",
        ("self.layers on line 6 is a plain list", "layer.weight", "SGD was never given them"),
        "self.layers = mg.nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])",
        (("[nn.Linear(2, 2), nn.Linear(2, 2)]", "mg.nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])"),),
    ),
    "a weight of a module that is no Parameter": Report(
        """
        import minigrad as mg
        class Scale(mg.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = mg.nn.Linear(2, 2)
                self.gain = mg.ones(2, requires_grad=True)  #: created
            def forward(self, x):
                return self.fc(x) * self.gain
        net = Scale()
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            opt.zero_grad()
            net(mg.ones(3, 2)).pow(2).mean().backward()  #: used
            opt.step()  #: updated
        """,
        "unregistered-parameter",
        ("self.gain on line 6 is a plain tensor",),
        "self.gain = mg.nn.Parameter(mg.ones(2, requires_grad=True))",
        (("mg.ones(2, requires_grad=True)", "mg.nn.Parameter(mg.ones(2, requires_grad=True))"),),
    ),
    "gradients clipped after the step": Report(
        """
        import minigrad as mg
        net = mg.nn.Linear(2, 1)
        opt = mg.optim.SGD(net.parameters(), lr=0.001)
        for _ in range(4):
            opt.zero_grad()  #: cleared
            (net(mg.ones(3, 2)) ** 2).mean().backward()
            opt.step()  #: updated
            mg.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  #: late
        """,
        "clip-too-late",
        ("clips the gradients after the step on line 7 (`opt.step()`) has used them",),
        "mg.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\nopt.step()",
        (
            ("    opt.step()\n", ""),
            ("net.parameters(), 1.0)", "net.parameters(), 1.0)\n    opt.step()"),
        ),
    ),
    "rounding in the middle of a network": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.2, 2.7], requires_grad=True)
        q = w.round() * 0.5  #: cut
        ((q - 1.0) ** 2).sum().backward()  #: used
        print(w.grad)
        """,
        "zero-gradient",
        ("w.grad is exactly 0", "goes through round on line 3 (`w.round()`), which is flat between its jumps"),
        "q = (w + (w.round() - w).detach()) * 0.5",
        (("w.round() *", "(w + (w.round() - w).detach()) *"),),
    ),
    "whole quotients": Report(
        """
        import minigrad as mg
        w = mg.tensor([5.5, 7.5], requires_grad=True)
        q = w // 2  #: created
        q.sum().backward()  #: used
        """,
        "refused",
        ("floor_divide on line 3 (`w // 2`)", "the derivative for 'floor_divide' is not implemented"),
        "q = w / 2",
        (("w // 2", "w / 2"),),
        RuntimeError,
    ),
    "a product of two types": Report(
        """
        import minigrad as mg
        w = mg.ones(2, 2, dtype=mg.float64, requires_grad=True)  #: created
        x = mg.ones(3, 2)  #: created
        (x @ w).sum().backward()  #: used
        """,
        "dtype-surprise",
        ("given x, f32 of shape (3, 2) and w, f64 of shape (2, 2)",),
        "x.to(w.dtype)",
        (("x @ w", "x.to(w.dtype) @ w"),),
        RuntimeError,
    ),
    "an array wanted of what requires grad": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        print((w * 2).numpy())  #: used created
        """,
        "needs-detach",
        ("w * 2 requires grad, and an array knows no history",),
        "(w * 2).detach().numpy()",
        (("(w * 2).numpy()", "(w * 2).detach().numpy()"),),
        RuntimeError,
    ),
    "a loss made anew from its own number": Report(
        """
        import minigrad as mg
        net = mg.nn.Linear(2, 1)
        opt = mg.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(3):
            opt.zero_grad()
            loss = (net(mg.ones(3, 2)) ** 2).mean()
            loss = mg.tensor(loss.item(), requires_grad=True)  #: cut
            loss.backward()
            opt.step()  #: skipped
        """,
        "dead-parameters",
        ("the numbers of loss were read out by item()", "requires_grad on that copy only silences the error"),
        "# leave out line 7: go on with loss itself",
        (("    loss = mg.tensor(loss.item(), requires_grad=True)\n", ""),),
    ),
    "the same gradient kept in every turn": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.1)
        history = []
        for k in range(3):
            opt.zero_grad(set_to_none=False)
            ((k + 1.0) * w).sum().backward()  #: mutated
            history.append(w.grad)  #: kept used
            opt.step()
        print(history)
        """,
        "aliased-grad",
        ("is w.grad itself, taken on line 8 (`w.grad`), and not a copy", "what was kept the time before is the later"),
        "history.append(w.grad.clone())",
        (("append(w.grad)", "append(w.grad.clone())"),),
    ),
    "one tensor's .grad given to another": Report(
        """
        import minigrad as mg
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        b = mg.tensor([3.0, 4.0], requires_grad=True)
        (a * 2.0).sum().backward()
        b.grad = a.grad  #: assigned
        (b * 5.0).sum().backward()  #: added
        """,
        "aliased-grad",
        ("b.grad and a.grad are one and the same tensor since line 5 (`b.grad = a.grad`)",),
        "b.grad = a.grad.clone()",
        (("b.grad = a.grad", "b.grad = a.grad.clone()"),),
    ),
    "a hook that writes into its argument": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * 1.0
        h.register_hook(lambda g: g.mul_(2.0))  #: mutated
        (h * 3.0).sum().backward()  #: used
        """,
        "hook-changed",
        ("A hook of h wrote into the gradient that it was given, by mul_ on line 4 (`g.mul_(2.0)`)",),
        "h.register_hook(lambda g: g.mul(2.0))",
        (("g.mul_(2.0)", "g.mul(2.0)"),),
    ),
    "a weight changed through .data before its pass": Report(
        """
        import minigrad as mg
        w = mg.tensor([2.0], requires_grad=True)
        x = mg.tensor([3.0], requires_grad=True)
        y = w * x  #: saved
        w.data.mul_(10.0)  #: cut mutated
        y.sum().backward()
        """,
        "data-inplace",
        ("MulBackward0 (mul on line 4 (`w * x`)) saved w", "backward silently used the new numbers (20)"),
        "y.sum().backward()\nw.data.mul_(10.0)",
        (("w.data.mul_(10.0)\ny.sum().backward()", "y.sum().backward()\nw.data.mul_(10.0)"),),
    ),
    "weights of a loss against its column": Report(
        """
        import minigrad as mg
        net = mg.nn.Linear(2, 1)
        weights = mg.tensor([1.0, 2.0, 3.0])  #: row
        err = (net(mg.ones(3, 2)) - mg.zeros(3, 1)) ** 2  #: column
        loss = (err * weights).mean()  #: used
        loss.backward()
        """,
        "broadcast-suspect",
        ("multiplies err of shape (3, 1) with weights of shape (3,): they broadcast to (3, 3)",),
        "err.squeeze(1)",
        (("err *", "err.squeeze(1) *"),),
    ),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_cause_is_named_in_the_names_and_lines_of_the_script(explained: Explain, report: Report) -> None:
    report.check(explained)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_nothing_is_found_once_the_mend_is_applied(healthy: Healthy, report: Report) -> None:
    healthy(report.mended)
