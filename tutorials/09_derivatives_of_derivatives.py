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
# # 9. Derivatives of derivatives
#
# *For whom:* you know that a gradient is a value; now treat it as one. *You will be able to:* compute a Jacobian, a Hessian and a product
# with one that is too large to write down, find the largest learning rate that works, and differentiate through steps of learning. *Time:* 40 minutes.
#
# Two beliefs to give up: **"a gradient is the end of the story"** (with `create_graph=True` it has a history like any other value, and
# can go into a loss), and **"second derivatives are too expensive"** (the whole matrix is; what one needs of it is usually two passes).

# %%
import math

import numpy as np

import inspector
import minigrad as mg
from inspector import demos
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_09 import HINTS
from minigrad import optim
from minigrad.autograd import grad
from minigrad.autograd.functional import hessian, jacobian
from minigrad.nn import functional as F

# %% [markdown]
# ## Down the ladder
#
# x³ has the slopes 3x², 6x, 6, 0, one below the other. Each is the derivative of the one above, so let us ask for a
# gradient, then for the gradient of that, and so on. At x = 2, what will the third one be?

# %%
x = mg.tensor(2.0, requires_grad=True)
ladder = [x**3]
for _ in range(3):
    (slope,) = grad(ladder[-1], x, create_graph=True)
    ladder.append(slope)

guess("the third derivative of x³ at 2", ..., lambda: ladder[3], hints=HINTS)

# %%
print([value.item() for value in ladder])
assert [value.item() for value in ladder] == [8, 12, 12, 6]

# %% [markdown]
# `create_graph=True` is what makes it possible. Without it a gradient is a bare number, and the second step down is refused. Let us see that
# happen, and ask `explain` about it:

# %%
with inspector.record() as trace:
    x = mg.tensor(2.0, requires_grad=True)
    (slope,) = grad(x**3, x)
    try:
        slope.backward()
    except RuntimeError as error:
        print(error, end="\n\n")

(finding,) = inspector.explain(trace)
print(finding)
assert finding.kind == "no-create-graph"

# %% [markdown]
# ## A Jacobian, row by row
#
# Several numbers in, several out: then the slopes form a table, one row for each output, one column for each input. Polar coordinates are
# a good example: (r, φ) → (r cos φ, r sin φ).


# %%
def to_plane(polar):
    r, angle = polar
    return mg.stack([r * angle.cos(), r * angle.sin()])


polar = mg.tensor([2.0, math.pi / 2], requires_grad=True)
print("the point:", [round(number, 4) for number in to_plane(polar).tolist()])

# %% [markdown]
# So we stand at (0, 2), straight up. If the *angle* grows a little, we move to the left, and the further out, the faster. What is the slope of
# the first output, r cos φ, along the second input, φ?

# %%
guess("row 0, column 1 of the Jacobian", ..., lambda: jacobian(to_plane, polar)[0, 1], hints=HINTS)

# %% [markdown]
# Going backward once, from *one* output, gives one row. So:

# %%
point = to_plane(polar)
rows = [grad(output, polar, retain_graph=True)[0] for output in point]
by_rows = mg.stack(rows)
print(np.round(by_rows.numpy(), 4) + 0.0)
assert by_rows.tolist() == jacobian(to_plane, polar).tolist()
assert np.allclose(by_rows.numpy(), [[0, -2], [1, 0]], atol=1e-6)

# %% [markdown]
# As many passes as there are outputs: that is why backward is so good at *losses*, which have one. (The area by which the map stretches is the
# determinant of this table, here 2, which is r: that is where the r in r dr dφ comes from.)
#
# ## A Hessian
#
# Take a function with one output, f(x, y) = x²y + y³. Its gradient is (2xy, x² + 3y²), two outputs; the Jacobian *of the gradient* is
# the **Hessian**. What is it at (1, 2)? All four numbers, `[[…, …], […, …]]`.


# %%
def hill(p):
    x, y = p
    return x**2 * y + y**3


p = mg.tensor([1.0, 2.0], requires_grad=True)
guess("the Hessian at (1, 2)", ..., lambda: hessian(hill, p), hints=HINTS)

# %%
(slopes,) = grad(hill(p), p, create_graph=True)
table = [grad(slope, p, retain_graph=True)[0].tolist() for slope in slopes]

