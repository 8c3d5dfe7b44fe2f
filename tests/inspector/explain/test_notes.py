"""What is no fault and yet worth knowing: ties, stretched operands, views that follow, hooks, large graphs."""

from __future__ import annotations

import pytest

from tests.inspector.explain.conftest import Explain, places


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("x.relu()", "relu has slope 0 at 0"),
        ("x.abs()", "abs has slope 0 at 0"),
        ("x.clamp(min=0.0)", "clamp has slope 1 at its bounds"),
        ("mg.maximum(x, mg.zeros(3))", "maximum gives half of the gradient to each of two equal operands"),
        ("x.max()", "max shares the gradient equally among all that are the maximum"),
        ("x.max(0)[0]", "max along a dimension gives the whole gradient to one index"),
        ("x.norm(float('inf'))", "the infinity norm shares the gradient equally"),
    ],
)
def test_the_choice_at_a_tie_is_told(explained: Explain, formula: str, words: str) -> None:
    ran = explained(
        f"import minigrad as mg\nx = mg.tensor([0.0, 4.0, 4.0], requires_grad=True)\ny = {formula}  #: chose\n"
        "y.sum().backward()\n"
    )
    note = ran.note("tie")
    assert words in note.sentence
    assert "(x, line 3)" in note.sentence
    assert "These are choices, not errors" in note.sentence
    assert places(note) == ran.marks


@pytest.mark.parametrize(
    "formula", ["x.relu()", "x.abs()", "x.clamp(min=0.0)", "mg.maximum(x, mg.zeros(3))", "x.max()"]
)
def test_without_a_tie_nothing_is_said(explained: Explain, formula: str) -> None:
    ran = explained(
        f"import minigrad as mg\nx = mg.tensor([1.0, -2.0, 3.0], requires_grad=True)\n({formula}).sum().backward()\n"
    )
    assert (ran.findings, ran.notes) == ([], [])


def test_each_stretched_operand_is_told_with_the_axes_of_its_sum(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        grid = mg.ones(2, 3)
        column = mg.ones(2, 1, requires_grad=True)
        row = mg.ones(3, requires_grad=True)
        (grid * column + row).sum().backward()  #: stretched
        """
    )
    note = ran.note("broadcast-gradient")
    assert "column from (2, 1) to (2, 3) on line 5, so its gradient is summed over axis 1" in note.sentence
    assert "row from (3,) to (2, 3) on line 5, so its gradient is summed over axis 0" in note.sentence
    assert "Axes of length 1 are kept in the sum, and leading axes that were added are dropped" in note.sentence
    assert places(note) == ran.marks


def test_a_view_that_follows_a_later_write_is_told(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        base = w * 1.0
        front = base[:2]  #: created
        base.mul_(3.0)  #: mutated
        (front * front).sum().backward()
        """
    )
    note = ran.note("view-follows-base")
    assert "mul_ on line 5 (`base.mul_(3.0)`) wrote base, its base" in note.sentence
    assert "its grad_fn was rebuilt from the base's new history (AsStridedBackward0)" in note.sentence
    assert "includes that write" in note.sentence
    assert places(note) == ran.marks


def test_a_view_follows_a_write_through_another_view_too(explained: Explain) -> None:
    note = explained(
        """
        import minigrad as mg
        base = mg.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1.0
        left, right = base[:2], base[1:]
        left.mul_(10.0)
        right.sum().backward()
        """
    ).note("view-follows-base")
    assert "wrote left, another view of its base base" in note.sentence


def test_an_operand_that_overlaps_what_is_written_is_told(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        grid = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) * 1.0
        grid -= grid[:, :1]  #: mutated
        grid.sum().backward()
        """
    )
    note = ran.note("overlapping-write")
    assert "reads grid[:, :1], a view of the very memory of grid that it overwrites" in note.sentence
    assert "later elements see numbers that were already changed" in note.sentence
    assert note.mend.startswith("grid[:, :1].clone()")
    assert places(note) == ran.marks


def test_a_hook_waits_for_the_sum_of_all_uses(explained: Explain) -> None:
    note = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        x.register_hook(lambda g: print(g))
        x.register_post_accumulate_grad_hook(lambda t: None)
        ((x * x).sum() + (x * 3.0).sum()).backward()
        """
    ).note("hook-on-sum")
    assert "ran once in the backward on line 5" in note.sentence
    assert "x is used 3 times: a hook waits for the sum of all that arrives, [5, 7]" in note.sentence
    assert "runs for backward() only" in note.sentence


def test_an_index_read_twice_gets_both_gradients(explained: Explain) -> None:
    note = explained(
        """
        import minigrad as mg
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        taken = x[mg.tensor([0, 0, 1])]
        (taken * mg.tensor([1.0, 10.0, 100.0])).sum().backward()
        """
    ).note("repeated-reading")
    assert "x[0] gets 1 + 10 = 11" in note.sentence


def test_a_comparison_in_a_formula_is_said_to_have_no_slope(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        x = mg.tensor([-1.0, 2.0], requires_grad=True)
        gate = (x > 0).float()  #: cut
        (gate * x).sum().backward()  #: used
        """
    )
    note = ran.note("no-slope")
    assert "gt on line 3 (`x > 0`) is a step: it has no derivative, and cuts the graph there" in note.sentence
    assert "a gradient reaches x only along other ways" in note.sentence
    assert places(note) == ran.marks


def test_a_comparison_that_only_chooses_is_not_worth_a_word(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        x = mg.tensor([-1.0, 2.0], requires_grad=True)
        mg.where(x > 0, x, mg.zeros(2)).sum().backward()
        x[x > 0].sum().backward()
        x.masked_fill(x > 0, 0.0).sum().backward()
        """
    )
    assert (ran.findings, ran.notes) == ([], [])


def test_a_graph_of_many_paths_is_told_in_a_few_words(explained: Explain) -> None:
    note = explained(
        """
        import minigrad as mg
        x = mg.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(60):
            y = (y + y) * 0.5
        y.backward()
        """
    ).note("large-graph")
    assert "has 121 nodes in 121 layers (60 of MulBackward0 and 60 of AddBackward0)" in note.sentence
    assert "about 2^60 paths" in note.sentence
    assert "Each node runs once" in note.sentence


def test_a_deep_chain_is_summarised_and_not_walked_by_recursion(explained: Explain) -> None:
    note = explained(
        """
        import minigrad as mg
        end = mg.tensor(1.0, requires_grad=True)
        for _ in range(3000):
            end = end + 1.0
        end.backward()
        """
    ).note("large-graph")
    assert "has 3,001 nodes in 3,001 layers (3,000 of AddBackward0)" in note.sentence


def test_in_a_long_run_the_small_print_is_left_out(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        bias = mg.zeros(3, requires_grad=True)
        for _ in range(200):
            bias.grad = None
            (mg.ones(2, 3) + bias).relu().sum().backward()
        """
    )
    assert (ran.findings, ran.notes) == ([], [])
