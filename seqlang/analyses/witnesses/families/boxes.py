"""Bounds on the chance of conditions while the noises that stay lie in a box: each end of a fresh noise's range where
it is best, or worst, in the box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, inf

from seqlang.analyses.witnesses.families.repeated import Pieces
from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Conjunction,
    Key,
    LinearCondition,
    is_shared,
)
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, log_minus, log_sum
from seqlang.backends.transcript.integrals.one_noise import at_least, at_most
from seqlang.backends.transcript.unsupported import Unsupported

Box = dict[Key, tuple[float, float]]
Bounds = tuple[float, float]
"""Logs of a lower and an upper bound."""

Laws = Callable[[Key], NoiseLaw]
TIE = 1e-9
SLACK = 1e-9  # relative, for the rounding of a logarithm; tails are computed to 1e-12
CANCELLED = -25.0  # the log of what rounding may leave of the larger of two tails in their difference


def product(pieces: Pieces, box: Box, laws: Laws) -> Bounds:
    """Of all conditions together, wherever in the box the noises lie."""
    low = high = 0.0
    for piece, times in pieces:
        one = _piece(piece, box, laws)
        if one[1] == -inf:
            return -inf, -inf
        low, high = low + times * one[0], high + times * one[1]
    return low - SLACK * abs(low) if low > -inf else low, high + SLACK * abs(high)


def mass(box: Box, laws: Laws) -> float:
    """The log of the box's own probability."""
    found = sum(laws(key).log_between(low, high) for key, (low, high) in box.items())
    return found - SLACK * (1 + abs(found)) if found > -inf else found


def within(low: float, high: float, law: NoiseLaw) -> tuple[float, float] | None:
    """The least interval with all values of the law that lie between; None if there are none."""
    match law.kind:
        case "lattice":
            low, high = (float(ceil(low)) if low > -inf else low), (float(floor(high)) if high < inf else high)
        case "finite":
            inside = [p for p in law.points if low <= p <= high]
            return (inside[0], inside[-1]) if inside else None
        case _:
            low, high = max(low, law.support[0]), min(high, law.support[1])
    return (low, high) if low <= high else None


def _piece(piece: Alternatives, box: Box, laws: Laws) -> Bounds:
    ways = [_way(way, box, laws) for way in piece]
    if len(ways) == 1:
        return ways[0]
    return min(0.0, log_sum([w[0] for w in ways])), min(0.0, log_sum([w[1] for w in ways]))


def _way(way: Conjunction, box: Box, laws: Laws) -> Bounds:
    certain = True
    ranges: dict[Key, list[tuple[float, tuple[float, float], bool]]] = {}
    for half in way:
        value, size, fresh = _value(half, box)
        if not fresh:
            if value[1] < -TIE * size:
                return -inf, -inf
            certain &= value[0] > TIE * size or (value[0] == value[1] == 0 and not half[2])
            continue
        if len(fresh) > 1:
            raise Unsupported("two fresh noises in one condition")
        ((key, factor),) = fresh
        ranges.setdefault(key, []).append((factor, value, half[2]))
    low, high = (0.0 if certain else -inf), 0.0
    for key, halves in ranges.items():
        law = laws(key)
        low, high = low + _between(halves, law, 0)[0], high + _between(halves, law, 1)[1]
    return low, high


def _value(half: LinearCondition, box: Box) -> tuple[tuple[float, float], float, list[tuple[Key, float]]]:
    """What the condition's constant and staying noises come to, its size, and the other noises."""
    low = high = half[0]
    size = 1.0 + abs(half[0])
    fresh = []
    for key, factor in half[1]:
        side = box.get(key)
        if side is not None:
            one, other = factor * side[0], factor * side[1]
            if one > other:
                one, other = other, one
            low, high = low + one, high + other
            size += max(abs(one) if one > -inf else 0.0, abs(other) if other < inf else 0.0)
        elif is_shared(key):
            raise Unsupported("a noise that stays outside of the box")
        else:
            fresh.append((key, factor))
    return (low, high), size, fresh


def _between(halves: Sequence[tuple[float, tuple[float, float], bool]], law: NoiseLaw, which: int) -> Bounds:
    """Bounds on the chance that one fresh noise satisfies them, every value at its worst (0) or best (1) end."""
    low: float = -inf
    high: float = inf
    for factor, value, strict in halves:
        end = -value[which] / factor
        if factor > 0:
            low = max(low, at_least(end, strict, law))
        else:
            high = min(high, at_most(end, strict, law))
    if low > high or low == inf or high == -inf:
        return -inf, -inf
    if low == -inf or high == inf:
        one = law.log_above(low) if low > -inf else law.log_below(high) if high < inf else 0.0
        return one, one
    inside = law.log_between(low, high)
    if inside == -inf and low == high:
        return -inf, -inf
    doubt = min(law.log_above(low), law.log_below(high)) + CANCELLED
    return log_minus(inside, doubt), log_sum([inside, doubt])
