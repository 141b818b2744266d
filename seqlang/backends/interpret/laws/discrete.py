"""Laws with a probability mass function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.backends.interpret.laws.continuous import open_unit
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.values import EvaluationError, Value, as_index, describe

if TYPE_CHECKING:
    from random import Random

POISSON_PIECE = 30.0  # exp(-30) is far from underflow; larger means are sums of independent pieces


def probability(name: str, value: Value) -> float:
    """`value` as a float if it lies in [0, 1], with the rounding of one operation forgiven; else an error."""
    if not -1e-12 <= value <= 1 + 1e-12:
        raise EvaluationError(f"{name} needs a probability, this is {describe(value)}")
    return min(1.0, max(0.0, float(value)))


def _whole(x: Value) -> bool:
    return bool(x == math.floor(x)) if math.isfinite(x) else False


class Bernoulli(LawValue):
    """1 with probability p, else 0."""

    __slots__ = ("p",)
    name = "bernoulli"
    discrete = True

    def __init__(self, p: Value) -> None:
        self.p = probability("bernoulli", p)

    def sample(self, random: Random) -> int:
        return 1 if random.random() < self.p else 0

    def centre(self) -> int:
        return 1 if self.p > 0.5 else 0

    def pmf(self, x: Value) -> float:
        return self.p if x == 1 else 1 - self.p if x == 0 else 0.0

    def cdf(self, x: Value) -> float:
        return 1.0 if x >= 1 else 1 - self.p if x >= 0 else 0.0

    def support(self) -> tuple[Value, ...]:
        return (0, 1)


class Binomial(LawValue):
    """Successes among n independent trials."""

    __slots__ = ("n", "p")
    name = "binomial"
    discrete = True

    def __init__(self, n: Value, p: Value) -> None:
        self.n = as_index(n)
        self.p = probability("binomial", p)
        if self.n < 0:
            raise EvaluationError(f"binomial needs a whole number of trials >= 0, this is {describe(n)}")

    def sample(self, random: Random) -> int:
        return sum(1 for _ in range(self.n) if random.random() < self.p)

    def centre(self) -> int:
        return round(self.n * self.p)

    def pmf(self, x: Value) -> float:
        if not _whole(x) or not 0 <= x <= self.n:
            return 0.0
        k = int(x)
        if self.p in (0.0, 1.0):
            return 1.0 if k == self.n * self.p else 0.0
        log_ways = math.lgamma(self.n + 1) - math.lgamma(k + 1) - math.lgamma(self.n - k + 1)
        if self.n < 1000:
            return math.comb(self.n, k) * self.p**k * (1 - self.p) ** (self.n - k)
        return math.exp(log_ways + k * math.log(self.p) + (self.n - k) * math.log1p(-self.p))

    def cdf(self, x: Value) -> float:
        return min(1.0, math.fsum(self.pmf(k) for k in range(min(self.n, math.floor(x)) + 1))) if x >= 0 else 0.0

    def support(self) -> tuple[Value, ...]:
        return tuple(range(self.n + 1))


class Poisson(LawValue):
    """Poisson with the given mean."""

    __slots__ = ("mean",)
    name = "poisson"
    discrete = True

    def __init__(self, mean: Value) -> None:
        if not 0 <= mean < math.inf:
            raise EvaluationError(f"poisson needs a mean >= 0, this is {describe(mean)}")
        self.mean = float(mean)

    def sample(self, random: Random) -> int:
        count, left = 0, self.mean
        while left > 0:
            piece = min(left, POISSON_PIECE)
            left -= piece
            bar, product = math.exp(-piece), open_unit(random)
            while product > bar:
                count += 1
                product *= open_unit(random)
        return count

    def centre(self) -> int:
        return math.floor(self.mean)

    def pmf(self, x: Value) -> float:
        if not _whole(x) or x < 0:
            return 0.0
        if self.mean == 0:
            return 1.0 if x == 0 else 0.0
        return math.exp(x * math.log(self.mean) - self.mean - math.lgamma(x + 1))

    def cdf(self, x: Value) -> float:
        return min(1.0, math.fsum(self.pmf(k) for k in range(math.floor(x) + 1))) if x >= 0 else 0.0


class Geometric(LawValue):
    """Two-sided on the whole numbers: P(k) = (1 - ratio) / (1 + ratio) * ratio^|k|."""

    __slots__ = ("ratio",)
    name = "geometric"
    discrete = True

    def __init__(self, ratio: Value) -> None:
        if not 0 <= ratio < 1:
            raise EvaluationError(f"geometric needs a ratio in [0, 1), this is {describe(ratio)}")
        self.ratio = float(ratio)

    def sample(self, random: Random) -> int:
        """The difference of two independent one-sided geometric variables has this law."""
        if self.ratio == 0:
            return 0
        log_ratio = math.log(self.ratio)
        first = math.floor(math.log(open_unit(random)) / log_ratio)
        return first - math.floor(math.log(open_unit(random)) / log_ratio)

    def centre(self) -> int:
        return 0

    def pmf(self, x: Value) -> float:
        if not _whole(x):
            return 0.0
        return float((1 - self.ratio) / (1 + self.ratio) * self.ratio ** abs(x))

    def cdf(self, x: Value) -> float:
        k = math.floor(x)
        if k < 0:
            return float(self.ratio**-k / (1 + self.ratio))
        return float(1 - self.ratio ** (k + 1) / (1 + self.ratio))


class DiscreteGaussian(LawValue):
    """On the whole numbers: P(k) proportional to exp(-k^2 / (2 sd^2))."""

    __slots__ = ("sd",)
    name = "discrete_gaussian"
    discrete = True

    def __init__(self, sd: Value) -> None:
        if not sd > 0:
            raise EvaluationError(f"discrete_gaussian needs a positive sd, this is {describe(sd)}")
        self.sd = float(sd)

    def sample(self, random: Random) -> int:
        """Rejection from two-sided geometric noise (Canonne, Kamath & Steinke 2020, Algorithm 3)."""
        t = math.floor(self.sd) + 1
        proposal = Geometric(math.exp(-1 / t))
        while True:
            k = proposal.sample(random)
            if random.random() <= math.exp(-((abs(k) - self.sd**2 / t) ** 2) / (2 * self.sd**2)):
                return k

    def centre(self) -> int:
        return 0

    def pmf(self, x: Value) -> float:
        return math.exp(-(x**2) / (2 * self.sd**2)) / self._total() if _whole(x) else 0.0

    def cdf(self, x: Value) -> float:
        k = math.floor(x)
        if k >= 0:
            return 1.0 - self.cdf(-k - 1)
        # smallest terms first; they are below rounding beyond 40 standard deviations
        low = min(k, -math.ceil(40 * self.sd))
        return math.fsum(math.exp(-(j**2) / (2 * self.sd**2)) for j in range(low, k + 1)) / self._total()

    def _total(self) -> float:
        """The sum of all weights: as it stands, or by Poisson summation where there are many."""
        if self.sd > 2:
            s = math.sqrt(2 * math.pi) * self.sd
            return s * (1 + 2 * math.exp(-2 * (math.pi * self.sd) ** 2))
        reach = math.ceil(40 * self.sd)
        return 1 + 2 * math.fsum(math.exp(-(j**2) / (2 * self.sd**2)) for j in range(1, reach + 1))


class Point(LawValue):
    """One value, surely."""

    __slots__ = ("value",)
    name = "point"
    discrete = True
    joint = True

    def __init__(self, value: Value) -> None:
        self.value = value

    def sample(self, random: Random) -> Value:
        return self.value

    def centre(self) -> Value:
        return self.value

    def pmf(self, x: Value) -> float:
        return 1.0 if x == self.value else 0.0

    def cdf(self, x: Value) -> float:
        return 1.0 if x >= self.value else 0.0

    def support(self) -> tuple[Value, ...]:
        return (self.value,)


class Table(LawValue):
    """Values with weights, normalised: `{v: w, ..}`, and `uniform` on a set. Equal values add their weights."""

    __slots__ = ("table", "total")
    name = "weights"
    discrete = True

    def __init__(self, pairs: tuple[tuple[Value, Value], ...], name: str = "weights") -> None:
        self.table: dict[Value, float] = {}
        for value, weight in pairs:
            if not 0 <= weight < math.inf:
                raise EvaluationError(f"the weight of {describe(value)} must be finite and >= 0: {describe(weight)}")
            self.table[value] = self.table.get(value, 0.0) + float(weight)
        self.total = math.fsum(self.table.values())
        if not 0 < self.total < math.inf:
            raise EvaluationError(f"{name} needs weights with a positive sum, this is {describe(self.total)}")

    def sample(self, random: Random) -> Value:
        left = random.random() * self.total
        chosen = None
        for value, weight in self.table.items():
            if weight > 0:
                chosen = value
                left -= weight
                if left < 0:
                    break
        return chosen

    def centre(self) -> Value:
        return max(self.table, key=lambda v: self.table[v])

    def pmf(self, x: Value) -> float:
        return self.table.get(x, 0.0) / self.total

    def cdf(self, x: Value) -> float:
        return math.fsum(w for v, w in self.table.items() if v <= x) / self.total

    def support(self) -> tuple[Value, ...]:
        return tuple(self.table)


class Flip(LawValue):
    """Randomised response over an alphabet of `size`: how many places on the alphabet's circle the value moves.

    0 (the truth) with probability `truth`, else 1 .. size - 1 with equal chances.
    """

    __slots__ = ("size", "truth")
    name = "randomized_response"
    discrete = True

    def __init__(self, truth: Value, size: int = 2) -> None:
        self.truth = probability("randomized_response", truth)
        self.size = size

    def over(self, size: int) -> Flip:
        return Flip(self.truth, size)

    def sample(self, random: Random) -> int:
        if random.random() < self.truth or self.size < 2:
            return 0
        return 1 + math.floor(random.random() * (self.size - 1))

    def centre(self) -> int:
        return 0

    def pmf(self, x: Value) -> float:
        return self.truth if x == 0 else (1 - self.truth) / (self.size - 1) if x in range(1, self.size) else 0.0
