"""What the fuzzer once found: small programs on which minigrad and PyTorch parted, each named for its behaviour."""

from __future__ import annotations

from types import ModuleType

import pytest

import minigrad
from tests.differential.compare import first_difference, report
from tests.differential.programs import program_of
from tests.differential.run import run

pytestmark = pytest.mark.oracle

FOUND = {
    "a leaf that stopped requiring grad gets nothing": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
a.requires_grad_(False)
b.backward(xp.ones_like(b))
""",
    "the hooks of a leaf that stopped requiring grad still run": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
h = a.register_hook(see("hook"))
p = a.register_post_accumulate_grad_hook(see("accumulated"))
b = a * 1
a.detach_()
b.backward(xp.ones_like(b))
""",
    "the gradient that a user gives is never kept with create_graph either": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
a.backward(a, create_graph=True)
""",
    "a view made under no_grad has no edge": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a[0]
with xp.no_grad():
    c = a.unfold(0, 2, 1)
d = c * b
""",
    "a view made under no_grad has no backward": """
a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
with xp.set_grad_enabled(False):
    b = a.unfold(0, 2, 1)
b.backward(xp.ones_like(b))
""",
    "a gradient recorded through relu requires grad": """
a = xp.tensor([1.0, -1.0], requires_grad=True)
b = a.relu()
b.backward(xp.ones_like(b), create_graph=True)
""",
    "as_strided stays inside the storage": """
a = xp.tensor([1.0])
b = a.expand(2)
c = b.as_strided((2, 2), (1, 0), 0)
""",
    "the hook of an output that got no gradient sees None": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
h = b.register_hook(see("h"))
c.backward()
""",
    "a Function that hands its input on under no_grad makes a plain view": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
with xp.no_grad():
    c = fn.Same.apply(b)
c[0:1] = xp.tensor([5.0])
""",
    "one bare slice is a slice and several whole ones are an alias": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a[:]
c = a[:, :]
d = a[...]
e = a[0:5]
""",
    "log1p and a number minus a tensor bear PyTorch's names": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.log1p()
c = 0.5 - a
""",
    "integers to tensors of negative powers do not raise": """
a = xp.tensor([9, 10, -6])
b = xp.tensor([2, -1, -2])
c = a.pow(b)
""",
    "a 0-dim float64 gradient keeps its precision": """
a = xp.tensor(2.5, dtype=xp.float64, requires_grad=True)
b = a.relu().expm1()
b.backward()
""",
    "a 0-dim sum leads back to 0 dimensions": """
a = xp.tensor(2.5, requires_grad=True)
b = a.sum().neg()
b.backward()
c = a.mean()
c.backward()
d = a.prod()
d.backward()
""",
    "the parts of a vector are scalars to backward too": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.unbind()
d = b.norm()
d.backward()
e = c.std()
e.backward()
""",
    "copied slices run once unless the graph is retained": """
a = xp.tensor(1.0, requires_grad=True)
b = xp.stack([a, a])
b[0:1] = a
b.backward(xp.ones_like(b))
b.backward(xp.ones_like(b))
""",
    "shapes that do not broadcast are told with their dimension": """
a = xp.ones(2, 1, 2)
b = xp.ones(3)
c = a * b
d = xp.ones(0) + a
""",
    "a gradient is cast to its leaf with create_graph too": """
a = xp.tensor([1.0], dtype=xp.float64)
b = xp.tensor([2.0], dtype=xp.float32, requires_grad=True)
b.backward(a, create_graph=True)
""",
    "a mask is not subtracted": """
a = xp.tensor([1.0, 2.0])
b = a > 1
c = b - a
d = a - b
e = b - b
""",
    "the overload of the node is told in the message": """
a = xp.tensor([1.0], requires_grad=True)
b = a.pow(a)
b *= a
b.backward()
""",
    "an index write into expanded memory writes the chosen cells": """
a = xp.tensor([1.0]) * 1
b = a.expand(2, 2)
b[xp.tensor([0])] = 1.5
b.masked_fill_(xp.tensor([[True, False], [False, False]]), 2.0)
c = xp.tensor([-2]).expand(2, 2)
c[xp.tensor([0])] = 1.5
""",
    "expanded memory is not copied into, by a slice or by a tensor": """
a = xp.tensor([1.0]).expand(2)
a[:] = 2.0
a[0:1] = 3.0
a.fill_(xp.tensor(4.0))
a.copy_(xp.tensor([5.0, 6.0]))
""",
    "a retained gradient is no tensor that is returned": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
b.retain_grad()
(c,) = xp.autograd.grad([b], [b], [xp.ones_like(b)], create_graph=True)
(d,) = xp.autograd.grad([b * b], [a], [xp.ones_like(b)], create_graph=True)
""",
    "a retained gradient keeps the shape that its tensor had": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a * 2
b.retain_grad()
b.t_()
c = b * 3
c.backward(xp.ones_like(c))
""",
    "a view of an inference-mode view stays one under no_grad": """
a = xp.tensor([1.0], requires_grad=True)
with xp.inference_mode():
    b = a.squeeze()
with xp.no_grad():
    c = b.view(1)
c.clamp_(0, 1)
""",
    "an overwritten view of several says that it may not be used": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b, c = a.chunk(2)
d = b.exp() * c
with xp.no_grad():
    a -= 1
d.backward(xp.ones_like(d))
""",
    "an overwritten view says what made it anew": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
c = b[0]
d = c * c
b.sigmoid_()
d.backward()
""",
    "a Function that writes one of several views counts its write twice": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
d = fn.Doubled.apply(b)
""",
    "bools have no length, no floor and no power": """
a = xp.tensor([1.0, 2.0]) > 1
b = a.abs()
c = a.floor()
d = a.pow(a)
e = a.frac()
f = a // a
g = a % a
h = a @ a
i = a.relu()
""",
    "a mask is not subtracted in place, scaled or not": """
a = xp.tensor([1.0, 2.0])
b = a > 1
a.sub_(b)
a.sub_(b, alpha=2)
""",
    "a Function that writes a tensor drops the gradient that it had retained": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
b.retain_grad()
b.backward(xp.ones_like(b), retain_graph=True)
c = fn.Doubled.apply(b)
c.backward(xp.ones_like(c))
""",
    "in inference mode leaves are written as if no grad was enabled": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
c = b[0:1]
with xp.inference_mode():
    with xp.enable_grad():
        a.add_(1)
        a[0] = 5.0
        c.squeeze_()
""",
    "backward to a stale view of a constant makes it retain its gradient": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]])
