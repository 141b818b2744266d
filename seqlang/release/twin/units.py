"""Expressions in whole units: each private number counted in units of 1/n, the least n on whose grid it lies.

`Whole(n, e)`: `e` is n times the number that the spec means, if every name of scale k is k times what it means in the
spec. Numbers that meet (added, compared, chosen between) are brought to one grid, constants are multiplied by n, and
a product lies on the product of the grids. Where a noised number meets a finer grid, its own grid is made finer, so
that its noise is whole on it: `scales` are settled by reading the file until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import lcm

from seqlang.operators.groups import ADDITIVE, CHOSEN, COMPARISONS, CONNECTIVES, PLACES, WHOLE_PARTS
from seqlang.record import record
from seqlang.release.twin.domains import Counted
from seqlang.release.twin.names import Names
from seqlang.release.twin.tables import LARGEST, table
from seqlang.release.twin.written import NoTwin, binary, call, number, quotient, renamed, times
from seqlang.source import NOWHERE
from seqlang.syntax import tree
from seqlang.syntax.walk import nodes

FINEST = 10**9
SAME_GRID = CHOSEN | {"sum", "previous", "history"}
"""Functions whose value is one of their arguments, or a sum of such."""
ON_PLACES = PLACES | {"length"}
"""Functions whose value is a whole number, whatever the unit of what they read."""


@record
class Whole:
    """`e` counts units of 1/n. `noised`: names in it whose noise must be whole on that grid."""

    n: int
    e: tree.Expression
    noised: frozenset[str] = frozenset()


class Units:
    """Of one file. `scales`: of every name that is counted in units, 1 where it is not there."""

    def __init__(self, names: Names, fields: dict[str, Counted], grid: int) -> None:
        self.names, self.fields, self.grid = names, fields, grid
        self.scales = {name: field.scale for name, field in fields.items()}
        self.changed = False
        self._tables = True

    def scale(self, name: str) -> int:
        return self.scales.get(name, 1)

    def refine(self, name: str, n: int) -> None:
        """The grid of a name is made at least as fine as 1/n."""
        finer = lcm(self.scale(name), n)
        if finer > FINEST:
            raise NoTwin(f"the grid of `{name}` becomes finer from step to step")
        if finer == self.scale(name):
            return
        if name in self.fields:
            raise NoTwin(f"the noise of `{name}` must lie on a finer grid than its entries: give it to a statistic")
        self.scales[name], self.changed = finer, True

    def is_constant_target(self, name: str) -> bool:
        """Noise is given to a public number, which is counted under a name of its own."""
        let = self.names.lets.get(name)
        private = let is not None and not self.names.is_public(let.value)
        statistics = {s.name.name for s in self.names.of(tree.Statistic)}
        return name in self.names.targets and not private and name not in {
            *self.fields, *self.names.draws, *self.names.reports, *statistics
        }  # fmt: skip

    def in_units(self, name: str) -> str:
        """How a name is called in the twin."""
        return f"{name}_units" if self.has_own_name(name) else name

    def has_own_name(self, name: str) -> bool:
        """A public number with noise that is scaled, or rounded to whole units."""
        if not self.is_constant_target(name):
            return False
        return self.scale(name) > 1 or self.names.may_be_irrational(tree.Name(name, NOWHERE))

    def public(self, e: tree.Expression) -> tree.Expression:
        """A public expression: what was shown in units is divided."""
        new = {
            name: quotient(tree.Name(name, NOWHERE), number(self.scale(name)))
            for name in self.names.reports if self.scale(name) > 1
        }  # fmt: skip
        changed: tree.Expression = renamed(e, new) if new else e
        return changed

    def rounded(self, e: tree.Expression, n: int) -> tree.Expression:
        """A public number, n times, and a whole number where it may be irrational."""
        found = times(n, self.public(e))
        return call("round", found) if self.names.may_be_irrational(e) else found

    def at(self, e: tree.Expression, n: int) -> tree.Expression:
        """Any number, n times."""
        if self.names.is_public(e):
            if isinstance(e, tree.Name) and e.name in self.names.reports:
                return times(Fraction(n, self.scale(e.name)), e)
            return self.rounded(e, n)
        whole = self.whole(e)
        if whole.n != n:
            self._demand(whole, n)
        return times(Fraction(n, whole.n), whole.e)

    def whole(self, e: tree.Expression) -> Whole:
        """Of a private number: without tables, as one table, or with tables inside. Raises NoTwin."""
        if not self._tables:
            return self._whole(e)
        self._tables = False
        try:
            return self._whole(e)
        except NoTwin:
            found = table(self.names, self.fields, e, self.grid)
        finally:
            self._tables = True
        return self._whole(e) if found is None else Whole(*found)

    def truth(self, e: tree.Expression) -> tree.Expression:
        """Of a condition."""
        if self.names.is_public(e):
            return self.public(e)
        match e:
            case tree.Unary("not", operand, span):
                return tree.Unary("not", self.truth(operand), span)
            case tree.Binary(operator, left, right, span) if operator in CONNECTIVES:
                return tree.Binary(operator, self.truth(left), self.truth(right), span)
            case tree.Binary(operator, left, right, span) if operator in COMPARISONS:
                _, (a, b), _ = self.meet((left, right), compared=True)
                return tree.Binary(operator, a, b, span)
            case tree.If(test, yes, no, span):
                return tree.If(self.truth(test), self.truth(yes), self.truth(no), span)
            case tree.Name():
                return e
        raise NoTwin("a condition has a form that is not known here")

    def meet(
        self, es: Sequence[tree.Expression], compared: bool = False
    ) -> tuple[int, tuple[tree.Expression, ...], frozenset[str]]:
        """Numbers on one grid: its n, each number n times, the names whose noise lies on it. The grid holds the
        constants, too, unless they are only `compared` with."""
        wholes = {k: self.whole(e) for k, e in enumerate(es) if not self.names.is_public(e)}
        n = lcm(*(w.n for w in wholes.values()))
        if not compared:
            n = lcm(n, *(self.names.denominator(e) for k, e in enumerate(es) if k not in wholes))
        for w in wholes.values():
            self._demand(w, n)
        trees = tuple(times(n // wholes[k].n, wholes[k].e) if k in wholes else self.at(e, n) for k, e in enumerate(es))
        return n, trees, frozenset[str]().union(*(w.noised for w in wholes.values()))

    def _demand(self, whole: Whole, n: int) -> None:
        if n != whole.n:
            for name in whole.noised:
                self.refine(name, self.scale(name) * n // whole.n if n % whole.n == 0 else n)

    def _whole(self, e: tree.Expression) -> Whole:
        match e:
            case tree.Name(name):
                noised = frozenset({name} & (self.names.targets | set(self.names.draws)))
                return Whole(self.scale(name), tree.Name(self.in_units(name), NOWHERE), noised)
            case tree.Unary("-", operand, span):
                inner = self.whole(operand)
                return Whole(inner.n, tree.Unary("-", inner.e, span), inner.noised)
            case tree.Binary(operator, left, right) if operator in ADDITIVE:
                n, (a, b), noised = self.meet((left, right))
                return Whole(n, binary(operator, a, b), noised)
            case tree.Binary("*", left, right):
                return self._product(left, right)
            case tree.Binary("/", left, right) if self.names.is_public(right):
                return self._divided(left, right)
            case tree.Binary("^", base, exponent) if (k := self.names.rational(exponent)) in (2, 3, 4):
                inner, count = self.whole(base), int(k or 1)
                return Whole(inner.n**count, reduce(lambda a, b: binary("*", a, b), [inner.e] * count))
            case tree.If(test, yes, no, span):
                n, (a, b), noised = self.meet((yes, no))
                return Whole(n, tree.If(self.truth(test), a, b, span), noised)
            case tree.Index(base, at, span) if self.names.is_public(at):
                inner = self.whole(base)
                return Whole(inner.n, tree.Index(inner.e, self.public(at), span), inner.noised)
            case tree.ListOf(items, span):
                n, trees, noised = self.meet(items)
                return Whole(n, tree.ListOf(trees, span), noised)
            case tree.ListFor(value, binder, span):
                inner = self.whole(value)
                return Whole(inner.n, tree.ListFor(inner.e, self._binder(binder), span), inner.noised)
            case tree.Call(tree.Name(name)):
                return self._called(name, e)
            case tree.Binary("/" | "%" | "^" as operator):
                raise NoTwin(f"`{operator}` of private numbers leaves the grid")
            case tree.Binary() | tree.Unary("not"):
                return Whole(1, self.truth(e))
        raise NoTwin("a private expression has a form that is not known here")

    def _product(self, left: tree.Expression, right: tree.Expression) -> Whole:
        if not self.names.is_public(left) and not self.names.is_public(right):
            a, b = self.whole(left), self.whole(right)
            return Whole(a.n * b.n, binary("*", a.e, b.e))
        constant, other = (left, right) if self.names.is_public(left) else (right, left)
        inner, factor = self.whole(other), self.names.rational(constant)
        if factor is None or self.names.denominator(constant) != factor.denominator:
            return Whole(inner.n, binary("*", self.public(constant), inner.e), inner.noised)
        return self._scaled(inner, factor)

    def _divided(self, left: tree.Expression, right: tree.Expression) -> Whole:
        inner, divisor = self.whole(left), self.names.rational(right)
        if divisor is None or divisor == 0:
            raise NoTwin("a private number is divided by one that is no rational constant")
        return self._scaled(inner, 1 / divisor)

    def _scaled(self, inner: Whole, factor: Fraction) -> Whole:
        """factor * inner."""
        n = inner.n * factor.denominator
        if n > FINEST:
            raise NoTwin("a product with a constant leaves every grid that is fine enough")
        return Whole(n, times(factor.numerator, inner.e), inner.noised)

    def _binder(self, binder: tree.ForIn) -> tree.ForIn:
        if not self.names.is_public(binder.domain):
            raise NoTwin("a set that is run through is private")
        where = None if binder.where is None else self.truth(binder.where)
        return tree.ForIn(binder.variable, self.public(binder.domain), where, binder.span)

    # ---- functions

    def _called(self, name: str, e: tree.Call) -> Whole:
        if name == "count":
            return Whole(1, tree.Call(e.function, tuple(self._counted(a) for a in e.arguments), e.span))
        if name == "mean":
            return self._mean(e)
        if name in WHOLE_PARTS:
            inner = self.whole(_only(e, name))
            return Whole(1, call(name, inner.e if inner.n == 1 else quotient(inner.e, number(inner.n))))
        if name not in SAME_GRID | ON_PLACES:
            raise NoTwin(f"`{name}` of private numbers is no whole number of units, and what it reads is not only "
                         f"entries with at most {LARGEST} values, which a table would list")  # fmt: skip
        values = [_value_of(a) for a in e.arguments]
        if name == "history":
            values = values[:1]
        n, trees, noised = self.meet(values)
        arguments = tuple(self._argument(a, new) for a, new in zip(e.arguments, trees, strict=False))
        made = tree.Call(e.function, (*arguments, *e.arguments[len(values) :]), e.span)
        return Whole(1 if name in ON_PLACES else n, made, frozenset() if name in ON_PLACES else noised)

    def _argument(self, argument: tree.Argument, value: tree.Expression) -> tree.Argument:
        match argument:
            case tree.OverSet(_, binder, span):
                return tree.OverSet(value, self._binder(binder), span)
            case tree.OverTime(_, where, time, span):
                return tree.OverTime(value, None if where is None else self.truth(where), time, span)
            case tree.Keyword(name, _, span):
                return tree.Keyword(name, value, span)
        return tree.Positional(value, argument.span)

    def _counted(self, argument: tree.Argument) -> tree.Argument:
        return self._argument(argument, self.truth(_value_of(argument)))

    def _mean(self, e: tree.Call) -> Whole:
        """Of a data set whose size is public: the sum, on a grid that is finer by the size."""
        size = next((s.size for s in self.names.of(tree.Inputs) if s.size is not None), None)
        of_data = len(e.arguments) == 1 and isinstance(e.arguments[0], tree.Positional)
        known = None if size is None else self.names.rational(size)
        if not of_data or known is None or self.names.of(tree.AdjacentAddRemove):
            raise NoTwin("a mean over a number of entries that changes is no whole number of units: release the sum")
        inner = self.whole(_value_of(e.arguments[0]))
        if any(isinstance(part, tree.ListOf | tree.ListFor) for part in nodes(inner.e)):
            raise NoTwin("the mean of a list is no whole number of units: release the sum")
        return Whole(inner.n * int(known), call("sum", inner.e), inner.noised)


def _value_of(argument: tree.Argument) -> tree.Expression:
    return argument.value


def _only(e: tree.Call, name: str) -> tree.Expression:
    if len(e.arguments) != 1 or not isinstance(e.arguments[0], tree.Positional):
        raise NoTwin(f"`{name}` has an argument of a form that is not known here")
    return e.arguments[0].value
