"""Draws statements about recording and differentiating: hooks, backward, grad, custom Functions, gradients as data."""

from __future__ import annotations

from tests.differential.functions import SIGNATURES
from tests.differential.programs import (
    Backward,
    Custom,
    Do,
    Forget,
    Grad,
    Hook,
    Method,
    Ref,
    SetData,
    SetGrad,
    Statement,
    Step,
    Take,
    Unhook,
)
from tests.differential.world import Known, Pick, Shape, World, broadcast

CHANGES = ("", "lambda grad: grad * 2", "lambda grad: grad.clamp(-1, 1)", "lambda grad: grad * 0", "lambda grad: -grad")
DOUBLED = "tuple(None if one is None else one * 2 for one in grads)"
NODE_CHANGES = ("", f"lambda grads, _: {DOUBLED}")
NODE_PRE_CHANGES = ("", f"lambda grads: {DOUBLED}")
LEAF_CHANGES = ("", "lambda leaf: setattr(leaf, 'grad', leaf.grad * 2)", "lambda leaf: setattr(leaf, 'grad', None)")
"""What hooks return or do. Their parameters have longer names than any variable."""


def _tracked(world: World) -> list[Known]:
    return world.where(lambda known: known.grad)


def _leaves(world: World) -> list[Known]:
    return world.where(lambda known: known.leaf and known.grad)


def _graded(pick: Pick, world: World) -> list[Known]:
    """Leaves that have a gradient, as far as one can tell; now and then any leaf."""
    return _leaves(world) if pick.chance(5) else world.where(lambda known: known.leaf and known.graded)


def detached(pick: Pick, world: World) -> Statement | None:
    """``detach``, ``detach_``, ``.data``."""
    fits = world.where(lambda known: not known.inference)
    if not fits:
        return None
    x = pick.one(fits)
    kind = "detach" if world.inference else pick.one(("detach", "detach", "data", "detach_"))
    kind = "detach" if x.frozen and kind == "detach_" else kind  # which returned gradients are views nobody promises
    if kind == "detach_":
        x.grad = False
        return Do(x.name, "detach_")
    out = world.add(x.shape, [x], alias=True)
    out.grad = False
    return Take(out.name, x.name, "data") if kind == "data" else Method((out.name,), x.name, "detach")


def flagged(pick: Pick, world: World) -> Statement | None:
    """``requires_grad_`` and ``retain_grad``."""
    fits = world.where(lambda known: known.floating and not known.inference)
    if not fits or world.inference:
        return None
    x = pick.one(fits)
    kind = (
        "retain_grad"
        if x.frozen
        else pick.one(("retain_grad", "retain_grad", "requires_grad_", "requires_grad_(False)"))
    )
    if kind == "retain_grad":
        return Do(x.name, "retain_grad")
    x.leaf = x.leaf or not x.grad
    x.grad = kind == "requires_grad_" or not x.leaf
    return Do(x.name, "requires_grad_", (False,) if kind.endswith("(False)") else ())


def set_data(pick: Pick, world: World) -> Statement | None:
    """``x.data = y``."""
    normal = world.where(lambda known: not known.inference)
    if not normal or world.inference:
        return None
    alone = [known for known in normal if sum(other.memory == known.memory for other in world.variables) == 1]
    if not alone:
        return None
    x = pick.one(alone)
    others = [o for o in normal if o.shape == x.shape and o.memory != x.memory and o.dtype == x.dtype]
    if not others:
        return None
    other = pick.one(others)
    x.memory, x.frozen = other.memory, other.frozen
    return SetData(x.name, other.name)


def hook(pick: Pick, world: World) -> Statement | None:
    """A tensor hook."""
    fits = [known for known in _tracked(world) if not known.turned]
    if not fits:
        return None
    x = pick.one(fits)
    return Hook(_handle(world), x.name, "register_hook", pick.one(CHANGES), ask=not x.leaf)


def accumulation_hook(pick: Pick, world: World) -> Statement | None:
    """A hook that runs once a leaf's gradient has been accumulated."""
    fits = _leaves(world)
    if not fits:
        return None
    change = pick.one(LEAF_CHANGES)
    return Hook(_handle(world), pick.one(fits).name, "register_post_accumulate_grad_hook", change)


def node_hook(pick: Pick, world: World) -> Statement | None:
    """A hook before or after a node."""
    fits = world.where(lambda known: known.grad and not known.leaf)
    if not fits:
        return None
    x = pick.one(fits)
    if pick.chance(50):
        return Hook(_handle(world), x.name, "grad_fn.register_prehook", pick.one(NODE_PRE_CHANGES))
    return Hook(_handle(world), x.name, "grad_fn.register_hook", pick.one(NODE_CHANGES))


def _handle(world: World) -> str:
    name = f"hook_{world.fresh()}"
    world.handles.append(name)
    return name


def unhook(pick: Pick, world: World) -> Statement | None:
    """Remove a hook."""
    return Unhook(pick.one(world.handles)) if world.handles else None


