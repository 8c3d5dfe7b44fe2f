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
# # 4. Gradients add up
#
# *For whom:* you have written a training loop, with `zero_grad()` in it because everybody does. *You will be able to:* say what reaches a
# value that is used several times, why `.grad` grows, and when that is a fault and when a tool. *Time:* 35 minutes.
#
# Two beliefs to give up: **"a node has one consumer"** (a value may be used by many, and something comes back from each) and
# **"backward resets the gradients"** (it adds to them).
#
# Where a cell asks `guess("…", ...)`, put your answer in place of the dots and run it; `"?"` reveals it.

# %%
import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_04 import HINTS

# %% [markdown]
# ## One value, many uses
#
# `h` is made once, and then goes into three operations: into a product with itself, into `5 * h`, and into a difference.


# %%
def used_three_times(w):
    h = 2.0 * w
    square = h * h
    five = 5.0 * h
    s = square + five - h
    return h, s


# %% [markdown]
# Let `w` be 1, so `h` is 2. What reaches `h` from `s`? And how often will the node that made `h` run, in one backward pass?


# %%
def reaching_h():
    h, s = used_three_times(mg.tensor(1.0, requires_grad=True))
    return mg.autograd.grad(s, h)


def runs_of_h():
    with inspector.record() as rehearsed:
        _, s = used_three_times(mg.tensor(1.0, requires_grad=True))
        s.backward()
    return sum("of h runs" in rehearsed.describe(step) for step in rehearsed.steps_of("NodeStarting"))


guess("what reaches h", ..., reaching_h, hints=HINTS)
guess("runs of the node of h", ..., runs_of_h, hints=HINTS)

# %%
with inspector.record() as trace:
    w = mg.tensor(1.0, requires_grad=True)
    h, s = used_three_times(w)
    h.retain_grad()
    s.backward()

print(f"h.grad = {h.grad.item():g}, w.grad = {w.grad.item():g}")
assert h.grad.item() == 2 + 2 + 5 - 1
assert w.grad.item() == 2 * h.grad.item()
inspector.draw(trace, direction="down")

# %% [markdown]
# *What to look for:* values flow downwards here, gradients back up. Four purple arrows arrive at `h`, and each says what it brings: 2 and 2 from the square, 5, and −1. Only one arrow
# goes on from there, to `w`, and it carries 2 · 8 = 16. The node of `h` did not run four times. It **waited**:

# %%
for step in trace.steps_of("GradientSent", "NodeReady", "NodeStarting"):
    line = trace.describe(step)
    if "of h" in line:
        print(f"{step:3d}  {line}")

ready = [step for step in trace.steps_of("NodeReady") if "of h is" in trace.describe(step)]
arrived = [step for step in trace.steps_of("GradientSent") if "to MulBackward0 of h" in trace.describe(step)]
assert len(ready) == 1 and len(arrived) == 4
assert ready[0] > max(arrived)

# %% [markdown]
# A buffer stands before each node. What arrives is added to what is there, and only when everything has come that will come does the node
# open. The engine counts beforehand how many arrows lead to each. That is why backward needs the order that it has, from the last to the
# first, and why each node runs once. In the player, step through these moments, and look at the buffer of `h`:

# %%
trace.player(height=600)

# %% [markdown]
# ## A stretched value is used many times
#
# Broadcasting is a use in disguise. A bias of two numbers is added to a batch of four rows: each of its numbers is used four times. The loss
# is the plain sum of everything. What will `bias.grad` be? (Give a list.)

# %%
batch = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])


def gradient_of_bias():
    bias = mg.tensor([0.5, -0.5], requires_grad=True)
    return mg.autograd.grad((batch + bias).sum(), bias)


guess("bias.grad", ..., gradient_of_bias, batch=4, hints=HINTS)

# %%
with inspector.record() as trace:
    bias = mg.tensor([0.5, -0.5], requires_grad=True)
    out = batch + bias
    total = out.sum()
    total.backward()

print("bias.grad =", bias.grad.tolist())
assert bias.grad.tolist() == [4, 4]
assert bias.grad.shape == bias.shape
inspector.draw(trace, values=8)

# %% [markdown]
# *What to look for:* `out` is f32[4,2], and so is what reaches its node; `bias` is f32[2], and so is what it gets. In between, the four
# rows were added up. **A gradient always has the shape of its tensor**: forward stretches, backward sums.
#
# ## `.grad` adds up, too
#
# `w.grad` is not written by backward; it is *added to*. A pass through `3 * w` brings 3. After a second pass, without clearing, `w.grad` is:


# %%
def twice():
    w = mg.tensor(1.0, requires_grad=True)
    (3.0 * w).backward()
    (3.0 * w).backward()
    return w.grad


def cleared():
    w = mg.tensor(1.0, requires_grad=True)
    (3.0 * w).backward()
    mg.optim.SGD([w], lr=0.1).zero_grad()
    return w.grad


guess("w.grad, second time", ..., twice, hints=HINTS)

# %% [markdown]
# And after `optimizer.zero_grad()`?

# %%
guess("w.grad after zero_grad", ..., cleared, hints=HINTS)

# %%
with inspector.record() as trace:
    w = mg.tensor(1.0, requires_grad=True)
    (3.0 * w).backward()
    (3.0 * w).backward()
    seen = w.grad.item()
    mg.optim.SGD([w], lr=0.1).zero_grad()
    after = w.grad
    (3.0 * w).backward()

