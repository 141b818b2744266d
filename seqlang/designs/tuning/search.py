"""The best values of free parameters, by asking for points; what a point is made of is not known here.

Continuous parameters: COBYLA (Powell 1994, "A direct search optimization method that models the objective and
constraint functions by linear interpolation"), from several starts, and once more with small steps from the best. The
optimum lies on the boundary of most constraints, which linear models of both follow; a constraint that is only true or
false, or that jumps, leads it by penalty. Whole and listed parameters: the best neighbour at distance s, s halved where
there is none; all of them where there are few; at each the continuous ones are searched again from where they were. At
last the continuous values are rounded to few digits, each both ways, and only a combination that was asked for itself,
and is feasible, is the result.

Nothing here is certain to find the global optimum; what is found is feasible, since its own point says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import inf, prod

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fmin_cobyla

from seqlang.designs.tuning.free import Free
from seqlang.designs.tuning.point import Point, better

Ask = Callable[[Mapping[str, Fraction]], Point]
Frees = tuple[Free, ...]

STARTS: tuple[tuple[float, float], ...] = ((0, 0), (1, -1), (-1, 1))
"""By how much the coordinates of a start are moved: those in odd places by the second number."""
FARTHER: tuple[tuple[float, float], ...] = ((3, 3), (-3, -3), (3, -3), (-3, 3))
"""Starts where the others led to nothing feasible."""
FIRST, ROUGH = 0.5, 1e-2
"""First and last step of a search from a start, in coordinates: about relative changes."""
NEAR, FINE = 0.1, 1e-4
"""The same of the last search."""
ROUNDS = 40
"""Points that a search asks for at most, for each continuous parameter and one."""
FEW = 40
"""So many combinations of discrete values are all tried."""
SAME = 1e-2
"""Relative difference of the objectives of two starts that are taken for one."""
REACH = 3
"""How far the last search looks for better whole numbers."""
CAP = 3.0
"""Violations count no more than this: linear models need numbers."""
MOST = 30.0
"""Objectives count no more than so many times that of the start."""
LOSS = 1e-4
"""What rounding to fewer digits may cost of the objective, relatively."""


class Tried:
    """Every point that was asked for, each once, and the best of them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.points: dict[tuple[tuple[str, Fraction], ...], Point] = {}
        self.best: Point | None = None

    def __call__(self, values: Mapping[str, Fraction]) -> Point:
        key = tuple(sorted(values.items()))
        if key not in self.points:
            self.points[key] = point = self._ask(values)
            if better(point, self.best):
                self.best = point
        return self.points[key]


def search(tried: Tried, frees: Frees) -> Point | None:
    """The best feasible point, of short decimals; None where none was found. An interrupt leaves the best so far in
    `tried`."""
    start = {f.name: f.start for f in frees}
    tried(start)
    ends: list[float] = []
    for moved in (*STARTS, *FARTHER):
        if (ends and moved in FARTHER) or _agree(ends):
            break
        end = _from(tried, frees, _moved(frees, moved), FIRST, ROUGH)
        ends += [end.objective[1]] if end.feasible else []
    best = tried.best
    if best is None or not best.feasible:
        return None
    best = _from(tried, frees, best.values, NEAR, FINE)
    return _rounded(tried, frees, best if better(best, tried.best) else tried.best or best)


def _agree(ends: list[float]) -> bool:
    """Whether the best two of several starts led to the same objective, about: no further one is made then."""
    if len(ends) < 2:
        return False
    first, second, *_ = sorted(ends)
    return second - first <= SAME * max(abs(first), abs(second))


def _moved(frees: Frees, by: tuple[float, float]) -> dict[str, Fraction]:
    """The values where a search starts; discrete ones are doubled or halved."""
    values = {}
    for i, free in enumerate(frees):
        step = by[i % 2]
        if free.discrete:
            place = free.first if not step else round(free.first * 2.0**step) + (1 if step > 0 else 0)
            values[free.name] = free.at(free.inside(place))
        else:
            values[free.name] = free.value(free.coordinate(free.start) + step) if step else free.start
    return values


