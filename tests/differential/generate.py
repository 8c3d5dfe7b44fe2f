"""Draws random programs for both backends: one table of features says what a program may contain. Runs nothing.

To widen the generator, write a maker in ``forward`` or ``backward`` and give it a row in ``FEATURES``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from tests.differential import backward as b
from tests.differential import forward as f
from tests.differential import further as r
from tests.differential.programs import Block, Program, Statement
from tests.differential.world import Pick, World


@dataclass(frozen=True, slots=True)
class Feature:
    """What a feature lets a program do: makers with their weights. A feature without makers widens the others'."""

    about: str
    makers: tuple[tuple[int, f.Maker], ...] = ()


FEATURES: dict[str, Feature] = {
    "arithmetic": Feature("elementwise operations", ((8, f.infix), (5, f.elementwise), (2, f.clamped), (2, f.paired))),
    "reductions": Feature("sum, max, prod, … over all or along a dimension", ((4, f.reduction),)),
    "products": Feature("matrix products", ((2, f.product),)),
    "joins": Feature("cat, stack, where", ((2, f.joined),)),
    "copies": Feature("flip, roll, repeat_interleave, contiguous, casts", ((2, f.copied),)),
    "picking": Feature("index_select, gather, scatter_add, masks, triangles, cumprod", ((2, f.picked),)),
    "views": Feature("views, and views of views", ((8, f.view),)),
    "several views": Feature("unbind, chunk, split", ((2, f.several_views),)),
    "as_strided": Feature("as_strided", ((1, f.strided),)),
    "inplace": Feature("in-place operations on bases and views", ((8, f.inplace),)),
    "inplace shape": Feature("t_, squeeze_, unsqueeze_", ((1, f.reshaped_in_place),)),
    "indexing": Feature("index reads and writes: ints, slices, arrays, masks", ((4, f.read), (4, f.write))),
    "detach": Feature("detach, detach_, .data", ((3, b.detached),)),
    "set data": Feature("x.data = y", ((1, b.set_data),)),
    "flags": Feature("requires_grad_, retain_grad", ((3, b.flagged),)),
    "modes": Feature("blocks of no_grad, enable_grad, set_grad_enabled"),
    "saving": Feature("blocks in which saved tensors are packed as copies"),
    "inference": Feature("blocks of inference_mode"),
    "hooks": Feature("tensor hooks and their removal", ((3, b.hook), (1, b.unhook))),
    "accumulation hooks": Feature("register_post_accumulate_grad_hook", ((1, b.accumulation_hook),)),
    "node hooks": Feature("grad_fn.register_hook, register_prehook", ((2, b.node_hook),)),
    "backward": Feature("backward", ((7, b.backward),)),
    "grad": Feature("autograd.grad", ((4, b.grad),)),
    "higher": Feature("create_graph=True"),
    "functions": Feature("custom Functions", ((4, b.function),)),
    "optimiser": Feature("updates under no_grad, cleared gradients", ((2, b.step), (2, b.clear))),
    "gradients": Feature("gradients as variables, assigned gradients", ((2, b.take_grad), (1, b.set_grad))),
    "forget": Feature("del x", ((1, b.forget),)),
    "creation": Feature("zeros, ones, full, arange, eye, and like another", ((1, r.made),)),
    "complex": Feature("complex numbers, their parts, writes to them", ((3, r.complex_number),)),
    "duals": Feature("blocks of dual numbers; tangents made and taken", ((2, r.dual),)),
    "several roots": Feature("autograd.backward of several roots", ((2, r.several_roots),)),
    "multi hooks": Feature("register_multi_grad_hook", ((1, r.multi_hook),)),
    "accumulator hooks": Feature("hooks before and after accumulators", ((1, r.accumulator_hook),)),
    "dtypes": Feature("float32 and int64 beside float64"),
    "invalid": Feature("a few statements that must raise"),
}
"""Everything that a program may contain, by feature."""

LACKING: dict[str, str] = {}
"""Features that the core does not have yet, with the reason. The suite skips them, and says so."""

