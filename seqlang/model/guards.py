"""Comparisons of numbers that are kept from step to step and are no multiples of one fraction: sums of logarithms, what
decays by a factor.

Let the error of such a number after n steps be e_n, in units. If its next value is off by at most factor e + own,
with e the error of what it is made of, factor <= 1 and own <= LIMIT, then e_n <= LIMIT K (n + 2): in one step a
number may be made of one that was itself made in this step, and so on through all K statements that make such
numbers. A sum over the steps of terms of at most this size is off by at most LIMIT (n + 1)^2. A run looks itself, in
each step, whether `factor` and `own` are that small (`model/running_error.py`), and whether the numbers that it
compares are farther apart than they may be off. Where they are not, the run ends with an error.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from seqlang.model.expression import COMPARISONS, Apply, Expression, Number, Sequence, StepNumber
from seqlang.model.growths import Growths
from seqlang.model.halves import Halves
from seqlang.model.kinding import Kinds
from seqlang.model.lines import ONE, ZERO, minus, plus, size_of, times
from seqlang.model.places import Places
from seqlang.model.program import Cell, Define, Previous, Program, Statement, Update
from seqlang.model.running_error import TWO, UNIT, NotKnown, RunningError, RunningErrors, of_each
from seqlang.model.wholes import HALF, Guarded, Settled
from seqlang.source import NOWHERE

LIMIT, LIMIT_OF_TERM = Number(Fraction(2**12)), Number(Fraction(2**8))
MOST_COMPARED = 8
"""Numbers of a list, each with each other."""


class Guards:
    """Of one program. A number that is kept is looked at (`of_state`) from the first comparison on
    that needs it."""

    def __init__(self, program: Program, growths: Growths, places: Places, settled: Settled, kinds: Kinds) -> None:
        self.program, self.settled, self.kinds = program, settled, kinds
        self.errors = RunningErrors(growths, places, settled, self._error)
        self._halves = Halves(program, growths.grids)
        self._many = max(1, sum(1 for s in program.body if self._is_rounded(s)))
        self._states: dict[str, dict[int, tuple[Expression, Expression]]] = {}
        """By name of the memory or cell: by identity each expression that is kept, and when it is refused."""

    def of(self, e: Expression, plain: Expression, kept: bool = True) -> Guarded | str:
        """`e`, which jumps, computed with doubles as `plain`; or why it cannot be. `kept`: also where numbers that are
        kept from step to step then have to be looked at."""
        pairs = self._apart(e)
        if not pairs:
            return "what decides it is not compared in pairs"
        try:
            place = self.errors.places.of(e)
            tests = [self._near(a, b, place, kept) for a, b in pairs]
        except NotKnown as problem:
            return str(problem)
        return Guarded(plain, self.settled.any(tests), getattr(e, "span", NOWHERE))

    def of_error(self, e: Expression, plain: Expression, most: Expression) -> Guarded | None:
        """`e` computed with doubles as `plain`, in runs in which it is off by at most this; None where no bound of the
        error is known."""
        error = self.error(e)
        if error is None:
            return None
        return Guarded(plain, self._exceeds(error, most, e), getattr(e, "span", NOWHERE))

    def error(self, e: Expression) -> Expression | None:
        """How far doubles may be off; None where no bound is known. Of a number that reads what is kept, it is known if
        a run looks at that already."""
        try:
            found = self.errors.of(e, self.errors.places.of(e))
        except NotKnown:
            return None
        return times(UNIT, self.errors.total(found)) if all(name in self._states for name in found.kept) else None

    def of_state(self, name: str, e: Expression) -> Expression | None:
        """When the next value of a memory or a cell is refused; None for one that no comparison needs."""
        known = self._states.get(name, {}).get(id(e))
        return None if known is None else known[1]

    def _near(self, a: Expression, b: Expression, place: int, kept: bool) -> Expression:
        errors = [self.errors.of(a, place), self.errors.of(b, place)]
        own = plus(errors[0].own, errors[1].own)
        off = own
        for error in errors:
            if error.kept and not kept:
                raise NotKnown("it reads numbers that are kept from step to step")
            for name, factor in error.kept.items():
                self._look_at(name)
                off = plus(off, times(factor, self._error(name)))
        apart = self._test(">", size_of(minus(a, b)), times(UNIT, off))
        near = self.settled.as_it_is(Apply("not", (apart,)))  # also where a bound is no number, as infinity * 0
        exact = self._halves.last_step(a, b)
        if exact is None or exact < 1:
            return near
        later = self._test(">", StepNumber(), Number(Fraction(exact)))
        return Apply("and", (near, Apply("or", (later, self._test(">", own, LIMIT)))))

    def _test(self, operator: str, a: Expression, b: Expression) -> Expression:
        return self.settled.as_it_is(Apply(operator, (a, b)))

    def _error(self, name: str) -> Expression:
        """A bound on the error of what is kept, in units, if a run looks at it."""
        later = plus(StepNumber(), TWO)
        if self._is_sum(name):
            return times(LIMIT_OF_TERM, times(later, later))
        return times(times(LIMIT, Number(Fraction(self._many))), later)

    def _look_at(self, name: str) -> None:
        """From now on the number is looked at in each step. Raises NotKnown."""
        if name in self._states:
            return
        self._states[name] = {}
        starts, values = self._kept(name)
        if any(not self.errors.is_small(e) for e in starts):
            raise NotKnown(f"{name} begins with a number whose rounding is not known")
        places = self.errors.places
        for e in values:
            plain = places.copy(e)  # the whole is run in the form that is made here
            error = self.errors.of(plain, places.of(e))
            refused = (
                self._refused_term(name, plain, error) if self._is_sum(name) else self._refused(name, plain, error)
            )
            self._states[name][id(e)] = e, refused

    def _refused(self, name: str, e: Expression, error: RunningError) -> Expression:
        factors: Expression = ZERO
        for other, factor in error.kept.items():
            if self._is_sum(other):
                raise NotKnown(f"{name} adds up what is itself a sum over the steps")
            self._look_at(other)
            factors = plus(factors, factor)
        tests = [self._exceeds(error.own, LIMIT, e)]
        if factors not in (ZERO, ONE):
            tests.append(self._exceeds(factors, ONE, e))
        return self.settled.any(tests)

    def _refused_term(self, name: str, e: Expression, error: RunningError) -> Expression:
        if error.kept:
            raise NotKnown(f"{name} adds up what is itself kept from step to step")
        return self._exceeds(plus(error.own, size_of(e)), LIMIT_OF_TERM, e)

    def _exceeds(self, part: Expression, limit: Expression, e: Expression) -> Expression:
        """Whether a part of the error of e is above the limit; for an e with several elements, that of any of them.
        Holds also where the part is no number, as infinity * 0."""
        if self.kinds.of(e).name != "number":
            part = Apply("max", (of_each(part, e),))
        return self.settled.as_it_is(Apply("not", (self._test("<=", part, limit),)))

    def _is_rounded(self, statement: Statement) -> bool:
        """Whether it makes a number that may be off from others that are, once in a step."""
        match statement:
            case Update(_, e) | Define(_, e) | Cell(_, body=e):
                return self.errors.grids.of(e).denominator is None and self.kinds.of(e).name != "law"
        return False

    def _is_sum(self, name: str) -> bool:
        return any(isinstance(s, Cell) and s.name == name and s.operator == "sum" for s in self.program.body)

    def _kept(self, name: str) -> tuple[list[Expression], list[Expression]]:
        """What it is at first, and what it becomes. Raises NotKnown."""
        for statement in self.program.body:
            match statement:
                case Define(own, definition) if own == name:
                    return [], [definition]
                case Cell(own, keep=Previous(initial)) if own == name:
                    return [initial], [statement.body]
                case Cell(own, "sum", body) if own == name:
                    return [], [body]
                case Cell(own) if own == name:
                    raise NotKnown(f"the rounding of {name} is not known")
                case _:
                    pass
        updates = [s.value for s in self.program.body if isinstance(s, Update) and s.memory == name]
        return [x.initial for x in self.program.memories if x.name == name], updates

    def _apart(self, e: Expression) -> tuple[tuple[Expression, Expression], ...]:
        """Pairs of numbers that decide the value of the expression by which of them is larger; none where no few do."""

        def rounded(x: Expression) -> Expression:
            return self.settled.as_it_is(Apply("floor", (plus(x, HALF),)))

        def few(items: tuple[Expression, ...]) -> bool:
            return 2 <= len(items) <= MOST_COMPARED

        match e:
            case Apply(operator, (a, b)) if operator in COMPARISONS:
                return ((a, b),)
            case Apply("floor" | "ceil", (x,)):
                return ((x, rounded(x)),)
            case Apply("%", parts):
                quotient = Apply("/", parts)
                return ((quotient, rounded(quotient)),)
            case Apply("argmax" | "argmin", (Sequence(_, items),)) | Sequence("set", items) if few(items):
                return tuple(combinations(items, 2))
        return ()
