"""Folding: many cards as one. What belongs together is what one module or composite did, or a loop again and again.

Works on a finished scene: the cards of a group give way to one that counts them, links into and out of the group end at
it, and groups that would depend on each other in a circle become one. Must not know where cards stand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from msgspec import structs

from inspector.draw.errors import DrawError
from inspector.draw.scene import Card, Cell, Kind, Link, Outline, Row, Scene, Strand, Words
from inspector.draw.selection import Part, Selection
from inspector.draw.subject import Scope, Subject, where
from inspector.draw.theme import SIZES, Fill, Glyph, Ink, Stroke
from inspector.draw.typeface import elide
from inspector.draw.wording import plain
from inspector.trace.facts import Place

OFTEN = 3
"""What happened so often at one place is a loop."""
MOST_ALARMS = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that fold into one: why they belong together, what the card is called, how often it happened."""

    key: Hashable
    label: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Seen:
    """What a callback is told of a card that it may fold."""

    name: str
    """The user's name for the value, or its expression."""
    node: str
    """``MulBackward0``; empty for what has none."""
    op: str
    scopes: tuple[str, ...]
    """The modules and composites that it was made in, the outermost first."""
    line: int | None


Chooser = Callable[[Seen], str | None]
How = str | int | Chooser
WAYS = ("composites", "modules", "loops")


def folded(scene: Scene, subject: Subject, chosen: Selection, how: How | Sequence[How]) -> Scene:
    """The scene with groups as single cards. ``how``: one of ``WAYS``, a depth of modules, a callback, or several."""
    for one in _each(how):
        groups = _groups(scene, subject, chosen, one)
        scene = _replaced(scene, {key: group for key, group in groups.items() if group is not None})
    return scene


def _each(how: How | Sequence[How]) -> Sequence[How]:
    return (how,) if isinstance(how, str | int) or callable(how) else how


def check_ways(how: How | Sequence[How]) -> None:
    """Raise ``DrawError`` for a way of folding that there is not."""
    for one in _each(how):
        if one not in WAYS and not isinstance(one, int) and not callable(one):
            raise DrawError(f"Cannot fold by {one!r}: give one of {', '.join(WAYS)}, a depth, or a function.")


def _groups(scene: Scene, subject: Subject, chosen: Selection, how: How) -> dict[str, Group | None]:
    # A card that was folded before is called after its first member, and goes where that would go.
    firsts = {card.key: card.key.lstrip("g") for card in scene.cards}
    parts = {key: chosen.parts[first] for key, first in firsts.items() if first in chosen.parts}
    if how == "loops":
        return _loops(subject, parts, {card.key: card for card in scene.cards})
    if callable(how):
        return {card.key: _chosen(how, subject, parts[card.key], card) for card in scene.cards if card.key in parts}
    return {key: _by_scope(subject, part, how) for key, part in parts.items()}


def _chosen(choose: Chooser, subject: Subject, part: Part, card: Card) -> Group | None:
    node = None if part.node is None else subject.horizon.nodes[part.node]
    op = None if node is None else subject.op_of(node)
    scopes = tuple(scope.name for scope in _scopes(subject, part))
    place = _place(subject, part)
    line = None if place is None else place.line
    label = choose(Seen(card.name, "" if node is None else node.name, "" if op is None else op.op, scopes, line))
    return None if label is None else Group(("asked", label), plain(label))


# -- modules and composites


def _by_scope(subject: Subject, part: Part, how: str | int) -> Group | None:
    """The group of the scope that a node was made in: leaves stand outside of all."""
    scopes = _scopes(subject, part)
    if isinstance(how, int):
        scopes = scopes[: max(how, 0)]
    else:
        kinds = [scope.kind for scope in scopes]
        wanted = how.rstrip("s")
        # A composite is one thing from the outside in; of modules, the innermost are what one wants to see.
        last = kinds.index(wanted) if wanted == "composite" and wanted in kinds else _last(kinds, wanted)
        scopes = scopes[: last + 1]
    return Group(("scope", scopes[-1].step), scopes[-1].name) if scopes else None


def _last(kinds: Sequence[str], wanted: str) -> int:
    return max((index for index, kind in enumerate(kinds) if kind == wanted), default=-1)


def _scopes(subject: Subject, part: Part) -> Sequence[Scope]:
    node = None if part.node is None else subject.horizon.nodes[part.node]
    if node is None or node.leaf is not None or node.op is None:
        return ()
    return subject.scopes(node.op)


# -- loops


