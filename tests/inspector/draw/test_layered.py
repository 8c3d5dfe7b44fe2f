"""The layered layout: what holds for every graph, and what the eye wants of the usual ones."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.draw.chart_text import Wiring, chart
from inspector.draw.layered import Scene, layout
from inspector.draw.layers import spread

Graph = tuple[dict[int, tuple[int, int]], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Directed acyclic graphs, with boxes large and small, parallel edges, several roots and several parts."""
    count = draw(st.integers(1, 24))
    sizes = {n: (draw(st.integers(1, 20)), draw(st.sampled_from([1, 3, 5]))) for n in range(count)}
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] < pair[1])
    edges = draw(st.lists(pairs, max_size=40)) if count > 1 else []
    return sizes, edges


def path_of(points: tuple[tuple[int, int], ...]) -> set[tuple[int, int]]:
    cells = {points[0]}
    for (x, y), (other_x, other_y) in itertools.pairwise(points):
        assert x == other_x or y == other_y, "a wire runs level or upright"
        cells |= {(column, row) for column in span(x, other_x) for row in span(y, other_y)}
    return cells


def span(one: int, other: int) -> range:
    return range(min(one, other), max(one, other) + 1)


def covered(scene: Scene) -> dict[tuple[int, int], object]:
    """Every cell of every box and stub, with its owner; fails if two want the same."""
    cells: dict[tuple[int, int], object] = {}
    for owner, box in [*scene.boxes.items(), *((("stub", edge), box) for edge, box in scene.stubs.items())]:
        for x in range(box.x, box.right):
            for y in range(box.y, box.bottom):
                assert (x, y) not in cells, f"{owner} covers {cells[x, y]}"
                cells[x, y] = owner
    return cells


@settings(max_examples=60)
@given(graphs())
def test_boxes_keep_their_size_lie_inside_the_scene_and_never_overlap(graph: Graph) -> None:
    sizes, edges = graph
    scene = layout(sizes, edges)
    covered(scene)
    assert {key: (box.width, box.height) for key, box in scene.boxes.items()} == sizes
    assert all(box.x >= 0 and box.y >= 0 for box in scene.boxes.values())
    assert all(box.right <= scene.width and box.bottom <= scene.height for box in scene.boxes.values())


@settings(max_examples=60)
@given(graphs())
def test_every_edge_goes_down_from_its_source_to_its_target_and_through_no_box(graph: Graph) -> None:
    sizes, edges = graph
    scene = layout(sizes, edges)
    boxes = covered(scene)
    assert [wire.edge for wire in scene.wires] == list(range(len(edges)))
    for wire in scene.wires:
        source, target = (scene.boxes[key] for key in edges[wire.edge])
        (first_x, first_y), (last_x, last_y) = wire.points[0], wire.points[-1]
        assert first_y == source.bottom
        assert source.x <= first_x < source.right
        assert last_y == target.y - 1
        assert target.x <= last_x < target.right
        assert not path_of(wire.points) & boxes.keys()
        rows = [y for _, y in wire.points]
        assert rows == sorted(rows)


@settings(max_examples=60)
@given(graphs())
def test_wires_of_strangers_meet_only_at_right_angles(graph: Graph) -> None:
    sizes, edges = {key: (width + 60, height) for key, (width, height) in graph[0].items()}, graph[1]
    scene = layout(sizes, edges)
    wiring = Wiring(scene, edges)
    upright, level = 1 | 2, 4 | 8
    for y in range(scene.height):
        for cell in wiring.row(y):
            for edge, bits in cell.parts:
                for other, others in cell.parts:
                    if edges[edge][1] != edges[other][1] and edges[edge][0] != edges[other][0]:
                        assert not (bits & upright and others & upright), (cell.x, y, edge, other)
                        assert not (bits & level and others & level), (cell.x, y, edge, other)


@settings(max_examples=60)
@given(graphs())
def test_the_same_graph_gives_the_same_scene(graph: Graph) -> None:
    assert layout(*graph) == layout(*graph)


@given(st.lists(st.tuples(st.integers(-50, 50), st.floats(0.1, 100), st.integers(0, 9)), min_size=1, max_size=12))
def test_spread_keeps_its_distances_and_moves_nobody_who_has_room(items: list[tuple[int, float, int]]) -> None:
    wants, weights, steps = (
        [want for want, _, _ in items],
        [weight for _, weight, _ in items],
        [s for _, _, s in items[1:]],
    )
    places = spread(wants, weights, steps)
    assert all(b - a >= step for a, b, step in zip(places, places[1:], steps, strict=False))
    if all(b - a >= step for a, b, step in zip(wants, wants[1:], steps, strict=False)):
        assert places == wants


