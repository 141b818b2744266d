"""The forms of numbers that jump nowhere: of what is shown or drawn, of weights and arguments of laws, and of what
noise is added to. See `jumps.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from seqlang.model.at_the_moment import Decided, Run, Undecidable, decided
from seqlang.model.expression import Apply, Choice, Expression, Term
from seqlang.model.grids import Rounding, finest
from seqlang.model.guards import Guards
from seqlang.model.kinding import Kinds
from seqlang.model.letters import Table
from seqlang.model.lines import Lines, over
from seqlang.model.noise_scales import least_scale
from seqlang.model.precision import Precision
from seqlang.model.quotients import Quotients
from seqlang.model.rationals import Rationals
from seqlang.model.wholes import Settled, Wholes
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import replace

Test = Callable[[Expression], bool]


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
        self._coarse: dict[int, Expression] = {}
        self._not_tiny: dict[int, object] = {}

    def of_shown(self, e: Expression) -> Run:
        """In a form whose doubles are nearest to the numbers and tell them from each other, if there is one."""
        grid = self.grids.of(e)
        if self.grids.is_constant(e):
            return e  # engines have its value
        on_grid = grid.denominator is not None
        if grid.denominator is not None and self._may_be_large(e, grid.denominator):
            found: Run | None = over(self.wholes.whole(self.places.copy(e), grid.denominator), grid.denominator)
            self._told_apart[id(e)] = e
        elif on_grid or not self._is_computed(e) or self.precision.nearest(e):
            found = self._near(e, self.precision.nearest, lambda e: self.precision.beside(e, 1.0))
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

    def of_argument(self, e: Expression, scale: float | None) -> Run:
        """Of a weight, or of an argument of a law, see `depends_on`."""
        return self._near(e, self.precision.relative, lambda e: self.is_known(e, scale), is_weight=scale is None)

    def is_known(self, e: Expression, scale: float | None) -> bool:
        """Whether doubles know such a number; a weight, if it is not tiny."""
        if not self._is_computed(e) or self.precision.relative(e):
            return True
        return scale != 0 and self.precision.beside(e, 1.0 if scale is None else scale)

    def must_not_be_tiny(self, e: Expression) -> bool:
        """Whether only the absolute error of a weight is small."""
        return id(e) in self._not_tiny

    def with_noise(self, e: Expression, terms: tuple[Term, ...]) -> Run:
        """Of what these noises are added to."""
        scale = least_scale(self.grids, terms)

        def is_good(e: Expression) -> bool:
            return self.precision.beside(e, scale)

        return self._near(e, is_good, is_good)

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

    def _near(self, e: Expression, is_good: Test, is_enough: Test, is_weight: bool = False) -> Run:
        """The canonical double; on no grid the number as doubles compute it if that `is_good`, else by exact
        arithmetic, as far as this is possible; else as doubles compute it, which may be `is_enough`."""
        if self.grids.of(e).denominator is not None:
            return self.canonical(self.places.copy(e))
        if not self._is_computed(e):
            return e
        good = is_good(e)
        # a constant that is not good has chances in it, which exact arithmetic does not know
        found = None if good or self.grids.is_constant(e) else self._exactly(e, told=False)
        if found is not None or good:
            return self._of_wholes(e) if found is None else found
        plain = self._of_wholes(e)
        if is_enough(e):
            if is_weight:
                self._not_tiny.update({id(e): e, id(plain): plain})
            return plain
        self._coarse.update({id(e): e, id(plain): plain})
        return plain

    def is_coarse(self, e: Expression) -> bool:
        """Whether a weight, an argument of a law, or what has noise added is run with doubles whose error is not small,
        or not known: runs go on, and nothing is decided by such numbers."""
        return id(e) in self._coarse

    def _is_computed(self, e: Expression) -> bool:
        """Whether it is an exact number that doubles compute with errors."""
        grid = self.grids.of(e)
        return grid.exact and grid.rounding == Rounding.COMPUTED and self.are_numbers(e)

    def _exactly(self, e: Expression, told: bool) -> Run | None:
        """`told`: different numbers are to have different doubles; see also the method `told`."""
        table = self.grids.tables.of(e)
        if table is not None and (table.is_told_by_doubles or not told):
            return self.looked_up(table)
        found = self._divided_once(e, told) or decided(self.places.copy(e), self.lines, self.kinds, self.wholes)
        if isinstance(found, Decided) and not told:
            plain = self.places.copy(e)  # which is not run in this form again
            return replace(found, guarded=self._guards.of_size(plain, self._of_wholes(plain)))
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
