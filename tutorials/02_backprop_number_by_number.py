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
# # 2. Backprop through 2-2-2, number by number
#
# *For whom:* you can take a gradient through three operations (lesson 1). *You will be able to:* follow every number of a small network
# forwards and backwards on paper, and see why a layer's gradients come out of one matrix product. *Time:* 40 minutes.
#
# Two beliefs to give up: **"every weight needs a calculation of its own, from the loss all the way back"** (what reaches a unit is
# worked out once, and all its weights share it) and **"a hidden unit has no target, so it has no error"** (it has what comes back to it).
#
# Where a cell asks `guess("…", ...)`, put your answer in place of the dots and run it; `"?"` reveals it. Three digits are enough. A pocket
# calculator helps.

# %%
import math

import numpy as np

import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_02 import HINTS

# %% [markdown]
# ## The network
#
# Two inputs, two hidden units, two outputs. The numbers are those of Matt Mazur's well-known *A Step by Step Backpropagation Example*, so
# that you can lay a second sheet of paper beside yours.
#
# ```
# inputs      two hidden units                    two outputs                         targets
# x1 = 0.05   h1 = σ(w1·x1 + w2·x2 + 0.35)        o1 = σ(w5·h1 + w6·h2 + 0.60)        t1 = 0.01
# x2 = 0.10   h2 = σ(w3·x1 + w4·x2 + 0.35)        o2 = σ(w7·h1 + w8·h2 + 0.60)        t2 = 0.99
#
# w1 = 0.15   w2 = 0.20   w3 = 0.25   w4 = 0.30   w5 = 0.40   w6 = 0.45   w7 = 0.50   w8 = 0.55
# ```
#
# Each unit takes its weighted sum, bias included (call it `net_h1` and so on), and sends it through the sigmoid, σ(z) = 1 / (1 + e⁻ᶻ).
# The error is E = ½ (t1 − o1)² + ½ (t2 − o2)².
#
# ## Forward
#
# The same numbers as tensors, for the engine to check you. (The last function is asked only when you have answered.)

# %%
x = mg.tensor([0.05, 0.10], dtype=mg.float64)
target = mg.tensor([0.01, 0.99], dtype=mg.float64)


def weights():
    W1 = mg.tensor([[0.15, 0.20], [0.25, 0.30]], dtype=mg.float64, requires_grad=True)
    W2 = mg.tensor([[0.40, 0.45], [0.50, 0.55]], dtype=mg.float64, requires_grad=True)
    return W1, W2


def forward(W1, W2):
    """The network, as anybody would write it."""
    net_h = W1 @ x + 0.35
    h = net_h.sigmoid()
    net_o = W2 @ h + 0.60
    o = net_o.sigmoid()
    E = ((target - o) ** 2).sum() / 2
    return {"net_h": net_h, "h": h, "net_o": net_o, "o": o, "E": E}


def reaches(name, index):
    """What reaches one number on the way back from E."""
    W1, W2 = weights()
    values = {"W1": W1, "W2": W2, **forward(W1, W2)}
    return mg.autograd.grad(values["E"], values[name])[0][index]


# %% [markdown]
# Begin with the weighted sum of h1, bias included:

# %%
guess("net_h1", ..., lambda: forward(*weights())["net_h"][0], hints=HINTS)


# %% [markdown]
# The rest is the same again, so let Python fill in the sheet:


# %%
def sigmoid(z):
    return 1 / (1 + math.exp(-z))


x1, x2, t1, t2 = 0.05, 0.10, 0.01, 0.99
w1, w2, w3, w4 = 0.15, 0.20, 0.25, 0.30
w5, w6, w7, w8 = 0.40, 0.45, 0.50, 0.55

h1, h2 = sigmoid(w1 * x1 + w2 * x2 + 0.35), sigmoid(w3 * x1 + w4 * x2 + 0.35)
o1, o2 = sigmoid(w5 * h1 + w6 * h2 + 0.60), sigmoid(w7 * h1 + w8 * h2 + 0.60)
E = (t1 - o1) ** 2 / 2 + (t2 - o2) ** 2 / 2

print(f"h1 = {h1:.6f}   h2 = {h2:.6f}")
print(f"o1 = {o1:.6f}   o2 = {o2:.6f}   E = {E:.6f}")
assert math.isclose(E, forward(*weights())["E"].item(), rel_tol=1e-12)

# %% [markdown]
# o1 should be 0.01 and is 0.75; o2 should be 0.99 and is 0.77. Both are to be moved, and the weights are all that we may turn.
#
# ## Backward, at the outputs
#
# How does E answer when o1 grows? Derive ½ (t1 − o1)² along o1, and mind the sign.

