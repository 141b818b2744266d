"""Finding alignments. Nothing here is trusted: `holds` in `stopping.py` checks what comes out.

A minimal alignment moves a noise only where a constraint makes it, so the search repairs constraints one after the
other: take one that does not hold, choose one of its noises, move it until the constraint is tight, go on. Constraints
that leave no choice go first; else every choice is tried, to a small depth. Kept are the alignments of which no part
can be made smaller. The way there is judged in floating point and then walked again exactly, so translations come out
as rational combinations of the shifts. Where the constraints are no network, the cheapest alignment may share one move
between constraints: there a linear program adds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, ZERO, Formula, enclose, product, total
from seqlang.arithmetic.nodes import split_coefficient
from seqlang.record import record
from seqlang.rules.alignment.cost import Plan, Shifts, is_totally_unimodular
from seqlang.rules.alignment.layout import Layout
from seqlang.rules.alignment.scenario import Row, Scenario, rows_of

DEEPEST = 10
MOST_VISITS = 600
MOST_KEPT = 10
SLACK = 1e-9

Path = tuple[tuple[int, str], ...]
Sizes = tuple[tuple[dict[str, float], ...], ...]
"""Piece by piece, choice by choice: how far each noise moves."""


@record
class Found:
    """A minimal alignment: its size noise by noise, in floating point, and the exact translations."""

    sizes: dict[str, float]
    shifts: dict[str, Formula]


def plans_for(layout: Layout, scenario: Scenario) -> tuple[Plan, ...]:
    """Alignments for every piece at once, none dominated by another; empty if none was found."""
    systems = [rows_of(layout, piece) for piece in scenario.pieces]
    if len(systems) == 1:
        found = minimal(layout, systems[0], {}, frozenset(layout.noises.translations))
        return tuple(
            Plan(_part(f, layout.noises.kept), ((_part(f, layout.noises.translations.keys() - layout.noises.kept),),))
            for f in found
        )
    plans: list[tuple[Plan, Sizes]] = []
    for kept in _kept_candidates(layout, systems):
        local: list[tuple[Found, ...]] = []
        for piece, rows in zip(scenario.pieces, systems, strict=True):
            free = (
                frozenset(layout.noises.translations) if piece.fired else layout.noises.refreshed
            ) - layout.noises.kept
            local.append(minimal(layout, rows, kept, free))
            if not local[-1]:
                break
        else:
            shifts = tuple(tuple(_part(f, f.shifts.keys() - layout.noises.kept) for f in choices) for choices in local)
            plans.append((Plan(tuple(sorted(kept.items())), shifts), _best_sizes(layout, kept, local)))
    return tuple(plan for plan, sizes in plans if not any(_beats(s, sizes) for _, s in plans if s is not sizes))


def minimal(
    layout: Layout, rows: tuple[Row, ...], given: dict[str, Formula], free: frozenset[str]
) -> tuple[Found, ...]:
    """The minimal alignments of one system in which the noises `free` may move and `given` have moved."""
    movers = {z for z in free if layout.noises.translations[z].movable}
    reached = _Repair(layout, rows, movers).from_place({z: _middle(u, layout) for z, u in given.items()})
    points = [(dict(key), path) for key, path in reached.items()]
    best = [(p, path) for p, path in points if not any(_smaller(q, p) for q, _ in points if q is not p)]
    found = tuple(Found({z: abs(u) for z, u in p.items()}, _walked(rows, given, path)) for p, path in best)
    return found if is_totally_unimodular(layout) else (*found, *_optimum(layout, rows, given, sorted(movers), found))


class _Repair:
    """The search for places where all constraints hold, in floating point."""

    def __init__(self, layout: Layout, rows: tuple[Row, ...], movers: set[str]) -> None:
        self.bounds = [_middle(row.bound, layout) for row in rows]
        self.exact = [row.exact for row in rows]
        self.slack = SLACK * max([1.0, *map(abs, self.bounds)])
        self.upwards = {z for z in movers if layout.noises.translations[z].kind == "upwards"}
        terms = [tuple((z, float(f)) for z, f in row.coefficients) for row in rows]
        self.movable = [tuple((z, f) for z, f in row if z in movers) for row in terms]
        self.using: dict[str, list[tuple[int, float]]] = {}
        for i, row in enumerate(terms):
            for z, f in row:
                self.using.setdefault(z, []).append((i, f))
        self.reached: dict[tuple[tuple[str, float], ...], Path] = {}
        self.visited: set[tuple[tuple[str, float], ...]] = set()

    def from_place(self, place: dict[str, float]) -> dict[tuple[tuple[str, float], ...], Path]:
        """The places found, with the ways there: constraint and noise, one after the other."""
        if all(abs(b) < float("inf") for b in self.bounds):
            sums = [0.0] * len(self.bounds)
            for z, u in place.items():
                for i, f in self.using.get(z, ()):
                    sums[i] += f * u
            self._walk(place, sums, set(range(len(sums))), (), 0)
        return self.reached

    def _walk(self, place: dict[str, float], sums: list[float], doubtful: set[int], path: Path, depth: int) -> None:
        """`doubtful`: the constraints that may not hold. Changes its arguments."""
        key = tuple(sorted((z, round(u, 9)) for z, u in place.items() if abs(u) > self.slack))
        if key in self.visited or len(self.visited) > MOST_VISITS:
            return
        self.visited.add(key)
        most = len(path) + 2 * len(sums) + DEEPEST
        while True:
            doubtful = {i for i in doubtful if self._fails(i, sums[i])}
            if not doubtful:
                key = tuple(sorted((z, round(u, 9)) for z, u in place.items() if abs(u) > self.slack))
                self.reached.setdefault(key, path)
                return
            choices = {i: self._choices(i, place, sums) for i in sorted(doubtful)}
            i = min(choices, key=lambda row: (len(choices[row]), row))
            if len(choices[i]) != 1 or len(path) > most:
                break
            self._move(choices[i][0], place, sums, doubtful)
            path = (*path, (i, choices[i][0][0]))
        if depth == DEEPEST or len(path) > most:
            return
        for choice in choices[i]:
            there, then, doubts = dict(place), list(sums), set(doubtful)
            self._move(choice, there, then, doubts)
            self._walk(there, then, doubts, (*path, (i, choice[0])), depth + 1)

    def _fails(self, row: int, reached: float) -> bool:
        gap = self.bounds[row] - reached
        return gap > self.slack or (self.exact[row] and gap < -self.slack)

    def _choices(self, row: int, place: dict[str, float], sums: list[float]) -> list[tuple[str, float]]:
        """The noises that could repair it, and how far each would have to move."""
        gap = self.bounds[row] - sums[row]
        found = [(z, gap / f) for z, f in self.movable[row]]
        return [(z, by) for z, by in found if z not in self.upwards or place.get(z, 0.0) + by >= -self.slack]

    def _move(self, choice: tuple[str, float], place: dict[str, float], sums: list[float], doubtful: set[int]) -> None:
        z, by = choice
        place[z] = place.get(z, 0.0) + by
        for i, f in self.using[z]:
            sums[i] += f * by
            doubtful.add(i)


def _optimum(
    layout: Layout, rows: tuple[Row, ...], given: dict[str, Formula], movers: list[str], known: tuple[Found, ...]
) -> Iterator[Found]:
    """The cheapest alignment at the parameter values, if it is cheaper than all that are known."""
    units = {z: _unit(layout, z) for z in movers}
    bounds = [row.bound - total(product((f, given[z])) for z, f in row.coefficients if z in given) for row in rows]
    split = [split_coefficient(bound) for bound in bounds]
    scales = {rest for coefficient, rest in split if coefficient}
    scale = scales.pop() if len(scales) == 1 else None
    if scale is not None and layout.signs.of(scale) == 1:
        right = [coefficient for coefficient, _ in split]
    else:
        scale = ONE
        exact = [exact_value(bound, layout.signs.values) for bound in bounds]
        right = [b for b in exact if b is not None]
        if len(right) < len(bounds):
            return
    matrix, needed = [], []
    for row, b in zip(rows, right, strict=True):
        factors = dict(row.coefficients)
        for sign in (1, -1) if row.exact else (1,):
            matrix.append([sign * side * factors.get(z, Fraction(0)) for side in (1, -1) for z in movers])
            needed.append(sign * b)
    away = [units[z] * (10**6 if layout.noises.translations[z].kind == "upwards" else 1) for z in movers]
    from seqlang.arithmetic.linear import minimise

    solution = minimise([units[z] for z in movers] + away, matrix, needed)
    if solution.status != "optimal":
        return
    size = len(movers)
    place = {z: solution.x[i] - solution.x[i + size] for i, z in enumerate(movers)}
    shifts = given | {z: product((u, scale)) for z, u in place.items() if u}
    cost = sum(float(units[z]) * abs(_middle(u, layout)) for z, u in shifts.items() if z in units)
    if all(cost < (1 - SLACK) * sum(float(units[z]) * f.sizes.get(z, 0.0) for z in movers) for f in known):
        yield Found({z: abs(_middle(u, layout)) for z, u in shifts.items()}, shifts)


def _unit(layout: Layout, noise: str) -> Fraction:
    translation = layout.noises.translations[noise]
    per_width = translation.unit / translation.width if translation.kind == "stairs" else translation.unit
    return Fraction(_middle(per_width, layout))


def _walked(rows: tuple[Row, ...], given: dict[str, Formula], path: Path) -> dict[str, Formula]:
    """The exact place to which the path leads, without what did not move."""
    place = dict(given)
    for i, z in path:
        factors = dict(rows[i].coefficients)
        left = total(product((f, place[y])) for y, f in rows[i].coefficients if y in place)
        place[z] = place.get(z, ZERO) + (rows[i].bound - left) * (1 / Fraction(factors[z]))
    return {z: u for z, u in place.items() if u != ZERO and (z in given or any(z == y for _, y in path))}


def _kept_candidates(layout: Layout, systems: list[tuple[Row, ...]]) -> Iterator[dict[str, Formula]]:
    """Translations of the kept noises that some piece would choose, given what all pieces ask of the kept noises
    alone."""
    if not layout.noises.kept:
        yield {}
        return
    shared = dict.fromkeys(
        row for rows in systems for row in rows if {z for z, _ in row.coefficients} <= layout.noises.kept
    )
    seen: list[dict[str, Formula]] = []
    for rows in systems:
        for found in minimal(layout, tuple(dict.fromkeys((*shared, *rows))), {}, frozenset(layout.noises.translations)):
            kept = {z: u for z, u in found.shifts.items() if z in layout.noises.kept}
            if kept not in seen and len(seen) < MOST_KEPT:
                seen.append(kept)
                yield kept


def _part(found: Found, names: frozenset[str] | set[str]) -> Shifts:
    return tuple(sorted((z, u) for z, u in found.shifts.items() if z in names))


def _best_sizes(layout: Layout, kept: dict[str, Formula], local: list[tuple[Found, ...]]) -> Sizes:
    own = {z: abs(_middle(u, layout)) for z, u in kept.items()}
    return tuple(
        tuple(own | {z: s for z, s in f.sizes.items() if z not in layout.noises.kept} for f in found) for found in local
    )


def _beats(better: Sizes, worse: Sizes) -> bool:
    """Piece by piece, every choice of the worse plan has a choice of the better one that is nowhere longer."""
    covered = all(
        any(_no_longer(b, w) for b in ours) for ours, theirs in zip(better, worse, strict=True) for w in theirs
    )
    return covered and better != worse


def _smaller(a: dict[str, float], b: dict[str, float]) -> bool:
    """a is nowhere longer than b, and somewhere shorter."""
    return _no_longer(a, b) and not _no_longer(b, a)


def _no_longer(a: dict[str, float], b: dict[str, float]) -> bool:
    return all(abs(u) <= abs(b.get(z, 0.0)) + SLACK * (1 + abs(u)) for z, u in a.items())


def _middle(formula: Formula, layout: Layout) -> float:
    if formula.is_infinite:
        return float("inf")
    around = enclose(formula, layout.signs.values)
    return (around.low + around.high) / 2