b = a.select(1, 0)
c = xp.tensor([1.0], requires_grad=True)
a.copy_(c)
d = c * 2
d.backward(inputs=[b, c])
""",
    "a 0-dim tensor has no last element either": """
a = xp.tensor(1.0)
b = a[0]
c = a[-1]
""",
    "a view out of a Function is one whether the Function was recorded or not": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
with xp.no_grad():
    b = fn.Flat.apply(a)
c = b[0:1]
b.mul_(2)
c.mul_(2)
d = fn.Flat.apply(xp.tensor([1.0]))
d.mul_(a[0])
""",
    "a node knows only its outputs that can have gradients": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b, c = a.max(0)
h = b.grad_fn.register_prehook(see("before"))
i = b.grad_fn.register_hook(see("after"))
b.backward(xp.ones_like(b))
""",
    "outer reshapes its first operand": """
a = xp.tensor([1.0], requires_grad=True)
b = a.expand(2)
c = b.outer(b)
c.backward(xp.ones_like(c))
""",
    "filling expanded memory is legal": """
a = xp.tensor([1.0]) * 1
b = a.expand(2)
b.fill_(1.5)
c = xp.tensor([[1.0, 2.0]]).expand(2, 2)
c[xp.tensor([False, True]), :] = 3.0
""",
    "being a view of a leaf comes before overlapping": """
a = xp.tensor([1.0], requires_grad=True)
b = a.expand(2, 4)
b.add_(3.0)
b.sin_()
""",
    "the gradient of a stale view is None and asking is no error": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
with xp.no_grad():
    c = b[0]
b.mul_(2)
d = c.grad
""",
    "only the edges that a pass needs are computed": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.cos()
h = b.grad_fn.register_hook(see("post"))
b.backward(xp.ones_like(b), inputs=[b])
""",
    "a view of a view made under no_grad says so": """
a = xp.tensor(1.0, requires_grad=True)
with xp.no_grad():
    b = a.unsqueeze(0)
b[0:1] = 2.0
""",
    "a tensor is captured before its hooks where the pass goes on": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.clamp(0.0)
h = b.register_hook(see("doubles", lambda grad: grad * 2))
c = b * 3
d, e = xp.autograd.grad([c], [b, a], [xp.ones_like(c)], retain_graph=True)
(f,) = xp.autograd.grad([c], [b], [xp.ones_like(c)])
""",
    "a single root runs its hooks even if nothing is needed": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
c = a * 3
h = b.register_hook(see("root"))
d = xp.autograd.grad([b], [c], [xp.ones_like(b)], allow_unused=True)
""",
    "of several roots only those run that are needed": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
c = a * 3
h = b.register_hook(see("root"))
d = xp.autograd.grad([b, c], [c], [xp.ones_like(b), xp.ones_like(c)], allow_unused=True)
""",
    "backward to a non-leaf makes it retain its gradient": """
a = xp.tensor([1.0], requires_grad=True)
b = a * 2
b.backward(inputs=[b, a], retain_graph=True)
b.backward()
""",
    "an input that needs no grad cannot retain it": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0])
