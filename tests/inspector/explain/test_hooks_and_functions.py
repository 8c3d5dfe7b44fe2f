"""Hooks that change what one retains, and custom Functions that break their promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inspector.explain.conftest import Explain

Healthy = Callable[[str], None]


def test_a_retained_gradient_is_said_to_be_what_the_hooks_made_of_it(explained: Explain) -> None:
    finding = explained(
        """
        import minigrad as mg
        x = mg.tensor(3.0, requires_grad=True)
        h = x * 2.0
        h.retain_grad()
        h.register_hook(lambda g: g + 1.0)  #: hooked
        h.register_hook(lambda g: g * 10.0)  #: hooked
        (h * h).backward()  #: used
        print(h.grad)
        """
    ).one("hook-changed")
    assert "h.grad is 130, but the derivative that arrived at h in the backward on line 7" in finding.sentence
    assert "was 12: 2 hooks of h changed it first, 12 to 13 then 13 to 130" in finding.sentence
    assert "retained last, after all hooks, whatever the order" in finding.sentence
    assert "(x.grad took 260)" in finding.sentence


def test_the_hook_of_an_earlier_tensor_of_the_same_name_is_not_pointed_at(explained: Explain) -> None:
    explained(
        """
        import minigrad as mg
        x = mg.tensor(3.0, requires_grad=True)
        h = x * 5.0
        h.register_hook(lambda g: g * 2.0)
        h.backward()
        h = x * 2.0
        h.retain_grad()
        h.register_hook(lambda g: g * 10.0)  #: hooked
        (h * h).backward()  #: used
        print(h.grad)
        """
    ).one("hook-changed")


@pytest.mark.parametrize(
    "hooks",
    [
        "h.register_hook(lambda g: print(g))\nh.retain_grad()",
        "h.retain_grad()",
        "x.register_hook(lambda g: g.clamp(-1.0, 1.0))",
        "h.register_hook(lambda g: g * 0.5)",
    ],
    ids=["only looks", "no hook", "clips a leaf", "nothing retained"],
)
def test_hooks_that_deceive_nobody_are_no_fault(healthy: Healthy, hooks: str) -> None:
    look = "print(h.grad)" if "retain_grad" in hooks else "print(x.grad)"
    start = "import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\nh = x * 2.0"
    healthy(f"{start}\n{hooks}\n(h * h).backward()\n{look}\n")


def test_a_hook_that_changes_the_shape_is_refused(explained: Explain) -> None:
    (finding,) = explained(
        """
        import minigrad as mg
        x = mg.ones(2, requires_grad=True)
        x.register_hook(lambda g: g.sum())
        x.sum().backward()
        """,
        fails=RuntimeError,
    ).findings
    assert finding.kind == "hook-contract"
    assert "the hook <lambda> answered with a gradient of another shape" in finding.sentence
    assert "of the same shape and type, or None" in finding.mend


FUNCTION = """
import minigrad as mg
class Scale(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return {answer}  #: returned
x = mg.ones(3, requires_grad=True)
y = Scale.apply(x, 2.0)  #: created
y.sum().backward()  #: used
"""


@pytest.mark.parametrize(
    ("answer", "words", "mend"),
    [
        (
            "g * ctx.factor",
            "Scale.backward returned 1 gradient, but Scale.forward takes 2 arguments (x and factor)",
            "return g * ctx.factor, None",
        ),
        (
            "mg.ones(2), None",
            "returned a gradient of shape [2] for x, its first tensor, whose shape is [3]",
            "shape [3] for x",
        ),
        ("g, g", "returned a gradient for factor, its second argument, which is no tensor", "return g, None"),
        ("1.0, None", "returned a float for x, where a Tensor or None belongs", "with tensors"),
    ],
    ids=["too few", "wrong shape", "for a number", "no tensor"],
)
def test_a_backward_that_returns_the_wrong_thing_is_named(
    explained: Explain, answer: str, words: str, mend: str
) -> None:
    finding = explained(FUNCTION.format(answer=answer), fails=(RuntimeError, TypeError)).one("function-contract")
    assert words in finding.sentence
    assert mend in finding.mend


def test_a_gradient_that_is_summed_down_without_a_word_is_found(explained: Explain) -> None:
    finding = explained(FUNCTION.format(answer="mg.ones(5, 3), None")).one("function-contract")
    assert "returned a gradient of shape (5, 3) for x, whose shape is (3,)" in finding.sentence
    assert "summed down without a word" in finding.sentence


@pytest.mark.parametrize("answer", ["g * ctx.factor, None", "g * ctx.factor, None, None"])
def test_a_backward_that_keeps_its_promise_is_no_fault(healthy: Healthy, answer: str) -> None:
    healthy(FUNCTION.format(answer=answer))


def test_broadcasting_inside_a_function_is_summed_by_design(healthy: Healthy) -> None:
    healthy(
        """
        import minigrad as mg
        class Add(mg.autograd.Function):
            @staticmethod
            def forward(ctx, table, bias):
                return table + bias
            @staticmethod
            def backward(ctx, g):
                return g, g
        bias = mg.ones(3, requires_grad=True)
        Add.apply(mg.ones(2, 3), bias).sum().backward()
        """
    )


DIRTY = """
import minigrad as mg
class AddInto(mg.autograd.Function):
    @staticmethod
    def forward(ctx, box, more):
        box.add_(more)
        {mark}
        return box
    @staticmethod
    def backward(ctx, g):
        return g, g
x = mg.tensor([1.0, 1.0], requires_grad=True)
more = mg.tensor([5.0, 5.0], requires_grad=True)
box = {box}
AddInto.apply(box, more)
box.sum().backward()
print(more.grad)
"""


def test_a_write_that_was_not_declared_is_found_and_explains_the_missing_gradient(explained: Explain) -> None:
    ran = explained(DIRTY.format(mark="pass", box="x * 1.0"))
    broken, missing = ran.findings
    assert (broken.kind, missing.kind) == ("function-contract", "grad-none")
    assert "AddInto.forward changed its first argument, box, in place on line 5 (`box.add_(more)`)" in broken.sentence
    assert "did not call ctx.mark_dirty(box)" in broken.sentence
    assert "no gradient reaches more through it" in broken.sentence
    assert broken.mend.startswith("ctx.mark_dirty(box)")
    assert "box still carries its old history, in which more does not occur" in missing.sentence
    assert (5, "mutated") in {(place.line, place.role) for place in broken.locations}


def test_a_declared_write_is_no_fault_and_a_leaf_is_refused(explained: Explain, healthy: Healthy) -> None:
    healthy(DIRTY.format(mark="ctx.mark_dirty(box)", box="x * 1.0"))
    (finding,) = explained(DIRTY.format(mark="ctx.mark_dirty(box)", box="x"), fails=RuntimeError).findings
    assert finding.kind == "leaf-inplace"
    assert "AddInto on line 14" in finding.sentence
    assert "is a leaf that requires grad" in finding.sentence


def test_a_function_with_setup_context_names_all_its_arguments(explained: Explain) -> None:
    (finding,) = explained(
        """
        import minigrad as mg
        class Mul(mg.autograd.Function):
            @staticmethod
            def forward(a, b):
                return a * b
            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)
            @staticmethod
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                return g * b
        a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
        Mul.apply(a, b).sum().backward()
        """,
        fails=RuntimeError,
    ).findings
    assert "takes 2 arguments (a and b)" in finding.sentence
    assert finding.mend == "return grad_a, grad_b"


SQUASH = """
import minigrad as mg
from minigrad.autograd import Function

