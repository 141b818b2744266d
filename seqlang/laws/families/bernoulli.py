"""bernoulli(p): 1 with probability p, else 0. A probability is forgiven the rounding of one operation, 1e-12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.numbers import clipped_probability
from seqlang.process.late import np

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "bernoulli",
    (Parameter("p", "probability"),),
    "points",
    "listed",
    has_mean=True,
    bounded=True,
    underflows=False,
    plain_masses=True,
    whole=True,
)
NEEDS = "a probability"
HOLES = {
    "translation": "a translation leaves its support",
    "quantile": "it is a comparison",
    "numpy quantile": "it is a comparison",
}
VARIATE = "uniform"


def valid(p: Any) -> Any:
    return (p >= -1e-12) & (p <= 1.0 + 1e-12)


def density(x: float, p: float) -> float:
    chance = clipped_probability(p)
    return chance if x == 1.0 else (1.0 - chance if x == 0.0 else 0.0)


def cdf(x: float, p: float) -> float:
    return 1.0 if x >= 1.0 else (1.0 - clipped_probability(p) if x >= 0.0 else 0.0)


def sample(random: Random, p: float) -> int:
    return 1 if random.random() < p else 0


def from_variate(z: float, p: float) -> float:
    return 1.0 if z < p else 0.0


def centre(p: float) -> int:
    return 1 if p > 0.5 else 0


def densities(x: Any, p: Any) -> Any:
    return np.where(np.equal(x, 1), p, np.where(np.equal(x, 0), 1 - np.asarray(p), 0.0))


def cdfs(x: Any, p: Any) -> Any:
    return np.where(np.greater_equal(x, 1), 1.0, np.where(np.greater_equal(x, 0), 1 - np.asarray(p), 0.0))


def samples(uniform: Any, shape: tuple[int, ...], p: Any) -> Any:
    return np.asarray(uniform(shape) < p, dtype=np.float64)


def values(p: Any) -> tuple[float, ...]:
    return (0, 1)


def atoms(tail: float, p: float) -> tuple[Any, Any]:
    return np.array([0.0, 1.0]), np.array([1.0 - p, p])
