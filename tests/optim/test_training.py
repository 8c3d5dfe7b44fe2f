"""Training runs beside PyTorch's: the same weights, the same data, the same losses step by step."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.events import OptimizerStepped, VersionBumped, listen

OPTIMISERS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("Adam", {"lr": 0.01}),
    ("Adam", {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.01}),
    ("RMSprop", {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.3}),
    ("Adadelta", {"lr": 0.5, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.01, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.01, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.01, "weight_decay": 0.1, "foreach": False}),
    ("RAdam", {"lr": 0.01, "betas": (0.9, 0.9), "decoupled_weight_decay": True, "maximize": True}),
    ("Rprop", {"lr": 0.01}),
    ("ASGD", {"lr": 0.1, "t0": 5, "weight_decay": 0.1}),
    ("LBFGS", {"max_iter": 5}),
    ("LBFGS", {"line_search_fn": "strong_wolfe", "max_iter": 5}),
]


def build(library: ModuleType) -> Any:
    nn = library.nn
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))


def losses(
    library: ModuleType, state: dict[str, Any], dtype: str, name: str, options: dict[str, Any], steps: int
) -> list[float]:
    rng = np.random.default_rng(1)
    x = library.tensor(rng.standard_normal((32, 6)).astype(dtype))
    y = library.tensor(rng.integers(0, 3, 32))
    model = build(library).to(getattr(library, dtype))
    model.load_state_dict({key: library.tensor(value.astype(dtype)) for key, value in state.items()})
    optimizer = getattr(library.optim, name)(model.parameters(), **options)
    found = []

    def closure() -> Any:
        optimizer.zero_grad()
        loss = library.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        found.append(optimizer.step(closure).detach().item())
    return found


@pytest.mark.oracle
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize(("name", "options"), OPTIMISERS)
def test_losses_follow_pytorchs_step_by_step(
    torch: ModuleType, name: str, options: dict[str, Any], dtype: str, tolerance: float
) -> None:
    rng = np.random.default_rng(0)
    state = {key: rng.standard_normal(tuple(p.shape)) * 0.3 for key, p in build(mg).state_dict().items()}
    steps = 4 if name == "LBFGS" else 20
    ours, theirs = (losses(library, state, dtype, name, options, steps) for library in (mg, torch))
    assert ours == pytest.approx(theirs, abs=tolerance)


def weight(value: float = 1.0) -> Any:
    return mg.tensor([value], requires_grad=True)


def test_a_step_counts_as_one_write_by_the_optimiser() -> None:
    w = weight()
    optimizer = mg.optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    seen: list[str] = []
    with listen(lambda event: seen.append(event.by), VersionBumped):
        optimizer.step()
    assert seen == ["SGD.step"]
    assert w._version == 1


def test_a_graph_older_than_the_step_is_refused() -> None:
    w = weight()
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    mg.optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_parameter_without_gradient_is_skipped_and_one_of_zeros_moves_by_its_momentum() -> None:
    moving, resting = weight(), weight()
    optimizer = mg.optim.SGD([moving, resting], lr=0.1, momentum=0.9)
    moving.grad = mg.tensor([1.0])
    told: list[Any] = []
    with listen(told.append, OptimizerStepped):
        optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()
    assert moving.item() == pytest.approx(1 - 0.1 - 0.09)
    assert resting.item() == 1.0
    assert told[0].parameters == (moving,)
    assert told[0].skipped == (resting,)


def test_groups_have_options_of_their_own() -> None:
    fast, slow = weight(), weight()
    optimizer = mg.optim.SGD([{"params": [fast], "lr": 1.0}, {"params": [slow]}], lr=0.1)
    fast.grad, slow.grad = mg.tensor([1.0]), mg.tensor([1.0])
    optimizer.step()
    assert [fast.item(), slow.item()] == pytest.approx([0.0, 0.9])


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad"])
def test_training_goes_on_from_saved_state_as_if_nothing_had_happened(name: str) -> None:
    options = {"lr": 0.1, **({"momentum": 0.9} if name == "SGD" else {})}
    whole, resumed = weight(), weight()
    first = getattr(mg.optim, name)([whole], **options)
    second = getattr(mg.optim, name)([resumed], **options)
    for _ in range(3):
        for w, optimizer in ((whole, first), (resumed, second)):
            w.grad = w.detach() * 2
            optimizer.step()
    third = getattr(mg.optim, name)([resumed], **options)
    third.load_state_dict(second.state_dict())
    for w, optimizer in ((whole, first), (resumed, third)):
        w.grad = w.detach() * 2
        optimizer.step()
    assert whole.item() == resumed.item()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: mg.optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
        (lambda: mg.optim.SGD([weight() * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: mg.optim.SGD([1.0]), TypeError, "optimizer can only optimize Tensors, but one of the params is float"),
        (
            lambda: mg.optim.SGD(weight()),
            TypeError,
            "should be an iterable of Tensors or dicts, but got minigrad.FloatTensor",
        ),
        (lambda: mg.optim.SGD([weight()], lr=-1), ValueError, "Invalid learning rate: -1"),
        (
            lambda: mg.optim.SGD([weight()], nesterov=True),
            ValueError,
            "Nesterov momentum requires a momentum and zero dampening",
        ),
        (lambda: mg.optim.Adam([weight()], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
        (lambda: mg.optim.LBFGS([weight()]).step(), TypeError, "needs a closure"),
    ],
)
def test_bad_input_is_refused_with_one_clear_sentence(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


SCHEDULES = [
    ("StepLR", {"step_size": 3, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [2, 5]}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 5, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2}),
    ("LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 14}),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 14, "three_phase": True, "anneal_strategy": "linear"}),
    ("ConstantLR", {}),
    ("LinearLR", {}),
    ("PolynomialLR", {"power": 2.0}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "step_size_down": 3, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "mode": "exp_range", "gamma": 0.9}),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "options"), SCHEDULES)
def test_a_schedule_sets_the_rates_that_pytorchs_does(torch: ModuleType, name: str, options: dict[str, Any]) -> None:
    rates: dict[str, list[tuple[float, float]]] = {}
    for library in (torch, mg):
        optimizer = library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.3, momentum=0.9)
        schedule = getattr(library.optim.lr_scheduler, name)(optimizer, **options)
        seen = rates[library.__name__] = []
        for _ in range(13):
            seen.append((optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]))
            optimizer.step()
            schedule.step()
    np.testing.assert_allclose(rates["minigrad"], rates["torch"], 1e-12)


@pytest.mark.oracle
def test_schedules_in_a_chain_and_in_a_row_set_the_rates_that_pytorchs_do(torch: ModuleType) -> None:
    rates: dict[str, list[float]] = {}
    for library in (torch, mg):
        schedules = library.optim.lr_scheduler
        seen = rates[library.__name__] = []
        for chained in (True, False):
            optimizer = library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.3)
            parts = [schedules.StepLR(optimizer, 2), schedules.ExponentialLR(optimizer, 0.9)]
            whole = schedules.ChainedScheduler(parts) if chained else schedules.SequentialLR(optimizer, parts, [3])
            for _ in range(7):
                optimizer.step()
                whole.step()
                seen += [optimizer.param_groups[0]["lr"], *whole.get_last_lr()]
    np.testing.assert_allclose(rates["minigrad"], rates["torch"], 1e-12)


@pytest.mark.oracle
def test_lbfgs_asks_for_the_loss_as_often_as_pytorchs(torch: ModuleType) -> None:
    asked = {}
    for library in (torch, mg):
        w = library.tensor([2.0, -1.0], requires_grad=True)
        optimizer = library.optim.LBFGS([w], lr=0.01, max_iter=6)
        asked[library.__name__] = 0
        for _ in range(3):

            def closure(library: Any = library, w: Any = w, optimizer: Any = optimizer) -> Any:
                asked[library.__name__] += 1
                optimizer.zero_grad()
                loss = (w**4).sum()
                loss.backward()
                return loss

            optimizer.step(closure)
    assert asked["minigrad"] == asked["torch"]


class ByHand(mg.optim.Optimizer):
    """An optimiser as people write their own, with a ``step`` that does everything."""

    def __init__(self, params: Any, lr: float = 0.1) -> None:
        super().__init__(params, {"lr": lr})

    @mg.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    state = self.state[parameter]
                    state["steps"] = state.get("steps", 0) + 1
                    parameter.add_(parameter.grad, alpha=-group["lr"])


def test_an_optimiser_of_ones_own_is_announced_and_hooked_like_ours() -> None:
    used, unused = weight(), weight()
    optimizer = ByHand([used, unused])
    hooked: list[str] = []
    optimizer.register_step_pre_hook(lambda *_: hooked.append("before"))
    optimizer.register_step_post_hook(lambda *_: hooked.append("after"))
    (used * used).sum().backward()
    seen: list[Any] = []
    with listen(lambda event: seen.append((event.parameters, event.skipped)), OptimizerStepped):
        optimizer.step()
    assert used.tolist() == [pytest.approx(0.8)]
    assert hooked == ["before", "after"]
    assert len(seen) == 1
    assert seen[0][0][0] is used
    assert seen[0][1][0] is unused
    assert optimizer.state[used] == {"steps": 1}
    schedule = mg.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    schedule.step()
    assert optimizer.param_groups[0]["lr"] == 0.05


def test_a_step_that_calls_its_bases_is_one_step() -> None:
    class Twice(mg.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            super().step()
            return super().step(closure)

    w = weight()
    optimizer = Twice([w], lr=0.25)
    (w * w).sum().backward()
    seen: list[str] = []
    with listen(lambda event: seen.append(type(event).__name__), OptimizerStepped, VersionBumped):
        optimizer.step()
    assert seen == ["VersionBumped", "VersionBumped", "OptimizerStepped"]
    assert w.tolist() == [0.0]


def test_options_that_say_how_and_not_what_are_taken() -> None:
    mg.optim.AdamW([weight()], foreach=True, fused=False, capturable=False)
    with pytest.raises(TypeError, match="unexpected keyword argument 'learning_rate'"):
        mg.optim.SGD([weight()], learning_rate=0.1)
    with pytest.raises(ValueError, match="steps are not recorded here"):
        mg.optim.Adam([weight()], differentiable=True)


@pytest.mark.oracle
@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_lowers_the_rate_when_pytorchs_does(torch: ModuleType, mode: str, threshold_mode: str) -> None:
    measures = [1, 0.9, 0.9, 0.9, 0.95, 0.9, 0.8, 0.8, 0.8, 0.8, -1, -1, -1.005, -1, -1, -1]
    rates: dict[str, list[float]] = {}
    for library in (torch, mg):
        optimizer = library.optim.SGD([library.zeros(1, requires_grad=True)], lr=0.3)
        schedule = library.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, mode, patience=1, cooldown=1, threshold=0.01, threshold_mode=threshold_mode
        )
        rates[library.__name__] = []
        for measure in measures:
            schedule.step(measure)
            rates[library.__name__].append(optimizer.param_groups[0]["lr"])
    assert rates["minigrad"] == rates["torch"]
