# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1. A gradient by hand, then watched
#
# *For whom:* you know Python and what a slope is. *You will be able to:* work out the gradient of a small expression on paper, read it
# in a picture, and check it by nudging. *Time:* 30 minutes.
#
# Two beliefs to give up: **"backprop is some magic that a library does"** (it is the chain rule, once for each operation, from the last
# to the first) and **"a value that is used twice gets its gradient from its last use"** (from every use, added up).
#
# Bring a pencil. Where a cell asks `guess("…", ...)`, put your answer in place of the three dots and run it: you are told whether it is
# right, what is wrong with it if not, and whether you are getting warmer. `"?"` in that place reveals it. The dots alone do nothing.

# %%
import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_01 import HINTS

# %% [markdown]
# ## What a gradient is
#
# Take any function of a number, and nudge the number a little. The slope says how strongly the result answers: *so many times as much*.
# Here is x² at x = 3. What will its slope be? Write it down before you look.


# %%
def square(x):
    return x * x


guess("the slope of x²", ..., lambda: mg.func.grad(square)(mg.tensor(3.0)), hints=HINTS)

# %%
for nudge in (1, 0.1, 0.01, 0.001):
    slope = (square(3 + nudge) - square(3)) / nudge
    print(f"nudged by {nudge:<5g}  x² grows {slope:.3f} times as much")

assert round(slope, 2) == 6

# %% [markdown]
# The smaller the nudge, the nearer to 6. That is all that *gradient* means, for one number or for a billion: for each input, how many
# times as much the result changes. It is not the change itself, and it holds here, at 3, and nowhere else.
#
# ## Forward
#
# Now two numbers go in, and one comes out after three operations:

# %%
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)

c = a * b
d = c + a
e = d * d

print(f"c = {c.item():g}, d = {d.item():g}, e = {e.item():g}")

# %% [markdown]
# `requires_grad=True` says: *I will want to know how the result depends on this one.* So each operation left a **node** behind, the way
# back through itself. Nobody has walked that way yet.

# %%
inspector.draw(e)

# %% [markdown]
# *What to look for:* values flow from left to right. Each card shows a value, and under it its node, `MulBackward0` or `AddBackward0`,
# and what the node **saved** (▣). `c = a * b` saved `b` and `a`, for each is the other's slope. `d = c + a` saved nothing: a sum passes on
# what it gets. Where a gradient will stand there is a dash. A dash means *not computed*; it is not a zero.
#
# ## Backward, on paper
#
# One rule is enough, the chain rule: **what reaches a value is what reaches its result, times the slope of that one operation.** And where
# several arrows arrive, add. Begin on the right with ∂e/∂e = 1 and go left:
#
# 1. e = d · d. What is ∂e/∂d, at d = 8? Note that `d` is used twice.


# %%
def reaches(name):
    """What the engine says; it is asked only when you have answered."""
    a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
    c = a * b
    d = c + a
    e = d * d
    return mg.autograd.grad(e, {"a": a, "b": b, "c": c, "d": d}[name])


guess("∂e/∂d", ..., lambda: reaches("d"), hints=HINTS)

# %% [markdown]
# 2. d = c + a. How much of that reaches `c`?

# %%
guess("∂e/∂c", ..., lambda: reaches("c"), hints=HINTS)

# %% [markdown]
# 3. c = a · b. How much reaches `b`?

# %%
guess("∂e/∂b", ..., lambda: reaches("b"), hints=HINTS)

# %% [markdown]
# 4. And `a`? Look at the picture before you answer: how many arrows leave `a`?

# %%
guess("∂e/∂a", ..., lambda: reaches("a"), hints=HINTS)

# %% [markdown]
# Here is the whole of it as a program, one line for each step of the pencil:

# %%
by_hand_d = 1 * d.item() + 1 * d.item()  # e = d * d: two uses, each times the other
by_hand_c = by_hand_d * 1  # d = c + a: passed on
by_hand_b = by_hand_c * a.item()  # c = a * b: times the other factor
by_hand_a = by_hand_c * b.item() + by_hand_d * 1  # through c, and straight from d

print(f"∂e/∂d = {by_hand_d:g},  ∂e/∂c = {by_hand_c:g},  ∂e/∂b = {by_hand_b:g},  ∂e/∂a = {by_hand_a:g}")

# %% [markdown]
# ## Backward, watched
#
# Now the engine does it, and a recording keeps every step.

# %%
with inspector.record() as trace:
    a = mg.tensor(2.0, requires_grad=True)
    b = mg.tensor(3.0, requires_grad=True)
    c = a * b
    d = c + a
    e = d * d
    e.backward()

print(f"a.grad = {a.grad.item():g}, b.grad = {b.grad.item():g}")
assert a.grad.item() == by_hand_a == 64
assert b.grad.item() == by_hand_b == 32

# %%
inspector.draw(trace)