c = b[0]
a.backward(inputs=[c])
b.backward(inputs=[c])
""",
    "an undefined gradient still runs the hooks after accumulation": """
a = xp.tensor([1.0], requires_grad=True)
b = fn.Silent.apply(a, a)
h = a.register_post_accumulate_grad_hook(see("h"))
b.backward()
""",
    "a node of several outputs sees None for those without a gradient": """
a = xp.tensor([[1.0], [2.0]], requires_grad=True)
b, c = a.unbind()
h = b.grad_fn.register_prehook(see("before"))
i = b.grad_fn.register_hook(see("after"))
b.backward()
""",
    "squeezing a view in place changes that view only": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a * 1
c = b[0]
c.unsqueeze_(0)
d = b.t()
d.t_()
""",
    "zeros for unused inputs are tensors of their own": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0], requires_grad=True)
c, d, e = xp.autograd.grad([a], [a, b, b], materialize_grads=True)
""",
    "a base whose grad was switched off still has views": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a.narrow(1, 0, 1)
a.requires_grad_(False)
with xp.no_grad():
    b[0] = -1.0
c = b * 2
""",
    "a dirty view gives its base a history": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a + a
c = b[:, 0]
d = fn.Doubled.apply(c)
b.backward(xp.ones_like(b))
""",
    "a view that a Function wrote is followed by its siblings": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = fn.Once.apply(a)
c = b.diagonal(0)
d = b.view_as(b)
e = fn.Doubled.apply(d)
c.backward(xp.ones_like(c))
""",
    "the sign of not-a-number is zero": """
a = xp.tensor([0.0])
b = a / a
c = b.sign()
""",
    "a constant's old view does not come to require grad with its base": """
a = xp.tensor([1.0, 2.0])
b = a[:1]
a.requires_grad_()
b.backward()
""",
    "logaddexp does not keep its result": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.logaddexp(a)
c = b + 1
b.sqrt_()
c.backward(xp.ones_like(c))
""",
    "a leaf that changed its shape cannot accumulate into its old gradient": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
a.backward(xp.ones_like(a))
with xp.no_grad():
    a.unsqueeze_(0)
a.backward(xp.ones_like(a))
""",
    "several views made in inference mode are refused for the mode": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
with xp.inference_mode():
    b, c = a.chunk(2)
b.mul_(2)
""",
    "nothing is recorded in inference mode with grad enabled": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
with xp.inference_mode():
    with xp.enable_grad():
        c = a.sign()
        d = a[0]
        b.sin_()
""",
    "a tensor is not scattered into itself": """
a = xp.tensor([1.0, 2.0])
a[xp.tensor([1, 0])] = a
""",
    "a node whose gradients are all undefined still looks at what it saved": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.std()
b.fill_(0.0)
c = fn.Silent.apply(a, b)
c.backward(xp.ones_like(c))
""",
    "asking a stale view to retain its gradient asks for its grad_fn": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = a * 1
c, d = b.chunk(2)
with xp.no_grad():
    b += 1
c.retain_grad()
""",
    "asking a stale view without history to retain its gradient is no error": """
a = xp.tensor([1.0], requires_grad=True)
b = a.sign()
with xp.inference_mode():
    c = b.view_as(b)
    b *= a
c.retain_grad()
""",
    "a stale view that requires grad may be told to": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = a * 1
c, d = b.chunk(2)
with xp.no_grad():
    b += 1
c.requires_grad_()
""",
    "undefined gradients flow on and run the hooks on their way": """
a = xp.tensor(2.5, requires_grad=True)
h = a.register_hook(see("leaf"))
b = a.max()
i = b.register_hook(see("middle"))
c = fn.Silent.apply(b, a)
c.backward()
""",
    "equal roots count as several": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0], requires_grad=True)
h = a.register_hook(see("h"))
c = xp.autograd.grad([a, a], [b], [xp.ones_like(a), xp.ones_like(a)], allow_unused=True)
""",
    "what a view without an edge would be multiplied by is not saved": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = xp.tensor([1.0, 3.0])
with xp.no_grad():
    c = a[:]
d = c * b
e = b / c
with xp.inference_mode():
    f = xp.tensor([2.0, 3.0])
g = c * f
b.add_(1)
h = d * a
h.backward(xp.ones_like(h))
""",
    "whole numbers copy from anything, and have no history": """
a = xp.tensor(1)
b = xp.tensor(-0.25, requires_grad=True)
with xp.no_grad():
    c = a.unsqueeze(0)
c.copy_(b)
""",
    "whole numbers are filled with not-a-number without a word": """
a = xp.tensor([-1]).log()
b = xp.tensor([1])
b[:] = a
b.fill_(a[0])
""",
    "the power of a half knows the sign of a zero": """
a = xp.tensor([-0.0, 4.0], requires_grad=True)
b = a.pow(0.5)
c = a.pow(-0.5)
b.backward(xp.ones_like(b))
""",
    "the slope of a variance without freedom knows nothing of the numbers": """
