"""NaN and infinity, vanishing gradients, shapes that broadcast by accident, integers, and cells written twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain

Healthy = Callable[[str], None]


def test_the_dead_branch_of_a_where_is_named_with_the_index_and_a_second_where_is_proposed(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([4.0, 0.0], requires_grad=True)
        root = x.sqrt()  #: produced
        y = mg.where(x > 0, root, mg.zeros(2))  #: chose
        y.sum().backward()  #: used
        """
    ).one("nan-origin")
    assert (
        "SqrtBackward0 (sqrt on line 3 (`x.sqrt()`)) made the first NaN of this backward, at index 1"
        in finding.sentence
    )
    assert "there x is exactly 0, and the slope of √x is 1 / (2·√x), infinite at exactly 0" in finding.sentence
    assert "the gradient that came in there is 0, and 0 · ∞ is NaN" in finding.sentence
    assert "where() on line 4" in finding.sentence
    assert "the branch not chosen" in finding.sentence
    assert finding.mend == "safe = mg.where(x > 0, x, 1.0)\n# and then safe.sqrt() in the other where"


def test_a_second_where_around_the_operand_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x = mg.tensor([4.0, 0.0], requires_grad=True)
        safe = mg.where(x > 0, x, mg.ones(2))
        mg.where(x > 0, safe.sqrt(), mg.zeros(2)).sum().backward()
        """
    )


@pytest.mark.parametrize(
    ("formula", "then", "instead"),
    [("(x * x).sum().sqrt()", "MulBackward0", "norm()"), ("x.var().sqrt()", "VarBackward0", "std()")],
)
def test_a_root_of_exactly_zero_is_named_and_the_gentle_function_with_it(
    explained: Explain, formula: str, then: str, instead: str
) -> None:
    finding = explained(
        f"""
        import minigrad as mg
        x = mg.zeros(3, requires_grad=True)
        size = {formula}  #: produced
        size.backward()  #: used
        """
    ).one("nan-origin")
    assert "SqrtBackward0 (sqrt on line 3" in finding.sentence
    assert "made the first infinity of this backward" in finding.sentence
    assert "is exactly 0" in finding.sentence
    assert f"{then} " in finding.sentence
    assert "∞ · 0 is NaN" in finding.sentence
    assert "norm() and std() have the same values, and take the slope 0 there" in finding.sentence
    assert "+ 1e-12).sqrt()" in finding.mend
    assert instead in finding.mend


@pytest.mark.parametrize("formula", ["x.norm()", "x.std()", "((x * x).sum() + 1e-12).sqrt()"])
def test_gentle_functions_at_zero_are_no_fault(healthy: Healthy, formula: str) -> None:
    healthy(f"import minigrad as mg\nx = mg.zeros(3, requires_grad=True)\n{formula}.backward()\n")


def test_the_second_derivative_of_norm_at_zero_is_said_not_to_exist(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        x = mg.zeros(2, requires_grad=True)
        (slope,) = mg.autograd.grad(x.norm(), x, create_graph=True)  #: produced
        mg.autograd.grad(slope.sum(), x)  #: used
        """
    )
    finding = ran.one("nan-origin")
    assert "the second derivative of norm on line 3 (`x.norm()`) at exactly 0" in finding.sentence
    assert "subgradient" in finding.sentence
    assert "not twice differentiable" in finding.sentence
    assert "1e-12" in finding.mend


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("x.log()", "log on line 3 (`x.log()`) made the first infinity, at index 1: there x is exactly 0"),
        ("(x - 1.0).log()", "made the first NaN, at index 1"),
        ("(x - 1.0).sqrt()", "there x - 1.0 is -1, and a negative number has no square root"),
        (
            "x / x",
            "div on line 3 (`x / x`) made the first NaN, at index 1: there x is exactly 0, and a division by exactly 0",
        ),
        ("(x * 400.0).exp()", "exp on line 3 (`(x * 400.0).exp()`) made the first infinity, at index 0"),
    ],
)
def test_the_first_forward_operation_that_is_not_finite_is_named_with_its_operand(
    explained: Explain, formula: str, words: str
) -> None:
    finding = explained(
        f"""
        import minigrad as mg
        x = mg.tensor([3.0, 0.0], requires_grad=True)
        y = {formula}  #: produced
        loss = (y * 2.0).sum()
        loss.backward()  #: used
        """
    ).one("nan-origin")
    assert words in finding.sentence
    assert "From there it reached loss, from which backward starts on line 5" in finding.sentence


