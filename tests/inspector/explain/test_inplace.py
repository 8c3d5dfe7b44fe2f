"""Writes that break a backward, or that are refused: who saved what, who overwrote it, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain, places

Healthy = Callable[[str], None]


def test_a_saved_value_that_was_overwritten_is_named_with_both_lines_and_both_versions(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * 3.0
        q = h * h  #: saved
        h.add_(1.0)  #: mutated
        q.sum().backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "MulBackward0 (mul on line 4 (`h * h`)) saved h at version 0" in finding.sentence
    assert "add_ on line 5 (`h.add_(1.0)`) raised it to version 1" in finding.sentence
    assert finding.mend == "h = h.add(1.0)"
    saved, written, found = (one.text for one in finding.evidence)
    assert saved in ("MulBackward0 saved a = h at v0", "MulBackward0 saved b = h at v0")
    assert (written, found) == ("add_ wrote h: v0 → v1", "backward found h at v1 and gave up")


def test_an_operation_that_keeps_its_output_is_told_from_one_that_does_not(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        def last_to_zero(bend):
            x = mg.tensor([-1.0, 0.5], requires_grad=True)
            y = bend(x)
            y[1] = 0.0  #: mutated
            y.sum().backward()
        last_to_zero(lambda x: 1 / (1 + (-x).exp()))
        last_to_zero(lambda x: x.sigmoid())  #: saved
        """,
        fails=RuntimeError,
    )
    sentence = ran.one("inplace-version").sentence
    assert "SigmoidBackward0 (sigmoid on line 8 (`x.sigmoid()`)) saved its own output y at version 0" in sentence
    assert "copy_ on line 5 (`y[1] = 0.0`) raised it to version 1" in sentence
    assert "y[1] is a view of y" in sentence
    assert "The same write did no harm where the value came from" in sentence
    assert "on line 7" in sentence


