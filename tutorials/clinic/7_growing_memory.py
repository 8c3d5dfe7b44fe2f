"""Complaint: "My training eats more memory with each step until the machine gives up, although I call zero_grad and
keep nothing but one number."

A small net learns a sine, and keeps track of its mean loss.
"""

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

mg.manual_seed(0)
x = mg.linspace(-3, 3, 40).reshape(40, 1)
y = x.sin()

model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = optim.Adam(model.parameters(), lr=0.03)
total = 0.0

for step in range(1, 61):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
    if step % 30 == 0:
        print(f"step {step}: mean loss {total / step:.3f}")
