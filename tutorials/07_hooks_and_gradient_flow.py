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
# # 7. Hooks, and reading the gradient flow of a deep net
#
# *For whom:* you can read a graph, and now have one with ten layers that does not learn. *You will be able to:* look at any gradient
# on its way, change it, and see where in a deep net it is lost. *Time:* 40 minutes.
#
# Three beliefs to give up: **"a hook runs where I write it"** (it runs in backward, when the gradient of its tensor is complete),
# **"a hook sees each contribution"** (it sees their sum, once), and **"if the loss does not move, the learning rate is too small"**.

# %%
import re

import numpy as np

import inspector
import minigrad as mg
from inspector import demos
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_07 import HINTS
from minigrad import nn, optim
from minigrad.nn import functional as F

# %% [markdown]
# ## A window in the wall
#
# In lesson 4 you saw that a value used three times gets three gradients. A **hook** is a function that the engine calls when the gradient of
# a tensor is known. Here `h` goes into the loss along three paths. How often will the hook be called, and what does it see the first time?

# %%
seen = []
order = []

with inspector.record() as trace:
    w = mg.tensor(3.0, requires_grad=True)
    h = w * 2.0
    h.register_hook(lambda gradient: seen.append(gradient.item()))
    loss = h * h + h
    order.append(f"before backward the hook has seen {seen}")
    loss.backward()
    order.append(f"after it, {seen}")

# %%
guess("the number of calls of the hook", ..., lambda: len(seen), hints=HINTS)
guess("the first gradient that the hook sees", ..., lambda: seen[0], hints=HINTS)

# %%
print(*order, sep="\n")
for step in trace.steps_of("GradientSent", "HookRan"):
    print(f"{step:3d}  {trace.describe(step)}")
assert seen == [13.0]

# %% [markdown]
# Read it from the top: 1 arrives, then 6, then 6 again, each *onto* what is there: 1, 7, 13. Only when nobody else can send anything does the
# engine call the hook, with 13. Then 13 goes on to `w`, times 2. So a hook is a window through which you see the finished gradient of
# one tensor, at the moment when it is finished.
#
# ## A hook may change what it sees
#
# Whatever a hook returns takes the gradient's place; a hook that returns nothing leaves it alone. Predict `w.grad` if the hook on
# `h` divides by 10:


# %%
def tenth(gradient):
    return gradient / 10


with inspector.record() as trace:
    w = mg.tensor(3.0, requires_grad=True)
    h = w * 2.0
    h.retain_grad()
    h.register_hook(tenth)
    loss = h * h + h
    loss.backward()
    kept = h.grad

guess("w.grad behind the hook", ..., lambda: w.grad, hints=HINTS)

# %%
print(f"w.grad = {w.grad.item():.1f}   h.grad = {kept.item():.1f}")
assert round(w.grad.item(), 4) == 2.6
inspector.draw(trace)

# %% [markdown]
# *Look for* the three arrows that arrive at `h`: 6, 6 and 1 make 13, yet its node went on with 1.3. That is the hook. And `h.grad`, which
# you wanted to look at, holds 1.3 as well: it is what the hook made of it, not the derivative. `explain` warns you of that:

# %%
(finding,) = inspector.explain(trace)
print(finding)
assert finding.kind == "hook-changed"

# %% [markdown]
# ## A net that does not learn
#
# Now to work. Ten layers, each followed by a sigmoid, as people built them in the 1990s, are to read real handwritten digits.


# %%
class Layer(nn.Module):
    """A linear map and a bend."""

    def __init__(self, inputs, outputs, bend):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.bend = bend

    def forward(self, x):
        return self.bend(self.linear(x))


def deep(bend) -> nn.Sequential:
    """64 pixels, ten layers of 32, and ten scores."""
    mg.manual_seed(0)
    net = nn.Sequential()
    for number in range(1, 11):
        net.add_module(f"layer{number}", Layer(64 if number == 1 else 32, 32, bend))
    net.add_module("top", nn.Linear(32, 10))
    return net