for step in trace.steps_of("GradientAccumulated", "GradCleared"):
    print(f"{step:3d}  {trace.describe(step)}")
print(f"after two passes {seen:g}, after zero_grad {after}, after one more {w.grad.item():g}")
assert (seen, after, w.grad.item()) == (6, None, 3)

# %% [markdown]
# Each line tells what was there before. `zero_grad()` does not leave a zero but nothing: None, *as if there had never been a pass*.
#
# ## When it is a fault
#
# To find the minimum of (w − 3)², somebody walks downhill from w = 0 in steps of 0.1 times the gradient, and forgets to clear. The first
# gradient is 2 · (0 − 3) = −6, so w goes to 0.6. Where is w after the second step?


# %%
def walk(steps, *, clear):
    w = mg.tensor(0.0, requires_grad=True)
    places, losses = [w.item()], []
    for _ in range(steps):
        if clear:
            w.grad = None
        loss = (w - 3.0) ** 2
        loss.backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
        places.append(w.item())
        losses.append(loss.item())
    return places, losses


guess("w after two steps", ..., lambda: walk(2, clear=False)[0][-1], hints=HINTS)

# %%
forgetful, careful = walk(20, clear=False), walk(20, clear=True)
print("step      cleared        not cleared")
for step in range(0, 20, 2):
    print(
        f"{step:3d}   w = {careful[0][step]:6.3f}     w = {forgetful[0][step]:6.3f}   {'·' * round(4 * forgetful[0][step])}"
    )

assert abs(careful[0][-1] - 3) < 0.05
assert abs(forgetful[0][2] - 1.68) < 1e-5
assert max(forgetful[0]) > 5.9

# %% [markdown]
# It does not blow up; it swings, for ever, past 3 to 6 and back. (Physicists see a ball that rolls without friction: the sum of all
# gradients so far is a velocity.) Such a run looks like a learning rate that is too high, and one may search for days. The inspector says what it is:

# %%
with inspector.record() as trace:
    walk(20, clear=False)

(finding,) = inspector.explain(trace)
print(finding.text(100))
assert finding.kind == "grad-accumulated"

# %% [markdown]
# ## When it is a tool
#
# Six rows do not fit into memory? Take them in chunks, let `.grad` add up, and step once. The gradient of a sum is the sum of the
# gradients; it is exactly the same:

# %%
x = mg.arange(12.0).reshape(6, 2) / 10
y = x.sum(1) * 2 - 1

w = mg.zeros(2, requires_grad=True)
((x @ w - y) ** 2).sum().backward()
at_once = w.grad

w = mg.zeros(2, requires_grad=True)
for rows in (slice(0, 2), slice(2, 4), slice(4, 6)):
    ((x[rows] @ w - y[rows]) ** 2).sum().backward()
    print("so far", [round(value, 3) for value in w.grad.tolist()])

print("at once", [round(value, 3) for value in at_once.tolist()])
assert mg.allclose(w.grad, at_once)

# %% [markdown]
# With a *mean* for a loss there is one thing to mind: exercise 4.3.
#
# ## Exercises
#
# Put your answer in place of the dots and run the cell: it is checked at once, and a mistake is told by its name.
#
# **4.1** `x * x * x` uses `x` three times. What does each of the three uses bring? Return three numbers.


# %%
@exercise("4.1")
def three_uses(x):
    return ...


# %% [markdown]
# **4.2** Backward of broadcasting: sum a `gradient` (a NumPy array) down to `shape`. Dimensions that are missing on the left were made; those
# of size 1 were stretched.


# %%
@exercise("4.2")
def summed_to(gradient, shape):
    return ...


# %% [markdown]
# **4.3** The gradient of the *mean* squared error over all six rows, in chunks of the given `sizes`, for example `[4, 2]`. Use `x`, `y`
# from above, `w` of zeros, and `.mean()` in each chunk.


# %%
@exercise("4.3")
def gradient_in_chunks(sizes):
    w = mg.zeros(2, requires_grad=True)
    for xs, ys in zip(x.split(sizes), y.split(sizes), strict=True):
        ...
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **4.1** Each use is multiplied by the other two.
#
# ```python
# @exercise("4.1")
# def three_uses(x):
#     return x * x, x * x, x * x
# ```
#
# **4.2** First what is missing on the left, then what was stretched.
#
# ```python
# @exercise("4.2")
# def summed_to(gradient, shape):
#     while gradient.ndim > len(shape):
#         gradient = gradient.sum(0)
#     for dim, size in enumerate(shape):
#         if size == 1:
#             gradient = gradient.sum(dim, keepdims=True)
#     return gradient
# ```
#
# **4.3** A chunk counts by its share of the rows.
#
# ```python
# @exercise("4.3")
# def gradient_in_chunks(sizes):
#     w = mg.zeros(2, requires_grad=True)
#     for xs, ys in zip(x.split(sizes), y.split(sizes), strict=True):
#         loss = ((xs @ w - ys) ** 2).mean() * len(xs) / len(x)
#         loss.backward()
#     return w.grad
# ```
#
# </details>

# %% [markdown]
# *Next:* [5. Versions, views and in-place](05_versions_and_inplace.ipynb)
