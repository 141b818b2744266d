"""Expressions of one entry, whose fields have few values: their exact value for each of these."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from seqlang.arithmetic.formula import Formula
from seqlang.model.constants import Undefined, Values, exactly
from seqlang.model.domain import Finite, Integers, Power
from seqlang.model.exact_numbers import Exact, nearest
from seqlang.model.expression import Drawn, Expression, Field, Law, Number, Sequence, Weights, rebuild
from seqlang.model.infinite import with_infinities
from seqlang.model.leaves import LeavesOf
from seqlang.model.log_ratio import in_logs
from seqlang.model.program import Draw, Program
from seqlang.record import record

MOST_LETTERS, MOST_ROWS = 16, 64
MODERATE = 1 << 24


Looked = Exact | float | bool | Undefined
"""A float is infinite."""


@record
class Table:
    """`rows`: for each combination of values of the fields, the constant expression that the whole is there, and its
    value. An engine computes the constant exactly, and rounds it once."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[tuple[Expression, ...], Expression, Looked], ...]

    @property
    def numbers(self) -> tuple[Exact, ...] | None:
        """The values, where there is one; None if these are truth values, some is infinite, or there is none."""
        found = tuple(value for _, _, value in self.rows if not isinstance(value, Undefined))
        numbers = tuple(value for value in found if isinstance(value, Fraction | Formula))
        return numbers if numbers and len(numbers) == len(found) else None

    @property
    def is_moderate(self) -> bool:
        """Whether doubles tell its numbers from each other, and from whole numbers."""
        return all(isinstance(value, Undefined | float) or _is_moderate(value) for _, _, value in self.rows)

    @property
    def is_told_by_doubles(self) -> bool:
        """Whether different numbers have different doubles."""
        found = [value for _, _, value in self.rows if not isinstance(value, Undefined)]
        infinite = {value for value in found if isinstance(value, float)}
        exact = {value for value in found if isinstance(value, Fraction | Formula)}
        has_truths = any(isinstance(value, bool) for value in found)
        return bool(found) and not has_truths and len(set(map(nearest, exact)) | infinite) == len(exact) + len(infinite)


def _is_moderate(value: Looked) -> bool:
    return isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) <= MODERATE


def listed(program: Program, e: Expression) -> tuple[Expression, ...]:
    """The constants that a field or a draw is one of, or that its elements are; none where no list is written down."""
    match e:
        case Field(name):
            domain = next(x.domain for x in program.inputs if x.name == name)
            of = domain.of if isinstance(domain, Power) else domain
            return of.values if isinstance(of, Finite) else ()
        case Drawn(name):
            match next((s.law for s in program.body if isinstance(s, Draw) and s.name == name), None):
                case Weights(pairs):
                    return tuple(value for value, _ in pairs)
                case Law("uniform", (Sequence("set", items),)):
                    return items
    return ()


class Tables:
    """Of the expressions of one program. `leaves` says what an expression reads."""

    def __init__(self, program: Program, values: Values, leaves: LeavesOf) -> None:
        self.program, self.values, self.leaves = program, values, leaves

    def of(self, e: Expression) -> Table | None:
        """None for an expression of anything else that changes, of fields with many values, and where a value is not
        known."""
        fields = self.leaves(e).fields
        alphabets = [self._letters(field) for field in fields]
        if not fields or not all(alphabets) or not 2 <= prod(map(len, alphabets)) <= MOST_ROWS:
            return None
        rows: list[tuple[tuple[Expression, ...], Expression, Looked]] = []
        for letters in product(*alphabets):
            constant = self._at(e, dict(zip(fields, letters, strict=True)))
            value: object = exactly(constant, self.values)
            if isinstance(value, Undefined):
                value = with_infinities(constant, self.values)
            if not isinstance(value, Fraction | Formula | float | bool | Undefined):
                return None
            rows.append((letters, constant, value))
        return Table(fields, tuple(rows))

    def _letters(self, field: Field) -> list[Expression]:
        source = next((x for x in self.program.inputs if x.name == field.name and x.kind != "dataset"), None)
        match None if source is None else source.domain:
            case Finite(values) if len(values) <= MOST_LETTERS:
                return list(values)
            case Integers(low, high) if low is not None and high is not None:
                first, last = (exactly(end, self.values) for end in (low, high))
                if isinstance(first, Fraction) and isinstance(last, Fraction) and last - first < MOST_LETTERS:
                    return [Number(Fraction(k)) for k in range(int(first), int(last) + 1)]
        return []

    def _at(self, e: Expression, given: dict[Field, Expression]) -> Expression:
        def put(part: Expression) -> Expression:
            return given[part] if isinstance(part, Field) else rebuild(part, put)

        logs = in_logs(self.program, e)
        found = put(e)
        return found if logs is None or exactly(found, self.values) is not None else put(logs)