a = xp.tensor([1.0], requires_grad=True)
b = a.var()
b.backward(create_graph=True)
""",
    "the slope of one factor's running product knows nothing of it": """
a = xp.tensor([2.0], requires_grad=True)
b = a.cumprod(0)
b.backward(xp.ones_like(b), create_graph=True)
""",
    "of several outputs all hooks run before any gradient is retained": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
b.retain_grad()
h = c.register_hook(see("h", lambda grad: grad.clamp(-1, 1)))
d = b * 2
d.backward(xp.ones_like(d))
""",
    "a stale view is complained of before what the operation itself refuses": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.unbind()
with xp.no_grad():
    c.neg_()
d = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64)
d[0, xp.tensor([0, 1])] = c
e = c @ d
f = d + c
""",
    "an inference tensor is refused only after all else that is wrong": """
with xp.inference_mode():
    a = xp.tensor([1.0, 2.0])
    b = xp.tensor([1, 2])
b.add_(0.5)
b.mul_(2)
a.expand(2, 2).add_(1)
a.add_(xp.tensor([1, 2, 3]))
a.t_()
c = a * 2
""",
    "shapes that do not meet come before types in an index write": """
a = xp.tensor([1, 2])
a[xp.tensor([0])] = xp.tensor([1.0, 2.0, 3.0])
a[xp.tensor([0])] = xp.tensor([1.0])
""",
    "a hook sees what a Function returned for inputs that need no gradient too": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0])
c, d = fn.Bare.apply(a, b)
h = c.grad_fn.register_hook(see("h"))
d.backward(inputs=[a])
""",
    "a leaf that was written while it did not require grad gathers nothing": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a + 0.5
a.requires_grad_(False)
a[xp.tensor([0])] = b[0:1]
a.backward(xp.ones_like(a))
""",
    "a mask that does not fit is told after what autograd forbids": """
a = xp.tensor([1.0], requires_grad=True)
b = a.unsqueeze(0)
b[xp.tensor([True, False])] = 1.5
""",
    "the way back through a write to expanded memory is refused": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 0.5
c = b.expand(2, 2)
c[xp.tensor([False, False])] = 0.5
b.backward(xp.ones_like(b))
""",
    "whoever retains its gradient already does not retain it once more": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
b.retain_grad()
b.unsqueeze_(0)
b.backward(xp.ones_like(b), inputs=[b, a])
""",
    "equal numbers have no variance": """
a = xp.tensor(1.75, dtype=xp.float64, requires_grad=True)
b = a.expm1().expand(6)
c = b.std()
c.backward()
""",
    "what one rule alone needs is saved when that rule runs, and the rest always": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = xp.tensor([2.0, 3.0])
c = a.pow(b)
d = b * a
e = b.pow(a)
c.mul_(2)
a.detach().add_(1)
d.backward(xp.ones_like(d))
e.backward(xp.ones_like(e))
c.backward(xp.ones_like(c))
""",
    "gathering keeps what it gathers from": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
c = b.gather(0, xp.tensor([0]))
b.add_(1)
c.backward()
""",
    "what a Function makes in inference mode starts no graph outside": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
with xp.inference_mode():
    with xp.enable_grad():
        b = fn.Product.apply(a, a)
c = b.amax(0, keepdim=True)
""",
    "an old view of a constant that nobody asked counts as a leaf": """
a = xp.tensor([1.0, 2.0])
b = a[0:1]
c = xp.tensor([1.0], requires_grad=True)
a.mul_(c)
b.zero_()
""",
    "the smallest alone gets a gradient, whatever that is": """
a = xp.tensor([-1.0, 2.5], requires_grad=True)
b = a.min().pow(0.5)
b.backward()
""",
    "a stack that lies packed is multiplied as one matrix": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = a[None, 1:2, xp.tensor([1, 1, 2])]
c = xp.tensor([1.0]) @ b
""",
    "what an operation keeps for its shape alone must not be overwritten either": """
a = xp.tensor([[[1.0, 2.0], [3.0, 4.0]]], requires_grad=True)
b = a * 1
c = xp.nn.functional.max_pool2d(b, 2)
d = xp.nn.functional.avg_pool2d(b, 2)
e = b.masked_select(b > 2)
f = b.cummax(2)[0]
g = b.take(xp.tensor([0, 3]))
h = a.index_add(0, xp.tensor([0]), b)
b.mul_(2)
c.backward(retain_graph=True)
d.backward(retain_graph=True)
e.sum().backward(retain_graph=True)
f.sum().backward(retain_graph=True)
g.sum().backward(retain_graph=True)
h.sum().backward()
""",
    "a hook of several tensors does not wait for the one root": """
