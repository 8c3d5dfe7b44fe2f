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
# *For whom:* you know Python and what a slope is. *You will be able to:* work out the gradient of a small expression on paper, read it in
# a picture, and check it by nudging. *Time:* 20 minutes.
#
# Many people carry this around: **"backprop is some magic that a library does."** It is the chain rule, done once for each operation,
# from the last to the first. You will do it by hand, and then watch a program do the same.

# %%
import inspector
import minigrad as mg

# %% [markdown]
# ## Forward
#
# Two numbers go in, one comes out:

# %%
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)

c = a * b
d = c + a
e = d * d

print(f"c = {c.item():g}, d = {d.item():g}, e = {e.item():g}")

# %% [markdown]
# `requires_grad=True` says: *I will want to know how the result depends on this one.* Each operation left a **node** behind, the way back
# through itself. Nobody has walked it yet, so where a gradient will be, there is a dash, and not a zero. A dash means *not computed*.

# %%
inspector.draw(e)

# %% [markdown]
# Read a card from the top: the value as you wrote it and what it is; below it the node, and what the node **saved**. `c = a * b` saved
# `a` and `b`, for each is the other's derivative. `d = c + a` saved nothing: a sum hands its gradient on as it is.
#
# ## Backward, on paper
#
# Before you run the next cell, take a pencil. Begin with $\partial e/\partial e = 1$ and go left.
#
# 1. $e = d \cdot d$: $d$ is used twice, and each use contributes. What is $\partial e/\partial d$ at $d = 8$?
# 2. $d = c + a$: what reaches $c$? What reaches $a$ along this path?
# 3. $c = a \cdot b$: what reaches $b$? What *more* reaches $a$?

# %%
by_hand_d = 2 * d.item()  # 1: d + d
by_hand_c = by_hand_d  # 2: a sum passes on
by_hand_b = by_hand_c * a.item()  # 3: times the other factor
by_hand_a = by_hand_d + by_hand_c * b.item()  # both paths, added

print(f"de/dd = {by_hand_d:g}   de/dc = {by_hand_c:g}   de/db = {by_hand_b:g}   de/da = {by_hand_a:g}")

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
assert a.grad.item() == by_hand_a
assert b.grad.item() == by_hand_b

# %%
inspector.draw(trace)

# %% [markdown]
# Two purple arrows arrive at `a`: one says 48, the other 16. They **add up** to 64. That is the whole secret of a value that is used
# more than once: a gradient is the sum over all the paths by which it matters.
#
# Here is the same as text. Each line is one thing that happened:

# %%
for step in range(1, len(trace) + 1):
    line = trace.describe(step)
    if "sent" in line or "took" in line:
        print(f"{step:3d}  {line}")

# %% [markdown]
# ## Is it true? Nudge it
#
# A gradient is a promise: *if a grows by a little, e grows by 64 times as much.* Test the promise.


# %%
def expression(a: float, b: float) -> float:
    d = a * b + a
    return d * d


little = 1e-6
slope = (expression(2 + little, 3) - expression(2 - little, 3)) / (2 * little)
print(f"nudging a: {slope:.4f}   backward said: {a.grad.item():g}")
assert abs(slope - a.grad.item()) < 1e-3

# %% [markdown]
# ## Try it
#
# 1. Change `d = c + a` into `d = c - a`. Predict `a.grad` before you run it.
# 2. Make `b` a plain number (leave out `requires_grad`). What will `c` save now, and why less? Draw it.
# 3. Compute `e = d * d * d`. What is de/dd at d = 8?
#
# <details><summary>Solutions</summary>
#
# 1. The second path now contributes −2d, where d = 6 − 2 = 4: `a.grad` = 2·4·3 − 2·4 = 16.
# 2. Only `a` needs a gradient, and its derivative is `b`: so only `b` is saved.
# 3. 3d² = 192.
#
# </details>

# %%
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
d = a * b - a
(d * d).backward()
assert a.grad.item() == 16

d = mg.tensor(8.0, requires_grad=True)
(d * d * d).backward()
assert d.grad.item() == 192

# %% [markdown]
# *Next:* [2. Leaves, nodes and accumulation](02_leaves_and_accumulation.ipynb)
