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
# # 3. Leaves, nodes, and who keeps a gradient
#
# *For whom:* you have called `backward()` and wondered why some `.grad` was None. *You will be able to:* say which tensors have a `.grad`,
# which have a `grad_fn`, and walk a graph by hand. *Time:* 30 minutes.
#
# Two beliefs to give up: **"the `.grad` of an intermediate value is zero"** (there is none), and **"a leaf has a grad_fn"** (it has an
# accumulator, which is something else).
#
# Where a cell asks `guess("…", ...)`, put your answer in place of the dots and run it; `"?"` reveals it. An answer may be a number, a list,
# True or False, None, or a name in quotes.

# %%
import warnings

import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_03 import HINTS

# %% [markdown]
# ## Who is a leaf?
#
# A **leaf** is where the recorded history begins: a tensor that you made. Every other one was made by a recorded operation.

# %%
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    x = mg.tensor([3.0, 4.0])
    y = w * x
    loss = y.sum()

# %% [markdown]
# `w` wants a gradient, `x` does not. Is `x` a leaf? And what is the `grad_fn` of `w`, the node that made it?

# %%
guess("x.is_leaf", ..., lambda: x.is_leaf, hints=HINTS)
guess("w.grad_fn", ..., lambda: w.grad_fn, hints=HINTS)

# %% [markdown]
# All that autograd knows of a tensor is in its `autograd_meta`:

# %%
for name, tensor in {"w": w, "x": x, "y": y, "loss": loss}.items():
    meta = tensor.autograd_meta
    node = "—" if meta.grad_fn is None else meta.grad_fn.name()
    print(f"{name:>4}: requires_grad {meta.requires_grad!s:5}  is_leaf {meta.is_leaf!s:5}  grad_fn {node}")

assert w.is_leaf and w.grad_fn is None
assert x.is_leaf and not x.requires_grad
assert not y.is_leaf and y.grad_fn.name() == "MulBackward0"

# %% [markdown]
# Nothing made `w`, so it has no `grad_fn`. What leads to it, then? Ask the node of `y` where its gradients go:

# %%
(to_w, _), (to_x, _) = y.grad_fn.next_functions
print("towards w:", type(to_w).__name__, "  whose tensor is w:", to_w.variable is w)
print("towards x:", to_x)
assert to_x is None

# %% [markdown]
# On the side of `w` stands an **AccumulateGrad**: the last station of the line, which takes what arrives and adds it to `w.grad`. It did not
# make `w`; it waits beside it. Towards `x` the way leads nowhere, for nobody asked. One picture says it all:

# %%
inspector.draw(trace, legend=True)

# %% [markdown]
# *What to look for:* `w` has a double border and ◆, a leaf that wants a gradient; its station is the ⊕. `x` is dashed and ○, a constant; no
# purple arrow leads there. `y` and `loss` have a node ● of their own. Note also what the product saved: only `x`, for only `w` wants a
# gradient, and the slope along `w` is `x`.
#
# ## Who keeps a gradient?
#
# Now `loss.backward()`. `w` will get its gradient. And `y`, through which it all passes: what will `y.grad` be?


# %%
def grad_of_y():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = w * x
        mg.autograd.backward(y.sum(), inputs=[w])
        w.grad = None
        return y.grad


guess("y.grad", ..., grad_of_y, hints=HINTS)

# %%
loss.backward()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    of_y = y.grad

print("w.grad", w.grad, "  x.grad", x.grad, "  y.grad", of_y)
print("and reading y.grad warned:", str(told[0].message).partition(". ")[0] + ".")
assert w.grad.tolist() == [3, 4]
assert x.grad is None and of_y is None

# %% [markdown]
# None, and not zero. A gradient of ones did pass through `y`, but only leaves keep what arrives; to keep all of them would take as much
# memory as all the values in between. Ask for it beforehand, with `retain_grad()`, and it is kept:

# %%
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    x = mg.tensor([3.0, 4.0])
    y = w * x
    y.retain_grad()
    loss = y.sum()
    loss.backward()

print("y.grad", y.grad)
assert y.grad.tolist() == [1, 1]
inspector.draw(trace, values=2)

# %% [markdown]
# *What to look for:* the flag ⚑ on the card of `y`, beside its `.grad`. The node of `y` has let go of what it saved: *freed*.
#
# Had you forgotten `retain_grad()`, the inspector would have told you; so would `inspector explain` for a whole script:

# %%
with inspector.record() as forgetful, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3.0
    y.sum().backward()
    missing = y.grad

(finding,) = inspector.explain(forgetful)
print(finding.text(100))
assert finding.kind == "grad-none"

# %% [markdown]
# ## One accumulator, however many edges
#
# `w * w` uses `w` twice. How many edges lead from its node to the accumulator of `w`?


# %%
def edges_of_square():
    w = mg.tensor(5.0, requires_grad=True)
    return len([node for node, _ in (w * w).grad_fn.next_functions if node.variable is w])


guess("edges into the accumulator", ..., edges_of_square, hints=HINTS)

# %%
with inspector.record() as trace:
    w = mg.tensor(5.0, requires_grad=True)
    square = w * w
    square.backward()

