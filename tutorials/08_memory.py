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
# # 8. Memory: what is saved, and for how long
#
# *For whom:* you have run out of memory, or would like to know why others do. *You will be able to:* say what a forward pass keeps and
# until when, and trade memory for time or for digits. *Time:* 35 minutes.
#
# Three beliefs to give up: **"the weights are what takes the memory"** (often it is what forward keeps for backward), **"it is all kept
# until backward is done"** (each piece goes as soon as its node has run), and **"checkpointing is approximate"** (not one bit changes;
# the price is time).

# %%
import tracemalloc

import inspector
import minigrad as mg
from inspector.lessons import exercise, guess
from inspector.lessons.tasks.lesson_08 import HINTS
from minigrad import nn
from minigrad.autograd.graph import saved_tensors_hooks
from minigrad.utils.checkpoint import checkpoint

# %% [markdown]
# ## What is kept, and by whom
#
# A node keeps what its rule mentions, and nothing else. Go through this expression from the inside and count. `exp` needs its own result
# (its slope *is* its result). A product needs each factor, for the other's sake. A sum needs nothing. `relu` needs to know where it was zero.


# %%
def expression(x):
    return (x.exp() * x + 3.0).relu()


with inspector.record() as trace:
    x = mg.ones(1000, requires_grad=True)
    y = expression(x)

saves = [trace.describe(step) for step in trace.steps_of("TensorSaved")]
guess("the number of slots that are saved", ..., lambda: len(saves), hints=HINTS)

# %%
print(*saves, sep="\n")
assert len(saves) == 4

# %% [markdown]
# Four slots. But look closer: the result of `exp` is in two of them, and that is one piece of memory, not two. And `x` would be there
# anyway. `saved_tensors_hooks` lets us watch: it calls a function of ours, `pack`, for each tensor that is being saved, and another,
# `unpack`, when a node takes it out. What `pack` returns is what is kept. Ours returns the tensor itself, and notes its memory.


# %%
def kept_by(function, x) -> int:
    """How many bytes forward keeps for backward, beyond the input itself."""
    memory = {}

    def pack(tensor):
        memory[tensor.data_ptr()] = tensor.nbytes
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        _keep = function(x)
    memory.pop(x.data_ptr(), None)
    return sum(memory.values())


guess("the bytes kept for 1000 numbers of 4 bytes", ..., lambda: kept_by(expression, x), hints=HINTS)

# %%
print(f"{kept_by(expression, x):,} bytes: the result of exp, and the result of relu")
assert kept_by(expression, x) == 8000


def under_no_grad(x):
    with mg.no_grad():
        return expression(x)


print(f"{kept_by(under_no_grad, x):,} bytes under no_grad")
assert kept_by(under_no_grad, x) == 0

# %% [markdown]
# That is the whole reason why validation under `no_grad` fits into memory where training does not: the numbers are the same, but nobody
# keeps them.
#
# ## How long they live
#
# Here is a chain of four steps. When is what the *first* step saved let go: first or last?

# %%
with inspector.record() as trace:
    x = mg.ones(1000, requires_grad=True)
    a = x.sin()
    b = a.exp()
    c = b.tanh()
    loss = (c * c).sum()
    loss.backward()

released = [trace.label_of(trace.facts[step - 1].node) for step in trace.steps_of("SavedReleased")]
guess(
    "the place in which the node of sin lets go, from 1 to 4",
    ...,
    lambda: released.index("SinBackward0 of a") + 1,
    hints=HINTS,
)


# %%
def lifetimes(trace) -> None:
    """From when to when each node held what it saved: one line for each, one column for each step of the trace."""
    born, died = {}, {}
    for step in trace.steps_of("TensorSaved"):
        born.setdefault(trace.facts[step - 1].node, step)
    for step in trace.steps_of("SavedReleased"):
        died[trace.facts[step - 1].node] = step
    turn = trace.tasks()[0].start
    for node, start in born.items():
        line = "".join(
            "│" if step == turn else "█" if start <= step <= died[node] else "·" for step in range(1, len(trace) + 1)
        )
        print(f"{trace.label_of(node):>22} {line}")


lifetimes(trace)
assert released[-1] == "SinBackward0 of a"

