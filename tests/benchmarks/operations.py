"""The operations that one meets most, each in one text for PyTorch and for minigrad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.inputs import Floats, normal

SIZES: dict[str, tuple[int, ...]] = {"scalar": (), "64": (64,), "100 × 100": (100, 100)}


@dataclass(frozen=True, slots=True)
class Operation:
    """``apply(xp, *operands)``. ``least`` is the fewest dimensions that its operands may have."""

    name: str
    operands: int
    apply: Callable[..., Any]
    least: int = 0
    positive: bool = False

    def fits(self, shape: tuple[int, ...]) -> bool:
        return len(shape) >= self.least

    def inputs(self, shape: tuple[int, ...]) -> list[Floats]:
        """Its operands, the same for everybody."""
        made = [normal(seed, *shape) for seed in range(1, self.operands + 1)]
        return [np.asarray(np.abs(one) + np.float32(0.1)) for one in made] if self.positive else made


OPERATIONS = (
    Operation("a + b", 2, lambda xp, a, b: a + b),
    Operation("a + 1.0", 1, lambda xp, a: a + 1.0),
    Operation("a - b", 2, lambda xp, a, b: a - b),
    Operation("a * b", 2, lambda xp, a, b: a * b),
    Operation("a * 2.0", 1, lambda xp, a: a * 2.0),
    Operation("a / b", 2, lambda xp, a, b: a / b, positive=True),
    Operation("1.0 / a", 1, lambda xp, a: 1.0 / a, positive=True),
    Operation("-a", 1, lambda xp, a: -a),
    Operation("a ** 2", 1, lambda xp, a: a**2),
    Operation("a ** b", 2, lambda xp, a, b: a**b, positive=True),
    Operation("exp", 1, lambda xp, a: a.exp()),
    Operation("log", 1, lambda xp, a: a.log(), positive=True),
    Operation("sqrt", 1, lambda xp, a: a.sqrt(), positive=True),
    Operation("abs", 1, lambda xp, a: a.abs()),
    Operation("sin", 1, lambda xp, a: a.sin()),
    Operation("tanh", 1, lambda xp, a: a.tanh()),
    Operation("sigmoid", 1, lambda xp, a: a.sigmoid()),
    Operation("relu", 1, lambda xp, a: a.relu()),
    Operation("gelu", 1, lambda xp, a: xp.nn.functional.gelu(a)),
    Operation("clamp", 1, lambda xp, a: a.clamp(min=-0.5, max=0.5)),
    Operation("maximum", 2, lambda xp, a, b: xp.maximum(a, b)),
    Operation("where", 2, lambda xp, a, b: xp.where(a > 0, a, b)),
    Operation("sum", 1, lambda xp, a: a.sum()),
    Operation("sum of a dim", 1, lambda xp, a: a.sum(dim=0), least=1),
    Operation("mean", 1, lambda xp, a: a.mean()),
    Operation("max", 1, lambda xp, a: a.max()),
    Operation("norm", 1, lambda xp, a: a.norm(), least=1),
    Operation("var", 1, lambda xp, a: a.var(), least=1),
    Operation("softmax", 1, lambda xp, a: a.softmax(dim=-1), least=1),
    Operation("log_softmax", 1, lambda xp, a: a.log_softmax(dim=-1), least=1),
    Operation("logsumexp", 1, lambda xp, a: a.logsumexp(dim=-1), least=1),
    Operation("cumsum", 1, lambda xp, a: a.cumsum(dim=0), least=1),
    Operation("reshape", 1, lambda xp, a: a.reshape(-1)),
    Operation("transpose", 1, lambda xp, a: a.transpose(0, 1), least=2),
    Operation("unsqueeze", 1, lambda xp, a: a.unsqueeze(0)),
    Operation("expand", 1, lambda xp, a: a.expand(3, *a.shape)),
    Operation("a[0]", 1, lambda xp, a: a[0], least=1),
    Operation("a[2:40:3]", 1, lambda xp, a: a[2:40:3], least=1),
    Operation("cat", 2, lambda xp, a, b: xp.cat([a, b]), least=1),
    Operation("stack", 2, lambda xp, a, b: xp.stack([a, b])),
    Operation("a @ b", 2, lambda xp, a, b: a @ b, least=1),
    Operation("mse_loss", 2, lambda xp, a, b: xp.nn.functional.mse_loss(a, b)),
    Operation("layer_norm", 1, lambda xp, a: xp.nn.functional.layer_norm(a, a.shape), least=1),
)
