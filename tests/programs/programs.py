"""Six small programs as people write them for PyTorch. Each takes the library, ``torch`` or ``minigrad``, and a number
type, trains for 20 steps and gives its losses. Weights, data and noise come from NumPy, so that both start alike.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

STEPS = 20


class Start:
    """Weights and data for one program, the same for every library."""

    def __init__(self, torch: ModuleType, dtype: str, seed: int) -> None:
        self._torch = torch
        self._dtype = getattr(torch, dtype)
        self._rng = np.random.default_rng(seed)

    def normal(self, *shape: int) -> Any:
        """Numbers of the program's type."""
        return self._torch.tensor(self._rng.standard_normal(shape), dtype=self._dtype)

    def uniform(self, *shape: int) -> Any:
        return self._torch.tensor(self._rng.uniform(size=shape), dtype=self._dtype)

    def integers(self, below: int, *shape: int) -> Any:
        return self._torch.tensor(self._rng.integers(0, below, shape))

    def weights(self, model: Any) -> Any:
        """The model in the program's type, with weights drawn anew: about 1 where a layer begins with ones."""
        model = model.to(self._dtype)
        with self._torch.no_grad():
            for parameter in model.parameters():
                scale = math.prod(parameter.shape[1:]) ** -0.5 if parameter.dim() > 1 else 0.1
                centre = 1.0 if (parameter == 1).all() else 0.0
                parameter.copy_(self.normal(*parameter.shape) * scale + centre)
        return model


def mlp(torch: ModuleType, dtype: str) -> list[float]:
    """A classifier of points in three spirals."""
    nn, optim = torch.nn, torch.optim

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))

        def forward(self, x: Any) -> Any:
            return self.layers(x)

    start = Start(torch, dtype, 1)
    model = start.weights(Net())
    targets = start.integers(3, 90)
    angle = start.uniform(90) * 4 + targets * 2.1
    points = torch.stack([angle.sin(), angle.cos()], dim=1) * start.uniform(90, 1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(points, targets), batch_size=18)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
    losses = []
    while len(losses) < STEPS:
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def convnet(torch: ModuleType, dtype: str) -> list[float]:
    """Small images, with normalisation, pooling and a residual block."""
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(channels)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, groups=2)
            self.norm2 = nn.GroupNorm(2, channels)

        def forward(self, x: Any) -> Any:
            y = functional.relu(self.norm1(self.conv1(x)))
            return functional.relu(x + self.norm2(self.conv2(y)))

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(1, 8, 3, stride=2, padding=1)
            self.block = Block(8)
            self.pool = nn.MaxPool2d(2)
            self.head = nn.Linear(8, 4)

        def forward(self, x: Any) -> Any:
            x = self.pool(self.block(functional.leaky_relu(self.stem(x), 0.1)))
            return self.head(functional.adaptive_avg_pool2d(x, 1).flatten(1))

    start = Start(torch, dtype, 2)
    model = start.weights(Net())
    images, labels = start.normal(12, 1, 12, 12), start.integers(4, 12)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.99))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
    losses = []
    for _ in range(STEPS):
        model.train()
        loss = functional.nll_loss(functional.log_softmax(model(images), dim=-1), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            losses += [loss.item(), functional.cross_entropy(model(images), labels).item()]
    return losses


def lstm(torch: ModuleType, dtype: str) -> list[float]:
    """Adds the two marked numbers of a sequence."""
    nn = torch.nn

    class Adder(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(2, 10, num_layers=2, batch_first=True, bidirectional=True)
            self.gru = nn.GRU(20, 6, batch_first=True)
            self.out = nn.Linear(6, 1)

        def forward(self, x: Any) -> Any:
            seen, (h, _) = self.lstm(x)
            seen, last = self.gru(seen)
            return self.out(last.squeeze(0)).squeeze(-1) + h.mean()

    start = Start(torch, dtype, 3)
    model = start.weights(Adder())
    values, length = start.uniform(16, 9), 9
    marks = torch.zeros_like(values)
    marks.scatter_(1, torch.stack([start.integers(4, 16), 4 + start.integers(length - 4, 16)], dim=1), 1.0)
    x, y = torch.stack([values, marks], dim=-1), (values * marks).sum(dim=1)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3, alpha=0.9, momentum=0.5, centered=True)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    return losses


def transformer(torch: ModuleType, dtype: str) -> list[float]:
    """An encoder that says which token of a padded sequence is the largest."""
    nn = torch.nn

    class Encoder(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, vocabulary: int, width: int, length: int) -> None:
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width, padding_idx=0)
            self.places = nn.Parameter(torch.zeros(length, width))
            layer = nn.TransformerEncoderLayer(
                width, nhead=4, dim_feedforward=32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
            )
            self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, 1)

        def forward(self, tokens: Any) -> Any:
            padding = tokens == 0
            x = self.tokens(tokens) * math.sqrt(self.places.shape[-1]) + self.places[: tokens.shape[1]]
            x = self.encoder(x, src_key_padding_mask=padding)
            return self.head(self.norm(x)).squeeze(-1).masked_fill(padding, float("-inf"))

    start = Start(torch, dtype, 4)
    model = start.weights(Encoder(12, 16, 7))
    tokens = start.integers(11, 10, 7) + 1
    tokens[::3, 5:] = 0
    targets = tokens.argmax(dim=1)
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=2e-3
    )
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
    losses = []
    for _ in range(STEPS):
        logits = model(tokens)
        loss = nn.functional.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        warm.step()
        losses.append(loss.item())
    return losses