# %% [markdown]
# *What to look for:* the purple arrows go from right to left, and the number on each is what travels there. Two of them leave `e` for
# `d`, 8 and 8, for `d` was used twice. Two arrive at `a`: 48 through `c`, and 16 straight from `d`. They **add up** to 64. That is the whole
# secret of a value that is used more than once: its gradient is the sum over all the ways in which it matters.
#
# The same as text, in the order in which it happened:

# %%
for step in trace.steps_of("GradientSent", "GradientAccumulated"):
    print(f"{step:3d}  {trace.describe(step)}")

# %% [markdown]
# And as a film. Press ▶, or step with the arrow keys, backwards too; at each step the line of the program is marked. (A code host shows
# no films: open this notebook in Jupyter or VS Code.)

# %%
trace.player(height=460)

# %% [markdown]
# ## Is it true? Nudge it
#
# ∂e/∂a = 64 is a promise: *if `a` grows by a little, `e` grows 64 times as much.* `e` is 64 now. What will it be, roughly,
# if `a` grows by 0.01, from 2 to 2.01?


# %%
def expression(a, b):
    d = a * b + a
    return d * d


guess("e, nudged", ..., lambda: expression(2.01, 3), tolerance=1e-4, hints=HINTS)

# %%
little = 0.01
for name, nudged, promised in (
    ("a", expression(2 + little, 3), a.grad.item()),
    ("b", expression(2, 3 + little), b.grad.item()),
):
    print(f"{name} grows by {little}: e = {nudged:.4f}, promised {64 + promised * little:.4f}")

# %% [markdown]
# Nearly. The promise is exact for an infinitely small nudge only; over 0.01 the curve has bent a little. Nudge to both sides and take the
# middle, and the bends cancel. So does everybody who checks gradients by numbers, and so does `mg.autograd.gradcheck`:

# %%
to_one_side = (expression(2 + little, 3) - expression(2, 3)) / little
to_both_sides = (expression(2 + little, 3) - expression(2 - little, 3)) / (2 * little)
print(f"to one side {to_one_side:.4f}, to both sides {to_both_sides:.4f}, backward said {a.grad.item():g}")

doubles = [mg.tensor(value, dtype=mg.float64, requires_grad=True) for value in (2.0, 3.0)]
print("gradcheck:", mg.autograd.gradcheck(expression, doubles))
assert abs(to_both_sides - 64) < 1e-6 < abs(to_one_side - 64)

# %% [markdown]
# ## What is it for?
#
# To go downhill. The gradient points to where `e` grows; take a small step the other way, and `e` shrinks. Do it again, and again, and you
# are training:

# %%
a, b = 2.0, 3.0
for step in range(5):
    at_a, at_b = mg.tensor(a, requires_grad=True), mg.tensor(b, requires_grad=True)
    e = expression(at_a, at_b)
    e.backward()
    print(f"step {step}: a = {a:.3f}, b = {b:.3f}, e = {e.item():7.3f}")
    a, b = a - 0.01 * at_a.grad.item(), b - 0.01 * at_b.grad.item()

assert e.item() < 4

# %% [markdown]
# ## Exercises
#
# Put your answer in place of the dots and run the cell: it is checked at once, and a mistake is told by its name. The solutions are folded
# away below.
#
# **1.1** Let `d = c - a` instead of `c + a`, so that e = (a·b − a)². Write ∂e/∂a as a formula in `a` and `b`.


# %%
@exercise("1.1")
def gradient_of_a(a, b):
    return ...


# %% [markdown]
# **1.2** Write a function that finds the slope of *any* function `f` at `x`, by nudging to both sides.


# %%
@exercise("1.2")
def slope_of(f, x):
    return ...


# %% [markdown]
# **1.3** Be the engine. For f = p · q with p = a + b and q = a − b, return what reaches `a` and what reaches `b`: first what
# reaches `p` and `q`, then on from there.


# %%
@exercise("1.3")
def backward(a, b):
    p, q = a + b, a - b
    to_p, to_q = ..., ...
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **1.1** Through `c` comes 2d·b; straight from `d` comes −2d.
#
# ```python
# @exercise("1.1")
# def gradient_of_a(a, b):
#     d = a * b - a
#     return 2 * d * b - 2 * d
# ```
#
# **1.2** The two points lie two nudges apart.
#
# ```python
# @exercise("1.2")
# def slope_of(f, x):
#     nudge = 1e-5
#     return (f(x + nudge) - f(x - nudge)) / (2 * nudge)
# ```
#
# **1.3** Across a product each factor gets the other one; `b` has a minus in `q`.
#
# ```python
# @exercise("1.3")
# def backward(a, b):
#     p, q = a + b, a - b
#     to_p, to_q = q, p
#     return to_p + to_q, to_p - to_q
# ```
#
# </details>

# %% [markdown]
# *Next:* [2. Backprop through 2-2-2, number by number](02_backprop_number_by_number.ipynb)