a = xp.tensor([1.0], requires_grad=True)
b = a * 2
h = xp.autograd.graph.register_multi_grad_hook([b, a], see("h"))
b.backward()
c = a * 3
d = a * 4
i = xp.autograd.graph.register_multi_grad_hook([c, d, a], see("i"))
xp.autograd.backward([c, d])
j = xp.autograd.graph.register_multi_grad_hook([a], see("j"))
a.backward()
(e,) = xp.autograd.grad([a * 2], [a])
""",
    "a hook at the first of several tensors passes over those that need no grad": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0])
h = xp.autograd.graph.register_multi_grad_hook([b, a], see("h"), mode="any")
c = a * b
c.backward()
i = xp.autograd.graph.register_multi_grad_hook([b, a], see("i"))
""",
    "what was written through a view is said to come of the view": """
a = xp.tensor([1.0], requires_grad=True)
b = a * a
c = b.unsqueeze(0)
c.tanh_()
d = c * 2
b.mul_(2)
d.backward()
""",
    "a hook at the first of several tensors holds no pass": """
a = xp.tensor([1.0], requires_grad=True)
h = xp.autograd.graph.register_multi_grad_hook([a], see("h"), mode="any")
a.backward()
i = xp.autograd.graph.get_gradient_edge(a).node.register_prehook(see("i"))
a.backward()
""",
    "the outputs of a node run their hooks in the order of the first": """
a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
b, c, d = a.chunk(3)
h = d.register_hook(see("d"))
i = b.register_hook(see("b"))
j = d.register_hook(see("d once more"))
e = d @ c
e.backward()
""",
    "a stale source is complained of before an inference target": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
with xp.inference_mode():
    c.tanh_()
    d = xp.tensor([[1.0]])
d.copy_(c)
""",
    "complex numbers have no bounds": """
a = xp.tensor([0.5j, 1.5 + 1j], dtype=xp.complex128)
b = a.clamp(-1, 1)
""",
    "the parts of a complex vector lead back": """
a = xp.tensor([1.5 + 1j, -0.5 - 1j], dtype=xp.complex128, requires_grad=True)
b, c = a.unbind()
(d,) = xp.autograd.grad([b], [a], [xp.ones_like(b)])
""",
    "running sums lie packed in memory": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = a.unfold(0, 2, 1).cumsum(2) @ a
""",
    "of two overwritten vectors of a product the first is told": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.sin()
c = a.cos()
d = b @ c
b.detach().add_(1)
c.detach().add_(1)
d.backward()
""",
    "in inference mode a Function carries no tangents": """
a = xp.tensor([1.0])
with xp.inference_mode():
    with xp.autograd.forward_ad.dual_level():
        b = xp.autograd.forward_ad.make_dual(a, xp.ones_like(a))
        c, d = fn.Split.apply(b)
        e = b * 2
        f = xp.autograd.forward_ad.unpack_dual(e).tangent
""",
    "whole numbers have no infinity to be filled with": """
a = xp.tensor([9, 1])
b = xp.tensor([0.0]).rsqrt()
a[xp.tensor([False, True])] = b
a.masked_fill_(a > 0, float("nan"))
a.fill_(float("inf"))
a[0] = 2.5
""",
    "a first gradient that requires grad is seen as it was given": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
c = xp.tensor([1.0, 2.0], requires_grad=True)
h = b.register_hook(see("h"))
b.backward(c * 1)
(d,) = xp.autograd.grad([b], [b], [c * 1])
""",
    "an undefined gradient makes joint operations look at what they saved too": """
a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a[xp.tensor([True, False, False])]
b.backward()
c = fn.Silent.apply(b, b)
c.backward()
""",
    "a list of operands is wanted whole": """
a = xp.tensor([1.0, 2.0])
b = xp.tensor([1.0], requires_grad=True)
c = xp.cat([a, b])
h = c.grad_fn.register_hook(see("h"))
c.backward(xp.ones_like(c))
d = xp.stack([a[0], b[0]])
i = d.grad_fn.register_hook(see("i"))
d.backward(xp.ones_like(d))
""",
    "a refused pass leaves nothing of its graph behind": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([1.0], requires_grad=True)
(c,) = xp.autograd.grad([a * a], [b])
h = xp.autograd.graph.get_gradient_edge(b).node.register_hook(see("h"))
b.backward()
""",
    "of an overwritten quotient's operands the divisor is told first": """
a = xp.tensor([1.0, 2.0])
b = xp.tensor([1.0, 2.0], requires_grad=True)
c = b.flip(0)
d = a / c
a.add_(1)
c.sigmoid_()
d.backward(xp.ones_like(d))
""",
    "a stale view under no_grad is joined without being asked for its grad_fn": """
a = xp.tensor([1.0], requires_grad=True)
with xp.no_grad():
    b = a[:]
    b.sub_(0.25)
    c = xp.cat([a, b])
