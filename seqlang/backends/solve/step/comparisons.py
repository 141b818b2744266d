"""Compiled comparisons: on the rows of a stage each is decided, or a bound on one variable."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.noises.scalar_law import TIE, ScalarLaw
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.step.reading import Reading
from seqlang.backends.solve.step.ties import Ties
from seqlang.record import record
from seqlang.source import NOWHERE

Array = NDArray[Any]


@record
class Decided:
    """A leaf that reads no variable: `holds` says where it is true."""

    holds: Array


@record
class VariableBound:
    """The leaf says that variable >= bound where `up`, and that variable <= bound elsewhere."""

    variable: str
    bound: Array
    up: Array | bool


Leaf = Decided | VariableBound


class CompiledComparison:
    """A comparison, compiled. Where `seen` is a list, `read` appends what it met: the bound without the persistent
    noises, and the factor of each of these."""

    def __init__(self, comparison: NoisyComparison, plan: IntegrationPlan, compiler: VectorCompiler) -> None:
        self.comparison = comparison
        self.strict = comparison.margin.strict
        self.value = compiler.compile(comparison.margin.value)
        self.ties = Ties(comparison.margin.value, compiler)
        self.known = [(t.noise, compiler.compile(t.factor)) for t in comparison.known]
        self.scale = None if comparison.scale is None else compiler.compile(comparison.scale)
        law = None if comparison.variable is None else plan.variables[comparison.variable].law
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
                return Decided(total > rounding if self.strict else total >= -rounding)
            assert self.comparison.variable is not None
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
            return VariableBound(self.comparison.variable, bound, up)


def unit_of(law: ScalarLaw) -> float:
    """The smallest gap between points of a discrete law."""
    points, _ = law.atoms(1e-30)
    return float(np.min(np.diff(points))) if len(points) > 1 else max(abs(float(points[0])), 1e-6)
