"""From the typed model to the core program that the kernel reads. Raises Beyond where the core has no such thing."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from seqlang.kernel import core
from seqlang.kernel.text import declared
from seqlang.model import expression as ir
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import (
    AllSteps,
    Cell,
    Define,
    Input,
    Noise,
    Previous,
    Program,
    Replace,
    Report,
    SinceReport,
    Stop,
    Update,
    Within,
)

ONE = core.Number(Fraction(1))


class Beyond(Exception):
    """The core program has no such construct; the message names it."""


def lowered(program: Program) -> core.Program:
    return _Lowering(program).program()


def named_lines(program: Program) -> list[str]:
    """The core program as the kernel prints it; beside each line the name that the spec has for it."""
    names = [f.name for f in program.inputs] + [""] + [m.name for m in program.memories]
    names += [noise.name for noise in program.noises] + [getattr(s, "name", "") for s in program.body]
    lines = declared(lowered(program))
    return [f"{line}  # {name}" if name else line for line, name in zip(lines, names, strict=True)]


def expression_of(program: Program, e: ir.Expression) -> core.Expression:
    """An expression of constants, such as the epsilon of a claim."""
    return _Lowering(program).expression(e)


class _Lowering:
    def __init__(self, program: Program) -> None:
        self.source = program
        self.values = {p.name: p.value for p in program.parameters}
        self.inputs = {f.name: k for k, f in enumerate(program.inputs)}
        self.memories = {m.name: k for k, m in enumerate(program.memories)}
        self.draws = {n.name: k for k, n in enumerate(program.noises)}
        self.places: dict[tuple[str, str], int] = {}
        for word, names in (
            ("let", [s.name for s in program.body if isinstance(s, Define)]),
            ("cell", [s.name for s in program.body if isinstance(s, Cell)]),
            ("report", [s.name for s in program.body if isinstance(s, Report)]),
        ):
            self.places.update({(word, name): k for k, name in enumerate(names)})

    def program(self) -> core.Program:
        source = self.source
        body = tuple(self.statement(s) for s in source.body)
        return core.Program(
            inputs=tuple(core.Input(self.domain(f.domain), f.kind == "public") for f in self.streams()),
            adjacency=self.adjacency(),
            memories=tuple(self.expression(m.initial) for m in source.memories),
            draws=tuple(self.draw(n) for n in source.noises),
            body=body,
        )

    def streams(self) -> tuple[Input, ...]:
        if any(f.kind == "dataset" for f in self.source.inputs):
            raise Beyond("a data set")
        return self.source.inputs

    def adjacency(self) -> core.Adjacency:
        match self.source.adjacency:
            case Replace(count):
                value = self.expression(count)
                if not isinstance(value, core.Number):
                    raise Beyond("a number of changed entries that is computed")
                return core.Replace(int(value.value))
            case Within(of, radius, extent, same):
                return core.Within(self.expression(of), self.expression(radius), extent == "every", same)
        raise Beyond("adding and removing entries")

    def domain(self, domain: object) -> core.Letters | core.Range:
        match domain:
            case Finite(values):
                numbers = [self.expression(v) for v in values]
                if all(isinstance(v, core.Number) for v in numbers):
                    return core.Letters(tuple(v.value for v in numbers if isinstance(v, core.Number)))
            case Interval(low, high):
                return core.Range(self.end(low), self.end(high), False)
            case Integers(low, high):
                return core.Range(self.end(low), self.end(high), True)
        raise Beyond(f"a domain of the kind {type(domain).__name__}")

    def end(self, expression: ir.Expression | None) -> Fraction | None:
        if expression is None:
            return None
        from seqlang.kernel.enclosures import closed_value

        interval = closed_value(self.expression(expression))
        if interval.low != interval.high:
            raise Beyond("a domain that ends at an irrational number")
        return interval.low

    def draw(self, noise: Noise) -> core.Draw:
        law = noise.law
        if not isinstance(law, ir.Law) or law.family not in ("laplace", "logistic", "exponential", "geometric"):
            raise Beyond(f"noise of the law {getattr(law, 'family', 'of weights')}")
        life: Literal["step", "once"] | int
        match noise.life:
            case EachStep():
                life = "step"
            case Once():
                life = "once"
            case EachReport(report):
                life = self.places["report", report]
        return core.Draw(law.family, tuple(map(self.expression, law.arguments)), life)

    def statement(self, statement: object) -> core.Statement:
        match statement:
            case Define(name, expression):
                return core.Let(self.places["let", name], self.expression(expression))
            case Cell():
                return self.cell(statement)
            case Report(name, when, value):
                return core.Report(self.places["report", name], self.optional(when), self.optional(value))
            case Update(memory, value, when):
                return core.Update(self.memories[memory], self.expression(value), self.optional(when))
            case Stop(index, when, result):
                return core.Stop(index - 1, self.optional(when), self.optional(result))
        raise Beyond(f"a statement of the kind {type(statement).__name__}")

    def cell(self, cell: Cell) -> core.Tick:
        place = self.places["cell", cell.name]
        if cell.binders:
            raise Beyond("a cell with one value for each combination of others")
        since: int | None = None
        start: core.Expression | None = None
        operator: Literal["sum", "count", "last"]
        match cell.operator, cell.keep:
            case ("sum" | "count") as operator, AllSteps():
                pass
            case ("sum" | "count") as operator, SinceReport(report):
                since = self.places["report", report]
            case "last", Previous(initial):
                operator, start = "last", self.expression(initial)
            case name, keep:
                raise Beyond(f"a cell that keeps a {name} over {type(keep).__name__}")
        return core.Tick(place, operator, self.expression(cell.body), self.optional(cell.where), since, start)

    def optional(self, expression: ir.Expression | None) -> core.Expression | None:
        return None if expression is None else self.expression(expression)

    def expression(self, e: ir.Expression) -> core.Expression:
        match e:
            case ir.Number(value):
                return core.Number(value)
            case ir.Truth(value):
                return core.Truth(value)
            case ir.Label(name):
                return core.Tag(name)
            case ir.ParameterValue(name):
                return core.Number(self.values[name])
            case ir.StepNumber():
                return core.Step()
            case ir.Field(name):
                return core.Read("input", self.inputs[name])
            case ir.Local(name):
                return core.Read("let", self.places["let", name])
            case ir.CellValue(name, ()):
                return core.Read("cell", self.places["cell", name])
            case ir.MemoryValue(name):
                return core.Read("memory", self.memories[name])
            case ir.Reported(name):
                return core.Read("report", self.places["report", name])
            case ir.Drawn(name) if name in self.draws:
                return core.Read("draw", self.draws[name])
            case ir.Noised(_, base, terms):
                found = self.expression(base)
                for term in terms:
                    noise = core.Read("draw", self.draws[term.noise])
                    found = core.Op("+", (found, core.Op("*", (self.expression(term.factor), noise))))
                return found
            case ir.Choice(test, yes, no):
                return core.Choose(self.expression(test), self.expression(yes), self.expression(no))
            case ir.Apply(operator, arguments):
                return core.Op(operator, tuple(map(self.expression, arguments)))
        raise Beyond(f"an expression of the kind {type(e).__name__}")
