"""Compiled conditions: tests as disjoint conjunctions, and the bounds that they put on random numbers.

A `Gate` is one compiled condition. Read on the rows of a stage it gives a leaf for each part of its test: either
whether the part holds (`Decided`), or a bound on one `Variable` (`VariableBound`). A `Case` is a weight with bounds on
variables whose values are not known; a gate splits a list of cases into those in which it fires and those in which it
does not. Arrays are (theta or 1, rows or 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.step.cases import Case
from seqlang.backends.solve.step.comparisons import CompiledComparison, Decided, Known, Leaf, leaning
from seqlang.backends.solve.step.dependencies import Condition
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.reading import Reading
from seqlang.backends.solve.step.ties import Holds, tested
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import And, Margin, Not, Or, PublicTest, Test

Array = NDArray[Any]
Literal = tuple[int, bool]
"""A leaf by its index, and whether it shall hold."""
MOST_ALTERNATIVES = 256
"""Disjoint conjunctions of one condition; one that needs more is not solved."""


class Gate:
    """One condition. `variables`: those that its comparisons read. `favoured`: where it is not sure whether the
    condition holds, it is taken to hold (True) or to fail (False); None: neither, and such runs are given up. Raises
    Unsolved where a comparison speaks both for and against a condition that is favoured or not."""

    def __init__(
        self, condition: Condition, plan: IntegrationPlan, compiler: VectorCompiler, favoured: bool | None = None
    ) -> None:
        self.favoured = favoured
        self._for: dict[int, bool] = {}
        self.guard = None if condition.guard is None else tested(condition.guard, compiler)
        self.leaves: list[CompiledComparison | Holds] = []
        self.laws = {name: v.law for name, v in plan.variables.items()}
        self._places: dict[Margin | PublicTest, int] = {}
        self.fires: list[tuple[Literal, ...]] = [()]
        self.idles: list[tuple[Literal, ...]] = []
        if condition.test is not None:
            self._place(condition.test, plan, compiler)
            if favoured is not None:
                self._speaks(condition.test, True)
            self.fires = self._alternatives(condition.test, True)
            self.idles = self._alternatives(condition.test, False)
        self.variables = frozenset(
            leaf.comparison.variable
            for leaf in self.leaves
            if isinstance(leaf, CompiledComparison) and leaf.comparison.variable is not None
        )
        self.is_plain = not self.variables and all(
            not isinstance(leaf, CompiledComparison) or not leaf.comparison.known for leaf in self.leaves
        )

    def _place(self, test: Test, plan: IntegrationPlan, compiler: VectorCompiler) -> None:
        match test:
            case Margin():
                if test not in self._places:
                    self._places[test] = len(self.leaves)
                    self.leaves.append(CompiledComparison(plan.comparisons[test], plan, compiler))
            case PublicTest(expression):
                if test not in self._places:
                    self._places[test] = len(self.leaves)
                    self.leaves.append(tested(expression, compiler))
            case And(parts) | Or(parts):
                for part in parts:
                    self._place(part, plan, compiler)
            case Not(part):
                self._place(part, plan, compiler)

    def _speaks(self, test: Test, up: bool) -> None:
        """Notes of each comparison whether it speaks for the condition (`up`) or against it."""
        match test:
            case Margin() | PublicTest():
                place = self._places[test]
                if self._for.setdefault(place, up) != up and isinstance(test, Margin):
                    raise Unsolved("a comparison that speaks both for and against a condition")
            case And(parts) | Or(parts):
                for part in parts:
                    self._speaks(part, up)
            case Not(part):
                self._speaks(part, not up)

    def _alternatives(self, test: Test, wanted: bool) -> list[tuple[Literal, ...]]:
        """Disjoint conjunctions of literals that say that the test comes out as wanted."""
        match test:
            case Margin() | PublicTest():
                return [((self._places[test], wanted),)]
            case Not(part):
                return self._alternatives(part, not wanted)
            case And(parts) | Or(parts):
                if isinstance(test, And) == wanted:
                    result: list[tuple[Literal, ...]] = [()]
                    for part in parts:
                        result = _product(result, self._alternatives(part, wanted))
                    return result
                result = []
                before: list[tuple[Literal, ...]] = [()]
                for part in parts:
                    result += _product(before, self._alternatives(part, wanted))
                    before = _product(before, self._alternatives(part, not wanted))
                return result

    def nodes_together(self) -> None:
        """Lays the nodes of one row side by side in memory: for tables of which single rows are taken."""
        for leaf in self.leaves:
            if isinstance(leaf, CompiledComparison):
                leaf.order = "F"

    def read(self, stage: Reading, known: Known) -> tuple[Array | None, list[Leaf]]:
        """(guard, leaves) on the rows of a stage; `known` has what is known of the
        persistent noises."""
        guard = None
        if self.guard is not None:
            guard = np.atleast_1d(np.asarray(self.guard(stage), dtype=bool))[None, :]
        leaves: list[Leaf] = []
        for place, leaf in enumerate(self.leaves):
            if isinstance(leaf, CompiledComparison):
                found = leaf.read(stage, known, guard)
                leaves.append(found if self.favoured is None else leaning(found, self.favoured == self._for[place]))
            else:
                holds = np.atleast_1d(np.asarray(leaf(stage), dtype=bool))[None, :]
                leaves.append(Decided(holds, ~holds))
        return guard, leaves

    def holds(self, stage: Reading) -> Array:
        """Where a plain condition holds: (rows,)."""
        guard, leaves = self.read(stage, {})
        fired, _ = self.split([Case(None, {})], guard, leaves)
        found = np.zeros(stage.count, dtype=bool)
        for case in fired:
            found |= np.ones(1, dtype=bool) if case.weight is None else case.weight[0] > 0
        return found

    def split(
        self, cases: Sequence[Case], guard: Array | None, leaves: Sequence[Leaf]
    ) -> tuple[list[Case], list[Case]]:  # fmt: skip
        """The cases in which the gate fires, and those in which it does not."""
        if guard is not None and not guard.any():
            return [], list(cases)
        if guard is not None and guard.all():
            guard = None
        fired = [new for case in cases for c in self.fires if (new := _narrowed(case, c, leaves, guard, False))]
        if not self.idles:
            if guard is None:
                return fired, []
            return fired, [Case(_times(case.weight, ~guard), case.bounds) for case in cases]
        # where the guard does not hold nothing is asked: that goes with the first alternative
        idle = [
            new
            for case in cases
            for i, c in enumerate(self.idles)
            if (new := _narrowed(case, c, leaves, guard, i == 0))
        ]
        return fired, idle


def _product(left: list[tuple[Literal, ...]], right: list[tuple[Literal, ...]]) -> list[tuple[Literal, ...]]:
    if len(left) * len(right) > MOST_ALTERNATIVES:
        raise Unsolved("a condition with too many cases")
    found = []
    for a in left:
        for b in right:
            both = dict(a)
            if all(both.setdefault(place, wanted) == wanted for place, wanted in b):
                found.append(tuple(both.items()))
    return found


def _times(weight: Array | None, factor: Array) -> Array:
    return factor * 1.0 if weight is None else weight * factor


def _narrowed(
    case: Case, literals: tuple[Literal, ...], leaves: Sequence[Leaf], guard: Array | None, or_idle: bool
) -> Case | None:
    """The case under a conjunction, where the guard holds (`or_idle`: and unchanged where it does not)."""
    weight, bounds = case.weight, dict(case.bounds)
    for place, wanted in literals:
        leaf = leaves[place]
        if isinstance(leaf, Decided):
            holds = leaf.holds if wanted else leaf.fails
            if or_idle and guard is not None:
                holds = holds | ~guard
            if holds.all():
                continue
            if not holds.any():
                return None
            weight = _times(weight, holds)
        else:
            low, high = bounds.get(leaf.variable, (None, None))
            end = leaf.bound if wanted else leaf.other
            if leaf.up is True or leaf.up is False:
                is_low = leaf.up == wanted
                bound = end
                if or_idle and guard is not None:
                    bound = np.where(guard, bound, -np.inf if is_low else np.inf)
                if is_low:
                    low = bound if low is None else np.maximum(low, bound)
                else:
                    high = bound if high is None else np.minimum(high, bound)
            else:
                is_lower = np.asarray(leaf.up) == wanted
                inside = guard if or_idle and guard is not None else np.ones((1, 1), dtype=bool)
                first = np.where(is_lower & inside, end, -np.inf)
                second = np.where(~is_lower & inside, end, np.inf)
                low = first if low is None else np.maximum(low, first)
                high = second if high is None else np.minimum(high, second)
            bounds[leaf.variable] = (low, high)
    if guard is not None and not or_idle:
        weight = _times(weight, guard)
    return Case(weight, bounds)
