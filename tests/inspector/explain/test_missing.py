"""Gradients that are not there: why a ``.grad`` is None, why backward cannot start, why an optimiser skips."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain

Healthy = Callable[[str], None]


def test_the_result_of_an_operation_is_no_leaf_and_its_gradient_went_on_to_an_unnamed_one(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        column = mg.tensor([1.0, 3.0], requires_grad=True).reshape(2, 1)  #: created
        (column * column).sum().backward()
        print(column.grad)  #: used
        """
    ).one("grad-none")
    assert (
        "column.grad is None on line 4 (`column.grad`): it is not a leaf but the result of view()" in finding.sentence
    )
    assert "The gradient went on to the unnamed leaf that it was made from" in finding.sentence
    assert finding.mend.startswith("column.retain_grad()")
    assert "keep a name for the leaf" in finding.mend


@pytest.mark.parametrize("keep", ["column.retain_grad()", "column = leaf"])
def test_retained_gradients_and_named_leaves_are_no_fault(healthy: Healthy, keep: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        leaf = mg.tensor([1.0, 3.0], requires_grad=True)
        column = leaf.view(2, 1)
        {keep}
        (column * column).sum().backward()
        print(column.grad)
        """
    )


def test_a_constant_needs_to_be_told(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0])  #: created
        w = mg.tensor([3.0, 4.0], requires_grad=True)
        (w * x).sum().backward()
        x.grad  #: used
        """
    ).one("grad-none")
    assert finding.sentence == "x.grad is None on line 5 (`x.grad`): it does not require grad."
    assert finding.mend == "x.requires_grad_()  # before it is used"


CUT = """
import minigrad as mg
w = mg.tensor([2.0, 3.0], requires_grad=True)
b = mg.tensor([1.0, 1.0], requires_grad=True)
{cut}
(h * b).sum().backward()
print(w.grad)  #: used
"""


@pytest.mark.parametrize(
    ("cut", "words", "mend"),
    [
        ("h = (w * 2.0).detach()  #: cut", "detach() on line 4", "leave out the detach"),
        ("h = (w * 2.0).data  #: cut", ".data on line 4", "leave out the data"),
        ("with mg.no_grad():\n    h = w * 2.0  #: cut", "mul on line 5 (`w * 2.0`) ran under no_grad", "no_grad block"),
        ("h = (w > 2.5).float()  #: cut", "gt on line 4 (`w > 2.5`) is a comparison", "sigmoid(x) for x > 0"),
        ("h = w.long().float()  #: cut", "long() on line 4 (`w.long()`) made integers", "h = w.float()"),
        (
            "h = mg.tensor([x.detach() for x in w])  #: cut",
            "tensor(…) on line 4 (`mg.tensor([x.detach() for x in w])`) copied the numbers of",
            "mg.stack([x for x in w])",
        ),
        ("h = mg.tensor(w.tolist())  #: cut", "the numbers of w were read out by tolist()", ""),
        ("h = mg.tensor([w[0].item(), w[1].item()])  #: cut", "were read out by item()", "mg.stack([w[0], w[1]])"),
    ],
    ids=["detach", "data", "no_grad", "comparison", "integers", "rebuilt", "tolist", "item"],
)
def test_a_cut_on_the_way_to_the_loss_is_shown(explained: Explain, cut: str, words: str, mend: str) -> None:
    finding = explained(CUT.format(cut=cut)).one("grad-none")
    assert finding.sentence.startswith("w.grad is None on line ")
    assert words in finding.sentence
    assert mend in finding.mend


def test_requires_grad_on_a_copy_is_said_to_silence_the_error_only(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        parts = [w[0] * 2.0, w[1] * 3.0]
        copy = mg.tensor([part.detach() for part in parts], requires_grad=True)  #: cut
        copy.sum().backward()
        print(w.grad)  #: used
        """
    ).one("grad-none")
    assert "into a new tensor, which has no past" in finding.sentence
    assert "requires_grad on that copy only silences the error: the gradient went to copy ([1, 1])" in finding.sentence
    assert finding.mend == "mg.stack([part for part in parts])"


def test_an_unrelated_leaf_is_said_never_to_be_reached(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        v = mg.tensor([1.0, 1.0], requires_grad=True)  #: created
        other = v * 2.0  #: used
        loss = (w * w).sum()
        loss.backward()
        print(v.grad)  #: used
        """
    ).one("grad-none")
    assert "all that was computed from it is other on line 4 (`v * 2.0`), and nothing of that went" in finding.sentence
    assert "nothing of that went into loss" in finding.sentence