@pytest.mark.parametrize(
    ("formula", "mend"),
    [
        ("x.log()", "(x + 1e-12).log()"),
        ("x ** 0.5", "(x + 1e-12) ** 0.5"),
        ("(x / 3.0).acos()", "(x / 3.0).clamp(-1 + 1e-06, 1 - 1e-06).acos()"),
    ],
)
def test_the_mend_keeps_the_operand_away_from_the_edge(explained: Explain, formula: str, mend: str) -> None:
    (finding,) = explained(
        f"import minigrad as mg\nx = mg.tensor([3.0, 0.0], requires_grad=True)\n({formula}).sum().backward()\n"
    ).findings
    assert finding.mend == mend


def test_a_row_of_minus_infinity_alone_has_no_softmax(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        scores = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        mask = mg.tensor([[False, True], [True, True]])
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)  #: produced
        weights.sum().backward()  #: used
        """
    ).one("nan-origin")
    assert "softmax on line 4" in finding.sentence
    assert "made the first NaN, of infinities, at index (1, 0)" in finding.sentence
    assert "all that it compares there is -∞" in finding.sentence


def test_anomaly_mode_stops_and_the_cause_is_still_named(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        x = mg.tensor([0.0], requires_grad=True)
        y = (x.sqrt() * 0.0).sum()  #: produced
        with mg.autograd.detect_anomaly():
            y.backward()  #: used
        """,
        fails=RuntimeError,
    )
    assert "slope of √x" in ran.one("nan-origin").sentence


def test_masks_of_infinity_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        scores = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        mask = mg.tensor([[False, True], [False, False]])
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        (weights * weights).sum().backward()
        """
    )


def test_infinity_that_reaches_no_gradient_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x = mg.tensor([2.0, 0.0], requires_grad=True)
        with mg.no_grad():
            print((1.0 / x).tolist())
        (x * 2.0).sum().backward()
        """
    )


def test_nan_that_was_in_the_data_has_no_origin_in_an_operation(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        x = mg.tensor([2.0, float("nan")])
        w = mg.tensor([1.0, 1.0], requires_grad=True)
        (w * x).sum().backward()
        """
    )


# Vanishing and exploding


DEEP = """
import minigrad as mg
mg.manual_seed(0)
x = mg.randn(4, 6)
layers = [(mg.randn(6, 6) * {scale}).requires_grad_() for _ in range(12)]
h = x
for i in range(12):
    h = {step}
loss = (h * h).sum()
loss.backward()
"""


def test_gradients_that_vanish_through_many_layers_are_found(explained: Explain) -> None:
    (finding,) = explained(DEEP.format(scale=0.3, step="(h @ layers[i]).sigmoid()")).findings
    assert finding.kind == "vanishing-or-exploding"
    assert "the gradients vanish on their way to the first layers" in finding.sentence
    assert "beginning with layers[11]" in finding.sentence
    assert "ending with layers[0]" in finding.sentence
    assert "relu" in finding.mend
    assert (9, "used") in {(place.line, place.role) for place in finding.locations}


def test_gradients_that_explode_are_found(explained: Explain) -> None:
    (finding,) = explained(DEEP.format(scale=4.0, step="(h @ layers[i]).sin()")).findings
    assert finding.kind == "vanishing-or-exploding"
    assert "the gradients explode on their way to the first layers" in finding.sentence
    assert "clip_grad_norm_" in finding.mend


@pytest.mark.parametrize(("scale", "step"), [(0.4, "(h @ layers[i]).relu()"), (0.4, "h + (h @ layers[i]).tanh()")])
def test_a_deep_net_that_is_well_scaled_is_no_fault(healthy: Healthy, scale: float, step: str) -> None:
    healthy(DEEP.format(scale=scale, step=step))


def test_a_loss_near_its_minimum_has_small_gradients_and_is_no_fault(healthy: Healthy) -> None:
    healthy(DEEP.format(scale=0.4, step="(h @ layers[i]).relu()").replace("(h * h).sum()", "(h * h).sum() * 1e-15"))


# Shapes


def test_a_column_against_a_row_in_a_loss_is_suspect(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([[1.0], [2.0], [3.0]])
        w = mg.tensor([[1.0]], requires_grad=True)
        target = mg.tensor([1.0, 2.0, 3.0])  #: row
        guess = x @ w  #: column
        loss = ((guess - target) ** 2).mean()  #: used
        loss.backward()
        """
    ).one("broadcast-suspect")
    assert (
        "sub on line 6 (`guess - target`) compares guess of shape (3, 1) with target of shape (3,)" in finding.sentence
    )
    assert "broadcast to (3, 3)" in finding.sentence
    assert "towards the mean" in finding.sentence
    assert finding.mend == "guess.squeeze(1)  # of shape (3,), like target; or target.view(3, 1)"


