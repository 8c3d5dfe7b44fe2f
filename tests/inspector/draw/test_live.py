"""Pictures of a live tensor, and of real recordings: what they say is what minigrad and NumPy say."""

from __future__ import annotations

import math
import warnings
from types import ModuleType

import numpy as np
import pytest

import inspector
import minigrad as mg
from inspector.draw import DrawError, draw
from inspector.draw.lines import lines
from inspector.draw.scene import Kind
from tests.inspector.draw.reading import told


def test_a_tensor_is_drawn_with_the_names_of_the_calling_code() -> None:
    x = mg.tensor([[1.0, 2.0]])
    w = mg.tensor([[0.5], [0.25]], requires_grad=True)
    h = (x @ w).tanh()
    loss = (h * h).sum()
    said = told(draw(loss))
    assert said["◆ w"] == ["⊕ AccumulateGrad | —", ".grad | —"]
    assert said["h"] == ["● TanhBackward0 | —", "▣ out@v0"]
    assert said["mm"] == ["● MmBackward0 | —", "▣ a: x@v0"]
    assert said["mul"] == ["● MulBackward0 | —", "▣ b: h@v0", "▣ a: h@v0"]
    assert draw(loss).scene.headline == "How loss came to be"


def test_names_can_be_given() -> None:
    w = mg.ones(2, requires_grad=True)
    total = (w * 2).sum()
    assert list(told(draw(total, names={"gewicht": w}))) == ["◆ gewicht", "mul", "sum"]


def test_a_parameter_is_called_by_its_dotted_name() -> None:
    class Net:
        def __init__(self) -> None:
            self.weight = mg.ones(2, requires_grad=True)

        def named_parameters(self) -> list[tuple[str, mg.Tensor]]:
            return [("weight", self.weight)]

    net = Net()
    assert "◆ net.weight" in told(draw(net.weight.sum()))


def test_a_value_that_was_overwritten_is_seen_without_a_recording() -> None:
    w = mg.ones(2, requires_grad=True)
    h = w.exp()
    h.add_(1)
    y = (h * 2).sum()
    exp = told(draw(y))["exp"]
    assert exp == ["● ExpBackward0 | —", "▣ out | saved v0 ≠ now v1"]


def test_each_card_of_memory_that_was_written_through_a_view_shows_the_numbers_of_its_own_version() -> None:
    with inspector.record() as trace:
        w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        table = w * 1.0
        table[0].mul_(10.0)
        table.sum().backward()
    said = told(draw(trace, values=4))
    (before,) = [lines for title, lines in said.items() if "w * 1.0" in title or "w × 1.0" in title]
    assert before[-2:] == ["1.0 | 2.0", "3.0 | 4.0"]
    (written,) = [lines for lines in said.values() if "● CopySlices" in lines[0]]
    assert written[-2:] == ["10.0 | 20.0", "3.0 | 4.0"]


def test_a_gradient_that_is_there_is_shown_and_none_is_a_dash() -> None:
    w = mg.tensor([3.0, 4.0], requires_grad=True)
    (w * w).sum().backward()
    kept = w * 2
    kept.retain_grad()
    kept.sum().backward()
    said = told(draw(kept.exp().sum()))
    assert said["◆ w"][1] == f".grad | ‖{math.hypot(2 * 3 + 2, 2 * 4 + 2):.1f}‖"
    assert "⚑ .grad | ‖1.41‖" in said["kept"]


def test_drawing_a_value_in_the_middle_does_not_warn() -> None:
    middle = mg.ones(2, requires_grad=True) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "middle" in told(draw(middle.sum()))


def test_drawing_changes_nothing() -> None:
    w = mg.tensor([3.0, 4.0], requires_grad=True)
    loss = (w * w).sum()
    version, node = w._version, loss.grad_fn
    draw(loss)
    draw(loss, style="graph")
    assert (w._version, w.grad, loss.grad_fn) == (version, None, node)
    loss.backward()
    assert w.grad is not None
    np.testing.assert_allclose(w.grad.numpy(), [6.0, 8.0])


def test_a_leaf_and_a_constant_are_pictures_of_themselves() -> None:
    w, x = mg.ones(2, requires_grad=True), mg.zeros(3)
    assert told(draw(w, values=2)) == {"◆ w": [".grad | —", "1.0 | 1.0"]}
    assert told(draw(x)) == {"○ x": []}
    assert draw(x).scene.headline == "x"


