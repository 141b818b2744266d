"""Epsilon at a delta, and delta at an epsilon, for parts composed. Any tilt and any grid give a bound; they are chosen
for tightness only."""

from __future__ import annotations

import math
from functools import lru_cache

from seqlang.accounting import arguments, conversion
from seqlang.accounting.numeric.compose import Composed, composed
from seqlang.accounting.numeric.losses import Losses, TooFine, losses
from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure, Subsampled, checked, renyi

TOLERANCE = 2e-5
"""How much of epsilon the grid may cost, about."""
WINDOW = 1 << 21
MOST_USES = 10**12
"""With more uses the rounding of the transform alone would exceed every delta of use."""
SMALLEST, LARGEST, STEEPEST = 1e-6, 1e4, 30.0
"""Parts whose loss is below or above these, in nats, are left to the RDP curves, and samples with a deviation below
1/STEEPEST of what a record is worth: a grid gains nothing there."""
LEAST = 1e-200
"""So are smaller deltas."""
UNTOLD = 1e-8
"""The share of delta that losses called infinite may take."""


@lru_cache(maxsize=64)
def epsilon(parts: tuple[Part, ...], delta: float) -> float:
    """The smallest epsilon found at `delta` for all parts together, rounded up; never above the RDP bound.

    Cost: transforms of about 1/TOLERANCE^(1/2) times the square root of the uses; some 50 ms for 10^4 subsampled uses.
    Errors: numbers out of range, delta outside (0, 1).
    """
    arguments.inside_unit("delta", delta)
    start, order = by_orders(parts, delta)
    if not 0 < start < math.inf or delta < LEAST or not _ordinary(parts):
        return start
    size, found = start, start
    for _ in range(4):
        found = min(found, max(_least(law, delta, start) for law in _laws(parts, delta, size, order - 1)))
        if not 0 < found < 0.7 * size:
            break
        size = found  # the grid was made for a larger epsilon
    return found


@lru_cache(maxsize=64)
def by_orders(parts: tuple[Part, ...], delta: float) -> tuple[float, float]:
    """(epsilon, order): the best that the RDP curves give, without numpy. Canonne, Kamath & Steinke 2020."""
    return conversion.descended(lambda a: renyi(checked(parts), a), delta)


@lru_cache(maxsize=64)
def delta(parts: tuple[Part, ...], epsilon: float) -> float:
    """The smallest delta found at `epsilon`, rounded up, at most 1."""
    arguments.not_negative("epsilon", arguments.finite("epsilon", epsilon))
    best, order = min(
        (conversion.delta_at(a, renyi(checked(parts), a), epsilon), a) for a in (1 + 1.3**i / 8 for i in range(32))
    )
    if not LEAST < best < 1 or not _ordinary(parts):
        return best
    return max(min(best, c.delta(epsilon)) for c in _laws(parts, best, max(epsilon, 1e-3), order - 1))


def _laws(parts: tuple[Part, ...], delta: float, size: float, tilt: float) -> tuple[Composed, ...]:
    """The law of the sum in both orders of the neighbours, where they differ."""
    uses = _uses(parts)
    # splitting over a grid adds about uses (tilt + 1) step^2/12 to epsilon
    step = math.sqrt(12 * TOLERANCE * size / (uses * (tilt + 1)))
    both = any(isinstance(part, Subsampled) and not part.replace for part in parts)
    found = []
    for added in (False, True) if both else (False,):
        lent, width = _on_a_grid(parts, step, delta * UNTOLD / uses, added)
        found.append(composed(lent, width, tilt, size, WINDOW))
    return tuple(found)


def _ordinary(parts: tuple[Part, ...]) -> bool:
    """Are there few enough uses, and is every loss of a size that a grid is good for?"""
    sizes: list[float] = []
    for part in parts:
        match part:
            case Gaussian(size) | Laplace(size, _) | Pure(size, _) | BoundedRange(size, _):
                sizes.append(size)
            case Subsampled(rate, sigma, _, _):
                if not SMALLEST * sigma <= rate or sigma * STEEPEST < 1:
                    return False
    return _uses(parts) <= MOST_USES and all(SMALLEST <= size <= LARGEST for size in sizes)


def _uses(parts: tuple[Part, ...]) -> int:
    return sum(1 if isinstance(part, Gaussian) else part.count for part in parts)


def _on_a_grid(parts: tuple[Part, ...], step: float, tail: float, added: bool) -> tuple[tuple[Losses, ...], float]:
    """All losses on the finest grid that is no finer than `step`, and not too fine for any part."""
    while True:
        try:
            return tuple(losses(part, step, tail, added) for part in parts), step
        except TooFine:
            step *= 4


def _least(law: Composed, delta: float, high: float) -> float:
    """The smallest epsilon with delta(epsilon) <= delta that is found; `high` if none is below it."""
    near = max(0.0, law.epsilon_near(delta))
    low = near
    for margin in (1e-9, 1e-7, 1e-5, 1e-3):
        tried = near + margin * max(near, law.step)
        if not tried < high:
            break
        if law.delta(tried) <= delta:
            return tried
        low = tried
    if law.delta(high) > delta:
        return high
    while high - low > 1e-4 * high:  # what rounding may have done weighs most here: bisection
        middle = 0.5 * (low + high)
        low, high = (low, middle) if law.delta(middle) <= delta else (middle, high)
    return high
