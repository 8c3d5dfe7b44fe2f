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
# # 6. An operation of your own, and its second derivative
#
# *For whom:* you know what a node is and what it saves. *You will be able to:* teach the engine a function that it does not know, check
# that you did it right, and say whether the second derivative will be right as well. *Time:* 35 minutes.
#
# Two beliefs to give up: **"autograd works out the derivative of whatever I write"** (it knows the derivatives of a few hundred small
# operations, each written down by somebody, and chains them; today you are that somebody), and **"if the first derivative is right, so is
# the second"**.

# %%
import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_06 import HINTS
from minigrad.autograd import Function, gradcheck, gradgradcheck
from minigrad.op import op

# %% [markdown]
# ## A function, and what it promises
#
# Here is a useful little function. It is 0 at 0, climbs to 1 on both sides, and never goes beyond:
#
# > f(x) = x² / (1 + x²)
# >
# > f′(x) = 2x / (1 + x²)²
#
# The second formula is the quotient rule, and worth a minute with a pencil. At x = 1, what is the slope? (The judge of this guess nudges,
# for the engine has not learnt this function yet.)


# %%
def nudged(function, at: float, little: float = 1e-4) -> float:
    """The slope of a function of plain numbers, by nudging."""
    return (function(at + little) - function(at - little)) / (2 * little)


guess("f'(1)", ..., lambda: nudged(lambda x: x * x / (1 + x * x), 1.0), hints=HINTS)

# %% [markdown]
# ## Teach it
#
# An operation is a forward on plain arrays, and one rule for each operand. `g` is the gradient that arrives from above; the rule says
# what goes on to `x`. It is the formula from above, times `g`:


# %%
@op(label="x²/(1+x²)", elementwise=True)
def squash(x, /):
    """``x² / (1 + x²)``, element by element."""
    return x * x / (1 + x * x)


_ = squash.grads(x=lambda g, x: g * 2 * x / (1 + x * x) ** 2)


# %%
def slope_of(function, at: float) -> float:
    """The slope of a function at one place, by the engine."""
    x = mg.tensor(at, requires_grad=True)
    (slope,) = mg.autograd.grad(function(x), x)
    return slope.item()


print("f(1) =", squash(mg.tensor(1.0)).item(), "  f'(1) =", slope_of(squash, 1.0))
assert slope_of(squash, 1.0) == 0.5

# %% [markdown]
# That is all: no registration, no class. Now use it in the middle of something else, and look at what the engine made of it:

# %%
with inspector.record() as trace:
    x = mg.tensor(1.0, requires_grad=True)
    y = squash(x)
    loss = y * 6.0
    loss.backward()

assert x.grad.item() == 3.0
inspector.draw(trace)

# %% [markdown]
# *Look for* the card of `y`. Its node is called `SquashBackward0`, after your function, and one slot is shown as saved: `x`. You never
# asked for that. **The names of a rule's parameters are what the operation saves**: your rule mentions `x`, so `x` is kept (a rule that
# mentioned `out` would keep the result). 6 arrives from above, and your rule sends on 6 · 0.5 = 3.
#
# ## A rule that is wrong
#
# Nobody checks your algebra while you train. Suppose you forget the square at the bottom:


# %%
@op(label="x²/(1+x²), badly", elementwise=True)
def hasty(x, /):
    """The same function, with a mistake in its rule."""
    return x * x / (1 + x * x)


_ = hasty.grads(x=lambda g, x: g * 2 * x / (1 + x * x))

# %% [markdown]
# No error, no warning; the net would train a little worse, and you would blame the learning rate. At x = 2 the truth is
# 4/25 = 0.16. How many times too large is this rule's answer there?

# %%
guess(
    "the wrong slope at 2, divided by the right one",
    ...,
    lambda: slope_of(hasty, 2.0) / slope_of(squash, 2.0),
    hints=HINTS,
)

# %% [markdown]
# `gradcheck` finds such mistakes without being told the truth: it nudges each input, as you did in lesson 1, and compares.

# %%
points = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
assert gradcheck(squash, (points,))

try:
    gradcheck(hasty, (points,))
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("gradcheck should have found the mistake")