def test_a_graph_that_is_too_large_is_refused_at_once_however_deep() -> None:
    x = mg.ones(1, requires_grad=True)
    for _ in range(5000):
        x = x * 1.0
    with pytest.raises(DrawError, match="This graph has 5,001 cards, and a picture holds 5,000 at most"):
        draw(x)


def test_a_tensor_of_pytorch_is_drawn_too(torch: ModuleType) -> None:
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    said = told(draw(loss))
    assert said["mul"] == ["● MulBackward0 | —"]
    assert said["loss"] == ["● SumBackward0 | —"]


# Recordings.


def test_the_numbers_of_a_recording_are_those_of_the_run() -> None:
    rng = np.random.default_rng(0)
    with inspector.record() as trace:
        x = mg.tensor(rng.normal(size=(5, 3)).astype(np.float32))
        w = mg.tensor(rng.normal(size=(3, 2)).astype(np.float32), requires_grad=True)
        h = (x @ w).tanh()
        loss = (h * h).mean()
        loss.backward()
    assert w.grad is not None
    norm = float(np.linalg.norm(w.grad.numpy()))
    said = told(draw(trace))
    assert said["◆ w"] == [f"⊕ AccumulateGrad | ‖g‖ {norm:.3g}", f".grad | ‖{norm:.3g}‖"]
    assert said["h = (x @ w).tanh()"][0].startswith("● TanhBackward0 | ‖g‖ ")
    assert f"loss = (h * h).mean() | f32[] | {loss.item():.3g}" in title_lines(draw(trace))


def title_lines(drawn: inspector.draw.Picture) -> list[str]:
    return [" | ".join(cell.text for cell in (c.rows[0].left + c.rows[0].right)[:-1]) for c in drawn.scene.cards]


def test_a_recording_that_fails_over_a_version_names_the_write() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        h = w.exp()
        y = h.sum()
        h.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
    scene = draw(trace).scene
    assert scene.alarm.startswith("Failed in ExpBackward0: it saved h at v0, then mul_ at test_live.py:")
    assert scene.alarm.endswith(" changed h to v1")


def test_a_write_through_a_view_gives_its_base_another_card() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        table = w * mg.ones(2, 3)
        row = table[0]
        row.mul_(2)
        loss = (table * table).sum()
        loss.backward()
    drawn = draw(trace)
    versions = {card.rows[0].left[0].text: card.rows[0].right[-1].text for card in drawn.scene.cards}
    assert versions["table = w * mg.ones(2, 3)"] == "v0"
    assert versions["row.mul_(2)"] == "v1"
    assert told(drawn)["row.mul_(2)"][0].startswith("● CopySlices | ‖g‖ ")


def test_a_detached_value_is_drawn_as_a_cut() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        h = w.exp()
        target = h.detach()
        loss = (h - target * 2).sum()
        loss.backward()
    scene = draw(trace).scene
    names = {card.key: card.name for card in scene.cards}
    (cut,) = [link for link in scene.links if link.kind is Kind.CUT]
    assert names[cut.tail] == "h"
    assert cut.strands[0].label == "✂ detach"


def test_an_optimiser_step_is_a_write_in_the_parameters_card() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1)
    assert told(draw(trace))["◆ w"][-1].startswith("v0 ─sub_→ v1 | test_live.py:")
    assert not any(card.alarm for card in draw(trace).scene.cards)


def test_a_write_by_an_operation_of_the_pass_points_back_to_what_it_broke() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        h = w.exp()
        h.add_(1)
        loss = h.sum()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    drawn = draw(trace)
    (link,) = [link for link in drawn.scene.links if link.kind is Kind.BROKEN]
    assert (drawn.scene.card(link.tail).name, drawn.scene.card(link.head).name) == ("h.add_(1)", "h")
    (line,) = [line for line in lines(drawn.scene, drawn.layout) if line.link is link]
    assert line.curve.points[0].x == drawn.layout.corners[link.tail].x
    assert line.curve.points[-1].x == drawn.layout.corners[link.head].x + drawn.scene.card(link.head).width


def test_a_second_backward_over_a_freed_graph_says_so() -> None:
    with inspector.record() as trace:
        w = mg.ones(3, requires_grad=True)
        loss = w.exp().sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            loss.backward()
    drawn = draw(trace)
    assert drawn.scene.alarm == "Failed in ExpBackward0: what it had saved (out) was freed by an earlier pass"
    assert drawn.scene.detail.endswith("1 of 1 gradients missing")
    assert told(drawn)["w.exp()"][1] == "□ out@v0 | freed before"
