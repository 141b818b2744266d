"""A short test of finitely many inputs as events of normal variables: what happens when, by steps.

Stops that compare, in each step, one noisy number with thresholds: every margin reads one fresh Gaussian noise w, and
at most one lasting Gaussian noise, or the latest, largest or smallest of earlier noisy entries. Given the lasting ones
a step comes out by the place of w among ends of which each depends on one of them. Also the winner of a noisy vector:
given its own noise all others lie below it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from seqlang.accounting.normal_cells import Between, End, Extreme
from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.expression import Expression, Field, Label, Law, Term
from seqlang.model.gate_source import OfNoise, OfResult, OfStop
from seqlang.model.life import EachStep, Once
from seqlang.model.program import (
    Cell,
    ChooseGate,
    CompareGate,
    Define,
    Margin,
    NoisyMaxLaw,
    OpaqueGate,
    Program,
    PublicGate,
    ReleaseGate,
    Stop,
)
from seqlang.rules.alignment.stores import Store, store_of
from seqlang.rules.alignment.thresholds import without_kept
from seqlang.rules.claims import longest_run
from seqlang.rules.reading.guards import at_step
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.finite import domain_values
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.linear import linear

MOST_INPUTS = 64
Inputs = tuple[tuple[Fraction, ...], ...]
Events = tuple[tuple[Between, ...], ...]


class NotShort(Exception):
    """The program is no short test of this form."""


def inputs_of(program: Program) -> Inputs:
    """All streams up to the last step, or all datasets. Raises `NotShort`."""
    if len(program.inputs) != 1:
        raise NotShort
    facts, (read,) = facts_of(program), program.inputs
    length = longest_run(program) if read.kind == "stream" else _size(facts, program)
    values = domain_values(facts, read.domain)
    if length is None or values is None or len(values) < 2 or len(values) ** min(length, 7) > MOST_INPUTS:
        raise NotShort
    return tuple(product(tuple(_exact(facts, value) for value in values), repeat=length))


def _size(facts: Facts, program: Program) -> int | None:
    size = None if program.size is None else evaluate_number(facts, program.size)
    found = None if size is None else exact_value(size, facts.values)
    return int(found) if found is not None and found.denominator == 1 else None


def _exact(facts: Facts, value: object) -> Fraction:
    found = exact_value(value, facts.values) if isinstance(value, Formula) else None
    if found is None:
        raise NotShort
    return found


def winner(program: Program, inputs: Inputs) -> tuple[int, list[Events]]:
    """One coordinate, the noise of the winner; an event for each place. Raises `NotShort`."""
    choices = [gate for gate in program.gates if not isinstance(gate, PublicGate)]
    if not all(isinstance(s, Stop | Define) for s in program.body) or len(choices) != 1:
        raise NotShort
    match choices[0]:
        case ChooseGate(source=OfResult(), guard=None, law=NoisyMaxLaw(of, (term,), sign), visible=True) if (
            program.inputs[0].kind == "dataset" and facts_of(program).expand(of) == Field(program.inputs[0].name)
        ):
            sd = _Reading(program).deviation(term) * abs(_Reading(program).number(term.factor))
        case _:
            raise NotShort
    if not any(isinstance(s, Stop) and s.when is None for s in program.body):
        raise NotShort
    return 1, [
        tuple(
            tuple(
                Between((), (Extreme(1, (End(0, float(sign * (mine - other)) / sd, 1.0),)),))
                for j, other in enumerate(entries)
                if j != i
            )
            for i, mine in enumerate(entries)
        )
        for entries in inputs
    ]


def test(program: Program, inputs: Inputs) -> tuple[int, list[Events]]:
    """The number of lasting coordinates, and for each input what may happen. Raises `NotShort`."""
    reading = _Reading(program)
    events = [reading.events(entries) for entries in inputs]
    return max(1, len(reading.axes)), events


class _Reading:
    """One program; `axes`: the lasting noises that were met, and the stored entries."""

    def __init__(self, program: Program) -> None:
        self.program, self.facts = program, facts_of(program)
        self.signs = Signs(parameter_values(program))
        self.axes: dict[object, int] = {}
        self.stored: dict[str, str] = {}  # noisy values that are stored, with their noise
        self.fresh: set[str] = set()

    def number(self, expression: Expression) -> float:
        """A constant that is not 0."""
        found = evaluate_number(self.facts, expression)
        value = None if found is None else enclose(found, self.signs.values)
        if value is None or not abs(value.high - value.low) <= 1e-12 * abs(value.high) or value.high == 0:
            raise NotShort
        return value.high

    def deviation(self, term: Term) -> float:
        """Of Gaussian noise."""
        law = self.program.noise(term.noise).law
        if not isinstance(law, Law) or law.family != "gaussian":
            raise NotShort
        return self.number(law.arguments[0])

    def events(self, entries: tuple[Fraction, ...]) -> Events:
        found: list[tuple[Between, ...]] = []
        quiet: tuple[Between, ...] = ()
        gates = {gate.source: gate for gate in self.program.gates if isinstance(gate.source, OfStop)}
        for step in range(1, len(entries) + 1):
            below: tuple[Extreme, ...] = ()
            above: tuple[Extreme, ...] = ()
            here: set[str] = set()
            for stop in self._stops():
                gate = gates.get(OfStop(stop.index))
                if isinstance(gate, PublicGate):
                    if gate.expression is None or self._holds(gate.expression, step):
                        self.fresh |= here
                        found.append((*quiet, Between(below, above)))
                        return self._checked(tuple(found))
                    continue
                if not isinstance(gate, CompareGate | OpaqueGate) or not isinstance(gate.test, Margin):
                    raise NotShort
                if gate.guard is not None and not self._holds(gate.guard, step):
                    continue
                end, rising, noise = self._end(gate.test, entries, step)
                here.add(noise)
                if len(here) > 1:
                    raise NotShort
                fired = Between((*below, end), above) if rising else Between(below, (*above, end))
                found.append((*quiet, fired))
                below, above = (below, (*above, end)) if rising else ((*below, end), above)
            self.fresh |= here
            quiet = (*quiet, Between(below, above)) if below or above else quiet
        return self._checked((*found, quiet))

    def _stops(self) -> tuple[Stop, ...]:
        """The stops in order, if nothing else is done or shown."""
        if not all(isinstance(s, Stop | Define | Cell) for s in self.program.body):
            raise NotShort
        stops = tuple(s for s in self.program.body if isinstance(s, Stop))
        if not all(s.result is None or isinstance(s.result, Label) for s in stops):
            raise NotShort
        return stops

    def _checked(self, events: Events) -> Events:
        """All gates are stops, or hidden entries that are stored, and no noise has two uses."""
        if self.fresh & set(self.stored.values()):
            raise NotShort
        for gate in self.program.gates:
            stored = isinstance(gate, ReleaseGate) and gate.source in {OfNoise(name) for name in self.stored}
            if not stored and not isinstance(gate.source, OfStop):
                raise NotShort
        return events

    def _holds(self, expression: Expression, step: int) -> bool:
        found = evaluate(self.facts, at_step(self.facts.expand(expression), step))
        if not isinstance(found, bool):
            raise NotShort
        return found

    def _end(self, margin: Margin, entries: tuple[Fraction, ...], step: int) -> tuple[Extreme, bool, str]:
        """Where the fresh noise must lie for the margin to hold; whether above that end; which noise that is."""
        fresh = [t for t in margin.terms if isinstance(self.program.noise(t.noise).life, EachStep)]
        lasting = [t for t in margin.terms if isinstance(self.program.noise(t.noise).life, Once)]
        split = without_kept(self.program, margin.value)
        if len(fresh) != 1 or len(fresh) + len(lasting) != len(margin.terms) or isinstance(split, str):
            raise NotShort
        rest, kept = split
        if len(lasting) + len(kept) > 1:
            raise NotShort
        by = self.number(fresh[0].factor) * self.deviation(fresh[0])
        constant = self._plain(rest, entries, step)
        parts: list[tuple[int, float, float]] = [(0, 0.0, 0.0)]
        sign = 1
        for term in lasting:
            parts = [(self._axis(term.noise), 0.0, self.number(term.factor) * self.deviation(term))]
        for part, factor in kept:
            store, values = self._store(part, entries, step)
            parts = [(axis, float(factor) * value, float(factor) * sd) for axis, value, sd in values]
            sign = (-1 if store.kind == "min" else 1) * (1 if factor > 0 else -1)
        turned = -1.0 / by
        ends = tuple(End(axis, (constant + value) * turned, slope * turned) for axis, value, slope in parts)
        return Extreme(sign if turned > 0 else -sign, ends), by > 0, fresh[0].noise

    def _axis(self, key: object) -> int:
        axis = self.axes.setdefault(key, len(self.axes))
        if axis > 1:
            raise NotShort
        return axis

    def _store(
        self, part: Expression, entries: tuple[Fraction, ...], step: int
    ) -> tuple[Store, list[tuple[int, float, float]]]:
        """(Axis, value, deviation) of each noisy entry of which the stored value is one."""
        store = store_of(self.program, part, self.signs)
        if store is None or store.steps is None or store.kind not in ("latest", "max", "min"):
            raise NotShort
        sample = store.sample
        if (store.kind == "latest" and len(store.steps) > 1) or step <= store.steps[-1] or len(sample.terms) != 1:
            raise NotShort
        (term,) = sample.terms
        if not isinstance(self.program.noise(term.noise).life, EachStep):
            raise NotShort
        self.stored[sample.name] = term.noise
        sd = self.number(term.factor) * self.deviation(term)
        found = [(self._axis((term.noise, s)), self._plain(sample.base, entries, s), sd) for s in store.steps]
        return store, found

    def _plain(self, value: Expression, entries: tuple[Fraction, ...], step: int) -> float:
        """A linear function of the entry of this step."""
        found = linear(self.facts, at_step(self.facts.expand(value), step))
        total = exact_value(found.constant, self.signs.values)
        for part, coefficient in found.terms:
            times = exact_value(coefficient, self.signs.values)
            if part != Field(self.program.inputs[0].name) or total is None or times is None:
                raise NotShort
            total += times * entries[step - 1]
        if total is None:
            raise NotShort
        return float(total)
