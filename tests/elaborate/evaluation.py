"""A small evaluator of model expressions in one step of a run, for tests: written from the meaning of the forms only.

The state of the step is made up as it is asked for: random fields, cells, memories, reports and noises.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.domain import Ball, Finite, Integers, Interval, Power

Value = Any
Bound = Mapping[m.Variable, Value]


class Unsupported(Exception):
    """Not worth an evaluator of its own: continuous minimisation, densities that are not needed."""


class World:
    """One random state of one step; asked twice, it answers the same."""

    def __init__(self, program: p.Program, seed: int) -> None:
        self.program = program
        self.random = random.Random(seed)
        self.parameters = {x.name: float(x.value) for x in program.parameters}
        self.defines = {s.name: s for s in program.body if isinstance(s, p.Define)}
        self.cells = {s.name: s for s in program.body if isinstance(s, p.Cell)}
        self.reports = {s.name: s for s in program.body if isinstance(s, p.Report)}
        self.noises = {n.name: n for n in program.noises}
        self.made: dict[object, Value] = {}

    def once(self, key: object, make: Callable[[], Value]) -> Value:
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def number(self) -> float:
        return self.random.choice([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 7.0]) + self.random.choice(
            [0.0, self.random.random()]
        )

    # ---- what is read

    def field(self, name: str) -> Value:
        field = self.program.input(name)
        length = int(self.of(self.program.size)) if field.kind == "dataset" and self.program.size is not None else None
        if length is not None:
            return self.once(("field", name), lambda: [self.entry(field.domain) for _ in range(min(length, 8))])
        return self.once(("field", name), lambda: self.entry(field.domain))

    def entry(self, domain: object) -> Value:
        match domain:
            case Finite(values=values):
                return self.of(self.random.choice(values))
            case Integers():
                return float(self.random.randrange(4))
            case Interval():
                return self.random.random()
            case Ball(dimension=dimension) | Power(dimension=dimension):
                return [self.random.uniform(-0.4, 0.4) for _ in range(int(self.of(dimension)))]
        raise Unsupported

    def cell(self, name: str, at: tuple[Value, ...]) -> Value:
        cell = self.cells[name]
        bound = {v: x for (v, _), x in zip(cell.binders, at, strict=True)}
        if cell.operator == "list":
            return self.once(("cell", name, at), lambda: [self.like(cell.body) for _ in range(3)])
        if cell.operator == "last":
            first = self.of(cell.keep.initial) if isinstance(cell.keep, p.Previous) else 0.0
            if isinstance(first, list):
                return self.once(("cell", name, at), lambda: [self.number() for _ in first])
            return self.once(("cell", name, at), lambda: self.like(cell.body))
        if cell.operator in ("sum", "mean"):
            return self.once(("cell", name, at), lambda: self.like(cell.body, bound))
        return self.once(("cell", name, at), lambda: float(self.random.randrange(5)))

    def like(self, expression: m.Expression, bound: Bound | None = None) -> Value:
        """A random value of the kind of an expression."""
        match expression:
            case m.Apply(operator=operator) if operator in m.COMPARISONS | m.LOGIC:
                return self.random.random() < 0.5
            case _:
                pass
        known = {v: 1.0 for c in self.cells.values() for v, _ in c.binders} | dict(bound or {})
        fields = [n.name for n in m.walk(expression) if isinstance(n, m.Field)]
        vectors = [f for f in fields if isinstance(self.field(f), list)]
        if vectors and self.is_vector(expression):
            return [self.number() for _ in self.of(m.Field(vectors[0]), known)]
        return self.number()

    def is_vector(self, expression: m.Expression) -> bool:
        match expression:
            case m.Field(name):
                return isinstance(self.field(name), list)
            case m.Index() | m.Apply(operator="dot" | "norm"):
                return False
            case m.Choice(yes=yes, no=no):
                return self.is_vector(yes) or self.is_vector(no)
            case m.Apply(arguments=arguments):
                return any(self.is_vector(a) for a in arguments)
            case _:
                return any(isinstance(n, m.Field) and self.is_vector(n) for n in m.walk(expression))

    def noise(self, name: str, shape: Value) -> Value:
        if isinstance(shape, list):
            return self.once(("noise", name), lambda: [self.number() for _ in shape])
        return self.once(("noise", name), self.number)

    # ---- values

    def of(self, e: m.Expression, bound: Bound | None = None) -> Value:
        bound = bound or {}
        match e:
            case m.Number(value=value):
                return float(value)
            case m.Truth(value=truth):
                return truth
            case m.Label(name=name):
                return name
            case m.ParameterValue(name=name):
                return self.parameters[name]
            case m.StepNumber():
                return self.once("step", lambda: float(self.random.randrange(1, 12)))
            case m.Field(name=name):
                return self.field(name)
            case m.Records():
                return [float(i + 1) for i in range(min(8, int(self.of(self.program.size))))]
            case m.ReleasedValue():
                return self.made["the released value"]
            case m.Local(name=name):
                return self.of(self.defines[name].expression)
            case m.CellValue(name=name, at=at):
                return self.cell(name, tuple(self.of(position, bound) for position in at))
            case m.MemoryValue(name=name, updated=updated):
                initial = next(x.initial for x in self.program.memories if x.name == name)
                shape = self.of(initial)
                return self.once(
                    ("memory", name, updated),
                    lambda: [self.number() for _ in shape] if isinstance(shape, list) else self.number(),
                )
            case m.Reported(name=name):
                value = self.reports[name].value
                if value is None:
                    return self.once(("report", name), lambda: self.random.random() < 0.5)
                return self.once(("report", name), self.number)
            case m.Drawn(name=name):
                return self.drawn(name)
            case m.Noised():
                return self.noised(e, bound)
            case m.Bound(variable=variable):
                return bound[variable]
            case m.Choice(test=test, yes=yes, no=no):
                return self.of(yes if self.of(test, bound) else no, bound)
            case m.Index(base=base, at=at):
                return self.of(base, bound)[int(self.of(at, bound)) - 1]
            case m.Sequence(items=items):
                return [self.of(i, bound) for i in items]
            case m.Quantified():
                return self.quantified(e, bound)
            case m.Density(law=m.Law(family="bernoulli", arguments=(q,)), at=at):
                chance = self.of(q, bound)
                return chance if self.of(at, bound) == 1 else 1 - chance
            case m.Apply(operator=operator, arguments=arguments):
                return apply(operator, [self.of(a, bound) for a in arguments])
            case _:
                raise Unsupported(type(e).__name__)

    def drawn(self, name: str) -> Value:
        law = self.noises[name].law if name in self.noises else None
        if isinstance(law, m.Law) and law.family == "sample":
            return self.once(("noise", name), lambda: [i for i in self.of(m.Records()) if self.random.random() < 0.5])
        if isinstance(law, m.Law) and law.family == "l2_laplace":
            return self.noise(name, [0.0] * int(self.of(law.arguments[1])))
        return self.noise(name, 0.0)

    def noised(self, e: m.Noised, bound: Bound) -> Value:
        base = self.of(e.base, bound)
        if any(self.noises[t.noise].law.family == "randomized_response" for t in e.terms):
            if isinstance(base, bool):
                return self.once(("flip", e.name), lambda: self.random.random() < 0.5)
            return self.once(("flip", e.name), lambda: base)
        for term in e.terms:
            base = apply("+", [base, apply("*", [self.of(term.factor, bound), self.noise(term.noise, base)])])
        return base

    def quantified(self, e: m.Quantified, bound: Bound) -> Value:
        pairs = []
        for item in self.of(e.domain, bound):
            inner = {**bound, e.variable: item}
            if e.where is None or self.of(e.where, inner):
                pairs.append((item, self.of(e.body, inner)))
        values = [value for _, value in pairs]
        if e.operator in ("argmax", "argmin"):
            best = (max if e.operator == "argmax" else min)(values)
            return pairs[values.index(best)][0]
        return values if e.operator in ("list", "set") else apply(e.operator, [values])


def apply(operator: str, a: list[Value]) -> Value:
    """Operators on floats, truth values and lists."""
    if operator in ("+", "-") and isinstance(a[0], list):
        return [apply(operator, [x, y]) for x, y in zip(a[0], a[1], strict=True)]
    if operator == "negate" and isinstance(a[0], list):
        return [-x for x in a[0]]
    if operator in ("*", "/") and any(isinstance(x, list) for x in a):
        vector, number = (a[0], a[1]) if isinstance(a[0], list) else (a[1], a[0])
        return [apply(operator, [x, number]) for x in vector]
    if operator == "sum" and a[0] and isinstance(a[0][0], list):
        return [sum(column) for column in zip(*a[0], strict=True)]
    try:
        return _SIMPLE[operator](*a)
    except (ZeroDivisionError, OverflowError, ValueError, KeyError, IndexError) as problem:
        raise Unsupported(operator) from problem


def _project(v: list[float], radius: float) -> list[float]:
    length = math.hypot(*v)
    return v if length <= radius else [x * radius / length for x in v]


def _power(a: float, b: float) -> float:
    result = a**b
    if isinstance(result, complex):
        raise ValueError
    return float(result)


def _folded(fold: Callable[[list[float]], float]) -> Callable[..., float]:
    return lambda *a: fold(list(a[0]) if len(a) == 1 else list(a))


def _mean(v: Sequence[float]) -> float:
    return math.fsum(v) / len(v)


_SIMPLE: dict[str, Callable[..., Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "^": _power,
    "negate": lambda a: -a,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "abs": abs,
    "log": math.log,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "ceil": lambda a: float(math.ceil(a)),
    "floor": lambda a: float(math.floor(a)),
    "clip": lambda x, low, high: min(max(x, low), high),
    "norm": lambda v: math.hypot(*v),
    "dot": lambda u, v: math.fsum(x * y for x, y in zip(u, v, strict=True)),
    "zeros": lambda d: [0.0] * int(d),
    "project": _project,
    "clip_norm": _project,
    "length": lambda v: float(len(v)),
    "sort": sorted,
    "zeta": lambda s: 2.0,
    "max": _folded(max),
    "min": _folded(min),
    "sum": lambda v: math.fsum(v),
    "mean": lambda v: [_mean(column) for column in zip(*v, strict=True)] if isinstance(v[0], list) else _mean(v),
    "count": lambda v: float(sum(map(bool, v))),
    "argmax": lambda v: float(1 + v.index(max(v))),
    "argmin": lambda v: float(1 + v.index(min(v))),
    "..": lambda a, b: [a + i for i in range(int(b - a) + 1)],
}
