"""Inputs drawn from a model, for all runs at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, assert_never

import numpy as np

from seqlang.backends.arrays.frame import Expressions, Frame
from seqlang.backends.arrays.laws import VectorLaw
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import Value
from seqlang.backends.interpret.inputs.domains import SLACK, CheckedDomain
from seqlang.backends.interpret.inputs.drawn import outside
from seqlang.model.domain import REAL, Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.program import Model, Program

Leaves = Callable[[Value], Value]
Draw = Callable[[str, VectorLaw, CheckedDomain, Source], Value]


class Inputs(Protocol):
    """Where an engine takes its inputs from."""

    def entry(self, runs: Runs) -> dict[str, Value]:
        """This step's entry of the streams and public inputs: an array a field, the runs last."""

    def dataset(self, runs: Runs) -> dict[str, Value]:
        """All records: (N, runs) or (N, d, runs)."""


def plainly_drawn(name: str, law: VectorLaw, domain: CheckedDomain, source: Source) -> Value:
    """A field's value in all runs, from its own law."""
    shape = law.shape()
    if not shape and not law.joint and domain.dimension is not None:
        shape = (domain.dimension,)
    return law.sample(source, shape)


class VectorInputs:
    """A model's fields in order, each drawn by `draw(name, law, domain, source)`. A value outside its domain is an
    error (E0621)."""

    def __init__(self, program: Program, model: Model, compiler: Expressions, draw: Draw = plainly_drawn) -> None:
        self.model = model
        self._draw = draw
        self._fields = []
        for name, law in model.laws:
            declared = program.input(name)
            checked = CheckedDomain(compiler.exact, declared.domain)
            test = leaves_domain(compiler, declared.domain)
            self._fields.append((name, declared.kind, compiler.compile(law), checked, test))

    def entry(self, runs: Runs) -> dict[str, Value]:
        """This step's entry of the streams and public inputs: an array a field, the runs last."""
        return self._sample(runs, ("stream", "public"))

    def dataset(self, runs: Runs) -> dict[str, Value]:
        """All records: (N, runs) or (N, d, runs). `step` in a law is the record's number."""
        names = [name for name, kind, *_ in self._fields if kind == "dataset"]
        rows = []
        for i in range(1, runs.size + 1 if names else 1):
            runs.step_number = i
            rows.append(self._sample(runs, ("dataset",)))
        runs.step_number = 0
        return {name: np.stack([row[name] for row in rows]) for name in names} if rows else {}

    def _sample(self, runs: Runs, kinds: tuple[str, ...]) -> dict[str, Value]:
        source, frame = Source(runs.input_streams, None), Frame(runs)
        result: dict[str, Value] = {}
        for name, kind, make, domain, leaves in self._fields:
            if kind not in kinds:
                continue
            value = self._draw(name, make(frame), domain, source)
            if leaves is not None:
                bad = leaves(value)
                if np.any(bad):
                    self._fail(runs, name, value, domain, bad)
            runs.fields[name] = result[name] = value
        return result

    def _fail(self, runs: Runs, name: str, value: Any, domain: CheckedDomain, bad: Any) -> None:
        found = np.flatnonzero(np.broadcast_to(bad, (runs.count,)) & runs.alive)
        if len(found):
            one = value[..., found[0]]
            shown = tuple(one.tolist()) if one.ndim else float(one)
            raise outside(self.model, name, shown, domain.text)


def leaves_domain(compiler: Expressions, domain: Domain) -> Leaves | None:
    """Which runs have a value outside the domain; None where nothing is outside."""
    constant = compiler.exact.constant
    match domain:
        case Interval(low, high, low_open, high_open):
            if domain == REAL:
                return None
            lowest = -np.inf if low is None else constant(low)
            highest = np.inf if high is None else constant(high)
            above = np.less_equal if low_open else np.less
            below = np.greater_equal if high_open else np.greater
            return lambda v: above(v, lowest) | below(v, highest)
        case Integers(low, high):
            first = -np.inf if low is None else constant(low)
            last = np.inf if high is None else constant(high)
            return lambda v: (v < first) | (v > last) | (v != np.floor(v))
        case Finite(values):
            letters = [constant(v) for v in values]

            def elsewhere(v: Value) -> Value:
                bad = np.ones(np.shape(v), dtype=bool)
                for letter in letters:
                    bad &= v != letter
                return bad

            return elsewhere
        case Ball(radius, dimension):
            most, d = constant(radius) * (1 + SLACK), constant(dimension)

            def far(v: Value) -> Value:
                if v.ndim < 2 or v.shape[0] != d:
                    return np.ones(v.shape[-1], dtype=bool)
                return np.sqrt(np.add.reduce(np.square(v), axis=0)) > most

            return far
        case Power(of, _):
            one = leaves_domain(compiler, of)
            return None if one is None else lambda v: np.logical_or.reduce(one(v), axis=0)
        case _:
            assert_never(domain)