class Squash(Function):
    @staticmethod
    def forward(ctx, x):
        d = 1 + x * x
        ctx.save_for_backward({saved})
        return x * x / d

    @staticmethod
    def backward(ctx, g):
        {unpack} = ctx.saved_tensors
        return {answer}

x = mg.tensor(1.0, requires_grad=True)
"""


def squash(saved: str = "x, d", unpack: str = "x, d", answer: str = "g * 2 * x / d**2", rest: str = "") -> str:
    return SQUASH.format(saved=saved, unpack=unpack, answer=answer) + rest


TWICE = """
(slope,) = mg.autograd.grad(Squash.apply(x), x, create_graph=True)
slope.backward()
"""


def test_what_forward_computed_on_the_way_is_a_constant_to_a_second_derivative(explained: Explain) -> None:
    script = squash(rest=TWICE).replace("d = 1 + x * x", "d = 1 + x * x  #: computed")
    script = script.replace("create_graph=True)", "create_graph=True)  #: used")
    finding = explained(script.replace("slope.backward()", "slope.backward()  #: differentiated")).one(
        "function-contract"
    )
    assert finding.sentence.startswith("Squash saved d, which its forward computed on line 7 (`1 + x * x`)")
    assert "neither an argument nor a result" in finding.sentence
    assert finding.sentence.endswith("what the second derivative owes to d is missing.")
    assert finding.mend.startswith("# save arguments and results only, and compute d again in backward")


@pytest.mark.parametrize(
    "script",
    [
        squash("x", "(x,)", "g * 2 * x / (1 + x * x) ** 2", TWICE),
        squash("x, x > 0", "x, positive", "g * 2 * x / (1 + x * x) ** 2 * (1.0 * positive + 1.0 * ~positive)", TWICE),
        squash(rest="Squash.apply(x).backward()"),
        squash(rest="mg.autograd.grad(Squash.apply(x), x, create_graph=True)"),
        squash(rest="mg.autograd.functional.jvp(Squash.apply, x, mg.tensor(1.0))"),
        squash("x, d.detach().sign()", "x, sign", "g * 2 * x / (1 + x * x) ** 2 * sign", TWICE),
    ],
    ids=["computes it again", "a mask", "one pass", "nobody differentiates twice", "along the gradient only", "steps"],
)
def test_a_function_that_saves_rightly_or_is_differentiated_once_is_no_fault(healthy: Healthy, script: str) -> None:
    healthy(script)
