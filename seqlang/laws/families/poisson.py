"""poisson(mean). A mean of 0, which a run may come to, is the constant 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.numbers import HALF_LOG_TWO_PI, deviance, stirling_error
from seqlang.process.late import NDArray, np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts("poisson", (Parameter("mean", "scale"),), "points", "counts", noise=True, has_mean=True, whole=True)
NEEDS = "a mean >= 0"
HOLES = {
    "translation": "downwards it leaves its support, upwards its ratios have no bound",
    "quantile": "it has no closed form, and no reader inverts it",
    "numpy quantile": "it has no closed form, and no reader inverts it",
    "numpy cdf": "a sum of masses would need one array each; no spec asks for it",
    "transcript": "as a noise it is not integrated; as a formula it is evaluated",
}

PIECE = 30.0
"""exp(-30) is far from underflow; larger means are sums of independent pieces."""
FEWEST_BY_REJECTION = 10.0
MOST_BY_INVERSION = 200.0
"""A law of mean below 10 is above this with a probability below 1e-150."""
LONGEST_TABLE = 1_000_000
LARGEST_ON_ARRAYS = 700.0
"""exp(-mean) is a number."""


def valid(mean: Any) -> Any:
    return (mean >= 0.0) & (mean < math.inf)


def log_mass(k: float, mean: float) -> float:
    """For whole k >= 0 and mean > 0."""
    if k == 0.0:
        return -mean
    return -stirling_error(k) - deviance(k, mean) - 0.5 * math.log(k) - HALF_LOG_TWO_PI


def density(x: float, mean: float) -> float:
    if not (0.0 <= x < math.inf) or x != math.floor(x):
        return 0.0
    if mean == 0.0:
        return 1.0 if x == 0.0 else 0.0
    return math.exp(log_mass(x, mean))


def cdf(x: float, mean: float) -> float:
    """By the masses on that side of x where there is less."""
    if x < 0.0:
        return 0.0
    if mean == 0.0 or x == math.inf:
        return 1.0
    k = float(math.floor(x))
    if k < mean:
        return mass_below(k, mean)
    k += 1.0
    mass, total = math.exp(log_mass(k, mean)), 0.0
    while mass > 1e-18 * total:
        total += mass
        k += 1.0
        mass *= mean / k
    return 1.0 - total


def mass_below(k: float, mean: float) -> float:
    """The masses of 0 .. k, from the largest down."""
    mass, total = math.exp(log_mass(k, mean)), 0.0
    while k >= 0.0 and mass > 1e-18 * total:
        total += mass
        mass *= k / mean
        k -= 1.0
    return total


def sample(random: Random, mean: float) -> int:
    from seqlang.laws.law import open_unit

    count, left = 0, float(mean)
    while left > 0:
        piece = min(left, PIECE)
        left -= piece
        bar, product = math.exp(-piece), open_unit(random)
        while product > bar:
            count += 1
            product *= open_unit(random)
    return count


def sample_words(s: NDArray[np.uint64], mean: float) -> float:
    if not valid(mean):
        return math.nan
    return by_inversion(s, mean) if mean < FEWEST_BY_REJECTION else by_rejection(s, mean)


def by_inversion(s: NDArray[np.uint64], mean: float) -> float:
    """Adds up masses; one word."""
    from seqlang.laws.variates.words import uniform

    left, mass, k = uniform(s), math.exp(-mean), 0.0
    while left >= mass and k < MOST_BY_INVERSION:
        left -= mass
        k += 1.0
        mass *= mean / k
    return k


def by_rejection(s: NDArray[np.uint64], mean: float) -> float:
    """Transformed rejection with squeeze (Hörmann 1993, algorithm PTRS)."""
    from seqlang.laws.variates.words import uniform

    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    scale = 1.1239 + 1.1328 / (b - 3.4)
    bar = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u, v = uniform(s) - 0.5, uniform(s)
        end = 0.5 - abs(u)
        k = math.floor((2.0 * a / end + b) * u + mean + 0.43)
        if end >= 0.07 and v <= bar:
            return float(k)
        if k < 0.0 or (end < 0.013 and v > end):
            continue
        if math.log(v * scale / (a / (end * end) + b)) <= log_mass(k, mean):
            return float(k)


def centre(mean: float) -> int:
    return math.floor(mean)


def densities(x: Any, mean: Any) -> Any:
    from seqlang.laws.arrays import deviances, stirling_errors

    mean = np.asarray(mean, dtype=np.float64)
    k = np.maximum(x, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = -stirling_errors(k) - deviances(k, mean) - 0.5 * np.log(k) - HALF_LOG_TWO_PI
        mass = np.exp(np.where(k > 0, logs, -mean))
    return np.where((np.asarray(x) >= 0) & (np.floor(x) == x) & ((mean > 0) | (k == 0)), mass, 0.0)


def samples(uniform: Any, shape: tuple[int, ...], mean: Any) -> Any:
    from seqlang.laws.arrays import inverted
    from seqlang.laws.law import NotInArrays

    if np.any(np.greater(mean, LARGEST_ON_ARRAYS)):
        raise NotInArrays("a poisson law of mean above 700")
    return inverted(uniform(shape), lambda k: densities(k, mean), LONGEST_TABLE)


def atoms(tail: float, mean: float) -> tuple[Any, Any]:
    from seqlang.laws.arrays import from_ratios, whole_numbers

    if mean == 0:
        return np.zeros(1), np.ones(1)
    first = max(0, math.floor(mean - 40 * math.sqrt(mean) - 40))
    last = math.ceil(mean + 40 * math.sqrt(mean) + 400)
    k = whole_numbers(first, last - 1)
    return from_ratios(math.log(mean) - np.log(k + 1), int(mean) - first, first)
