"""The privacy loss of one part on the grid i h, from above.

A pair of laws whose loss lies between two neighbouring grid points is made from a pair with losses at these points only
by forgetting which it was; the masses follow from those of both laws ("connect the dots", Doroshenko et al. 2022). So
every interval of losses goes to its two ends, with both laws' masses kept. Losses above the grid become infinite, those
below it are raised to its lowest point. Every rounding puts mass up: sums of losses grow with each of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure, Subsampled
from seqlang.process.late import np
from seqlang.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROUNDING = 2.0**-52
CELLS = 4_000_000
"""No finer grid than this for one part."""


class TooFine(ValueError):
    """A part would need more than `CELLS` cells: take a larger step."""


@record
class Losses:
    """`masses[i]` is at least the chance of the loss (first + i) step in one of `count` uses, in the order of the
    stochastic order; `infinite` is at least the chance of any loss beyond; true losses are at most `slack` above."""

    first: int
    masses: Array
    infinite: float
    slack: float
    count: int


def losses(part: Part, step: float, tail: float, added: bool) -> Losses:
    """`tail`: how much mass may be called infinite; `added`: neighbours in the other order (a record is added)."""
    match part:
        case Pure(epsilon, count) | BoundedRange(epsilon, count):
            p = 1 / (1 + math.exp(-epsilon))
            return _on_grid([(epsilon, p), (-epsilon, math.exp(-epsilon) * p)], step, count)
        case Laplace(shift, count):
            return _laplace(shift, count, step)
        case Gaussian(mu):
            return _gaussian(mu, step, tail)
        case Subsampled(rate, sigma, replace, count):
            return _subsampled(rate, sigma, replace, count, step, tail, added)


def _on_grid(atoms: list[tuple[float, float]], step: float, count: int) -> Losses:
    """Single losses, each split between its two neighbours on the grid."""
    low = min(math.floor(loss / step) for loss, _ in atoms)
    high = max(math.floor(loss / step) for loss, _ in atoms) + 1
    if high - low > CELLS:
        raise TooFine(f"a grid of {high - low} cells is too fine for one part")
    masses = np.zeros(high - low + 1)
    for loss, mass in atoms:
        cell = math.floor(loss / step)
        share = min(1.0, -math.expm1(cell * step - loss) / -math.expm1(-step) + 16 * (1 + abs(loss)) * ROUNDING / step)
        whole = mass * (1 + 16 * (1 + abs(loss)) * ROUNDING)
        masses[cell - low + 1] += whole * share
        masses[cell - low] += whole * max(0.0, 1 - share)
    return Losses(low, masses * (1 + 8 * ROUNDING), 0.0, 8 * ROUNDING * (1 + abs(high * step)), count)


def _laplace(shift: float, count: int, step: float) -> Losses:
    """Under Lap(0) against Lap(t), the loss is t with chance 1/2, -t with chance e^-t/2, and t - 2x for 0 < x < t."""
    atoms = _on_grid([(shift, 0.5), (-shift, 0.5 * math.exp(-shift))], step, count)
    first = math.floor(-shift / step)
    edges = np.clip(np.arange(first, math.floor(shift / step) + 2) * step, -shift, shift)
    # density e^((l - t)/2)/4 of the loss under the first law, and e^-l times that under the second
    p = -0.5 * np.exp((edges[1:] - shift) / 2) * np.expm1((edges[:-1] - edges[1:]) / 2)
    p = np.maximum(p, 0.0)
    # the mean of e^(left - l) over the cell, l between left and right, under the first law
    q = 0.5 * np.exp((edges[:-1] - shift) / 2) * -np.expm1((edges[:-1] - edges[1:]) / 2)
    lowered = np.exp(np.arange(first, first + len(p)) * step - edges[:-1])
    error = 16 * (1 + shift) * ROUNDING * (p + q)
    masses = _split(p, q * lowered, error, error, step)
    total = np.zeros(max(len(masses), len(atoms.masses)))
    total[: len(masses)] += masses
    total[: len(atoms.masses)] += atoms.masses
    return Losses(first, total * (1 + 8 * ROUNDING), 0.0, atoms.slack, count)


def _gaussian(mu: float, step: float, tail: float) -> Losses:
    """Loss mu x - mu^2/2 under N(mu, 1) against N(0, 1)."""
    reach = math.sqrt(2 * math.log(1 / tail))
    low, high = math.floor(mu * (mu / 2 - reach) / step), math.ceil(mu * (mu / 2 + reach) / step)
    grid = _grid(low, high) * step
    x = grid / mu + mu / 2
    slack = 16 * ROUNDING * (1 + float(np.max(np.abs(grid))) + mu * float(np.max(np.abs(x))))
    return _from_edges(low, grid, [(1.0, x - mu)], [(1.0, x)], step, slack, 1)


def _subsampled(q: float, s: float, replace: bool, count: int, step: float, tail: float, added: bool) -> Losses:
    """log u(x) under the mixture against N(0); the other order; or log u(x) - log u(-x) (see subsampled_gaussian)."""
    reach = s * math.sqrt(2 * math.log(1 / tail))
    lowest = math.log1p(-q) if q < 1 else -math.inf
    if replace:
        top = _log_u(q, s, 1 + reach) - _log_u(q, s, -1 - reach)
        low, high = -math.ceil(top / step), math.ceil(top / step)
        grid = _grid(low, high) * step
        x = _crossing(q, s, grid)
        mixed = [(1 - q, x / s), (q, (x - 1) / s)], [(1 - q, x / s), (q, (x + 1) / s)]
    elif added:
        bottom, top = -_log_u(q, s, reach), -_log_u(q, s, -reach)
        low, high = math.floor(bottom / step), math.ceil(top / step)
        grid = _grid(low, high) * step
        x = -_inverse(q, s, -grid)  # the outcome turned round, so that the loss grows with it
        mixed = [(1.0, x / s)], [(1 - q, x / s), (q, (x + 1) / s)]
    else:
        top = _log_u(q, s, 1 + reach)
        bottom = max(lowest, _log_u(q, s, -reach))
        low, high = math.floor(bottom / step), math.ceil(top / step)
        grid = _grid(low, high) * step
        x = _inverse(q, s, grid)
        mixed = [(1 - q, x / s), (q, (x - 1) / s)], [(1.0, x / s)]
    finite = x[np.isfinite(x)]
    furthest = float(np.max(np.abs(finite))) if len(finite) else 0.0
    edge = 1 / (1 - q) if q < 1 else 1.0
    slack = 64 * ROUNDING * (edge + float(np.max(np.abs(grid))) + (furthest + 1) / (s * s))
    return _from_edges(low, grid, *mixed, step, slack, count)


def _grid(low: int, high: int) -> Array:
    if high - low > CELLS:
        raise TooFine(f"a grid of {high - low} cells is too fine for one part")
    return np.arange(low, high + 1, dtype=np.float64)


def _log_u(q: float, s: float, x: float) -> float:
    t = (x - 0.5) / (s * s)
    return math.log((1 - q) + q * math.exp(t)) if t < 30 else t + math.log(q + (1 - q) * math.exp(-t))


def _inverse(q: float, s: float, loss: Array) -> Array:
    """x with u(x) = e^loss; -inf where u is larger everywhere."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        excess = np.expm1(loss) + q
        near = np.log(np.maximum(excess, 0.0) / q)
        far = loss - math.log(q) + np.log1p(-(1 - q) * np.exp(-loss))
    x: Array = np.where(loss > 30, far, near) * (s * s) + 0.5
    return x


