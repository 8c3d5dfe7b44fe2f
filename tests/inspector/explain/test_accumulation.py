"""Gradients that piled up by mistake, and those that were kept without being copied."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain

Healthy = Callable[[str], None]


def test_a_missing_zero_grad_is_found_for_all_parameters_at_once(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        b = mg.tensor([0.5, 0.5], requires_grad=True)
        optimizer = mg.optim.SGD([w, b], lr=0.1)
        for _ in range(3):
            loss = (w * w + b).sum()
            loss.backward()  #: left added
            optimizer.step()  #: updated
        """
    ).one("grad-accumulated")
    assert finding.sentence.startswith("w and b: .grad was not cleared after SGD on line 8 (`optimizer.step()`)")
    assert "w.grad: [2, 4] + [1.6, 3.2] = [3.6, 7.2]" in finding.sentence
    assert finding.mend == "optimizer.zero_grad()  # before every backward"


@pytest.mark.parametrize(
    "update",
    ["with mg.no_grad():\n        w -= 0.1 * w.grad", "w.data -= 0.1 * w.grad"],
    ids=["under no_grad", "through data"],
)
def test_an_update_by_hand_without_clearing_is_found_too(explained: Explain, update: str) -> None:
    ran = explained(
        f"import minigrad as mg\nw = mg.ones(2, requires_grad=True)\nfor _ in range(3):\n    (w * w).sum().backward()\n"
        f"    {update}\n"
    )
    (finding,) = ran.findings
    assert finding.kind == "grad-accumulated"
    assert "old gradients count again and again" in finding.sentence
    assert finding.mend == "w.grad = None  # before every backward"


@pytest.mark.parametrize(
    "clear", ["optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)", "w.grad = None", "w.grad.zero_()"]
)
def test_a_gradient_that_is_cleared_each_time_is_no_fault(healthy: Healthy, clear: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(3):
            (w * w).sum().backward()
            optimizer.step()
            {clear}
        """
    )


def test_adding_up_over_micro_batches_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            for part in range(4):
                loss = (w * float(part)).sum() / 4
                loss.backward()
                print(w.grad.norm().item())
            optimizer.step()
        """
    )


def test_two_losses_one_after_the_other_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * w
        h.sum().backward(retain_graph=True)
        (h * 2.0).sum().backward()
        print(w.grad)
        """
    )


def test_a_gradient_that_doubles_and_that_nobody_uses_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x = mg.tensor(3.0, requires_grad=True)
        loss = x * x
        for _ in range(3):
            loss.backward(retain_graph=True)  # to see how long it takes
        """
    )


def test_rows_of_a_jacobian_that_pile_up_are_found_with_their_numbers(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        outputs = [x[0] * x[1], x[0] + 3.0 * x[1]]
        rows = []
        for y in outputs:
            y.backward()  #: left added
            rows.append(x.grad.tolist())  #: used
        """
    ).one("grad-accumulated")
    assert "added [1, 3] to the [2, 1] that the pass from" in finding.sentence
    assert "what is read on line 7 (`x.grad`) is [3, 4]" in finding.sentence
    assert "autograd.grad(" in finding.mend
    assert "x.grad = None" in finding.mend


def test_the_same_backward_twice_doubles_and_says_what_adds_up(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor(3.0, requires_grad=True)
        square = x * x
        square.retain_grad()
        cube = square * x
        cube.backward(retain_graph=True)  #: left
        cube.backward()  #: added
        print(x.grad)
        """
    ).one("grad-accumulated")
    assert "x.grad doubled exactly, from 27 to 54: backward ran twice from cube" in finding.sentence
    assert "(square: 3 to 6)" in finding.sentence
    assert "nothing cleared .grad in between" in finding.sentence


def test_a_first_gradient_left_by_create_graph_is_told_with_its_reference_cycle(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        (w ** 3).sum().backward(create_graph=True)  #: left
        (w.grad ** 2).sum().backward()  #: added
        print(w.grad)  #: used
        """
    ).one("grad-accumulated")
    assert "added [36, 288] to the [3, 12]" in finding.sentence
    assert "is [39, 300]" in finding.sentence
    assert "create_graph=True" in finding.sentence
    assert "reference cycle" in finding.sentence
    assert "autograd.grad(" in finding.mend


def test_a_penalty_by_grad_and_rows_by_grad_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        (slope,) = mg.autograd.grad((w ** 3).sum(), w, create_graph=True)
        (slope ** 2).sum().backward()
        print(w.grad)
        rows = [mg.autograd.grad(y, w)[0] for y in (w[0] * w[1], w[0] + w[1])]
        """
    )


def test_a_pass_for_each_weight_with_clearing_in_between_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        for y in (x[0] * x[1], x[0] + x[1]):
            x.grad = None
            y.backward()
            print(x.grad.tolist())
        """
    )


# Kept without a copy


def test_a_gradient_kept_in_a_list_is_the_grad_itself(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        kept = []
        for scale in (1.0, 10.0):
            (w * scale).sum().backward()  #: mutated
            kept.append(w.grad)  #: kept
        print([one.tolist() for one in kept])  #: used
        """
    )
    (finding,) = ran.of("aliased-grad")
    assert {(place.line, place.role) for place in finding.locations} == ran.marks
    assert "w.grad itself" in finding.sentence
    assert "and not a copy" in finding.sentence
    assert "the later [11, 11]" in finding.sentence
    assert finding.mend == "kept.append(w.grad.clone())"


def test_a_gradient_kept_under_a_name_and_then_zeroed_is_found(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        before = w.grad  #: kept
        w.zero_grad(set_to_none=False)  #: mutated
        print((before * 2.0).sum())  #: used
        """
    ).one("aliased-grad")
    assert finding.sentence.startswith("before is w.grad itself, taken on line 4")
    assert "cleared it in place" in finding.sentence
    assert finding.mend == "before = w.grad.clone()"


@pytest.mark.parametrize("keep", ["kept.append(w.grad.clone())", "kept.append(w.grad.tolist())", "print(w.grad)"])
def test_copies_and_mere_looks_are_no_fault(healthy: Healthy, keep: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        kept = []
        for scale in (1.0, 10.0):
            w.zero_grad(set_to_none=False)
            (w * scale).sum().backward()
            {keep}
        print(w.grad.tolist(), len(kept))
        """
    )


def test_a_name_that_is_taken_anew_each_time_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        for scale in (1.0, 10.0):
            w.zero_grad(set_to_none=False)
            (w * scale).sum().backward()
            g = w.grad
            print((g * 2.0).sum().item(), g.tolist())
        """
    )


def test_one_tensor_in_two_grads_is_found_when_a_pass_adds_to_it(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        b = mg.tensor([1.0, 2.0], requires_grad=True)
        start = mg.ones(2)
        a.grad = start  #: assigned
        b.grad = start  #: assigned
        (a * 3.0).sum().backward()  #: added
        """
    ).one("aliased-grad")
    assert "a.grad and b.grad are one and the same tensor" in finding.sentence
    assert "and changed b.grad with it" in finding.sentence
    assert finding.mend.startswith("b.grad = a.grad.clone()")