def vae(torch: ModuleType, dtype: str) -> list[float]:
    """A variational autoencoder whose noise is given."""
    nn, functional = torch.nn, torch.nn.functional

    class VAE(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.encode = nn.Sequential(nn.Linear(20, 16), nn.ELU())
            self.mu, self.logvar = nn.Linear(16, 3), nn.Linear(16, 3)
            self.decode = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 20), nn.Sigmoid())

        def forward(self, x: Any, noise: Any) -> tuple[Any, Any, Any]:
            h = self.encode(x)
            mu, logvar = self.mu(h), self.logvar(h)
            return self.decode(mu + noise * torch.exp(0.5 * logvar)), mu, logvar

    start = Start(torch, dtype, 5)
    model = start.weights(VAE())
    x = (start.uniform(24, 20) > 0.6).to(start.uniform(1).dtype)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        seen, mu, logvar = model(x, start.normal(24, 3))
        rebuilt = functional.binary_cross_entropy(seen, x, reduction="sum")
        apart = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = (rebuilt + apart) / len(x)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


TEXT = """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness,
it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Dark."""


def gpt(torch: ModuleType, dtype: str) -> list[float]:
    """A small language model of characters: causal attention, weights tied, gradients clipped, a rate that anneals."""
    nn, functional = torch.nn, torch.nn.functional
    width, heads, context = 24, 3, 16

    class Attention(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.register_buffer("mask", torch.tril(torch.ones(context, context)).view(1, 1, context, context))

        def forward(self, x: Any) -> Any:
            batch, time, _ = x.size()
            q, k, v = (part.view(batch, time, heads, -1).transpose(1, 2) for part in self.qkv(x).split(width, dim=2))
            weights = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            weights = weights.masked_fill(self.mask[:, :, :time, :time] == 0, float("-inf"))
            y = functional.softmax(weights, dim=-1) @ v
            return self.out(y.transpose(1, 2).contiguous().view(batch, time, width))

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = Attention()
            self.mlp = nn.ModuleDict({"wide": nn.Linear(width, 4 * width), "back": nn.Linear(4 * width, width)})

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.mlp["back"](functional.gelu(self.mlp["wide"](self.norm2(x)), approximate="tanh"))

    class GPT(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, vocabulary: int) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
            self.blocks = nn.ModuleList([Block() for _ in range(2)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, tokens: Any, targets: Any) -> Any:
            x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            return functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1), ignore_index=-1)

    characters = sorted(set(TEXT))
    numbers = torch.tensor([characters.index(one) for one in TEXT], dtype=torch.long)
    start = Start(torch, dtype, 6)
    model = start.weights(GPT(len(characters)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=STEPS)
    losses = []
    for _ in range(STEPS):
        begins = start.integers(len(TEXT) - context - 1, 6)
        x = torch.stack([numbers[i : i + context] for i in begins.tolist()])
        y = torch.stack([numbers[i + 1 : i + 1 + context] for i in begins.tolist()])
        loss = model(x, y)
        model.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses += [loss.item(), norm.item(), scheduler.get_last_lr()[0]]
    return losses


PROGRAMS = {program.__name__: program for program in (mlp, convnet, lstm, transformer, vae, gpt)}
