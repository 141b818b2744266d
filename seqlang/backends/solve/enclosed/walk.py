"""The chain for a sum of real-valued data, by whole numbers: what is left over is a noise that is known by its bounds.

Let X_1, X_2, .. be what the entries add, and K_t the sum of floor(X_i / h). Then the sum after t steps lies between h
K_t and h K_t + t h, whatever the data are. K is a walk on the whole numbers with increments of known law. A comparison
that reads the sum is decided only where it comes out alike for all values between these two: so the table is a lower
bound, as it is with panels for noises that persist. How much a compared value changes with the sum is bounded by its
Lipschitz constant.

    walk_chain(program, model, plan, panels, watch) -> Chain       raises Unsolved
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.signal import fftconvolve

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.enclosed.panel_grid import panel_grid
from seqlang.backends.solve.mesh.increments import Increments
from seqlang.backends.solve.mesh.private_number import Reading, cells_of, read, with_nodes
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.comparisons import Panel
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Margin, Program, PublicTest
from seqlang.record import record, replace

LEFT_OVER = "what floors have left of the sum"
"""The name of the noise that stands for it; no user can write it."""
COARSEST, FINEST = 32, 4096
"""How many h make the standard deviation of what an entry adds, at least and at most."""
NUMBERS = 60.0
"""What one number of the walk costs in a step, in numbers of about 5 nanoseconds."""
ROWS = 400_000
"""The most whole numbers, times panels, that are followed."""
RARE = 1e-15
"""A probability: so much may be given up at either end of the walk in one step."""
ONE, ZERO = ir.Number(Fraction(1)), ir.Number(Fraction(0))


@record
class WalkFrontier:
    """After `step` steps: `mass` (theta, rows) at K = first, first + 1, ..; `sensitivity` is that of the law of an
    entry."""

    step: int
    first: int
    mass: Array
    sensitivity: float

    @property
    def survivors(self) -> Array:
        return np.asarray(self.mass.sum(axis=1))

    @property
    def lost(self) -> float:
        return 0.0

    @property
    def size(self) -> int:
        return int(self.mass.size)

    @property
    def cost(self) -> float:
        """A convolution and the chances of the stops."""
        return NUMBERS * self.mass.size

    @property
    def terms(self) -> float:
        """As many as have the same error as the convolution by Fourier transforms, and the law of an entry."""
        return 32.0 * float(self.mass.shape[1]) * self.sensitivity


class WalkChain:
    """A `Chain`; entries cannot be forced, and nothing is known in closed form."""

    def __init__(self, reading: Reading, plan: IntegrationPlan, unit: float) -> None:
        assert plan.panels is not None
        self.reading, self.plan, self.unit = reading, plan, unit
        self.grid = panel_grid(plan, plan.panels)
        self.chances = Chances(reading.program, plan, self.grid)
        self.first, self.law = floored(reading.increments, unit)
        self.sensitivity = max([part.law.sensitivity for part in reading.increments.parts], default=1.0)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.chances.outcomes

    def begin(self) -> WalkFrontier:
        return WalkFrontier(0, 0, np.array(self.grid.weights, dtype=np.float64)[:, None], self.sensitivity)

    def advance(self, frontier: WalkFrontier, forced: Mapping[str, Any] | None = None) -> tuple[WalkFrontier, Stopped]:
        if forced is not None:
            raise Unsolved("a given entry in a walk that is enclosed")
        step, first = frontier.step + 1, frontier.first + self.first
        mass = np.maximum(fftconvolve(frontier.mass, self.law[None, :], axes=1), 0.0)
        if mass.size > ROWS * 50:
            raise Unsolved("a sum that spreads too far")
        first, mass = _trimmed(first, mass)
        half = step * self.unit / 2
        sums = (first + np.arange(mass.shape[1], dtype=np.float64)) * self.unit + half
        spread = Panel(np.full((1, 1), -half), np.full((1, 1), half))
        environment = Environment(step, self.reading.cells(sums, step))
        table = self.chances.table(step, environment, also={LEFT_OVER: spread})
        table = np.broadcast_to(table, (len(table), *mass.shape))
        stopped = self.chances.mixing.T @ np.einsum("str,tr->st", table[:-1], mass)
        return WalkFrontier(step, first, mass * table[-1], self.sensitivity), Stopped(stopped, np.zeros(0))

    def close(self, frontier: WalkFrontier) -> Tail | None:
        return None

    def stuck(self, frontier: WalkFrontier) -> float:
        return 0.0


def _trimmed(first: int, mass: Array) -> tuple[int, Array]:
    """Without the ends of the walk that are too rare to matter; what they had is in no probability."""
    column = mass.sum(axis=0)
    low = int(np.searchsorted(np.cumsum(column), RARE))
    high = len(column) - int(np.searchsorted(np.cumsum(column[::-1]), RARE))
    if low >= high:
        return first, np.zeros((len(mass), 1))
    return first + low, mass[:, low:high]


def floored(increments: Increments, unit: float) -> tuple[int, Array]:
    """(least, probabilities) of floor(X / unit) for what an entry adds; what is too rare is left out."""
    low, high = math.floor(increments.low / unit), math.floor(increments.high / unit)
    if high - low > ROWS:
        raise Unsolved("an entry that may add very different numbers")
    ends = np.arange(low, high + 2, dtype=np.float64) * unit
    chances = np.zeros(high - low + 1)
    for part in increments.parts:
        chances += part.chance(ends[:-1], ends[1:])
    for value, chance in increments.atoms:
        chances[math.floor(value / unit) - low] += chance
    return low, chances


def walk_chain(
    program: Program, model: str, plan: IntegrationPlan, panels: int, watch: tuple[ir.Expression, ...]
) -> WalkChain:
    """The chain. Raises Unsolved where the program is not one of a sum over all steps that only stops, or
    compares the sum in a way that has no Lipschitz constant."""
    if watch:
        raise Unsolved("the final value of a sum of continuous data")
    reading = read(program, model, cells_of(program, plan))
    if reading.program is not program or reading.floor > -math.inf or reading.ceiling < math.inf:
        raise Unsolved("a recursion of continuous data")
    if not plan.simple:
        plan = replace(with_nodes(plan, program), panels=plan.panels, favoured=plan.favoured)
    plan = _with_left_over(program, plan, {*reading.sums}, {*reading.means})
    spread = math.sqrt(reading.increments.variance)
    if not spread > 0:
        raise Unsolved("a sum that does not vary")
    # where noises persist, the error of both is about the same
    finer = panels if not plan.nodes else COARSEST * math.sqrt(panels / COARSEST)
    finer = min(FINEST, max(COARSEST, finer))
    return WalkChain(reading, plan, 2.0 ** math.floor(math.log2(spread / finer)))


def _with_left_over(program: Program, plan: IntegrationPlan, sums: set[str], means: set[str]) -> IntegrationPlan:
    """The plan whose comparisons also read what is left over, with their Lipschitz constants."""
    comparisons = {}
    for margin, comparison in plan.comparisons.items():
        slope = _slope(program, margin.value, sums, means)
        if slope is None or any(_reads(program, t.factor, sums | means) for t in margin.terms):
            raise Unsolved("a sum of continuous data, compared in another way than by sums and absolute values")
        if slope != ZERO:
            comparison = NoisyComparison(
                margin, (*comparison.known, ir.Term(LEFT_OVER, slope)), comparison.variable, comparison.scale
            )
        comparisons[margin] = comparison
    for condition in plan.conditions.values():
        plain = [] if condition.guard is None else [condition.guard]
        if condition.test is not None:
            plain += [test.expression for test in _public(condition.test)]
        if any(_reads(program, e, sums | means) for e in plain):
            raise Unsolved("a sum of continuous data in a condition without margin")
    return replace(plan, comparisons=comparisons)


def _public(test: Any) -> list[PublicTest]:
    match test:
        case PublicTest():
            return [test]
        case Margin():
            return []
        case _:
            parts = test.parts if hasattr(test, "parts") else (test.part,)
            return [found for part in parts for found in _public(part)]


def _reads(program: Program, e: ir.Expression, names: set[str]) -> bool:
    return any(isinstance(x, ir.CellValue) and x.name in names for x in walk_defined(program, e))


def _slope(program: Program, e: ir.Expression, sums: set[str], means: set[str]) -> ir.Expression | None:
    """A Lipschitz constant of the expression in the sum; None where none is plain to see."""

    def of(inner: ir.Expression) -> ir.Expression | None:
        return _slope(program, inner, sums, means)

    if not _reads(program, e, sums | means):
        return ZERO
    match e:
        case ir.CellValue(name):
            return ONE if name in sums else ir.Apply("/", (ONE, ir.StepNumber()))
        case ir.Local(name):
            return of(program.define(name).expression)
        case ir.Apply("negate" | "abs", (inner,)):
            return of(inner)
        case ir.Apply("+" | "-", (a, b)):
            first, second = of(a), of(b)
            return None if first is None or second is None else ir.Apply("+", (first, second))
        case ir.Apply("max" | "min", arguments) if len(arguments) > 1:
            slopes = [of(a) for a in arguments]
            known = [s for s in slopes if s is not None]
            return ir.Apply("max", tuple(known)) if len(known) == len(slopes) else None
        case ir.Apply("*", (a, b)) if not _reads(program, b, sums | means):
            return _times(of(a), b)
        case ir.Apply("*", (a, b)) if not _reads(program, a, sums | means):
            return _times(of(b), a)
        case ir.Apply("/", (a, b)) if not _reads(program, b, sums | means):
            slope = of(a)
            return None if slope is None else ir.Apply("/", (slope, ir.Apply("abs", (b,))))
    return None


def _times(slope: ir.Expression | None, factor: ir.Expression) -> ir.Expression | None:
    return None if slope is None else ir.Apply("*", (slope, ir.Apply("abs", (factor,))))