def test_a_write_through_detach_is_said_to_share_the_counter(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor([0.0, 1.0], requires_grad=True)
        s = x.exp()  #: saved
        copy = s.detach()
        copy.zero_()  #: mutated
        s.sum().backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "copy comes from s by detach(): it shares the memory and the version counter." in finding.sentence
    assert finding.mend.startswith("copy = s.detach().clone()")


def test_rows_of_one_buffer_are_said_to_share_its_counter_and_a_list_is_proposed(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        first = mg.tensor([1.0, 2.0], requires_grad=True)
        rows = mg.zeros(3, 2)
        rows[0] = first
        for i in (1, 2):
            rows[i] = rows[i - 1].exp() * rows[i - 1]  #: saved mutated
        rows[2].sum().backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "share its one version counter, even where they do not overlap" in finding.sentence
    assert "at version 2; then copy_ on line 6" in finding.sentence
    assert "raised it to version 3" in finding.sentence
    assert "Python list" in finding.mend
    assert "stack(" in finding.mend


def test_a_step_of_the_optimiser_between_forward_and_backward_is_told_as_such(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        loss = (w * w).sum()  #: saved
        loss.backward(retain_graph=True)
        optimizer.step()  #: mutated
        optimizer.zero_grad()
        loss.backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "SGD.step on line 6" in finding.sentence
    assert finding.mend == "loss = (w * w).sum()  # once more after optimizer.step(), for a second pass"


def test_a_weight_that_another_optimiser_moved_is_named_though_its_transpose_was_saved(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        mg.manual_seed(0)
        judge, maker = mg.nn.Linear(2, 1), mg.nn.Linear(2, 2)
        optimizer = mg.optim.SGD(judge.parameters(), lr=0.1)
        made = maker(mg.ones(4, 2))
        loss = judge(made).mean()  #: saved
        judge(made.detach()).mean().backward()
        optimizer.step()  #: mutated
        loss.backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "saved a view of judge.weight at version 1" in finding.sentence
    assert "SGD.step on line 8" in finding.sentence


def test_an_operation_that_writes_over_its_own_operand_saved_that_and_no_output(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        y = mg.tensor([1.0, 2.0], requires_grad=True) * 1.0
        y.mul_(y)  #: saved mutated
        y.sum().backward()
        """,
        fails=RuntimeError,
    ).one("inplace-version")
    assert "saved y at version 0; then mul_ on line 3" in finding.sentence
    assert finding.mend == "y = y.mul(y)"


def test_an_error_that_the_script_caught_counts_too(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        e = w.exp()  #: saved
        e.mul_(2.0)  #: mutated
        try:
            e.sum().backward()
        except RuntimeError:
            pass
        """
    )
    assert ran.one("inplace-version").mend == "e = e.mul(2.0)"


@pytest.mark.parametrize(
    "write",
    ["h = h + 1.0", "h = h.add(1.0)", "g = h.clone(); g.add_(1.0)", "total = h.sum()"],
)
def test_a_new_tensor_instead_of_a_write_is_no_fault(healthy: Healthy, write: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * 3.0
        q = h * h
        {write}
        q.sum().backward()
        """
    )


def test_a_write_to_what_nobody_saved_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w + 3.0
        h.add_(1.0)
        h[0] = 0.0
        h.sum().backward()
        """
    )


# .data


DATA = """
import minigrad as mg
x = mg.tensor([0.0, 1.0], requires_grad=True)
s = x.sigmoid()  #: saved
{write}
s.sum().backward()
print(x.grad)
"""


def test_a_write_through_data_is_found_though_nothing_failed(explained: Explain) -> None:
    ran = explained(DATA.format(write="alias = s.data  #: cut\nalias.zero_()  #: mutated"))
    finding = ran.one("data-inplace")
    assert "SigmoidBackward0 (sigmoid on line 3 (`x.sigmoid()`)) saved its own output s" in finding.sentence
    assert "zero_ on line 5 (`alias.zero_()`) overwrote it through alias, made by .data on line 4" in finding.sentence
    assert "shares the memory but not the version counter" in finding.sentence
    assert "silently used the new numbers ([0, 0])" in finding.sentence
    assert "detach() shares the counter too" in finding.sentence
    assert finding.mend.startswith("alias = s.detach().clone()")


def test_a_write_that_data_hid_is_not_called_harmless_beside_one_that_was_caught(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        for through in ("data", "detach"):
            x = mg.tensor([0.0, 1.0], requires_grad=True)
            s = x.sigmoid()
            alias = s.data if through == "data" else s.detach()
            alias.zero_()
            s.sum().backward()
        """,
        fails=RuntimeError,
    )
    assert [finding.kind for finding in ran.findings] == ["data-inplace", "inplace-version"]
    assert "did no harm" not in ran.findings[1].sentence


def test_a_write_through_a_view_of_data_is_found_too(explained: Explain) -> None:
    ran = explained(DATA.format(write="s.data[0] = 5.0  #: cut mutated"))
    assert "made by .data on line 4" in ran.one("data-inplace").sentence


@pytest.mark.parametrize(
    "write",
    ["s.data.sum()", "x.data.add_(1.0)", "s.data.clone().zero_()", "s = s * 1.0\ns.data.zero_()"],
    ids=["only read", "not what was saved", "a copy", "a value that nobody saved"],
)
def test_harmless_uses_of_data_are_no_fault(healthy: Healthy, write: str) -> None:
    healthy(DATA.format(write=write))


def test_an_old_fashioned_update_through_data_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(3):
            loss = (w * w).sum()
            loss.backward()
            w.data -= 0.1 * w.grad.data
            w.grad = None
        """
    )


# Refused writes


def test_a_leaf_that_is_written_gets_an_out_of_place_mend(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)  #: created
        w += 1.0  #: mutated
        """,
        fails=RuntimeError,
    ).one("leaf-inplace")
    assert "add_ on line 3 (`w += 1.0`) was refused: w is a leaf that requires grad" in finding.sentence
    assert finding.mend.startswith("w = w + 1.0  # makes a new tensor")
    assert "no_grad" in finding.mend


def test_a_buffer_that_must_not_require_grad_is_told_so_and_where_it_went_well(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        def fill(needs):
            c = mg.tensor([2.0, 3.0], requires_grad=True)
            out = mg.zeros(2, requires_grad=needs)  #: created
            for i in range(2):
                out[i] = c[i] * c[i]  #: mutated
            out.sum().backward()
        fill(False)
        fill(True)
        """,
        fails=RuntimeError,
    )
    finding = ran.one("view-inplace")
    assert "out[i] is a view of out, which is a leaf that requires grad, made on line 4" in finding.sentence
    assert "The same line went well where out had been made without requires_grad" in finding.sentence
    assert "c.grad = [4, 6]" in finding.sentence
    assert finding.mend.startswith("out = mg.zeros(2)  # without requires_grad")


@pytest.mark.parametrize("pick", ["grid.unbind()[0]", "grid.split(1)[0]", "grid.chunk(2)[0]", "next(iter(grid))"])
def test_one_of_several_views_may_not_be_written_and_indexing_is_proposed(explained: Explain, pick: str) -> None:
    finding = explained(
        f"""
        import minigrad as mg
        w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        grid = w * 1.0
        part = {pick}  #: created
        part.mul_(2.0)  #: mutated
        """,
        fails=RuntimeError,
    ).one("view-inplace")
    assert "one of several views that one operation handed out" in finding.sentence
    assert "views of such views inherit the ban" in finding.sentence
    assert "grid[0]" in finding.mend


def test_a_view_of_a_view_of_several_is_said_to_inherit_the_ban(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        part = (w * 1.0).unbind()[0][:1]  #: created
        part.mul_(2.0)  #: mutated
        """,
        fails=RuntimeError,
    ).one("view-inplace")
    assert "or a view of one" in finding.sentence


def test_several_views_die_when_their_base_is_written(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        grid = mg.tensor([1.0, 2.0], requires_grad=True) * 1.0
        low, high = grid.chunk(2)  #: created
        grid.mul_(2.0)
        low.sum()  #: mutated
        """,
        fails=RuntimeError,
    ).one("view-inplace")
    assert "since then its base was written in place" in finding.sentence


def test_indexing_the_base_and_writing_there_is_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        grid = w * 1.0
        grid[0].mul_(2.0)
        grid.sum().backward()
        """
    )


def test_expanded_memory_is_one_cell_and_clone_gives_it_more(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        wide = mg.ones(1, 1).expand(2, 3)  #: created
        wide.add_(1.0)  #: mutated
        """,
        fails=RuntimeError,
    ).one("view-inplace")
    assert "several elements of wide are one and the same memory cell" in finding.sentence
    assert finding.mend.startswith("wide = wide.clone()")


def test_a_view_made_under_no_grad_is_to_be_written_on_the_same_side(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        base = mg.tensor([1.0, 2.0], requires_grad=True) * 1.0
        with mg.no_grad():
            view = base[:1]  #: created
        view.mul_(2.0)  #: mutated
        """,
        fails=RuntimeError,
    ).one("view-inplace")
    assert "view was made as a view under no_grad on line 4" in finding.sentence
    assert "same side of the no_grad block" in finding.mend


def test_values_set_under_no_grad_are_no_fault(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        with mg.no_grad():
            w += 1.0
            w[0] = 5.0
        (w * w).sum().backward()
        """
    )


# Inference mode


def test_an_inference_tensor_is_named_with_the_line_that_made_it_and_the_one_that_wanted_to_save_it(
    explained: Explain,
) -> None:
    finding = explained(
        """
        import minigrad as mg
        with mg.inference_mode():
            features = mg.tensor([2.0, 3.0]) * 2.0  #: created
        head = mg.tensor([1.0, 1.0], requires_grad=True)
        total = (head * features).sum()  #: saved
        """,
        fails=RuntimeError,
    ).one("inference-tensor")
    assert "mul on line 5 (`head * features`) was refused" in finding.sentence
    assert "features was made in inference_mode on line 3 (`mg.tensor([2.0, 3.0]) * 2.0`)" in finding.sentence
    assert "An operation that saves nothing, such as an addition, works with it" in finding.sentence
    assert finding.mend.startswith("features = features.clone()")
    assert "no_grad()" in finding.mend


def test_an_inference_tensor_may_not_be_written_outside(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        with mg.inference_mode():
            features = mg.ones(2) * 2.0  #: created
        features.add_(1.0)  #: mutated
        """,
        fails=RuntimeError,
    ).one("inference-tensor")
    assert "may be written inside that mode only" in finding.sentence


@pytest.mark.parametrize("use", ["head + features", "head * features.clone()"])
def test_an_addition_and_a_clone_are_no_fault(healthy: Healthy, use: str) -> None:
    healthy(
        f"""
        import minigrad as mg
        with mg.inference_mode():
            features = mg.tensor([2.0, 3.0]) * 2.0
        head = mg.tensor([1.0, 1.0], requires_grad=True)
        ({use}).sum().backward()
        """
    )


def test_what_is_said_of_the_same_lines_twice_is_said_once(explained: Explain) -> None:
    ran = explained(
        """
        import minigrad as mg
        for _ in range(3):
            w = mg.tensor([1.0, 2.0], requires_grad=True)
            e = w.exp()  #: saved
            e.mul_(2.0)  #: mutated
            try:
                e.sum().backward()
            except RuntimeError:
                pass
        """
    )
    assert places(ran.one("inplace-version")) == ran.marks