print(table)
assert table == hessian(hill, p).tolist() == [[4, 2], [2, 12]]

# %% [markdown]
# It is symmetric: nudging x and looking at the slope along y is the same as the other way round. And it took three passes: one for
# the gradient, and one for each row.
#
# What does a pass look like that differentiates a *gradient*? To see it on one screen, take the simplest function that has a curvature, the
# cube from above:

# %%
with inspector.record() as trace:
    x = mg.tensor(2.0, requires_grad=True)
    (slope,) = grad(x**3, x, create_graph=True)
    slope.backward()

assert slope.item() == x.grad.item() == 12
inspector.draw(trace)

# %% [markdown]
# *Look for* the small ² and the yellow cards: these nodes were made by the first pass, while it went backward through `x**3` and
# computed 3x². The second pass walks back through *them*: 3, times 2x, is the 12 that arrives at `x`.
#
# ## A Hessian that nobody writes down
#
# Ten weights for each of 64 pixels are 640 weights, and their Hessian has 640 × 640 entries. A real net has millions, and a Hessian that fits on no
# disk. But often one needs only its **product with a vector** v: how does the gradient change if I take a step along v?
# That is the derivative of the *number* g · v:
#
# > H v = the gradient of (g · v)
#
# How many passes does one such product cost, and how many the whole matrix, row by row? (The pass for the gradient counts.)

# %%
with np.load(demos.folder().parent / "data" / "digits.npz") as data:
    images = mg.tensor(data["images"].reshape(-1, 64)[:512] / 16, dtype=mg.float32)
    targets = F.one_hot(mg.tensor(data["labels"][:512].astype(np.int64)), 10).to(mg.float32)


def loss_of(weights):
    """How far ten linear scores are from the truth, for 512 real digits."""
    return F.mse_loss(images @ weights.reshape(64, 10), targets, reduction="sum") / len(images)


def product(weights, v):
    """The Hessian of the loss, times v."""
    (g,) = grad(loss_of(weights), weights, create_graph=True)
    (hv,) = grad(g @ v, weights)
    return hv


weights = mg.zeros(640, requires_grad=True)
with inspector.record(values=False) as trace:
    product(weights, mg.ones(640))

guess("the passes for one product", ..., lambda: len(trace.tasks()), hints=HINTS)
guess("the passes for the whole Hessian", ..., lambda: 1 + len(weights), tolerance=1e-6, hints=HINTS)

# %%
print(
    f"one product: {len(trace.tasks())} passes;  the whole matrix: {1 + len(weights)} passes and {len(weights) ** 2:,} numbers"
)
assert len(trace.tasks()) == 2

# %% [markdown]
# ### What it is good for: the largest learning rate
#
# Apply the Hessian again and again to any vector, and the vector turns towards the direction in which the loss is curved most; how much longer
# it gets each time is the largest **curvature** λ. A step of gradient descent along this direction multiplies the distance from the bottom by
# 1 − rate · λ. So it gets nearer only while |1 − rate · λ| < 1. Up to which rate is that?

# %%
mg.manual_seed(0)
v = mg.randn(640)
for _ in range(30):
    v = v / v.norm()
    v = product(weights, v)
curvature = v.norm().item()

guess("the limit of the rate, times the curvature", ..., 2.0, hints=HINTS)
print(f"largest curvature {curvature:.2f}, so the limit is {2 / curvature:.3f}")


# %%
def descend(rate: float, steps: int = 400) -> float:
    """Plain gradient descent; returns the loss at the end."""
    weights = mg.zeros(640, requires_grad=True)
    for _ in range(steps):
        (g,) = grad(loss_of(weights), weights)
        with mg.no_grad():
            weights -= rate * g
    return loss_of(weights).item()


at_the_start = loss_of(weights).item()
below, above = descend(0.97 * 2 / curvature), descend(1.03 * 2 / curvature)
print(f"the loss is {at_the_start:.2f} at the start;")
print(f"after 400 steps with a rate 3 % below the limit it is {below:.2f},")
print(f"and with a rate 3 % above it, {'more than a million' if above > 1e6 else above}.")
assert below < at_the_start / 3
assert above > 1e6