# %%
guess("∂E/∂o1", ..., lambda: reaches("o", 0), hints=HINTS)

# %% [markdown]
# Before o1 stands a sigmoid. Its slope is o · (1 − o): what it returned is all one needs to know. What reaches the weighted sum?

# %%
guess("∂E/∂net_o1", ..., lambda: reaches("net_o", 0), hints=HINTS)

# %% [markdown]
# That number is called the **delta** of the unit. Everything that leads into o1 is now one multiplication away. net_o1 = w5·h1 + w6·h2 +
# 0.60, so w5 gets:

# %%
guess("∂E/∂w5", ..., lambda: reaches("W2", (0, 0)), hints=HINTS)

# %% [markdown]
# ## Backward, at a hidden unit
#
# h1 has no target. But it goes into o1 *and* into o2, and from each something comes back: the delta of that output, times the weight
# between. What reaches h1?

# %%
guess("∂E/∂h1", ..., lambda: reaches("h", 0), hints=HINTS)

# %% [markdown]
# From there it goes on as before: through the sigmoid of h1, and then to w1, whose input is x1 = 0.05.

# %%
guess("∂E/∂w1", ..., lambda: reaches("W1", (0, 0)), hints=HINTS)

# %% [markdown]
# The whole sheet, at last. There are four deltas, and each of the eight gradients is a delta times what went in:

# %%
delta_o1 = (o1 - t1) * o1 * (1 - o1)
delta_o2 = (o2 - t2) * o2 * (1 - o2)
delta_h1 = (delta_o1 * w5 + delta_o2 * w7) * h1 * (1 - h1)
delta_h2 = (delta_o1 * w6 + delta_o2 * w8) * h2 * (1 - h2)

by_hand = {
    "w1": delta_h1 * x1,
    "w2": delta_h1 * x2,
    "w3": delta_h2 * x1,
    "w4": delta_h2 * x2,
    "w5": delta_o1 * h1,
    "w6": delta_o1 * h2,
    "w7": delta_o2 * h1,
    "w8": delta_o2 * h2,
}
print(f"deltas: o1 {delta_o1:.6f}   o2 {delta_o2:.6f}   h1 {delta_h1:.6f}   h2 {delta_h2:.6f}")

# %% [markdown]
# ## Backward, watched
#
# The same network with matrices. `retain_grad()` keeps what passes through the values in between, which is otherwise let go; lesson 3 is
# about that. Before you run the cell: how many nodes will the engine run through, on its way back to the eight weights? Count one for each
# operation (W1 @ x is one, + 0.35 is one, …) and one for each of W1 and W2, where gradients are put down.


# %%
def nodes_that_run():
    with inspector.record() as rehearsed:
        forward(*weights())["E"].backward()
    return len(rehearsed.steps_of("NodeFinished"))


guess("nodes that run", ..., nodes_that_run, hints=HINTS)

# %%
with inspector.record() as trace:
    x = mg.tensor([0.05, 0.10], dtype=mg.float64)
    target = mg.tensor([0.01, 0.99], dtype=mg.float64)
    W1 = mg.tensor([[0.15, 0.20], [0.25, 0.30]], dtype=mg.float64, requires_grad=True)
    W2 = mg.tensor([[0.40, 0.45], [0.50, 0.55]], dtype=mg.float64, requires_grad=True)

    net_h = W1 @ x + 0.35
    h = net_h.sigmoid()
    net_o = W2 @ h + 0.60
    o = net_o.sigmoid()
    E = ((target - o) ** 2).sum() / 2
    for kept in (net_h, h, net_o, o):
        kept.retain_grad()
    E.backward()

watched = dict(zip(by_hand, [*W1.grad.flatten().tolist(), *W2.grad.flatten().tolist()], strict=True))
print("       on paper    watched")
for name in by_hand:
    print(f"{name}  {by_hand[name]:10.6f} {watched[name]:10.6f}")
    assert math.isclose(by_hand[name], watched[name], rel_tol=1e-9)

# %%
inspector.draw(trace, values=4)

# %% [markdown]
# *What to look for:* follow the purple arrows from `E` to the left, and find your numbers. ‖g‖ is the length of what travels, for there are
# two or four numbers in each. It goes down at every sigmoid, from 0.772 at `o` to 0.144 at `net_o`, and from 0.0551 at `h` to 0.0133 at
# `net_h`: a sigmoid's slope is never more than ¼. Each sigmoid saved what it *returned* (`out`).