def test_a_leaf_that_no_operation_used_is_told_so(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        v = mg.tensor([1.0, 1.0], requires_grad=True)  #: created
        w.sum().backward()
        print(v.grad)  #: used
        """
    ).one("grad-none")
    assert "no operation used it, so w.sum() does not depend on it" in finding.sentence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if w.grad is not None:\n    w.grad.zero_()", "pass"),
        ("print(w.grad)", "pass"),
        ("pass", "w.grad = None\nprint(w.grad)"),
    ],
    ids=["before backward, guarded", "before backward", "just cleared"],
)
def test_looking_where_there_can_be_none_is_no_fault(healthy: Healthy, before: str, after: str) -> None:
    healthy(f"import minigrad as mg\nw = mg.ones(2, requires_grad=True)\n{before}\n(w * w).sum().backward()\n{after}\n")


# Optimisers


def test_a_name_that_was_given_to_another_tensor_is_found_with_the_line_that_did_it(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor(1.0, requires_grad=True)  #: created
        held = [w]
        optimizer = mg.optim.SGD(held, lr=0.1)
        w = mg.tensor(5.0).requires_grad_()  #: rebound
        (w * w).backward()
        optimizer.step()
        print(held[0].grad)  #: used
        """
    ).one("grad-none")
    assert "since line 5 (`mg.tensor(5.0)`) the name w stands for another one" in finding.sentence
    assert "SGD still holds the old one, and on line 7 (`optimizer.step()`) it does nothing with it" in finding.sentence
    assert "w.copy_(new_value)" in finding.mend
    assert "no_grad" in finding.mend


def test_an_optimiser_that_never_moves_a_parameter_is_found_without_anybody_looking(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        used = mg.tensor([1.0, 2.0], requires_grad=True)
        spare = mg.tensor([1.0, 2.0], requires_grad=True)  #: created
        optimizer = mg.optim.SGD([used, spare], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = (used * used).sum()
            loss.backward()
            optimizer.step()  #: skipped
        """
    ).one("dead-parameters")
    assert finding.sentence.startswith("spare was given to SGD, and skipped at each of its 3 steps on line 9")
    assert "no operation used it, so loss does not depend on it" in finding.sentence


def test_a_detached_branch_makes_dead_parameters_and_the_cut_is_named(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        b = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.Adam([a, b], lr=0.1)
        hidden = (a * 2.0).detach()  #: cut
        loss = (hidden * b).sum()
        loss.backward()
        optimizer.step()  #: skipped
        """
    ).one("dead-parameters")
    assert finding.sentence.startswith("a was given to Adam, and skipped at its only step on line 8")
    assert "detach() on line 5" in finding.sentence


def test_a_gradient_that_was_cleared_before_the_step_is_told_so(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        loss = (w * w).sum()
        loss.backward()  #: accumulated
        optimizer.zero_grad()  #: cleared
        optimizer.step()  #: skipped
        """
    ).one("dead-parameters")
    assert "cleared on line 6 (`optimizer.zero_grad()`) before anybody used it" in finding.sentence
    assert "zero_grad(); backward(); step()" in finding.mend


def test_a_frozen_parameter_and_one_that_moves_now_and_then_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        b = mg.tensor([1.0, 2.0], requires_grad=True)
        frozen = mg.tensor([1.0, 2.0])
        optimizer = mg.optim.SGD([a, b, frozen], lr=0.1)
        for i in range(4):
            optimizer.zero_grad()
            ((a if i % 2 else b) * frozen).sum().backward()
            optimizer.step()
        """
    )


def test_a_computed_tensor_cannot_be_optimised(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        scaled = w * 2.0  #: created
        mg.optim.SGD([scaled], lr=0.1)  #: used
        """,
        fails=ValueError,
    ).one("optimiser-nonleaf")
    assert "scaled is not a leaf but was computed on line 3 (`w * 2.0`)" in finding.sentence
    assert "made anew by every forward pass" in finding.sentence


# Backward that cannot start, and inputs that are not used


def test_backward_from_a_rebuilt_tensor_names_the_copy_as_the_cut(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        parts = [w[0] * 2.0, w[1] * 3.0]
        loss = mg.tensor(parts).sum()  #: cut
        loss.backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "cannot start at loss, which has no history: tensor(…) on line 4 (`mg.tensor(parts)`)" in finding.sentence
    assert "would only silence this error" in finding.sentence
    assert finding.mend == "mg.stack(parts)"


def test_backward_from_constants_says_that_nothing_requires_grad(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 1.0])  #: created
        loss = (x * 2.0).sum()
        loss.backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "nothing that it was computed from (x) requires grad" in finding.sentence
    assert finding.mend == "x.requires_grad_()  # before it is used"


def test_backward_from_what_ran_under_no_grad_names_the_operation(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        with mg.no_grad():
            h = w * 2.0  #: cut
        h.sum().backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "mul on line 4 (`w * 2.0`) ran under no_grad" in finding.sentence


def test_backward_through_a_gradient_without_create_graph_names_the_grad_call(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (slope,) = mg.autograd.grad((x * x * x).sum(), x)  #: cut
        (slope * slope).sum().backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-create-graph")
    assert "grad() on line 3" in finding.sentence
    assert "it does not remember how it depends on x" in finding.sentence
    assert finding.mend == "mg.autograd.grad((x * x * x).sum(), x, create_graph=True)"


def test_recording_that_was_switched_off_elsewhere_names_that_line_too(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        mg.set_grad_enabled(False)  #: disabled
        loss = (w * 2.0).sum()  #: cut
        mg.set_grad_enabled(True)
        loss.backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "mul on line 4 (`w * 2.0`) ran with recording switched off, since line 3" in finding.sentence


def test_the_second_derivative_of_something_linear_is_said_to_be_zero(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (slope,) = mg.autograd.grad((3.0 * x).sum(), x, create_graph=True)  #: created
        slope.sum().backward()  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "(3.0 * x).sum() is linear in what was asked for" in finding.sentence
    assert "the next derivative is 0" in finding.sentence


def test_numbers_that_went_through_an_array_are_missed_at_the_array(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        array = w.detach().numpy()  #: cut
        b = mg.from_numpy(array * 2.0).requires_grad_()
        b.sum().backward()
        print(w.grad)  #: used
        """
    ).one("grad-none")
    assert "are the numbers that numpy() on line 3" in finding.sentence
    assert "numbers have no past" in finding.sentence


def test_an_array_of_what_requires_grad_needs_detach(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)  #: created
        w.numpy()  #: used
        """,
        fails=RuntimeError,
    ).one("needs-detach")
    assert finding.mend == "w.detach().numpy()"


def test_an_input_that_the_output_does_not_depend_on_is_explained(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = mg.tensor([1.0, 2.0], requires_grad=True)
        h = (y * 2.0).detach()  #: cut
        out = (x * h).sum()
        mg.autograd.grad(out, [x, y])  #: used
        """,
        fails=RuntimeError,
    ).one("no-history")
    assert "was asked how out depends on y, but there is no way back to it: detach() on line 4" in finding.sentence


