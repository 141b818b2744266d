"""The expected stopping step, enclosed, of a program that only stops and has a stop towards which it drifts.

Statement (drift). Let a stop fire where D_t <= s Y_t. Here D_0 = d is a number that the noises drawn once determine,
D_t = D_(t-1) - X_t with independent X_t of one law, |X_t| <= m and mean mu > 0, and s Y_t are independent copies of a
fresh noise (or 0). Let p = P(s Y >= 0) and r = P(X >= 0). Then from any step that has not fired, with D = d, the
expected number of further steps is at most

    W(d) = alpha + (max(d, 0) + m) / mu,   alpha = (1 + (1 - r p) 2 m / mu) / (r p).

Proof. Let V(d) = alpha for d <= 0 and V(d) = alpha + (d + m) / mu for d > 0. It is enough that V(d) is at least 1 plus
the mean of V(d - X) where the stop does not fire (Foster 1953; Meyn & Tweedie 2009, Theorem 11.3.4). For d > 0:
d - X >= -m, so that V(d - X) <= alpha + (d - X + m) / mu, whose mean is V(d) - 1. For d <= 0: where X >= 0, the stop
fires with a chance of at least p; so it does with a chance of at least r p, and else V(d - X) <= alpha + 2 m / mu. The
mean is at most 1 + (1 - r p)(alpha + 2 m / mu) = alpha. V <= W. []

The runs are followed twice by panels. Once every stop fires only where it must, which makes runs longest; once each
fires wherever it may, which makes them shortest (see `outcomes.py`: the sums do not depend on what stops). What is left
after the last step, and what lies outside of the panels, is bounded by W.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from seqlang.arithmetic.enclosure import Enclosure
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.solve.enclosed.law import EnclosedLaw, enclosed
from seqlang.backends.solve.enclosed.panel_grid import OUTSIDE
from seqlang.backends.solve.lattice.increments import EntryReader, lattice_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.spaces import enclosing_space
from seqlang.backends.solve.step.entries import entries, model_of, reads_step
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.step.known_data import known
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachStep, Once
from seqlang.model.program import Margin, Or, Program, Stop, Test
from seqlang.operators.groups import TOTALS
from seqlang.record import record

SLACK = 1e-9
"""All constants of the bound are enlarged by this part, against rounding."""
LEAST = 1e-9
"""A smaller chance or drift is not told from 0."""


@record
class Drift:
    """`alpha`, `m` and `mu` as in the statement; `start`: |D_0| without noise; `kept`: what |D_0| may be larger by, as
    (factor, law) of each noise that is drawn once."""

    alpha: float
    m: float
    mu: float
    start: float
    kept: tuple[tuple[float, ScalarLaw], ...]

    def further(self, d: float) -> float:
        """W(d)."""
        return (self.alpha + (max(d, 0.0) + self.m) / self.mu) * (1 + SLACK)

    def outside(self) -> float:
        """A bound on the expected steps of the runs whose noise lies outside of the panels, counted with their
        chance."""
        beyond = [(factor, *_beyond(law)) for factor, law in self.kept]
        means = [factor * mean for factor, _, _, mean in beyond]
        total = 0.0
        for place, (factor, chance, part, _) in enumerate(beyond):
            others = sum(means[:place] + means[place + 1 :])
            total += chance * self.further(self.start + others) + factor * part / self.mu
        return total * (1 + SLACK)


def expected_steps(program: Program, model: str, panels: int) -> tuple[Enclosure, str]:
    """Where the expected stopping step lies, and the stop by which it is bounded. Raises Unsolved where no stop has the
    form of the statement."""
    found = list(_drifts(known(program, model), model))
    if not found:
        raise Unsolved("no stop towards which a run drifts")
    index, drift = min(found, key=lambda one: one[1].further(one[1].start))
    stops = frozenset(i for i, s in enumerate(program.body) if isinstance(s, Stop))
    longest = enclosed(program, model, panels=panels, favoured=frozenset())
    shortest = enclosed(program, model, panels=panels, favoured=stops)
    last = len(longest.table)
    farthest = drift.start + last * drift.m + sum(factor * _farthest(law) for factor, law in drift.kept)
    left = max(0.0, 1.0 - float(longest.table.sum())) + longest.rounding
    high = float(np.minimum(1.0, 1.0 - _stopped(longest) + longest.rounding).sum()) + left * drift.further(farthest)
    lost = max(0.0, 1.0 - float(shortest.table.sum()) - shortest.open) + shortest.rounding
    low = float(np.maximum(1.0 - _stopped(shortest) - lost, 0.0).sum())
    return Enclosure(max(1.0, low * (1 - SLACK)), (high + drift.outside()) * (1 + SLACK)), f"drift towards stop {index}"


def _stopped(law: EnclosedLaw) -> Array:
    """P(T <= t) in the table for t = 0, 1, .. up to the last step but one."""
    return np.concatenate([[0.0], np.cumsum(law.table.sum(axis=1))[:-1]])


def _drifts(program: Program, model: str) -> Iterator[tuple[int, Drift]]:
    """The stops of the form of the statement, by their number."""
    _, plan = enclosing_space(program, model, (), 1, frozenset())
    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    lattice_of(program, model, plan.needed)  # Unsolved where the statistics are no sums over all steps
    for place, statement in enumerate(program.body):
        if isinstance(statement, Stop) and place in plan.conditions:
            condition = plan.conditions[place]
            margins = [] if condition.guard is not None or condition.test is None else list(_sufficient(condition.test))
            for margin in margins:
                drift = _drift(program, model, plan, plan.comparisons[margin])
                if drift is not None:
                    yield statement.index, drift


def _sufficient(test: Test) -> Iterator[Margin]:
    """Comparisons of which each is enough for the test."""
    match test:
        case Margin():
            yield test
        case Or(parts):
            for part in parts:
                yield from _sufficient(part)
        case _:
            return


def _drift(program: Program, model: str, plan: IntegrationPlan, comparison: NoisyComparison) -> Drift | None:
    """The constants of one comparison; None where it has another form, or drifts away."""
    exact = Compiler(program)
    affine = _Affine(program, exact).of(comparison.margin.value)
    if affine is None or any(exact.compile(term.factor).reads for term in comparison.known):
        return None
    kept = []
    for term in comparison.known:
        law = plan.laws[term.noise]
        if not isinstance(plan.lives[term.noise], Once) or law.discrete:
            return None
        kept.append((abs(float(exact.constant(term.factor))), law))
    fires = 1.0
    if comparison.variable is not None and comparison.scale is not None:
        variable = plan.variables[comparison.variable]
        if not isinstance(variable.life, EachStep) or exact.compile(comparison.scale).reads:
            return None
        scale = float(exact.constant(comparison.scale))
        fires = float(variable.law.above(0.0, True) if scale > 0 else variable.law.below(0.0, True)) if scale else 0.0
    found, missing = entries(program, model)
    reader = EntryReader(program)
    start, slopes, by_step = affine
    moves = np.full(len(found), by_step)
    for name, slope in slopes.items():
        moves += slope * np.array([reader.increment(program.cell(name), entry.fields) for entry in found])
    chances = np.array([entry.chance for entry in found])
    m = float(np.abs(moves).max()) * (1 + SLACK)
    mu = float(chances @ moves) - SLACK * m
    falls = float(chances[moves >= 0].sum()) - SLACK
    if missing > 0 or mu <= LEAST * m or min(fires, falls) <= LEAST:
        return None
    if comparison.margin.strict and comparison.variable is None:
        start -= m  # it fires where D < 0: surely once D + m <= 0
    rp = fires * falls
    return Drift((1 + (1 - rp) * 2 * m / mu) / rp * (1 + SLACK), m, mu, abs(start), tuple(kept))


class _Affine:
    """(value at the start, slope by sum, slope in the step) of an expression that is affine in them."""

    def __init__(self, program: Program, exact: Compiler) -> None:
        self.program, self.exact = program, exact

    def of(self, e: ir.Expression) -> tuple[float, dict[str, float], float] | None:
        """None for other expressions."""
        if not self.exact.compile(e).reads:
            return float(self.exact.constant(e)), {}, 0.0
        match e:
            case ir.StepNumber():
                return 0.0, {}, 1.0
            case ir.CellValue(name):
                return (0.0, {name: 1.0}, 0.0) if self.program.cell(name).operator in TOTALS else None
            case ir.Local(name):
                return self.of(self.program.define(name).expression)
            case ir.Apply("negate", (a,)):
                return self._scaled(a, -1.0)
            case ir.Apply("+" | "-" as operator, (a, b)):
                first, second = self.of(a), self._scaled(b, 1.0 if operator == "+" else -1.0)
                return None if first is None or second is None else _plus(first, second)
            case ir.Apply("*", (a, b)) if not self.exact.compile(b).reads:
                return self._scaled(a, float(self.exact.constant(b)))
            case ir.Apply("*", (a, b)) if not self.exact.compile(a).reads:
                return self._scaled(b, float(self.exact.constant(a)))
            case ir.Apply("/", (a, b)) if not self.exact.compile(b).reads:
                return self._scaled(a, 1 / float(self.exact.constant(b)))
        return None

    def _scaled(self, e: ir.Expression, factor: float) -> tuple[float, dict[str, float], float] | None:
        found = self.of(e)
        if found is None:
            return None
        return found[0] * factor, {name: slope * factor for name, slope in found[1].items()}, found[2] * factor


def _plus(
    one: tuple[float, dict[str, float], float], other: tuple[float, dict[str, float], float]
) -> tuple[float, dict[str, float], float]:
    slopes = {name: one[1].get(name, 0.0) + other[1].get(name, 0.0) for name in {*one[1], *other[1]}}
    return one[0] + other[0], slopes, one[2] + other[2]


def _farthest(law: ScalarLaw) -> float:
    """The largest size of a value in the panels."""
    return max(abs(end) for end in law.effective_support(OUTSIDE))


def _beyond(law: ScalarLaw) -> tuple[float, float, float]:
    """P(z is outside of the panels), E[|z|; z is outside], E|z|: upper bounds, by sums over steps of the tails."""
    low, high = law.effective_support(OUTSIDE)
    step = law.scale / 4
    far = np.arange(4000, dtype=np.float64) * step

    def tail(x: Array) -> Array:
        return np.asarray(law.above(x)) + np.asarray(law.below(-x))

    chance = float(law.below(low)) + float(law.above(high))
    edge = max(0.0, min(abs(low), abs(high)))
    if not chance <= 3 * OUTSIDE or float(tail(far[-1:] + edge)[0]) > 0 or not math.isfinite(edge):
        raise Unsolved("a noise with heavy tails")
    outside = max(abs(low), abs(high)) * chance + float(tail(far + edge).sum()) * step
    return chance * (1 + SLACK), outside * (1 + SLACK), float(tail(far).sum()) * step * (1 + SLACK)
