"""What the fuzzer once found in programs that differentiate: gradients, versions, graphs. Run by ``test_found``."""

from __future__ import annotations

FOUND = {
    "what is wrong with a seed is told before a root that requires no grad": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = xp.ones(2)
c = a * 1
xp.autograd.backward([c, b, c], [xp.ones_like(c), None, None])
xp.autograd.backward([c, b], [xp.ones_like(c), None])
xp.autograd.backward([b, c], [None, None])
b.backward()
d = xp.autograd.grad([b, c], [a])
e = xp.autograd.grad([b], [a])
""",
    "what is written in place is output 0 of the write, whichever output it was before": """
a = xp.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
b, c = fn.Split.apply(a)
c.relu_()
c[-1, 1:3] = 0.0
c.backward(xp.ones_like(c))
""",
    "a leaf that stopped requiring grad gets nothing": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
a.requires_grad_(False)
b.backward(xp.ones_like(b))
""",
    "the gradient that a user gives is never kept with create_graph either": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
a.backward(a, create_graph=True)
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
    "a gradient is cast to its leaf with create_graph too": """
a = xp.tensor([1.0], dtype=xp.float64)
b = xp.tensor([2.0], dtype=xp.float32, requires_grad=True)
b.backward(a, create_graph=True)
""",
    "the overload of the node is told in the message": """
a = xp.tensor([1.0], requires_grad=True)
b = a.pow(a)
b *= a
b.backward()
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
    "a Function that writes a tensor drops the gradient that it had retained": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 1
b.retain_grad()
b.backward(xp.ones_like(b), retain_graph=True)
c = fn.Doubled.apply(b)
c.backward(xp.ones_like(c))
""",
    "backward to a stale view of a constant makes it retain its gradient": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]])
b = a.select(1, 0)
c = xp.tensor([1.0], requires_grad=True)
a.copy_(c)
d = c * 2
d.backward(inputs=[b, c])
""",
    "outer reshapes its first operand": """
a = xp.tensor([1.0], requires_grad=True)
b = a.expand(2)
c = b.outer(b)
c.backward(xp.ones_like(c))
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
    "zeros for unused inputs are tensors of their own": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0], requires_grad=True)
c, d, e = xp.autograd.grad([a], [a, b, b], materialize_grads=True)
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
    "a node whose gradients are all undefined still looks at what it saved": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.std()
b.fill_(0.0)
c = fn.Silent.apply(a, b)
c.backward(xp.ones_like(c))
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
    "a leaf that was written while it did not require grad gathers nothing": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a + 0.5
a.requires_grad_(False)
a[xp.tensor([0])] = b[0:1]
a.backward(xp.ones_like(a))
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
    "the smallest alone gets a gradient, whatever that is": """
a = xp.tensor([-1.0, 2.5], requires_grad=True)
b = a.min().pow(0.5)
b.backward()
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
    "what was written through a view is said to come of the view": """
a = xp.tensor([1.0], requires_grad=True)
b = a * a
c = b.unsqueeze(0)
c.tanh_()
d = c * 2
b.mul_(2)
d.backward()
""",
    "the parts of a complex vector lead back": """
a = xp.tensor([1.5 + 1j, -0.5 - 1j], dtype=xp.complex128, requires_grad=True)
b, c = a.unbind()
(d,) = xp.autograd.grad([b], [a], [xp.ones_like(b)])
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
    "an undefined gradient makes joint operations look at what they saved too": """
a = xp.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a[xp.tensor([True, False, False])]
b.backward()
c = fn.Silent.apply(b, b)
c.backward()
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
    "one gradient that arrives at several inputs is one tensor": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
b = a.expand(2)
c, d, e = xp.autograd.grad([b], [b, a, b], [xp.ones_like(b)])
f, g, h = xp.autograd.grad([b, b], [b, a, b], [xp.ones_like(b), xp.ones_like(b)])
h.data = e
""",
    "a seed that does not fit is refused": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float32, requires_grad=True)
b = xp.tensor([0.5j, (1.5+1j)], dtype=xp.complex128, requires_grad=True)
xp.autograd.backward([a, b], [xp.ones_like(a), xp.ones((2,), dtype=xp.float64)])
""",
    "the second operand of logaddexp is no mask in its derivative": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
b = a.eq(a)
c = a.logaddexp(b)
c.backward(xp.ones_like(c))
""",
    "the slope of a running product behind its first zero is 0": """
a = xp.tensor([[0.25, 0.0, 2.0, 0.0, 3.0], [0.0, 1.5, 2.0, 1.0, 4.0]], dtype=xp.float64, requires_grad=True)
b = a.cumprod(1)
c = b.reciprocal()
c.backward(xp.ones_like(c), retain_graph=True)
d = a.cumprod(1)
d.backward(xp.tensor([[1.0, 2.0, 3.0, float("inf"), 5.0], [1.0, 2.0, 3.0, 4.0, 5.0]], dtype=xp.float64))
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
    "a gradient may be a view of another": """
a = xp.tensor([1.0, 2.0, 3.0], dtype=xp.float64, requires_grad=True)
b = a.view(3, 1)
c = (a * a).sum()
d, e = xp.autograd.grad([b, b], [b, a], [xp.ones_like(b), xp.ones_like(b)])
a.grad = e
c.backward()
""",
    "a number may be turned round, and is one part of itself": """
a = xp.tensor(-1.5, dtype=xp.float64, requires_grad=True)
b = a.flip(0)
b.backward()
c = a.index_select(0, xp.tensor([0, 0, 0]))
d = a.index_select(0, xp.tensor([0]))
""",
}
