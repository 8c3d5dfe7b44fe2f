"""One tensor used three times, and backward called twice: gradients add up."""

import minigrad as mg

x = mg.tensor([1.0, 2.0], requires_grad=True)

h = 2 * x
loss = (h * h + h.exp()).sum()  # h is used three times; its gradient is the sum of three
loss.backward(retain_graph=True)  # keep what was saved, for a second pass
print("after one pass ", x.grad.tolist())

loss.backward()  # nothing was cleared in between: .grad doubles
print("after two      ", x.grad.tolist())

x.grad = None  # what optimizer.zero_grad() does
(x * 3).sum().backward()
print("cleared, then 3x", x.grad.tolist())
