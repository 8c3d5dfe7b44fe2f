"""Views, indexing and writing in place: small programs that run on both libraries and are compared in everything one
can see.

Values, types, gradients, versions, whether a tensor is a view, and the chain of nodes behind it; and the kind of error.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg

pytestmark = pytest.mark.oracle

START = """
x = leaf(2, 3); b = leaf(2, 3); v = leaf(3); p = leaf(); y = x * 1; z = constant(2, 3); mask = constant(2, 3) > 0
i = m.tensor([0, 0, 1]); j = m.tensor([1, 0, 1])
"""

VIEWS = """
y.view(3, 2)
y.view(-1)[0]
y.t().reshape(6)
y[:, ::2].reshape(2, 2, 1)
y.transpose(0, 1).view(6)
y[0]
y[-1, 1:]
y[None, ..., 0]
y[:]
y[...]
y[:, :]
y[True]
y[[0, 1, 0]]
y[0, [0, 2]]
y[:, i, None]
y[i, j]
y[y > 0]
y[m.tensor(1)]
y.unbind()
y.split(1, 1)
y.chunk(2, 1)
y.diagonal()
y.unfold(1, 2, 1)
y.expand(2, 2, 3)
y.squeeze(0)
y[:1].squeeze()
y.unsqueeze(-1)
y.as_strided((2, 2), (1, 2), 1)
y.narrow(1, 1, 2)
y.T
y.mT
y.detach()
y.clone()
y.contiguous()
y.t().contiguous()
y[5]
y[0, 0, 0]
y[::-1]
y[1.0]
""".strip().split("\n")

WRITES = """
y[0] = 5.0
y[0] = v
y[0] = p
y[0] = leaf(1)
y[:, 0] = leaf(1, 1)
y[:] = b
y[...] = 1.0
y[mask] = p
y[mask] = 2
y[[0, 1]] = b
y[i, j] = v
y[i, j] = 2.0
y[0, [0, 1]] = v[:2]
y[False] = 1.0
y[None] = 1.0
z[0] = v
z[mask] = p
z[...] = b
y[0] = [1.0, 2.0]
y[0] = constant(2, 3)
x[0] = 1.0
y.fill_(p)
y.fill_(2.0)
y.zero_()
y.copy_(v)
y.masked_fill_(mask, 1.0)
y.masked_fill_(mask, p)
y[0].mul_(v)
y[0, 1] = p
y[y > 0] *= 2
y[0] += 1
y.t()[0] = constant(2)
y.view(-1)[::2].mul_(3)
y.index_put_((i, j), v, accumulate=True)
y.detach_()
y[0].detach_()
y.squeeze_()
y.unsqueeze_(0)
y.t_()
y.transpose_(0, 1)
w = y[0]; y.mul_(2); u = w * w
w = y.t(); u = w[1]; y[:, 1] = 0.0; k = u.grad_fn
w = y[0]; u = y[:, 0]; w.mul_(v); k = u.sum()
w, u = y.unbind(0); w.mul_(2)
w, u = y.unbind(0); y.mul_(2); k = w * 2
w = y.expand(2, 2, 3); w.mul_(2)
w = z.expand(2, 2, 3); w.zero_()
z[0].mul_(v); k = z * 2
w = z[0]; z.mul_(p); k = w * 2
d = y.detach(); k = (y * y).sum(); d.zero_(); k.backward()
d = y.data; k = (y * y).sum(); d.zero_(); k.backward()
k = (y * y).sum(); y.add_(1); k.backward()
k = (y * 2).sum(); y.add_(1); k.backward()
k = y.exp(); k[0] = 0.0; k.sum().backward()
k = y.clone(); k[0].mul_(2); k[1].tanh_(); k.sum().backward()
w = x[0]; w.add_(1)
x.zero_()
k = m.zeros(2, 3, dtype=m.float64); k[0] = v; k[1] = v * 2; k[:, 1] = p; (k * k).sum().backward()
w = y[0]; h = w[1:]; h.mul_(2); k = (y * y).sum(); k.backward()
w = y[0]; h = w[1:]; y[0] = v; k = (h * h).sum(); k.backward()
w = y.diagonal(); w.zero_(); k = (y * y).sum(); k.backward()
w = y.as_strided((2, 2), (1, 2), 1); w.mul_(2); k = (y * y).sum(); k.backward()
w = y[0]; w[mask[0]] = p; (y * y).sum().backward()
t = m.tensor([0, 1]); k = x[t]; t[0] = 1; (k * k).sum().backward()
t = x > 0; k = x[t]; t.zero_(); (k * k).sum().backward()
""".strip().split("\n")

UNRECORDED = [
    "with m.no_grad(): w = y[0]\nw.mul_(2)",
    "with m.no_grad():\n  w = y[0]\n  w.mul_(2)\nk = w * 2",
    "with m.no_grad(): y[0] = 0.0\nk = (y * y).sum(); k.backward()",
    "with m.no_grad():\n  x[0] = 0.0\n  x.mul_(2)\nk = (x * x).sum(); k.backward()",
]


def chain(tensor: Any) -> str | None:
    """The names of the nodes behind a tensor, nested as they lead to each other."""

    def walk(node: Any) -> str:
        if node is None:
            return "-"
        inner = ", ".join(walk(each) for each, _ in node.next_functions)
        name = node.name().rsplit("::", 1)[-1]
        return f"{name}({inner})" if inner else name

    return None if tensor.grad_fn is None else walk(tensor.grad_fn)


def seen(tensor: Any) -> dict[str, Any]:
    """All that one can see of a tensor, or the error that looking gives."""
    try:
        return {
            "values": tensor.detach().tolist(),
            "dtype": str(tensor.dtype).partition(".")[2],
            "requires_grad": tensor.requires_grad,
            "leaf": tensor.is_leaf,
            "view": tensor._is_view(),
            "version": None if tensor.is_inference() else tensor._version,
            "chain": chain(tensor),
            "grad": tensor.grad.tolist() if tensor.is_leaf and tensor.grad is not None else None,
        }
    except RuntimeError as error:
        return {"error": str(error)}


def outcome(library: ModuleType, program: str) -> tuple[type[BaseException] | None, dict[str, Any]]:
    """What a program raised, and what one sees of its tensors afterwards."""
    rng = np.random.default_rng(0)

    def constant(*shape: int) -> Any:
        return library.tensor(rng.standard_normal(shape).tolist(), dtype=library.float64)

    def leaf(*shape: int) -> Any:
        return constant(*shape).requires_grad_()

    scope: dict[str, Any] = {"m": library, "leaf": leaf, "constant": constant}
    raised: type[BaseException] | None = None
    try:
        exec(START + program, scope)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        raised = next(kind for kind in (RuntimeError, IndexError, TypeError, ValueError) if isinstance(error, kind))
    found: dict[str, Any] = {}
    for name, value in scope.items():
        for place, each in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(each, library.Tensor):
                found[f"{name}[{place}]"] = seen(each)
    return raised, found


def compare(torch: ModuleType, program: str) -> None:
    expected_error, expected = outcome(torch, program)
    error, found = outcome(mg, program)
    assert error == expected_error
    assert found.keys() == expected.keys()
    for name, facts in expected.items():
        mine = found[name]
        assert mine.keys() == facts.keys(), (name, mine, facts)
        for what, value in facts.items():
            if what in ("values", "grad") and value is not None:
                np.testing.assert_allclose(mine[what], value, 1e-12, 1e-12, err_msg=f"{what} of {name}")
            elif what != "error":
                assert mine[what] == value, f"{what} of {name}"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("expression", VIEWS)
def test_a_view_is_pytorchs_and_leads_back_the_same_way(torch: ModuleType, expression: str) -> None:
    compare(
        torch,
        f"out = {expression}\nfor each in out if isinstance(out, tuple) else (out,):\n  if each.requires_grad: (each "
        f"* each).sum().backward(retain_graph=True)",
    )


@pytest.mark.parametrize("program", WRITES + UNRECORDED)
def test_a_write_does_to_values_versions_and_history_what_it_does_in_pytorch(torch: ModuleType, program: str) -> None:
    compare(torch, program)


def test_memory_that_overlaps_is_read_before_it_is_written() -> None:
    y = mg.tensor([1.0, 2.0, 3.0])
    y[1:] = y[:-1]
    assert y.tolist() == [1.0, 1.0, 2.0]


def test_a_view_and_its_base_are_the_same_memory() -> None:
    base = mg.zeros(4)
    base.view(2, 2)[1, 0] = 7.0
    assert base.tolist() == [0.0, 0.0, 7.0, 0.0]
    assert base._version == 1


def test_detach_shares_the_version_and_is_no_view() -> None:
    w = mg.ones(2, requires_grad=True)
    d = w.detach()
    d.add_(1)
    assert w._version == 1
    assert not d._is_view()
    assert w.tolist() == [2.0, 2.0]


def test_a_view_too_wide_for_its_memory_is_refused() -> None:
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8"):
        mg.tensor([1.0], dtype=mg.float64).expand(2).as_strided((2, 2), (1, 0), 0)