# %%
lengths = [kept.grad.norm().item() for kept in (o, net_o, h, net_h)]
print("o, net_o, h, net_h:", [round(length, 4) for length in lengths])
assert [round(length, 3) for length in lengths] == [0.772, 0.144, 0.055, 0.013]

runs = len(trace.steps_of("NodeFinished"))
print(f"{runs} nodes ran, for {len(by_hand)} weights")

with inspector.record() as wide:
    many_in, many_out = mg.zeros(500, 2), mg.zeros(2, 500)
    forward(many_in.double().requires_grad_(), many_out.double().requires_grad_())["E"].backward()

print(f"{len(wide.steps_of('NodeFinished'))} nodes ran, for {many_in.numel() + many_out.numel()} weights")
assert runs == len(wide.steps_of("NodeFinished")) == 12

# %% [markdown]
# Twelve nodes, and each ran *once*, though eight weights wanted their gradient. With a thousand weights in each matrix it is twelve still.
# That is why training is affordable: **one walk back serves all weights.** Nudging, as in lesson 1, would cost a
# forward pass for each of them.
#
# Watch the numbers come back. In the player, choose *by node* to take bigger steps:

# %%
trace.player(height=480)

# %% [markdown]
# ## A layer at a time
#
# Look at your sheet again. The gradients of w5 to w8 are delta × input, for each pair of the two: an outer product. And what came back to
# h1 and h2 is Wᵀ times the deltas. So the backward pass of a layer is two products:

# %%
delta_o, went_in, weight = net_o.grad.numpy(), h.detach().numpy(), W2.detach().numpy()
print("np.outer(delta_o, h):\n", np.outer(delta_o, went_in).round(4))
print("W2.T @ delta_o:\n", (weight.T @ delta_o).round(4))
assert np.allclose(W2.grad.numpy(), np.outer(delta_o, went_in))
assert np.allclose(h.grad.numpy(), weight.T @ delta_o)

# %% [markdown]
# ## And now learn
#
# Take a step of 0.5 against each gradient, as on the paper. Then two thousand.

# %%
losses = []
for _ in range(2_001):
    W1.grad = W2.grad = None
    E = forward(W1, W2)["E"]
    losses.append(E.item())
    E.backward()
    with mg.no_grad():
        W1 -= 0.5 * W1.grad
        W2 -= 0.5 * W2.grad

for step in (0, 1, 10, 100, 1000, 2000):
    print(f"after {step:4d} steps: E = {losses[step]:.8f}")
outputs = forward(W1, W2)["o"].tolist()
print("the outputs are now", [round(value, 4) for value in outputs], "and should be [0.01, 0.99]")

assert losses[0] > losses[1] > losses[10] > losses[100] > losses[1000] > losses[2000]
assert abs(losses[1] - 0.291027924) < 1e-6  # the paper's number, which rounds on the way
assert losses[2000] < 5e-4

# %% [markdown]
# ## Exercises
#
# Put your answer in place of the dots and run the cell: it is checked at once, and a mistake is told by its name.
#
# **2.1** The slope of a sigmoid, given what it *returned*.


# %%
@exercise("2.1")
def slope_of_sigmoid(out):
    return ...


# %% [markdown]
# **2.2** The gradient of a weight matrix, given the deltas of its outputs and its inputs, as NumPy arrays. `np.outer` will help; which of
# the two comes first?


# %%
@exercise("2.2")
def gradient_of_weight(delta, inputs):
    return ...


# %% [markdown]
# **2.3** The deltas of the hidden layer, given the weights `W2` behind it, the deltas of the outputs, and what the hidden units returned.


# %%
@exercise("2.3")
def deltas_of_hidden(W2, delta, h):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **2.1** It is flat where the output is near 0 or near 1.
#
# ```python
# @exercise("2.1")
# def slope_of_sigmoid(out):
#     return out * (1 - out)
# ```
#
# **2.2** A row for each output.
#
# ```python
# @exercise("2.2")
# def gradient_of_weight(delta, inputs):
#     return np.outer(delta, inputs)
# ```
#
# **2.3** Back through the weights, then through the sigmoids.
#
# ```python
# @exercise("2.3")
# def deltas_of_hidden(W2, delta, h):
#     return W2.T @ delta * h * (1 - h)
# ```
#
# </details>

# %% [markdown]
# *Next:* [3. Leaves, nodes, and who keeps a gradient](03_leaves_and_nodes.ipynb)
