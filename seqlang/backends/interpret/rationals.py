"""Programs in which a decision hangs on numbers that doubles do not tell: what is rational is computed in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from seqlang.backends.interpret.code import Code
from seqlang.backends.interpret.compiled import Compiler, plain_number
from seqlang.backends.interpret.operators import apply
from seqlang.backends.interpret.state import Run, State
from seqlang.backends.interpret.values import (
    UNKNOWN,
    EvaluationError,
    Members,
    OutOfReach,
    Value,
    each,
    numbers_in,
    pairwise,
)
from seqlang.model import expression as ir
from seqlang.model.constants import Undefined, exactly
from seqlang.model.growths import EXACT
from seqlang.model.jumps import jumps_of
from seqlang.model.letters import listed
from seqlang.model.program import Program
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import NoValue, Rounded
from seqlang.record import replace
from seqlang.source import Span

MOST_BITS = 1 << 16
TOO_LONG = "the fractions of this program have too many digits: round the numbers that are kept from step to step"


def compiler_of(program: Program) -> Compiler:
    """The compiler of a run that decides what can be decided."""
    return RationalCompiler(program) if jumps_of(program).needs_fractions else Compiler(program)


class RationalCompiler(Compiler):
    """Rational numbers are ints and fractions; others, such as noise on a continuous scale, are doubles."""

    def plain(self, value: Fraction) -> Value:
        return value.numerator if value.denominator == 1 else value

    def averaged(self, values: Run) -> Run:
        return lambda m: each(lambda x: Fraction(x) if isinstance(x, int) else x, values(m))

    def shown(self, value: Value) -> Value:
        return each(_as_double, value)

    def _in_its_form(self, e: ir.Expression) -> Code:
        return self._compile(e) if self.jumps.rationals.of(e) else super()._in_its_form(e)

    def _compile(self, e: ir.Expression) -> Code:
        if isinstance(e, ir.Density) and isinstance(e.law, ir.Law) and self.jumps.rationals.of(e):
            return self._chance(e, e.law)
        code = super()._compile(e)
        if not isinstance(e, ir.Field | ir.Drawn):
            return code
        letters = [exactly(letter, self.grids.values) for letter in listed(self.program, e)]
        if letters:
            return Code(_looked_up(code.run, [x for x in letters if isinstance(x, Fraction)]), code.reads)
        by = self.grids.of(e).denominator
        return code if by is None or by == 1 else Code(_on_grid(code.run, by), code.reads)

    def _chance(self, e: ir.Density, law: ir.Law) -> Code:
        parts, reads = self._all((*law.arguments, e.at))

        def run(m: State) -> Value:
            *arguments, at = (_written(part(m)) for part in parts)
            found = exactly(replace(e, law=replace(law, arguments=tuple(arguments)), at=at), self.grids.values)
            if isinstance(found, Undefined):
                raise EvaluationError(f"this has no value: {found.reason}", law.span)
            if not isinstance(found, Fraction):
                raise OutOfReach(TOO_LONG, law.span)
            return _plainly(found)

        return Code(run, reads)

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Code:
        numeric = OPERATORS[operator].numeric
        if numeric is None or len(arguments) > 2 or operator in ir.COMPARISONS:
            return super()._apply(operator, arguments, span)
        parts, reads = self._all(arguments)
        function = numeric.exact

        def run(m: State) -> Value:
            values = tuple([part(m) for part in parts])
            if not all(map(_is_exact, values)):
                return apply(operator, values, span)
            try:
                found = _by_fractions(function, values, span)
            except OverflowError:
                raise OutOfReach(TOO_LONG, span) from None
            except NoValue:
                return apply(operator, values, span)
            if not any(isinstance(x, Rounded) for x in numbers_in(found)):
                return each(_plainly, found)
            if operator == "^" and all(map(_is_whole, numbers_in(values[1]))):
                raise OutOfReach(TOO_LONG, span)
            return apply(operator, values, span)

        return Code(run, reads)


def _written(value: Value) -> ir.Expression:
    if isinstance(value, tuple | range):
        return ir.Sequence("set" if isinstance(value, Members | range) else "list", tuple(map(_written, value)))
    return ir.Number(Fraction(value))


def _by_fractions(function: Callable[..., Any], values: tuple[Value, ...], span: Span) -> Value:
    first, *others = (each(Fraction, value) for value in values)
    return pairwise(function, first, others[0], span) if others else each(function, first)


def _is_whole(value: Value) -> bool:
    return isinstance(value, int | Fraction) and value.denominator == 1


def _is_exact(value: Value) -> bool:
    return all(isinstance(x, int | Fraction) for x in numbers_in(value))


def _plainly(value: Fraction) -> Value:
    """Raises OutOfReach for a number with too many digits."""
    if value.denominator == 1:
        return value.numerator
    if value.denominator.bit_length() > MOST_BITS:
        raise OutOfReach(TOO_LONG)
    return value


def _looked_up(code: Run, letters: list[Fraction]) -> Run:
    """Each number as the letter that has its double: different letters have different doubles."""
    known: dict[float, Value] = {float(x): _plainly(x) for x in letters}
    return lambda m: each(lambda x: known.get(x, x) if isinstance(x, float) else x, code(m))


def _on_grid(code: Run, by: int) -> Run:
    """Each number as the multiple of 1/by to which its double is the nearest. Raises OutOfReach for a number that is so
    large that doubles do not tell the multiples."""

    def multiple(x: Value) -> Value:
        if isinstance(x, float):
            if abs(x) * by >= EXACT:
                raise OutOfReach(UNKNOWN)
            return Fraction(round(x * by), by)
        return x

    return lambda m: each(multiple, code(m))


def _as_double(value: Value) -> Value:
    return plain_number(value) if isinstance(value, Fraction) else value
