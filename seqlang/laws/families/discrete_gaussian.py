"""discrete_gaussian(sd) on the whole numbers: P(k) proportional to exp(-k^2 / (2 sd^2)).

Translation has no bounded cost: log P falls faster and faster.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.families import geometric
from seqlang.laws.numbers import whole
from seqlang.process.late import NDArray, np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "discrete_gaussian",
    (Parameter("sd", "scale"),),
    "points",
    "whole numbers",
    noise=True,
    symmetric=True,
    has_mean=True,
    whole=True,
)
NEEDS = "a positive sd"
HOLES = {
    "translation": "its ratios have no bound; rules/mechanism/discrete_gaussian has its own",
    "quantile": "it has no closed form, and no reader inverts it",
    "numpy quantile": "it has no closed form, and no reader inverts it",
    "numpy cdf": "a sum of masses would need one array each; no spec asks for it",
    "transcript": "its tails have no closed form; as a formula it is evaluated",
}
LONGEST_SUM = 1000.0
"""The standard deviation up to which masses are added up one by one."""


def valid(sd: Any) -> Any:
    return (sd > 0.0) & (sd < math.inf)


def total(sd: float) -> float:
    """The sum of all exp(-k^2 / (2 sd^2)), by Poisson summation where that is shorter."""
    if sd > 2.0:
        turn = math.pi * sd
        return math.sqrt(2.0 * math.pi) * sd * (1.0 + 2.0 * math.exp(-2.0 * turn * turn))
    return 1.0 + 2.0 * beyond(1.0, sd)


def beyond(k: float, sd: float) -> float:
    """The sum of exp(-j^2 / (2 sd^2)) over j >= k, for k >= 0; of many terms by the formula of Euler and Maclaurin, of
    which the first term that is left out is z^5 / (30240 sd^5) of the first mass, z = k / sd (NIST DLMF 2.10.1)."""
    if sd > LONGEST_SUM:
        z = k / sd
        integral = sd * math.sqrt(math.pi / 2.0) * math.erfc(z / math.sqrt(2.0))
        third = z * (3.0 - z * z) / 720.0 / sd / sd / sd
        return integral + math.exp(-0.5 * z * z) * (0.5 + z / (12.0 * sd) + third)
    z = k / sd
    found, weight = 0.0, math.exp(-0.5 * z * z)
    while weight > 1e-18 * found:
        found += weight
        k += 1.0
        z = k / sd
        weight = math.exp(-0.5 * z * z)
    return found


def density(x: float, sd: float) -> float:
    z = x / sd
    return math.exp(-0.5 * z * z) / total(sd) if whole(x) else 0.0


def cdf(x: float, sd: float) -> float:
    """Time grows with sd; the sum begins with the largest mass beyond x."""
    if x == math.inf:
        return 1.0
    if x == -math.inf:
        return 0.0
    k = float(math.floor(x))
    if k < 0.0:
        return beyond(-k, sd) / total(sd)
    return 1.0 - beyond(k + 1.0, sd) / total(sd)


def sample(random: Random, sd: float) -> int:
    """Rejection from two-sided geometric noise (Canonne, Kamath & Steinke 2020, Algorithm 3)."""
    t = math.floor(sd) + 1
    while True:
        k = geometric.sample_of_spread(random, t)
        z = abs(k) / sd - sd / t
        if random.random() <= math.exp(-0.5 * z * z):
            return k


def sample_words(s: NDArray[np.uint64], sd: float) -> float:
    """The same; an event of probability exp(-x) is that an exponential variate exceeds x."""
    from seqlang.laws.variates.ziggurat import sample_standard_exponential

    if not valid(sd):
        return math.nan
    spread = math.floor(sd) + 1.0
    while True:
        k = geometric.of_spread(s, spread)
        z = abs(k) / sd - sd / spread
        if sample_standard_exponential(s) >= 0.5 * z * z:
            return k


def densities(x: Any, sd: Any) -> Any:
    z = np.asarray(x) / sd
    return np.where(np.floor(x) == x, np.exp(-0.5 * z * z) / total(_one(sd)), 0.0)


def samples(uniform: Any, shape: tuple[int, ...], sd: Any) -> Any:
    """By the table of the distribution function up to 40 standard deviations: one uniform a draw."""
    from seqlang.laws.arrays import whole_numbers

    sd = _one(sd)
    reach = math.ceil(40 * sd) + 1
    masses = np.exp(-((whole_numbers(-reach, reach) / sd) ** 2) / 2)
    table = np.cumsum(masses / masses.sum())
    places = np.searchsorted(table, uniform(shape), side="left")
    return np.asarray(np.minimum(places, 2 * reach) - reach, dtype=np.float64)


def atoms(tail: float, sd: float) -> tuple[Any, Any]:
    """All points whose mass is a double above 0: what lies beyond is less than any tail."""
    from seqlang.laws.arrays import whole_numbers

    reach = math.ceil(38 * sd) + 1
    k = whole_numbers(-reach, reach)
    return k, densities(k, sd)


def _one(sd: Any) -> float:
    from seqlang.laws.law import NotInArrays

    if np.size(sd) != 1:
        raise NotInArrays("a discrete_gaussian whose sd differs from run to run")
    return float(np.ravel(sd)[0])