def backward(pick: Pick, world: World) -> Statement | None:
    """A backward pass from one root."""
    if world.inference:
        return None
    roots = _tracked(world) if not pick.chance(4) else world.where(lambda known: known.floating)
    if not roots:
        return None
    root = pick.one(roots)
    flags = _flags(pick, world)
    wanted = _tracked(world)
    for known in wanted:
        known.graded = True
    inputs = tuple(known.name for known in pick.some(wanted)) if wanted and pick.chance(12) else ()
    return Backward(root.name, _seed(pick, world, root), inputs, flags)


def _seed(pick: Pick, world: World, root: Known) -> object:
    if root.size == 1 and not root.shape and not pick.chance(10):
        return None
    if pick.chance(4):
        return None
    peers = world.where(lambda known: known.shape == root.shape and known.floating and not known.grad)
    if peers and pick.chance(15):
        return Ref(f"{pick.one(peers).name}.clone()")
    return "ones"


def _flags(pick: Pick, world: World) -> tuple[str, ...]:
    flags = ["retain_graph"] if pick.chance(55) else []
    if "higher" in world.features and pick.chance(20):
        flags.append("create_graph")
    return tuple(flags)


def grad(pick: Pick, world: World) -> Statement | None:
    """``autograd.grad`` of one or two outputs for one to three inputs."""
    tracked = _tracked(world)
    if not tracked or world.inference:
        return None
    outputs = pick.some(tracked, 2)
    inputs = pick.some(tracked, 3)
    flags = list(_flags(pick, world))
    if "higher" in world.features and "create_graph" not in flags and pick.chance(25):
        flags.append("create_graph")
    flags += ["allow_unused"] if pick.chance(60) else []
    flags += ["materialize_grads"] if pick.chance(10) else []
    outs = [world.add(known.shape, [known]) for known in inputs]
    for out in outs:
        out.grad, out.frozen = "create_graph" in flags, True
    ones = any(known.shape for known in outputs) or pick.chance(20)
    return Grad(_names(outs), _names(outputs), _names(inputs), ones, tuple(flags))


def _names(variables: list[Known]) -> tuple[str, ...]:
    return tuple(known.name for known in variables)


def function(pick: Pick, world: World) -> Statement | None:
    """One of the fixed custom Functions."""
    name = pick.one(tuple(SIGNATURES) if not world.inference else ("Scale", "Product", "Split"))
    takes, gives = SIGNATURES[name]
    floating = world.writable(pick) if name == "Doubled" else world.where(lambda known: known.floating)
    x = pick.one(floating or world.variables)
    args = [x]
    if takes == 2:
        fits = world.where(lambda known: broadcast(known.shape, x.shape) is not None and known.floating)
        args.append(pick.one(fits or [x]))
    shape = (broadcast(args[0].shape, args[-1].shape) if name != "Bare" else x.shape) or x.shape
    special: dict[str, list[Shape]] = {
        "Flat": [(x.size,)],
        "Broad": [()],
        "Largest": [shape, ()],
        "Bare": [x.shape, args[-1].shape],
    }
    shapes = special.get(name, [shape] * gives)
    outs = [world.add(out, args, alias=name in ("Same", "Flat", "Doubled")) for out in shapes]
    if name == "Largest":
        outs[1].dtype, outs[1].grad = "int64", False
    return Custom(tuple(out.name for out in outs), name, tuple(Ref(known.name) for known in args))


def step(pick: Pick, world: World) -> Statement | None:
    """What an optimiser does."""
    fits = _graded(pick, world)
    return Step(pick.one(fits).name, pick.one((0.5, 1.0))) if fits else None


def clear(pick: Pick, world: World) -> Statement | None:
    """Clear a gradient, to None or to zeros."""
    fits = _graded(pick, world)
    if not fits:
        return None
    x = pick.one(fits)
    return SetGrad(x.name) if pick.chance(70) else Do(f"{x.name}.grad", "zero_")


def take_grad(pick: Pick, world: World) -> Statement | None:
    """``g = x.grad``: the gradient as a variable of the program."""
    fits = _tracked(world)
    if not fits or world.inference:
        return None
    x = pick.one(fits)
    out = world.add(x.shape, [x])
    out.grad, out.frozen = False, not x.leaf
    return Take(out.name, x.name, "grad")


def set_grad(pick: Pick, world: World) -> Statement | None:
    """``x.grad = y``, but for a ``y`` that may not be written: the next backward adds to it in place."""
    fits = _leaves(world)
    if not fits or world.inference:
        return None
    x = pick.one(fits)
    alike = world.where(lambda known: known.shape == x.shape and known is not x)
    some = world.variables if pick.chance(10) else alike
    others = [known for known in some if not known.inference and not known.frozen]
    return SetGrad(x.name, Ref(pick.one(others).name)) if others else None


def forget(pick: Pick, world: World) -> Statement | None:
    """Drop a variable."""
    if len(world.variables) < 3:
        return None
    x = pick.one(world.variables)
    world.forget(x)
    return Forget(x.name)
