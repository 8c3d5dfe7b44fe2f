"""Mended: targets of the shape of the predictions."""

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

mg.manual_seed(0)
x = mg.linspace(-1, 1, 20).reshape(20, 1)
y = 3 * x + 1

model = nn.Linear(1, 1)
optimizer = optim.SGD(model.parameters(), lr=0.2)

for _step in range(60):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"slope {model.weight.item():.2f}, intercept {model.bias.item():.2f}, loss {loss.item():.3f}")
