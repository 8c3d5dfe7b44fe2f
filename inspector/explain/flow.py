"""How values flow forward through a run: which operation used a tensor, what came out, and where the history was cut.

Built once from a trace's operations; must not know any diagnosis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.trace.facts import OpApplied
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Use:
    """One operation that a tensor went into."""

    step: int
    fact: OpApplied

    @property
    def cuts(self) -> bool:
        """Whether no gradient can come back through it."""
        return self.fact.node is None and self.fact.unrecorded != "no input requires grad"


class Flow:
    """The uses of every tensor, in order."""

    def __init__(self, trace: Trace) -> None:
        self._uses: dict[int, list[Use]] = {}
        for step in trace.steps_of(OpApplied):
            fact = trace.op_at(step)
            if fact is not None:
                self._note(Use(step, fact))

    def _note(self, use: Use) -> None:
        for serial in {serial for _, serial in use.fact.inputs if isinstance(serial, int)}:
            self._uses.setdefault(serial, []).append(use)

    def uses(self, tensor: int) -> list[Use]:
        """The operations that ``tensor`` went into."""
        return self._uses.get(tensor, [])

    def downstream(self, tensor: int) -> tuple[set[int], list[Use]]:
        """All tensors that recorded operations made from ``tensor``, itself included, and the uses where the history was cut."""
        reached = {tensor}
        stack = [tensor]
        cuts: list[Use] = []
        while stack:
            for use in self.uses(stack.pop()):
                if use.cuts:
                    cuts.append(use)
                elif use.fact.node is not None:
                    new = [out for out in use.fact.outputs if out not in reached]
                    reached.update(new)
                    stack += new
        return reached, sorted(cuts, key=lambda use: use.step)

    def leads_to(self, cut: Use, targets: Iterable[int]) -> bool:
        """Whether what came out of ``cut`` went on, recorded or not, into one of ``targets``."""
        wanted = set(targets)
        reached = set(cut.fact.outputs)
        stack = list(reached)
        while stack:
            for use in self.uses(stack.pop()):
                new = [out for out in use.fact.outputs if out not in reached]
                reached.update(new)
                stack += new
        return bool(reached & wanted)
