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
# # 5. Versions, views and in-place: how saved values are kept honest
#
# *For whom:* you have met "modified by an inplace operation" and want to know what it means. *You will be able to:* say which operation
# broke a backward pass, and mend it; say what a write through a view does. *Time:* 35 minutes.
#
# Two beliefs to give up: **"in-place operations are forbidden"** (one is an error exactly when it overwrites what a node has saved and will
# still need) and **"`.data` is how one writes without trouble"** (it is how one gets wrong gradients without being told).
#
# Where a cell asks `guess("…", ...)`, put your answer in place of the dots and run it; `"?"` reveals it. Yes is True, no is False.

# %%
import contextlib

import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_05 import HINTS

# %% [markdown]
# ## Memory counts its writes
#
# A tensor's version starts at 0 and grows by one with every write in place. `half` is a **view** of `t`: no copy, but a part of the same
# memory. After one write to `t` and one to `half`, what is the version of `t`?


# %%
def written_twice():
    t = mg.zeros(4)
    half = t[:2]
    t.add_(1.0)
    half.mul_(3.0)
    return t, half


guess("t._version", ..., lambda: written_twice()[0]._version, hints=HINTS)

# %%
t, half = written_twice()
print("t =", t.tolist(), "  version of t:", t._version, "  version of half:", half._version)
assert t._version == half._version == 2
assert t.tolist() == [3, 3, 1, 1]

# %% [markdown]
# The second write went through `half`, and `t` knows. The count belongs to the memory, not to the name.
#
# ## A write that does no harm
#
# `h` is used in a sum, and overwritten afterwards. Will backward work?


# %%
def survives_sum():
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2.0
    q = h + 1.0
    h.add_(10.0)
    q.sum().backward()
    return w.grad is not None


guess("does it work?", ..., survives_sum, hints=HINTS)

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2.0
q = h + 1.0
h.add_(10.0)
q.sum().backward()
print("fine:", w.grad)
assert w.grad.tolist() == [2, 2]

# %% [markdown]
# A sum hands its gradient on as it is. It needs neither term on the way back, so it saved nothing, and nobody minds that `h` has changed.
#
# ## A write that breaks backward
#
# The same with `q = h * h`. Across a product each factor gets the *other* one, so the node saves `h`, twice, **and with it the version that
# `h` has at that moment**. Then `h` is written. When backward comes, the node compares.

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
# The message gives two versions. The picture gives the whole story:

# %%
inspector.draw(trace)

# %% [markdown]
# *What to look for:* the red card. Its node saved `h` at v0, twice, and `h` is at v1 now: *saved v0 ≠ now v1*. The write that did it stands
# on the card of `h`, with its line, and dotted arrows lead from there to what it spoilt. `w` got no gradient. The same in words, with a
# mend:

# %%
(finding,) = inspector.explain(trace)
print(finding.text(100))
assert finding.kind == "inplace-version"
assert [location.role for location in finding.locations] == ["saved", "mutated"]

# %% [markdown]
# `h = h + 10` gives the name `h` to a *new* tensor. The one that was saved is left alone:

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2.0
q = h * h
h = h + 10.0
q.sum().backward()
print(w.grad)
assert w.grad.tolist() == [8, 16]

# %% [markdown]
# ## Some save what they return
#
# The slope of `tanh` is 1 − out², where `out` is what it returned; so that is what it saves. The slope of `sin` is the cosine of its input.
# Now overwrite the input of a `tanh`, or its output. Does backward survive?


# %%
def survives(function, written):
    w = mg.tensor([0.5, 1.0], requires_grad=True)
    x = w * 1.0
    y = getattr(x, function)()
    (x if written == "input" else y).add_(1.0)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


guess("tanh, its input written", ..., lambda: survives("tanh", "input"), hints=HINTS)
guess("tanh, its output written", ..., lambda: survives("tanh", "output"), hints=HINTS)

# %%
print("                 input written   output written")
for function in ("tanh", "exp", "sigmoid", "sin", "log", "square"):
    answers = ["fine" if survives(function, written) else "error" for written in ("input", "output")]
    print(f"{function:>12}     {answers[0]:13}   {answers[1]}")

assert survives("tanh", "input") and not survives("tanh", "output")
assert survives("sin", "output") and not survives("sin", "input")

# %% [markdown]
# Whether a write is an error depends on who has saved what, and on nothing else. In a picture, look for ▣.
#
# ## A write through a view becomes history
#
# A view is more than shared memory: autograd knows whose view it is. Here a row of a table is multiplied by 10, in place. `w` never hears of
# the row. What will `w.grad` be? (A list of two lists.)


# %%
def gradient_through_row():
    w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    table = w * 1.0
    table[0].mul_(10.0)
    return mg.autograd.grad(table.sum(), w)


guess("w.grad through the row", ..., gradient_through_row, hints=HINTS)