def test_allow_unused_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x, y = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
        mg.autograd.grad((x * 2.0).sum(), [x, y], allow_unused=True)
        """
    )


def test_backward_from_many_elements_needs_to_know_which(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        h = w * 2.0  #: created
        h.backward()  #: used
        """,
        fails=RuntimeError,
    ).one("nonscalar-backward")
    assert "h has more than one element (its shape is (2,))" in finding.sentence
    assert finding.mend.startswith("h.sum().backward()")


# Freed graphs


def test_a_second_backward_names_the_first_and_what_it_freed(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        loss = (w * w).sum()  #: created
        loss.backward()  #: freed
        loss.backward()  #: used
        """,
        fails=RuntimeError,
    ).one("backward-twice")
    assert "backward of loss on line 5 (`loss.backward()`) reached MulBackward0 of w * w" in finding.sentence
    assert "freed by the backward on line 4" in finding.sentence
    assert finding.mend.startswith("loss.backward(retain_graph=True)")


def test_a_part_that_was_computed_outside_the_loop_is_to_blame(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        features = w.exp()  #: created
        for target in (2.0, 5.0):
            loss = (features.sum() - target) ** 2
            loss.backward()  #: freed used
        """,
        fails=RuntimeError,
    ).one("backward-twice")
    assert "ExpBackward0 of features, made on line 3 (`w.exp()`)" in finding.sentence
    assert "features, which was computed once, before the loop, on line 3 (`w.exp()`)" in finding.sentence
    assert finding.mend.startswith("features = w.exp()  # inside the loop")


def test_a_graph_that_is_kept_or_computed_anew_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        for target in (2.0, 5.0):
            w.grad = None
            loss = (w.exp().sum() - target) ** 2
            loss.backward()
        kept = w.exp().sum()
        mg.autograd.grad(kept, w, retain_graph=True)
        mg.autograd.grad(kept, w)
        """
    )