""",
    "a Function gets back what it saved though it was detached since": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
b = a / a
c = xp.stack([b, a])
d = fn.Product.apply(c, b)
b.detach_()
e = d.narrow(0, 1, 1)
(f,) = xp.autograd.grad([e], [c], [xp.ones_like(e)])
""",
    "a gradient is not added to one whose elements share memory": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
b, c = a.split(1)
d = b.expand(2, 2)
a.grad = c.expand(2)
d.backward(xp.ones_like(d))
""",
    "of the overwritten operands of logaddexp the second is told first": """
a = xp.tensor(2.0, dtype=xp.float64, requires_grad=True)
a.backward()
b = fn.Same.apply(a)
c = b.logaddexp(a)
with xp.no_grad():
    a -= 1.0 * a.grad
c.backward()
""",
    "no whole numbers have a softmax": """
a = xp.tensor([], dtype=xp.int64)
b = a.softmax(0)
c = a.log_softmax(0)
""",
    "an overwritten output of a write through a view is named by the write when nothing stands behind it any more": """
a = xp.tensor([1.0], dtype=xp.float32, requires_grad=True)
b = a * a
c = b.view_as(b)
c.sqrt_()
b.clamp_(-0.5, 1.0)
d = c.outer(c)
e, f = xp.autograd.grad([c, d], [a, d], [xp.ones_like(c), xp.ones_like(d)])
""",
    "the exponents of a power are no mask in its derivative": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
b = a.nan_to_num()
c = b.lt(a + 1)
d = b.pow(c)
d.backward(xp.ones_like(d))
""",
    "conj_physical_ has a node of its own, of real numbers too": """
a = xp.tensor([[1.0, 2.0]], dtype=xp.float64, requires_grad=True)
b = xp.tensor([(-1-0.5j)], dtype=xp.complex128)
c = b * a
c.conj_physical_()
d = a * 2
d.conj_physical_()
""",
    "the gradient of a product with two zeros is zero even from NaN": """
a = xp.tensor([0.0, 0.0, 0.0, 0.0], dtype=xp.float64, requires_grad=True)
b = a.prod()
c = b / b
c.backward()
d = a.prod(0)
e = d / d
e.backward()
""",
    "of the overwritten operands of atan2 the second is told first": """
a = xp.tensor([[[1.0, 2.0], [3.0, 4.0]]], dtype=xp.float64, requires_grad=True)
b = a + a
c = a + a
d = b.atan2(c)
b.add_(1)
c.squeeze_()
d.backward(xp.ones_like(d))
""",
    "indices that went through hooks require no grad": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
with xp.autograd.graph.saved_tensors_hooks(lambda kept: kept.clone(), lambda kept: kept):
    b, c = a.min(0)
(d,) = xp.autograd.grad([b], [a], [xp.ones_like(b)], create_graph=True)
""",
    "a zero at its bound keeps its sign": """
a = xp.tensor([[-1.25, 0.0, 1.25]], dtype=xp.float64)
b = a * -1.0
c = b.clamp(0.0).reciprocal()
d = b.relu().reciprocal()
e = b.clamp(min=xp.zeros_like(a)).reciprocal()
f = b.cumsum(1).reciprocal()
""",
    "what is turned round lies in memory as it did": """
a = xp.tensor([[[1.0, 2.0], [3.0, 4.0]]], dtype=xp.float64)
b = a.permute(2, 0, 1).flip(2)
c = b.squeeze()
d = c.contiguous()
""",
    "one gradient that arrives at several inputs is one tensor": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
b = a.expand(2)
c, d, e = xp.autograd.grad([b], [b, a, b], [xp.ones_like(b)])
f, g, h = xp.autograd.grad([b, b], [b, a, b], [xp.ones_like(b), xp.ones_like(b)])
h.data = e
""",
    "a batch whose memory has gaps is not folded into one matrix": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=xp.float64, requires_grad=True)
b = a.unfold(1, 2, 1)
c = xp.ones((2, 2), dtype=xp.float64)
d = b @ c
e = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
f = xp.ones((3,), dtype=xp.float64) @ e.unfold(0, 1, 1)
""",
    "a seed that does not fit is refused": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float32, requires_grad=True)
b = xp.tensor([0.5j, (1.5+1j)], dtype=xp.complex128, requires_grad=True)
xp.autograd.backward([a, b], [xp.ones_like(a), xp.ones((2,), dtype=xp.float64)])
""",
    "zero times infinity is no number in a product of single numbers too": """
a = xp.tensor([0.0], dtype=xp.float64)
b = xp.tensor([[-6.0, float("inf"), 6.0]], dtype=xp.float64)
c = a @ b
d = b.mT @ xp.zeros((1, 1), dtype=xp.float64)
e = xp.addmm(xp.zeros((1, 3), dtype=xp.float64), xp.zeros((1, 1), dtype=xp.float64), b)
""",
    "the gradient of a product of one zero is the one that arrived": """
a = xp.tensor([0.0], dtype=xp.float64, requires_grad=True)
h = a.register_hook(see("h"))
b = a.prod()
b.backward(create_graph=True)
c = a.prod(0)
c.backward(create_graph=True)
d = xp.tensor([2.0], dtype=xp.float64, requires_grad=True)
e = d.prod()
e.backward(create_graph=True)
""",
    "the second operand of logaddexp is no mask in its derivative": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
