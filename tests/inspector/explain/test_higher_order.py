"""Second derivatives that are silently of first order, and graphs that grow from iteration to iteration."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain

Healthy = Callable[[str], None]

META = """
import minigrad as mg
theta = mg.tensor(2.0, requires_grad=True)
inner = theta ** 3
(step,) = mg.autograd.grad(inner, theta{create_graph})  #: cut
adapted = theta - 0.1 * step  #: used
outer = adapted ** 2
outer.backward()  #: differentiated
print(theta.grad.item())
"""


def test_a_meta_gradient_of_first_order_names_the_inner_grad_call(explained: Explain) -> None:
    finding = explained(META.format(create_graph="")).one("no-create-graph")
    assert "grad() on line 4 (`mg.autograd.grad(inner, theta)`) ran without create_graph=True" in finding.sentence
    assert "step, the gradient with respect to theta, is a constant" in finding.sentence
    assert (
        "the way from theta through step is missing from the result, which is of first order only" in finding.sentence
    )
    assert finding.mend == "mg.autograd.grad(inner, theta, create_graph=True)"


def test_a_meta_gradient_with_create_graph_is_no_fault(healthy: Healthy) -> None:
    healthy(META.format(create_graph=", create_graph=True"))


def test_a_penalty_that_has_no_gradient_is_found(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        x = mg.tensor([3.0, 4.0], requires_grad=True)
        score = (w * x * x).sum()
        (slope,) = mg.autograd.grad(score, x, retain_graph=True)  #: cut
        penalty = (slope.norm() - 1.0) ** 2
        loss = score + penalty  #: used
        loss.backward()  #: differentiated
        optimizer.step()
        """
    ).one("no-create-graph")
    assert "a term that is made of it has no gradient at all" in finding.sentence


def test_a_gradient_read_from_grad_has_no_history_either(explained: Explain) -> None:
    (finding,) = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        (w ** 3).sum().backward()
        slope = w.grad
        w.grad = None
        loss = ((w - slope) ** 2).sum()
        loss.backward()
        print(w.grad)
        """
    ).of("no-create-graph")
    assert "backward() on line 3" in finding.sentence


@pytest.mark.parametrize(
    "program",
    [
        # an adversarial example: the gradient with respect to the data is a constant on purpose
        """
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        (g,) = mg.autograd.grad(((w * x) ** 2).sum(), x)
        loss = ((w * (x + 0.1 * g / g.norm())) ** 2).sum()
        loss.backward()
        optimizer.step()
        """,
        # the sign has no slope anyway
        """
        (g,) = mg.autograd.grad((w ** 3).sum(), w)
        ((w + 0.1 * g.sign()) ** 2).sum().backward()
        print(w.grad)
        """,
        # gradient descent, by hand and under no_grad
        """
        for _ in range(3):
            (g,) = mg.autograd.grad((w ** 2).sum(), w)
            with mg.no_grad():
                w -= 0.1 * g
        """,
        # gradient descent that makes a new leaf each time
        """
        for _ in range(3):
            (g,) = mg.autograd.grad((w ** 2).sum(), w)
            w = (w - 0.1 * g).detach().requires_grad_()
        """,
        # a product with the Hessian
        """
        (g,) = mg.autograd.grad((w ** 3).sum(), w, create_graph=True)
        mg.autograd.grad((g * mg.ones(2)).sum(), w)
        """,
    ],
    ids=["adversarial", "sign", "descent", "new leaves", "hessian"],
)
def test_gradients_used_as_constants_on_purpose_are_no_fault(healthy: Healthy, program: str) -> None:
    body = "\n".join(line.removeprefix("        ") for line in program.splitlines())
    healthy(f"import minigrad as mg\nw = mg.tensor([1.0, 2.0], requires_grad=True)\n{body}\n")


# Growing graphs


AVERAGE = """
import minigrad as mg
weight = mg.tensor([2.0], requires_grad=True)
average = mg.zeros(1)
for _ in range(5):
    average = 0.9 * {carried} + 0.1 * (weight * weight)  #: kept
"""


def test_a_running_average_that_keeps_its_past_is_found_with_the_number_of_nodes(explained: Explain) -> None:
    finding = explained(AVERAGE.format(carried="average")).one("graph-grows")
    assert "line 5 (`0.9 * average + 0.1 * (weight * weight)`) keeps the average of the time before" in finding.sentence
    assert "each time average had 4 nodes more behind it (4, 8, 12 then 16, in the end 20)" in finding.sentence
    assert "no backward ever went through them" in finding.sentence
    assert finding.mend.startswith("average = 0.9 * average.detach() + 0.1 * (weight * weight)")


@pytest.mark.parametrize("carried", ["average.detach()", "average.item()", "average.data"])
def test_an_average_without_its_past_is_no_fault(healthy: Healthy, carried: str) -> None:
    healthy(AVERAGE.format(carried=carried))


def test_a_total_of_losses_is_found_although_each_loss_is_used(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        total = 0.0
        for _ in range(6):
            optimizer.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            optimizer.step()
            total += loss  #: kept
        print(total)
        """
    )
    finding = ran.one("graph-grows")
    assert finding.mend.startswith("total += loss.detach()")


def test_hidden_states_and_sums_that_backward_goes_through_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([[0.5]], requires_grad=True)
        h, total = mg.ones(1, 1), 0.0
        for _ in range(6):
            h = (h @ w).tanh()
            total = total + (h * w).sum()
        total.backward()
        """
    )


def test_truncated_backpropagation_with_detach_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([[0.5]], requires_grad=True)
        h = mg.ones(1, 1)
        for _ in range(6):
            w.grad = None
            h = (h.detach() @ w).tanh()
            (h * h).sum().backward()
        """
    )


def test_a_hidden_state_kept_alive_by_retain_graph_is_found(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([[0.5]], requires_grad=True)
        h = mg.ones(1, 1)
        for _ in range(5):
            w.grad = None
            h = (h @ w).tanh()  #: kept
            loss = (h * h).sum()
            loss.backward(retain_graph=True)  #: used
        """
    ).one("graph-grows")
    assert "goes through all earlier iterations again: it ran 5, 7, 9 then 11 nodes" in finding.sentence
    assert "2 nodes more each time, because h is carried over with its history" in finding.sentence
    assert "h = h.detach()" in finding.mend


def test_a_long_chain_that_is_dropped_is_no_statistic(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        end = mg.tensor(1.0, requires_grad=True)
        for _ in range(50):
            end = end + 1.0
        """
    )