# %% [markdown]
# Thirty products, and we know to the percent where descent turns into flight. Nobody ever saw the matrix. (This loss is a parabola, with the same curvature
# everywhere; a deep net's changes along the way, and one measures again.)
#
# ## Differentiating through learning
#
# Now the most daring use. A step of gradient descent, w − rate · g, is an expression like any other. So one can differentiate
# *through* it and ask: **from which start would two steps of learning lead to the best result?** That is called MAML (Finn et al., 2017), and it
# teaches a net to learn quickly.
#
# First with one number and a pencil. The loss of a task is (w − 1)², we start at w₀ = 3 and take two steps with a rate of 0.1. Each
# step shrinks the distance from 1 by the factor 1 − 0.2:
# w₁ = 2.6, w₂ = 2.28. How does the loss *after* the two steps, (w₂ − 1)², depend on the *start*, w₀?


# %%
def loss_after_two_steps(start, create_graph: bool):
    w = start
    for _ in range(2):
        (g,) = grad((w - 1.0) ** 2, w, create_graph=create_graph)
        w = w - 0.1 * g
    return (w - 1.0) ** 2


def slope_at_the_start(create_graph: bool) -> float:
    start = mg.tensor(3.0, requires_grad=True)
    loss_after_two_steps(start, create_graph).backward()
    return start.grad.item()


guess("the slope of the final loss along the start", ..., lambda: slope_at_the_start(True), hints=HINTS)

# %%
print(f"by the engine {slope_at_the_start(True):.4f}   by hand 2 · 1.28 · 0.8 · 0.8 = {2 * 1.28 * 0.8 * 0.8:.4f}")
assert math.isclose(slope_at_the_start(True), 2 * 1.28 * 0.8 * 0.8, rel_tol=1e-5)

# %% [markdown]
# To see where the factor 0.8 comes from, watch a single step:

# %%
with inspector.record() as trace:
    start = mg.tensor(3.0, requires_grad=True)
    (g,) = grad((start - 1.0) ** 2, start, create_graph=True)
    w = start - 0.1 * g
    final = (w - 1.0) ** 2
    final.backward()

assert math.isclose(start.grad.item(), 2 * 1.6 * 0.8, rel_tol=1e-5)
inspector.draw(trace)

# %% [markdown]
# *Follow* the purple arrows from `final`. 3.2 arrives at `w`, and there the way forks: 3.2 goes straight to `start`, and −3.2
# into `0.1 * g`, so −0.32 to `g`, through the yellow cards, and out of them as −0.64. Together 2.56, which is 0.8 times 3.2.
#
# What if one forgets `create_graph`? Then g is a constant, the branch through it is cut, and each step passes on 1 instead of 0.8. No
# error; just another number:

# %%
print(f"with create_graph {slope_at_the_start(True):.4f}   without {slope_at_the_start(False):.4f}")
assert math.isclose(slope_at_the_start(False), 2 * 1.28, rel_tol=1e-5)

# %% [markdown]
# ## Learning to learn: sines
#
# Now for real, on the task of the original paper. A *task* is a sine wave with its own height and shift. The net sees **ten points**
# of a new wave, takes **two steps**, and is examined on other points of it. We compare three ways of finding the weights from which it
# starts:
#
# - *all at once*: fit all waves with one net, as one would without a second thought;
# - *first-order*: look at the loss after two steps, but leave out the second derivatives;
# - *MAML*: the same, with them.


# %%
def waves(tasks: int):
    """Heights from 0.1 to 5, shifts from 0 to π."""
    return mg.rand(tasks, 1, 1) * 4.9 + 0.1, mg.rand(tasks, 1, 1) * math.pi


def points(wave, count: int):
    height, shift = wave
    x = mg.rand(len(height), count, 1) * 10 - 5
    return x, height * (x - shift).sin()


def beginning():
    """Two hidden layers of 40."""
    mg.manual_seed(0)
    layers = [(1, 40, 1.0), (40, 40, 40**-0.5), (40, 1, 0.1 * 40**-0.5)]
    weights = [(mg.randn(inputs, outputs) * scale).requires_grad_() for inputs, outputs, scale in layers]
    biases = [
        (mg.rand(1, 40) * 4 - 2).requires_grad_(),
        mg.zeros(1, 40, requires_grad=True),
        mg.zeros(1, 1, requires_grad=True),
    ]
    return [*weights, *biases]


def net(parameters, x):
    w1, w2, w3, b1, b2, b3 = parameters
    return ((x @ w1 + b1).tanh() @ w2 + b2).tanh() @ w3 + b3


