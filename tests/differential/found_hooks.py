"""What the fuzzer once found in programs with hooks: which run, in what order, what they see. Run by ``test_found``."""

from __future__ import annotations

FOUND = {
    "a view made under no_grad has no node for a hook of several tensors": """
a = xp.tensor([1.0], dtype=xp.float64, requires_grad=True)
with xp.no_grad():
    b = a.view(1)
    c = xp.tensor([0.5 + 0j], dtype=xp.complex128, requires_grad=True).real
h = xp.autograd.graph.register_multi_grad_hook([a, c], see("h"), mode="all")
k = xp.autograd.graph.register_multi_grad_hook([a, b], see("k"), mode="all")
""",
    "the hooks of a leaf that stopped requiring grad still run": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
h = a.register_hook(see("hook"))
p = a.register_post_accumulate_grad_hook(see("accumulated"))
b = a * 1
a.detach_()
b.backward(xp.ones_like(b))
""",
    "the hook of an output that got no gradient sees None": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
h = b.register_hook(see("h"))
c.backward()
""",
    "a node knows only its outputs that can have gradients": """
a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b, c = a.max(0)
h = b.grad_fn.register_prehook(see("before"))
i = b.grad_fn.register_hook(see("after"))
b.backward(xp.ones_like(b))
""",
    "only the edges that a pass needs are computed": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a.cos()
h = b.grad_fn.register_hook(see("post"))
b.backward(xp.ones_like(b), inputs=[b])
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
    "of several outputs all hooks run before any gradient is retained": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b, c = a.split(1)
b.retain_grad()
h = c.register_hook(see("h", lambda grad: grad.clamp(-1, 1)))
d = b * 2
d.backward(xp.ones_like(d))
""",
    "a hook sees what a Function returned for inputs that need no gradient too": """
a = xp.tensor([1.0], requires_grad=True)
b = xp.tensor([2.0])
c, d = fn.Bare.apply(a, b)
h = c.grad_fn.register_hook(see("h"))
d.backward(inputs=[a])
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
    "a first gradient that requires grad is seen as it was given": """
a = xp.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
c = xp.tensor([1.0, 2.0], requires_grad=True)
h = b.register_hook(see("h"))
b.backward(c * 1)
(d,) = xp.autograd.grad([b], [b], [c * 1])
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
    "indices that went through hooks require no grad": """
a = xp.tensor([[1.0, 2.0, 3.0]], dtype=xp.float64, requires_grad=True)
with xp.autograd.graph.saved_tensors_hooks(lambda kept: kept.clone(), lambda kept: kept):
    b, c = a.min(0)
(d,) = xp.autograd.grad([b], [a], [xp.ones_like(b)], create_graph=True)
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
    "a leaf that is a root twice is ready at its second naming": """
a = xp.tensor(1.0, requires_grad=True)
b = xp.tensor(1.0, requires_grad=True)
h = a.register_hook(see("h"))
k = b.register_hook(see("k"))
xp.autograd.backward([a, b, a], [xp.ones_like(a), xp.ones_like(b), xp.ones_like(a)])
""",
    "the way back of softmax is one node": """
a = xp.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=xp.float64, requires_grad=True)
b = a.softmax(0)
c, = xp.autograd.grad([b], [a], [xp.ones_like(b)], create_graph=True)
h = c.grad_fn.register_hook(see("h"))
b[None, xp.tensor([True, True])] = -1.0
c.backward(xp.ones_like(c))
""",
    "a seed that requires grad goes on requiring it, cast or seen otherwise": """
a = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
h = a.register_hook(see("h"))
b = xp.tensor([[1.0, 2.0]], dtype=xp.float32, requires_grad=True)
a.backward(b.sum(0))
a.view(1, 2).backward((b * 2).to(xp.float64))
""",
}
