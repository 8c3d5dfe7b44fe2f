"""What must hold of minigrad after every statement of any program: the metadata's invariants, and decent errors."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import minigrad
from tests.differential.generate import ALL, LACKING, programs
from tests.differential.programs import Program
from tests.differential.run import Bench, Entry

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

FEATURES = ALL.difference(LACKING) - {"inplace shape"}
"""All but ``squeeze_`` and its kin, with which a user may give a gradient another shape than its tensor's."""

DECENT = {"RuntimeError", "TypeError", "ValueError", "IndexError", "NotImplementedError"}


class Auditor(Bench):
    """A bench that checks the metadata of every variable instead of writing it down."""

    def __init__(self) -> None:
        super().__init__(minigrad)
        self.versions: dict[int, int] = {}

    def look(self) -> dict[str, dict[str, object]]:
        """Nothing; raises AssertionError where an invariant does not hold."""
        for tensor in [value for value in self.namespace.values() if isinstance(value, minigrad.Tensor)]:
            try:
                leaf = tensor.is_leaf
            except RuntimeError:
                continue  # a view that may no longer be used says so, whatever one asks
            self.audit(tensor, leaf)
        return {}

    def audit(self, tensor: Any, leaf: bool) -> None:
        """Check one tensor."""
        tensor.autograd_meta.check_invariants()
        assert leaf == (tensor.grad_fn is None)
        assert leaf or tensor.requires_grad
        assert not tensor.requires_grad or tensor.dtype.is_floating_point or tensor.dtype.is_complex
        if not tensor.is_inference():
            serial = tensor.version_counter.serial
            assert self.versions.get(serial, 0) <= tensor._version
            self.versions[serial] = tensor._version


@settings(max_examples=80)
@given(program=programs(FEATURES))
def test_the_metadata_is_consistent_after_every_statement(program: Program) -> None:
    Auditor().perform(program.statements, watch=True)


@settings(max_examples=80)
@given(program=programs(FEATURES))
def test_whatever_is_refused_is_refused_with_an_error_that_a_user_expects(program: Program) -> None:
    auditor = Auditor()
    auditor.perform(program.statements, watch=False)
    indecent = [entry for entry in auditor.log if entry.raised and not decent(entry)]
    assert not indecent, f"{program}\n{indecent[0]}"


def decent(entry: Entry) -> bool:
    """Whether it is an error for users; asking None for an attribute is the program's own mistake."""
    assert entry.raised is not None
    return entry.raised.family in DECENT or "'NoneType' object has no attribute" in entry.raised.message
