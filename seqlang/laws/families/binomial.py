"""binomial(n, p): successes among n independent trials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.numbers import HALF_LOG_TWO_PI, clipped_probability, deviance, stirling_error
from seqlang.process.late import NDArray, np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "binomial", (Parameter("n", "natural"), Parameter("p", "probability")), "points", "arguments",
    noise=True, has_mean=True, bounded=True, whole=True,
)  # fmt: skip
NEEDS = "a whole number of trials >= 0 and a probability"
HOLES = {
    "translation": "a translation leaves its support",
    "quantile": "it has no closed form, and no reader inverts it",
    "numpy quantile": "it has no closed form, and no reader inverts it",
    "transcript": "as a noise it is not integrated; as a formula it is evaluated",
}


def valid(n: Any, p: Any) -> Any:
    return (n >= 0.0) & (n % 1.0 == 0.0) & (p >= -1e-12) & (p <= 1.0 + 1e-12)


def log_mass(k: float, n: float, p: float) -> float:
    """For whole k in 0 .. n and p in (0, 1)."""
    if k == 0.0:
        return n * math.log1p(-p)
    if k == n:
        return n * math.log(p)
    ways = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    ways -= deviance(k, n * p) + deviance(n - k, n * (1.0 - p))
    return ways - 0.5 * math.log(k * ((n - k) / n)) - HALF_LOG_TWO_PI


def density(x: float, n: float, p: float) -> float:
    chance = clipped_probability(p)
    if not (0.0 <= x <= n) or x != math.floor(x):
        return 0.0
    if chance == 0.0 or chance == 1.0:
        return 1.0 if x == n * chance else 0.0
    return math.exp(log_mass(x, n, chance))


def cdf(x: float, n: float, p: float) -> float:
    """By the masses on that side of x where there is less."""
    chance = clipped_probability(p)
    if x < 0.0:
        return 0.0
    if x >= n or chance == 0.0:
        return 1.0
    if chance == 1.0:
        return 0.0
    k = float(math.floor(x))
    if k < n * chance:
        return mass_below(k, n, chance)
    return 1.0 - mass_below(n - k - 1.0, n, 1.0 - chance)


def mass_below(k: float, n: float, p: float) -> float:
    """The masses of 0 .. k, from the largest down; k is below the mean."""
    mass, total = math.exp(log_mass(k, n, p)), 0.0
    while k >= 0.0 and mass > 1e-18 * total:
        total += mass
        mass *= k / (n - k + 1.0) * ((1.0 - p) / p)
        k -= 1.0
    return total


def sample(random: Random, n: float, p: float) -> int:
    return sum(1 for _ in range(int(n)) if random.random() < p)


def sample_words(s: NDArray[np.uint64], n: float, p: float) -> float:
    if not valid(n, p):
        return math.nan
    if p > 0.5:
        return n - successes(s, n, clipped_probability(1.0 - p))
    return successes(s, n, clipped_probability(p))


def successes(s: NDArray[np.uint64], n: float, p: float) -> float:
    """For p <= 1/2."""
    from seqlang.laws.families.poisson import FEWEST_BY_REJECTION

    if p == 0.0 or n == 0.0:
        return 0.0
    return by_inversion(s, n, p) if n * p < FEWEST_BY_REJECTION else by_rejection(s, n, p)


def by_inversion(s: NDArray[np.uint64], n: float, p: float) -> float:
    """Adds up masses; one word."""
    from seqlang.laws.families.poisson import MOST_BY_INVERSION
    from seqlang.laws.variates.words import uniform

    left, mass, k, odds = uniform(s), math.exp(n * math.log1p(-p)), 0.0, p / (1.0 - p)
    while left >= mass and k < n and k < MOST_BY_INVERSION:
        left -= mass
        k += 1.0
        mass *= (n - k + 1.0) / k * odds
    return k


def by_rejection(s: NDArray[np.uint64], n: float, p: float) -> float:
    """Transformed rejection with squeeze (Hörmann 1993, algorithm BTRS)."""
    from seqlang.laws.variates.words import uniform

    sd = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sd
    a = -0.0873 + 0.0248 * b + 0.01 * p
    bar = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * sd
    while True:
        u, v = uniform(s) - 0.5, uniform(s)
        end = 0.5 - abs(u)
        k = math.floor((2.0 * a / end + b) * u + n * p + 0.5)
        if end >= 0.07 and v <= bar:
            return float(k)
        if k < 0.0 or k > n:
            continue
        mode = log_mass(math.floor((n + 1.0) * p), n, p)
        if math.log(v * scale / (a / (end * end) + b)) <= log_mass(k, n, p) - mode:
            return float(k)


def centre(n: float, p: float) -> int:
    return round(n * p)


def densities(x: Any, n: Any, p: Any) -> Any:
    from seqlang.laws.arrays import deviances, stirling_errors

    n, p = np.asarray(n, dtype=np.float64), np.clip(np.asarray(p, dtype=np.float64), 0.0, 1.0)
    k = np.clip(x, 0, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = stirling_errors(n) - stirling_errors(k) - stirling_errors(n - k)
        logs = logs - deviances(k, n * p) - deviances(n - k, n * (1.0 - p))
        logs = logs - 0.5 * np.log(k * ((n - k) / n)) - HALF_LOG_TWO_PI
        logs = np.where(k == n, n * np.log(p), np.where(k == 0, n * np.log1p(-p), logs))
    sure = np.where(p == 0, k == 0, k == n)  # where p is 0 or 1
    masses = np.where((p == 0) | (p == 1) | (n == 0), sure | (n == 0), np.exp(logs))
    inside = (np.asarray(x) >= 0) & (np.asarray(x) <= n) & (np.floor(x) == x)
    return np.where(inside, masses, 0.0)


def cdfs(x: Any, n: Any, p: Any) -> Any:
    last = np.floor(x)
    return np.minimum(sum(np.where(k <= last, densities(float(k), n, p), 0.0) for k in values(n, p)), 1.0)


def samples(uniform: Any, shape: tuple[int, ...], n: Any, p: Any) -> Any:
    from seqlang.laws.arrays import inverted

    return np.minimum(inverted(uniform(shape), lambda k: densities(k, n, p), int(np.max(n))), n)


def values(n: Any, p: Any) -> tuple[float, ...]:
    """The mass beyond a run's own n is 0."""
    return tuple(range(int(n.max() if hasattr(n, "max") else n) + 1))


def atoms(tail: float, n: float, p: float) -> tuple[Any, Any]:
    from seqlang.laws.arrays import from_ratios, whole_numbers

    if not 0 < p < 1 or n == 0:
        return np.array([float(n) if p >= 1 else 0.0]), np.ones(1)
    k = whole_numbers(0, n - 1)
    return from_ratios(np.log((n - k) / (k + 1)) + math.log(p) - math.log1p(-p), int(p * n), 0)
