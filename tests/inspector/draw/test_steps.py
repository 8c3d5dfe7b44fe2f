"""A picture at any step: what has happened by then, in the places where it will stand at the end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from inspector.draw import DrawError
from inspector.draw.place import arrange
from inspector.draw.scene import Kind, Scene
from inspector.trace.facts import BackwardStarted, Fact, NodeFinished, NodeStarting, OpApplied
from tests.inspector.draw import stories
from tests.inspector.draw.reading import picture, told


def step_of(facts: list[Fact], kind: type[Fact], number: int = 1) -> int:
    """The step right after the how-manieth fact of a kind."""
    steps = [step for step, fact in enumerate(facts, 1) if type(fact) is kind]
    return steps[number - 1]


def measures(scene: Scene) -> list[tuple[str, float, float, list[str]]]:
    return [(card.key, card.width, card.height, [row.port for row in card.rows]) for card in scene.cards]


@pytest.mark.parametrize("style", ["cards", "graph"])
@pytest.mark.parametrize("story", [stories.network(), stories.network(broken=True), stories.fan_out(), stories.views()])
def test_cards_keep_their_size_from_the_first_step_to_the_last(story: list[Fact], style: str) -> None:
    last = measures(picture(story, style=style, values=3).scene)
    for step in range(0, len(story), 5):
        assert measures(picture(story, step=step, style=style, values=3).scene) == last, step


def test_cards_keep_their_places() -> None:
    story = stories.network(broken=True)
    last = arrange(picture(story).scene)
    for step in (0, 20, 40):
        early = arrange(picture(story, step=step).scene)
        assert early.corners == last.corners


def test_what_does_not_exist_yet_is_faint_and_has_no_value() -> None:
    story = stories.network()
    drawn = picture(story, step=step_of(story, OpApplied, 3))
    assert [card.name for card in drawn.scene.cards if card.future] == ["q", "y", "loss"]
    loss = next(card for card in drawn.scene.cards if card.name == "loss")
    assert "0.482" not in [cell.text for cell in loss.rows[0].right]
    assert 'class="card output future"' in drawn.svg


def test_the_node_that_runs_has_its_sign() -> None:
    story = stories.network()
    lines = told(picture(story, step=step_of(story, NodeStarting, 2)))
    assert lines["y = F.linear(q, W2)"][0] == "▶ MmBackward0 | ‖g‖ 0.577"
    assert lines["q = h * h"][0] == "● MulBackward0 | —"


def test_what_has_arrived_so_far_is_told_before_the_node_runs() -> None:
    story = stories.network()
    lines = told(picture(story, step=step_of(story, NodeStarting, 2) - 1))
    assert lines["y = F.linear(q, W2)"][0] == "◐ MmBackward0 | ‖g‖ 0.577"


def test_gradients_appear_along_the_links_one_after_the_other() -> None:
    story = stories.network()
    run = [
        sum(
            strand.run
            for link in picture(story, step=step).scene.links
            if link.kind is Kind.BACKWARD
            for strand in link.strands
        )
        for step in range(len(story) + 1)
    ]
    assert run[0] == 0
    assert run[-1] == 8
    assert all(before <= after for before, after in pairwise(run))


def test_widths_of_gradients_do_not_change_as_others_arrive() -> None:
    story = stories.fan_out()
    seen: dict[tuple[str, str, int], set[float]] = {}
    for step in range(0, len(story) + 1, 3):
        for link in picture(story, step=step).scene.links:
            for index, strand in enumerate(link.strands):
                if link.kind is Kind.BACKWARD and strand.run:
                    seen.setdefault((link.tail, link.head, index), set()).add(strand.weight)
    assert {len(weights) for weights in seen.values()} == {1}


def test_the_headline_counts_what_is_missing_while_the_pass_runs() -> None:
    story = stories.network()
    middle = picture(story, step=step_of(story, NodeFinished, 3)).scene
    assert (middle.headline, middle.alarm) == ("loss.backward()", "")
    assert middle.detail.endswith("2 of 3 gradients still missing")
    assert picture(story).scene.detail == f"train.py:11 · after step {len(story)} of {len(story)}"


def test_the_headline_names_who_overwrote_what() -> None:
    scene = picture(stories.network(broken=True)).scene
    assert scene.alarm == "Failed in MmBackward0: it saved q at v0, then add_ at train.py:10 changed q to v1"
    assert scene.detail.endswith("3 of 3 gradients missing")


def test_before_any_backward_the_picture_is_of_the_one_to_come() -> None:
    story = stories.network()
    assert picture(story, step=step_of(story, BackwardStarted) - 1).scene.headline == "loss.backward()"


def test_without_any_backward_the_picture_is_of_what_was_recorded() -> None:
    story = stories.network()
    forward = story[: step_of(story, BackwardStarted) - 1]
    scene = picture(forward).scene
    assert scene.headline == "How loss came to be"
    assert [card.name for card in scene.cards] == ["x", "W1", "b1", "z", "h", "q", "W2", "y", "loss"]


def test_a_pass_can_be_chosen_by_its_number() -> None:
    story = stories.second_derivative()
    assert picture(story).scene.headline == "g.backward()"
    assert picture(story, task=1).scene.headline == "grad(y, create_graph=True)"


def test_an_empty_trace_gives_an_empty_picture() -> None:
    drawn = picture([])
    assert drawn.scene.cards == ()
    assert drawn.svg.startswith("<svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 81}, "There is no step 81 in this trace: its steps go from 0 to 80."),
        ({"step": -1}, "There is no step -1 in this trace: its steps go from 0 to 80."),
        ({"task": 3}, "There is no backward pass number 3 in this trace: it has 1."),
        ({"style": "boxes"}, "There is no style 'boxes'; draw in one of cards, graph."),
    ],
)
def test_what_the_trace_does_not_have_is_refused_in_a_sentence(options: dict[str, object], message: str) -> None:
    story = stories.network()
    assert len(story) == 80
    with pytest.raises(DrawError) as refusal:
        picture(story, **options)
    assert str(refusal.value) == message