def test_the_same_in_mse_loss_is_suspect_too(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        from minigrad.nn import functional as F
        guess = mg.tensor([[1.0], [2.0]], requires_grad=True)  #: column
        target = mg.tensor([1.0, 2.0])  #: row
        F.mse_loss(guess, target).backward()  #: used
        """
    )
    assert "mse_loss on line 5" in ran.one("broadcast-suspect").sentence


@pytest.mark.parametrize(
    "pairs",
    ["x[:, None] - y", "x.unsqueeze(1) - y", "x.view(3, 1) - y", "x - y", "table - x"],
)
def test_differences_of_all_pairs_by_design_are_no_fault(healthy: Healthy, pairs: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = mg.tensor([1.0, 2.0, 3.0])
        table = mg.ones(2, 3)
        (({pairs}) ** 2).sum().backward()
        """
    )


def test_a_cell_that_is_written_twice_is_found(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        values = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        shelf = mg.zeros(4)
        shelf[mg.tensor([2, 0, 2])] = values  #: mutated
        shelf.sum().backward()
        """
    ).one("repeated-index")
    assert "line 4 (`shelf[mg.tensor([2, 0, 2])] = values`) writes to shelf[2] more than once" in finding.sentence
    assert "which one is not defined" in finding.sentence
    assert "accumulate=True" in finding.mend


@pytest.mark.parametrize(
    "write",
    [
        "shelf[mg.tensor([2, 0, 1])] = values",
        "shelf.index_put_((mg.tensor([2, 0, 2]),), values, accumulate=True)",
        "shelf.index_add_(0, mg.tensor([2, 0, 2]), values)",
    ],
)
def test_cells_named_once_or_added_up_are_no_fault(healthy: Healthy, write: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        values = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        shelf = mg.zeros(4)
        {write}
        shelf.sum().backward()
        """
    )


# Integers


def test_a_literal_without_a_decimal_point_is_shown_with_one(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1, 2], requires_grad=True)  #: created
        """,
        fails=RuntimeError,
    ).one("dtype-surprise")
    assert "its numbers have no decimal point, so the tensor is int64" in finding.sentence
    assert finding.mend == "mg.tensor([1.0, 2.0], requires_grad=True)"


def test_a_fraction_does_not_fit_into_an_integer_tensor(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        counts = mg.tensor([1, 2])  #: created
        counts += 0.5  #: mutated
        """,
        fails=RuntimeError,
    ).one("dtype-surprise")
    assert (
        "counts holds i64 numbers (its numbers on line 2 (`mg.tensor([1, 2])`) have no decimal point)"
        in finding.sentence
    )
    assert finding.mend == "mg.tensor([1.0, 2.0])"


def test_integers_have_no_mean(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        counts = mg.arange(3)  #: created
        counts.mean()  #: used
        """,
        fails=RuntimeError,
    ).one("dtype-surprise")
    assert "counts holds integers (its numbers on line 2 (`mg.arange(3)`) have no decimal point)" in finding.sentence
    assert "the mean of integers is none" in finding.sentence
    assert finding.mend == "mg.arange(3.0)"


def test_integers_used_as_such_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        index = mg.tensor([0, 2])
        index += 1
        w = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
        (w[index] * index).sum().backward()
        """
    )
