"""Backprop through 2-2-2: two inputs, two hidden units, two outputs, and every number to check on paper."""

import minigrad as mg

x = mg.tensor([0.05, 0.10])
target = mg.tensor([0.01, 0.99])
W1 = mg.tensor([[0.15, 0.20], [0.25, 0.30]], requires_grad=True)
W2 = mg.tensor([[0.40, 0.45], [0.50, 0.55]], requires_grad=True)

net_h = W1 @ x + 0.35
h = net_h.sigmoid()  # saves what it returned: its slope is h · (1 − h)
net_o = W2 @ h + 0.60
o = net_o.sigmoid()
E = ((target - o) ** 2).sum() / 2

for between in (net_h, h, net_o, o):
    between.retain_grad()  # or these gradients would pass and be gone
E.backward()

print("the deltas of the outputs", net_o.grad.tolist())
print("W2.grad, delta × input:  ", W2.grad.tolist())
print("what comes back to h:    ", h.grad.tolist())
print("W1.grad:                 ", W1.grad.tolist())