b = a.eq(a)
c = a.logaddexp(b)
c.backward(xp.ones_like(c))
""",
    "the gradients of a list that nobody wants are not computed": """
b = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
g = xp.stack([b, b * 1])
h = g.grad_fn.register_hook(see("h"))
i = g * 2
i.backward(xp.ones_like(i), inputs=[g, i])
j = xp.cat([b, b * 1])
k = j.grad_fn.register_hook(see("k"))
l = j * 2
l.backward(xp.ones_like(l), inputs=[b])
""",
    "complex numbers have no largest": """
a = xp.tensor([[(-1-0.5j), (0.5+0j)]], dtype=xp.complex128)
b = a.argmax(1)
c = a.argmin()
""",
    "a hook sees the gradients of a list that lead nowhere as they are": """
a = xp.tensor([1.0, 2.0], dtype=xp.float32)
b = xp.tensor([1.0], dtype=xp.float64, requires_grad=True)
c = xp.cat([b, a], dim=0)
h = c.grad_fn.register_hook(see("h"))
c.backward(xp.ones_like(c))
d = xp.stack([b.to(xp.int64), b, b])
k = d.grad_fn.register_hook(see("k"))
d.backward(xp.ones_like(d))
""",
    "a view that may not be used is told before a dimension or a shape that is wrong": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b, c = a.split(1)
with xp.no_grad():
    a -= 0.5
d = c.select(3, 0)
e = c.transpose(0, 7)
f = c.view(7)
g = c.sum(5)
h = c.expand(7)
i = c.flip(7)
j = c @ xp.zeros(0)
k = c.gather(9, xp.tensor([[0]]))
l = c.argsort()
m = c.movedim(0, 7)
n = c.narrow(0, 7, 7)
o = c.lt(xp.zeros(0))
""",
    "an inference tensor that cannot be saved is told before shapes that do not fit": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
with xp.inference_mode():
    b = xp.tensor([1.0, 2.0, 3.0])
c = a * b
d = a + b
e = a.pow(b)
""",
    "values of an index write are looked at before its places": """
a = xp.zeros(2, 3)
a[xp.tensor([1, 2, 2])] = xp.zeros(2, 3)
a[xp.tensor([1, 2])] = xp.zeros(2, 3, dtype=xp.float64)
a[xp.tensor([1, 2])] = xp.zeros(2, 3)
b = xp.zeros(0, 3)
b[xp.tensor([0])] = xp.zeros(7)
""",
    "the slope of a running product behind its first zero is 0": """
a = xp.tensor([[0.25, 0.0, 2.0, 0.0, 3.0], [0.0, 1.5, 2.0, 1.0, 4.0]], dtype=xp.float64, requires_grad=True)
b = a.cumprod(1)
c = b.reciprocal()
c.backward(xp.ones_like(c), retain_graph=True)
d = a.cumprod(1)
d.backward(xp.tensor([[1.0, 2.0, 3.0, float("inf"), 5.0], [1.0, 2.0, 3.0, 4.0, 5.0]], dtype=xp.float64))
""",
    "what is to be filled has memory at all": """
a = xp.tensor([], dtype=xp.float64)
b = a.index_fill(0, xp.tensor([0]), 0.5)
c = a.index_copy(0, xp.tensor([0]), xp.zeros(1, dtype=xp.float64))
d = xp.zeros(2, 0).index_fill(0, xp.tensor([5]), 1.0)
e = xp.zeros(2, 0).index_fill(1, xp.tensor([0]), 1.0)
f = xp.zeros(2).index_fill(0, xp.tensor([0.0]), 1.0)
""",
    "a saved tensor that was detached in place, and written through a view, was written": """
a = xp.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], requires_grad=True)
b = a.expm1()
c = b.prod(0, keepdim=True)
b.detach_()
d = b.squeeze()
d[0:1:2] = c
e = c - c
e.backward(xp.ones_like(e))
""",
    "indices that were exchanged lead nowhere": """