def _loops(subject: Subject, parts: Mapping[str, Part], cards: Mapping[str, Card]) -> dict[str, Group | None]:
    """What happened at one place again and again."""
    places = {key: _place(subject, part) for key, part in parts.items() if not _is_leaf(subject, part)}
    names = {key: cards[key].rows[min(1, len(cards[key].rows) - 1)].left[0].text for key in places}
    often = Counter((places[key], names[key]) for key in places)
    times: dict[Place | None, int] = defaultdict(int)
    for (place, _), count in often.items():
        times[place] = max(times[place], count)
    last = {place: key for key, place in places.items()}
    return {
        key: Group(("place", place), cards[last[place]].name, times[place])
        if place is not None and times[place] >= OFTEN
        else None
        for key, place in places.items()
    }


def _is_leaf(subject: Subject, part: Part) -> bool:
    return part.node is not None and subject.horizon.nodes[part.node].leaf is not None


def _place(subject: Subject, part: Part) -> Place | None:
    if part.node is not None:
        return subject.horizon.nodes[part.node].place
    return None if part.tensor is None else subject.horizon.tensors[part.tensor].place


# -- one card for many


def _replaced(scene: Scene, groups: Mapping[str, Group]) -> Scene:
    """The scene with each group as one card, in an order in which whoever uses a card comes after it."""
    home = _without_circles(scene, groups)
    members: dict[str, list[Card]] = defaultdict(list)
    for card in scene.cards:
        members[home[card.key]].append(card)
    if all(len(some) == 1 for some in members.values()):
        return scene
    cards = {key: some[0] if len(some) == 1 else _stack(key, some, groups) for key, some in members.items()}
    links = _joined(scene.links, home, cards)
    return replace(scene, cards=tuple(cards[key] for key in _in_order(list(cards), links)), links=tuple(links))


def _without_circles(scene: Scene, groups: Mapping[str, Group]) -> dict[str, str]:
    """The name of the card that each card becomes part of: groups in a circle are one."""
    first: dict[Hashable, str] = {}
    home: dict[str, str] = {}
    for card in scene.cards:
        owner = home.get(card.beside or "", card.key)
        group = groups.get(card.beside or card.key)
        home[card.key] = owner if group is None else first.setdefault(group.key, f"g{card.key}")
    onward: dict[str, set[str]] = {name: set() for name in home.values()}
    for link in scene.links:
        if link.flows and home[link.tail] != home[link.head]:
            onward[home[link.tail]].add(home[link.head])
    merged = _components(onward)
    size = Counter(merged[name] for name in home.values())
    return {key: merged[name] if size[merged[name]] > 1 else key for key, name in home.items()}


def _components(onward: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """For each vertex the first of its strongly connected component; Tarjan's way, without recursion."""
    found: dict[str, str] = {}
    low: dict[str, int] = {}
    number: dict[str, int] = {}
    stack: list[str] = []
    for root in onward:
        work = [] if root in number else [(root, iter(sorted(onward[root])))]
        while work:
            vertex, others = work[-1]
            if vertex not in number:
                number[vertex] = low[vertex] = len(number)
                stack.append(vertex)
            step = next((one for one in others if one not in found), None)
            if step is not None and step not in number:
                work.append((step, iter(sorted(onward[step]))))
            elif step is not None:
                low[vertex] = min(low[vertex], number[step])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[vertex])
                if low[vertex] == number[vertex]:
                    _close(vertex, stack, found)
    return found


def _close(vertex: str, stack: list[str], found: dict[str, str]) -> None:
    """Everything on the stack down to ``vertex`` is one component."""
    while True:
        one = stack.pop()
        found[one] = vertex
        if one == vertex:
            return


def _joined(links: Iterable[Link], home: Mapping[str, str], cards: Mapping[str, Card]) -> list[Link]:
    """The links between what is left; several of one kind between the same two become one."""
    found: dict[tuple[str, ...], Link] = {}
    for link in links:
        tail, head = home[link.tail], home[link.head]
        if tail == head:
            continue
        kept = tail == link.tail, head == link.head
        moved = replace(
            link,
            tail=tail,
            head=head,
            tail_port=link.tail_port if kept[0] else _port(link.kind, link.tail_port),
            head_port=link.head_port if kept[1] else _port(link.kind, link.head_port),
        )
        known = (link.kind.value, tail, head, *(() if all(kept) else ("one",)), *(link.head_port if all(kept) else ""))
        found[known] = _merged(found[known], moved) if known in found else moved
    return list(found.values())


def _port(kind: Kind, port: str) -> str:
    if kind is Kind.BROKEN:
        return "f0" if port == "f0" else "a0"
    return "b" if kind is Kind.BACKWARD else "f0"


