"""Draws statements that compute: creation, arithmetic, views, indexing and in-place operations; nothing of backward.

Each maker takes the choices and the world, adds what the statement defines to the world, and returns the statement;
None means that it does not fit now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.differential.programs import (
    Array,
    Augment,
    Call,
    Create,
    Do,
    Dtype,
    Infix,
    Method,
    Read,
    Ref,
    Statement,
    Write,
    text_of,
)
from tests.differential.world import KIND, Known, Pick, Shape, World, broadcast, resized, shapes_of, without

Maker = Callable[[Pick, World], Statement | None]

SHAPES: tuple[Shape, ...] = ((2,), (), (3,), (2, 2), (2, 3), (1,), (3, 1), (1, 3), (2, 1, 2), (2, 2, 2), (4,), (0,))
NUMBERS = (2.0, 0.5, -1.0, 1.5, 3.0, 0.25, 0.0)
# fmt: off
ELEMENTWISE = (
    "tanh", "relu", "neg", "abs", "sigmoid", "exp", "sqrt", "square", "sin", "cos", "clone", "log", "reciprocal",
    "sign", "floor", "log1p", "expm1", "atan", "rsqrt",
)
INPLACE_UNARY = (
    "zero_", "exp_", "tanh_", "neg_", "relu_", "sigmoid_", "sqrt_", "abs_", "square_", "sin_", "reciprocal_",
)
# fmt: on
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "norm", "logsumexp", "cumsum", "std", "softmax", "var")
POWERS_AND_BOUNDS = (
    ("clamp", (-0.5, 0.5)),
    ("pow", (2,)),
    ("pow", (0.5,)),
    ("clamp", (0.0,)),
    ("pow", (3,)),
    ("pow", (0,)),
)
INPLACE_BINARY = ("add_", "mul_", "sub_", "div_", "copy_", "pow_", "clamp_", "fill_", "masked_fill_")


def create(pick: Pick, world: World) -> Statement:
    """A leaf or a constant of small, exact values."""
    shape = pick.one(SHAPES)
    dtypes = ("float64", "float64", "float64", "float32", "int64") if "dtypes" in world.features else ("float64",)
    known = world.add(shape, dtype=pick.one(dtypes))
    known.grad = known.leaf = known.floating and not world.inference and not pick.chance(40)
    return Create(known.name, _values(pick, known), known.dtype, known.grad)


def _values(pick: Pick, known: Known) -> object:
    """Multiples of a quarter along a simple progression, so that a shrunk program stays readable."""
    start, step = pick.number(-4, 8), pick.one((1, 2, 0, -3, 5))
    numbers = [(start + step * n) % 17 - 6 for n in range(known.size)]
    values = [n / 4 for n in numbers] if known.floating else numbers
    return np.array(values, dtype=float if known.floating else int).reshape(known.shape).tolist()


def _real(world: World) -> list[Known]:
    """Variables that have an order; there is one, for a program begins with one."""
    return world.where(lambda known: not known.complex) or world.variables


def elementwise(pick: Pick, world: World) -> Statement:
    """One tensor in, one of its shape out."""
    x = pick.one(_real(world))
    name = pick.one(ELEMENTWISE)
    return Method((world.add(x.shape, [x]).name,), x.name, name)


def clamped(pick: Pick, world: World) -> Statement:
    """Operations with bounds or powers."""
    x = pick.one(world.where(lambda known: known.floating) or _real(world))
    name, args = pick.one(POWERS_AND_BOUNDS)
    return Method((world.add(x.shape, [x]).name,), x.name, name, args)


def infix(pick: Pick, world: World) -> Statement:
    """Two operands with broadcasting, one of which may be a number."""
    left = pick.one(world.where(lambda known: True))
    symbol = pick.one(("*", "+", "-", "/", "*", "+"))
    if pick.chance(25):
        number = pick.one(NUMBERS)
        out = world.add(left.shape, [left])
        operands: tuple[object, object] = (number, Ref(left.name)) if pick.chance(30) else (Ref(left.name), number)
        return Infix(out.name, operands[0], symbol, operands[1])
    right = _second(pick, world, left)
    out = world.add(broadcast(left.shape, right.shape) or left.shape, [left, right])
    return Infix(out.name, Ref(left.name), symbol, Ref(right.name))


def paired(pick: Pick, world: World) -> Statement:
    """Methods of two tensors."""
    left = pick.one(_real(world))
    right = _second(pick, world, left)
    right = left if right.complex else right
    name = pick.one(("maximum", "minimum", "pow", "atan2", "logaddexp", "eq", "lt"))
    dtype = "bool" if name in ("eq", "lt") else None
    out = world.add(broadcast(left.shape, right.shape) or left.shape, [left, right], dtype)
    return Method((out.name,), left.name, name, (Ref(right.name),))


def _second(pick: Pick, world: World, left: Known) -> Known:
    """A second operand: of any shape in a few cases, else one that broadcasts."""
    if "invalid" in world.features and pick.chance(3):
        return pick.one(world.variables)
    return pick.one(world.where(lambda known: broadcast(known.shape, left.shape) is not None))


def reduction(pick: Pick, world: World) -> Statement | None:
    """Sums and their kin, over all, over one dimension, or kept."""
    fits = world.where(lambda known: known.floating)
    whole = world.where(lambda known: not known.floating and not known.complex and known.size > 0)
    x = pick.one(whole if whole and (not fits or pick.chance(4)) else fits or _real(world))
    name = pick.one(REDUCTIONS)
    if name in ("logsumexp", "cumsum", "softmax") and not x.shape:
        name = "sum"
    along = bool(x.shape) and (name in ("logsumexp", "cumsum", "softmax") or pick.chance(45))
    if not along or name in ("std", "var", "norm"):
        return Method((world.add((), [x]).name,), x.name, name)
    dim = pick.number(0, len(x.shape) - 1)
    if name in ("cumsum", "softmax"):
        return Method((world.add(x.shape, [x]).name,), x.name, name, (dim,))
    keep = pick.chance(40)
    shape = resized(x.shape, dim, 1) if keep else without(x.shape, dim)
    options = (("keepdim", True),) if keep else ()
    out = world.add(shape, [x])
    outs = (out.name, world.add(shape, dtype="int64").name) if name in ("max", "min") else (out.name,)
    return Method(outs, x.name, name, (dim,), options)


def product(pick: Pick, world: World) -> Statement | None:
    """Matrix products of whatever fits."""
    lefts = world.where(lambda known: bool(known.shape) and known.floating)
    if not lefts:
        return None
    left = pick.one(lefts)
    rights = [
        known for known in lefts if _product_shape(left.shape, known.shape) is not None and known.dtype == left.dtype
    ]
    if not rights:
        return None
    right = pick.one(rights)
    out = world.add(_product_shape(left.shape, right.shape) or (), [left, right])
    return Infix(out.name, Ref(left.name), "@", Ref(right.name))


def _product_shape(left: Shape, right: Shape) -> Shape | None:
    try:
        return tuple(np.matmul(np.zeros(left), np.zeros(right)).shape)
    except ValueError:
        return None


def joined(pick: Pick, world: World) -> Statement:
    """``cat``, ``stack`` and ``where``."""
    x = pick.one(_real(world))
    peers = [pick.one([one for one in _real(world) if one.shape == x.shape]) for _ in range(pick.number(1, 2))]
    parts = [x, *peers]
    refs = [Ref(part.name) for part in parts]
    kind = pick.one(("stack", "cat", "where"))
    if kind == "where":
        mask = Ref(f"{x.name} > {peers[0].name}")
        return Call((world.add(x.shape, [x, peers[0]]).name,), "where", (mask, *refs[:2]))
    if kind == "cat" and x.shape:
        dim = pick.number(0, len(x.shape) - 1)
        shape = resized(x.shape, dim, sum(part.shape[dim] for part in parts))
        return Call((world.add(shape, parts).name,), "cat", (refs,), (("dim", dim),))
    return Call((world.add((len(parts), *x.shape), parts).name,), "stack", (refs,))


def copied(pick: Pick, world: World) -> Statement:
    """Shape operations that copy, and casts."""
    x = pick.one(_real(world))
    if pick.chance(40):
        dtype = pick.one(("float64", "float32", "int64"))
        same = dtype == x.dtype
        return Method((world.add(x.shape, [x], dtype, alias=same).name,), x.name, "to", (Dtype(dtype),))
    if not x.shape:
        return Method((world.add((2,), [x]).name,), x.name, "repeat", (2,))
    dim = pick.number(0, len(x.shape) - 1)
    name, args, shape = pick.one(
        (
            ("flip", (dim,), x.shape),
            ("contiguous", (), x.shape),
            ("repeat_interleave", (2, dim), resized(x.shape, dim, 2 * x.shape[dim])),
            ("roll", (1, dim), x.shape),
        )
    )
    return Method((world.add(shape, [x], alias=name == "contiguous").name,), x.name, name, args)


def picked(pick: Pick, world: World) -> Statement | None:
    """Elements picked, masked, placed or put in order along the first dimension."""
    fits = world.where(lambda known: known.floating and bool(known.shape) and known.shape[0] > 0)
    if not fits:
        return None
    x = pick.one(fits)
    rows = Array(tuple(pick.number(0, x.shape[0] - 1) for _ in range(pick.number(1, 3))))
    gathered, added = resized(x.shape, 0, len(rows.values)), Ref(f"{x.name}[{text_of(rows)}]")
    options: list[Viewed] = [
        ("index_select", (0, rows), gathered),
        ("index_add", (0, rows, added), x.shape),
        ("index_copy", (0, rows, added), x.shape),
        ("index_fill", (0, rows, 0.5), x.shape),
        ("masked_fill", (Ref(f"{x.name} > 0"), 0.5), x.shape),
        ("cumprod", (0,), x.shape),
        ("nan_to_num", (), x.shape),
    ]
    if len(x.shape) == 1:
        options += [
            ("scatter_add", (0, rows, added), x.shape),
            ("gather", (0, rows), gathered),
            ("take", (rows,), gathered),
        ]
        options += [("diag", (), x.shape * 2), ("outer", (Ref(x.name),), x.shape * 2)]
    if len(x.shape) > 1:
        options += [("tril", (), x.shape), ("triu", (1,), x.shape)]
    name, args, shape = pick.one(options)
    return Method((world.add(shape, [x]).name,), x.name, name, args)


def view(pick: Pick, world: World) -> Statement:
    """A view, of a view more often than not."""
    x = pick.one(world.where(lambda known: True))
    makers = VIEWS_OF_ANY + (VIEWS_OF_DIMENSIONED if x.shape else ()) + (VIEWS_OF_MATRICES if len(x.shape) > 1 else ())
    name, args, shape = pick.one(makers)(pick, x)
    out = world.add(shape, [x], alias=True)
    out.frozen = out.frozen or name == "unfold"
    return Method((out.name,), x.name, name, args)


Viewed = tuple[str, tuple[object, ...], Shape]


def _view(pick: Pick, x: Known) -> Viewed:
    shape = pick.one(shapes_of(x.size)) if x.size else x.shape
    return pick.one(("view", "reshape")), shape or ((),), shape


def _unsqueeze(pick: Pick, x: Known) -> Viewed:
    dim = pick.number(0, len(x.shape))
    return "unsqueeze", (dim,), (*x.shape[:dim], 1, *x.shape[dim:])


def _squeeze(pick: Pick, x: Known) -> Viewed:
    return "squeeze", (), tuple(size for size in x.shape if size != 1)


def _expand(pick: Pick, x: Known) -> Viewed:
    shape = tuple(2 if size == 1 else size for size in x.shape)
    shape = (2, *shape) if pick.chance(40) or not shape else shape
    return "expand", shape, shape


def _alias(pick: Pick, x: Known) -> Viewed:
    return "view_as", (Ref(x.name),), x.shape


def _select(pick: Pick, x: Known) -> Viewed:
    dim = pick.number(0, len(x.shape) - 1)
    return "select", (dim, pick.number(0, max(0, x.shape[dim] - 1))), without(x.shape, dim)


def _narrow(pick: Pick, x: Known) -> Viewed:
    dim = pick.number(0, len(x.shape) - 1)
    start = pick.number(0, max(0, x.shape[dim] - 1))
    length = pick.number(0 if pick.chance(3) else min(1, x.shape[dim]), max(0, x.shape[dim] - start))
    return "narrow", (dim, start, length), resized(x.shape, dim, length)


def _unfold(pick: Pick, x: Known) -> Viewed:
    dim = pick.number(0, len(x.shape) - 1)
    size = min(2, x.shape[dim])
    count = x.shape[dim] - size + 1
    return "unfold", (dim, size, 1), (*resized(x.shape, dim, count), size)


def _transpose(pick: Pick, x: Known) -> Viewed:
    first, second = pick.number(0, len(x.shape) - 1), pick.number(0, len(x.shape) - 1)
    shape = list(x.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return "transpose", (first, second), tuple(shape)


def _permute(pick: Pick, x: Known) -> Viewed:
    turn = pick.number(1, len(x.shape) - 1)
    order = tuple((n + turn) % len(x.shape) for n in range(len(x.shape)))
    return "permute", order, tuple(x.shape[n] for n in order)


def _diagonal(pick: Pick, x: Known) -> Viewed:
    offset = pick.one((0, 1, -1))
    shape = np.diagonal(np.zeros(x.shape), offset).shape
    return "diagonal", (offset,), shape


VIEWS_OF_ANY = (_view, _unsqueeze, _squeeze, _expand, _alias)
VIEWS_OF_DIMENSIONED = (_select, _narrow, _select, _narrow, _unfold)
VIEWS_OF_MATRICES = (_transpose, _permute, _diagonal)


def several_views(pick: Pick, world: World) -> Statement | None:
    """One call that returns several views."""
    fits = world.where(lambda known: bool(known.shape) and 0 < known.shape[0] <= 3)
    if not fits:
        return None
    x = pick.one(fits)
    name = pick.one(("unbind", "chunk", "split"))
    count = x.shape[0]
    shape = without(x.shape, 0) if name == "unbind" else resized(x.shape, 0, 1)
    outs = tuple(world.add(shape, [x], alias=True).name for _ in range(count))
    args = {"unbind": (), "chunk": (count,), "split": (1,)}[name]
    if count == 1:
        return Read(outs[0], f"{x.name}.{name}({', '.join(map(str, args))})", (0,))
    return Method(outs, x.name, name, args)


def strided(pick: Pick, world: World) -> Statement | None:
    """``as_strided`` inside the memory of a contiguous-looking vector."""
    fits = world.where(lambda known: len(known.shape) == 1 and known.shape[0] >= 2)
    if not fits:
        return None
    x = pick.one(fits)
    size, stride, offset = pick.one((((2,), (1,), 0), ((1,), (1,), 1), ((2, 2), (1, 0), 0), ((2, 1), (1, 1), 0)))
    out = world.add(size, [x], alias=True)
    out.frozen = True
    return Method((out.name,), x.name, "as_strided", (size, stride, offset))


def inplace(pick: Pick, world: World) -> Statement | None:
    """An in-place operation on a base or a view."""
    fits = [known for known in world.writable(pick) if not known.complex]
    if not fits:
        return None
    x = pick.one(fits)
    if pick.chance(35):
        return Do(x.name, pick.one(INPLACE_UNARY))
    name = pick.one(INPLACE_BINARY)
    return _inplace_with(pick, world, x, name)


def _inplace_with(pick: Pick, world: World, x: Known, name: str) -> Statement:
    if name == "clamp_":
        return Do(x.name, name, (-0.5, 1.0) if x.floating else (0, 1))
    if name == "masked_fill_":
        return Do(x.name, name, (Ref(f"{x.name} > 0"), pick.one(NUMBERS)))
    if name == "pow_":
        return Do(x.name, name, (2,))
    partners = [known for known in world.partners(x) if not known.complex]
    if pick.chance(2) or (name == "copy_" and not partners):
        return Do(x.name, "mul_", (Ref(x.name),))
    if name == "fill_" or not partners or (name != "copy_" and pick.chance(35)):
        return Do(x.name, name, (pick.one(NUMBERS),))
    return _inplace_of_two(pick, x, pick.one(partners), world, name)


def _inplace_of_two(pick: Pick, x: Known, other: Known, world: World, name: str) -> Statement:
    world.written(x, other)
    symbol = {"add_": "+", "mul_": "*", "sub_": "-", "div_": "/"}.get(name)
    if symbol and pick.chance(35):
        return Augment(x.name, symbol, Ref(other.name))
    if name in ("add_", "sub_") and pick.chance(20):
        return Do(x.name, name, (Ref(other.name),), (("alpha", 2),))
    return Do(x.name, name, (Ref(other.name),))


def reshaped_in_place(pick: Pick, world: World) -> Statement | None:
    """In-place operations that change a tensor's shape and not its memory."""
    fits = [known for known in world.writable(pick) if world.recording or not known.grad]
    if not fits:
        return None
    x = pick.one(fits)
    options: list[tuple[str, tuple[object, ...], Shape]] = [("unsqueeze_", (0,), (1, *x.shape))]
    options += [("squeeze_", (), tuple(size for size in x.shape if size != 1))]
    options += [("t_", (), x.shape[::-1])] if len(x.shape) == 2 else []
    name, args, shape = pick.one(options)
    x.shape, x.turned = shape, True
    return Do(x.name, name, args)


