"""What the cards and the links between them say."""

from __future__ import annotations

from inspector.draw.scene import Kind, Outline, Scene
from tests.inspector.draw import stories
from tests.inspector.draw.reading import picture, told


def links(scene: Scene, kind: Kind) -> list[tuple[str, str, list[str]]]:
    """(from, to, labels) of every link of a kind, by the names of the cards."""
    names = {card.key: card.name for card in scene.cards}
    return [
        (names[link.tail], names[link.head], [strand.label for strand in link.strands])
        for link in scene.links
        if link.kind is kind
    ]


def test_a_card_pairs_a_value_with_the_node_that_made_it() -> None:
    lines = told(picture(stories.network()))
    assert lines["q = h * h"] == ["● MulBackward0 | ‖g‖ 0.24", "□ a: h@v0 | freed", "□ b: h@v0 | freed"]
    assert lines["h = z.tanh()"] == ["● TanhBackward0 | ‖g‖ 0.352", "□ out@v0 | freed"]


def test_a_title_shows_name_expression_shape_and_version() -> None:
    scene = picture(stories.network()).scene
    row = next(card for card in scene.cards if card.name == "z").rows[0]
    assert [cell.text for cell in row.left + row.right] == ["z = F.linear(x, W1, b1)", "f32[3,4]", "v0"]


def test_a_leaf_shows_its_accumulator_and_its_gradient() -> None:
    assert told(picture(stories.network()))["◆ W1"] == ["⊕ AccumulateGrad | ‖g‖ 0.31", ".grad | ‖0.31‖"]


def test_a_constant_has_no_node_and_a_dashed_border() -> None:
    scene = picture(stories.network()).scene
    assert told(picture(stories.network()))["○ x"] == []
    outlines = {card.name: card.outline for card in scene.cards}
    assert outlines["x"] is Outline.DASHED
    assert outlines["W1"] is Outline.DOUBLE
    assert outlines["h"] is Outline.ROUNDED
    assert outlines["loss"] is Outline.BOLD


def test_cards_stand_in_program_order_and_inputs_before_the_operation_that_uses_them() -> None:
    names = [card.name for card in picture(stories.network()).scene.cards]
    assert names == ["x", "W1", "b1", "z", "h", "q", "W2", "y", "loss"]


def test_a_gradient_that_was_not_computed_is_a_dash_never_zero() -> None:
    lines = told(picture(stories.network(broken=True)))
    assert lines["h = z.tanh()"][0] == "● TanhBackward0 | —"
    assert lines["◆ W1"] == ["⊕ AccumulateGrad | —", ".grad | — | not reached"]


def test_a_saved_value_that_was_overwritten_says_both_versions() -> None:
    lines = told(picture(stories.network(broken=True)))
    assert lines["y = F.linear(q, W2)"] == [
        "✗ MmBackward0 | failed | ‖g‖ 0.577",
        "▣ x: q | saved v0 ≠ now v1",
        "▣ w: W2@v0",
    ]
    assert lines["◆ W2"][1] == ".grad | — | needs q@v0"


def test_the_write_that_broke_it_is_told_with_its_line_and_linked_to_what_it_broke() -> None:
    drawn = picture(stories.network(broken=True))
    assert told(drawn)["q = h * h"][-1] == "v0 ─add_→ v1 | train.py:10"
    (link,) = [link for link in drawn.scene.links if link.kind is Kind.BROKEN]
    culprit, victim = drawn.scene.card(link.tail), drawn.scene.card(link.head)
    assert (culprit.name, link.tail_port) == ("q", "v")
    assert (victim.name, [row.port for row in victim.rows if row.alarm]) == ("y", ["b", link.head_port])


def test_nothing_is_broken_in_a_run_that_went_well() -> None:
    scene = picture(stories.network()).scene
    assert links(scene, Kind.BROKEN) == []
    assert not any(card.alarm for card in scene.cards)
    assert scene.alarm == ""


def test_each_use_of_a_value_sends_a_gradient_of_its_own() -> None:
    scene = picture(stories.network()).scene
    assert ("h", "q", ["0.176", "0.176"]) in links(scene, Kind.BACKWARD)
    assert [link[:2] for link in links(scene, Kind.FORWARD)].count(("h", "q")) == 1


def test_the_gradients_that_meet_at_a_value_are_told_one_by_one() -> None:
    arriving = [link for link in links(picture(stories.fan_out()).scene, Kind.BACKWARD) if link[0] == "u"]
    assert sorted(arriving) == [("u", "a", ["9.7"]), ("u", "b", ["1.04"]), ("u", "c", ["1.73"])]