# %% [markdown]
# Time runs to the right; at the line │ forward ends and backward begins. What was saved **first lives longest**: the bars are nested,
# like brackets. So the most is held just at the turn, and then it falls, node by node. You can see the same in the picture. Here it is at
# the turn; a yellow slot is held.

# %%
inspector.draw(trace, step=trace.tasks()[0].start)

# %% [markdown]
# Two nodes later, *look for* the slots that say *freed*:

# %%
inspector.draw(trace, step=trace.steps_of("SavedReleased")[1])

# %% [markdown]
# ## Checkpointing: forget, and compute again
#
# Depth costs memory because the bars are nested. The cure sounds like a joke: **forget** what a part of the net computed, keep only what went
# into it, and when backward gets there, **compute it again**.


# %%
def block(x):
    return (x.sin() * x).tanh()


def record_two_blocks(apply):
    """Two blocks, applied in some way; the recording, and the gradient."""
    with inspector.record() as trace:
        x = mg.linspace(-1, 1, 4).requires_grad_()
        y = apply(block, x)
        z = apply(block, y)
        loss = z.sum()
        loss.backward()
    return trace, x.grad


plain, plain_gradient = record_two_blocks(lambda block, x: block(x))
inspector.draw(plain, step=plain.tasks()[0].start)

# %%
saving, saving_gradient = record_two_blocks(lambda block, x: checkpoint(block, x, use_reentrant=False))
inspector.draw(saving, step=saving.tasks()[0].start)

# %% [markdown]
# The same graph at the same moment, just before backward. Above, eight yellow slots; below, with `checkpoint`, **none**. Nothing is
# held but `x` and `y`, from which the rest can be had again.
#
# Is the gradient the same, nearly the same, or exactly the same? And how often is `sin` computed in all, for two blocks?

# %%
computed = {
    "plain": sum(trace_op.op == "sin" for step in plain.steps_of("OpApplied") if (trace_op := plain.op_at(step))),
    "checkpointed": sum(
        trace_op.op == "sin" for step in saving.steps_of("OpApplied") if (trace_op := saving.op_at(step))
    ),
}
guess("how often sin is computed with checkpoint", ..., lambda: computed["checkpointed"], hints=HINTS)
guess(
    "whether the gradient is exactly the same (yes or no)",
    ...,
    lambda: plain_gradient.tolist() == saving_gradient.tolist(),
    hints=HINTS,
)

# %%
print("sin was computed:", computed)
print("the gradients are the same to the last bit:", plain_gradient.tolist() == saving_gradient.tolist())
assert computed == {"plain": 2, "checkpointed": 4}
assert plain_gradient.tolist() == saving_gradient.tolist()

# %% [markdown]
# Step through it: in backward there are moments called *recomputation*, when forward operations run again between the nodes.

# %%
saving.player()

# %% [markdown]
# ## Measured
#
# Pictures are one thing; now let us weigh it. Sixteen blocks of a real net, a batch of 8,192, and Python's own `tracemalloc`, which knows
# every byte that NumPy holds. After each block, forward and backward, we write down how many megabytes (without the gradients of the
# weights, which are small and the same in both cases). A batch of 8,192 × 32 numbers of 4 bytes is just 1 MB. You know what each operation
# saves: a linear layer its input, `relu` and `tanh` their results. How many MB does one block add to what is there?

# %%
mg.manual_seed(0)
blocks = [nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32), nn.Tanh()) for _ in range(16)]
batch = mg.randn(8192, 32)


def weigh(apply) -> list[int]:
    """Megabytes held after each block: sixteen times going forward, sixteen times going backward."""
    held = []
    for each in blocks:
        each.zero_grad()

    def note(_gradient=None):
        gradients = sum(
            weight.grad.nbytes for each in blocks for weight in each.parameters() if weight.grad is not None
        )
        held.append(round((tracemalloc.get_traced_memory()[0] - before - gradients) / 1024**2))

    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    x = batch
    for each in blocks:
        x = apply(each, x)
        x.register_hook(note)
        note()
    x.square().mean().backward()
    tracemalloc.stop()
    return held


def chart(held: list[int]) -> None:
    for number, megabytes in enumerate(held):
        print(f"{'▶' if number < len(blocks) else '◀'} {'█' * megabytes} {megabytes} MB")


without = weigh(lambda block, x: block(x))
guess("megabytes that the first block keeps", ..., lambda: without[0], hints=HINTS)