def test_a_chain_is_one_straight_column_whatever_hangs_from_it() -> None:
    chain = [(n, n + 1) for n in range(0, 10)]
    leaves = [(n, 100 + n) for n in range(0, 9, 2)] + [(n, 200 + n) for n in range(0, 9, 3)]
    sizes = {key: (15, 4) for edge in chain + leaves for key in edge}
    scene = layout(sizes, leaves + chain)
    assert len({scene.boxes[n].centre for n in range(11)}) == 1
    for wire in scene.wires[len(leaves) :]:
        assert len({x for x, _ in wire.points}) == 1


def test_a_parameter_used_in_every_step_has_one_trunk() -> None:
    steps = 30
    edges = [(n, n + 1) for n in range(steps)] + [(n, 999) for n in range(steps)]
    scene = layout(dict.fromkeys([*range(steps + 1), 999], (12, 3)), edges)
    long_lines = {x for wire in scene.wires for x, _ in wire.points if edges[wire.edge][1] == 999}
    assert scene.width < 60
    assert len(long_lines) <= 6


def test_a_parameter_that_is_used_in_very_many_steps_has_stubs_instead_of_a_trunk() -> None:
    count = 600
    edges = [(n, n + 1) for n in range(count)] + [(n, count) for n in range(count - 1)]
    scene = layout(dict.fromkeys(range(count + 1), (9, 3)), edges)
    assert len(scene.stubs) == count - 40
    few = layout(dict.fromkeys(range(101), (9, 3)), [(n, n + 1) for n in range(100)] + [(n, 100) for n in range(99)])
    assert not few.stubs


def test_a_fan_of_five_hundred_shares_its_track_and_a_window_of_it_is_what_the_whole_row_is_there() -> None:
    edges = [(0, n) for n in range(1, 501)] + [(n, 501) for n in range(1, 501)]
    scene = layout(dict.fromkeys(range(502), (12, 3)), edges)
    assert scene.height < 40
    wiring = Wiring(scene, edges)
    for y in range(scene.height):
        seen = [(cell.x, sorted(cell.parts)) for cell in Wiring(scene, edges).window(y, 3000, 3100)]
        assert seen == [(cell.x, sorted(cell.parts)) for cell in wiring.row(y) if 3000 <= cell.x <= 3100]


def test_very_many_very_long_edges_become_stubs_that_stand_below_their_source() -> None:
    count = 400
    edges = [(n, n + 1) for n in range(count)] + [(n, n + 100) for n in range(0, count - 100)]
    scene = layout(dict.fromkeys(range(count + 1), (10, 3)), edges)
    assert len(scene.stubs) == count - 100
    for edge, box in scene.stubs.items():
        assert box.y > scene.boxes[edges[edge][0]].bottom
        x, y = scene.wires[edge].points[-1]
        assert box.x <= x < box.right
        assert y == box.y - 1
    rows = chart(scene, edges, {n: [f"{n:x}"] for n in range(count + 1)}).splitlines()
    first = scene.stubs[count]
    assert rows[first.y][scene.wires[count].points[-1][0] :].startswith("▼ 64")


def test_no_box_gives_an_empty_scene() -> None:
    assert layout({}, []) == Scene({}, (), {}, 0, 0)


@pytest.mark.parametrize(
    ("sizes", "edges", "message"),
    [
        ({1: (5, 3), 2: (5, 3)}, [(1, 2), (2, 1)], "cycle"),
        ({1: (5, 3)}, [(1, 2)], "names box 2"),
        ({1: (0, 3)}, [], "0 x 3 cells"),
    ],
)
def test_a_graph_that_cannot_be_laid_out_is_refused(
    sizes: dict[int, tuple[int, int]], edges: list[tuple[int, int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        layout(sizes, edges)


def test_parallel_edges_are_drawn_side_by_side_and_a_live_one_is_heavy() -> None:
    edges = [(1, 2), (1, 2)]
    text = chart(layout({1: (11, 3), 2: (11, 3)}, edges), edges, {1: ["mul"], 2: ["tanh"]}, live={1})
    assert text.splitlines() == [
        " ╭─────────╮",
        " │ mul     │",
        " ╰──┬───┬──╯",
        "    │   ┃",
        " ╭──▼───▼──╮",
        " │ tanh    │",
        " ╰─────────╯",
    ]


def test_a_crossing_does_not_look_like_a_joint() -> None:
    edges = [(1, 4), (1, 5), (2, 3), (2, 5), (3, 6), (4, 6)]
    sizes = dict.fromkeys((1, 2, 3, 4, 5, 6), (9, 3))
    assert "┼" not in chart(layout(sizes, edges), edges, {})
