"""Backward a second time through the same graph: what it saved is gone."""

import minigrad as mg

w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)

features = w.exp()  # computed once, outside the loop, and it keeps its output
for target in (2.0, 5.0):
    loss = (features.sum() - target) ** 2
    loss.backward()  # the first pass frees what `features` kept; the second needs it again
    print("target", target, "gradient", w.grad.tolist())

# Mend it: compute `features` inside the loop, or let the first pass keep it with backward(retain_graph=True).
