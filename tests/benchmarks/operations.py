"""The operations that one meets most, each in one text for PyTorch and for minigrad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.inputs import Floats, Integers, normal

SIZES: dict[str, tuple[int, ...]] = {"scalar": (), "64": (64,), "100 × 100": (100, 100)}


@dataclass(frozen=True, slots=True)
class Operation:
    """``apply(xp, *operands)``. ``least`` is the fewest dimensions that its operands may have; with ``indexed`` one
    more operand numbers as many parts, repeats included, as the first has."""

    name: str
    operands: int
    apply: Callable[..., Any]
    least: int = 0
    positive: bool = False
    indexed: bool = False

    def fits(self, shape: tuple[int, ...]) -> bool:
        return len(shape) >= self.least

    def inputs(self, shape: tuple[int, ...]) -> list[Floats]:
        """Its operands, the same for everybody."""
        made = [normal(seed, *shape) for seed in range(1, self.operands + 1)]
        return [np.asarray(np.abs(one) + np.float32(0.1)) for one in made] if self.positive else made

    def indices(self, shape: tuple[int, ...]) -> list[Integers]:
        """Its operand without gradient, if it has one."""
        return [np.arange(shape[0]) * 7 % shape[0] // 2] if self.indexed else []


def written(a: Any, key: Any, value: Any) -> Any:
    """A copy of ``a`` that was written in place: nobody may write a leaf."""
    copy = a.clone()
    copy[key] = value
    return copy


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
    Operation("a ** 3", 1, lambda xp, a: a**3),
    Operation("sqrt", 1, lambda xp, a: a.sqrt(), positive=True),
    Operation("abs", 1, lambda xp, a: a.abs()),
    Operation("sin", 1, lambda xp, a: a.sin()),
    Operation("tanh", 1, lambda xp, a: a.tanh()),
    Operation("sigmoid", 1, lambda xp, a: a.sigmoid()),
    Operation("relu", 1, lambda xp, a: a.relu()),
    Operation("gelu", 1, lambda xp, a: xp.nn.functional.gelu(a)),
    Operation("silu", 1, lambda xp, a: xp.nn.functional.silu(a)),
    Operation("elu", 1, lambda xp, a: xp.nn.functional.elu(a)),
    Operation("softplus", 1, lambda xp, a: xp.nn.functional.softplus(a)),
    Operation("leaky_relu", 1, lambda xp, a: xp.nn.functional.leaky_relu(a)),
    Operation("clamp", 1, lambda xp, a: a.clamp(min=-0.5, max=0.5)),
    Operation("maximum", 2, lambda xp, a, b: xp.maximum(a, b)),
    Operation("where", 2, lambda xp, a, b: xp.where(a > 0, a, b)),
    Operation("sum", 1, lambda xp, a: a.sum()),
    Operation("sum of a dim", 1, lambda xp, a: a.sum(dim=0), least=1),
    Operation("mean", 1, lambda xp, a: a.mean()),
    Operation("mean of a dim", 1, lambda xp, a: a.mean(dim=-1, keepdim=True), least=1),
    Operation("max", 1, lambda xp, a: a.max()),
    Operation("max of a dim", 1, lambda xp, a: a.max(dim=-1).values, least=1),
    Operation("sort", 1, lambda xp, a: a.sort(dim=-1).values, least=1),
    Operation("topk", 1, lambda xp, a: a.topk(5).values, least=1),
    Operation("norm", 1, lambda xp, a: a.norm(), least=1),
    Operation("var", 1, lambda xp, a: a.var(), least=1),
    Operation("softmax", 1, lambda xp, a: a.softmax(dim=-1), least=1),
    Operation("log_softmax", 1, lambda xp, a: a.log_softmax(dim=-1), least=1),
    Operation("logsumexp", 1, lambda xp, a: a.logsumexp(dim=-1), least=1),
    Operation("cumsum", 1, lambda xp, a: a.cumsum(dim=0), least=1),
    Operation("reshape", 1, lambda xp, a: a.reshape(-1)),
    Operation("transpose", 1, lambda xp, a: a.transpose(0, 1), least=2),
    Operation("permute", 1, lambda xp, a: a.permute(1, 0), least=2),
    Operation("unsqueeze", 1, lambda xp, a: a.unsqueeze(0)),
    Operation("expand", 1, lambda xp, a: a.expand(3, *a.shape)),
    Operation("a[0]", 1, lambda xp, a: a[0], least=1),
    Operation("a[2:40:3]", 1, lambda xp, a: a[2:40:3], least=1),
    Operation("a[indices]", 1, lambda xp, a, at: a[at], least=1, indexed=True),
    Operation("a[0] = 1.0", 1, lambda xp, a: written(a, 0, 1.0), least=1),
    Operation("a[2:40:3] = b", 2, lambda xp, a, b: written(a, slice(2, 40, 3), b[2:40:3]), least=1),
    Operation("index_select", 1, lambda xp, a, at: a.index_select(0, at), least=1, indexed=True),
    Operation("index_add", 2, lambda xp, a, b, at: a.index_add(0, at, b), least=1, indexed=True),
    Operation("gather", 1, lambda xp, a, at: a.view(-1).gather(0, at), least=1, indexed=True),
    Operation("embedding", 1, lambda xp, a, at: xp.nn.functional.embedding(at, a), least=2, indexed=True),
    Operation("masked_fill", 1, lambda xp, a: a.masked_fill(a > 0, 0.0)),
    Operation("chunk", 1, lambda xp, a: a.chunk(2)[0], least=1),
    Operation("cat", 2, lambda xp, a, b: xp.cat([a, b]), least=1),
    Operation("stack", 2, lambda xp, a, b: xp.stack([a, b])),
    Operation("a @ b", 2, lambda xp, a, b: a @ b, least=1),
    Operation("batches a @ b", 2, lambda xp, a, b: a.view(2, 50, 100) @ b.view(2, 100, 50), least=2),
    Operation("linear", 2, lambda xp, a, b: xp.nn.functional.linear(a, b), least=2),
    Operation("mse_loss", 2, lambda xp, a, b: xp.nn.functional.mse_loss(a, b)),
    Operation("cross_entropy", 1, lambda xp, a, at: xp.nn.functional.cross_entropy(a, at), least=2, indexed=True),
    Operation("layer_norm", 1, lambda xp, a: xp.nn.functional.layer_norm(a, a.shape), least=1),
    Operation("batch_norm", 1, lambda xp, a: xp.nn.functional.batch_norm(a, None, None, training=True), least=2),
)