# %% [markdown]
# *Look for* the diagonals: *numerical* is what nudging says, *analytical* what the rule says. 0.5 and 0.16 against 1 and 0.8, which is
# twice and five times too much, 1 + x² each time. So the factor itself tells you what was forgotten.
#
# For an operation, `mg.testing.check_op(squash, mg.randn(2, 3))` does this and more: shapes, kinds of numbers, second derivatives, in-place.

# %%
mg.manual_seed(0)
mg.testing.check_op(squash, mg.randn(2, 3))

# %% [markdown]
# ## The second derivative comes for free
#
# You wrote one rule. With `create_graph=True` the engine runs the *same text* on tensors instead of arrays, so that each `*` and `/`
# in your rule becomes a node of its own. The slope is then a value with a history like any other, and one can go back through that.
#
# On paper: f″(x) = (2 − 6x²) / (1 + x²)³. At x = 1, is it positive or negative, and how much?


# %%
def curvature_of(function, at: float) -> float:
    """The slope of the slope."""
    x = mg.tensor(at, requires_grad=True)
    (slope,) = mg.autograd.grad(function(x), x, create_graph=True)
    (curvature,) = mg.autograd.grad(slope, x)
    return curvature.item()


guess("f''(1)", ..., lambda: curvature_of(squash, 1.0), hints=HINTS)

# %%
with inspector.record() as trace:
    x = mg.tensor(1.0, requires_grad=True)
    y = squash(x)
    (slope,) = mg.autograd.grad(y, x, create_graph=True)
    slope.backward()

assert slope.item() == 0.5
assert x.grad.item() == -0.5
inspector.draw(trace)

# %% [markdown]
# *Look for* the names with a small ²: these nodes were made *while going backward*, from the text of your rule. You can read the rule off
# the picture: `g * 2 * x` above, `(1 + x * x) ** 2` below, and the division at the right. The second backward walks through them, and
# −0.5 reaches `x`: to the right of x ≈ 0.58 the curve bends down.
#
# Step through it, if you like. There are two chapters, one for each pass:

# %%
trace.player()

# %% [markdown]
# ## When you want to decide everything yourself: `Function`
#
# `op` is for functions of numbers. Sometimes you want more: compute the forward with another library, keep something odd, or let the
# backward say what is *not* the derivative. For this there is PyTorch's `Function`: two static methods, and `ctx` to carry things from one
# to the other. Forward runs **unrecorded**: the engine looks at nothing in there, it takes your word for the backward.


# %%
class Squash(Function):
    """The same function once more. It divides by d twice, so why not keep d?"""

    @staticmethod
    def forward(ctx, x):
        d = 1 + x * x
        ctx.save_for_backward(x, d)
        return x * x / d

    @staticmethod
    def backward(ctx, g):
        x, d = ctx.saved_tensors
        return g * 2 * x / d**2


print("slope at 1:", slope_of(Squash.apply, 1.0))
assert gradcheck(Squash.apply, (points,))
assert slope_of(Squash.apply, 1.0) == slope_of(squash, 1.0)

# %% [markdown]
# The slope is right, and `gradcheck` is happy. The formulas are the same as before, so the second derivative at 1 must be −0.5 again. Or
# must it? Predict what this class will say.

# %%
guess("what Squash says of f''(1)", ..., lambda: curvature_of(Squash.apply, 1.0), hints=HINTS)

# %%
print("second derivative at 1, by the op      :", curvature_of(squash, 1.0))
print("second derivative at 1, by the Function:", curvature_of(Squash.apply, 1.0))
assert curvature_of(squash, 1.0) == -0.5
assert curvature_of(Squash.apply, 1.0) == 0.5

# %% [markdown]
# Wrong, down to the sign, and without an error. Why? Let us look at the second pass alone.

# %%
with inspector.record() as trace:
    x = mg.tensor(1.0, requires_grad=True)
    y = Squash.apply(x)
    (slope,) = mg.autograd.grad(y, x, create_graph=True)
    slope.backward()

inspector.draw(trace)

# %% [markdown]
# *Compare* it with the picture before. The whole lower row is missing: `d**2` is a dashed card, a **constant**. *Look for* the little
# scissors between `x` and it: there the history was cut, by the `no_grad` under which every forward runs. So for the second derivative
# `d` does not depend on `x`. What is left is the derivative of 2x/d² with d frozen at 2, which is 2/4.
#
# `explain` knows this mistake:

# %%
(finding,) = inspector.explain(trace)
print(finding.text(110))
assert finding.kind == "function-contract"

# %% [markdown]
# The cure is a rule of thumb worth remembering: **save arguments and results only; anything in between, compute again in backward.** Arguments and
# results have a place in the graph. `gradgradcheck` tells the two apart:


# %%
class SquashAgain(Function):
    """Mended: backward computes d from x, where it is being watched."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x / (1 + x * x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x / (1 + x * x) ** 2


def passes_twice(function) -> bool:
    try:
        return gradgradcheck(function, (points,))
    except RuntimeError:
        return False


print("Squash passes gradgradcheck:", passes_twice(Squash.apply), "  SquashAgain:", passes_twice(SquashAgain.apply))
assert not passes_twice(Squash.apply)
assert passes_twice(SquashAgain.apply)

# %% [markdown]
# ## A useful lie
#
# A `Function` may also lie on purpose. `sign` has the slope 0 everywhere, so nothing in front of it ever learns. Networks with binary
# weights are trained all the same: forward takes the sign, and backward *pretends* that it was the identity. This is called a
# straight-through estimator, and whether it is a good lie is a question for experiments, not for calculus.


# %%
class Sign(Function):
    """+1 or -1 forward; backward as if nothing had happened."""

    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        return g


w = mg.tensor([0.3, -2.0], requires_grad=True)
(Sign.apply(w) * mg.tensor([5.0, 7.0])).sum().backward()
by_the_lie = w.grad.tolist()

w.grad = None
(w.sign() * mg.tensor([5.0, 7.0])).sum().backward()
by_the_truth = w.grad.tolist()

print("the lie:", by_the_lie, "  the truth:", by_the_truth)
assert by_the_lie == [5, 7]
assert by_the_truth == [0, 0]

# %% [markdown]
# ## Exercises
#
# Write your answer in the place of `...` and run the cell; it tells you what it thinks.
#
# **6.1** The rule of an operation: `softsign` is x / (1 + |x|), its slope 1 / (1 + |x|)². Return what goes on to `x` when `g` arrives.


# %%
@exercise("6.1")
def softsign_rule(g, x):
    return ...


# %% [markdown]
# **6.2** Rounding, with a useful lie: the result is `x.round()`, but the gradient passes as if nothing had happened. Write a `Function` inside
# and return what its `apply` gives for `x`.


# %%
@exercise("6.2")
def rounded(x):
    return ...


# %% [markdown]
# **6.3** This `Function` computes exp(−x²) with the slope −2x · exp(−x²). Its first derivative is right and its second is not. Write it
# so that both are.
#
# ```python
# class Bell(Function):
#     @staticmethod
#     def forward(ctx, x):
#         inner = (-x * x).exp()
#         ctx.save_for_backward(x, inner)
#         return inner.clone()
#
#     @staticmethod
#     def backward(ctx, g):
#         x, inner = ctx.saved_tensors
#         return g * -2 * x * inner
# ```


# %%
@exercise("6.3")
def bell(x):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **6.1** The slope, times what arrives:
#
# ```python
# @exercise("6.1")
# def softsign_rule(g, x):
#     return g / (1 + abs(x)) ** 2
# ```
#
# **6.2** The backward hands on what it gets:
#
# ```python
# @exercise("6.2")
# def rounded(x):
#     class Round(Function):
#         @staticmethod
#         def forward(ctx, x):
#             return x.round()
#
#         @staticmethod
#         def backward(ctx, g):
#             return g
#
#     return Round.apply(x)
# ```
#
# **6.3** What is saved is now the *result*, which has a place in the graph; `inner`, of which it was a copy, had none. (To save `x` alone
# and compute the rest again is right as well.)
#
# ```python
# @exercise("6.3")
# def bell(x):
#     class Bell(Function):
#         @staticmethod
#         def forward(ctx, x):
#             out = (-x * x).exp()
#             ctx.save_for_backward(x, out)
#             return out
#
#         @staticmethod
#         def backward(ctx, g):
#             x, out = ctx.saved_tensors
#             return g * -2 * x * out
#
#     return Bell.apply(x)
# ```
#
# </details>

# %% [markdown]
# *Next:* [7. Hooks, and reading the gradient flow of a deep net](07_hooks_and_gradient_flow.ipynb)
