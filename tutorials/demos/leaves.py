"""Who keeps a gradient: a leaf that wants one, a result that was asked to; and who gets none."""

import minigrad as mg

w = mg.tensor([1.0, 2.0], requires_grad=True)  # a leaf that wants a gradient
x = mg.tensor([3.0, 4.0])  # a leaf that wants none: no way leads back to it

y = w * x  # a result; what passes through it is kept, for it was asked to
y.retain_grad()
z = y * y  # a result; what passes through it is gone
past = y.detach()  # the same numbers and the same memory, but no history: nothing comes back through it

loss = (z + past).sum()
loss.backward()

print("y.grad", y.grad.tolist(), "by hand 2 · y =", [6.0, 16.0])
print("w.grad", w.grad.tolist(), "by hand 2 · y · x =", [18.0, 64.0])
