"""Two layers, a cross-entropy, one step of gradient descent: all of training, once."""

import minigrad as mg
from minigrad.nn import functional as F

mg.manual_seed(0)
x = mg.randn(3, 2)  # three points in the plane
labels = mg.tensor([0, 1, 1])

W1 = mg.randn(2, 4, requires_grad=True)
b1 = mg.zeros(4, requires_grad=True)
W2 = mg.randn(4, 2, requires_grad=True)

z = x @ W1 + b1  # b1 is added to every row: its gradient is the sum over them
h = z.tanh()  # keeps its own output, for tanh' = 1 - tanh²
scores = h @ W2
loss = F.cross_entropy(scores, labels)
loss.backward()

# One step downhill. It writes the weights where they lie, so their versions go up.
step = 0.5
with mg.no_grad():
    for weight in (W1, b1, W2):
        weight -= step * weight.grad

after = F.cross_entropy((x @ W1 + b1).tanh() @ W2, labels)
print(f"loss {loss.item():.4f} before the step, {after.item():.4f} after it")
