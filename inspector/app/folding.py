"""Many nodes of a graph as one: those of one module's call, of one composite's, or of a line that ran again and again.

Groups that would depend on each other in a circle become one, so that what is left is still a graph without circles.
Must not know Textual, nor where boxes stand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from inspector.app.chapters import Chapter
from inspector.app.landmarks import Landmarks
from inspector.app.reading.places import where
from inspector.app.view import Way
from inspector.trace import facts
from inspector.trace.facts import Place
from inspector.trace.trace import Trace

WAYS: tuple[Way, ...] = ("", "modules", "composites", "loops")
OFTEN = 3
"""What happened so often at one place is a loop; so many leaves of one group are a group."""


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that are one box: why they belong together, and how often it happened."""

    label: str
    nodes: tuple[int, ...]
    times: int = 1


@dataclass(slots=True)
class Folded:
    """A chapter with groups: the first node of each stands for it."""

    home: dict[int, int] = field(default_factory=dict)
    groups: dict[int, Group] = field(default_factory=dict)

    def of(self, node: int) -> int:
        """The node that stands for ``node``: itself, if it was not folded."""
        return self.home.get(node, node)


@dataclass(frozen=True, slots=True)
class Scope:
    """A call of a module or a composite."""

    step: int
    kind: str
    name: str


class Scopes:
    """The scopes that each node was made in, the outermost first. Grows with the trace."""

    def __init__(self) -> None:
        self.length = 0
        self.of_node: dict[int, tuple[Scope, ...]] = {}
        self._open: dict[int, tuple[Scope, ...]] = {}

    def extend(self, trace: Trace) -> Scopes:
        """Read the facts that came since the last time."""
        if len(trace) > self.length:
            known = trace.steps_of(facts.ScopeEntered, facts.ScopeLeft, facts.NodeCreated)
            for step in known[bisect_right(known, self.length) :]:
                self._note(step, trace.facts[step - 1])
            self.length = len(trace)
        return self

    def _note(self, step: int, fact: facts.Fact) -> None:
        here = self._open.get(fact.thread, ())
        match fact:
            case facts.ScopeEntered():
                self._open[fact.thread] = (*here, Scope(step, fact.kind, _called(here, fact)))
            case facts.ScopeLeft():
                self._open[fact.thread] = here[:-1]
            case facts.NodeCreated(leaf=None) if here:
                self.of_node[fact.node] = here


def _called(outer: tuple[Scope, ...], fact: facts.ScopeEntered) -> str:
    """``0: Linear``: what a module is called in the one around it, and its class; of a composite its name."""
    same = fact.kind == "composite" or not fact.name or fact.name == fact.class_name
    return fact.name or fact.class_name if same else f"{fact.name}: {fact.class_name}"


_known: WeakKeyDictionary[Trace, Scopes] = WeakKeyDictionary()


def scopes_of(trace: Trace) -> Scopes:
    """The scopes of a trace, brought up to what has been recorded."""
    return _known.setdefault(trace, Scopes()).extend(trace)


def fold(trace: Trace, marks: Landmarks, chapter: Chapter, way: Way) -> Folded:
    """The groups of a chapter; none of them has but one node."""
    keys = _loops(marks, chapter) if way == "loops" else _by_scope(trace, chapter, way) if way else {}
    if not keys:
        return Folded()
    edges = _edges(marks, chapter)
    keys = _without_circles(chapter, keys, edges)
    keys |= _leaves(marks, chapter, keys, edges)
    members: dict[Hashable, list[int]] = defaultdict(list)
    for node, key in keys.items():
        members[key].append(node)
    found = Folded()
    for key, nodes in members.items():
        if len(nodes) > 1:
            found.groups[nodes[0]] = Group(*_title(trace, marks, way, key, nodes))
            found.home |= dict.fromkeys(nodes, nodes[0])
    return found


def ways_of(trace: Trace, marks: Landmarks, chapter: Chapter) -> list[Way]:
    """The ways that fold anything, with the way not to fold in front."""
    return [way for way in WAYS if not way or fold(trace, marks, chapter, way).groups]


def _by_scope(trace: Trace, chapter: Chapter, way: Way) -> dict[int, Hashable]:
    """Each call is a group: of modules the innermost, of composites the outermost, which is what the user called."""
    known = scopes_of(trace).of_node
    found: dict[int, Hashable] = {}
    for node in chapter.nodes:
        scopes = [scope for scope in known.get(node, ()) if scope.kind == way.rstrip("s")]
        if scopes:
            found[node] = scopes[-1] if way == "modules" else scopes[0]
    return found


def _loops(marks: Landmarks, chapter: Chapter) -> dict[int, Hashable]:
    """What was made at one place again and again."""
    made = {node: marks.nodes[node] for node in chapter.nodes}
    places = {node: fact.place for node, fact in made.items() if fact.leaf is None and fact.place is not None}
    often = Counter((place, made[node].name) for node, place in places.items())
    most: dict[Place, int] = defaultdict(int)
    for (place, _), count in often.items():
        most[place] = max(most[place], count)
    return {node: place for node, place in places.items() if most[place] >= OFTEN}


