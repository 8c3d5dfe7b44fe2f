"""Draws what goes beyond one real tensor in reverse: other creations, complex numbers, dual numbers, several roots,
hooks of several tensors and of accumulators.
"""

from __future__ import annotations

from tests.differential.backward import _flags, _handle, _leaves, _seed, _tracked
from tests.differential.programs import (
    Backward,
    Call,
    Create,
    Do,
    Dtype,
    Hook,
    Infix,
    Method,
    MultiHook,
    Ref,
    Statement,
    Take,
)
from tests.differential.world import Known, Pick, World, broadcast, without

LEVEL = "xp.autograd.forward_ad.dual_level()"
"""A block in which tensors may have tangents."""

COMPLEX_UNARY = (
    "conj_physical",
    "exp",
    "neg",
    "square",
    "sin",
    "tanh",
    "reciprocal",
    "clone",
    "sqrt",
    "cos",
    "log",
    "sgn",
)
COMPLEX_TO_REAL = ("abs", "angle")
COMPLEX_IN_PLACE = ("exp_", "neg_", "sin_", "square_", "zero_", "tanh_", "conj_physical_")


# --- creation -------------------------------------------------------------------------------------------------------


def made(pick: Pick, world: World) -> Statement | None:
    """A leaf or a constant that is not written out: zeros, ones, full, arange, eye, or like another."""
    kind = pick.one(("zeros", "ones", "full", "arange", "eye", "zeros_like", "ones_like", "full_like", "new_zeros"))
    models = world.where(lambda known: known.floating and not known.inference)
    if kind in ("zeros_like", "ones_like", "full_like", "new_zeros"):
        return _like(pick, world, pick.one(models), kind) if models else None
    args, shape = {
        "zeros": (((2, 2),), (2, 2)),
        "ones": (((3,),), (3,)),
        "full": (((2, 1), 0.5), (2, 1)),
        "arange": ((3,), (3,)),
        "eye": ((2,), (2, 2)),
    }[kind]
    known = world.add(shape)
    return Call((known.name,), kind, args, (("dtype", Dtype("float64")), *_asked(pick, world, known)))


def _like(pick: Pick, world: World, model: Known, kind: str) -> Statement:
    known = world.add(model.shape, dtype=model.dtype)
    options = _asked(pick, world, known)
    if kind == "new_zeros":
        return Method((known.name,), model.name, kind, (model.shape,), options)
    return Call((known.name,), kind, (Ref(model.name), *((1.5,) if kind == "full_like" else ())), options)


def _asked(pick: Pick, world: World, known: Known) -> tuple[tuple[str, object], ...]:
    """Whether it shall require grad."""
    known.grad = known.leaf = not world.inference and pick.chance(50)
    return (("requires_grad", True),) if known.grad else ()


# --- complex numbers ------------------------------------------------------------------------------------------------


def complex_number(pick: Pick, world: World) -> Statement | None:
    """A complex leaf or constant, or an operation on complex tensors that may lead back to real ones."""
    known = world.where(lambda one: one.complex)
    if not known or pick.chance(20):
        return _complex_leaf(pick, world)
    return pick.one((_complex_unary, _complex_binary, _complex_parts, _complex_sum, _complex_write))(pick, world, known)


def _complex_leaf(pick: Pick, world: World) -> Statement:
    shape = pick.one(((2,), (), (1, 2), (2, 2)))
    known = world.add(shape, dtype="complex128")
    known.grad = known.leaf = not world.inference and not pick.chance(40)
    start = pick.number(-3, 3)
    numbers = [complex((start + 3 * n) % 7 - 3, (start + n) % 5 - 2) / 2 for n in range(known.size)]
    rows = known.shape[-1] if known.shape else 1
    values: object = numbers[0] if not shape else numbers
    if len(shape) == 2:
        values = [numbers[n : n + rows] for n in range(0, known.size, rows)]
    return Create(known.name, values, known.dtype, known.grad)


def _complex_unary(pick: Pick, world: World, known: list[Known]) -> Statement:
    x = pick.one(known)
    if pick.chance(25):
        return Method((world.add(x.shape, [x], "float64").name,), x.name, pick.one(COMPLEX_TO_REAL))
    return Method((world.add(x.shape, [x]).name,), x.name, pick.one(COMPLEX_UNARY))


