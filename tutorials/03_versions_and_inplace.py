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
# # 3. Versions and in-place: how saved values are kept honest
#
# *For whom:* you have met "modified by an inplace operation" and want to know what it means. *You will be able to:* say which operation
# broke a backward pass, and mend it. *Time:* 25 minutes.
#
# The belief to give up: **"in-place operations are forbidden."** Most are fine. One is an error exactly when it overwrites a value that
# some node has saved and will still need, and autograd notices by counting.

# %%
import inspector
import minigrad as mg

# %% [markdown]
# ## Every storage counts its writes
#
# A tensor's version starts at 0 and grows by one with every write in place. Tensors that share memory share the count.

# %%
t = mg.zeros(4)
half = t[:2]
versions = [t._version]
t.add_(1.0)
versions.append(t._version)
half.mul_(3.0)
versions.append(t._version)

print("versions of t:", versions, "  t =", t.tolist())
assert versions == [0, 1, 2]
assert half._version == t._version

# %% [markdown]
# The second write went through `half`, a *view* of `t`, and `t` knows.
#
# ## A write that does no harm
#
# `add` saves nothing, so nobody minds that `h` changes afterwards. Predict: does this work?

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2.0
q = h + 1.0
h.add_(10.0)
q.sum().backward()
print("fine:", w.grad)
assert w.grad.tolist() == [2, 2]

# %% [markdown]
# ## A write that breaks backward
#
# The same, but now `q = h * h`. A product needs its factors on the way back, so its node saves `h`, twice, **and the version that `h` has
# at that moment**. Then `h` is written. When backward comes, the node compares.

# %%
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2.0
    q = h * h
    h.add_(10.0)
    loss = q.sum()
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)

# %% [markdown]
# The message tells the versions. The picture tells the story: who saved `h`, and which write raised it.

# %%
inspector.draw(trace)

# %% [markdown]
# And in words, with a mend:

# %%
(finding,) = inspector.explain(trace)
print(finding)
assert finding.kind == "inplace-version"
assert [location.role for location in finding.locations] == ["saved", "mutated"]

# %% [markdown]
# ## Mended
#
# `h = h + 10` makes a new tensor and leaves the one that was saved alone.

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2.0
q = h * h
h = h + 10.0
q.sum().backward()
print(w.grad)
assert w.grad.tolist() == [8, 16]

# %% [markdown]
# ## Some save their output
#
# `tanh` and `exp` save what they *returned*, because their derivative is cheap to write with it: $\tanh' = 1 - \tanh^2$, $\exp' = \exp$.
# So writing to the result breaks them, and writing to the input does not. With `sin` it is the other way round. Predict the four answers.


# %%
def survives(function: str, write_to: str) -> bool:
    w = mg.tensor([0.5, 1.0], requires_grad=True)
    x = w * 1.0
    y = getattr(x, function)()
    (x if write_to == "input" else y).add_(1.0)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


for function in ("tanh", "sin"):
    for target in ("input", "output"):
        print(f"{function}, then write to its {target:6}: {'fine' if survives(function, target) else 'error'}")

assert survives("tanh", "input") and not survives("tanh", "output")
assert survives("sin", "output") and not survives("sin", "input")

# %% [markdown]
# ## `detach()` counts, `.data` does not
#
# Both give you the same memory without history. `detach()` shares the counter, so a write through it is noticed. `.data` has a counter
# of its own: the write goes unnoticed and the gradient is silently wrong. That is why `.data` is not for you.

# %%
w = mg.tensor([0.0, 1.0], requires_grad=True)
s = w.sigmoid()
s.data.zero_()
s.sum().backward()
print("through .data, silently wrong:", w.grad)
assert w.grad.tolist() == [0, 0]

w.grad = None
s = w.sigmoid()
s.detach().zero_()
try:
    s.sum().backward()
except RuntimeError as error:
    print("through detach(), noticed:", str(error).partition(":")[0])
else:
    raise AssertionError("the write should have been noticed")

# %% [markdown]
# ## Try it
#
# 1. An optimiser's step writes to the weights. Why is `loss.backward(); step(); loss.backward()` an error even with `retain_graph=True`?
# 2. Fill a table row by row, each row computed from the one before. Why does backward fail although no row is written twice?
# 3. What is the version of a tensor after `x.zero_()` under `no_grad`?
#
# <details><summary>Solutions</summary>
#
# 1. The first pass's nodes saved the weights at the old version.
# 2. The rows are views of one table and share its one counter: writing row 2 ages the saved row 1. Keep a list and `stack` it.
# 3. It grows all the same: versions are about memory, not about recording.
#
# </details>

# %%
x = mg.ones(2)
with mg.no_grad():
    x.zero_()
assert x._version == 1
