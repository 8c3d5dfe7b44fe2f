"""Complaint: "My GAN stops at the first step: one of the variables needed for gradient computation has been modified by
an inplace operation. But I do nothing in place! I even tried retain_graph=True, as the forum said."

A generator learns to imitate numbers around 4, a critic to tell them from the real ones.
"""

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

mg.manual_seed(0)
generator = nn.Linear(1, 1)
critic = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer_g = optim.Adam(generator.parameters(), lr=0.05)
optimizer_c = optim.Adam(critic.parameters(), lr=0.1)
yes, no = mg.ones(32, 1), mg.zeros(32, 1)

for _step in range(160):
    real = mg.randn(32, 1) * 0.5 + 4
    fake = generator(mg.randn(32, 1))
    critic_loss = F.binary_cross_entropy_with_logits(critic(real), yes)
    critic_loss = critic_loss + F.binary_cross_entropy_with_logits(critic(fake), no)
    generator_loss = F.binary_cross_entropy_with_logits(critic(fake), yes)

    optimizer_c.zero_grad()
    critic_loss.backward(retain_graph=True)
    optimizer_c.step()

    optimizer_g.zero_grad()
    generator_loss.backward()
    optimizer_g.step()

print(f"the imitations are around {generator(mg.randn(200, 1)).mean().item():.1f}")
