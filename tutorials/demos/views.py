"""Rows of one buffer: a write through a view reaches its base, its history, and every other view."""

import minigrad as mg

start = mg.tensor([1.0, 2.0], requires_grad=True)
gate = mg.tensor([3.0, 0.5], requires_grad=True)

table = mg.zeros(3, 2)
first = table[0]  # a view: the same memory, the same version counter
table[0] = start  # version 1: the table now has a history, and so has every view of it
print("first sees the write:", first.tolist(), "and has the grad_fn", first.grad_fn.name())

table[1] = start * gate  # version 2: the product was computed outside, from tensors nobody overwrites
table[2] = start + gate  # version 3

total = table.sum()
total.backward()
print("start.grad", start.grad.tolist(), "by hand 1 + gate + 1 =", [5.0, 2.5])
print("gate.grad ", gate.grad.tolist(), "by hand start + 1 =", [2.0, 3.0])
