"""Expressions as functions of the state of an exact run, made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import isinf
from operator import is_
from typing import Any, Protocol

from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided
from seqlang.model.constants import Undefined, rational, values_of
from seqlang.model.jumps import jumps_of
from seqlang.model.leaves import LeavesOf
from seqlang.model.program import Program
from seqlang.operators.groups import CONNECTIVES, FOLDS, TOTALS
from seqlang.release.exact.functions import FUNCTIONS, NoValue, Value, added, fold, multiplied, position
from seqlang.release.exact.laws import ExactLaw, Families, NotExact, require_known, require_short
from seqlang.release.exact.reading import Irrational, is_private, is_steady

_LAWS = (ir.Law, ir.Weights, ir.WeightsOf, ir.Choice)
_COMPUTED = (ir.Apply, ir.Index, ir.Choice, ir.Quantified, ir.Density)


class State(Protocol):
    """What an expression may read."""

    step: int
    fields: dict[str, Value]
    memory: dict[str, Value]
    changes: int
    """How often a memory was changed."""
    elements: int
    """Of public sets that were run through in this step."""
    reported: dict[str, Value]
    locals: dict[str, Value]
    bound: dict[int, Value]
    records: range

    def spend(self, elements: int) -> None:
        """Called before so many elements of a public set are run through."""

    def cell(self, name: str, key: tuple[Value, ...]) -> Value: ...
    def noise(self, name: str, shape: tuple[int, ...]) -> Value: ...
    def flipped(self, name: str, read: ir.Noised, value: Value) -> Value: ...
    def drawn(self, name: str) -> Value: ...


Code = Callable[[Any], Value]
"""Of a State."""


def plain(value: Fraction) -> Value:
    """An int where it is whole: arithmetic on those is several times as fast."""
    return value.numerator if value.denominator == 1 else value


class Compiler:
    """For one program. Raises NotExact for what has no exact form here."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.parameters = {p.name: plain(p.value) for p in program.parameters}
        self._values = values_of(program)
        self._leaves = LeavesOf()
        self._irrational = Irrational(program)
        self._jumps = jumps_of(program)

    def _decided(self, form: Decided, otherwise: Code) -> Code:
        """By the arithmetic of formulas, which knows that log(8) / log(2) is 3; otherwise by enclosures."""
        parts = [self.compile(part) for part in form.reads]

        def run(m: Any) -> Value:
            found = form.value(*[_if_any(part, m) for part in parts])
            if found is None:
                return otherwise(m)
            if isinstance(found, Undefined):
                raise NoValue(found.reason)
            if isinstance(found, float) and isinf(found):
                raise NoValue("it is infinite")
            return plain(found) if isinstance(found, Fraction) else found

        return run

    def compile(self, e: ir.Expression) -> Code:
        """The function."""
        known = rational(e, self._values) if isinstance(e, _COMPUTED) and self._leaves(e).constant else None
        if isinstance(known, Fraction | bool):
            return _constant(plain(known) if isinstance(known, Fraction) else known)
        form = self._jumps.run(e) if self._irrational.decides(e) else e
        if isinstance(form, Decided):
            return self._decided(form, self._compiled(e))
        code = self._compiled(e)
        if not is_steady(self.program, e):
            return code
        return _remembered(code, tuple({part.name for part in ir.walk(e) if isinstance(part, ir.Local)}))

    def _compiled(self, e: ir.Expression) -> Code:
        match e:
            case ir.Number(value):
                return _constant(plain(value))
            case ir.Truth(value):
                return _constant(value)
            case ir.Label(name):
                return _constant(name)
            case ir.ParameterValue(name):
                return _constant(self.parameters[name])
            case ir.StepNumber():
                return lambda m: m.step
            case ir.Field(name):
                return lambda m: m.fields[name]
            case ir.Records():
                return lambda m: m.records
            case ir.Local(name):
                return lambda m: m.locals[name]
            case ir.MemoryValue(name):
                return lambda m: m.memory[name]
            case ir.Reported(name):
                return lambda m: m.reported.get(name)
            case ir.Drawn(name):
                return lambda m: m.drawn(name)
            case ir.Bound(variable):
                return lambda m: m.bound[variable.number]
            case ir.CellValue(name, at):
                parts = [self.compile(part) for part in at]
                return lambda m: m.cell(name, tuple(part(m) for part in parts))
            case ir.Noised():
                return self._noised(e)
            case ir.Apply(operator, arguments):
                return self._apply(operator, arguments)
            case ir.Choice(test, yes, no):
                return self._choice(test, yes, no)
            case ir.Index(base, at):
                return self._index(self.compile(base), self.compile(at))
            case ir.Sequence(kind, items):
                parts = [self.compile(item) for item in items]
                return lambda m: fold(kind, [part(m) for part in parts], ())
            case ir.Quantified():
                return self._quantified(e)
            case ir.Law(family, arguments):
                parts = [self.compile(part) for part in arguments]
                return lambda m: ExactLaw(family, tuple(part(m) for part in parts))
            case ir.Weights(pairs):
                rows = [(self.compile(value), self.compile(weight)) for value, weight in pairs]
                return lambda m: ExactLaw("weights", tuple((value(m), weight(m)) for value, weight in rows))
            case ir.WeightsOf():
                return self._weights_of(e)
            case ir.Density(method, law, at):
                return self._density(method, law, at)
        raise NotExact(f"{type(e).__name__} is not computed exactly here")

    def constant(self, e: ir.Expression) -> Value:
        """Of an expression of constants. Raises NotExact, NoValue."""
        try:
            return self.compile(e)(_Nothing())
        except (AttributeError, KeyError):
            raise NotExact("it is no constant") from None

    def _choice(self, test: ir.Expression, yes: ir.Expression, no: ir.Expression) -> Code:
        """The side that is chosen; both are computed where private values choose: what is drawn, what fails, and what
        is executed tell nothing of them."""
        t, y, n = map(self.compile, (test, yes, no))
        if not is_private(self.program, test):
            return lambda m: y(m) if t(m) else n(m)
        public = self._in_public(test)

        def run(m: Any) -> Value:
            known = public(m)
            if known is None:
                return (n(m), y(m))[bool(t(m))]
            return y(m) if known else n(m)

        return run

    def _logic(self, operator: str, arguments: tuple[ir.Expression, ...]) -> Code:
        """As far as it is undecided: what is public first, and then all that is private."""
        all_or_any = all if operator == "and" else any
        private = [self.compile(a) for a in arguments if is_private(self.program, a)]
        if not private:
            parts = [self.compile(argument) for argument in arguments]
            return lambda m: all_or_any(part(m) for part in parts)
        public = self._in_public(ir.Apply(operator, arguments))

        def run(m: Any) -> Value:
            known = public(m)
            return all_or_any([part(m) for part in private]) if known is None else known

        return run

    def _in_public(self, test: ir.Expression) -> Code:
        """Whether a test holds, as far as its public parts decide it; None where they do not."""
        if not is_private(self.program, test):
            code = self.compile(test)
            return lambda m: bool(code(m))
        match test:
            case ir.Apply("and" | "or" as operator, arguments):
                parts, decisive = [self._in_public(a) for a in arguments], operator == "or"
                return lambda m: decisive if any(part(m) is decisive for part in parts) else None
            case ir.Apply("not", (argument,)):
                part = self._in_public(argument)
                return lambda m: None if (known := part(m)) is None else not known
        return lambda m: None

    def chosen(self, operator: str, body: ir.Expression, where: ir.Expression | None) -> tuple[Code, Code | None]:
        """The body of a fold, and which elements it is of. Where private values choose, the body is computed for each,
        and those that are not chosen count as nothing."""
        value, test = self.compile(body), None if where is None else self.compile(where)
        if where is None or test is None or operator not in TOTALS or not is_private(self.program, where):
            return value, test
        taken, public = test, self._in_public(where)
        if operator == "count":
            return (lambda m: all([taken(m), value(m)])), lambda m: public(m) is not False
        return (lambda m: multiplied(int(bool(taken(m))), value(m))), lambda m: public(m) is not False

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...]) -> Code:
        if operator in CONNECTIVES:
            return self._logic(operator, arguments)
        parts = [self.compile(argument) for argument in arguments]
        if operator in FOLDS:
            return _folded(operator, parts)
        function = FUNCTIONS.get(operator)
        if function is None:
            raise NotExact(f"`{operator}` is not computed exactly here")
        if len(parts) == 1:
            (only,) = parts
            return lambda m: function(only(m))
        if len(parts) == 2:
            left, right = parts
            return lambda m: function(left(m), right(m))
        return lambda m: function(*(part(m) for part in parts))

    def _index(self, base: Code, at: Code) -> Code:
        def run(m: Any) -> Value:
            values, place = base(m), position(at(m))
            if place is None or not 1 <= place <= len(values):
                raise NoValue(f"there is no such position in 1..{len(values)}")
            return values[place - 1]

        return run

    def _quantified(self, e: ir.Quantified) -> Code:
        if isinstance(e.domain, ir.RealVectors):
            raise NotExact("a choice among all vectors is not computed exactly")
        domain, counted = self._set(e.domain)
        body, where = self.chosen(e.operator, e.body, e.where)
        variable, operator = e.variable.number, e.operator
        return lambda m: fold(operator, *_each(m, variable, domain(m), where, body, counted))

    def _set(self, domain: ir.Expression) -> tuple[Code, bool]:
        """What a fold is over. Elements of what is public are counted in each step, since what was shown may be many;
        not of records, whose number may be private."""
        code = self.compile(domain)
        if any(isinstance(part, ir.Records) for part in ir.walk(domain)) or is_private(self.program, domain):
            return code, False

        def run(m: Any) -> Value:
            found = code(m)
            m.spend(len(found))
            return found

        return run, True

    def _weights_of(self, e: ir.WeightsOf) -> Code:
        (domain, counted), value, weight = self._set(e.domain), *map(self.compile, (e.value, e.weight))
        where = None if e.where is None else self.compile(e.where)

        def run(m: Any) -> Value:
            pairs, _ = _each(m, e.variable.number, domain(m), where, lambda m: (value(m), weight(m)), counted)
            return ExactLaw("weights", tuple(pairs))

        return run

    def _density(self, method: str, law: ir.Expression, at: ir.Expression) -> Code:
        if method == "pdf":
            raise NotExact("densities are not computed exactly here")
        for family in _families(law):
            require_known(method, family)
        if method == "pmf" and self._irrational.may_be(at):
            raise NotExact("the chance of a value that may not be rational")
        make, value = self.compile(law), self.compile(at)
        if method == "cdf":
            return lambda m: make(m).cdf(value(m))
        return lambda m: make(m).pmf(value(m))

    def _noised(self, e: ir.Noised) -> Code:
        base = self.compile(e.base)
        terms = [(t.noise, self.compile(t.factor), self.program.noise(t.noise).flips) for t in e.terms]

        def run(m: Any) -> Value:
            value = base(m)
            for name, factor, flips in terms:
                if not flips:
                    value = added(value, multiplied(factor(m), m.noise(name, shape_of(value))))
            for name, _, flips in terms:
                if flips:
                    value = m.flipped(name, e, value)
            return value

        return run


