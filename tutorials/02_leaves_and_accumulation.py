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
# # 2. Leaves, nodes and accumulation
#
# *For whom:* you have done lesson 1. *You will be able to:* say which tensors have a `.grad` and which have a `grad_fn`, and why `.grad`
# grows. *Time:* 20 minutes.
#
# Three beliefs to give up here: **"the `.grad` of an intermediate value is zero"** (there is none), **"a leaf has a grad_fn"** (it has an
# accumulator), and **"backward resets the gradients"** (it adds to them).

# %%
import warnings

import inspector
import minigrad as mg

# %% [markdown]
# ## Who is a leaf?
#
# A **leaf** is a tensor that you made; every other one was made by a recorded operation and has that operation's node as its `grad_fn`.
# All that autograd knows of a tensor is in its `autograd_meta`:

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
x = mg.tensor([3.0, 4.0])
y = w * x
loss = y.sum()

for name, tensor in {"w": w, "x": x, "y": y, "loss": loss}.items():
    meta = tensor.autograd_meta
    node = "—" if meta.grad_fn is None else meta.grad_fn.name()
    print(f"{name:>4}: requires_grad {meta.requires_grad!s:5}  is_leaf {meta.is_leaf!s:5}  grad_fn {node}")

assert w.is_leaf and w.grad_fn is None
assert x.is_leaf and not x.requires_grad
assert not y.is_leaf and y.grad_fn.name() == "MulBackward0"

# %% [markdown]
# `x` is a leaf too, one that needs no gradient. That is why the node of `y` leads nowhere on that side:

# %%
print(y.grad_fn.next_functions)
(to_w, _), (to_x, _) = y.grad_fn.next_functions
assert to_x is None
assert to_w.variable is w

# %% [markdown]
# On the side of `w` stands an `AccumulateGrad`. It is *not* the `grad_fn` of `w`; it is the station at the end of the line, which takes
# what arrives and adds it to `w.grad`.
#
# ## Who gets a gradient?
#
# Predict before you run: after `loss.backward()`, what are `w.grad`, `x.grad` and `y.grad`?

# %%
loss.backward()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    of_y = y.grad

print("w.grad", w.grad, "  x.grad", x.grad, "  y.grad", of_y)
print("Reading y.grad came with a warning:", str(told[0].message).partition(". ")[0] + ".")
assert w.grad.tolist() == [3, 4]
assert x.grad is None and of_y is None

# %% [markdown]
# The gradient did pass through `y`; it was just not kept. Ask for it beforehand and it is:

# %%
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    x = mg.tensor([3.0, 4.0])
    y = w * x
    y.retain_grad()
    loss = y.sum()
    loss.backward()

assert y.grad.tolist() == [1, 1]
inspector.draw(trace)

# %% [markdown]
# What would the inspector have told you, had you forgotten `retain_grad()`?

# %%
with inspector.record() as trace, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3.0
    y.sum().backward()
    missing = y.grad

(finding,) = inspector.explain(trace)
print(finding)
assert finding.kind == "grad-none"

# %% [markdown]
# ## `.grad` adds up
#
# `w.grad` is not overwritten by the next backward. Predict: after the second pass below, is `w.grad` 3, or 6, or 9?

# %%
with inspector.record() as trace:
    w = mg.tensor(1.0, requires_grad=True)
    (w * 3.0).backward()
    once = w.grad.item()
    (w * 3.0).backward()
    twice = w.grad.item()
    w.grad = None
    (w * 3.0).backward()
    after_clearing = w.grad.item()

print(once, twice, after_clearing)
assert (once, twice, after_clearing) == (3, 6, 3)

# %% [markdown]
# The recording shows each accumulation, with what was there before:

# %%
for step in trace.steps_of("GradientAccumulated", "GradCleared"):
    print(f"{step:3d}  {trace.describe(step)}")

# %% [markdown]
# That is why a training loop begins with `optimizer.zero_grad()`. It is also useful: to add the gradients of several small batches, simply
# do not clear.
#
# ## Try it
#
# 1. Let `y = w * w` with `w = 5`. How many edges lead from its node to the accumulator of `w`, and how often does it accumulate?
# 2. `h = w.detach()`: is `h` a leaf? Does it require grad? Does it share memory with `w`?
# 3. Call `.backward()` twice on one and the same `loss = (w * w).sum()`. What happens, and what does the message advise?
#
# <details><summary>Solutions</summary>
#
# 1. Two edges; it accumulates once, when both have arrived: the buffer adds them up first.
# 2. A leaf that does not require grad, with the same memory: a write to `h` changes `w`, and its version.
# 3. The first pass freed what `w * w` had saved; the message advises `retain_graph=True`.
#
# </details>

# %%
w = mg.tensor(5.0, requires_grad=True)
y = w * w
assert [node.variable is w for node, _ in y.grad_fn.next_functions] == [True, True]

h = w.detach()
assert h.is_leaf and not h.requires_grad and h.data_ptr() == w.data_ptr()

y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(error)
    assert "retain_graph=True" in str(error)

# %% [markdown]
# *Next:* [3. Versions and in-place](03_versions_and_inplace.ipynb)