with np.load(demos.folder().parent / "data" / "digits.npz") as data:
    images = mg.tensor(data["images"].reshape(-1, 64) / 16, dtype=mg.float32)
    labels = mg.tensor(data["labels"].astype(np.int64))


def train(net, steps: int = 300) -> float:
    """Plain gradient descent; returns the share of the digits that are named rightly."""
    optimizer = optim.SGD(net.parameters(), lr=0.03)
    for _ in range(steps):
        chosen = mg.randint(0, len(labels), (64,))
        optimizer.zero_grad()
        F.cross_entropy(net(images[chosen]), labels[chosen]).backward()
        optimizer.step()
    return (net(images).argmax(1) == labels).float().mean().item()


print(f"trained for 300 steps, it names {train(deep(mg.sigmoid)):.0%} of the digits rightly")

# %% [markdown]
# One in ten: that is guessing. Before you reach for the learning rate, look at the gradients. A hook on the output of each layer writes
# down how large the gradient is there: its *norm*, the length of all its numbers as one long vector.


# %%
def flow(net) -> dict[str, float]:
    """The norm of the gradient at the output of each layer, in the order of the layers."""
    norms = {}
    x = images[:64]
    for name, layer in net.named_children():
        x = layer(x)
        x.register_hook(lambda gradient, name=name: norms.update({name: gradient.norm().item()}))
    F.cross_entropy(x, labels[:64]).backward()
    return dict(reversed(norms.items()))


def bars(norms: dict[str, float]) -> None:
    """Each norm as a bar; a bar that is one block shorter is three times smaller."""
    for name, norm in norms.items():
        print(f"{name:>8} {norm:8.1e} {'█' * max(0, round(np.log(norm / 1e-10) / np.log(3)))}")


# %% [markdown]
# The slope of a sigmoid is σ · (1 − σ), at most a quarter. The weights of our layers are small too, so going through one layer the
# gradient shrinks. At the top it is about 0.1. What do you expect at `layer1`? An order of magnitude will do: 1e-2, 1e-4, …

# %%
guess(
    "the power of ten of the gradient at layer1",
    ...,
    lambda: round(np.log10(flow(deep(mg.sigmoid))["layer1"])),
    hints=HINTS,
)

# %%
lost = flow(deep(mg.sigmoid))
bars(lost)
steps = [lost[f"layer{number}"] / lost[f"layer{number + 1}"] for number in range(1, 10)]
print(f"from one layer to the one before, the gradient is multiplied by {min(steps):.2f} to {max(steps):.2f},")
print(f"and from the top to the first layer it becomes {lost['top'] / lost['layer1']:,.0f} times smaller")
assert lost["layer1"] < 1e-8 < 1e-2 < lost["top"]
assert max(steps) < 0.25
assert lost["top"] / lost["layer1"] > 2e7

# %% [markdown]
# Each layer takes about six sevenths away, and nine layers further down nothing is left: 1/7 · 1/7 · 1/7 … is how
# something **vanishes**. The lowest layers, which see the picture, learn tens of millions of times more slowly than the top one. A learning rate
# that suits one of them is absurd for the other.
#
# Here is the same without a line of code of ours: the picture knows every gradient anyway. We ask it to fold each layer into one card.


# %%
def by_layer(card) -> str | None:
    """To which layer a card belongs."""
    found = re.search(r"layer\d+|top", " ".join((card.name, *card.scopes)))
    return found and found.group()


with inspector.record() as trace:
    net = deep(mg.sigmoid)
    loss = F.cross_entropy(net(images[:64]), labels[:64])
    loss.backward()

inspector.draw(trace, fold=by_layer, show="backward")

# %% [markdown]
# *Read it* from the lower right corner, where the loss is, to the upper left. The arrows carry the norms, and get thinner as these fall.
# Had you not thought of looking, `explain` would have told you:

