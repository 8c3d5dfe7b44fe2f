"""Lesson 1, a gradient by hand: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

from collections.abc import Callable

from inspector.lessons.exercises import Task

Function = Callable[[float], float]

HINTS = {
    "the slope of x²": {
        9: "that is x² itself; the slope says how fast it grows.",
        3: "the power comes down as a factor.",
        2: "that is the slope where x = 1.",
    },
    "e, nudged": {
        64: "that would mean that a does not matter.",
        128: "that would be a step of 1; here it is a hundredth of it.",
        64.01: "each 0.01 of a counts 64 times.",
        64.16: "that is what arrives along d = c + a alone; a also goes through c.",
        64.48: "that is what arrives through c alone; a also goes straight into d.",
    },
    "∂e/∂d": {
        8: "d is used twice in d * d, and each use gives 8.",
        64: "that is e itself.",
        2: "2 is how often d is used; each use is multiplied by the other factor.",
    },
    "∂e/∂c": {
        8: "a sum hands on all that it gets; what did d get?",
        1: "that is ∂d/∂c. Multiply it by what comes from the right.",
        96: "b stands on the way into c, not on the way out.",
    },
    "∂e/∂b": {
        16: "that reaches c; one product is still to be crossed.",
        48: "in c = a * b, the slope along b is the other factor.",
        2: "that is ∂c/∂b. Multiply it by what reaches c.",
        96: "to cross c = a * b towards b, multiply by a only.",
    },
    "∂e/∂a": {
        16: "that is the path through d = c + a; there is another, through c.",
        48: "that is the path through c; there is another, straight from d.",
        768: "the two paths are added, not multiplied.",
        32: "that is ∂e/∂b, or else one of the paths is counted twice.",
    },
}

DIFFERENCE = Task(
    "1.1",
    given=[(2.0, 3.0), (1.5, -1.0), (-2.0, 0.5)],
    truth=lambda a, b: 2 * (a * b - a) * (b - 1),
    praise="one path brings 2d·b, the other takes 2d away.",
)


@DIFFERENCE.mistake("the path straight from d to a comes with a minus: d grows by 1 less for each 1 of a.")
def adds_the_paths(a: float, b: float) -> float:
    return 2 * (a * b - a) * (b + 1)


@DIFFERENCE.mistake("one path is missing: a goes into c, and a second time into d.")
def one_path(a: float, b: float) -> float:
    return 2 * (a * b - a) * b


@DIFFERENCE.mistake("d is used twice in d * d: both uses count.")
def one_use(a: float, b: float) -> float:
    return (a * b - a) * (b - 1)


@DIFFERENCE.mistake("that is ∂d/∂a; multiply it by ∂e/∂d.")
def stops_at_d(a: float, b: float) -> float:
    return b - 1


def square(x: float) -> float:
    return x * x


def cube(x: float) -> float:
    return x * x * x


def reciprocal(x: float) -> float:
    return 1 / x


def nudged(f: Function, x: float, by: float = 1e-5) -> float:
    return (f(x + by) - f(x - by)) / (2 * by)


SLOPE = Task(
    "1.2",
    given=[(lambda: square, 3.0), (lambda: cube, 2.0), (lambda: reciprocal, 0.5)],
    truth=nudged,
    tolerance=1e-3,
    praise="and it knows nothing of the function but its values.",
)


@SLOPE.mistake("the two points lie two nudges apart: divide by twice the nudge.")
def divides_by_one(f: Function, x: float) -> float:
    return 2 * nudged(f, x)


@SLOPE.mistake("that is how much the value changes; divide it by how much x does.")
def does_not_divide(f: Function, x: float) -> float:
    return f(x + 1e-5) - f(x - 1e-5)


@SLOPE.mistake("that nudge is a shove: within it, the curve bends. Take a smaller one.")
def shoves(f: Function, x: float) -> float:
    return nudged(f, x, 0.25)


@SLOPE.mistake("f(x) / x is the slope of a line through 0, not of the curve at x.")
def from_the_origin(f: Function, x: float) -> float:
    return f(x) / x


@SLOPE.mistake("the sign is turned round: the value further right comes first.")
def turned_round(f: Function, x: float) -> float:
    return -nudged(f, x)


PRODUCT = Task(
    "1.3",
    given=[(3.0, 1.0), (-1.0, 2.0), (0.5, 0.25)],
    truth=lambda a, b: (2 * a, -2 * b),
    praise="so the program has just found the derivative of a² − b².",
)


@PRODUCT.mistake("across a product each factor is multiplied by the *other* one.")
def own_factor(a: float, b: float) -> tuple[float, float]:
    return 2 * a, 2 * b


@PRODUCT.mistake("b is subtracted in q: its path through q comes with a minus.")
def no_minus(a: float, b: float) -> tuple[float, float]:
    return 2 * a, 2 * a


@PRODUCT.mistake("that is the path through p alone; both go into q as well.")
def only_the_sum(a: float, b: float) -> tuple[float, float]:
    return a - b, a - b


@PRODUCT.mistake("that is the path through q alone; both go into p as well.")
def only_the_difference(a: float, b: float) -> tuple[float, float]:
    return a + b, -(a + b)


TASKS = {task.number: task for task in (DIFFERENCE, SLOPE, PRODUCT)}