SAVING = ("xp.autograd.graph.saved_tensors_hooks(lambda kept: kept.clone(), lambda kept: kept)",)
NOT_DRAWN = {
    "writes to returned gradients, requires_grad_ and detach_ on them, x.grad = one": "nobody promises which of them "
    "are one tensor, and which hold one number for many elements",
    "t_, squeeze_, unsqueeze_ of a recorded tensor under no_grad": "PyTorch finds out in backward, by the shapes",
    "a tensor hook after t_, squeeze_, unsqueeze_": "PyTorch 2.13 may hang it on the node of the old shape",
    "detach_, .data = and requires_grad_ on inference tensors": "PyTorch makes tensors that are half of each kind",
    "index writes of tensors of numbers into whole ones": "PyTorch lets the whole numbers require grad",
    "x.data = y where others share the memory of x": "views of x keep the old memory in PyTorch",
    "reductions of no whole numbers": "PyTorch's refusals live in kernels that never see them",
    "conj": "in PyTorch it looks at the same memory, for which NumPy has no means; here it copies",
    "save_on_cpu": "in PyTorch it copies nothing that is there already, and so loses what is overwritten",
    "hooks of accumulators and of several tensors in inference mode": "PyTorch finds accumulators by an operation",
}
"""What no program contains, with the reason. The rest of what is not compared is in ``compare``."""

CONTEXTS: dict[str, tuple[str, ...]] = {
    "modes": ("xp.no_grad()", "xp.enable_grad()", "xp.set_grad_enabled(False)"),
    "inference": ("xp.inference_mode()",),
    "saving": SAVING,
    "duals": (r.LEVEL,),
}
"""What a block may be, by feature."""

ALL = frozenset(FEATURES)
CORE = frozenset({"arithmetic", "reductions", "backward"})
"""Without these no program says anything."""


def programs(features: frozenset[str] = ALL, longest: int = 24) -> st.SearchStrategy[Program]:
    """Programs of up to ``longest`` statements that use ``features`` only."""
    unknown = features - ALL
    if unknown:
        raise ValueError(f"no such feature: {', '.join(sorted(unknown))}; there are {', '.join(FEATURES)}")
    return _programs(features, longest)


def program_number(number: int, features: frozenset[str] = ALL, longest: int = 24) -> Program:
    """The program of that number: the same on every machine and with every version of hypothesis."""
    source = random.Random(number)
    return _program(Pick(lambda limit: int(source.random() * limit)), features, longest)


@lru_cache(maxsize=512)
def _below(limit: int) -> st.SearchStrategy[int]:
    return st.integers(0, limit - 1)


@st.composite
def _programs(draw: Any, features: frozenset[str], longest: int) -> Program:
    return _program(Pick(lambda limit: draw(_below(limit))), features, longest)


def _program(pick: Pick, features: frozenset[str], longest: int) -> Program:
    world = World(features)
    statements: list[Statement] = [f.create(pick, world)]
    length = pick.number(3, longest)
    while len(statements) < length:
        statements.append(_statement(pick, world, depth=2))
    last = b.backward(pick, world) if pick.chance(70) else None
    return Program((*statements, last) if last else tuple(statements), watch=not pick.chance(35))


def _statement(pick: Pick, world: World, depth: int) -> Statement:
    if depth and pick.chance(6):
        block = _block(pick, world, depth)
        if block is not None:
            return block
    makers = _makers(world.features)
    made = pick.one(makers)(pick, world) if world.variables else None
    return made or f.create(pick, world)


def _block(pick: Pick, world: World, depth: int) -> Statement | None:
    contexts = tuple(
        context for feature, contexts in CONTEXTS.items() if feature in world.features for context in contexts
    )
    if not contexts:
        return None
    context = pick.one(contexts)
    if context == r.LEVEL and world.dual:  # PyTorch has one level only
        return None
    outer = world.recording, world.inference, world.dual
    world.inference = world.inference or context == "xp.inference_mode()"
    world.dual = world.dual or context == r.LEVEL
    if context not in (*SAVING, r.LEVEL):
        world.recording = context == "xp.enable_grad()" and not world.inference
    body = tuple(_statement(pick, world, depth - 1) for _ in range(pick.number(1, 4)))
    world.recording, world.inference, world.dual = outer
    return Block(context, body)


_cache: dict[frozenset[str], tuple[f.Maker, ...]] = {}


def _makers(features: frozenset[str]) -> tuple[f.Maker, ...]:
    """Each maker as often as it weighs; creation first, for choices shrink to it."""
    if features not in _cache:
        rows = [row for name, feature in FEATURES.items() if name in features for row in feature.makers]
        _cache[features] = (f.create,) * 4 + tuple(maker for weight, maker in rows for _ in range(weight))
    return _cache[features]