# %%
(finding,) = inspector.explain(trace)
print(finding.text(110).partition("\n  used")[0])
print("mend:", finding.mend)
assert finding.kind == "vanishing-or-exploding"

# %% [markdown]
# ## Mended
#
# It names several cures. We take two at once: `relu`, whose slope is 1 wherever it is not 0, and larger initial weights. As half of
# the units are silent, He and colleagues (2015) make the weights larger by just so much that the other half carries on what is lost.


# %%
def healthy() -> nn.Sequential:
    """The same net with relu, and weights to match."""
    net = deep(mg.relu)
    for layer in net.children():
        linear = getattr(layer, "linear", layer)
        nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        nn.init.zeros_(linear.bias)
    return net


kept = flow(healthy())
bars(kept)
guess("the share of the digits that it now learns", ..., lambda: train(healthy()), tolerance=0.05, hints=HINTS)

# %%
share = train(healthy())
print(f"trained for 300 steps, it names {'more' if share > 0.7 else 'less'} than 70% of the digits rightly")
assert max(kept.values()) / min(kept.values()) < 10
assert share > 0.7

# %% [markdown]
# Same depth, same data, same learning rate, same number of steps. From one in ten to most of them: because now the gradient arrives.
#
# ## The opposite, and a fuse
#
# What is multiplied by less than 1 in each layer vanishes; by more than 1, it **explodes**. Then one clips: if the gradient is longer than
# some limit, it is shortened to the limit, *keeping its direction*. Make all weights three times as large, and see:

# %%
net = healthy()
with mg.no_grad():
    for parameter in net.parameters():
        parameter *= 3.0  # much too large

F.cross_entropy(net(images[:64]), labels[:64]).backward()
before = nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0).item()
after = mg.stack([parameter.grad.norm() for parameter in net.parameters()]).norm().item()
print(f"the norm of all gradients together: {before:.0f} before, {after:.3f} after clipping")
assert before > 1000
assert abs(after - 1) < 1e-3

# %% [markdown]
# ## Exercises
#
# Put your lines in the place of `return ...`; none of the three needs more than five.
#
# **7.1** *A tap.* Register a hook on the tensor `t` that appends the norm of each gradient (a number) to the list `norms`, and
# leaves the gradient alone.


# %%
@exercise("7.1")
def tap(t, norms):
    return ...


# %% [markdown]
# **7.2** *A fuse.* Given a gradient and a limit, return the gradient as it is if its norm is at most `limit`; otherwise
# shorten it to that norm, keeping its direction. (As a hook: `t.register_hook(lambda g: fuse(g, 1.0))`.)


# %%
@exercise("7.2")
def fuse(gradient, limit):
    return ...


# %% [markdown]
# **7.3** *A frozen row.* `table` is a leaf, like the weights of an embedding, and its row 0 must never learn. Register a hook that sets that row of
# the gradient to zero and leaves the others as they are. Mind that the gradient is not yours: another hook may have looked at it before, and kept it.


# %%
@exercise("7.3")
def freeze_first_row(table):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **7.1** `append` returns None, so the hook changes nothing:
#
# ```python
# @exercise("7.1")
# def tap(t, norms):
#     t.register_hook(lambda gradient: norms.append(gradient.norm().item()))
# ```
#
# **7.2** One factor for all numbers keeps the direction:
#
# ```python
# @exercise("7.2")
# def fuse(gradient, limit):
#     norm = gradient.norm()
#     return gradient if norm <= limit else gradient * (limit / norm)
# ```
#
# **7.3** `clone()` before you write:
#
# ```python
# @exercise("7.3")
# def freeze_first_row(table):
#     def without_first(gradient):
#         gradient = gradient.clone()
#         gradient[0] = 0
#         return gradient
#
#     table.register_hook(without_first)
# ```
#
# </details>

# %% [markdown]
# *Next:* [8. Memory: what is saved, and for how long](08_memory.ipynb)
