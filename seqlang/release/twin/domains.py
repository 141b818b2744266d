"""Fields in whole units: the grid of each, the domain in units, and which entries a domain lists."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, lcm

from seqlang.record import record
from seqlang.release.twin.names import Names
from seqlang.release.twin.written import NoTwin, number
from seqlang.source import NOWHERE
from seqlang.syntax import tree

REACH = 1024
"""Entries of all real numbers are read within this distance from 0."""
FINER = 64
"""The grid is made this much finer at most, so that the ends of a domain lie on it."""


@record
class Counted:
    """A field in units of 1/`scale`: its domain, and its values if there are not too many (None)."""

    scale: int
    domain: tree.Domain
    low: int | None
    high: int | None
    listed: tuple[int, ...] | None = None


def counted(names: Names, field: tree.FieldDeclaration, grid: int, finer: int) -> Counted:
    """`finer`: a denominator that the grid must have, too. Raises NoTwin."""
    return _counted(names, field.domain, field.name.name, grid, finer)


def _counted(names: Names, domain: tree.Domain, name: str, grid: int, finer: int) -> Counted:
    match domain:
        case tree.IntegerDomain(low, high):
            return _whole(names, domain, low, high)
        case tree.FiniteDomain(values, span):
            found = [names.rational(v) for v in values]
            exact = [v for v in found if v is not None]
            if len(exact) < len(found):
                raise NoTwin(f"`{name}` has listed values that are not rational")
            scale = lcm(*(v.denominator for v in exact))
            listed = tuple(int(v * scale) for v in exact)
            new = domain if scale == 1 else tree.FiniteDomain(tuple(map(number, listed)), span)
            return Counted(scale, new, min(listed), max(listed), listed)
        case tree.IntervalDomain():
            return _interval(names, domain, name, grid, finer)
        case tree.NamedDomain(real) if real.name == "real":
            scale = lcm(grid, finer)
            return _range(scale, -REACH * scale, REACH * scale)
        case tree.PowerDomain(of, dimension, span):
            inner = _counted(names, of, name, grid, finer)
            return Counted(inner.scale, tree.PowerDomain(inner.domain, dimension, span), inner.low, inner.high)
    raise NoTwin(f"`{name}` is a vector of a ball: rounding its parts moves it further than the ball says")


def _whole(names: Names, domain: tree.Domain, low: tree.Expression, high: tree.Expression | None) -> Counted:
    first, last = names.rational(low), None if high is None else names.rational(high)
    if first is None or last is None or last - first > 10**4:
        return Counted(1, domain, None if first is None else int(first), None if last is None else int(last))
    return Counted(1, domain, int(first), int(last), tuple(range(int(first), int(last) + 1)))


def _interval(names: Names, domain: tree.IntervalDomain, name: str, grid: int, finer: int) -> Counted:
    low, high = names.rational(domain.low), names.rational(domain.high)
    if low is None or high is None:
        raise NoTwin(f"the ends of the domain of `{name}` are not rational")
    scale = lcm(grid, finer)
    exact = lcm(scale, low.denominator, high.denominator)
    scale = exact if exact <= FINER * scale else scale
    first = floor(low * scale) + 1 if domain.low_open else ceil(low * scale)
    last = ceil(high * scale) - 1 if domain.high_open else floor(high * scale)
    if last <= first:
        raise NoTwin(f"a grid of 1/{scale} has no two points in the domain of `{name}`")
    return _range(scale, first, last)


def _range(scale: int, first: int, last: int) -> Counted:
    listed = tuple(range(first, last + 1)) if last - first <= 10**4 else None
    return Counted(scale, tree.IntegerDomain(number(first), number(last), NOWHERE), first, last, listed)


def radius(names: Names, names_measured: frozenset[str], adjacency: tree.Statement) -> Fraction | None:
    """How far neighbours are apart in the field that the adjacency measures; None for other adjacencies."""
    match adjacency:
        case tree.AdjacentWithin(_, of, distance, norm):
            if not isinstance(of, tree.Name) or of.name not in names_measured or norm in ("l1", "l2"):
                raise NoTwin("neighbours are measured by something else than one field, which rounding may enlarge")
            exact = names.rational(distance)
            if exact is None:
                raise NoTwin("how far neighbours are apart is no rational number, which rounding may enlarge")
            return exact
    return None