a = xp.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
b, c = (a * 2).min(0)
c.data = xp.tensor([-5])
b.backward(xp.ones_like(b))
""",
    "an angle of bools has no negative": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a.eq(a).atan2(a)
b.backward(xp.ones_like(b))
""",
    "a result lies in memory as its first operand does, and a sum row by row": """
a = xp.ones(4, 3, 2, requires_grad=True)
b = a.permute(1, 2, 0)
c = xp.ones(3, 2, 4)
d = (b + c).view(24)
e = (c + b).view(24)
f = (b.sin() * c).view(24)
g = xp.where(b > c, b, c).view(24)
h = b.sum(0).view(8)
i = (b + c.sum()).view(24)
j = xp.maximum(b, c).view(24)
k = (c[0] + b).view(24)
l = (b + c) @ xp.ones(4, 1)
""",
    "a leaf that is a root twice is ready at its second naming": """
a = xp.tensor(1.0, requires_grad=True)
b = xp.tensor(1.0, requires_grad=True)
h = a.register_hook(see("h"))
k = b.register_hook(see("k"))
xp.autograd.backward([a, b, a], [xp.ones_like(a), xp.ones_like(b), xp.ones_like(a)])
""",
    "a power of one half less one saves what it was taken of": """
a = xp.tensor([1.0], dtype=xp.float64, requires_grad=True)
b = a.select(0, 0)
c = b.pow(0.5)
d, = xp.autograd.grad([c], [a], create_graph=True)
with xp.no_grad():
    a -= 0.5
e = d.floor()
e.backward(xp.ones_like(e))
""",
    "a complex number is taken once before it is added": """
a = xp.tensor([-1.5 - 1j], dtype=xp.complex128)
b = xp.tensor([float("nan")], dtype=xp.float64)
c = (a + b).imag
d = (a - b).imag
e = (b + a).imag
f = (a + float("inf")).imag
""",
    "in place the target is saved as a copy, so that types are told first": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
with xp.inference_mode():
    b = xp.tensor([[9, 6, 3]], dtype=xp.int64)
b.mul_(a)
""",
    "what is read, sorted, copied or filled lies in memory as that of which it was made": """
a = xp.ones(4, 3, 2).permute(1, 2, 0)
b = a[xp.tensor([0, 1])].view(16)
c = a[:, xp.tensor([0])].view(12)
d = a.index_fill(0, xp.tensor([0]), 1.0).view(24)
e = a.sort(0)[0].view(24)
f = a.softmax(0).view(24)
g = a.max(0)[0].view(8)
h = a.masked_fill(a > 0, 1.0).view(24)
i = xp.full_like(a, 2.0).view(24)
j = xp.ones(1, 2, 1).expand(3, 2, 4).clone().view(24)
k = xp.ones(2, 3).unfold(0, 2, 1).index_fill(0, xp.tensor([0]), 0.5).contiguous()
""",
    "a view of a view of another type is led back step by step": """
a = xp.tensor(0.5 + 0j, dtype=xp.complex128, requires_grad=True)
b = a.imag
c = b.view(1)
with xp.no_grad():
    c[0] = 1.5
""",
    "the way back of softmax is one node": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=xp.float64, requires_grad=True)
b = a.softmax(0)
c, = xp.autograd.grad([b], [a], [xp.ones_like(b)], create_graph=True)
h = c.grad_fn.register_hook(see("h"))
b[None, xp.tensor([True, True])] = -1.0
c.backward(xp.ones_like(c))
""",
    "a gradient may be a view of another": """
a = xp.tensor([1.0, 2.0, 3.0], dtype=xp.float64, requires_grad=True)
b = a.view(3, 1)
c = (a * a).sum()
d, e = xp.autograd.grad([b, b], [b, a], [xp.ones_like(b), xp.ones_like(b)])
a.grad = e
c.backward()
""",
    "a seed that requires grad goes on requiring it, cast or seen otherwise": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
h = a.register_hook(see("h"))
b = xp.tensor([[1.0, 2.0]], dtype=xp.float32, requires_grad=True)
a.backward(b.sum(0))
a.view(1, 2).backward((b * 2).to(xp.float64))
""",
    "a number may be turned round, and is one part of itself": """
a = xp.tensor(-1.5, dtype=xp.float64, requires_grad=True)
b = a.flip(0)
b.backward()
c = a.index_select(0, xp.tensor([0, 0, 0]))
d = a.index_select(0, xp.tensor([0]))
""",
    "complex numbers have no order": """
a = xp.tensor([1 + 1j, 2.0])
b = a.max()
c = a.max(0)
d = a.sort()
e = a.cummax(0)
f = a.median()
g = a.topk(1)
h = a.amax()
i = a.floor()
j = a.round()
k = a.erf()
l = a < a
m = a.maximum(a)
n = a.fmod(a)
o = a.softmax(0)
p = a.nansum()
q = a.floor_(),
""",
}
"""Programs by the behaviour that they show."""


@pytest.mark.parametrize("watch", [True, False], ids=["watched", "unwatched"])
@pytest.mark.parametrize("behaviour", FOUND)
def test_minigrad_agrees_with_pytorch_that(behaviour: str, watch: bool, torch: ModuleType) -> None:
    program = program_of(FOUND[behaviour], watch)
    found = first_difference(run(program, torch), run(program, minigrad))
    assert found is None, report(program, found)
