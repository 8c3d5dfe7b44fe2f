"""A write that breaks backward: h was saved, and then changed in place."""

import minigrad as mg

w = mg.tensor([0.5, -1.0, 2.0], requires_grad=True)
x = mg.tensor([1.0, 2.0, 3.0])

h = w * x
q = h * h  # keeps h at version 0, for d(h²)/dh = 2h
h.add_(1.0)  # h is now at version 1: the value that q's gradient needs is gone
loss = q.sum()

# Which of the four nodes notices? Mend it by writing `h = h + 1.0` instead: a new tensor leaves the old one alone.
loss.backward()
