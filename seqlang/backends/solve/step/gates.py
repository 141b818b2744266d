"""Gates at work: tests as disjoint conjunctions, and the bounds that they put on random numbers.

A `Gate` is one compiled condition. Read on a stage it gives its leaves: what is known (`holds`), or a cut of one
`Variable` at a bound. A `Case` is a weight together with bounds on variables that are still unknown; a gate splits a
list of cases into the cases in which it fires, and those in which it does not. Arrays are (theta or 1, rows or 1).
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.noises.laws import TIE, ScalarLaw
from seqlang.backends.solve.step.dependencies import Condition
from seqlang.backends.solve.step.distinct import distinct
from seqlang.backends.solve.step.noise_roles import Half, Roles
from seqlang.backends.solve.step.reading import Reading
from seqlang.backends.solve.step.ties import Holds, Ties, tested
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import And, Margin, Not, Or, PublicTest, Test
from seqlang.source import NOWHERE

Array = NDArray[Any]
Bounds = tuple[Array | None, Array | None]
"""Low and high end; None: no bound. Ends carry no chance: at ties they are moved past the point."""
Literal = tuple[int, bool]
MOST_ALTERNATIVES = 256


class Case:
    """`weight` (None: 1) times the chance that every variable lies in its bounds."""

    __slots__ = ("bounds", "weight")

    def __init__(self, weight: Array | None, bounds: dict[str, Bounds]) -> None:
        self.weight = weight
        self.bounds = bounds

    def chance(self, laws: Mapping[str, ScalarLaw]) -> Array:
        """Its probability."""
        found = self.weight
        for name, ends in self.bounds.items():
            inside = between(laws[name], ends)
            found = inside if found is None else found * inside
        return np.ones((1, 1)) if found is None else found

    def at(self, where: Array) -> Case:
        """The case at some places of a table (theta, rows): arrays (places,)."""

        def some(array: Array | None) -> Array | None:
            return None if array is None else np.broadcast_to(array, where.shape)[where]

        return Case(some(self.weight), {name: (some(low), some(high)) for name, (low, high) in self.bounds.items()})

    def closed(self, keep: frozenset[str], laws: Mapping[str, ScalarLaw]) -> Case:
        """The same with the chance of all variables outside `keep` in the weight."""
        over = {name: ends for name, ends in self.bounds.items() if name not in keep}
        if not over:
            return self
        kept = {name: ends for name, ends in self.bounds.items() if name in keep}
        return Case(Case(self.weight, over).chance(laws), kept)


def between(law: ScalarLaw, ends: Bounds) -> Array:
    low, high = ends
    if low is None:
        return np.ones((1, 1)) if high is None else _by_distinct(law.below, high)
    return _by_distinct(law.above, low) if high is None else law.between(low, high)


def _by_distinct(chance: Any, bound: Array) -> Array:
    """A tail at a bound (theta, rows). On a product of axes of nodes a bound often depends on one axis only: then it is
    computed once for each distinct row, as tails are the dear part."""
    if bound.ndim != 2 or bound.shape[0] < 32:
        return np.asarray(chance(bound))
    first, place = distinct(bound[:, 0])
    if 4 * len(first) > bound.shape[0]:
        return np.asarray(chance(bound))
    different = bound[first]
    if not np.array_equal(different[place], bound, equal_nan=True):
        return np.asarray(chance(bound))
    return np.asarray(np.asarray(chance(different))[place])


def merged(cases: Sequence[Case]) -> list[Case]:
    """Cases without bounds become one."""
    free = [c for c in cases if not c.bounds]
    if len(free) < 2:
        return list(cases)
    weight: Any = sum((np.ones((1, 1)) if c.weight is None else c.weight) for c in free)
    return [Case(weight, {}), *(c for c in cases if c.bounds)]


class Known:
    """A leaf that holds no random number any more."""

    def __init__(self, holds: Array) -> None:
        self.holds = holds


class Cut:
    """variable >= bound where `up`, <= bound elsewhere."""

    def __init__(self, variable: str, bound: Array, up: Array | bool) -> None:
        self.variable, self.bound, self.up = variable, bound, up


Leaf = Known | Cut


class Gate:
    """One condition. `variables`: those that its halves read."""

    def __init__(self, condition: Condition, roles: Roles, compiler: VectorCompiler) -> None:
        self.guard = None if condition.guard is None else tested(condition.guard, compiler)
        self.leaves: list[Compared | Holds] = []
        self.laws = {name: v.law for name, v in roles.variables.items()}
        self._places: dict[Margin | PublicTest, int] = {}
        self.fires: list[tuple[Literal, ...]] = [()]
        self.idles: list[tuple[Literal, ...]] = []
        if condition.test is not None:
            self._place(condition.test, roles, compiler)
            self.fires = self._alternatives(condition.test, True)
            self.idles = self._alternatives(condition.test, False)
        self.variables = frozenset(
            leaf.half.variable for leaf in self.leaves if isinstance(leaf, Compared) and leaf.half.variable is not None
        )
        self.is_plain = not self.variables and all(
            not isinstance(leaf, Compared) or not leaf.half.known for leaf in self.leaves
        )

    def _place(self, test: Test, roles: Roles, compiler: VectorCompiler) -> None:
        match test:
            case Margin():
                if test not in self._places:
                    self._places[test] = len(self.leaves)
                    self.leaves.append(Compared(roles.halves[test], roles, compiler))
            case PublicTest(expression):
                if test not in self._places:
                    self._places[test] = len(self.leaves)
                    self.leaves.append(tested(expression, compiler))
            case And(parts) | Or(parts):
                for part in parts:
                    self._place(part, roles, compiler)
            case Not(part):
                self._place(part, roles, compiler)

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
        """For tables of which single rows are taken."""
        for leaf in self.leaves:
            if isinstance(leaf, Compared):
                leaf.order = "F"

    def read(self, stage: Reading, known: Mapping[str, Array]) -> tuple[Array | None, list[Leaf]]:
        """(guard, leaves) on the rows of a stage; `known` has the nodes' values, (theta, 1)."""
        guard = None
        if self.guard is not None:
            guard = np.atleast_1d(np.asarray(self.guard(stage), dtype=bool))[None, :]
        leaves: list[Leaf] = []
        for leaf in self.leaves:
            if isinstance(leaf, Compared):
                leaves.append(leaf.read(stage, known, guard))
            else:
                leaves.append(Known(np.atleast_1d(np.asarray(leaf(stage), dtype=bool))[None, :]))
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
        if isinstance(leaf, Known):
            holds = leaf.holds if wanted else ~leaf.holds
            if or_idle and guard is not None:
                holds = holds | ~guard
            if holds.all():
                continue
            if not holds.any():
                return None
            weight = _times(weight, holds)
        else:
            low, high = bounds.get(leaf.variable, (None, None))
            if leaf.up is True or leaf.up is False:
                is_low = leaf.up == wanted
                bound = leaf.bound
                if or_idle and guard is not None:
                    bound = np.where(guard, bound, -np.inf if is_low else np.inf)
                if is_low:
                    low = bound if low is None else np.maximum(low, bound)
                else:
                    high = bound if high is None else np.minimum(high, bound)
            else:
                is_lower = np.asarray(leaf.up) == wanted
                inside = guard if or_idle and guard is not None else np.ones((1, 1), dtype=bool)
                first = np.where(is_lower & inside, leaf.bound, -np.inf)
                second = np.where(~is_lower & inside, leaf.bound, np.inf)
                low = first if low is None else np.maximum(low, first)
                high = second if high is None else np.minimum(high, second)
            bounds[leaf.variable] = (low, high)
    if guard is not None and not or_idle:
        weight = _times(weight, guard)
    return Case(weight, bounds)


