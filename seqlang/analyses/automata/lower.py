"""From the typed model to the core program that the kernel reads. Raises Beyond where the core has no such thing.

The core knows numbers only: a list becomes its elements, each with a `let`, a cell or a draw of its own, and a range of
constants is written out. Rows of a data set are added up, or read one by one where a program does more with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Literal, cast

from seqlang.analyses.automata.lists import (
    MOST_CHOICES,
    ONE,
    ZERO,
    Beyond,
    OfEachRow,
    Value,
    as_shown,
    cells_in_order,
    chances,
    choices_of,
    chosen,
    each,
    field_of_row,
    flat,
    folded,
    is_picked,
    multiplied,
    of_each_row,
    paired,
    reads_rows_only,
    rebuilt,
)
from seqlang.kernel import core
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.refused import Refused
from seqlang.kernel.text import declared
from seqlang.kernel.values import is_constant
from seqlang.model import expression as ir
from seqlang.model import log_ratio
from seqlang.model.alphabet import alphabet_of
from seqlang.model.domain import Finite, Integers, Interval, Power
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import (
    AddRemove,
    AllSteps,
    Cell,
    Define,
    Draw,
    Input,
    Previous,
    Program,
    Replace,
    Report,
    SinceReport,
    Stop,
    Update,
    Within,
)
from seqlang.operators.groups import EXTREMES, PLACES, TOTALS

MOST_ELEMENTS, MOST_ROWS = 400, 64
"""Of a list that is written out; of a data set whose rows are read one by one."""


@dataclass(frozen=True)
class Lowered:
    """`inputs` and `draws`: for each of the core program's the name in the model, and the element of a list (None: it
    is no list). `rows`: for each field of a row. `picks`: like `draws`. `statements`: the name of each;
    `stops`: the number of the stop."""

    program: core.Program
    inputs: tuple[tuple[str, int | None], ...]
    rows: tuple[tuple[str, int | None], ...]
    draws: tuple[tuple[str, int | None], ...]
    picks: tuple[tuple[str, int | None], ...]
    statements: tuple[str, ...]
    stops: tuple[int, ...]


def lowered(program: Program) -> core.Program:
    return lowered_with_names(program).program


def lowered_with_names(program: Program) -> Lowered:
    try:
        return _Lowering(program, False).whole()
    except Beyond:
        if not program.data_set:
            raise
    return _Lowering(program, True).whole()


def named_lines(program: Program) -> list[str]:
    """The core program as the kernel prints it; beside each line the name that the spec has for it."""
    found = lowered_with_names(program)
    names = [name for name, _ in found.inputs] + [""] * (1 + (found.program.rows is not None))
    names += [m.name for m in program.memories] + [name for name, _ in found.draws] + list(found.statements)
    lines = declared(found.program)
    return [f"{line}  # {name}" if name else line for line, name in zip(lines, names, strict=True)]


def expression_of(program: Program, e: ir.Expression) -> core.Expression:
    """An expression of constants, such as the epsilon of a claim."""
    return _Lowering(program, False).number(e)


class _Lowering:
    """`listed`: rows are read one by one."""

    def __init__(self, program: Program, listed: bool) -> None:
        self.source, self.listed = program, listed
        self.values = {p.name: p.value for p in program.parameters}
        self.reports = {name: k for k, name in enumerate(program.report_names)}
        self.memories: dict[str, int] = {m.name: k for k, m in enumerate(program.memories)}
        self.inputs: list[tuple[str, int | None]] = []
        self.rows: list[tuple[str, int | None]] = []
        self.fields: dict[str, Value] = {}
        self.bound: dict[int, core.Expression | None] = {}
        self.lets: dict[str, Value] = {}
        self.cells: dict[tuple[str, tuple[Fraction, ...]], Value] = {}
        self.cell_numbers: dict[tuple[str, tuple[Fraction, ...], int], int] = {}
        self.draws: dict[tuple[str, int | None], int] = {}
        self.picks: dict[tuple[str, int | None], core.Expression] = {}
        self.body: list[tuple[core.Statement, str]] = []
        self.stops: list[int] = []

    def whole(self) -> Lowered:
        source = self.source
        inputs = self.streams()
        rows = self.data_set()
        adjacency = self.adjacency()
        for statement in source.body:
            if isinstance(statement, Cell) and isinstance(statement.keep, Previous):
                self.begin(statement, statement.keep)
        for statement in source.body:
            self.statement(statement)
        program = core.Program(
            inputs=inputs,
            rows=rows,
            adjacency=adjacency,
            memories=tuple(self.number(m.initial) for m in source.memories),
            draws=tuple(self.draw(name) for name, _ in self.draws),
            body=tuple(cells_in_order([s for s, _ in self.body])),
        )
        names = tuple(name for _, name in self.body)
        read, drawn = (tuple(self.inputs), tuple(self.rows)), (tuple(self.draws), tuple(self.picks))
        return Lowered(program, *read, *drawn, names, tuple(self.stops))

    # ---- what is read

    def streams(self) -> tuple[core.Input, ...]:
        found: list[core.Input] = []
        for source in self.source.inputs:
            if source.kind == "dataset":
                continue
            names, domains = self.named(source)
            reads = tuple(core.Read("input", len(found) + k) for k in range(len(names)))
            self.fields[source.name] = reads[0] if names[0][1] is None else reads
            self.inputs += names
            found += [core.Input(domain, source.kind == "public") for domain in domains]
        return tuple(found)

    def data_set(self) -> core.Rows | None:
        sources = [f for f in self.source.inputs if f.kind == "dataset"]
        if not sources:
            return None
        found: list[core.Letters | core.Range] = []
        places: dict[str, tuple[int, int | None]] = {}
        for source in sources:
            names, domains = self.named(source)
            places[source.name] = len(found), None if names[0][1] is None else len(names)
            self.rows += names
            found += domains
        size = None if isinstance(self.source.adjacency, AddRemove) else self.size()
        if self.listed and (size is None or not 1 <= size <= MOST_ROWS):
            raise Beyond("rows of a data set that are read one by one")
        for name, (first, length) in places.items():
            starts = [row * len(found) + first for row in range(size if self.listed and size is not None else 1)]
            of_rows = tuple(field_of_row(start, length) for start in starts)
            self.fields[name] = of_rows if self.listed else of_each_row(of_rows[0])
        return core.Rows(tuple(found), size, self.listed)

    def size(self) -> int:
        assert self.source.size is not None
        value = closed_value(self.number(self.source.size))
        if value.low != value.high or value.low.denominator != 1:
            raise Beyond("a data set whose size is computed")
        return int(value.low)

    def adjacency(self) -> core.Adjacency:
        match self.source.adjacency:
            case Replace(count):
                return core.Replace(self.count(count))
            case AddRemove(count) if self.source.data_set:
                return core.Remove(self.count(count))
            case Within(of, radius, extent, same):
                if self.source.data_set and self.listed:
                    of_row = _Lowering(self.source, False)
                    of_row.data_set()
                    moved = of_row.expression(of)
                else:
                    moved = self.expression(of)
                if isinstance(moved, OfEachRow):
                    moved = moved.body
                if isinstance(moved, tuple):
                    raise Beyond("an adjacency that bounds the norm of a vector")
                return core.Within(moved, self.number(radius), extent == "every", same)
        raise Beyond("adding and removing entries")

    def count(self, e: ir.Expression) -> int:
        value = self.constant(self.number(e))
        if value.denominator != 1:
            raise Beyond("a number of entries that is no whole number")
        return int(value)

    def named(self, source: Input) -> tuple[list[tuple[str, int | None]], list[core.Letters | core.Range]]:
        """The numbers of a field, and their domains."""
        if not isinstance(source.domain, Power):
            return [(source.name, None)], [self.domain(source.domain)]
        many = self.count(source.domain.dimension)
        return [(source.name, k) for k in range(many)], [self.domain(source.domain.of)] * many

    def domain(self, domain: object) -> core.Letters | core.Range:
        match domain:
            case Finite(values):
                numbers = [self.number(v) for v in values]
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
        interval = closed_value(self.number(expression))
        if interval.low != interval.high:
            raise Beyond("a domain that ends at an irrational number")
        return interval.low

    def draw(self, name: str) -> core.Draw:
        noise = self.source.noise(name)
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
                life = self.reports[report]
        return core.Draw(law.family, tuple(map(self.number, law.arguments)), life)

    def drawn(self, name: str, element: int | None) -> core.Expression:
        if (name, element) in self.picks:
            return self.picks[name, element]
        noise = next((n for n in self.source.noises if n.name == name), None)
        if noise is not None and is_picked(noise.law):
            return self.picked(name, element, self.weighed(noise.law), noise.life)
        if (name, None if element is not None else 0) in self.draws:
            raise Beyond("one draw for a number and for a list")
        return core.Read("draw", self.draws.setdefault((name, element), len(self.draws)))

    # ---- statements

    def statement(self, statement: object) -> None:
        match statement:
            case Define(name, expression):
                self.lets[name] = self.kept(self.expression(expression), name)
            case Cell():
                self.cell(statement)
            case Report(name, when, value):
                shown = None if value is None else as_shown(self.expression(value))
                self.put(core.Report(self.reports[name], self.optional(when), shown), name)
            case Update(memory, value, when):
                self.put(core.Update(self.memories[memory], self.number(value), self.optional(when)), "")
            case Stop(index, when, result):
                self.stop(index, self.optional(when), None if result is None else self.expression(result))
            case Draw(name, law, life):
                self.picked(name, None, self.weighed(law), life)
            case _:
                raise Beyond(f"a statement of the kind {type(statement).__name__}")

    def picked(
        self, name: str, element: int | None, weighed: list[tuple[Fraction, core.Expression]], life: object
    ) -> core.Expression:
        """The pick, which is made here."""
        if not isinstance(life, EachStep):
            raise Beyond("a choice that is kept from step to step")
        values, weights = zip(*weighed, strict=True)
        index = len(self.picks)
        self.picks[name, element] = core.Read("pick", index)
        self.put(core.Pick(index, values, weights), name)
        return self.picks[name, element]

    def weighed(self, law: ir.Expression) -> list[tuple[Fraction, core.Expression]]:
        """Values with their weights."""
        match law:
            case ir.Weights(pairs):
                return [(self.constant(self.number(value)), self.number(weight)) for value, weight in pairs]
            case ir.WeightsOf(value, weight, variable, domain, None):
                many = isinstance(domain, ir.Records)
                places = range(1, self.size() + 1) if many else self.elements(domain)
                found: list[tuple[Fraction, core.Expression]] = []
                for place in places:
                    self.bound[variable.number] = core.Number(Fraction(place))
                    found.append((self.constant(self.number(value)), self.number(weight)))
                return found
            case ir.Law("bernoulli", (chance,)):
                one = self.number(chance)
                return [(Fraction(1), one), (Fraction(0), core.Op("-", (ONE, one)))]
            case ir.Law("uniform", (ir.Sequence("set", items),)):
                return [(self.constant(self.number(item)), ONE) for item in items]
        raise Beyond(f"a choice by the law {getattr(law, 'family', 'of weights with a condition')}")

    def flipped(self, e: ir.Noised, name: str, element: int | None, truth: core.Expression) -> core.Expression:
        """Randomised response to what is true. Its chances may be multiplied by any number, and are divided by that of
        the truth's numerator: 1 / (1 + c) and c / (1 + c) become 1 and c."""
        noise = self.source.noise(name)
        assert isinstance(noise.law, ir.Law)
        defines = {s.name: s for s in self.source.body if isinstance(s, Define)}
        fields = {field.name: field for field in self.source.inputs}
        listed = alphabet_of(e.base, defines, fields, lambda c: self.known_number(c))
        if listed is None or e.name == "return":
            raise Beyond("randomised response to what has no plain alphabet")
        letters = [self.number(letter) for letter in listed]
        truths = all(isinstance(letter, core.Truth) for letter in letters)
        values = [Fraction(k) for k in range(len(letters))] if truths else list(map(self.constant, letters))
        yes, no = chances(self.number(noise.law.arguments[0]))
        others = no if len(letters) == 2 else core.Op("/", (no, core.Number(Fraction(len(letters) - 1))))
        weights = [core.Choose(core.Op("==", (truth, letter)), yes, others) for letter in letters]
        read = self.drawn_or(name, element, list(zip(values, weights, strict=True)), noise.life)
        return core.Op("==", (read, core.Number(values[letters.index(core.Truth(True))]))) if truths else read

    def drawn_or(
        self, name: str, element: int | None, weighed: list[tuple[Fraction, core.Expression]], life: object
    ) -> core.Expression:
        """The pick of this name, which is made here if it was not made above."""
        return self.picks[name, element] if (name, element) in self.picks else self.picked(name, element, weighed, life)

    def known_number(self, e: ir.Expression) -> Fraction | None:
        try:
            return self.constant(self.number(e))
        except Beyond:
            return None

    def put(self, statement: core.Statement, name: str) -> None:
        self.body.append((statement, name))

    def kept(self, value: Value, name: str) -> Value:
        """The value as a `let`, of each element one."""
        if isinstance(value, tuple):
            return tuple(self.kept(part, name) for part in value)
        if isinstance(value, OfEachRow) and not reads_rows_only(value.body):
            raise Beyond("a list over the rows that is read below a change")
        if isinstance(value, OfEachRow | core.Number):
            return value
        index = sum(isinstance(s, core.Let) for s, _ in self.body)
        self.put(core.Let(index, value), name)
        return core.Read("let", index)

    def stop(self, index: int, when: core.Expression | None, result: Value | None) -> None:
        """One stop, or one for each value where there are few: they are then told apart by where the run stops."""
        choices = None if result is None or isinstance(result, tuple | OfEachRow) else choices_of(result)
        if choices is None or len(choices) < 2:
            self.put(core.Stop(len(self.stops), when, None if result is None else as_shown(result)), "")
            self.stops.append(index)
            return
        for value, test in choices.items():
            both = [part for part in (when, test) if part is not None and part != core.Truth(True)]
            self.put(core.Stop(len(self.stops), folded("and", both) if both else None, value), "")
            self.stops.append(index)

    def begin(self, cell: Cell, keep: Previous) -> None:
        """A cell of the value of the step before is read above its place."""
        for at in self.combinations(cell):
            start = self.expression(keep.initial)
            numbers = [self.cell_number(cell.name, at, k) for k in range(len(flat(start)))]
            self.cells[cell.name, at] = rebuilt(start, [core.Read("cell", number) for number in numbers])

    def cell_number(self, name: str, at: tuple[Fraction, ...], element: int) -> int:
        """A number of its own for now; `cells_in_order` orders them by their place in the body."""
        return self.cell_numbers.setdefault((name, at, element), len(self.cell_numbers))

    def combinations(self, cell: Cell) -> list[tuple[Fraction, ...]]:
        found = [self.elements(domain) for _, domain in cell.binders]
        if prod(map(len, found)) > MOST_ELEMENTS:
            raise Beyond("a cell with very many values")
        return list(product(*found))

    def cell(self, cell: Cell) -> None:
        operator: Literal["sum", "count", "last"]
        since: int | None = None
        match cell.operator, cell.keep:
            case ("sum" | "count") as operator, AllSteps():
                pass
            case ("sum" | "count") as operator, SinceReport(report):
                since = self.reports[report]
            case "last", Previous():
                operator = "last"
            case name, keep:
                raise Beyond(f"a cell that keeps a {name} over {type(keep).__name__}")
        for at in self.combinations(cell):
            for (variable, _), value in zip(cell.binders, at, strict=True):
                self.bound[variable.number] = core.Number(value)
            body, where = self.expression(cell.body), self.optional(cell.where)
            values = flat(body)
            starts: list[core.Expression | None] = [None] * len(values)
            if isinstance(cell.keep, Previous):
                starts = [*flat(self.expression(cell.keep.initial))]
            if len(starts) != len(values):
                raise Beyond("a list that changes its length")
            numbers = [self.cell_number(cell.name, at, k) for k in range(len(values))]
            for number, one, start in zip(numbers, values, starts, strict=True):
                self.put(core.Tick(number, operator, one, where, since, start), cell.name)
            self.cells[cell.name, at] = rebuilt(body, [core.Read("cell", number) for number in numbers])

    def optional(self, expression: ir.Expression | None) -> core.Expression | None:
        return None if expression is None else self.number(expression)

    # ---- expressions

    def number(self, e: ir.Expression) -> core.Expression:
        """Of a number, a truth value or a word."""
        found = self.expression(e)
        if isinstance(found, tuple | OfEachRow):
            raise Beyond("a list where the core has a number")
        return found

    def expression(self, e: ir.Expression) -> Value:
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
                return self.fields[name]
            case ir.Local(name):
                return self.lets[name]
            case ir.CellValue(name, at):
                key = name, tuple(self.constant(self.number(place)) for place in at)
                if key not in self.cells:
                    raise Beyond("a cell that is read above its place")
                return self.cells[key]
            case ir.MemoryValue(name):
                return core.Read("memory", self.memories[name])
            case ir.Reported(name):
                return core.Read("report", self.reports[name])
            case ir.Drawn(name):
                return self.drawn(name, None)
            case ir.Noised(_, base, terms):
                return self.noised(e, self.expression(base), terms)
            case ir.Bound(variable):
                found = self.bound[variable.number]
                if found is None:
                    raise Beyond("the number of a row")
                return found
            case ir.Choice(test, yes, no):
                condition = self.number(test)
                return paired(self.expression(yes), self.expression(no), lambda a, b: core.Choose(condition, a, b))
            case ir.Sequence("list", items):
                return tuple(map(self.expression, items))
            case ir.Index(base, at):
                return self.element(e, base, at)
            case ir.Quantified():
                return self.quantified(e)
            case ir.Apply(operator, arguments):
                in_logs = log_ratio.in_logs(self.source, e)
                return self.applied(operator, arguments) if in_logs is None else self.expression(in_logs)
            case ir.Density("pmf", ir.Law("bernoulli", (chance,)), at):
                one, place = self.number(chance), self.number(at)
                zero = core.Choose(core.Op("==", (place, ZERO)), core.Op("-", (ONE, one)), ZERO)
                return core.Choose(core.Op("==", (place, ONE)), one, zero)
        raise Beyond(f"an expression of the kind {type(e).__name__}")

    def noised(self, e: ir.Noised, base: Value, terms: tuple[ir.Term, ...]) -> Value:
        if any(self.source.noise(term.noise).flips for term in terms):
            if len(terms) > 1:
                raise Beyond("randomised response beside other noise")
            is_list, name = isinstance(base, tuple), terms[0].noise
            flipped = [self.flipped(e, name, k if is_list else None, value) for k, value in enumerate(flat(base))]
            return rebuilt(base, flipped)
        is_list = isinstance(base, tuple)
        if is_list and any(self.source.noise(term.noise).target is None for term in terms):
            raise Beyond("one draw for all elements of a list")
        values = flat(base)
        for term in terms:
            for k, value in enumerate(values):
                drawn = self.drawn(term.noise, k if is_list else None)
                values[k] = core.Op("+", (value, core.Op("*", (self.number(term.factor), drawn))))
        return rebuilt(base, values)

    def element(self, e: ir.Index, base: ir.Expression, at: ir.Expression) -> Value:
        values = self.expression(base)
        if isinstance(values, OfEachRow):
            if isinstance(at, ir.Bound) and self.bound[at.variable.number] is None:
                return values.body
            raise Beyond("one row of a data set")
        place = self.number(at)
        if not isinstance(values, tuple):
            raise Beyond("an element of what is no list")
        if is_constant(place):
            found = self.constant(place)
            if found.denominator != 1 or not 1 <= found <= len(values):
                raise Beyond("an element that does not exist")
            return cast(Value, values[int(found) - 1])
        raise Beyond("an element at a place that is computed")

    def elements(self, domain: ir.Expression) -> list[Fraction]:
        """Of a range or a set of constants."""
        match domain:
            case ir.Apply("..", (low, high)):
                first, last = self.constant(self.number(low)), self.constant(self.number(high))
                if first.denominator != 1 or last.denominator != 1 or last - first >= MOST_ELEMENTS:
                    raise Beyond("a long range")
                return [Fraction(k) for k in range(int(first), int(last) + 1)]
            case ir.Sequence("list", items):
                return [self.constant(self.number(item)) for item in items]
            case ir.Sequence("set", items):
                return sorted({self.constant(self.number(item)) for item in items})
        raise Beyond("elements of what is no range or set of constants")

    def constant(self, e: core.Expression) -> Fraction:
        if not is_constant(e):
            raise Beyond("a place or an end that is computed")
        try:
            interval = closed_value(e)
        except Refused as why:
            raise Beyond(str(why)) from None
        if interval.low != interval.high:
            raise Beyond("an irrational place or end")
        return interval.low

    def quantified(self, e: ir.Quantified) -> Value:
        where = ir.Truth(True) if e.where is None else e.where
        if isinstance(e.domain, ir.Records) and not self.listed:
            self.bound[e.variable.number] = None
            body, condition = self.number(e.body), self.number(where)
            return self.aggregated(e.operator, OfEachRow(body), condition)
        if isinstance(e.domain, ir.Records):
            places = [Fraction(k) for k in range(1, self.size() + 1)]
        else:
            places = self.elements(e.domain)
        values: list[core.Expression] = []
        tests: list[core.Expression] = []
        for place in places:
            self.bound[e.variable.number] = core.Number(place)
            one = self.expression(e.body)
            if e.operator == "list" and e.where is None and isinstance(one, tuple):
                values.append(cast(core.Expression, one))
                continue
            if isinstance(one, tuple | OfEachRow):
                raise Beyond("lists within a list")
            values.append(one)
            tests.append(self.number(where))
        if e.operator == "list" and e.where is None:
            return tuple(values)
        if e.where is None and e.operator in PLACES:
            return self.best(e.operator, values, [core.Number(place) for place in places])
        if e.operator == "mean" and e.where is None:
            return self.aggregated("mean", tuple(values), None)
        if e.operator == "sum":
            return folded("+", [chosen(t, v, ZERO) for t, v in zip(tests, values, strict=True)] or [ZERO])
        if e.operator == "count":
            both = [chosen(t, chosen(v, ONE, ZERO), ZERO) for t, v in zip(tests, values, strict=True)]
            return folded("+", both or [ZERO])
        if e.operator in EXTREMES and e.where is None and values:
            return core.Op(e.operator, tuple(values)) if len(values) > 1 else values[0]
        raise Beyond(f"{e.operator} over elements that are chosen")

    def aggregated(self, operator: str, values: Value, where: core.Expression | None) -> Value:
        """A fold of a list; of rows where a condition on the row holds."""
        if isinstance(values, OfEachRow):
            body = values.body
            if operator == "list" and where in (None, core.Truth(True)):
                return values
            if operator == "count":
                body = chosen(body, ONE, ZERO)
            if where is not None:
                body = chosen(where, body, ZERO)
            if operator in TOTALS:
                return core.Op("total", (body,))
            if operator == "mean" and where in (None, core.Truth(True)):
                return core.Op("/", (core.Op("total", (body,)), self.many()))
            raise Beyond(f"{operator} of rows")
        items = [item for item in values if not isinstance(item, tuple)] if isinstance(values, tuple) else []
        if not isinstance(values, tuple) or len(items) != len(values):
            raise Beyond(f"{operator} of what is no list of numbers")
        if operator in PLACES:
            return self.best(operator, items, [core.Number(Fraction(k + 1)) for k in range(len(items))])
        if operator == "count":
            items = [chosen(item, ONE, ZERO) for item in items]
        if operator in TOTALS:
            return folded("+", items or [ZERO])
        if operator == "mean" and items:
            return core.Op("/", (folded("+", items), core.Number(Fraction(len(items)))))
        if operator in EXTREMES and items:
            return core.Op(operator, tuple(items)) if len(items) > 1 else items[0]
        raise Beyond(f"{operator} of a list")

    def many(self) -> core.Expression:
        if isinstance(self.source.adjacency, AddRemove):
            return core.Op("total", (ONE,))
        return core.Number(Fraction(self.size()))

    def best(self, operator: str, values: list[core.Expression], names: list[core.Expression]) -> core.Expression:
        """The name of the first value that none exceeds."""
        if not values or len(values) > MOST_CHOICES:
            raise Beyond("the best of very many")
        sign = ">=" if operator == "argmax" else "<="
        found = names[-1]
        for k in reversed(range(len(values) - 1)):
            tests = [core.Op(sign, (values[k], other)) for j, other in enumerate(values) if j > k]
            tests += [core.Op(sign[0], (values[k], other)) for j, other in enumerate(values) if j < k]
            found = core.Choose(folded("and", tests), names[k], found)
        return found

    def applied(self, operator: str, arguments: tuple[ir.Expression, ...]) -> Value:
        if operator == "length" and isinstance(arguments[0], ir.Records):
            return self.many()
        if operator == "zeros":
            return (ZERO,) * int(self.constant(self.number(arguments[0])))
        values = [self.expression(a) for a in arguments]
        match operator, values:
            case (("sum" | "mean" | "count" | "max" | "min" | "argmax" | "argmin"), [tuple() | OfEachRow() as listed]):
                return self.aggregated(operator, listed, None)
            case "length", [OfEachRow()]:
                return self.many()
            case "length", [tuple() as listed]:
                return core.Number(Fraction(len(listed)))
            case "dot", [tuple() as a, tuple() as b]:
                return self.aggregated("sum", paired(a, b, lambda x, y: core.Op("*", (x, y))), None)
            case (("+" | "-" | "*" | "/" | "negate"), _):
                if len(values) == 1:
                    return each(values[0], lambda a: core.Op(operator, (a,)))
                return paired(
                    values[0], values[1], multiplied if operator == "*" else lambda a, b: core.Op(operator, (a, b))
                )
        if any(isinstance(value, tuple) for value in values):
            raise Beyond(f"{operator} of a list")
        if len(values) == 1:
            return each(values[0], lambda a: core.Op(operator, (a,)))
        if any(isinstance(value, OfEachRow) for value in values):
            if len(values) != 2:
                raise Beyond(f"{operator} of rows")
            return paired(values[0], values[1], lambda a, b: core.Op(operator, (a, b)))
        return core.Op(operator, tuple(value for value in values if not isinstance(value, tuple | OfEachRow)))
