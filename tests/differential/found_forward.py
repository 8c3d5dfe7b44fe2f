"""What the fuzzer once found in programs that only compute: views, writes, types, messages. Run by ``test_found``."""

from __future__ import annotations

FOUND = {
    "a product of vectors is summed from zero on": """
a = xp.tensor([-0.75], dtype=xp.float64) @ xp.tensor([0.0], dtype=xp.float64)
b = 1.0 / a
""",
    "a view made under no_grad has no edge": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a[0]
with xp.no_grad():
    c = a.unfold(0, 2, 1)
d = c * b
""",
    "as_strided stays inside the storage": """
a = xp.tensor([1.0])
b = a.expand(2)
c = b.as_strided((2, 2), (1, 0), 0)
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
    "shapes that do not broadcast are told with their dimension": """
a = xp.ones(2, 1, 2)
b = xp.ones(3)
c = a * b
d = xp.ones(0) + a
""",
    "a mask is not subtracted": """
a = xp.tensor([1.0, 2.0])
b = a > 1
c = b - a
d = a - b
e = b - b
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
    "a view of an inference-mode view stays one under no_grad": """
a = xp.tensor([1.0], requires_grad=True)
with xp.inference_mode():
    b = a.squeeze()
with xp.no_grad():
    c = b.view(1)
c.clamp_(0, 1)
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
    "a view of a view made under no_grad says so": """
a = xp.tensor(1.0, requires_grad=True)
with xp.no_grad():
    b = a.unsqueeze(0)
b[0:1] = 2.0
""",
    "squeezing a view in place changes that view only": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a * 1
c = b[0]
c.unsqueeze_(0)
d = b.t()
d.t_()
""",
    "a base whose grad was switched off still has views": """
a = xp.tensor([[1.0, 2.0]], requires_grad=True)
b = a.narrow(1, 0, 1)
a.requires_grad_(False)
with xp.no_grad():
    b[0] = -1.0
c = b * 2
""",
    "the sign of not-a-number is zero": """
a = xp.tensor([0.0])
b = a / a
c = b.sign()
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
    "a mask that does not fit is told after what autograd forbids": """
a = xp.tensor([1.0], requires_grad=True)
b = a.unsqueeze(0)
b[xp.tensor([True, False])] = 1.5
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
    "a stack that lies packed is multiplied as one matrix": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = a[None, 1:2, xp.tensor([1, 1, 2])]
c = xp.tensor([1.0]) @ b
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
    "running sums lie packed in memory": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = a.unfold(0, 2, 1).cumsum(2) @ a
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
    "a stale view under no_grad is joined without being asked for its grad_fn": """
a = xp.tensor([1.0], requires_grad=True)
with xp.no_grad():
    b = a[:]
    b.sub_(0.25)
    c = xp.cat([a, b])
""",
    "no whole numbers have a softmax": """
a = xp.tensor([], dtype=xp.int64)
b = a.softmax(0)
c = a.log_softmax(0)
""",
    "conj_physical_ has a node of its own, of real numbers too": """
a = xp.tensor([[1.0, 2.0]], dtype=xp.float64, requires_grad=True)
b = xp.tensor([(-1-0.5j)], dtype=xp.complex128)
c = b * a
c.conj_physical_()
d = a * 2
d.conj_physical_()
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
    "a batch whose memory has gaps is not folded into one matrix": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=xp.float64, requires_grad=True)
b = a.unfold(1, 2, 1)
c = xp.ones((2, 2), dtype=xp.float64)
d = b @ c
e = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
f = xp.ones((3,), dtype=xp.float64) @ e.unfold(0, 1, 1)
""",
    "zero times infinity is no number in a product of single numbers too": """
a = xp.tensor([0.0], dtype=xp.float64)
b = xp.tensor([[-6.0, float("inf"), 6.0]], dtype=xp.float64)
c = a @ b
d = b.mT @ xp.zeros((1, 1), dtype=xp.float64)
e = xp.addmm(xp.zeros((1, 3), dtype=xp.float64), xp.zeros((1, 1), dtype=xp.float64), b)
""",
    "complex numbers have no largest": """
a = xp.tensor([[(-1-0.5j), (0.5+0j)]], dtype=xp.complex128)
b = a.argmax(1)
c = a.argmin()
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
    "what is to be filled has memory at all": """
a = xp.tensor([], dtype=xp.float64)
b = a.index_fill(0, xp.tensor([0]), 0.5)
c = a.index_copy(0, xp.tensor([0]), xp.zeros(1, dtype=xp.float64))
d = xp.zeros(2, 0).index_fill(0, xp.tensor([5]), 1.0)
e = xp.zeros(2, 0).index_fill(1, xp.tensor([0]), 1.0)
f = xp.zeros(2).index_fill(0, xp.tensor([0.0]), 1.0)
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