def test_a_larger_gradient_is_a_wider_line() -> None:
    scene = picture(stories.fan_out()).scene
    strands = [strand for link in scene.links if link.kind is Kind.BACKWARD for strand in link.strands]
    norms = {strand.tip: strand.weight for strand in strands}
    assert norms["‖g‖ 180"] > norms["‖g‖ 21.6"] > norms["‖g‖ 1.73"] > norms["g 1.0"] > 1.0


def test_no_way_back_leads_to_a_constant() -> None:
    back = links(picture(stories.network()).scene, Kind.BACKWARD)
    assert {link[0] for link in back} == {"W1", "b1", "z", "h", "q", "W2", "y"}


def test_a_value_that_keeps_its_gradient_is_pinned() -> None:
    assert "⚑ .grad | ‖11.2‖" in told(picture(stories.fan_out()))["u = w.exp()"]


def test_an_operation_in_place_is_a_card_of_its_own_where_the_pass_goes_through_it() -> None:
    drawn = picture(stories.views())
    assert told(drawn)["row.mul_(2)"] == ["● MulBackward0 | ‖g‖ 0.5", "≡ same memory as table, target"]
    versions = {card.rows[0].left[0].text: card.rows[0].right[-1].text for card in drawn.scene.cards}
    assert versions["row = table[0]"] == "v0"
    assert versions["row.mul_(2)"] == "v1"


def test_values_that_share_memory_say_so() -> None:
    drawn = picture(stories.views())
    assert told(drawn)["row.mul_(2)"][-1] == "≡ same memory as table, target"
    assert {card.name for card in drawn.scene.cards if card.shared} == {"table", "row", "row.mul_(2)", "target"}


def test_a_cut_names_what_cut() -> None:
    assert links(picture(stories.views()).scene, Kind.CUT) == [("row.mul_(2)", "target", ["✂ detach"])]


def test_single_numbers_show_their_value_and_their_sign() -> None:
    drawn = picture(stories.scalars())
    assert told(drawn)["◆ w2"] == ["⊕ AccumulateGrad | g −0.84", ".grad | −0.84"]
    title = next(card for card in drawn.scene.cards if card.name == "w2").rows[0]
    assert [cell.text for cell in title.right] == ["f32[]", "−0.25", "v0"]


def test_values_are_shown_on_request_only() -> None:
    assert told(picture(stories.fan_out(), values=3))["◆ w"][-1] == "1.0 | 2.0 | 3.0"
    assert told(picture(stories.fan_out(), values=2))["◆ w"][-1] == ".grad | ‖180‖"
    shown = next(card for card in picture(stories.scalars(), values=0).scene.cards if card.name == "w2").rows[0]
    assert [cell.text for cell in shown.right] == ["f32[]", "v0"]


def test_the_bare_graph_shows_nodes_accumulators_and_saved_values() -> None:
    scene = picture(stories.network(broken=True), style="graph").scene
    shapes: dict[Outline, list[str]] = {}
    for card in scene.cards:
        shapes.setdefault(card.outline, []).append(card.rows[0].left[0].text)
    assert shapes[Outline.ELLIPSE] == [
        "● AddmmBackward0", "● TanhBackward0", "● MulBackward0", "✗ MmBackward0", "● MeanBackward0"
    ]  # fmt: skip
    assert shapes[Outline.HEXAGON] == ["⊕ AccumulateGrad"] * 3
    assert shapes[Outline.DOUBLE] == ["◆ W1", "◆ b1", "◆ W2"]
    assert shapes[Outline.BOLD] == ["loss"]
    assert "▣ x: q saved v0 ≠ now v1" in shapes[Outline.NOTE]


def test_an_operation_that_failed_is_drawn_with_what_it_was_given() -> None:
    drawn = picture(stories.failing_product())
    assert told(drawn)["mm(x, h)"] == ["✗ RuntimeError"]
    assert {link[0] for link in links(drawn.scene, Kind.FORWARD) if link[1] == "mm(x, h)"} == {"x", "h"}
    assert drawn.scene.alarm == "mm failed: mat1 and mat2 shapes cannot be multiplied"


def test_nodes_of_a_second_derivative_are_marked() -> None:
    lines = told(picture(stories.second_derivative()))
    assert lines["g = autograd.grad(y, x)"][0] == "● MulBackward0² | g 1.0"
    assert lines["x ** 2"][0] == "● PowBackward0² | g 3.0"


def test_a_step_inside_a_composite_is_called_by_its_operation() -> None:
    lines = told(picture(stories.composite()))
    assert "log_softmax(logits)" in lines
    assert "loss = cross_entropy(logits, target)" in lines


def test_a_long_expression_leaves_out_what_its_inputs_say() -> None:
    assert "loss = (…).mean()" in told(picture(stories.long_expression()))


def test_many_writes_are_counted() -> None:
    assert told(picture(stories.trained(steps=5)))["◆ w"][-1] == "v0 ─SGD.step ×5→ v5 | train.py:4"