def _families(law: ir.Expression) -> Iterator[Families]:
    """The families of each law that it may be, with those of the laws that it is made of."""
    match law:
        case ir.Law(family, arguments):
            laws = [list(_families(a)) for a in arguments if isinstance(a, _LAWS)]
            yield from ((family, *inner) for inner in product(*laws))
        case ir.Weights() | ir.WeightsOf():
            yield ("weights",)
        case ir.Choice(_, yes, no):
            yield from (*_families(yes), *_families(no))
        case _:
            raise NotExact("a law that is no law of the language is not computed exactly here")


def _if_any(part: Code, m: Any) -> Value:
    """The value, and None where there is none."""
    try:
        return part(m)
    except NoValue:
        return None


def shape_of(value: Value) -> tuple[int, ...]:
    """() of a number, (d,) of a vector, ..."""
    return (len(value), *shape_of(value[0])) if isinstance(value, tuple) and value else ()


def _remembered(code: Code, names: tuple[str, ...]) -> Code:
    """Computed again when a memory was changed, or one of the definitions with these names: one that stands above the
    update of a memory follows it in the next step only."""
    at, known, read = -1, None, ()

    def run(m: Any) -> Value:
        nonlocal at, known, read
        now = tuple(m.locals.get(name) for name in names)
        if m.changes != at or not all(map(is_, now, read)):
            known = code(m)
            at, read = m.changes, now
        return known

    return run


