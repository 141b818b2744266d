"""Piecewise quadratic functions of one number: what statistics of one entry, and margins of one sum, are made of.

`curve_of(expression, known, constant)` reads an expression: `known` maps sub-expressions (the field, say) to their
curves, everything else must be constant. Logarithms of densities are quadratic; in the log ratio of two normal laws
with one sd the squares cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import pairwise

from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.operators.groups import MORE
from seqlang.record import record

Piece = tuple[float, float, float]
"""c0 + c1 x + c2 x^2; not a number where there is no value."""
NOTHING: Piece = (math.nan, math.nan, math.nan)


@record
class Curve:
    """`pieces[i]` holds between `breaks[i - 1]` and `breaks[i]`; at a break both are meant to be used by continuity."""

    breaks: tuple[float, ...]
    pieces: tuple[Piece, ...]

    def piece_at(self, x: float) -> Piece:
        return self.pieces[sum(b <= x for b in self.breaks)]

    def __call__(self, x: float) -> float:
        c0, c1, c2 = self.piece_at(x)
        return c0 + c1 * x + c2 * x * x

    @property
    def affine(self) -> bool:
        return all(p[2] == 0 or math.isnan(p[2]) for p in self.pieces)

    def roots(self, level: float = 0.0) -> tuple[float, ...]:
        """Where the curve may cross or touch the level: roots of the pieces, and breaks where it jumps across."""
        found: list[float] = []
        ends = [-math.inf, *self.breaks, math.inf]
        for low, high, (c0, c1, c2) in zip(ends, ends[1:], self.pieces, strict=False):
            found += [r for r in _roots(c0 - level, c1, c2) if low <= r <= high]
        return tuple(sorted({*found, *self.breaks}))


IDENTITY = Curve((), ((0.0, 1.0, 0.0),))


def flat(value: float) -> Curve:
    return Curve((), ((value, 0.0, 0.0),))


def _roots(c0: float, c1: float, c2: float) -> tuple[float, ...]:
    if not math.isfinite(c0 + c1 + c2):
        return ()
    if c2 == 0:
        return () if c1 == 0 else (-c0 / c1,)
    square = c1 * c1 - 4 * c0 * c2
    if square < 0:
        return ()
    q = -(c1 + math.copysign(math.sqrt(square), c1)) / 2
    return tuple(r for r in (q / c2, c0 / q if q else q / c2))


def curve_of(
    e: ir.Expression, known: Mapping[ir.Expression, Curve], constant: Callable[[ir.Expression], float]
) -> Curve:
    """Raises Unsolved for what is not piecewise quadratic."""
    return _Reader(known, constant).read(e)


class _Reader:
    def __init__(self, known: Mapping[ir.Expression, Curve], constant: Callable[[ir.Expression], float]) -> None:
        self.known = known
        self.constant = constant

    def varies(self, e: ir.Expression) -> bool:
        return any(x in self.known for x in ir.walk(e))

    def read(self, e: ir.Expression) -> Curve:
        if e in self.known:
            return self.known[e]
        if not self.varies(e):
            return flat(float(self.constant(e)))
        match e:
            case ir.Apply(operator, arguments):
                return self._apply(operator, arguments)
            case ir.Choice(test, yes, no):
                return _chosen(self.truth(test), self.read(yes), self.read(no))
            case _:
                raise Unsolved(f"a {type(e).__name__.lower()} in a statistic of continuous data")

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...]) -> Curve:
        match operator, arguments:
            case "+", (a, b):
                return _joined(self.read(a), self.read(b), _plus)
            case "-", (a, b):
                return _joined(self.read(a), _scaled(self.read(b), -1.0), _plus)
            case "negate", (a,):
                return _scaled(self.read(a), -1.0)
            case "*", (a, b):
                return _joined(self.read(a), self.read(b), _times)
            case "/", (a, b) if not self.varies(b):
                divisor = float(self.constant(b))
                return _scaled(self.read(a), 1 / divisor)
            case "^", (a, b) if not self.varies(b) and self.constant(b) == 2:
                base = self.read(a)
                return _joined(base, base, _times)
            case "abs", (a,):
                base = self.read(a)
                return _largest(base, _scaled(base, -1.0))
            case "max", (_, _, *_):
                return reduce(_largest, map(self.read, arguments))
            case "min", (_, _, *_):
                return reduce(_smallest, map(self.read, arguments))
            case "clip", (a, low, high):
                return _smallest(_largest(self.read(a), self.read(low)), self.read(high))
            case "log", (a,):
                return self.logarithm(a)
            case _:
                raise Unsolved(f"`{operator}` in a statistic of continuous data")

    def logarithm(self, e: ir.Expression) -> Curve:
        if not self.varies(e):
            return flat(math.log(float(self.constant(e))))
        match e:
            case ir.Apply("/", (a, b)):
                return _joined(self.logarithm(a), _scaled(self.logarithm(b), -1.0), _plus)
            case ir.Apply("*", (a, b)):
                return _joined(self.logarithm(a), self.logarithm(b), _plus)
            case ir.Apply("exp", (a,)):
                return self.read(a)
            case ir.Apply("^", (a, b)) if not self.varies(b):
                return _scaled(self.logarithm(a), float(self.constant(b)))
            case ir.Density("pdf", ir.Law(family, arguments), at) if not any(map(self.varies, arguments)):
                return _log_density(family, [float(self.constant(a)) for a in arguments], self.read(at))
            case _:
                raise Unsolved("a logarithm of continuous data that is not one of densities")

    def truth(self, e: ir.Expression) -> tuple[tuple[float, ...], tuple[bool, ...]]:
        """Breaks, and whether the condition holds between them."""
        if not self.varies(e):
            return (), (bool(self.constant(e)),)
        match e:
            case ir.Apply("not", (a,)):
                breaks, holds = self.truth(a)
                return breaks, tuple(not h for h in holds)
            case ir.Apply("and" | "or" as operator, (a, b)):
                (one, first), (two, second) = self.truth(a), self.truth(b)
                breaks = tuple(sorted({*one, *two}))
                pairs = [(first[sum(k <= x for k in one)], second[sum(k <= x for k in two)]) for x in _middles(breaks)]
                return breaks, tuple((p and q) if operator == "and" else (p or q) for p, q in pairs)
            case ir.Apply(">=" | ">" | "<=" | "<" as operator, (a, b)):
                gap = _joined(self.read(a), _scaled(self.read(b), -1.0), _plus)
                breaks = gap.roots()
                above = tuple(gap(x) > 0 for x in _middles(breaks))
                return breaks, above if operator in MORE else tuple(not h for h in above)
            case _:
                raise Unsolved("a condition on continuous data that is not a comparison")


def _log_density(family: str, arguments: list[float], at: Curve) -> Curve:
    match family, arguments:
        case "normal", [mean, sd]:
            shape = Curve((), (_gaussian(mean, sd),))
        case "gaussian", [sd]:
            shape = Curve((), (_gaussian(0.0, sd),))
        case "exponential", [mean]:
            shape = Curve((0.0,), (NOTHING, (-math.log(mean), -1 / mean, 0.0)))
        case "laplace", [b]:
            shape = Curve((0.0,), ((-math.log(2 * b), 1 / b, 0.0), (-math.log(2 * b), -1 / b, 0.0)))
        case _:
            raise Unsolved(f"the logarithm of the density of {family}")
    return _composed(shape, at)


def _gaussian(mean: float, sd: float) -> Piece:
    half = 0.5 / (sd * sd)
    return (-half * mean * mean - math.log(sd * math.sqrt(2 * math.pi)), 2 * half * mean, -half)


def _composed(outer: Curve, inner: Curve) -> Curve:
    if not inner.affine:
        raise Unsolved("a density at a point that is not an affine function of the data")
    breaks = tuple(sorted({*inner.breaks, *(r for b in outer.breaks for r in inner.roots(b))}))
    pieces = []
    for x in _middles(breaks):
        a0, a1, _ = inner.piece_at(x)
        c0, c1, c2 = outer.piece_at(a0 + a1 * x)
        pieces.append((c0 + c1 * a0 + c2 * a0 * a0, c1 * a1 + 2 * c2 * a0 * a1, c2 * a1 * a1))
    return Curve(breaks, tuple(pieces))


def _middles(breaks: tuple[float, ...]) -> list[float]:
    """One point inside every interval between the breaks."""
    if not breaks:
        return [0.0]
    inside = [(a + b) / 2 for a, b in pairwise(breaks)]
    return [breaks[0] - 1 - abs(breaks[0]), *inside, breaks[-1] + 1 + abs(breaks[-1])]


def _plus(p: Piece, q: Piece) -> Piece:
    return (p[0] + q[0], p[1] + q[1], p[2] + q[2])


def _times(p: Piece, q: Piece) -> Piece:
    if (p[1] or p[2]) and (q[1] or q[2]) and (p[2] or q[2]):
        raise Unsolved("a power of the data above the square")
    return (p[0] * q[0], p[0] * q[1] + p[1] * q[0], p[0] * q[2] + p[1] * q[1] + p[2] * q[0])


def _scaled(curve: Curve, factor: float) -> Curve:
    return Curve(curve.breaks, tuple((p[0] * factor, p[1] * factor, p[2] * factor) for p in curve.pieces))


def _joined(f: Curve, g: Curve, operation: Callable[[Piece, Piece], Piece]) -> Curve:
    breaks = tuple(sorted({*f.breaks, *g.breaks}))
    return Curve(breaks, tuple(operation(f.piece_at(x), g.piece_at(x)) for x in _middles(breaks)))


def _largest(f: Curve, g: Curve) -> Curve:
    gap = _joined(f, _scaled(g, -1.0), _plus)
    breaks = gap.roots()
    return _plain(breaks, [f.piece_at(x) if gap(x) >= 0 else g.piece_at(x) for x in _middles(breaks)])


def _smallest(f: Curve, g: Curve) -> Curve:
    return _scaled(_largest(_scaled(f, -1.0), _scaled(g, -1.0)), -1.0)


def _chosen(test: tuple[tuple[float, ...], tuple[bool, ...]], yes: Curve, no: Curve) -> Curve:
    changes, holds = test
    breaks = tuple(sorted({*changes, *yes.breaks, *no.breaks}))
    return _plain(
        breaks,
        [(yes if holds[sum(k <= x for k in changes)] else no).piece_at(x) for x in _middles(breaks)],
    )  # fmt: skip


def _plain(breaks: tuple[float, ...], pieces: list[Piece]) -> Curve:
    """Without breaks at which nothing changes."""
    kept, last = [], [pieces[0]]
    for b, piece in zip(breaks, pieces[1:], strict=True):
        if piece != last[-1]:
            kept.append(b)
            last.append(piece)
    return Curve(tuple(kept), tuple(last))
