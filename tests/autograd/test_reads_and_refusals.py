"""Events for what computes nothing: looks at gradients and numbers, aliases, copies, and requests that are refused."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad import events
from minigrad.events import listen


def heard(program, *kinds):
    """The events of these kinds that ``program`` makes."""
    found = []
    with listen(found.append, *kinds):
        program()
    return found


def test_a_look_at_a_gradient_is_told_with_what_was_found_there() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    assert heard(lambda: w.grad, events.GradRead) == []
    (w * w).sum().backward()
    (read,) = heard(lambda: w.grad, events.GradRead)
    assert read.tensor is w
    assert read.held is w.grad


def test_the_engine_and_the_optimisers_do_not_count_as_looks() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = mg.optim.SGD([w], lr=0.1)

    def train() -> None:
        for _ in range(2):
            (w * w).sum().backward()
            mg.nn.utils.clip_grad_norm_([w], 1.0)
            optimizer.step()

    assert heard(train, events.GradRead) == []


@pytest.mark.parametrize(
    ("read", "how"),
    [
        (lambda x: x.item(), "item"),
        (lambda x: float(x), "item"),
        (lambda x: x.tolist(), "tolist"),
        (lambda x: x.detach().numpy(), "numpy"),
        (lambda x: bool(x), "bool"),
    ],
)
def test_numbers_that_leave_the_graph_are_told(read, how) -> None:
    x = mg.tensor(3.0, requires_grad=True)
    assert [event.how for event in heard(lambda: read(x), events.ValueRead)] == [how]


@pytest.mark.parametrize(
    ("make", "how"),
    [
        (lambda x: x.detach(), "detach"),
        (lambda x: x.data, "data"),
        (lambda x: mg.tensor([x[0].detach(), 2.0]), "tensor"),
        (lambda x: mg.nn.Parameter(x), "Parameter"),
        (lambda x: mg.autograd.grad((x * x).sum(), x)[0], "grad"),
    ],
)
def test_what_takes_values_without_their_history_names_its_sources(make, how) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    made = heard(lambda: make(x), events.TensorCreated)[-1]
    assert made.how == how
    (source,) = made.sources
    assert source is x or source.data_ptr() == x.data_ptr()


def test_what_an_operation_makes_has_no_sources() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    assert [event.sources for event in heard(lambda: x * 2.0 + mg.ones(2), events.TensorCreated)] == [(), (), ()]


@pytest.mark.parametrize(
    ("request_", "what", "error"),
    [
        (lambda: mg.tensor([1, 2], requires_grad=True), "requires_grad", RuntimeError),
        (lambda: mg.tensor([1, 2]).mean(), "mean", RuntimeError),
        (lambda: mg.ones(2, requires_grad=True).numpy(), "numpy", RuntimeError),
        (lambda: mg.ones(2).item(), "item", RuntimeError),
        (lambda: mg.optim.SGD([mg.ones(2, requires_grad=True) * 2.0], lr=0.1), "SGD", ValueError),
    ],
)
def test_a_refusal_is_told_as_a_failed_operation_and_raised_all_the_same(request_, what, error) -> None:
    found = []
    with listen(found.append, events.OpFailed), pytest.raises(error) as caught:
        request_()
    (failed,) = found
    assert (failed.op.name, failed.op.label) == (what, what)
    assert failed.error is caught.value


def test_the_forward_of_a_function_is_a_scope_around_its_operations() -> None:
    class Double(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            return g * 2.0

    x = mg.tensor([1.0], requires_grad=True)
    kinds = [
        type(e).__name__
        for e in heard(lambda: Double.apply(x), events.ScopeEntered, events.OpApplied, events.ScopeLeft)
    ]
    assert kinds == ["ScopeEntered", "OpApplied", "ScopeLeft", "OpApplied"]


def test_nothing_is_built_for_looks_and_refusals_while_nobody_listens(monkeypatch) -> None:
    built = []
    for kind in (events.GradRead, events.ValueRead, events.OpFailed, events.TensorCreated):
        monkeypatch.setattr(kind, "__init__", lambda self, *args, **kwargs: built.append(args))
    x = mg.tensor([1.0], requires_grad=True)
    (x * x).sum().backward()
    print(x.grad.tolist(), x.item(), bool(x > 0), x.detach().numpy(), mg.tensor([x.item()]))
    with pytest.raises(RuntimeError):
        x.numpy()
    assert built == []
