"""Which entries gates depend on: those that fulfil conditions, such as `arm == 1`.

Lemma. Let C be a condition on an entry and on what is public in the step of that entry (for a dataset: on the record
alone). Say an expression leaves out the entries without C if it reads this step's entry (a record) only where C is
known to hold: inside of `if C then .. else E`, where E leaves them out; in `C and ..`; in what is shown `when C`; in a
fold over records `where C`; and if every cell over time that it reads, inside of these too, folds values that leave
them out, or folds `where C`. Then, given what is public, it is worth the same for any two entries without C: in the
step of the entry, by induction on the expression; in later steps, since the new value of a cell is made of such values
and of its old one.

So neighbours differ in such gates only if one of the two entries that differ fulfils C. What is public has one value in
a step: memory says which of its two it is, and a report is made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.model.binding import element_of_cell, replaced, substitute
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Drawn,
    Expression,
    Field,
    Index,
    Local,
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    Records,
    Reported,
    StepNumber,
    Truth,
    Variable,
    children,
    walk,
)
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Program, PublicGate, expressions_in
from seqlang.operators.groups import FOLDS, PLACES, SIGNS
from seqlang.rules.reading.steps import comparisons
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.numbers import NOUGHT
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

THIS = Variable(-1, "i")
"""The number of the record that a condition speaks of."""
CONDITION = (Apply, Number, Truth, ParameterValue, StepNumber, MemoryValue, Reported, Field)


@remembered_of_program
def conditions_of(program: Program, gates: tuple[str, ...]) -> tuple[Expression, ...]:
    """The conditions such that the gates leave out the entries without any one of them."""
    kinds = {i.kind for i in program.inputs if i.kind != "public"}
    if len(kinds) != 1:
        return ()
    facts, of_records = facts_of(program), kinds == {"dataset"}
    shown = [
        (tuple(facts.expand(part) for part in conjuncts(gate.guard)), facts.expand(e))
        for gate in program.gates
        if gate.name in gates and not isinstance(gate, PublicGate)
        for e in expressions_in(gate)
    ]
    starts = [part for guard, e in shown for part in (*guard, e)]
    tests = dict.fromkeys(test for test in _tests(facts, starts) if _is_condition(facts, test, of_records))
    return tuple(c for c in tests if all(_Reader(facts, c, of_records).leaves_out(e, c in guard) for guard, e in shown))


def is_fixed(program: Program, condition: Expression) -> bool:
    """Whether an entry fulfils it is decided by the entry, its step and constants."""
    return not any(
        isinstance(e, MemoryValue | Reported) or (isinstance(e, Field) and e.name in _public(program))
        for e in walk(condition)
    )


def exclude_each_other(program: Program, a: Expression, b: Expression) -> bool:
    """No entry fulfils both, in exact arithmetic and in doubles."""
    if Apply("not", (b,)) == a or Apply("not", (a,)) == b:
        return True
    return any(
        left == other and _apart(program, (operator, right), (against, limit))
        for left, operator, right in _comparisons(a)
        for other, against, limit in _comparisons(b)
    )


def _comparisons(test: Expression) -> Iterator[tuple[Expression, str, Expression]]:
    yield from comparisons(test, "and")
    match test:
        case Apply("!=", (left, right)):
            yield left, "!=", right
            yield right, "!=", left


def _apart(program: Program, a: tuple[str, Expression], b: tuple[str, Expression]) -> bool:
    """One number cannot be compared so with both."""
    if a[1] == b[1]:
        return not SIGNS[a[0]] & SIGNS[b[0]]
    x, y = (_constant(program, e) for e in (a[1], b[1]))
    if x is None or y is None or "!=" in (a[0], b[0]):
        return False
    return all(_ends_apart((a[0], u), (b[0], v)) for u, v in ((x, y), (Fraction(float(x)), Fraction(float(y)))))


"""On which sides of the other number it may lie."""


def _ends_apart(a: tuple[str, Fraction], b: tuple[str, Fraction]) -> bool:
    if a[1] == b[1]:
        return not SIGNS[a[0]] & SIGNS[b[0]]
    low, high = sorted((a, b), key=lambda end: end[1])
    return 1 not in SIGNS[low[0]] and -1 not in SIGNS[high[0]]


def _constant(program: Program, e: Expression) -> Fraction | None:
    """The constant; None if it is none, or if doubles might round a number on the way to it (not the one written)."""
    formulas = [formula_of(program, part) for part in walk(e)]
    values = [None if f is None else exact_value(f, parameter_values(program)) for f in formulas]
    if len(values) > 1 and not all(v is not None and _is_double(v) for v in values):
        return None
    return values[0]


def _is_double(value: Fraction) -> bool:
    return abs(value) < 1 << 53 and Fraction(float(value)) == value


def _public(program: Program) -> frozenset[str]:
    return frozenset(i.name for i in program.inputs if i.kind == "public")


def _is_condition(facts: Facts, test: Expression, of_records: bool) -> bool:
    """It is made of the entry, constants and, in a stream, of what is public in its step."""
    if not of_records:
        return all(isinstance(e, CONDITION) for e in walk(test))
    for e in walk(test):
        match e:
            case Apply() | Number() | Truth() | ParameterValue():
                pass
            case Field(name) if name.endswith(RECORD):
                pass
            case Bound(variable) if variable == THIS and not facts.resized:
                pass  # the numbers of records stay as they are
            case _:
                return False
    return True


def _tests(facts: Facts, starts: Sequence[Expression]) -> Iterator[Expression]:
    """Every conjunct of a condition on the way."""
    seen: set[Expression] = set()
    waiting = list(starts)
    yield from (test for start in starts for test in conjuncts(start))
    while waiting:
        for e in walk(waiting.pop()):
            match e:
                case Choice(test, _, _):
                    yield from conjuncts(test)
                case Apply("and"):
                    yield from conjuncts(e)
                case Quantified():
                    body, where = of_one_record(facts, e)
                    yield from (*conjuncts(where), *conjuncts(body))
                case CellValue(name, at) if e not in seen:
                    seen.add(e)
                    cell = element_of_cell(facts.cells[name], at)
                    parts = [facts.expand(part) for part in expressions_in(cell)]
                    waiting.extend(parts)
                    yield from (test for part in parts for test in conjuncts(part))
                case _:
                    pass


def of_one_record(facts: Facts, fold: Quantified) -> tuple[Expression, Expression | None]:
    """Body and condition of a fold over records, for the one record of the number THIS."""

    def one(e: Expression) -> Expression:
        e = substitute(e, {fold.variable: Bound(THIS)})
        for name in facts.inputs:
            if name + RECORD in facts.inputs:
                e = replaced(e, Index(Field(name), Bound(THIS)), Field(name + RECORD))
        return e

    return one(fold.body), None if fold.where is None else one(fold.where)


class _Reader:
    """Whether expressions leave out the entries without one condition."""

    def __init__(self, facts: Facts, condition: Expression, of_records: bool) -> None:
        self.facts, self.condition, self.of_records = facts, condition, of_records
        self.cells: set[Expression] = set()

    def leaves_out(self, e: Expression, known: bool = False) -> bool:
        """`known`: the expression is looked at only where this entry, or this record, fulfils the condition."""
        if not known and self.condition in conjuncts(e):
            return self.leaves_out(e, True)  # it is false without the condition
        match e:
            case Field(name):
                own = name.endswith(RECORD) if self.of_records else True
                return (known and own) or (name in self.facts.inputs and self.facts.inputs[name].kind == "public")
            case Records():
                return not self.facts.resized
            case Local():
                return False
            case Drawn(name):
                if name not in self.facts.noises or self.facts.is_sample(e):
                    return False
                return self._all(expressions_in(self.facts.noises[name].law), False)
            case Noised() if flips(self.facts, e):
                return False
            case CellValue(_, at):
                return self._all(at, known) and self._cell(e)
            case Choice(test, yes, no) if not known and self.condition in conjuncts(test):
                return self.leaves_out(test, True) and self.leaves_out(yes, True) and self.leaves_out(no)
            case Quantified(domain=domain) if self.of_records and self._numbers_records(domain):
                return self._fold(e)
        return self._all(children(e), known)

    def _all(self, parts: Iterable[Expression], known: bool) -> bool:
        return all(self.leaves_out(part, known) for part in parts)

    def _numbers_records(self, domain: Expression) -> bool:
        """Each record has its place in it, or none."""
        return isinstance(domain, Records) or (
            isinstance(domain, Apply) and domain.operator == ".." and not self.facts.resized
        )

    def _fold(self, fold: Quantified) -> bool:
        if fold.operator not in FOLDS - PLACES or not self._all(children(fold.domain), False):
            return False
        if any(e == Bound(THIS) or (isinstance(e, Field) and e.name.endswith(RECORD)) for e in walk(fold)):
            return False  # a fold inside another one over the records
        body, where = of_one_record(self.facts, fold)
        tests = (*conjuncts(where), *(conjuncts(body) if fold.operator == "count" else ()))
        parts = (body,) if where is None else (body, where)
        if self.condition in tests:
            return self._all(parts, True)
        zero = fold.operator == "sum" and isinstance(body, Choice) and body.no == NOUGHT
        return (zero or not self.facts.resized) and self._all(parts, False)

    def _cell(self, value: CellValue) -> bool:
        if value in self.cells:
            return True  # its old value, which is looked at already
        self.cells.add(value)
        cell = element_of_cell(self.facts.cells[value.name], value.at)
        body = self.facts.expand(cell.body)
        where = None if cell.where is None else self.facts.expand(cell.where)
        if not self._all(map(self.facts.expand, expressions_in((cell.keep, cell.binders))), False):
            return False
        parts = (body,) if where is None else (body, where)
        tests = (*conjuncts(where), *(conjuncts(body) if cell.operator == "count" else ()))
        return self._all(parts, self.condition in tests)
