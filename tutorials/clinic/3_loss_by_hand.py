"""Complaint: "backward said that my loss does not require grad, so I gave it requires_grad=True. Now there is no error,
but the loss does not move at all. What learning rate should I use?"

A classifier of handwritten digits averages the loss over several small batches before it learns from them.
"""

from pathlib import Path

import numpy as np

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

mg.manual_seed(0)
with np.load(Path(__file__).parents[1] / "data" / "digits.npz") as data:
    images = mg.tensor(data["images"][:256].reshape(256, 64) / 16, dtype=mg.float32)
    labels = mg.tensor(data["labels"][:256].astype(np.int64))

model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = optim.SGD(model.parameters(), lr=0.5)

for step in range(20):
    losses = []
    for start in range(0, 256, 64):
        scores = model(images[start : start + 64])
        losses.append(F.cross_entropy(scores, labels[start : start + 64]).item())
    loss = mg.tensor(losses, requires_grad=True).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 19 == 0:
        print(f"step {step:2d}: loss {loss.item():.3f}")
