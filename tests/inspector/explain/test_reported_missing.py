"""Gradients that are not there, as people report them: cut, switched off, never asked for, lost in a Function."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain
from tests.inspector.explain.reports import Report

Healthy = Callable[[str], None]

REPORTS = {
    "every parameter frozen": Report(
        """
        import minigrad as mg
        net = mg.nn.Linear(2, 1, bias=False)
        net.weight.requires_grad = False  #: cut
        loss = (net(mg.ones(3, 2)) ** 2).mean()
        loss.backward()  #: used
        """,
        "no-history",
        ("requires_grad of net.weight was switched off on line 3",),
        "# leave out line 3",
        (("net.weight.requires_grad = False\n", ""),),
        RuntimeError,
    ),
    "a Function that keeps less than it needs": Report(
        """
        import minigrad as mg
        class Product(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x)
                return x * w
            @staticmethod
            def backward(ctx, g):
                x, w = ctx.saved_tensors  #: raised
                return g * w, g * x
        x, w = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
        Product.apply(x, w).sum().backward()  #: created used
        """,
        "function-contract",
        ("Product.backward raised ValueError", "forward kept 1 tensor (x), and backward takes out 2"),
        "ctx.save_for_backward(x, w)",
        (("ctx.save_for_backward(x)", "ctx.save_for_backward(x, w)"),),
        ValueError,
    ),
    "a weight that is scaled where it is made": Report(
        """
        import minigrad as mg
        w = mg.ones(2, 3, requires_grad=True) * 0.5  #: created
        (w ** 2).sum().backward()
        print(w.grad)  #: used
        """,
        "grad-none",
        ("it is not a leaf but the result of mul() on line 2", "went on to the unnamed leaf that it was made from"),
        "w = (mg.ones(2, 3) * 0.5).requires_grad_()",
        (("mg.ones(2, 3, requires_grad=True) * 0.5", "(mg.ones(2, 3) * 0.5).requires_grad_()"),),
    ),
    "a computed weight given to an optimiser": Report(
        """
        import minigrad as mg
        w = mg.ones(3, requires_grad=True) * 0.1  #: created
        opt = mg.optim.SGD([w], lr=0.1)  #: used
        """,
        "optimiser-nonleaf",
        ("w is not a leaf but was computed on line 2 (`mg.ones(3, requires_grad=True) * 0.1`)",),
        "w = (mg.ones(3) * 0.1).requires_grad_()",
        (("mg.ones(3, requires_grad=True) * 0.1", "(mg.ones(3) * 0.1).requires_grad_()"),),
        ValueError,
    ),
    "a detach() in the middle of a network": Report(
        """
        import minigrad as mg
        nn = mg.nn
        encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
        opt = mg.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            z = encoder(mg.ones(4, 2))
            z = z.detach()  #: cut
            (head(z) ** 2).mean().backward()
            opt.step()  #: skipped
        """,
        "dead-parameters",
        ("encoder.weight and encoder.bias were given to SGD", "detach() on line 8 (`z.detach()`) cut the history"),
        "# leave out line 8, the detach",
        (("    z = z.detach()\n", ""),),
    ),
    "a forward pass under no_grad": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        with mg.no_grad():
            pred = w * 3.0  #: cut
        loss = (pred ** 2).sum()
        loss.backward()  #: used
        """,
        "no-history",
        ("mul on line 4 (`w * 3.0`) ran under no_grad (since line 3 (`mg.no_grad()`))",),
        "pred = w * 3.0  # outside of the no_grad block",
        (("with mg.no_grad():\n    pred", "pred"),),
        RuntimeError,
    ),
    "recording switched off for an evaluation, and never on again": Report(
        """
        import minigrad as mg
        net = mg.nn.Linear(2, 1)
        def evaluate():
            mg.set_grad_enabled(False)  #: disabled
            return net(mg.ones(1, 2)).item()
        evaluate()
        try:
            loss = (net(mg.ones(3, 2)) ** 2).mean()  #: cut
            loss.backward()  #: used
        finally:
            mg.set_grad_enabled(True)
        """,
        "no-history",
        ("ran with recording switched off, since line 4 (`mg.set_grad_enabled(False)`)",),
        "mg.set_grad_enabled(True)  # before line 8",
        (("evaluate()\ntry", "evaluate()\nmg.set_grad_enabled(True)\ntry"),),
        RuntimeError,
    ),
    "a method decorated with no_grad": Report(
        """
        import minigrad as mg
        class Net(mg.nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = mg.nn.Linear(2, 3), mg.nn.Linear(3, 1)
            @mg.no_grad()  #: disabled
            def features(self, x):
                return self.body(x).tanh()  #: cut
            def forward(self, x):
                return self.head(self.features(x))
        net = Net()
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            (net(mg.ones(3, 2)) ** 2).mean().backward()
            opt.step()  #: skipped
        """,
        "dead-parameters",
        ("net.body.weight and net.body.bias", "features() is decorated on line 6 (`@mg.no_grad()`)"),
        "# leave out @mg.no_grad() above features()",
        (("    @mg.no_grad()\n", ""),),
    ),
    "a second derivative of what backward() left behind": Report(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = (x ** 3).sum()
        y.backward()  #: cut
        x_grad = x.grad
        x_grad.sum().backward()  #: used
        """,
        "no-create-graph",
        ("backward() on line 4 (`y.backward()`) was called without create_graph=True", "that it left in x.grad"),
        "(x_grad,) = mg.autograd.grad(y, x, create_graph=True)",
        (("y.backward()\nx_grad = x.grad", "(x_grad,) = mg.autograd.grad(y, x, create_graph=True)"),),
        RuntimeError,
    ),
    "a gradient penalty that is a constant": Report(
        """
        import minigrad as mg
        mg.manual_seed(0)
        critic = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.Tanh(), mg.nn.Linear(3, 1))
        opt = mg.optim.SGD(critic.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            x = mg.ones(4, 2, requires_grad=True)
            score = critic(x)
            (slope,) = mg.autograd.grad(score.sum(), x, retain_graph=True)  #: cut
            penalty = ((slope.norm(dim=1) - 1.0) ** 2).mean()
            loss = score.mean() + 10 * penalty  #: used
            loss.backward()  #: differentiated
            opt.step()
        """,
        "no-create-graph",
        ("slope, the gradient with respect to x, is a constant", "a term that is made of it has no gradient at all"),
        "mg.autograd.grad(score.sum(), x, retain_graph=True, create_graph=True)",
        (("retain_graph=True", "retain_graph=True, create_graph=True"),),
    ),
    "requires_grad_() after the first use": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0])
        h = w * 3.0  #: cut
        w.requires_grad_()  #: late
        (h ** 2).sum().backward()  #: used
        """,
        "no-history",
        ("w was asked to require grad on line 4 (`w.requires_grad_()`) only, when mul on line 3",),
        "w.requires_grad_()  # before line 3",
        (("h = w * 3.0\nw.requires_grad_()", "w.requires_grad_()\nh = w * 3.0"),),
        RuntimeError,
    ),
    "weights replaced by their updated value": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)  #: created
        for _ in range(2):
            (w ** 2).sum().backward()
            w = w - 0.01 * w.grad  #: rebound used
        """,
        "grad-none",
        ("since line 5 (`w - 0.01 * w.grad`) the name w stands for what was computed there, which is no leaf",),
        "with mg.no_grad():\n    w -= 0.01 * w.grad",
        (("    w = w - 0.01 * w.grad", "    with mg.no_grad():\n        w -= 0.01 * w.grad\n    w.grad = None"),),
        TypeError,
    ),
    "weights updated in place where that is recorded": Report(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)  #: created
        (w ** 2).sum().backward()
        w -= 0.1 * w.grad  #: mutated
        """,
        "leaf-inplace",
        ("sub_ on line 4 (`w -= 0.1 * w.grad`) was refused: w is a leaf that requires grad",),
        "with mg.no_grad():\n    w -= 0.1 * w.grad",
        (("w -= 0.1 * w.grad", "with mg.no_grad():\n    w -= 0.1 * w.grad"),),
        RuntimeError,
    ),
    "a layer replaced after the optimiser was made": Report(
        """
        import minigrad as mg
        nn = mg.nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(2, 3)
                self.head = nn.Linear(3, 1)  #: created
            def forward(self, x):
                return self.head(self.body(x).tanh())
        net = Net()
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        net.head = nn.Linear(3, 1)  #: rebound
        for _ in range(4):
            opt.zero_grad()
            (net(mg.ones(3, 2)) ** 2).mean().backward()
            opt.step()  #: skipped
        """,
        "dead-parameters",
        ("the 2 parameters made on line 7 (`nn.Linear(3, 1)`)", "since line 12 (`nn.Linear(3, 1)`) another module"),
        "opt = mg.optim.SGD(net.parameters(), lr=0.1)  # after line 12",
        (
            ("opt = mg.optim.SGD(net.parameters(), lr=0.1)\n", ""),
            ("net.head = nn.Linear(3, 1)", "net.head = nn.Linear(3, 1)\nopt = mg.optim.SGD(net.parameters(), lr=0.1)"),
        ),
    ),
    "a layer whose result nobody uses any more": Report(
        """
        import minigrad as mg
        nn = mg.nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.out = nn.Linear(2, 3), nn.Linear(3, 1)
                self.second = nn.Linear(3, 3)  #: created
            def forward(self, x):
                h = self.first(x).sigmoid()
                g = self.second(h).sigmoid()  #: used
                return self.out(h)
        net = Net()
        opt = mg.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(4):
            opt.zero_grad()
            loss = net(mg.ones(5, 2)).pow(2).mean()
            loss.backward()
            opt.step()  #: skipped
        """,
        "dead-parameters",
        ("net.second.weight and net.second.bias were given to Adam", "all that was computed from it is g on line 10"),
        "# compute loss from g too",
        (("self.out(h)", "self.out(g)"),),
    ),
    "a tensor of a module that is no Parameter": Report(
        """
        import minigrad as mg
        class Scale(mg.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = mg.nn.Linear(2, 2)
                self.gain = mg.ones(2)  #: created
            def forward(self, x):
                return self.fc(x) * self.gain
        net = Scale()
        net(mg.ones(3, 2)).pow(2).mean().backward()
        print(net.gain.grad)  #: used
        """,
        "grad-none",
        ("self.gain is a plain tensor and no Parameter",),
        "self.gain = mg.nn.Parameter(mg.ones(2))",
        (("self.gain = mg.ones(2)", "self.gain = mg.nn.Parameter(mg.ones(2))"),),
    ),
    "a Function that returns None for what it was given": Report(
        """
        import minigrad as mg
        class Scale(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x, k):
                ctx.save_for_backward(x, k)
                return x * k
            @staticmethod
            def backward(ctx, g):
                x, k = ctx.saved_tensors
                return g * k, None  #: returned
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        factor = mg.tensor([3.0, 3.0], requires_grad=True)
        Scale.apply(x, factor).sum().backward()  #: used
        print(factor.grad)  #: used
        """,
        "grad-none",
        ("it went into Scale on line 13", "as k, and Scale.backward returned None for k"),
        "# return the gradient with respect to k",
        (("return g * k, None", "return g * k, g * x"),),
    ),
    "a Function without a backward": Report(
        """
        import minigrad as mg
        class Square(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        Square.apply(x).sum().backward()  #: created used
        """,
        "function-contract",
        ("Square has no backward, so nobody knows what the gradients of x are",),
        "@staticmethod\ndef backward(ctx, grad_output):\n    return grad_x",
        (
            (
                "return x * x",
                "return x * x\n"
                "    @staticmethod\n    def backward(ctx, g):\n        return 2 * ctx.saved_tensors[0] * g",
            ),
        ),
        NotImplementedError,
    ),
    "a Function that expects the gradient of a result that was not used": Report(
        """
        import minigrad as mg
        class Two(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(False)
                return x * 2, x * 3
            @staticmethod
            def backward(ctx, a, b):
                return a * 2 + b * 3  #: raised
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        Two.apply(x)[0].sum().backward()  #: created used
        """,
        "function-contract",
        ("Two.backward raised TypeError", "b was None there: that result of Two was not used"),
        "# ask `if b is None` in backward",
        (("        ctx.set_materialize_grads(False)\n", ""),),
        TypeError,
    ),
    "a Function that returns a gradient too many": Report(
        """
        import minigrad as mg
        class Square(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 2 * x * g, g  #: returned
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        Square.apply(x).sum().backward()  #: created used
        """,
        "function-contract",
        ("Square.backward returned 2 gradients, but Square.forward takes 1 argument (x)",),
        "return 2 * x * g",
        (("2 * x * g, g", "2 * x * g"),),
        RuntimeError,
    ),
    "a Function that computes its gradient from numbers": Report(
        """
        import minigrad as mg
        class Square(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.x = x.tolist()
                return x * x
            @staticmethod
            def backward(ctx, g):
                return 2 * mg.tensor(ctx.x) * g  #: cut
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (g,) = mg.autograd.grad(Square.apply(x).sum(), x, create_graph=True)  #: created
        (g ** 2).sum().backward()  #: used
        """,
        "no-history",
        ("Square.backward computed its gradient from values without a history",),
        "# keep tensors with ctx.save_for_backward(…)",
        (
            ("ctx.x = x.tolist()", "ctx.save_for_backward(x)"),
            ("mg.tensor(ctx.x)", "ctx.saved_tensors[0]"),
        ),
        RuntimeError,
    ),
    "reentrant checkpointing of what no argument needs": Report(
        """
        import minigrad as mg
        from minigrad.utils.checkpoint import checkpoint
        layer = mg.nn.Linear(2, 2)
        x = mg.ones(1, 2)
        y = checkpoint(layer, x, use_reentrant=True)  #: cut
        y.sum().backward()  #: used
        """,
        "no-history",
        ("its result requires grad only if one of its arguments does; x does not",),
        "checkpoint(layer, x, use_reentrant=False)",
        (("use_reentrant=True", "use_reentrant=False"),),
        RuntimeError,
    ),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_cause_is_named_in_the_names_and_lines_of_the_script(explained: Explain, report: Report) -> None:
    report.check(explained)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_nothing_is_found_once_the_mend_is_applied(healthy: Healthy, report: Report) -> None:
    healthy(report.mended)
