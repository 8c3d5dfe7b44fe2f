"""Teach a small network to read: 1,797 real handwritten digits, a fifth of them held out.

Run it plainly, or watch it: `inspector run tutorials/digits.py`. With --epochs 1 there is less to walk through.
"""

import argparse
from pathlib import Path

import numpy as np

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

HELD_OUT = 5  # one digit in five is kept for the examination
BATCH = 64


def load() -> tuple[mg.Tensor, mg.Tensor, mg.Tensor, mg.Tensor]:
    """Images as rows of 64 numbers from 0 to 1, and labels: to learn from, and to be examined on."""
    with np.load(Path(__file__).with_name("data") / "digits.npz") as data:
        images = data["images"].reshape(-1, 64).astype(np.float32) / 16
        labels = data["labels"].astype(np.int64)
    held = np.arange(len(labels)) % HELD_OUT == 0
    return tuple(map(mg.from_numpy, (images[~held], labels[~held], images[held], labels[held])))


def accuracy(model: nn.Module, images: mg.Tensor, labels: mg.Tensor) -> float:
    """The share of images that the model names rightly."""
    with mg.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def train(epochs: int) -> float:
    """Train from scratch; returns the accuracy on the held-out fifth."""
    mg.manual_seed(0)
    images, labels, held_images, held_labels = load()
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(1, epochs + 1):
        order = mg.randperm(len(labels))
        for start in range(0, len(labels), BATCH):
            chosen = order[start : start + BATCH]
            loss = F.cross_entropy(model(images[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch == 1 or epoch % 5 == 0:
            share = accuracy(model, held_images, held_labels)
            print(f"epoch {epoch:2d}  loss {loss.item():.3f}  held-out accuracy {share:.1%}")
    return accuracy(model, held_images, held_labels)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    final = train(parser.parse_args().epochs)
    print(f"{final:.1%} of the held-out digits were read rightly")
