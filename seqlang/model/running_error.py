"""How far doubles may be off from the exact value of an expression, as an expression that a run computes beside it.

A sum is off by as much as its parts together, a product by what each part is off times the size of the other, and each
operation adds 2^-53 of its result. What bends (a power, a quotient, exp) is off by hardly more than its slope times
what its argument is off, where that is a small part of the argument; elsewhere there is no bound (`NO_BOUND`). Errors
are counted in units of 2^-50, so that the roundings of the bound itself are covered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce

from seqlang.laws.facts import facts
from seqlang.model.densities import error_of_places, is_absolute, relative_error
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Index,
    Law,
    Local,
    MemoryValue,
    Noised,
    Number,
    Quantified,
    Sequence,
    StepNumber,
    walk,
)
from seqlang.model.growths import Growths
from seqlang.model.lines import ONE, ZERO, plus, size_of, times
from seqlang.model.log_ratio import in_logs
from seqlang.model.places import Places
from seqlang.model.wholes import Settled
from seqlang.record import record

UNIT = Number(Fraction(1, 2**50))
MODERATE = 2.0**10
MOST_SUMMED = 2.0**20
"""Numbers of one sum; a bound for more would refuse too much."""
NO_BOUND = Number(10**300 + Fraction(1, 2))
"""No whole number: products of those are never infinite in the interpreter."""
LEAST = Number(Fraction(1, 10**290))
"""Units: what products, powers and densities may be off by where they are next to 0."""
LEAST_OF_ROOTS = Number(Fraction(1, 10**140))
"""The same for the root of a sum of squares: squares below 10^-308 are lost."""
SMALL_PART, A_LITTLE_MORE = Number(Fraction(1, 64)), Number(Fraction(33, 32))
"""exp(x) - 1 is at most x times that for such an x, and so is 1 / (1 - x)."""
TWO = Number(Fraction(2))
MOST_PARTS = 8000
"""Of the expression of one bound."""


class NotKnown(Exception):
    """There is no such expression; the message says why."""


@record
class RunningError:
    """`own`, and for each number that is kept from step to step a factor by which the error that it had counts. In
    units."""

    own: Expression
    kept: Mapping[str, Expression]


class RunningErrors:
    """The running errors of the expressions of one program. `of_kept`: how far a number that is kept from step to step
    may be off, in units, by its name."""

    def __init__(
        self, growths: Growths, places: Places, settled: Settled, of_kept: Callable[[str], Expression]
    ) -> None:  # fmt: skip
        self.growths, self.grids, self.places, self.settled = growths, growths.grids, places, settled
        self._of_kept = of_kept

    def of(self, e: Expression, place: int) -> RunningError:
        """Of a number, at this place of the step. Raises NotKnown."""
        found = self._of(e, place)
        if sum(1 for part in (found.own, *found.kept.values()) for _ in walk(part)) > MOST_PARTS:
            raise NotKnown("a bound of the rounding would be too long")
        return found

    def _of(self, e: Expression, place: int) -> RunningError:
        bound = self._bound(e)
        if bound is not None:
            return RunningError(bound, {})
        match e:
            case Local(name):
                define = self.places.definition(name, place)
                return RunningError(ZERO, {name: ONE}) if define is None else self.of(define, place)
            case MemoryValue(name) | CellValue(name, ()):
                return RunningError(ZERO, {name: ONE})
            case Noised(_, base, terms):
                added: Iterator[Expression] = (Apply("*", (t.factor, Drawn(t.noise))) for t in terms)
                return self.of(reduce(plus, added, base), place)
            case Choice(test, yes, no):
                return _either(test, self.of(yes, place), self.of(no, place))
            case Density():
                return self._of_density(e, place)
            case Sequence("list", items):
                return _listed([self.of(item, place) for item in items])
            case Index(base, at):
                return _mapped(self.of(base, place), lambda part: Index(of_each(part, base), at))
            case Quantified("sum" | "mean" | "max" | "min", body, variable, domain, where):
                inner = _plus(self.of(body, place), self._of_sum(domain, body))
                summed = _mapped(inner, lambda part: Quantified("sum", part, variable, domain, where))
                return _plus(summed, RunningError(size_of(e), {}))
            case Apply("log") if (logs := in_logs(self.grids.program, e)) is not None:
                return self.of(logs, place)
            case Apply(operator, arguments):
                parts = [self.of(a, place) for a in arguments]
                return _plus(self._of_operator(operator, arguments, parts, e), RunningError(size_of(e), {}))
        raise NotKnown("a part of it is no number whose rounding is known")

    def total(self, error: RunningError) -> Expression:
        """In units, with what comes from numbers that are kept."""
        return reduce(plus, (times(factor, self._of_kept(name)) for name, factor in error.kept.items()), error.own)

    def _of_density(self, e: Density, place: int) -> RunningError:
        if isinstance(e.law, Law) and facts(e.law.family).plain_masses:
            return _plus(self.of(e.law.arguments[0], place), RunningError(ONE, {}))
        kept: dict[str, None] = {}

        def own(part: Expression) -> Expression:
            error = self.of(part, place)
            kept.update(dict.fromkeys(error.kept))
            return error.own

        relative = relative_error(e, self.growths, own)
        of_kept = dict[str, Expression]()
        for name in kept:
            moved = error_of_places(e, self.growths, self._factor_of(name, place))
            relative = None if moved is None else relative
            of_kept[name] = moved or ZERO
        if relative is None:
            raise NotKnown(
                "a density with parameters that change, are very large, or are next to 0 or 1, or at a place that is "
                "large beside its scale"
            )
        return self._of_logarithm(RunningError(relative, of_kept), ONE if is_absolute(e) else e)

    def _factor_of(self, name: str, place: int) -> Callable[[Expression], Expression]:
        """By which the error of what is kept under this name counts in that of a number."""
        return lambda part: self.of(part, place).kept.get(name, ZERO)

    def _bound(self, e: Expression) -> Expression | None:
        """What holds in every run."""
        error = self.growths.of(e).error
        if error.plus or not error.known():
            return None
        by_step: Expression = Number(Fraction(error.factor) / 8)
        for _ in range(error.degree):
            by_step = times(by_step, StepNumber())
        return by_step

    def _of_sum(self, elements: Expression, one: Expression) -> RunningError:
        """What each element adds, as the sum is rounded once for each of the elements."""
        many = self.growths.count(elements)
        if not many.degree and not many.plus and many.factor <= MOST_SUMMED:
            return RunningError(times(Number(Fraction(max(1.0, many.factor / 8))), size_of(one)), {})
        match elements:
            case Apply("..", (low, high)):
                return RunningError(times(plus(ONE, plus(size_of(low), size_of(high))), size_of(one)), {})
        raise NotKnown("a sum of numbers that are more and more")

    def _over(self, a: RunningError, size: Expression, off: Expression = ZERO) -> RunningError:
        """Divided by a size that may be off by as many units. No error stays none where that is 0; any other is then
        more than a run puts up with."""
        least = times(Number(UNIT.value / SMALL_PART.value), off)
        is_there = self.settled.as_it_is(Apply(">", (size, least)))
        by = Choice(is_there, Apply("/", (ONE if off == ZERO else A_LITTLE_MORE, size)), NO_BOUND)
        # twice, as the error may be as small as LEAST
        return _scaled(_scaled(a, by), Choice(is_there, ONE, NO_BOUND))

    def _of_logarithm(self, error: RunningError, e: Expression) -> RunningError:
        """Of e, where its logarithm is off by this: by a part that is hardly larger, if that is small."""
        by, total = times(A_LITTLE_MORE, size_of(e)), self.total(error)
        if not isinstance(total, Number) or total.value * UNIT.value > SMALL_PART.value:
            is_small = self.settled.as_it_is(Apply("<=", (times(UNIT, total), SMALL_PART)))
            by = Choice(is_small, by, NO_BOUND)
        return _plus(_scaled(error, by), RunningError(LEAST, {}))

    def _product(self, a: Expression, x: RunningError, b: Expression, y: RunningError) -> RunningError:
        """Of a b, of which a is off by x and b by y."""
        own = times(UNIT, times(self.total(x), self.total(y)))
        return _plus(_plus(_scaled(x, size_of(b)), _scaled(y, size_of(a))), RunningError(plus(own, LEAST), {}))

    def _of_elements(self, x: RunningError, v: Expression) -> RunningError:
        """Of a sum of the elements, each off by x, or of their norm, which is no larger."""
        return _mapped(_plus(x, self._of_sum(v, v)), lambda part: Apply("sum", (of_each(part, v),)))

    def is_small(self, e: Expression) -> bool:
        """Whether a number that something begins with is a constant of moderate size."""
        return self.grids.is_constant(e) and self.growths.of(e).size.at(1) <= MODERATE

    def _of_operator(
        self, operator: str, arguments: tuple[Expression, ...], parts: list[RunningError], e: Expression
    ) -> RunningError:
        match operator, arguments, parts:
            case (("sum" | "mean" | "max" | "min"), (v,), [x]):
                return _plus(self._of_elements(x, v), RunningError(LEAST if operator == "mean" else ZERO, {}))
            case (("+" | "-" | "max" | "min" | "clip"), _, [first, *others]):
                return reduce(_plus, others, first)
            case (("negate" | "abs"), _, [x]):
                return x
            case "*", (a, b), [x, y]:
                return self._product(a, x, b, y)
            case "/", (_, b), [x, y]:
                quotient = self._over(_plus(x, _scaled(y, size_of(e))), size_of(b), self.total(y))
                return _plus(quotient, RunningError(LEAST, {}))
            case "dot", (a, b), [x, y]:
                products = _plus(_dotted(x, b), _dotted(y, a))
                both = _dotted(RunningError(times(UNIT, of_each(self.total(x), a)), {}), of_each(self.total(y), b))
                return reduce(_plus, (products, both, _dotted(self._of_sum(a, a), b), RunningError(LEAST, {})))
            case "norm", (v,), [x]:
                return _plus(self._of_elements(x, v), RunningError(LEAST_OF_ROOTS, {}))
            case "^", (a, b), [x, y]:
                whole = self.grids.of(b).value
                if whole is not None and whole.denominator == 1 and whole >= 1:
                    largest = plus(size_of(a), times(UNIT, self.total(x)))
                    slope = times(Number(whole), Apply("^", (largest, Number(whole - 1))))
                    return _plus(_scaled(x, slope), RunningError(LEAST, {}))
                of_base = self._over(_scaled(x, size_of(b)), size_of(a), self.total(x))
                of_exponent = _scaled(y, plus(ONE, size_of(Apply("log", (size_of(a),)))))
                return self._of_logarithm(_plus(of_base, of_exponent), e)
            case "%", (a, b), [x, y]:
                return _plus(x, _scaled(y, plus(ONE, size_of(Apply("/", (a, b))))))
            case "log", (a,), [x]:
                return self._over(x, size_of(a), self.total(x))
            case "exp", _, [x]:
                return self._of_logarithm(x, e)
            case "sqrt", _, [x]:
                return self._over(x, size_of(e))
        raise NotKnown(f"the rounding of {operator} is not known")


def _plus(a: RunningError, b: RunningError) -> RunningError:
    names = dict.fromkeys((*a.kept, *b.kept))
    return RunningError(plus(a.own, b.own), {n: plus(a.kept.get(n, ZERO), b.kept.get(n, ZERO)) for n in names})


def _scaled(a: RunningError, by: Expression) -> RunningError:
    return RunningError(times(a.own, by), {name: times(factor, by) for name, factor in a.kept.items()})


def _mapped(a: RunningError, change: Callable[[Expression], Expression]) -> RunningError:
    """Each part of it changed, where it is not 0."""

    def changed(part: Expression) -> Expression:
        return part if part == ZERO else change(part)

    return RunningError(changed(a.own), {name: changed(factor) for name, factor in a.kept.items()})


def _dotted(a: RunningError, v: Expression) -> RunningError:
    return _mapped(a, lambda part: Apply("dot", (of_each(part, v), size_of(v))))


def of_each(part: Expression, v: Expression) -> Expression:
    """One number may bound the error of every element of v: as many of them as v has elements."""
    return Apply("+", (part, Apply("*", (ZERO, size_of(v)))))


def _listed(items: list[RunningError]) -> RunningError:
    def listed(parts: list[Expression]) -> Expression:
        return Sequence("list", tuple(parts)) if any(part != ZERO for part in parts) else ZERO

    names = dict.fromkeys(name for item in items for name in item.kept)
    kept = {name: listed([item.kept.get(name, ZERO) for item in items]) for name in names}
    return RunningError(listed([item.own for item in items]), kept)


def _either(test: Expression, yes: RunningError, no: RunningError) -> RunningError:
    def either(a: Expression, b: Expression) -> Expression:
        return a if a == b else Choice(test, a, b)

    names = dict.fromkeys((*yes.kept, *no.kept))
    kept = {n: either(yes.kept.get(n, ZERO), no.kept.get(n, ZERO)) for n in names}
    return RunningError(either(yes.own, no.own), kept)