def _crossing(q: float, s: float, loss: Array) -> Array:
    """x with u(x)/u(-x) = e^loss: a quadratic equation in e^(x/s^2). Odd in the loss."""
    size = np.abs(loss)
    shrunk = q * math.exp(-0.5 / (s * s))
    # divided by e^(size/2), so that nothing overflows
    a = (1 - q) * -np.expm1(-size) * 0.5
    root = a + np.sqrt(a * a + np.exp(-size) * (shrunk * shrunk))
    x: Array = np.sign(loss) * (s * s) * np.maximum(0.0, size + np.log(root / shrunk))
    return x


def _from_edges(
    low: int, grid: Array, first: list[tuple[float, Array]], second: list[tuple[float, Array]],
    step: float, slack: float, count: int,
) -> Losses:  # fmt: skip
    """From the outcomes at which the loss passes the grid points; laws are mixtures of normals: (weight, edge in
    deviations from the mean)."""
    p, p_error = _between(first)
    q, q_error = _between(second)
    masses = _split(p, _scaled(q, grid[:-1]), p_error, _scaled(q_error, grid[:-1]), step)
    masses[0] += _mass([(w, -float(z[0])) for w, z in first])  # what lies below: raised
    infinite = _mass([(w, float(z[-1])) for w, z in first])
    return Losses(low, masses * (1 + 8 * ROUNDING), infinite, slack, count)


def _scaled(q: Array, loss: Array) -> Array:
    return q * np.exp(np.minimum(loss, 700.0))


def _split(p: Array, q: Array, p_error: Array, q_error: Array, step: float) -> Array:
    """Masses at the ends of cells: `p` of the first law, `q` of the second times e^(lower end)."""
    whole = np.maximum(p + p_error, 0.0)
    raised = (p - q + p_error + q_error + 8 * ROUNDING * (p + q)) / -math.expm1(-step) * (1 + 8 * ROUNDING)
    upper = np.clip(raised, 0.0, whole)
    masses = np.zeros(len(p) + 1)
    masses[1:] += upper
    masses[:-1] += whole - upper
    return masses


def _between(law: list[tuple[float, Array]]) -> tuple[Array, Array]:
    """Masses between consecutive edges, and bounds on their errors."""
    total, error = np.zeros(len(law[0][1]) - 1), np.zeros(len(law[0][1]) - 1)
    for weight, z in law:
        # the smaller tail at each edge, so that differences keep their digits; about 0 both sides are less than 1
        size = np.abs(z)
        tail = _tail(size)
        below, above = z[:-1] < 0, z[1:] >= 0
        across = np.where(above, 1 - tail[:-1] - tail[1:], tail[1:] - tail[:-1])
        total += weight * np.where(below, across, tail[:-1] - tail[1:])
        larger = np.where(below & above, 1.0, np.maximum(tail[:-1], tail[1:]))
        reach = np.minimum(np.minimum(size[:-1], size[1:]), 40.0)
        error += weight * larger * (32 + 2 * reach * reach) * ROUNDING
    return total, error


def _mass(law: list[tuple[float, float]]) -> float:
    """The mass beyond an edge, rounded up."""
    from seqlang.accounting.normal import sf_up

    return sum(weight * (sf_up(z) if math.isfinite(z) else float(z < 0)) for weight, z in law) * (1 + 8 * ROUNDING)


def _tail(z: Array) -> Array:
    # math.erfc a number: scipy's would be faster, and slower to import than all of them
    return 0.5 * np.fromiter(map(math.erfc, (z * math.sqrt(0.5)).tolist()), np.float64, len(z))
