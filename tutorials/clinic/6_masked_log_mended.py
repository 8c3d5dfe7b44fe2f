"""Mended: the logarithm itself is given something safe; what where() does not choose stays finite."""

import minigrad as mg
from minigrad import nn, optim

mg.manual_seed(1)
gate = nn.Linear(4, 5)
optimizer = optim.SGD(gate.parameters(), lr=0.1)
x = mg.randn(6, 4)

for step in range(30):
    raw = gate(x).relu() + 0.01 * mg.eye(6, 5)
    shares = raw / raw.sum(dim=1, keepdim=True)
    safe = mg.where(shares > 0, shares, 1.0)
    entropy = -mg.where(shares > 0, shares * safe.log(), 0.0).sum(dim=1).mean()
    optimizer.zero_grad()
    (-entropy).backward()
    optimizer.step()
    if step % 29 == 0:
        print(f"step {step:2d}: entropy {entropy.item():.3f}, largest weight {gate.weight.abs().max().item():.3f}")
