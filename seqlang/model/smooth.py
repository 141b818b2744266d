"""The forms of numbers that jump nowhere: of what is shown or drawn, of weights and arguments of laws, and of what
noise is added to. See `jumps.py`."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import inf

from seqlang.model.at_the_moment import LIST_OF_NUMBERS, Decided, Run, Undecidable, decided
from seqlang.model.expression import Apply, Choice, Expression, Number, Term
from seqlang.model.grids import Rounding, finest
from seqlang.model.guards import Guards
from seqlang.model.kinding import Kinds
from seqlang.model.letters import Table
from seqlang.model.lines import Lines, minus, over, plus, size_of, times
from seqlang.model.noise_scales import at_most_1, reach_of_terms, width_of_terms
from seqlang.model.precision import Precision
from seqlang.model.quotients import Quotients
from seqlang.model.rationals import Rationals
from seqlang.model.wholes import Guarded, Settled, Wholes
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import replace

SMALL_PART, SMALL = Number(Fraction(1, 2**36)), Number(Fraction(1, 2**30))
"""An error that is small beside the number itself, and beside what it is compared with or added to."""
NEXT_TO_0 = Number(Fraction(1, 10**280))
"""The error of what is next to 0 is this small, and no part of it."""


class Smooth:
    """Of the expressions of one program."""

    def __init__(
        self, lines: Lines, kinds: Kinds, wholes: Wholes, guards: Guards, rationals: Rationals, settled: Settled
    ) -> None:  # fmt: skip
        self.lines, self.kinds, self.wholes, self.rationals = lines, kinds, wholes, rationals
        self.grids, self.places = lines.grids, wholes.places
        self.precision = Precision(self.grids, wholes.growths, wholes)
        self.quotients = Quotients(self.grids, wholes)
        self._guards, self._settled = guards, settled
        self._shown: dict[int, Decided] = {}
        self._told: dict[int, tuple[Decided, Decided]] = {}
        self._told_apart: dict[int, Expression] = {}
        self._checks: dict[int, tuple[Expression, Guarded | None]] = {}

    def of_shown(self, e: Expression) -> Run:
        """In a form whose doubles are nearest to the numbers and tell them from each other, if there is one."""
        grid = self.grids.of(e)
        if self.grids.is_constant(e):
            return e  # engines have its value
        on_grid = grid.denominator is not None
        if grid.denominator is not None and self._may_be_large(e, grid.denominator):
            found: Run | None = over(self.wholes.whole(self.places.copy(e), grid.denominator), grid.denominator)
            self._told_apart[id(e)] = e
        elif on_grid or not (self._is_computed(e) and self.are_numbers(e)) or self.precision.nearest(e):
            found = self._as_doubles_do(e)
        else:
            found = self._exactly(e, told=True)
        if isinstance(found, Decided):
            self._shown[id(found)] = found
        if isinstance(found, Decided) or (found is not None and self.precision.nearest(e)):
            self._told_apart[id(e)] = e
        return self._of_wholes(e) if found is None else found

    def _may_be_large(self, e: Expression, by: int) -> bool:
        """Whether a whole number of parts, which doubles add up as they are, may become too large for them."""
        computed = self.grids.of(e).rounding == Rounding.COMPUTED or not self.are_numbers(e)
        return not computed and not self.wholes.is_told(e, by) and self.wholes.fits(e, by)

    def is_told(self, e: Expression) -> bool:
        """Whether a number that is shown, in the form in which it is run, has a double that tells it from others."""
        return id(e) in self._told_apart or self.precision.nearest(e)

    def told(self, form: Decided) -> Decided:
        """A number that is shown, for who may not take two numbers for one: it is not decided where another one that
        was met has the same double. Others stay as they are."""
        if id(form) not in self._shown:
            return form
        if id(form) not in self._told:
            found = decided(form.expression, self.lines, self.kinds, self.wholes, told=True)
            self._told[id(form)] = form, found if isinstance(found, Decided) else form
        return self._told[id(form)][1]

    def of_argument(self, e: Expression, width: Expression | None) -> Run:
        """Of a weight, or of an argument of a law, see `depends_on`."""
        return self._known_beside(e, width)

    def with_noise(self, e: Expression, terms: tuple[Term, ...], compared: bool) -> Run:
        """Of what these noises are added to, before it is shown or compared with 0."""
        reach = reach_of_terms(self.grids, terms) if compared else None
        return self._known_beside(e, at_most_1(width_of_terms(self.grids, terms)), reach)

    def is_known(self, e: Expression, width: Expression | None) -> bool:
        """Whether the error of the doubles is small beside this width in every run; beside the number itself if there
        is no width."""
        if not self._is_computed(e) or self.precision.is_known(e):
            return True
        if width is None:
            return self.precision.is_small_part(e)
        if not isinstance(width, Number):
            return False
        if self.grids.is_constant(e) and not self.precision.has_chances(e):
            return True  # it is reported as one that exact arithmetic does not decide
        error, most = self.precision.error(e, False), float(SMALL.value * width.value)
        return error <= most or (error == inf and self._bound(e) <= most)

    def _bound(self, e: Expression) -> float:
        """Of the running error."""
        error = self.error(e)
        return inf if error is None else self.wholes.growths.of(error).size.at(self.precision.last(e))

    def error(self, e: Expression) -> Expression | None:
        """How far doubles may be off, as a run computes it; None where no bound is known."""
        return self._guards.error(self.places.copy(e))

    def check(self, e: Expression, width: Expression | None, reach: Expression | None = None) -> Guarded | None:
        """The number, in runs in which its error is small beside `width`, or is at most half of how much farther from 0
        the number is than `reach`; None where no bound of the error is known. Beyond `reach` no noise changes the
        sign, nor does such an error."""
        plain = self.places.copy(self._of_wholes(e))  # in the check e itself is not run in the form that is made here
        most = plus(times(SMALL_PART, size_of(plain)), NEXT_TO_0) if width is None else times(SMALL, width)
        if reach is not None:
            most = Apply("max", (most, Apply("/", (minus(size_of(plain), reach), Number(Fraction(2))))))
        return self._guards.of_error(self.places.copy(e), plain, most)

    def at_an_end(self, e: Expression) -> Run | None:
        """Of what an operator is defined for down to 0, such as sqrt: by exact arithmetic, and with doubles where their
        error is at most half of the number. None where there is no such form."""
        plain = self.places.copy(self._of_wholes(e))
        half = Apply("/", (size_of(plain), Number(Fraction(2))))
        found = self._exactly(e, told=False)
        if isinstance(found, Decided):
            return replace(found, guarded=self._guards.of_error(self.places.copy(e), plain, half))
        return found

    def checked(self, e: Expression) -> tuple[Expression, Guarded | None] | None:
        """Of a weight, an argument of a law, or what has noise added, whose error may not be small: how it is computed
        by who decides something by it (None: not at all). Runs go on without the check."""
        return self._checks.get(id(e))

    def canonical(self, e: Expression) -> Run:
        """The double that is nearest to the number."""
        grid = self.grids.of(e)
        by = grid.denominator
        if not grid.exact or grid.rounding != Rounding.COMPUTED or by is None or not self.are_numbers(e, vectors=True):
            return e
        if self.wholes.fits(e, by):
            return over(self.wholes.whole(e, by), by)
        return decided(e, self.lines, self.kinds, self.wholes)

    def looked_up(self, table: Table) -> Expression:
        *others, (_, found, _) = table.rows
        for letters, constant, _ in reversed(others):
            pairs = zip(table.fields, letters, strict=True)
            tests = [self._settled.as_it_is(Apply("==", pair)) for pair in pairs]
            both = reduce(lambda one, other: Apply("and", (one, other)), tests)
            found = self._settled.as_it_is(Choice(both, constant, found))
        return found

    def are_numbers(self, *parts: Expression, vectors: bool = False) -> bool:
        kinds = ("number", "vector") if vectors else ("number",)
        return all(self.kinds.of(part).name in kinds for part in parts)

    def by(self, parts: tuple[Expression, ...], enough: Rounding, *wholes: Expression) -> int | None:
        """One denominator for all; None where they are computed as exactly as this already, or it is not known, or
        doubles do not tell these `wholes` (the parts, if none are given)."""
        grids = [self.grids.of(part) for part in parts]
        if not grids or min(g.rounding for g in grids) >= enough or not all(g.exact for g in grids):
            return None
        by = finest(*grids)
        return by if by is not None and all(self.wholes.fits(whole, by) for whole in wholes or parts) else None

    def _as_doubles_do(self, e: Expression) -> Run:
        """The canonical double, or on no grid the number with its parts as near to their values as they can be."""
        if self.grids.of(e).denominator is not None:
            return self.canonical(self.places.copy(e))
        return self._of_wholes(e) if self._is_computed(e) else e

    def _known_beside(self, e: Expression, width: Expression | None, reach: Expression | None = None) -> Run:
        """As doubles compute it, if its error is small beside that (see `check`); else by exact arithmetic, as far as
        this is possible; else as doubles compute it, which is checked where something is decided by it."""
        if self.grids.of(e).denominator is not None or self.is_known(e, width):
            return self._as_doubles_do(e)
        check = self.check(e, width, reach)
        # exact arithmetic does not know the chances that are in a constant of which it knows no value
        is_open = self.grids.is_constant(e) or not self.are_numbers(e)
        found = None if is_open else self._exactly(e, told=False)
        if isinstance(found, Decided):
            return replace(found, guarded=check)
        if found is not None:
            return found
        plain = self._of_wholes(e)
        self._checks[id(plain)] = plain, check
        return plain

    def _is_computed(self, e: Expression) -> bool:
        """Whether it is an exact number, or a list of such, that doubles compute with errors."""
        grid = self.grids.of(e)
        if not grid.exact or grid.rounding != Rounding.COMPUTED:
            return False
        kind = self.kinds.of(e)
        return kind.name in ("number", "vector") or kind == LIST_OF_NUMBERS

    def _exactly(self, e: Expression, told: bool) -> Run | None:
        """`told`: different numbers are to have different doubles; see also the method `told`."""
        table = self.grids.tables.of(e)
        if table is not None and (table.is_told_by_doubles or not told):
            return self.looked_up(table)
        e = self.places.copy(e)  # what is found may hold the number itself, and is to be run in its place
        found = self._divided_once(e, told) or decided(e, self.lines, self.kinds, self.wholes)
        return None if isinstance(found, Undecidable) else found

    def _divided_once(self, e: Expression, told: bool) -> Expression | None:
        """The quotient of two whole numbers."""
        parts = self.quotients.of(e, self.places.of(e))
        by = None if parts is None else finest(*map(self.grids.of, parts))
        if parts is None or by is None or not self.quotients.is_positive(parts[1]):
            return None
        a, b = (self.places.at(part, self.places.of(e)) for part in parts)
        if not self.wholes.always_fits(a, by) or not self.wholes.always_fits(b, by):
            return None
        if told and not self.precision.tells_quotients(a, b):
            return None
        return self._settled.as_it_is(Apply("/", (self.wholes.whole(a, by), self.wholes.whole(b, by))))

    def _of_wholes(self, e: Expression) -> Expression:
        """The number with its parts on grids as the doubles that are nearest to them."""

        def put(part: Expression) -> Expression:
            by = self.by((part,), Rounding.ONCE) if self.are_numbers(part) else None
            return self._of_wholes(part) if by is None else over(self.wholes.whole(part, by), by)

        match e:
            case Apply(operator, parts) if not OPERATORS[operator].jumps and self.are_numbers(e, *parts):
                pass
            case _:
                return e
        found = tuple(map(put, parts))
        return e if found == parts else self.places.at(replace(e, arguments=found), self.places.of(e))
