"""What kind of value each expression of a program has, and where the kinds do not go together.

The rules of kinds are those of the language (`elaborate` tells the user of them, at a place in the text). Here they are
asked of the finished records, whoever made them: a proof may rely on a truth value being no number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from seqlang.laws.facts import facts
from seqlang.model import domain as d
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.constants import number, values_of
from seqlang.model.kinds import (
    LABEL,
    NUMBER,
    TRUTH,
    UNKNOWN,
    Kind,
    KindName,
    describe,
    elements,
    fits,
    join,
    kind_of_draw,
    law_of,
    same,
    vector,
)
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import ADDITIVE, EQUALITIES, EXTREMES, PLACES, SUMS

_COLLECTIONS = ("vector", "list", "set", "unknown")


class Kinds:
    """Looks kinds up in a program. `problems` collects what did not fit in the expressions that were asked for.
    `entry`: a field of a data set is one record's, as in the law of a model and in what neighbours are; else all."""

    def __init__(self, program: p.Program, *, entry: bool = False) -> None:
        self.entry = entry
        self.problems: dict[str, None] = {}
        self._size = program.size
        self._values = values_of(program)
        self._inputs = {x.name: x for x in program.inputs}
        self._noises = {x.name: x for x in program.noises}
        self._memories = {x.name: x for x in program.memories}
        self._cells = {s.name: s for s in program.body if isinstance(s, p.Cell)}
        self._named = {s.name: s for s in program.body if isinstance(s, p.Define | p.Report | p.Draw)}
        self._known: dict[str, Kind] = {}
        self._seen: dict[int, tuple[m.Expression, Kind]] = {}

    def of(self, e: m.Expression) -> Kind:
        """The kind of its value; UNKNOWN fits everything."""
        if id(e) not in self._seen:  # kept beside the expression, so that its identity stays its own
            self._seen[id(e)] = (e, self._look(e))
        return self._seen[id(e)][1]

    def expect(self, e: m.Expression, name: KindName, where: str) -> None:
        """A problem is noted if the expression is of another kind; `where` says in a phrase what asks."""
        kind = self.of(e)
        listed = name == "vector" and kind.name == "list" and fits(elements(kind), "number")
        if not (fits(kind, name) or listed):
            self.problem(f"{where} takes {describe(Kind(name))}, not {describe(kind)}")

    def expect_value(self, e: m.Expression, where: str) -> None:
        """A problem is noted if it is nothing that is kept from step to step: a number, vector, list or truth value."""
        if self.of(e).name in ("label", "set", "region", "law"):
            self.problem(f"{where} holds {describe(self.of(e))}")

    def problem(self, what: str) -> None:
        self.problems.setdefault(what)

    # ---- names

    def _look(self, e: m.Expression) -> Kind:
        match e:
            case m.Number() | m.ParameterValue() | m.StepNumber():
                return NUMBER
            case m.Truth():
                return TRUTH
            case m.Label():
                return LABEL
            case m.Field(name=name):
                return self._field(self._inputs[name])
            case m.Records():
                return Kind("set", NUMBER)
            case m.Local(name=name) | m.Reported(name=name):
                return self._name(name)
            case m.Drawn(name=name):
                return elements(self.of(self._noises[name].law)) if name in self._noises else self._name(name)
            case m.MemoryValue(name=name):
                return self.of(self._memories[name].initial)
            case m.CellValue(name=name, at=at):
                for part in at:
                    self.of(part)
                return self._cell(self._cells[name])
            case m.Bound(variable=variable):
                return UNKNOWN if variable.domain is None else self._element(variable.domain)
            case m.ReleasedValue():
                return UNKNOWN
            case _:
                return self._made(e)

    def _field(self, field: p.Input) -> Kind:
        vectors = isinstance(field.domain, d.Ball | d.Power)
        one = vector(field.domain.dimension) if isinstance(field.domain, d.Ball | d.Power) else NUMBER
        if field.kind != "dataset" or self.entry:
            return one
        return Kind("list", one) if vectors else vector(self._size)

    def _name(self, name: str) -> Kind:
        if name not in self._known:
            self._known[name] = UNKNOWN  # while it is being looked at: a history may hold itself
            match self._named[name]:
                case p.Define(expression=expression):
                    self._known[name] = self.of(expression)
                case p.Report(value=value):
                    self._known[name] = TRUTH if value is None else self.of(value)
                case p.Draw(law=law):
                    self._known[name] = elements(self.of(law))
        return self._known[name]

    def _cell(self, cell: p.Cell) -> Kind:
        """A look-back has the kind of its initial value: its body may read the cell itself."""
        match cell.keep:
            case p.Previous(initial=initial):
                return self.of(initial)
            case p.AtReports():
                return Kind("list", self.of(cell.body))
            case _:
                return self._fold(cell.operator, self.of(cell.body), NUMBER, f"the cell {cell.name}")

    # ---- what is made of parts

    def _made(self, e: m.Expression) -> Kind:
        match e:
            case m.Noised(base=base, terms=terms):
                return self._noised(e.name, self.of(base), terms)
            case m.Apply(operator=operator, arguments=arguments):
                return self._apply(operator, arguments)
            case m.Choice(test=test, yes=yes, no=no):
                self.expect(test, "truth", "an `if`")
                return self._alike((yes, no), "the branches of an `if`")
            case m.Index(base=base, at=at):
                self._collection(base, ("vector", "list", "unknown"), "an index")
                self.expect(at, "number", "an index")
                return elements(self.of(base))
            case m.Sequence(kind=kind, items=items):
                element = self._alike(items, f"a {kind}")
                numbers = kind == "list" and element == NUMBER
                return vector(m.Number(Fraction(len(items)))) if numbers else Kind(kind, element)
            case m.Quantified():
                return self._quantified(e)
            case m.RealVectors(dimension=dimension, radius=radius):
                for part in (dimension, radius):
                    if part is not None:
                        self.expect(part, "number", "a region")
                return Kind("region", NUMBER, dimension)
            case m.Density(law=law, at=at):
                self.expect(law, "law", "a density")
                self.expect(at, "vector" if elements(self.of(law)).name == "vector" else "number", "a density")
                return NUMBER
            case _:
                return self._law(e)

    def _law(self, e: m.Expression) -> Kind:
        match e:
            case m.Law(family=family, arguments=arguments):
                return self._family(family, arguments)
            case m.Weights(pairs=pairs):
                for _, weight in pairs:
                    self.expect(weight, "number", "a weight")
                return law_of(self._alike([value for value, _ in pairs], "the values of a law"))
            case m.WeightsOf(value=value, weight=weight, domain=domain, where=where):
                self._element(domain)
                self.expect(weight, "number", "a weight")
                if where is not None:
                    self.expect(where, "truth", "`where`")
                return law_of(self.of(value))
        raise AssertionError(f"{type(e).__name__} is no expression")

    def _noised(self, name: str, base: Kind, terms: Sequence[m.Term]) -> Kind:
        for term in terms:
            self.expect(term.factor, "number", f"a factor of noise on {name}")
            noise = self._noises.get(term.noise)
            if noise is None:
                continue  # an unknown noise, which is told elsewhere
            drawn = elements(self.of(noise.law))
            if noise.flips:
                if len(terms) > 1 or base.name not in ("number", "truth", "label", "vector", "list", "unknown"):
                    self.problem(f"{noise.name} flips {name}, which is {describe(base)} or carries other noise")
            elif base.name not in ("number", "vector", "unknown") or drawn.name not in ("number", "vector", "unknown"):
                self.problem(f"{noise.name} cannot be added to {name}, which is {describe(base)}")
            elif not same(base, drawn) and (noise.target is None or base.name != "vector"):
                self.problem(f"{noise.name} is {describe(drawn)}, and {name} is {describe(base)}")
        return base

    def _alike(self, parts: Sequence[m.Expression], where: str) -> Kind:
        kind = UNKNOWN
        for part in parts:
            found = self.of(part)
            if not same(kind, found):
                self.problem(f"{where} are {describe(kind)} and {describe(found)}")
                return UNKNOWN
            kind = join(kind, found)
        return kind

    def _collection(self, e: m.Expression, names: Sequence[str], where: str) -> None:
        if self.of(e).name not in names:
            self.problem(f"{where} takes several values, not {describe(self.of(e))}")

    def _element(self, domain: m.Expression) -> Kind:
        """The kind of a variable that is bound over the domain."""
        if isinstance(domain, m.RealVectors):
            return vector(domain.dimension)
        self._collection(domain, _COLLECTIONS, "a binder")
        return elements(self.of(domain))

    def _quantified(self, e: m.Quantified) -> Kind:
        element = self._element(e.domain)
        if e.where is not None:
            self.expect(e.where, "truth", "`where`")
        body = self.of(e.body)
        if e.operator in ("list", "set"):
            numbers = e.operator == "list" and body == NUMBER
            return vector(_length(e)) if numbers else UNKNOWN if body == UNKNOWN else Kind(e.operator, body)
        return self._fold(e.operator, body, element, f"`{e.operator}`")

    def _fold(self, operator: str, body: Kind, element: Kind, where: str) -> Kind:
        """The kind of a fold over values of the kind `body`, at positions of the kind `element`."""
        if operator in SUMS:
            if body.name not in ("number", "vector", "unknown"):
                self.problem(f"{where} adds {describe(body)}")
            return body
        wanted: KindName = "truth" if operator == "count" else "number"
        if not fits(body, wanted):
            self.problem(f"{where} takes {describe(Kind(wanted))}, not {describe(body)}")
        return element if operator in PLACES else NUMBER

    def _apply(self, operator: str, arguments: tuple[m.Expression, ...]) -> Kind:
        entry = OPERATORS.get(operator)
        if entry is None or entry.written is not None:
            self.problem(f"{operator!r:.40} is no operator of a step")
            return UNKNOWN
        if entry.arguments is None:
            return self._over_elements(operator, arguments)
        if len(arguments) != len(entry.arguments):
            self.problem(f"`{operator}` has {len(arguments)} arguments")
            return UNKNOWN
        match entry.group:
            case "comparison":
                truths = operator in EQUALITIES and all(same(self.of(a), TRUTH) for a in arguments)
                for a in () if truths else arguments:
                    self.expect(a, "number", f"`{operator}`")
                return TRUTH
            case "logic":
                for a in arguments:
                    self.expect(a, "truth", f"`{operator}`")
                return TRUTH
            case "range":
                for a in arguments:
                    self.expect(a, "number", "a range")
                return Kind("set", NUMBER)
            case "arithmetic":
                return self._arithmetic(operator, [self.of(a) for a in arguments])
            case "function" | "fold":
                return self._function(operator, arguments)
            case _:
                assert_never(entry.group)

    def _over_elements(self, operator: str, arguments: tuple[m.Expression, ...]) -> Kind:
        """`max(v)`, over the elements of one vector, or `max(a, b, ..)`."""
        if len(arguments) == 1:
            self._collection(arguments[0], _COLLECTIONS, f"`{operator}`")
            return self._fold(operator, elements(self.of(arguments[0])), NUMBER, f"`{operator}`")
        if operator not in EXTREMES or not arguments:
            self.problem(f"`{operator}` has {len(arguments)} arguments")
        for a in arguments:
            self.expect(a, "number", f"`{operator}`")
        return NUMBER

    def _arithmetic(self, operator: str, kinds: list[Kind]) -> Kind:
        if any(kind.name not in ("number", "vector", "unknown") for kind in kinds):
            self.problem(f"`{operator}` takes numbers, not {' and '.join(map(describe, kinds))}")
            return UNKNOWN
        if len(kinds) == 1 or all(kind.name == "number" for kind in kinds):
            return kinds[0]
        a, b = kinds
        if "vector" not in (a.name, b.name):
            return UNKNOWN if operator in "+-*/" else NUMBER
        if operator in ADDITIVE and same(a, b):
            self._same_length(kinds, f"`{operator}`")
            return join(a, b)
        if (operator == "*" and a.name != b.name) or (operator == "/" and b.name != "vector"):
            return a if a.name == "vector" else b
        self.problem(f"`{operator}` cannot join {describe(a)} and {describe(b)}")
        return UNKNOWN

    def _same_length(self, kinds: Sequence[Kind], where: str) -> None:
        sizes = [None if kind.dimension is None else number(kind.dimension, self._values) for kind in kinds]
        if len({size for size in sizes if size is not None}) > 1:
            self.problem(f"{where} joins vectors of {' and '.join(map(str, sizes))} coordinates")

    def _function(self, name: str, arguments: tuple[m.Expression, ...]) -> Kind:
        entry = OPERATORS[name]
        for (_, wanted), argument in zip(entry.arguments or (), arguments, strict=True):
            if wanted == "collection":
                self._collection(argument, _COLLECTIONS, f"`{name}`")
            else:  # of a ball the radius is what is left
                self.expect(argument, "vector" if wanted == "vector" else "number", f"`{name}`")
        if name == "dot":
            self._same_length([self.of(a) for a in arguments], "`dot`")
        if entry.result != "vector":
            return NUMBER
        return vector(arguments[0]) if name == "zeros" else self.of(arguments[0])

    def _family(self, family: str, arguments: tuple[m.Expression, ...]) -> Kind:
        declared = facts(family)
        region = family == "uniform" and len(arguments) == 1
        if not (region or len(declared.parameters) - declared.optional <= len(arguments) <= len(declared.parameters)):
            self.problem(f"`{family}` has {len(arguments)} arguments")
            return law_of(UNKNOWN)
        if region:
            return law_of(self._element(arguments[0]))
        for parameter, argument in zip(declared.parameters, arguments, strict=False):
            match parameter.kind:
                case "law" | "set":
                    self.expect(argument, parameter.kind, f"`{family}`")
                case "count" | "natural":
                    self.expect(argument, "number", f"`{family}`")
                case _ if self.of(argument).name != "vector":
                    self.expect(argument, "number", f"`{family}`")
        return law_of(kind_of_draw(family, arguments, [self.of(a) for a in arguments]))


def _length(e: m.Quantified) -> m.Expression | None:
    """How many elements a list has, where that is plain to see."""
    match e:
        case m.Quantified(where=None, domain=m.Apply(operator="..", arguments=(m.Number(value=low), high))) if low == 1:
            return high
        case _:
            return None
