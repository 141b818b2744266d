"""gaussian(sd), noise: the normal law with mean 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, Parameter
from seqlang.laws.families import normal

if TYPE_CHECKING:
    from random import Random

FACTS = Facts(
    "gaussian",
    (Parameter("sd", "scale"),),
    "density",
    "line",
    noise=True,
    symmetric=True,
    has_mean=True,
    unit_scale=True,
    light_tails=True,
    curve="gaussian",
)
NEEDS = "a finite sd >= 0"
HOLES = {
    "translation": "its density ratio has no bound; Gaussian releases have rules of their own",
    "numpy quantile": "a conditioned normal draw is made by rejection",
}
VARIATE = "normal"


def valid(sd: Any) -> Any:
    return (sd >= 0.0) & (sd < math.inf)


def density(x: float, sd: float) -> float:
    return normal.density(x, 0.0, sd)


def cdf(x: float, sd: float) -> float:
    return normal.cdf(x, 0.0, sd)


def quantile(p: float, sd: float) -> float:
    return normal.quantile(p, 0.0, sd)


def from_variate(z: float, sd: float) -> float:
    return sd * z


def sample(random: Random, sd: float) -> float:
    return normal.sample(random, 0.0, sd)


def log_density(x: float, sd: float) -> float:
    return normal.log_density(x, 0.0, sd)


def log_below(x: float, sd: float) -> float:
    return normal.log_below(x, 0.0, sd)


def log_above_all(starts: Sequence[float], slope: float, sd: float) -> Callable[[float], float]:
    return normal.log_above_all(starts, slope, 0.0, sd)


def densities(x: Any, sd: Any) -> Any:
    return normal.densities(x, 0.0, sd)


def cdfs(x: Any, sd: Any) -> Any:
    return normal.cdfs(x, 0.0, sd)


def samples(uniform: Any, shape: tuple[int, ...], sd: Any) -> Any:
    return normal.samples(uniform, shape, 0.0, sd)