def _constant(value: Value) -> Code:
    return lambda m: value


def _folded(operator: str, parts: list[Code]) -> Code:
    if len(parts) == 1:
        (only,) = parts

        def of_vector(m: Any) -> Value:
            values = tuple(only(m))
            return fold(operator, values, range(1, len(values) + 1))

        return of_vector
    return lambda m: fold(operator, [part(m) for part in parts], range(1, len(parts) + 1))


def _each(
    m: Any, variable: int, domain: Value, where: Code | None, body: Code, counted: bool
) -> tuple[list[Value], list[Value]]:  # fmt: skip
    """The values of the body, and the elements that they belong to."""
    values: list[Value] = []
    elements: list[Value] = []
    outer, before = m.bound.get(variable), m.elements
    for element in domain:
        m.bound[variable] = element
        if not counted:
            m.elements = before
        if where is None or where(m):
            elements.append(element)
            values.append(body(m))
    m.bound[variable] = outer
    if not counted:
        m.elements = before
    return values, elements


class _Nothing:
    """The state in which constants are evaluated."""

    def __init__(self) -> None:
        self.bound: dict[int, Value] = {}
        self.elements = 0

    def spend(self, elements: int) -> None:
        """Raises NoValue where they are too many."""
        self.elements += elements
        require_short(self.elements, "elements in one step")