def _from(tried: Tried, frees: Frees, start: Mapping[str, Fraction], first: float, last: float) -> Point:
    """The best point that a search from there finds."""
    discrete = tuple(f for f in frees if f.discrete)
    continuous = tuple(f for f in frees if not f.discrete)
    if not discrete:
        return _continuous(tried, continuous, {}, start, first, last)

    def at(places: tuple[int, ...], values: Mapping[str, Fraction]) -> Point:
        fixed = {f.name: f.at(p) for f, p in zip(discrete, places, strict=True)}
        return _continuous(tried, continuous, fixed, values, first, last) if continuous else tried(fixed)

    reach = REACH if last == FINE else 1

    possible = [_all_places(f) for f in discrete]
    if prod(map(len, possible)) <= FEW and all(possible):
        return _best(at(places, start) for places in product(*possible))
    return _stepping(at, discrete, start, reach)


def _all_places(free: Free) -> range:
    """Every place; none where there are too many."""
    if free.places:
        return range(len(free.places))
    if free.high - free.low > FEW or free.low == -inf:
        return range(0)
    return range(int(free.low), int(free.high) + 1)


def _best(points: Iterator[Point]) -> Point:
    found: Point | None = None
    for point in points:
        found = point if better(point, found) else found
    assert found is not None
    return found


def _stepping(
    at: Callable[[tuple[int, ...], Mapping[str, Fraction]], Point],
    frees: Frees,
    start: Mapping[str, Fraction],
    reach: int,
) -> Point:
    """From place to place, as long as a neighbour at the present distance is better; then at half of it. At last those
    at 1 to `reach` places, as a constraint between whole numbers has many corners."""
    here = tuple(f.inside(f.places.index(start[f.name]) if f.places else int(start[f.name])) for f in frees)
    best = at(here, start)
    sizes = [max(1, abs(p) // 4) for p in here]
    while True:
        for places in _neighbours(frees, here, sizes, reach if max(sizes) == 1 else 1):
            point = at(places, best.values)
            if better(point, best):
                here, best = places, point
                break
        else:
            if max(sizes) == 1:
                return best
            sizes = [max(1, s // 2) for s in sizes]


def _neighbours(frees: Frees, here: tuple[int, ...], sizes: list[int], reach: int) -> Iterator[tuple[int, ...]]:
    """One place moved, then two at once."""
    steps = [s for n in range(1, reach + 1) for s in (-n, n)]
    ways = [[(i, s * sizes[i])] for i in range(len(here)) for s in steps]
    ways += [
        [(i, a * sizes[i]), (j, b * sizes[j])]
        for i, j in combinations(range(len(here)), 2)
        for a, b in product(steps, repeat=2)
    ]
    for way in ways:
        places = list(here)
        for i, step in way:
            places[i] = frees[i].inside(here[i] + step)
        if tuple(places) != here:
            yield tuple(places)


def _continuous(
    tried: Tried, frees: Frees, fixed: Mapping[str, Fraction], start: Mapping[str, Fraction], first: float, last: float
) -> Point:
    """The best point of a search by linear models over the continuous parameters."""
    begin = tried({**fixed, **{f.name: start[f.name] for f in frees}})
    found = [begin]
    reference = tried.best if tried.best is not None and begin.objective[1] == inf else begin
    scale = abs(reference.objective[1]) if 0 < abs(reference.objective[1]) < inf else 1.0

    def at(x: NDArray[np.float64]) -> Point:
        point = tried({**fixed, **{f.name: f.value(float(c)) for f, c in zip(frees, x, strict=True)}})
        if better(point, found[0]):
            found[0] = point
        return point

    def objective(x: NDArray[np.float64]) -> float:
        return min(max(at(x).objective[1] / scale, -MOST), MOST)

    count = len(begin.excess)

    def slack(x: NDArray[np.float64]) -> NDArray[np.float64]:
        point = at(x)
        excess = point.excess if point.possible else (inf,) * count
        return np.array([-min(max(e, -CAP), CAP) for e in excess])

    begun = [f.coordinate(start[f.name]) for f in frees]
    asked = ROUNDS * (len(frees) + 1)
    fmin_cobyla(objective, begun, [slack] if begin.excess else [], rhobeg=first, rhoend=last, maxfun=asked)
    return found[0]


def _rounded(tried: Tried, frees: Frees, best: Point) -> Point | None:
    """A feasible point of decimals with as few digits as cost next to nothing."""
    found: Point | None = None
    for digits in (2, 3, 4, 5, 6, 8, 10):
        ways = [(best.values[f.name],) if f.discrete else f.rounded(best.values[f.name], digits) for f in frees]
        for values in product(*ways):
            point = tried({f.name: v for f, v in zip(frees, values, strict=True)})
            if point.feasible and better(point, found):
                found = point
        if found is not None and found.objective[1] <= best.objective[1] + LOSS * abs(best.objective[1]):
            break
    return found or (best if best.feasible else None)
