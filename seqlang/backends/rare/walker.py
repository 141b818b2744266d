"""The numpy engine with weights: runs are drawn from a proposal, and a stop whose noise is integrated out fires with a
chance. A run goes on with what is left of it until that is nothing, or too little to matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.endings import Endings
from seqlang.backends.arrays.engine import Engine
from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.arrays.inputs import VectorInputs, plainly_drawn
from seqlang.backends.arrays.laws import VectorLaw
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.statements import Step
from seqlang.backends.arrays.streams import Source, Streams
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, shape_of, spread
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.rare.allocation import Allocation
from seqlang.backends.rare.bins import Bins
from seqlang.backends.rare.inputs import Tilted
from seqlang.backends.rare.proposal import Proposal
from seqlang.backends.rare.setting import Setting
from seqlang.backends.rare.weights import Weights
from seqlang.backends.solve.step.cases import Case, merged
from seqlang.backends.solve.step.gates import Gate
from seqlang.backends.solve.step.rounding_of_sums import OFF, RoundingBound, size_of
from seqlang.model.program import Stop
from seqlang.source import NOWHERE, Span

Array = NDArray[Any]


class Walker(Endings):
    """One batch of weighted runs, which decides what stops do to them (see `arrays.endings.Endings`).

    `allocated`: the component of each run, by its number. `floor`: the logarithm of the weight below which a run goes
    on only with a chance, then with that weight; -inf: never. When the weights of all runs together are less than the
    part `rest` of the contributions until then, this becomes the floor: hardly a run goes on, and nothing is dropped on
    average. `left_over`: the logarithm of the weight of the runs that had not ended after the last step. `watched`:
    snapshots are kept for fitting a proposal."""

    def __init__(
        self, setting: Setting, proposal: Proposal, allocated: Allocation, seed: int, purpose: str,
        runs: NDArray[np.int64], *, floor: float = -np.inf, rest: float = 0.0, watched: bool = False,
    ) -> None:  # fmt: skip
        plan = setting.plan
        self.setting, self.plan, self.proposal, self.floor, self.rest = setting, plan, proposal, floor, rest
        self.laws = {name: v.law for name, v in plan.integration.variables.items()}
        self.cases: list[Case] = []
        self.left_over = self.come_by_now = -np.inf
        self.come_at = 0
        self.persistent = _Persistent()
        compiler = VectorCompiler(plan.program)
        inputs = VectorInputs(plan.program, setting.model, compiler, self._drawn)
        self.runs = Runs(compiler, seed, runs, f"{purpose} ")
        self.engine = Engine(self.runs, inputs, self)
        self.choices = Streams(seed, self.runs.runs, f"{purpose} choices")
        self.weights = Weights(allocated.shares, allocated.chosen[self.runs.runs], self.runs.count, watched)
        self.tilted = Tilted(setting.shapes, proposal, self.weights)
        self.runs.kept += [self.weights, self.persistent, self.choices]
        self.places: dict[str, NDArray[np.intp]] = {}
        for name, bins in setting.bins.items():
            self._draw_once(name, bins)

    def run(self, cap: int, tell: Callable[[], None]) -> None:
        """Runs all runs until nothing is left of them, or to `cap` steps. `tell` is called after every step."""
        self.engine.run(cap, lambda engine: tell())

    def _draw_once(self, name: str, bins: Bins) -> None:
        table = self.proposal.bins(name, bins)
        u, v = self.choices.uniform(), self.choices.uniform()
        values, places = np.zeros(self.runs.count), np.zeros(self.runs.count, dtype=np.intp)
        for k in range(len(table)):
            rows = np.flatnonzero(self.weights.chosen == k)
            if len(rows):
                values[rows], places[rows] = bins.draw(table[k], u[rows], v[rows])
        self.weights.ratio(bins.log_ratios(table, values, places))
        self.places[name] = places
        self.runs.noises.give(name, values)

    def _drawn(self, name: str, law: VectorLaw, domain: CheckedDomain, source: Source) -> Value:
        value = self.tilted.value(name, law, source)
        return plainly_drawn(name, law, domain, source) if value is None else value

    # ---- a step

    def begin(self, runs: Runs) -> None:
        """See `Endings`."""
        self.cases = [Case(None, dict(self.persistent.bounds))]

    def compiled(self, runs: Runs, stop: Stop) -> Step:
        """See `Endings`: the stop takes its chance of what is left of every run."""
        gate = Gate(self.plan.conditions[stop.index], self.plan.integration, runs.compiler)
        matches = self.setting.matches(stop, runs.compiler)
        reading, drawn = _Reading(runs), _Drawn(runs)
        later = self._read_later(runs, stop)

        def run(frame: Frame) -> None:
            if not self.cases:
                return
            guard, leaves = gate.read(reading, drawn)
            fired, idle = gate.split(self.cases, guard, leaves)
            if fired and matches is not None:
                chance = self._chance(fired)
                if np.any(chance[runs.alive] > 0):
                    share = matches(runs, np.flatnonzero(runs.alive & (chance > 0)))
                    self.weights.contribute(chance * share, runs.alive, self.choices.uniform)
            self.cases = merged([case.closed(later, self.laws) for case in idle])

        return run

    def _read_later(self, runs: Runs, stop: Stop) -> frozenset[str]:
        """Variables that keep their bounds after this stop: those of later stops, and lasting ones."""
        found = set(self.plan.lasting)
        after = False
        for s in runs.program.body:
            if isinstance(s, Stop) and after:
                condition = self.plan.conditions[s.index]
                found |= set(Gate(condition, self.plan.integration, runs.compiler).variables)
            after |= s is stop or s == stop
        return frozenset(found)

    def _chance(self, cases: list[Case]) -> NDArray[np.float64]:
        """Of all cases together, for each run."""
        total = np.zeros(self.runs.count)
        for case in cases:
            total = total + np.broadcast_to(case.chance(self.laws), (1, self.runs.count))[0]
        if np.isnan(total[self.runs.alive]).any():
            raise EvaluationError(f"the chance of a stop is not a number in step {self.runs.step_number}")
        return total

    def settle(self, runs: Runs) -> None:
        """See `Endings`: the weight of what is left of the runs after a step."""
        if not self.cases:
            runs.alive[:] = False
            return
        closed = [case.closed(self.plan.lasting, self.laws) for case in self.cases]
        if len(closed) > 1:
            closed = merged(closed)
        (case,) = closed
        with np.errstate(divide="ignore"):
            if case.weight is not None:
                self.weights.left = self.weights.left + np.log(np.broadcast_to(case.weight, (1, runs.count))[0])
            if case.bounds:
                self.persistent.bounds = {
                    name: (_whole(low, runs.count), _whole(high, runs.count))
                    for name, (low, high) in case.bounds.items()
                }
                bounded = np.log(self._chance([Case(None, self.persistent.bounds)]))
            else:
                bounded = np.zeros(1)
        runs.alive &= self.weights.left + bounded > -np.inf
        if not runs.alive.any():
            return
        weights = self.weights.log_weights() + bounded
        if self.rest > 0:
            little = np.log(self.rest) + self.come()
            if np.logaddexp.reduce(weights[runs.alive]) < little:
                self.floor = max(self.floor, little)
        if self.floor > -np.inf:
            self._roulette(weights)

    def come(self) -> float:
        """The logarithm of all contributions up to now."""
        if self.come_at != self.runs.step_number:
            self.come_at, self.come_by_now = self.runs.step_number, float(np.logaddexp.reduce(self.weights.total))
        return self.come_by_now

    def _roulette(self, weights: Array) -> None:
        """Runs of little weight end, and a few of them go on for all: their mean stays (Kahn and Harris 1951)."""
        alive = self.runs.alive
        light = np.flatnonzero(alive & (weights < self.floor))
        if not len(light):
            return
        stays = np.log(self.choices.uniform(light)) < weights[light] - self.floor
        self.weights.left[light[stays]] += self.floor - weights[light[stays]]
        alive[light[~stays]] = False

    def leave(self, runs: Runs, steps: int) -> None:
        """See `Endings`: what is left is counted in `left_over`."""
        rows = np.flatnonzero(runs.alive)
        if len(rows):
            bounded = np.zeros(runs.count)
            if self.persistent.bounds:
                with np.errstate(divide="ignore"):
                    bounded = np.log(self._chance([Case(None, self.persistent.bounds)]))
            self.left_over = float(np.logaddexp.reduce((self.weights.log_weights() + bounded)[rows]))
        runs.alive[:] = False


class _Persistent:
    """What is known of the noises that last and are integrated out: an interval in each run."""

    def __init__(self) -> None:
        self.bounds: dict[str, tuple[Array | None, Array | None]] = {}

    def keep(self, rows: NDArray[np.intp]) -> None:
        def some(end: Array | None) -> Array | None:
            return None if end is None else end[:, rows]

        self.bounds = {name: (some(low), some(high)) for name, (low, high) in self.bounds.items()}


def _whole(end: Array | None, count: int) -> Array | None:
    return None if end is None else np.array(np.broadcast_to(end, (1, count)))


class _Reading:
    """What a gate reads of the runs (`solve.step.reading.Reading`)."""

    strict = True

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.held: Mapping[str, Value] = {}
        self.largest: dict[str, float] = {}

    @property
    def count(self) -> int:
        return self.runs.count

    def value(self, run: Run) -> Value:
        return run(Frame(self.runs))

    def numbers(self, run: Run) -> Array:
        value = self.value(run)
        if isinstance(value, Ragged) or shape_of(value):
            raise CannotVectorise("a vector is compared")
        return np.atleast_1d(np.asarray(value, dtype=np.float64))

    def drift(self, run: Run, bound: Mapping[int, float]) -> Array:
        return size_of(run, Frame(self.runs), bound)

    def off(self, name: str) -> RoundingBound:
        """How far this sum may be off, by the largest that it was so far."""
        if name in self.runs.cells:
            values = [kept.read() for kept in self.runs.cells[name].kept.values()]
        else:
            values = [self.runs.memory[name]]
        sizes = [np.max(np.abs(v), where=np.isfinite(v), initial=0.0) for v in values if not isinstance(v, Ragged)]
        largest = self.largest[name] = max(self.largest.get(name, 0.0), *map(float, sizes), 0.0)
        return RoundingBound(OFF * largest, OFF * largest, np.inf)

    def check(self, bad: Array, what: str, span: Span) -> None:
        self.runs.check(np.ravel(bad), what, NOWHERE)


class _Drawn(dict[str, Array]):
    """The values that noises have now, drawn when they are asked for."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def __missing__(self, name: str) -> Array:
        return spread(self.runs.noise(name, (), Frame(self.runs)), self.runs.count)
