"""Data with a density, treated as fresh noise: in a margin that is affine in a field, field * factor is one more noise.

`entries_as_noise(program, model, watch)` is the program in which the fields are noises, to be evaluated with the fields
at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from seqlang.backends.solve.step.dependencies import condition_of, walk_defined
from seqlang.backends.solve.step.entries import model_of
from seqlang.model import expression as ir
from seqlang.model.gate_source import GateSource, OfStop
from seqlang.model.life import EachStep
from seqlang.model.program import And, CompareGate, Margin, Noise, Not, Or, Program, Stop, Test
from seqlang.record import replace

ONE = ir.Number(Fraction(1))
ZERO = ir.Number(Fraction(0))


def entries_as_noise(program: Program, model: str, watch: tuple[ir.Expression, ...] = ()) -> Program | None:
    """The program with its fields as noises; None where a stop or a watched expression reads a field in another way
    than affinely in a margin."""
    laws = dict(model_of(program, model).laws)
    if any(isinstance(e, (ir.Field, ir.StepNumber)) for law in laws.values() for e in ir.walk(law)):
        return None
    affine = _Affine(program, laws)
    stops = [s for s in program.body if isinstance(s, Stop)]
    conditions = {OfStop(s.index): condition_of(program, s) for s in stops}
    plain = [s.result for s in stops if s.result is not None] + list(watch)
    plain += [c.guard for c in conditions.values() if c.guard is not None]
    if any(affine.reads(e) for e in plain):
        return None
    tests: dict[GateSource, Test] = {}
    for source, condition in conditions.items():
        if condition.test is not None:
            test = affine.test(condition.test)
            if test is None:
                return None
            tests[source] = test
    gates = tuple(
        replace(g, test=tests[g.source]) if isinstance(g, CompareGate) and g.source in tests else g
        for g in program.gates
    )
    noises = tuple(Noise(_name(field), law, EachStep(), None) for field, law in laws.items())
    return replace(program, gates=gates, noises=program.noises + noises)


def _name(field: str) -> str:
    return f"the entry {field}"  # no user can write this name


class _Affine:
    def __init__(self, program: Program, laws: Mapping[str, ir.Expression]) -> None:
        self.program, self.laws = program, laws

    def reads(self, expression: ir.Expression) -> bool:
        nodes = walk_defined(self.program, expression)
        return any(isinstance(e, ir.Field) and e.name in self.laws for e in nodes)

    def test(self, test: Test) -> Test | None:
        match test:
            case Margin(value, terms, strict):
                slopes = self.slopes(value)
                if slopes is None or any(self.reads(t.factor) for t in terms):
                    return None
                more = tuple(ir.Term(_name(field), slope) for field, slope in slopes.items())
                return Margin(value, terms + more, strict)
            case And(parts) | Or(parts):
                found = [self.test(part) for part in parts]
                done = tuple(part for part in found if part is not None)
                return type(test)(done) if len(done) == len(parts) else None
            case Not(part):
                inner = self.test(part)
                return None if inner is None else Not(inner)
            case _:
                return None if self.reads(test.expression) else test

    def slopes(self, e: ir.Expression) -> dict[str, ir.Expression] | None:
        """Factor of every field; None where the value is not affine. Factors read no field."""
        if not self.reads(e):
            return {}
        match e:
            case ir.Field(name):
                return {name: ONE}
            case ir.Local(name):
                return self.slopes(self.program.define(name).expression)
            case ir.Apply("negate", (a,)):
                return self._times(a, lambda s: ir.Apply("negate", (s,)))
            case ir.Apply(("+" | "-") as operator, (a, b)):
                first, second = self.slopes(a), self.slopes(b)
                if first is None or second is None:
                    return None
                names = dict.fromkeys((*first, *second))
                return {n: ir.Apply(operator, (first.get(n, ZERO), second.get(n, ZERO))) for n in names}
            case ir.Apply("*", (a, b)) if not self.reads(b):
                return self._times(a, lambda s: ir.Apply("*", (s, b)))
            case ir.Apply("*", (a, b)) if not self.reads(a):
                return self._times(b, lambda s: ir.Apply("*", (s, a)))
            case ir.Apply("/", (a, b)) if not self.reads(b):
                return self._times(a, lambda s: ir.Apply("/", (s, b)))
            case _:
                return None

    def _times(
        self, e: ir.Expression, change: Callable[[ir.Expression], ir.Expression]
    ) -> dict[str, ir.Expression] | None:
        found = self.slopes(e)
        return None if found is None else {name: change(slope) for name, slope in found.items()}