def _edges(marks: Landmarks, chapter: Chapter) -> list[tuple[int, int]]:
    known = set(chapter.nodes)
    pairs = ((node, edge.target) for node in chapter.nodes for edge in marks.nodes[node].edges)
    return [(source, target) for source, target in pairs if target is not None and target in known]


def _leaves(
    marks: Landmarks, chapter: Chapter, keys: Mapping[int, Hashable], edges: Iterable[tuple[int, int]]
) -> dict[int, Hashable]:
    """The leaves that one group alone uses, if there are many of them."""
    users: dict[int, set[Hashable]] = defaultdict(set)
    for source, target in edges:
        if marks.nodes[target].leaf is not None:
            users[target].add(keys.get(source, source))
    alone = {leaf: ("leaves", *found) for leaf, found in users.items() if len(found) == 1}
    often = Counter(alone.values())
    return {leaf: key for leaf, key in alone.items() if often[key] >= OFTEN and key[1] in keys.values()}


def _without_circles(
    chapter: Chapter, keys: Mapping[int, Hashable], edges: Iterable[tuple[int, int]]
) -> dict[int, Hashable]:
    """The same groups, where those in a circle are one; a node between two parts of a group belongs to it."""
    onward: dict[Hashable, set[Hashable]] = {keys.get(node, node): set() for node in chapter.nodes}
    for source, target in edges:
        one, other = keys.get(source, source), keys.get(target, target)
        if one != other:
            onward[one].add(other)
    merged = components(onward)
    size = Counter(merged[keys.get(node, node)] for node in chapter.nodes)
    found: dict[int, Hashable] = {}
    for node in chapter.nodes:
        key = merged[keys.get(node, node)]
        if node in keys or size[key] > 1:
            found[node] = key
    return found


def components(onward: Mapping[Hashable, Iterable[Hashable]]) -> dict[Hashable, Hashable]:
    """For each vertex one of those that it shares a circle with, the same for all of them; Tarjan's way, by a stack.

    >>> components({1: [2], 2: [1, 3], 3: []})
    {3: 3, 2: 1, 1: 1}
    """
    number: dict[Hashable, int] = {}
    low: dict[Hashable, int] = {}
    found: dict[Hashable, Hashable] = {}
    path: list[Hashable] = []
    for root in onward:
        work = [] if root in number else [(root, iter(onward[root]))]
        while work:
            vertex, others = work[-1]
            if vertex not in number:
                number[vertex] = low[vertex] = len(number)
                path.append(vertex)
            step = next((one for one in others if one not in found), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[vertex])
                if low[vertex] == number[vertex]:
                    _close(vertex, path, found)
            elif step not in number:
                work.append((step, iter(onward[step])))
            else:
                low[vertex] = min(low[vertex], number[step])
    return found


def _close(vertex: Hashable, path: list[Hashable], found: dict[Hashable, Hashable]) -> None:
    """Everything on the path down to ``vertex`` is one component."""
    while True:
        one = path.pop()
        found[one] = vertex
        if one == vertex:
            return


def _title(
    trace: Trace, marks: Landmarks, way: Way, key: Hashable, nodes: list[int]
) -> tuple[str, tuple[int, ...], int]:
    """What a group is called, its nodes, and how often it happened."""
    if isinstance(key, tuple) and key[0] == "leaves":
        return f"{len(nodes):,} leaves", tuple(nodes), 1
    if isinstance(key, Scope):
        calls = {scope for node in nodes for scope in scopes_of(trace).of_node.get(node, ()) if scope.name == key.name}
        return key.name, tuple(nodes), max(1, len(calls))
    places = sorted({place for node in nodes if (place := marks.nodes[node].place) is not None}, key=_order)
    names = Counter(marks.nodes[node].name for node in nodes if marks.nodes[node].leaf is None)
    words = where(places[0]) if places else ""
    lines = {place.line for place in places}
    return words + (f"–{max(lines)}" if len(lines) > 1 else ""), tuple(nodes), max(names.values(), default=1)


def _order(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column


def near(marks: Landmarks, chapter: Chapter, centre: int, hops: int) -> tuple[int, ...]:
    """The nodes of a chapter within so many edges of ``centre``, in either direction, in the chapter's order."""
    beside: dict[int, list[int]] = defaultdict(list)
    for source, target in _edges(marks, chapter):
        beside[source].append(target)
        beside[target].append(source)
    reached, rim = {centre}, [centre]
    for _ in range(hops):
        rim = [node for node in dict.fromkeys(one for node in rim for one in beside[node]) if node not in reached]
        reached.update(rim)
    return tuple(node for node in chapter.nodes if node in reached)