# %%
with inspector.record() as trace:
    w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    table = w * 1.0
    made_by = type(table.grad_fn).__name__
    row = table[0]
    row.mul_(10.0)
    total = table.sum()
    total.backward()

print("table was made by", made_by, "and, since the write, by", type(table.grad_fn).__name__)
print("w.grad =", w.grad.tolist())
assert made_by == "MulBackward0" and type(table.grad_fn).__name__ == "CopySlices"
assert w.grad.tolist() == [[10, 10], [1, 1]]
inspector.draw(trace, values=4)

# %% [markdown]
# *What to look for:* a card more than there are lines that make something. The write gave `table` a new node, **CopySlices**: on the way back
# it sends the first row through "× 10", and all the rest past it. The pill says v1, and the numbers are those of v1. That is why you may fill a tensor piece by piece and
# still have gradients, as long as nobody has saved what you overwrite.
#
# Now the trap. Each place of a table is computed from the one before it, and nothing is written twice:

# %%
with inspector.record() as trace:
    ratio = mg.tensor(2.0, requires_grad=True)
    table = mg.ones(4)
    for i in range(1, 4):
        table[i] = table[i - 1] * ratio
    with contextlib.suppress(RuntimeError):
        table.sum().backward()

(finding,) = inspector.explain(trace)
print(finding.text(100))
assert finding.kind == "inplace-version"

# %% [markdown]
# One memory, one counter. The last product saved place 2 of the table at version 2; writing place 3 made it version 3, and the counter
# cannot tell that place 2 is as it was. Exercise 5.2 mends it.
#
# ## `detach()` counts, `.data` does not
#
# Both give the same memory without history. `detach()` shares the counter, so a write through it is noticed. `.data` has a counter of its
# own:

# %%
w = mg.tensor([0.0, 1.0], requires_grad=True)
s = w.sigmoid()
right = mg.autograd.grad(s.sum(), w, retain_graph=True)[0]

with inspector.record() as trace:
    w = mg.tensor([0.0, 1.0], requires_grad=True)
    s = w.sigmoid()
    s.data.zero_()
    s.sum().backward()

print("without the write  ", right)
print("written by .data   ", w.grad, " no error, and wrong")
assert w.grad.tolist() == [0, 0]

w = mg.tensor([0.0, 1.0], requires_grad=True)
s = w.sigmoid()
s.detach().zero_()
try:
    s.sum().backward()
except RuntimeError as error:
    print("written by detach()", str(error).partition(":")[0])
else:
    raise AssertionError("the write should have been noticed")

# %% [markdown]
# An error is the better of the two. PyTorch is silent about the first, and so is minigrad, for it must be like PyTorch; the inspector has
# seen it:

# %%
(finding,) = inspector.explain(trace)
print(finding.text(100))
assert finding.kind == "data-inplace"

# %% [markdown]
# ## Exercises
#
# Put your answer in place of the dots and run the cell: it is checked at once, and a mistake is told by its name.
#
# **5.1** Mend this so that backward works, and return `w.grad`. The loss should stay what it was meant to be: h² + (h + 1), summed.


# %%
@exercise("5.1")
def mended(values):
    w = mg.tensor(values, requires_grad=True)
    h = w * 2
    square = h * h
    # here stood: h.add_(1)
    # and then:   (square + h).sum().backward()
    return ...


# %% [markdown]
# **5.2** Mend the table: 1, r, r², r³, each computed from the one before it. Return the gradient of their sum along `r`.


# %%
@exercise("5.2")
def gradient_of_powers(ratio):
    r = mg.tensor(ratio, requires_grad=True)
    return ...


# %% [markdown]
# **5.3** A tensor of version 0 is written to several times: through `"itself"`, a `"view"` of it, its `"detach"`, its `"data"` or a
# `"clone"`. Given the list of these words, return its version.


# %%
@exercise("5.3")
def version_after(writes):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **5.1** A new tensor, by any name.
#
# ```python
# @exercise("5.1")
# def mended(values):
#     w = mg.tensor(values, requires_grad=True)
#     h = w * 2
#     square = h * h
#     h = h + 1
#     (square + h).sum().backward()
#     return w.grad
# ```
#
# **5.2** A list, and one table at the end.
#
# ```python
# @exercise("5.2")
# def gradient_of_powers(ratio):
#     r = mg.tensor(ratio, requires_grad=True)
#     values = [mg.tensor(1.0)]
#     for _ in range(3):
#         values.append(values[-1] * r)
#     mg.stack(values).sum().backward()
#     return r.grad
# ```
#
# **5.3** A clone has its own memory, `.data` its own counter.
#
# ```python
# @exercise("5.3")
# def version_after(writes):
#     return sum(write in ("itself", "view", "detach") for write in writes)
# ```
#
# </details>

# %% [markdown]
# *Next:* [6. An operation of your own](06_an_op_of_your_own.ipynb)
