"""Mended: the first derivative is recorded, so that there can be a second."""

import minigrad as mg
from minigrad import nn, optim

PENALTY = 10.0

mg.manual_seed(0)
critic = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = optim.Adam(critic.parameters(), lr=0.03)

for step in range(40):
    real, fake = mg.randn(32, 1) * 0.3 + 2, mg.randn(32, 1) * 0.3 - 2
    share = mg.rand(32, 1)
    between = (share * real + (1 - share) * fake).requires_grad_()
    (slope,) = mg.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + PENALTY * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 39 == 0:
        print(f"step {step:2d}: mean slope {slope.abs().mean().item():.2f}")
