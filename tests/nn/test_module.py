"""Modules: what they know of their parts, their state, their hooks, and how a call shows in the events."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.events import ScopeEntered, ScopeLeft, listen


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 1)])
        self.scale = nn.Parameter(mg.tensor(2.0))
        self.register_buffer("seen", mg.tensor(0))
        self.register_buffer("scratch", mg.zeros(1), persistent=False)

    def forward(self, x: mg.Tensor) -> mg.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


def test_parameters_have_qualified_names_in_order_of_registration() -> None:
    names = [name for name, _ in Net().named_parameters()]
    assert names == ["scale", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias"]


def test_state_leaves_out_buffers_that_do_not_persist() -> None:
    assert "seen" in Net().state_dict()
    assert "scratch" not in Net().state_dict()


def test_state_shares_memory_and_has_no_history() -> None:
    net = Net()
    state = net.state_dict()
    state["scale"].fill_(5.0)
    assert net.scale.item() == 5.0
    assert not state["scale"].requires_grad


def test_loaded_state_is_copied_and_counts_as_a_write() -> None:
    one, other = Net(), Net()
    keys = other.load_state_dict(one.state_dict())
    assert repr(keys) == "<All keys matched successfully>"
    assert mg.equal(other.layers[0].weight, one.layers[0].weight)
    assert other.layers[0].weight is not one.layers[0].weight
    assert other.scale._version == 1


def test_state_that_does_not_fit_is_refused_with_everything_that_is_wrong() -> None:
    state = Net().state_dict()
    del state["scale"]
    state["more"] = mg.zeros(1)
    state["layers.1.weight"] = mg.zeros(2, 2)
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict(state)
    text = str(caught.value)
    assert 'Missing key(s) in state_dict: "scale"' in text
    assert 'Unexpected key(s) in state_dict: "more"' in text
    assert "size mismatch for layers.1.weight" in text


def test_a_shared_parameter_is_listed_once() -> None:
    net = Net()
    net.layers[1] = net.layers[0]
    assert len(list(net.parameters())) == 3


def test_a_plain_tensor_cannot_take_the_place_of_a_parameter() -> None:
    net = Net()
    with pytest.raises(TypeError, match="cannot assign 'Tensor' as parameter 'scale'"):
        net.scale = mg.zeros(1)
    net.scale = None
    assert "scale" not in dict(net.named_parameters())


def test_parts_need_the_base_to_be_initialised_first() -> None:
    class Hasty(nn.Module):
        def __init__(self) -> None:
            self.weight = nn.Parameter(mg.zeros(1))

    with pytest.raises(AttributeError, match=r"cannot assign parameter before Module.__init__\(\) call"):
        Hasty()


def test_an_unknown_attribute_is_named() -> None:
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'wheels'"):
        _ = Net().wheels


def test_training_mode_reaches_every_part() -> None:
    net = Net().eval()
    assert not any(module.training for module in net.modules())
    assert all(module.training for module in net.train().modules())


def test_conversion_keeps_the_parameters_that_an_optimiser_knows() -> None:
    net = Net()
    before = list(net.parameters())
    net.double()
    assert all(a is b for a, b in zip(before, net.parameters(), strict=True))
    assert net.scale.dtype is mg.float64
    assert net.seen.dtype is mg.int64


def test_zero_grad_forgets_gradients() -> None:
    net = Net()
    net(mg.ones(1, 2)).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_a_module_prints_as_a_tree() -> None:
    assert repr(nn.Sequential(nn.Linear(2, 1), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=1, bias=True)\n  (1): ReLU()\n)"
    )


def test_a_call_opens_a_scope_for_each_module_by_its_qualified_name() -> None:
    seen: list[tuple[str, str]] = []
    net = Net()
    with listen(lambda e: seen.append((type(e).__name__, e.name)), ScopeEntered, ScopeLeft):
        net(mg.ones(1, 2))
    modules = [event for event in seen if event[1] not in ("linear", "matmul")]
    assert modules == [
        ("ScopeEntered", "Net"),
        ("ScopeEntered", "layers.0"),
        ("ScopeLeft", "layers.0"),
        ("ScopeEntered", "layers.1"),
        ("ScopeLeft", "layers.1"),
        ("ScopeLeft", "Net"),
    ]


def test_a_scope_is_left_when_forward_raises() -> None:
    seen: list[str] = []
    with listen(lambda e: seen.append(type(e).__name__), ScopeEntered, ScopeLeft), pytest.raises(RuntimeError):
        nn.Linear(2, 3)(mg.ones(1, 5))
    assert seen.count("ScopeEntered") == seen.count("ScopeLeft")


def test_forward_hooks_see_and_replace() -> None:
    layer = nn.Linear(2, 2)
    handles = [
        layer.register_forward_pre_hook(lambda module, args: (args[0] * 0,)),
        layer.register_forward_hook(lambda module, args, output: output + 1),
    ]
    assert mg.equal(layer(mg.ones(1, 2)), layer.bias.detach().unsqueeze(0) + 1)
    for handle in handles:
        handle.remove()
    assert not mg.equal(layer(mg.ones(1, 2)), layer.bias.detach().unsqueeze(0) + 1)


@pytest.mark.oracle
def test_backward_hooks_see_what_pytorchs_do(torch: object) -> None:
    told = {}
    for library in (torch, mg):
        layer = library.nn.Linear(2, 1)
        with library.no_grad():
            layer.weight.fill_(3.0)
        seen: list[object] = []
        layer.register_full_backward_pre_hook(lambda module, grads, seen=seen: seen.append(grads[0].tolist()))
        layer.register_full_backward_hook(lambda module, g_in, g_out: (g_in[0] * 2,))
        x = library.ones(2, 2).requires_grad_()
        layer(x).sum().backward()
        told[library.__name__] = (seen, x.grad.tolist())
    assert told["minigrad"] == told["torch"] == ([[[1.0], [1.0]]], [[6.0, 6.0], [6.0, 6.0]])


def test_dropout_drops_and_scales_while_training_only() -> None:
    mg.manual_seed(0)
    x = mg.ones(10_000)
    dropped = nn.Dropout(0.25)(x)
    assert dropped.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert dropped.mean().item() == pytest.approx(1, abs=0.05)
    assert nn.Dropout(0.25).eval()(x) is x


def test_clipping_scales_all_gradients_together() -> None:
    a, b = (mg.zeros(1, requires_grad=True) for _ in range(2))
    a.grad, b.grad = mg.tensor([3.0]), mg.tensor([4.0])
    assert nn.utils.clip_grad_norm_([a, b], 1.0).item() == 5.0
    assert [a.grad.item(), b.grad.item()] == pytest.approx([0.6, 0.8], rel=1e-5)
    assert a.grad._version == 1


def test_a_vector_of_parameters_goes_back_into_them() -> None:
    net = Net()
    vector = nn.utils.parameters_to_vector(net.parameters())
    nn.utils.vector_to_parameters(vector.detach() * 0 + 1, net.parameters())
    assert all(bool((p == 1).all()) for p in net.parameters())


PRINTED = [
    "nn.MaxPool2d(2)",
    "nn.AvgPool2d(2, stride=1)",
    "nn.AdaptiveMaxPool2d((2, 3))",
    "nn.Upsample(scale_factor=2)",
    "nn.Upsample(size=(3, 4), mode='bilinear')",
    "nn.GELU('tanh')",
    "nn.KLDivLoss()",
    "nn.CrossEntropyLoss()",
    "nn.CosineSimilarity()",
    "nn.BatchNorm2d(3)",
    "nn.LayerNorm(3, bias=False)",
    "nn.LSTM(2, 3, 2, batch_first=True, dropout=0.1, bidirectional=True)",
    "nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU(inplace=True)])",
    "nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ModuleList([nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU())]))",
]


@pytest.mark.oracle
@pytest.mark.parametrize("text", PRINTED)
def test_a_module_is_printed_as_pytorch_prints_it(torch: ModuleType, text: str) -> None:
    ours: Any = eval(text, {"nn": nn})
    assert repr(ours) == repr(eval(text, {"nn": torch.nn}))


def test_the_parameters_of_layers_are_found_as_anywhere_else() -> None:
    layer = nn.Linear(2, 1, bias=False)
    assert layer.bias is None
    assert not hasattr(nn.Linear, "weight")
    del layer.weight
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'weight'"):
        layer.weight  # noqa: B018
    layer.weight = mg.tensor([[1.0, 2.0]])  # a plain tensor, as reparametrisations put there
    assert layer(mg.tensor([[3.0, 4.0]])).tolist() == [[11.0]]
    del layer.weight
    layer.register_buffer("weight", mg.tensor([[1.0, 0.0]]))
    assert layer(mg.tensor([[3.0, 4.0]])).tolist() == [[3.0]]