# %%
chart(without)
assert without[:3] == [5, 10, 15]

# %% [markdown]
# ▶ is forward, ◀ backward: a mountain of sixteen times 5 MB, 4 for the result of `relu` (which the second linear layer keeps too, at no
# cost) and 1 for that of `tanh`. Predict the greatest of these numbers when each block is checkpointed. The input of each block
# is one megabyte, and there are sixteen of them.

# %%
with_checkpoints = weigh(lambda block, x: checkpoint(block, x, use_reentrant=False))
guess(
    "megabytes held at most after a block, with checkpoints",
    ...,
    lambda: max(with_checkpoints),
    tolerance=0.2,
    hints=HINTS,
)

# %%
chart(with_checkpoints)
print(f"at most {max(without)} MB without, {max(with_checkpoints)} MB with checkpoints")
assert max(with_checkpoints) < max(without) / 3

# %% [markdown]
# A hill. (Within a block a little more is held for a moment, while it is computed again.) Every block has been computed twice for it, which
# costs about a third more time, as backward is roughly twice the work of forward: 1 + 2 becomes 2 + 2.
#
# ## Another bargain: fewer digits
#
# `saved_tensors_hooks` can do more than look on. Whatever `pack` returns is kept; whatever `unpack` returns is used. So keep half of
# the bits:


# %%
def to_half(tensor):
    return tensor.half()


def to_float(tensor):
    return tensor.float()


def gradient_of_expression(pack, unpack):
    x = mg.linspace(-1, 1, 5).requires_grad_()
    with saved_tensors_hooks(pack, unpack):
        y = expression(x).sum()
    y.backward()
    return x.grad


exact = gradient_of_expression(lambda tensor: tensor, lambda tensor: tensor)
rough = gradient_of_expression(to_half, to_float)
print("exact", exact.tolist())
print("rough", rough.tolist())
difference = (exact - rough).abs().max().item() / exact.abs().max().item()
print(f"off by {difference:.5f} of the largest")
assert 0 < difference < 1e-3

# %% [markdown]
# *This* is approximate: three or four digits are left, in exchange for half of the memory. The forward pass itself was exact; only what was laid aside
# for the way back is coarser. Whether that is good enough is for you to say. With checkpointing nobody has to ask.
#
# ## Exercises
#
# **8.1** *Weigh a function.* Return how many bytes `function(x)` keeps for backward, each piece of memory counted once, the input
# included if it is saved. (`saved_tensors_hooks`, `tensor.data_ptr()`, `tensor.nbytes`; keep the result alive while you count.)


# %%
@exercise("8.1")
def bytes_kept(function, x):
    return ...


# %% [markdown]
# **8.2** *Squeeze.* Return two functions, `pack` and `unpack`: the first makes a `float16` of what is saved, the second gives back what
# the node expects, a `float32`.


# %%
@exercise("8.2")
def squeeze():
    return ...


# %% [markdown]
# **8.3** *Where to cut.* A chain of `layers` equal layers is cut into segments of `k` layers each, and every segment is checkpointed. At
# most, one holds the inputs of all `layers / k` segments, and what the `k` layers of *one* segment save. Return the `k` for which that sum
# is smallest (among those that divide `layers`).


# %%
@exercise("8.3")
def best_cut(layers):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **8.1** By address, so that `x * x`, which saves `x` twice, counts it once:
#
# ```python
# @exercise("8.1")
# def bytes_kept(function, x):
#     memory = {}
#
#     def pack(tensor):
#         memory[tensor.data_ptr()] = tensor.nbytes
#         return tensor
#
#     with saved_tensors_hooks(pack, lambda tensor: tensor):
#         result = function(x)
#     return sum(memory.values())
# ```
#
# **8.2**
#
# ```python
# @exercise("8.2")
# def squeeze():
#     return lambda tensor: tensor.half(), lambda tensor: tensor.float()
# ```
#
# **8.3** It is the square root, or the divisor nearest to it: 100 layers need the memory of 20.
#
# ```python
# @exercise("8.3")
# def best_cut(layers):
#     cuts = [k for k in range(1, layers + 1) if layers % k == 0]
#     return min(cuts, key=lambda k: layers / k + k)
# ```
#
# </details>

# %% [markdown]
# *Next:* [9. Derivatives of derivatives](09_derivatives_of_derivatives.ipynb)
