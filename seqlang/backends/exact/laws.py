"""Scalar noise laws for exact integration: logarithms of tails, densities, where they bend.

Everything is in logarithms, so that a probability of 1e-300 keeps its relative accuracy. `below` and `above` include
their end: P(X <= x) and P(X >= x).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, erfc, exp, expm1, floor, inf, isinf, log, log1p, pi, sqrt

from seqlang.record import record

Scalar = Callable[[float], float]
LOG_HALF = -log(2)


@record
class NoiseLaw:
    """A law on the line. `kind`: "density", "lattice" (the integers) or "finite" (then `points` lists them).

    `log_density` is the log density, for the other kinds the log probability of a point. `bends(lo, hi)` are the points
    in (lo, hi) where the density is not smooth, `tail_bends` those where the tails have no derivative. `scale` is a
    length on which the density changes much. `support` has the ends of the support.
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
        if self.log_above(low) <= LOG_HALF:
            return log_minus(self.log_above(low), self.log_above(floor(high) + step if step else high))
        if self.log_below(high) <= LOG_HALF:
            return log_minus(self.log_below(high), self.log_below(ceil(low) - step if step else low))
        outside = exp(self.log_below(ceil(low) - step if step else low)) + exp(
            self.log_above(floor(high) + step if step else high)
        )
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

    constant = -log(2 * b)
    return NoiseLaw(
        "density", lambda x: constant - abs(x) / b, log_below, log_above, _bends_at(0.0), no_bends, b, (-inf, inf)
    )


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


def log_normal_above(x: float) -> float:
    """log P(N(0, 1) >= x), also where erfc underflows."""
    if x < 25:
        return log(0.5 * erfc(x / sqrt(2)))
    square = 1 / (x * x)  # Mills' ratio, asymptotic series; at x = 25 the first term left out is below 1e-12
    series = 1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square * (1 - 9 * square))))
    return -x * x / 2 - log(x * sqrt(2 * pi)) + log(series)


def gaussian(sd: float, mean: float = 0.0) -> NoiseLaw:
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
        case ("laplace" | "l2_laplace"), 1:
            return laplace(arguments[0])
        case "exponential", 1:
            return exponential(arguments[0])
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