def _merged(first: Link, second: Link) -> Link:
    """One line for two: as wide as the wider, and without a label, for it would speak of one of them only."""
    strands = first.strands + second.strands
    widest = max(strands, key=lambda strand: (strand.run, strand.weight))
    return replace(first, strands=(Strand("", widest.weight, widest.run),), main=first.main or second.main)


def _in_order(keys: Sequence[str], links: Iterable[Link]) -> list[str]:
    """Sources first, and as before where that leaves a choice."""
    place = {key: index for index, key in enumerate(keys)}
    onward: dict[str, list[str]] = defaultdict(list)
    waits = dict.fromkeys(keys, 0)
    for link in links:
        if link.flows:
            onward[link.tail].append(link.head)
            waits[link.head] += 1
    ready = [place[key] for key in keys if not waits[key]]
    heapify(ready)
    order = []
    while ready:
        key = keys[heappop(ready)]
        order.append(key)
        for head in onward[key]:
            waits[head] -= 1
            if not waits[head]:
                heappush(ready, place[head])
    return order


# -- what the one card says


def _stack(key: str, members: Sequence[Card], groups: Mapping[str, Group]) -> Card:
    grouped = [groups[card.key] for card in members if card.key in groups]
    times, label = max(group.times for group in grouped), _label(members, grouped)
    rows = tuple(_rows([card.rows for card in members], members, label, times))
    spare = tuple(_rows([card.spare or card.rows for card in members], members, label, times))
    alarm = any(card.alarm for card in members)
    return Card(
        key,
        "folded",
        Outline.STACK,
        Stroke.ALARM if alarm else Stroke.CARD,
        rows,
        spare,
        name=label,
        tip=f"{label}: {len(members)} cards",
        future=all(card.future for card in members),
        alarm=alarm,
        shared=any(card.shared for card in members),
        members=tuple(key for card in members for key in (card.members or (card.key,))),
    )


def _label(members: Sequence[Card], grouped: Sequence[Group]) -> str:
    """What all are called by; of several names, the last: it is what the rest was for."""
    names = list(dict.fromkeys(group.label for group in grouped))
    places = sorted(
        {group.key[1] for group in grouped if isinstance(group.key, tuple) and group.key[0] == "place"}, key=_line
    )
    if len(places) > 1:
        first, last = places[0].line, places[-1].end_line
        return f"{where(structs.replace(places[0], line=first))}{'' if first == last else f'–{last}'}"
    return names[-1]


def _line(place: Place) -> int:
    return place.line


def _rows(rows: Sequence[Sequence[Row]], members: Sequence[Card], label: str, times: int) -> Iterable[Row]:
    """A title, how many nodes and what arrived, how much they saved, and what went wrong among them."""
    last = rows[-1]
    often = (Cell((Words(f"×{times}", Ink.TEXT, True),), SIZES.title),) if times > 1 else ()
    name = Cell((Words(elide(label, SIZES.title, SIZES.longest_title, bold=True), bold=True),), SIZES.title)
    yield Row("f0", (name, *often), last[0].right, SIZES.title_row)
    nodes = [(index, row) for index, some in enumerate(rows) for row in some if row.port == "b"]
    if nodes:
        counted = Cell((Words(f"{Glyph.OPERATION} {len(nodes)} nodes", Ink.GRADIENT),), SIZES.node)
        yield Row("b", (counted,), nodes[-1][1].right, SIZES.node_row, Fill.NODE)
    saved = [row for some in rows for row in some if row.port.startswith("s") and row.left]
    if saved:
        kept = sum(row.left[0].text.startswith(Glyph.SAVED) for row in saved)
        text = f"{Glyph.SAVED} {kept} saved" if kept else f"{Glyph.FREED} {len(saved)} saved, freed"
        yield Row("s", (_small(text, Ink.SAVED if kept else Ink.SOFT),), fill=Fill.SAVED if kept else Fill.FREED)
    wrong = [(card, row) for card, some in zip(members, rows, strict=True) for row in some if row.alarm]
    for index, (card, row) in enumerate(wrong[:MOST_ALARMS]):
        text = f"{card.name}: {' '.join(cell.text for cell in row.left)}"
        yield Row(f"a{index}", (_small(text, Ink.ALARM),), fill=Fill.ALARM, alarm=True)


def _small(text: str, ink: Ink) -> Cell:
    return Cell((Words(elide(text, SIZES.small, SIZES.longest_line), ink),), SIZES.small)
