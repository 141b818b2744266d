"""Scalar noise laws for exact integration: logarithms of tails, densities, where they bend.

Everything is in logarithms, so that a probability of 1e-300 keeps its relative accuracy. `below` and `above` include
their end: P(X <= x) and P(X >= x).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import ceil, erfc, exp, expm1, floor, inf, isinf, log, log1p, pi, prod, sqrt

from seqlang.record import record

Scalar = Callable[[float], float]
LOG_HALF = -log(2)


@record
class NoiseLaw:
    """A law on the line. `kind`: "density", "lattice" (the integers) or "finite" (then `points` lists them).

    `log_density` is the log density, for the other kinds the log probability of a point. `bends(lo, hi)` are the points
    in (lo, hi) where the density is not smooth, `tail_bends` those where the tails have no derivative. `scale` is a
    length on which the density changes much. `support` has the ends of the support. `log_all_above(starts, slope)` is,
    where a law has a quick way, the function x -> sum of log P(X >= start + slope x); such a law is symmetric around 0.
    """

    kind: str
    log_density: Scalar
    log_below: Scalar
    log_above: Scalar
    bends: Callable[[float, float], Sequence[float]]
    tail_bends: Callable[[float, float], Sequence[float]]
    scale: float
    support: tuple[float, float]
    points: tuple[float, ...] = ()
    log_all_above: Callable[[Sequence[float], float], Scalar] | None = None

    def log_tails(self, upper: bool, starts: Sequence[float], slope: float) -> Scalar:
        """The function x -> sum over the starts of log P(X >= start + slope x), or <= if not `upper`."""
        tail = self.log_above if upper else self.log_below
        if len(starts) == 1:
            start = starts[0]
            return lambda x: tail(start + slope * x)
        if self.log_all_above is None:
            return lambda x: sum([tail(a + slope * x) for a in starts])
        return self.log_all_above(starts, slope) if upper else self.log_all_above([-a for a in starts], -slope)

    def log_between(self, low: float, high: float) -> float:
        """log P(low <= X <= high)."""
        if high < low or (high == low and self.kind == "density"):
            return -inf
        if high == inf:
            return self.log_above(low)
        if low == -inf:
            return self.log_below(high)
        return self._log_inside(low, high)

    def _log_inside(self, low: float, high: float) -> float:
        if self.kind == "finite":
            return log_sum([self.log_density(p) for p in self.points if low <= p <= high])
        step = 1.0 if self.kind == "lattice" else 0.0
        before, behind = (ceil(low) - step, floor(high) + step) if step else (low, high)
        above = self.log_above(low)
        if above <= LOG_HALF:
            return log_minus(above, self.log_above(behind))
        below = self.log_below(high)
        if below <= LOG_HALF:
            return log_minus(below, self.log_below(before))
        outside = exp(self.log_below(before)) + exp(self.log_above(behind))
        return log1p(-outside) if outside < 1 else -inf


def log_minus(larger: float, smaller: float) -> float:
    """log(e^larger - e^smaller)."""
    if smaller == -inf:
        return larger
    if smaller >= larger:
        return -inf
    return larger + log(-expm1(smaller - larger))


def log_sum(terms: Sequence[float]) -> float:
    """log of the sum of e^term."""
    top = max(terms, default=-inf)
    if isinf(top):
        return top
    return top + log(sum(exp(t - top) for t in terms))


def no_bends(low: float, high: float) -> Sequence[float]:
    return ()


def _bends_at(*points: float) -> Callable[[float, float], Sequence[float]]:
    return lambda low, high: [p for p in points if low < p < high]


def laplace(b: float) -> NoiseLaw:
    def log_above(x: float) -> float:
        return LOG_HALF - x / b if x >= 0 else log1p(-0.5 * exp(x / b))

    def log_below(x: float) -> float:
        return LOG_HALF + x / b if x <= 0 else log1p(-0.5 * exp(-x / b))

    def log_all_above(starts: Sequence[float], slope: float) -> Scalar:
        ends = sorted(a / b for a in starts)
        if ends[-1] - ends[0] > 600:
            return lambda x: sum([log_above(a + slope * x) for a in starts])
        top = ends[-1]
        ratios = [exp(a - top) for a in ends]
        after = [0.0]  # sums of the last ends
        for a in reversed(ends):
            after.append(after[-1] + a)

        def total(x: float) -> float:
            shift = slope * x / b
            if top + shift > 600:
                return sum([log_above(a + slope * x) for a in starts])
            # ends before `first` are so low that the tail is 1, those from `second` on lie above 0
            first, second = bisect_left(ends, -40 - shift), bisect_left(ends, -shift)
            right = len(ends) - second
            half = 0.5 * exp(top + shift)
            value = right * (LOG_HALF - shift) - after[right]
            return value + log(prod([1.0 - half * r for r in ratios[first:second]])) if first < second else value

        return total

    constant = -log(2 * b)
    return NoiseLaw(
        "density", lambda x: constant - abs(x) / b, log_below, log_above, _bends_at(0.0), no_bends, b, (-inf, inf),
        log_all_above=log_all_above,
    )  # fmt: skip


def exponential(mean: float) -> NoiseLaw:
    def log_below(x: float) -> float:
        return log(-expm1(-x / mean)) if x > 0 else -inf

    constant = -log(mean)
    return NoiseLaw(
        "density",
        lambda x: constant - x / mean if x >= 0 else -inf,
        log_below,
        lambda x: -x / mean if x > 0 else 0.0,
        _bends_at(0.0),
        _bends_at(0.0),
        mean,
        (0.0, inf),
    )


def gumbel(b: float) -> NoiseLaw:
    """P(X <= x) = exp(-exp(-x / b))."""

    def tail(x: float) -> float:
        return exp(min(-x / b, 700.0))

    def log_above(x: float) -> float:
        beyond = -expm1(-tail(x))
        return log(beyond) if beyond > 0 else -x / b

    def log_density(x: float) -> float:
        return -log(b) - x / b - tail(x)

    return NoiseLaw(
        "density", log_density, lambda x: -tail(x), log_above, no_bends, no_bends, b, (-inf, inf)
    )  # fmt: skip


def log_normal_above(x: float) -> float:
    """log P(N(0, 1) >= x), also where erfc underflows."""
    if x < 25:
        return log(0.5 * erfc(x / sqrt(2)))
    square = 1 / (x * x)  # Mills' ratio, asymptotic series; at x = 25 the first term left out is below 1e-12
    series = 1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square * (1 - 9 * square))))
    return -x * x / 2 - log(x * sqrt(2 * pi)) + log(series)


def gaussian(sd: float, mean: float = 0.0) -> NoiseLaw:
    def log_all_above(starts: Sequence[float], slope: float) -> Scalar:
        unit = sd * sqrt(2)
        ends = [a / unit for a in starts]
        halves = len(ends) * LOG_HALF

        def total(x: float) -> float:
            shift = slope * x / unit
            product = prod([erfc(a + shift) for a in ends])
            if product > 1e-250:
                return halves + log(product)
            return sum([log_normal_above((a + slope * x) / sd) for a in starts])

        return total

    constant = -log(sd * sqrt(2 * pi))
    return NoiseLaw(
        "density",
        lambda x: constant - ((x - mean) / sd) ** 2 / 2,
        lambda x: log_normal_above((mean - x) / sd),
        lambda x: log_normal_above((x - mean) / sd),
        no_bends,
        no_bends,
        sd,
        (-inf, inf),
        log_all_above=log_all_above if mean == 0 else None,
    )


def geometric(ratio: float) -> NoiseLaw:
    """P(k) proportional to ratio^|k| on the integers."""
    slope = log(ratio)
    constant = log1p(-ratio) - log1p(ratio)

    def log_above(x: float) -> float:
        k = ceil(x) if not isinf(x) else x
        if k >= 1:
            return k * slope - log1p(ratio)
        return log1p(-exp((1 - k) * slope - log1p(ratio)))

    return NoiseLaw(
        "lattice",
        lambda k: constant + abs(k) * slope,
        lambda x: log_above(-x),
        log_above,
        no_bends,
        no_bends,
        max(1.0, -1 / slope),
        (-inf, inf),
    )


def staircase(eps: float, d: float, gamma: float) -> NoiseLaw:
    """Geng & Viswanath 2015: density proportional to e^(-eps k) on [k d, (k + gamma) d), a factor e^-eps lower on the
    rest of the k-th interval, symmetric."""
    low = exp(-eps)
    constant = log(1 - low) - log(2 * d * (gamma + low * (1 - gamma)))

    def log_density(x: float) -> float:
        k = floor(abs(x) / d)
        return constant - eps * (k if abs(x) < (k + gamma) * d else k + 1)

    def log_above(x: float) -> float:
        if x < 0:
            return log1p(-exp(log_above(-x)))
        k = floor(x / d)
        # the k-th interval holds (1 - low) / 2 low^k; beyond x a part of it and all later ones
        tail = log((1 - low) / 2) - eps * k
        part = x / d - k
        weight = gamma + low * (1 - gamma)
        left = (gamma - part + low * (1 - gamma)) if part < gamma else low * (1 - part)
        return tail + log(left / weight + low / (1 - low))

    def bends(lo: float, hi: float) -> Sequence[float]:
        points: list[float] = []
        if isinf(lo) or isinf(hi):
            lo, hi = max(lo, -40 * d), min(hi, 40 * d)
        for k in range(floor(lo / d) - 1, ceil(hi / d) + 2):
            points += [k * d, (k + gamma) * d if k >= 0 else (k + 1 - gamma) * d]
        return [p for p in points if lo < p < hi]

    return NoiseLaw("density", log_density, lambda x: log_above(-x), log_above, bends, bends, d, (-inf, inf))


def uniform(low: float, high: float) -> NoiseLaw:
    width = high - low

    def log_above(x: float) -> float:
        return 0.0 if x <= low else (-inf if x >= high else log((high - x) / width))

    return NoiseLaw(
        "density",
        lambda x: -log(width) if low <= x <= high else -inf,
        lambda x: log_above(low + high - x),
        log_above,
        _bends_at(low, high),
        _bends_at(low, high),
        width / 4,
        (low, high),
    )


def finite(weights: Sequence[tuple[float, float]]) -> NoiseLaw:
    """The law with these (point, weight), normalised."""
    total = sum(w for _, w in weights)
    table: dict[float, float] = {}
    for point, weight in weights:
        table[point] = table.get(point, 0.0) + weight / total
    points = tuple(sorted(p for p in table if table[p] > 0))
    logs = {p: log(table[p]) for p in points}
    return NoiseLaw(
        "finite",
        lambda x: logs.get(x, -inf),
        lambda x: log_sum([logs[p] for p in points if p <= x]),
        lambda x: log_sum([logs[p] for p in points if p >= x]),
        no_bends,
        no_bends,
        1.0,
        (points[0], points[-1]),
        points,
    )


def conditioned(law: NoiseLaw, low: float, high: float) -> NoiseLaw:
    """`law` given that it falls into [low, high]."""
    total = law.log_between(low, high)
    if law.kind == "finite":
        return finite([(p, exp(law.log_density(p))) for p in law.points if low <= p <= high])
    ends = (max(low, law.support[0]), min(high, law.support[1]))

    def bends(lo: float, hi: float) -> Sequence[float]:
        return [p for p in (*law.bends(lo, hi), *ends) if lo < p < hi]

    return NoiseLaw(
        law.kind,
        lambda x: law.log_density(x) - total if low <= x <= high else -inf,
        lambda x: min(0.0, law.log_between(low, min(x, high)) - total),
        lambda x: min(0.0, law.log_between(max(x, low), high) - total),
        bends,
        bends,
        law.scale,
        ends,
    )


def law_from(family: str, arguments: Sequence[float]) -> NoiseLaw | None:
    """The law of that family; None where it is not a scalar noise that this module integrates."""
    match family, len(arguments):
        case (("laplace" | "l2_laplace"), 1):
            return laplace(arguments[0])
        case "exponential", 1:
            return exponential(arguments[0])
        case "gumbel", 1:
            return gumbel(arguments[0])
        case "gaussian", 1:
            return gaussian(arguments[0])
        case "normal", 2:
            return gaussian(arguments[1], arguments[0])
        case "geometric", 1:
            return geometric(arguments[0])
        case "staircase", 3:
            return staircase(*arguments)
        case "uniform", 2:
            return uniform(*arguments)
        case "bernoulli", 1:
            return finite([(0.0, 1 - arguments[0]), (1.0, arguments[0])])
        case "point", 1:
            return finite([(arguments[0], 1.0)])
        case _:
            return None