class Compared:
    """A half, compiled. If `seen` is a list, it collects what is read: the bound without nodes, factors by node."""

    def __init__(self, half: Half, roles: Roles, compiler: VectorCompiler) -> None:
        self.half = half
        self.strict = half.margin.strict
        self.value = compiler.compile(half.margin.value)
        self.ties = Ties(half.margin.value, compiler)
        self.known = [(t.noise, compiler.compile(t.factor)) for t in half.known]
        self.scale = None if half.scale is None else compiler.compile(half.scale)
        law = None if half.variable is None else roles.variables[half.variable].law
        self.unit = unit_of(law) if law is not None and law.discrete else None
        self.seen: list[tuple[Array, dict[str, Array]]] | None = None
        self.order: typing.Literal["K", "F"] = "K"
        """How bounds lie in memory, and so all that is computed of them; "F": the nodes of one row side by side."""

    def plain(self, stage: Reading, known: Mapping[str, Array]) -> Array:
        """The value and the noises that are fixed."""
        total: Array = stage.numbers(self.value)[None, :]
        for name, factor in self.known:
            noise = stage.held[name] if name in stage.held else known[name]
            total = np.add(total, stage.numbers(factor)[None, :] * noise, order=self.order)
        return total

    def read(self, stage: Reading, known: Mapping[str, Array], guard: Array | None) -> Leaf:
        with np.errstate(all="ignore"):
            total = self.plain(stage, known)
            if stage.strict:
                wrong = np.isnan(total) if guard is None else np.isnan(total) & guard
                stage.check(wrong, "a side of a comparison", NOWHERE)
            if self.scale is None or self.unit is not None:
                rounding = self.ties.within(stage, total)[None, :]
            if self.scale is None:
                if self.seen is not None:
                    self.seen.append((stage.numbers(self.value), {n: stage.numbers(run) for n, run in self.known}))
                return Known(total > rounding if self.strict else total >= -rounding)
            assert self.half.variable is not None
            scale = stage.numbers(self.scale)[None, :]
            if self.seen is not None:
                factors = {name: -stage.numbers(run) / scale[0] for name, run in self.known}
                self.seen.append((-stage.numbers(self.value) / scale[0], factors))
            flat = scale == 0
            up: Array | bool = scale > 0
            bound = total / -scale
            if self.unit is not None:
                slack = np.maximum(rounding / np.abs(scale), 4 * TIE * np.maximum(np.abs(bound), self.unit))
                slack = np.minimum(slack, self.unit / 4)
                bound = bound + np.where(up, 1.0, -1.0) * (slack if self.strict else -slack)
            if flat.any():
                sure = total > 0 if self.strict else total >= 0
                bound = np.where(flat, np.where(sure, -np.inf, np.inf), bound)
                up = up | flat
            if isinstance(up, np.ndarray) and (up.all() or not up.any()):
                up = bool(up.all())
            return Cut(self.half.variable, bound, up)


def unit_of(law: ScalarLaw) -> float:
    """The smallest gap between points of a discrete law."""
    points, _ = law.atoms(1e-30)
    return float(np.min(np.diff(points))) if len(points) > 1 else max(abs(float(points[0])), 1e-6)