def _complex_binary(pick: Pick, world: World, known: list[Known]) -> Statement:
    x = pick.one(known)
    y = pick.one(world.where(lambda one: broadcast(one.shape, x.shape) is not None and one.dtype != "bool"))
    left, right = (x, y) if pick.chance(50) else (y, x)
    out = world.add(broadcast(x.shape, y.shape) or x.shape, [x, y])
    return Infix(out.name, Ref(left.name), pick.one(("*", "+", "-", "/")), Ref(right.name))


def _complex_parts(pick: Pick, world: World, known: list[Known]) -> Statement:
    """The real or the imaginary part: a view of another type."""
    x = pick.one(known)
    out = world.add(x.shape, [x], "float64", alias=True)
    return Take(out.name, x.name, pick.one(("real", "imag")))


def _complex_sum(pick: Pick, world: World, known: list[Known]) -> Statement:
    x = pick.one(known)
    name = pick.one(("sum", "mean", "prod"))
    if x.shape and pick.chance(40):
        return Method((world.add(without(x.shape, 0), [x]).name,), x.name, name, (0,))
    return Method((world.add((), [x]).name,), x.name, name)


def _complex_write(pick: Pick, world: World, known: list[Known]) -> Statement | None:
    fits = [one for one in world.writable(pick) if one.complex]
    if not fits:
        return None
    x = pick.one(fits)
    partners = world.partners(x)
    if not partners or pick.chance(40):
        return Do(x.name, pick.one(COMPLEX_IN_PLACE))
    other = pick.one(partners)
    world.written(x, other)
    return Do(x.name, pick.one(("mul_", "add_", "sub_", "copy_")), (Ref(other.name),))


# --- dual numbers ---------------------------------------------------------------------------------------------------


def dual(pick: Pick, world: World) -> Statement | None:
    """Within a dual level: a tensor with a tangent, or the tangent of one."""
    if not world.dual:
        return None
    if pick.chance(50):
        x = pick.one(world.where(lambda known: known.floating) or world.variables)
        out = world.add(x.shape, [x])
        out.grad, out.frozen = False, True
        return Take(out.name, f"xp.autograd.forward_ad.unpack_dual({x.name})", "tangent")
    return _make_dual(pick, world)


def _make_dual(pick: Pick, world: World) -> Statement | None:
    fits = world.where(lambda known: known.floating and not known.inference)
    if not fits:
        return None
    x = pick.one(fits)
    tangents = [known for known in fits if known.shape == x.shape and known.dtype == x.dtype and not known.grad]
    tangent = Ref(f"{pick.one(tangents).name}.clone()" if tangents else f"xp.ones_like({x.name})")
    out = world.add(x.shape, [x], alias=True)
    return Call((out.name,), "autograd.forward_ad.make_dual", (Ref(x.name), tangent))


# --- backward -------------------------------------------------------------------------------------------------------


def several_roots(pick: Pick, world: World) -> Statement | None:
    """One pass from two or three roots."""
    roots = _tracked(world)
    if len(roots) < 2 or world.inference:
        return None
    chosen = [pick.one(roots), *pick.some(roots, 2)]
    for known in roots:
        known.graded = True
    seeds = tuple(_seed(pick, world, known) for known in chosen)
    inputs = tuple(known.name for known in pick.some(roots)) if pick.chance(15) else ()
    first, *others = (known.name for known in chosen)
    return Backward(first, seeds[0], inputs, _flags(pick, world), tuple(zip(others, seeds[1:], strict=True)))


def multi_hook(pick: Pick, world: World) -> Statement | None:
    """A hook of several tensors: once all gradients are there, or at the first."""
    fits = [known for known in _tracked(world) if not known.turned]
    if not fits or world.inference:
        return None
    chosen = dict.fromkeys(known.name for known in pick.some(fits))
    return MultiHook(_handle(world), tuple(chosen), pick.one(("all", "any")))


def accumulator_hook(pick: Pick, world: World) -> Statement | None:
    """A hook before or after a leaf's accumulator."""
    fits = _leaves(world)
    if not fits or world.inference:  # PyTorch finds a leaf's accumulator by an operation, and so not there
        return None
    x = pick.one(fits)
    place = pick.one(("node.register_prehook", "node.register_hook"))
    return Hook(_handle(world), f"xp.autograd.graph.get_gradient_edge({x.name})", place)
