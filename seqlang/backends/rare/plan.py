"""What is drawn and what is integrated out when a rare return is estimated.

    plan_of(program) -> Plan

Noise that only the comparisons of stops read is integrated out where what is left of every comparison is one number
with a known law (`integration_plan` finds these): a step then has a chance to stop instead of a yes or a no. The rest
is drawn: noise that reports, statistics or returns read, and noise that must be fixed for the comparisons to be
independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from seqlang.backends.solve.noises.laws import noise_laws
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.step.dependencies import Condition, condition_of, condition_parts, margins_of, needed_of
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, integration_plan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.gate_source import OfStop
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.margins import margins
from seqlang.model.program import (
    And,
    CompareGate,
    Margin,
    Not,
    Or,
    Program,
    PublicTest,
    Stop,
    Test,
    expressions_in,
)
from seqlang.record import record, replace


@record
class Plan:
    """`program` has only the statements on which stops depend. `conditions`: by the index of the stop. `integration`
    is the plan of the stops alone: its variables are integrated out, `lasting` of them keep their bounds from step to
    step. `shiftable`: noises of one number that are drawn once in a run, with their laws."""

    program: Program
    conditions: Mapping[int, Condition]
    integration: IntegrationPlan
    lasting: frozenset[str]
    shiftable: Mapping[str, ScalarLaw]

    @property
    def integrated(self) -> tuple[str, ...]:
        """The noises that are not drawn."""
        return tuple(dict.fromkeys(name for v in self.integration.variables.values() for name, _ in v.terms))


def plan_of(program: Program) -> Plan:
    """The plan of a program that simulates."""
    needed = needed_of(program).statements
    short = replace(program, body=tuple(s for i, s in enumerate(program.body) if i in needed))
    stops = [s for s in short.body if isinstance(s, Stop)]
    conditions = {s.index: _condition(program, s) for s in stops}
    laws = noise_laws(program)
    drawn = set(_read_as_values(short, conditions.values()))
    drawn |= {n.name for n in program.noises if isinstance(n.life, EachReport) or n.name not in laws}
    while True:
        stub, rewritten = _stops_alone(program, stops, conditions, drawn)
        try:
            integration = integration_plan(stub)
        except Unsolved:
            drawn = {n.name for n in program.noises}
            continue
        more = _not_by_bounds(integration, rewritten.values())
        if not more:
            break
        drawn |= more
    lasting = frozenset(name for name, v in integration.variables.items() if not isinstance(v.life, EachStep))
    integrated = {name for v in integration.variables.values() for name, _ in v.terms}
    scalar = {t.noise for g in program.gates if isinstance(g, CompareGate) for m in margins(g.test) for t in m.terms}
    scalar |= {n.name for n in program.noises if n.target is None}
    shiftable = {
        n.name: laws[n.name]
        for n in program.noises
        if isinstance(n.life, Once) and n.name in laws and n.name in scalar and n.name not in integrated
    }
    return Plan(short, rewritten, integration, lasting, shiftable)


def _condition(program: Program, stop: Stop) -> Condition:
    """Flips replace a value and are no terms of a sum: such a test is evaluated as it stands."""
    condition = condition_of(program, stop)
    flips = {n.name for n in program.noises if n.flips}
    read = (name for m in margins_of(condition) for name in (*(t.noise for t in m.terms), *_noises(m.value)))
    if not flips.isdisjoint(read):
        return Condition(stop.when, None)
    return condition


def _read_as_values(program: Program, conditions: Iterable[Condition]) -> Iterator[str]:
    for statement in program.body:
        for e in expressions_in(statement.result if isinstance(statement, Stop) else statement):
            yield from _noises(e)
    for condition in conditions:
        for e in condition_parts(condition):
            yield from _noises(e)


def _noises(e: ir.Expression) -> Iterator[str]:
    for node in ir.walk(e):
        match node:
            case ir.Noised(_, _, terms):
                yield from (t.noise for t in terms)
            case ir.Drawn(name):
                yield name
            case _:
                pass


def _stops_alone(
    program: Program, stops: list[Stop], conditions: Mapping[int, Condition], drawn: set[str]
) -> tuple[Program, dict[int, Condition]]:
    """A program of the stops only, in which the noises that are drawn are parts of plain values."""
    rewritten: dict[int, Condition] = {}
    guards = {i: None if c.guard is None else _as_drawn(c.guard) for i, c in conditions.items()}
    gates = []
    for stop in stops:
        condition = conditions[stop.index]
        test = None if condition.test is None else _with_drawn(condition.test, drawn)
        rewritten[stop.index] = Condition(condition.guard, test)
        if test is not None:
            gates.append(CompareGate(OfStop(stop.index), guards[stop.index], test))
    stub = replace(
        program,
        body=tuple(replace(s, when=guards[s.index], result=None) for s in stops),
        gates=tuple(gates),
        noises=tuple(n for n in program.noises if n.name not in drawn),
    )
    return stub, rewritten


def _as_drawn(e: ir.Expression) -> ir.Expression:
    """The expression, for who asks what it depends on: a noisy value is read from drawn noises."""
    if isinstance(e, ir.Noised):
        draws = (ir.Apply("*", (_as_drawn(t.factor), ir.Drawn(t.noise))) for t in e.terms)
        return reduce(lambda a, b: ir.Apply("+", (a, b)), draws, _as_drawn(e.base))
    return ir.rebuild(e, _as_drawn)


def _with_drawn(test: Test, drawn: set[str]) -> Test:
    match test:
        case Margin(value, terms, strict):
            for term in terms:
                if term.noise in drawn:
                    value = ir.Apply("+", (value, ir.Apply("*", (term.factor, ir.Drawn(term.noise)))))
            return Margin(value, tuple(t for t in terms if t.noise not in drawn), strict)
        case PublicTest():
            return test
        case And(parts):
            return And(tuple(_with_drawn(part, drawn) for part in parts))
        case Or(parts):
            return Or(tuple(_with_drawn(part, drawn) for part in parts))
        case Not(part):
            return Not(_with_drawn(part, drawn))


def _not_by_bounds(integration: IntegrationPlan, conditions: Iterable[Condition]) -> set[str]:
    """Lasting noises in tests of several comparisons: what is known of them after a step is no interval."""
    found: set[str] = set()
    for condition in conditions:
        inner = condition.test
        while isinstance(inner, Not):
            inner = inner.part
        if inner is None or isinstance(inner, Margin):
            continue
        for margin in margins_of(condition):
            name = integration.comparisons[margin].variable
            if name is not None and not isinstance(integration.variables[name].life, EachStep):
                found.update(n for n, _ in integration.variables[name].terms)
    return found
