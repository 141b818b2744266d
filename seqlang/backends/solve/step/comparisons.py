"""Compiled comparisons: on the rows of a stage each is decided, or a bound on one variable.

A persistent noise is known by its value at a node, or only to lie in a panel (`Panel`). In a panel a comparison surely
holds, surely fails, or does one or the other depending on where in the panel the noise is. `holds` and `fails` then
leave something out, and so do the bounds for both.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Run
from seqlang.backends.solve.noises.scalar_law import TIE, ScalarLaw
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.step.magnitude import computed_terms
from seqlang.backends.solve.step.reading import Reading
from seqlang.backends.solve.step.steady import without_noise
from seqlang.backends.solve.step.ties import CLOSE_CALL, Ties
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record
from seqlang.source import NOWHERE

Array = NDArray[Any]


COARSE = 1e-8
"""Of the scale of a noise: what rounding (by a bound that is some hundred times as large) may move numbers."""
NEAR = 200.0
"""Scales: a number that is farther from its threshold is decided, but for a chance that does not change there."""


@record
class Panel:
    """The noise lies between `low` and `high`, (theta, 1) each."""

    low: Array
    high: Array


Known = Mapping[str, Array | Panel]
"""What is known of each persistent noise: its values at the nodes, (theta, 1), or panels."""


@record
class Decided:
    """A leaf that reads no variable: `holds` says where it is surely true, `fails` where it is surely false."""

    holds: Array
    fails: Array


@record
class VariableBound:
    """The leaf surely says that variable >= bound where `up`, and that variable <= bound elsewhere. It surely fails
    where the variable lies on the other side of `other`, which is `bound` itself where all noises are known."""

    variable: str
    bound: Array
    up: Array | bool
    other: Array


Leaf = Decided | VariableBound


def leaning(leaf: Leaf, to_hold: bool) -> Leaf:
    """The leaf with what is not sure taken to hold, or to fail: it then does one or the other."""
    if isinstance(leaf, Decided):
        return Decided(~leaf.fails, leaf.fails) if to_hold else Decided(leaf.holds, ~leaf.holds)
    end = leaf.other if to_hold else leaf.bound
    return VariableBound(leaf.variable, end, leaf.up, end)


class CompiledComparison:
    """A comparison, compiled. Where `seen` is a list, `read` appends what it met: the bound without the persistent
    noises, and the factor of each of these."""

    def __init__(self, comparison: NoisyComparison, plan: IntegrationPlan, compiler: VectorCompiler) -> None:
        self.comparison = comparison
        self.strict = comparison.margin.strict
        self.value = compiler.compile(comparison.margin.value)
        self.ties = Ties(comparison.margin.value, compiler, comparison.margin.terms)
        self.known = [(t.noise, compiler.compile(t.factor)) for t in comparison.known]
        self.scale = None if comparison.scale is None else compiler.compile(comparison.scale)
        self.holds = None if comparison.known or comparison.scale is not None else self._without_noise(compiler)
        law = None if comparison.variable is None else plan.variables[comparison.variable].law
        self.unit = unit_of(law) if law is not None and law.discrete else None
        self.points = law.atoms(1e-30)[0] if law is not None and law.discrete else None
        self.smooth = None if law is None or law.discrete else law
        laws = [(run, plan.laws.get(name)) for name, run in self.known]
        self.kept = [(run, law.scale) for run, law in laws if law is not None and not law.discrete]
        self.terms = compiler.compile(computed_terms(compiler.exact.jumps, comparison.margin.value))
        self.widened = plan.panels is not None and law is not None and not law.discrete
        self.seen: list[tuple[Array, dict[str, Array]]] | None = None
        self.order: typing.Literal["K", "F"] = "K"
        """How bounds lie in memory, and so all that is computed of them; "F": the nodes of one row side by side."""

    def _without_noise(self, compiler: VectorCompiler) -> Run | None:
        """The comparison itself, where it is decided exactly."""
        holds = without_noise(compiler.exact.jumps, self.comparison.margin)
        return None if holds is None else compiler.compile(holds)

    def plain(self, stage: Reading, known: Known) -> tuple[Array, Array]:
        """The value and the noises that are fixed: the least and the largest sum; one and the same array where no
        noise is known by panels only."""
        low: Array = stage.numbers(self.value)[None, :]
        high = low
        for name, factor in self.known:
            noise = stage.held[name] if name in stage.held else known[name]
            times = stage.numbers(factor)[None, :]
            if isinstance(noise, Panel):
                ends = times * noise.low, times * noise.high
                low, high = low + np.minimum(*ends), high + np.maximum(*ends)
                continue
            same = high is low
            low = np.add(low, times * noise, order=self.order)
            high = low if same else np.add(high, times * noise, order=self.order)
        return low, high

    def read(self, stage: Reading, known: Known, guard: Array | None) -> Leaf:
        with np.errstate(all="ignore"):
            least, most = self.plain(stage, known)
            wrong = np.isnan(least) if most is least else np.isnan(least) | np.isnan(most)
            stage.check(wrong if guard is None else wrong & guard, "a side of a comparison", NOWHERE)
            if self.holds is not None:
                sure = np.broadcast_to(np.asarray(stage.value(self.holds), dtype=bool), least.shape)
                return Decided(sure, ~sure)
            if self.widened:
                room = self.ties.rounding(stage)[None, :] + TIE * (np.abs(least) + np.abs(most))
                least, most = least - room, most + room
            elif self.smooth is not None or self.kept:
                self._refuse_coarse_numbers(stage, least)
            cut = most is not least
            if self.scale is None or self.unit is not None:
                if cut:  # a noise anywhere in a panel makes no ties: rounding counts against both sides
                    rounding = self.ties.rounding(stage)[None, :] + TIE * (np.abs(least) + np.abs(most))
                    least, most = least - rounding, most + rounding
                else:
                    rounding = self.ties.within(stage, least)[None, :]
            if self.scale is None:
                if self.seen is not None:
                    self.seen.append((stage.numbers(self.value), {n: stage.numbers(run) for n, run in self.known}))
                if cut:
                    return Decided(least > 0, most < 0)
                if self.strict:
                    return Decided(least > rounding, ~(most > rounding))
                return Decided(least >= -rounding, ~(most >= -rounding))
            assert self.comparison.variable is not None
            scale = stage.numbers(self.scale)[None, :]
            if self.seen is not None:
                factors = {name: -stage.numbers(run) / scale[0] for name, run in self.known}
                self.seen.append((-stage.numbers(self.value) / scale[0], factors))
            flat = scale == 0
            up: Array | bool = scale > 0
            slack = None if self.unit is None else rounding
            # it surely holds on the far side of what the least sum asks for, and surely fails before the largest one
            bound = self._bound(least, scale, slack, flat, self.strict or cut)
            other = bound
            if cut:
                other = self._bound(most, scale, slack, flat, False)
            elif slack is not None:
                self._refuse_close_calls(stage, least, scale, slack)
            if flat.any():
                up = up | flat
            if isinstance(up, np.ndarray) and (up.all() or not up.any()):
                up = bool(up.all())
            return VariableBound(self.comparison.variable, bound, up, other)

    def _refuse_coarse_numbers(self, stage: Reading, total: Array) -> None:
        """Raises Unsolved where rounding moves the numbers by a part of the noise that chances would show: where it is
        not small beside the noise, and the noise decides."""
        widths = [np.abs(stage.numbers(run)) * scale for run, scale in self.kept]
        rounding = self.ties.sure * np.abs(stage.numbers(self.terms))
        if self.smooth is not None and self.scale is not None:
            factor = stage.numbers(self.scale)
            widths.append(np.abs(factor) * self.smooth.scale)
            total = total + factor * self.smooth.centre
            rounding = rounding + self.ties.sure * np.abs(factor * self.smooth.centre)
        if any(np.any((rounding > COARSE * width) & (np.abs(total) < NEAR * width + rounding)) for width in widths):
            raise Unsolved("numbers are compared that are very large beside their noise")

    def _refuse_close_calls(self, stage: Reading, total: Array, scale: Array, rounding: Array) -> None:
        """Raises Unsolved where the bound is closer to a point of a discrete law than the tolerance, and farther than
        rounding explains, or not known to be that point."""
        assert self.points is not None
        bound = np.where(scale == 0, np.inf, total / -scale)
        at = np.clip(np.searchsorted(self.points, bound), 1, max(1, len(self.points) - 1))
        low, high = self.points[at - 1], self.points[np.minimum(at, len(self.points) - 1)]
        away = np.minimum(np.abs(bound - low), np.abs(bound - high)) * np.abs(scale)
        surely = self._surely(stage, total)
        surely = np.where(2 * surely < self.ties.apart, surely, -1.0)
        taken = np.maximum(rounding, self._least_slack(bound) * np.abs(scale))
        by_the_law = TIE * np.maximum(np.abs(bound), 1.0) * np.abs(scale)  # it takes so close numbers for its points
        taken = taken + by_the_law
        if np.any((away > surely) & (away <= taken)):
            raise Unsolved(CLOSE_CALL)

    def _surely(self, stage: Reading, total: Array) -> Array:
        """What rounding explains of a sum with noise: a larger one is not 0."""
        return np.asarray(self.ties.surely(stage)[None, :] + self.ties.sure * np.abs(total))

    def _least_slack(self, bound: Array) -> Array:
        """How far from a point of a discrete law a bound is taken for it."""
        assert self.unit is not None
        return np.asarray(4 * TIE * np.maximum(np.abs(bound), self.unit))

    def _bound(self, total: Array, scale: Array, rounding: Array | None, flat: Array, strict: bool) -> Array:
        """Where the variable has to be so that total + scale * variable reaches 0; `strict`: exceeds it."""
        bound = total / -scale
        if rounding is not None and self.unit is not None:
            slack = np.maximum(rounding / np.abs(scale), self._least_slack(bound))
            slack = np.minimum(slack, self.unit / 4)
            bound = bound + np.where(scale > 0, 1.0, -1.0) * (slack if strict else -slack)
        if flat.any():
            sure = total > 0 if strict else total >= 0
            bound = np.where(flat, np.where(sure, -np.inf, np.inf), bound)
        return bound


def unit_of(law: ScalarLaw) -> float:
    """The smallest gap between points of a discrete law."""
    points, _ = law.atoms(1e-30)
    return float(np.min(np.diff(points))) if len(points) > 1 else max(abs(float(points[0])), 1e-6)