def two_steps(parameters, x, y, create_graph: bool):
    """Each task's own weights after two steps of learning on its ten points."""
    own = [parameter.expand(len(x), *parameter.shape) for parameter in parameters]
    for _ in range(2):
        loss = ((net(own, x) - y) ** 2).mean((1, 2)).sum()
        own = [w - 0.05 * g for w, g in zip(own, grad(loss, own, create_graph=create_graph), strict=True)]
    return own


# %% [markdown]
# `expand` gives every task its own copy of the weights without copying anything; going back through it adds up what all tasks want of
# the common start. The outer loop is ordinary training, only that what it makes small is the loss *after* learning:


# %%
def learn(way: str):
    parameters = beginning()
    optimizer = optim.Adam(parameters, lr=0.005)
    mg.manual_seed(1)
    for _ in range(400):
        wave = waves(16)
        x, y = points(wave, 10)
        others, truth = points(wave, 10)
        own = parameters if way == "all at once" else two_steps(parameters, x, y, create_graph=way == "MAML")
        loss = ((net(own, others) - truth) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return parameters


def examine(parameters) -> tuple[float, float]:
    """The mean squared error on 100 new waves: before any step, and after two."""
    mg.manual_seed(2)
    wave = waves(100)
    x, y = points(wave, 10)
    others, truth = points(wave, 50)
    own = two_steps(parameters, x, y, create_graph=False)
    return tuple(((net(weights, others) - truth) ** 2).mean().item() for weights in (parameters, own))


errors = {way: examine(learn(way)) for way in ("all at once", "first-order", "MAML")}
guess(
    "how many times smaller the error of MAML is after its two steps",
    ...,
    lambda: errors["MAML"][0] / errors["MAML"][1],
    tolerance=0.5,
    hints=HINTS,
)

# %%
for way, (before, after) in errors.items():
    print(f"{way:>12}: error {before:.1f} before, {after:.1f} after two steps")
assert errors["MAML"][1] < errors["MAML"][0] / 5
assert errors["MAML"][1] < 0.6 * errors["first-order"][1] < 0.6 * errors["all at once"][1]

# %% [markdown]
# Before its steps MAML's net is no better than the others: it knows no wave in particular. But it stands where two steps are enough for
# *any* of them. And leaving out the second derivatives is not a detail: compare the second row with the third.
#
# ## Exercises
#
# **9.1** *A product without the matrix.* Return the Hessian of `f` at `x`, times `v`. `f` gives one number, `x` and `v` are vectors. Do not
# build the Hessian.


# %%
@exercise("9.1")
def hessian_times(f, x, v):
    return ...


# %% [markdown]
# **9.2** *Newton's step.* To find the bottom of a curve, Newton goes to where the *slope* would be zero if the curvature stayed the same:
# x − f′(x) / f″(x). Return that; `x` is a tensor of one number.


# %%
@exercise("9.2")
def newton_step(f, x):
    return ...


# %% [markdown]
# **9.3** *Through a step of learning.* The rate itself can be learnt. From `start`, take **one** step with `rate` (a tensor that requires
# grad) down the loss (w − goal)², and return the slope of the loss *after* the step along `rate`.


# %%
@exercise("9.3")
def slope_along_the_rate(start, goal, rate):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **9.1** `g @ v` is a number; its gradient is the product:
#
# ```python
# @exercise("9.1")
# def hessian_times(f, x, v):
#     (g,) = grad(f(x), x, create_graph=True)
#     (hv,) = grad(g @ v, x)
#     return hv
# ```
#
# **9.2**
#
# ```python
# @exercise("9.2")
# def newton_step(f, x):
#     (slope,) = grad(f(x), x, create_graph=True)
#     (curvature,) = grad(slope, x)
#     return x - slope / curvature
# ```
#
# **9.3** Along the rate, the inner gradient may be a constant; it is the *start* that would need `create_graph`:
#
# ```python
# @exercise("9.3")
# def slope_along_the_rate(start, goal, rate):
#     w = start.detach().requires_grad_()
#     (g,) = grad((w - goal) ** 2, w)
#     after = w - rate * g
#     (slope,) = grad((after - goal) ** 2, rate)
#     return slope
# ```
#
# </details>

# %% [markdown]
# *Next:* [10. The clinic](10_the_clinic.ipynb)