def read(pick: Pick, world: World) -> Statement | None:
    """An index read: a view for ints and slices, a copy for arrays and masks."""
    fits = world.where(lambda known: bool(known.shape) and known.size > 0)
    if not fits:
        return None
    x = pick.one(fits)
    index, plain = _index(pick, x.shape)
    shape = _indexed(x.shape, index)
    return Read(world.add(shape, [x], alias=plain).name, x.name, index)


def write(pick: Pick, world: World) -> Statement | None:
    """An index write, of a number or of a tensor that broadcasts to the place."""
    fits = [known for known in world.writable(pick) if known.shape and known.size > 0]
    if not fits:
        return None
    x = pick.one(fits)
    index, _ = _index(pick, x.shape)
    place = _indexed(x.shape, index)
    apart = world.where(lambda known: known.memory != x.memory and KIND[known.dtype] <= KIND[x.dtype])
    values = [known for known in apart if broadcast(known.shape, place) == place]
    if not values or pick.chance(35):
        return Write(x.name, index, pick.one(NUMBERS))
    value = pick.one(values)
    world.written(x, value)
    return Write(x.name, index, Ref(value.name))


def _index(pick: Pick, shape: Shape) -> tuple[tuple[object, ...], bool]:
    """An index into ``shape``, and whether it is basic (ints, slices, None, …)."""
    items: list[object] = []
    plain = True
    for size in shape[: pick.number(1, len(shape))]:
        kind = pick.one(("int", "slice", "all", "ints", "mask"))
        if kind == "int":
            items.append(pick.number(0, size - 1) - (size if pick.chance(20) else 0))
        elif kind == "slice":
            start = pick.number(0, size - 1)
            items.append(slice(start, pick.number(start + 1, size), pick.one((None, 2))))
        elif kind == "all" or not plain:
            items.append(slice(None))
        elif kind == "ints":
            items.append(Array(tuple(pick.number(0, size - 1) for _ in range(pick.number(1, 3)))))
            plain = False
        else:
            items.append(Array(tuple(bool(pick.number(0, 1)) for _ in range(size))))
            plain = False
    if pick.chance(10):
        items.append(Ellipsis)
    if pick.chance(8):
        items.insert(0, None)
    return tuple(items), plain


def _indexed(shape: Shape, index: tuple[object, ...]) -> Shape:
    """The shape of what ``index`` takes out of ``shape``."""
    items: Any = tuple(np.array(item.values) if isinstance(item, Array) else item for item in index)
    return tuple(np.zeros(shape)[items].shape)
