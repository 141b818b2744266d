"""Where the chances of the stops are not smooth functions of the private number: panels must end there."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.mesh.piecewise_quadratic import IDENTITY, Curve, curve_of, flat
from seqlang.backends.solve.mesh.private_number import Reading, inlined
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.record import record

MOST_KINKS = 12
"""Kinks of a noise's density, or points of a discrete noise: each is a further end of panels."""


@record
class Breakpoints:
    """Where the chances of the stops are not smooth functions of the private number, in one step.

    `jumps` and `kinks`: (theta or 1, how many), not in order. `scale`: a length on which the chances change much.
    """

    jumps: Array
    kinks: Array
    scale: float


class BreakpointFinder:
    """Reads the comparisons of the stops' margins as functions of the private number."""

    def __init__(self, reading: Reading, plan: IntegrationPlan, grid: Grid) -> None:
        self.reading, self.plan, self.grid = reading, plan, grid
        self.values = [
            (comparison, inlined(reading.program, comparison.margin.value), _scale_of(comparison))
            for comparison in plan.comparisons.values()
        ]
        moving = (ir.StepNumber, ir.CellValue)
        fixed = {ir.CellValue(name) for name in reading.sums}
        terms = [t.factor for comparison in plan.comparisons.values() for t in comparison.known]
        readers = [v for _, v, s in self.values] + [s for _, _, s in self.values] + terms
        self.moves = any(isinstance(x, moving) and x not in fixed for e in readers for x in ir.walk(e))

    def at(self, step: int) -> Breakpoints:
        constants = self.reading.constants
        constants.step = step
        known: dict[ir.Expression, Curve] = {ir.CellValue(name): IDENTITY for name in self.reading.sums}
        known |= {ir.CellValue(name): Curve((), ((0.0, 1 / step, 0.0),)) for name in self.reading.means}
        known |= {ir.CellValue(name): flat(a + b * step) for name, a, b in self.reading.counts}
        jumps: list[Array] = []
        kinks: list[Array] = []
        scale = math.inf
        for comparison, value, factor in self.values:
            curve = curve_of(value, known, constants)
            slope = max((abs(c1) for _, c1, _ in curve.pieces), default=0.0)
            shift = self._known(comparison)
            if comparison.variable is None:
                jumps += _crossings(curve, -shift)
                continue
            law = self.plan.variables[comparison.variable].law
            times = curve_of(factor, known, constants).pieces[0][0]
            kinks += [np.full(1, b) for b in curve.breaks]
            if law.discrete:
                points, _ = law.atoms(1e-18)
                if len(points) > MOST_KINKS:
                    raise Unsolved("discrete noise with many values on a statistic of continuous data")
                jumps += [x for k in points for x in _crossings(curve, -shift - times * float(k))]
                continue
            if len(law.kinks) > MOST_KINKS:
                raise Unsolved("noise whose density has many jumps on a statistic of continuous data")
            kinks += [x for k in law.kinks for x in _crossings(curve, -shift - times * k)]
            if slope > 0:
                scale = min(scale, abs(times) * law.scale / slope)
        return Breakpoints(_stacked(jumps), _stacked(kinks), scale)

    def _known(self, comparison: NoisyComparison) -> Array:
        total = np.zeros(1)
        for term in comparison.known:
            factor = float(self.reading.constants(term.factor))
            if term.noise not in self.grid.values:  # an inner node
                raise Unsolved("several fresh noises are shared by the stops on continuous data")
            total = total + factor * self.grid.values[term.noise]
        return total


def _scale_of(comparison: NoisyComparison) -> ir.Expression:
    return comparison.scale if comparison.scale is not None else ir.Number(Fraction(0))


def _crossings(curve: Curve, levels: Array) -> list[Array]:
    """The points at which the curve crosses the level, for each of the levels: arrays (levels,)."""
    if not curve.breaks and curve.affine:
        c0, c1, _ = curve.pieces[0]
        return [] if c1 == 0 else [(levels - c0) / c1]
    found = [[x for x in curve.roots(float(level)) if math.isfinite(x)] for level in levels]
    width = max(len(x) for x in found)
    if width == 0:
        return []
    table = np.array([x + [x[-1] if x else math.nan] * (width - len(x)) for x in found])
    return list(table.T)


def _stacked(found: list[Array]) -> Array:
    if not found:
        return np.zeros((1, 0))
    return np.stack(np.broadcast_arrays(*found), axis=-1)
