"""Exact laws of small noisy tests by quadrature: what every bound is held against. Independent of the code under
test."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

Law = Callable[[np.ndarray], np.ndarray]
GRID = np.linspace(-11.0, 11.0, 6001)


def gaussian_tail(scale: float) -> Law:
    return lambda x: stats.norm.sf(x / scale)


def laplace_tail(scale: float) -> Law:
    return lambda x: stats.laplace.sf(x / scale)


def exponential_tail(scale: float) -> Law:
    return lambda x: stats.expon.sf(x / scale)


def one_end(levels: Sequence[float], sd: float, tail: Law) -> np.ndarray:
    """P(stop at 1), .., P(stop at N), P(never): stop iff level + W >= Z, Z ~ N(0, sd^2), P(W >= x) = tail(x)."""
    weights = stats.norm.pdf(GRID)
    weights /= weights.sum()
    alive = weights.copy()
    out = []
    for level in levels:
        fires = tail(sd * GRID - level)
        out.append(float((alive * fires).sum()))
        alive = alive * (1 - fires)
    return np.array([*out, float(alive.sum())])


def two_ends(
    upper: Sequence[float], lower: Sequence[float], sd: float, tail: Law, shared_look: bool = False
) -> np.ndarray:
    """The law of (step, end) of a test with thresholds of independent noise N(0, sd^2): upper level + W >= Z first,
    else lower level + W' >= Z'. With `shared_look`, W' = -W. Last entry: never."""
    z = np.linspace(-9.0, 9.0, 361)
    weights = np.outer(stats.norm.pdf(z), stats.norm.pdf(z))
    alive = weights / weights.sum()
    out = []
    for up, low in zip(upper, lower, strict=True):
        first = tail(sd * z - up)[:, None]
        second = tail(sd * z - low)[None, :]
        # shared: W >= Z - up, or W <= low - Z' (symmetric law)
        fires_low = np.minimum(second, 1 - first) if shared_look else (1 - first) * second
        out += [float((alive * first).sum()), float((alive * fires_low).sum())]
        alive = alive * (1 - first - fires_low)
    return np.array([*out, float(alive.sum())])


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    seen = p > 1e-13  # what is left out only lowers the divergence
    return float(np.log(np.sum(p[seen] ** order * q[seen] ** (1 - order))) / (order - 1))


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def streams(seed: int, count: int, looks: int, spread: float) -> list[np.ndarray]:
    """Random levels, with some that hover at one place, since those are the hard ones."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(count):
        levels = rng.normal(0, spread, looks)
        if i % 3:
            levels[:] = rng.normal(-spread, spread)
            levels[rng.integers(looks) :] = rng.normal(0, 2 * spread)
        out.append(levels)
    return out


def two_ends_one_threshold(upper: Sequence[float], lower: Sequence[float], sd: float, tail: Law) -> np.ndarray:
    """As `two_ends` with one fresh noise for both ends (symmetric law) and one threshold noise that moves them
    apart."""
    weights = stats.norm.pdf(GRID)
    alive = weights / weights.sum()
    out = []
    for up, low in zip(upper, lower, strict=True):
        first = tail(sd * GRID - up)
        second = np.minimum(tail(sd * GRID - low), 1 - first)
        out += [float((alive * first).sum()), float((alive * second).sum())]
        alive = alive * (1 - first - second)
    return np.array([*out, float(alive.sum())])