for step in trace.steps_of("GradientSent", "GradientAccumulated"):
    print(f"{step:3d}  {trace.describe(step)}")

(first, _), (second, _) = square.grad_fn.next_functions
assert first is second
assert len(trace.steps_of("GradientAccumulated")) == 1

# %% [markdown]
# Two edges, one station. 5 arrives, then another 5 on top of it, and only when both are there does the station open and put 10 into
# `w.grad`. Lesson 4 is about this.
#
# ## The trap: a weight that is no leaf
#
# Small weights to begin with, so somebody writes this. After backward, what is `weights.grad`?


# %%
def grad_of_weights():
    weights = mg.tensor([1.0, 2.0], requires_grad=True) * 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (weights * weights).sum().backward()
        return weights.grad


guess("weights.grad", ..., grad_of_weights, hints=HINTS)

# %%
with inspector.record() as trace, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    weights = mg.tensor([1.0, 2.0], requires_grad=True) * 0.1
    loss = (weights * weights).sum()
    loss.backward()
    got = weights.grad

print("weights.is_leaf:", weights.is_leaf, "  weights.grad:", got)
assert not weights.is_leaf and got is None
inspector.draw(trace, values=2)

# %% [markdown]
# *What to look for:* the ◆ is not on `weights`, but on a tensor without a name to the left of it: that one is the leaf, it got the gradient,
# and nobody holds it any more. `weights` is the result of `* 0.1`. An optimiser would refuse it; a loop written by hand would find None.
#
# ## Stepping out of the history
#
# Three ways to have the same numbers without the past:

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 3.0
detached = h.detach()
copied = h.detach().clone()
with mg.no_grad():
    unrecorded = w * 3.0

for name, tensor in {"detach()": detached, "detach().clone()": copied, "under no_grad": unrecorded}.items():
    shares = tensor.data_ptr() == h.data_ptr()
    wants = tensor.requires_grad
    print(f"{name:17} is_leaf {tensor.is_leaf}  requires_grad {wants}  same memory as h: {shares}")

assert detached.is_leaf and detached.data_ptr() == h.data_ptr() != copied.data_ptr()

# %% [markdown]
# All three are leaves, for nothing recorded made them. The first shares the memory of `h`; lesson 5 tells what follows from that. Here is a
# loss that depends on `h` twice, once with its past and once without: h² + h.detach(), summed. `h` is [3, 6]. What reaches it?


# %%
def reaching_h():
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3.0
    return mg.autograd.grad((h * h + h.detach()).sum(), h)


guess("what reaches h", ..., reaching_h, hints=HINTS)

# %%
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3.0
    h.retain_grad()
    square = h * h
    past = h.detach()
    loss = (square + past).sum()
    loss.backward()

print("h.grad", h.grad.tolist(), "= 2h   w.grad", w.grad.tolist(), "= 3 · 2h")
assert h.grad.tolist() == (2 * h).tolist() == [6, 12]
assert w.grad.tolist() == [18, 36]
inspector.draw(trace, values=2)

# %% [markdown]
# *What to look for:* the scissors ✂. A dotted line leads from `h` to `past`, for the numbers are the same; no purple arrow comes back along it.
# What reaches `h` is 2h from the square, and that is all. The blue bars say *same memory*.
#
# ## Exercises
#
# Put your answer in place of the dots and run the cell: it is checked at once, and a mistake is told by its name.
#
# **3.1** How many accumulators are behind a `loss`? Walk from `loss.grad_fn` along `next_functions`. Only an accumulator has an attribute
# `variable`.


# %%
@exercise("3.1")
def count_accumulators(loss):
    return ...


# %% [markdown]
# **3.2** Mend the trap: make weights that are a tenth of `values`, let the loss be the sum of their squares, and return *their* gradient.


# %%
@exercise("3.2")
def gradient_of_small_weights(values):
    return ...


# %% [markdown]
# **3.3** With `w` made of `values`, `h = w * 2` and `loss = (h * h).sum()`, return what reaches `h`.


# %%
@exercise("3.3")
def what_reaches_h(values):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **3.1** Remember where you have been, or a leaf that is used twice is counted twice.
#
# ```python
# @exercise("3.1")
# def count_accumulators(loss):
#     seen, waiting = set(), [loss.grad_fn]
#     while waiting:
#         node = waiting.pop()
#         if node is not None and node not in seen:
#             seen.add(node)
#             waiting += [following for following, _ in node.next_functions]
#     return sum(hasattr(node, "variable") for node in seen)
# ```
#
# **3.2** Scale first, then ask for the gradient.
#
# ```python
# @exercise("3.2")
# def gradient_of_small_weights(values):
#     weights = (mg.tensor(values) * 0.1).requires_grad_()
#     (weights * weights).sum().backward()
#     return weights.grad
# ```
#
# **3.3** Ask beforehand.
#
# ```python
# @exercise("3.3")
# def what_reaches_h(values):
#     w = mg.tensor(values, requires_grad=True)
#     h = w * 2
#     h.retain_grad()
#     (h * h).sum().backward()
#     return h.grad
# ```
#
# </details>

# %% [markdown]
# *Next:* [4. Gradients add up](04_gradients_add_up.ipynb)
