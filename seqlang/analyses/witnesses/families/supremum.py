"""The largest chance of conditions over all values of the noises that stay: guessed by climbing, proved by halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as combinations
from math import inf

from seqlang.analyses.witnesses.families.boxes import Box, Laws, product, within
from seqlang.analyses.witnesses.families.repeated import Demand, Pieces
from seqlang.backends.transcript.integrals.linear_conditions import Conjunction, Key, is_shared
from seqlang.process.time_limit import poll

MOST_BOXES = 20_000
MOST_TURNS = 6
FARTHEST = 1e12
OFFSETS = (0.0, 1e-3, 0.06, 0.25, 1.0, 4.0, 16.0, 60.0)  # scales, from the places where a condition turns
FEW_OFFSETS = (0.0, 0.5, 6.0)  # where there are two noises
FEWEST_OFFSETS = (0.5, 6.0)  # where there are more: what is climbed has one peak mostly
COARSE, FINE = (0.1, 1), (1e-5, 3)  # the smallest step (scales), and how many places are climbed from
STEADY, LONGEST = 16, 60
Place = tuple[float, ...]
Highest = tuple[float, Place] | None
Known = dict[object, Highest]
"""What `largest` found before, by all that it reads of the conditions: most families of a program share it."""


def stays_below(block: Demand, around: Demand, noises: Sequence[Key], laws: Laws, bound: float) -> bool:
    """Whether the block's chance is at most e^bound wherever the steps around it are possible.

    By bisection: a box is done if no value in it makes its chance larger, or if it makes the steps around impossible.
    """
    whole: Box = {key: laws(key).support for key in noises}
    limits = _limits(around, laws)
    boxes = [whole]
    for _ in range(MOST_BOXES):
        if not boxes:
            return True
        box = boxes.pop()
        if product(block.staying, box, laws)[1] <= bound or product(limits, box, laws)[1] == -inf:
            continue
        cuts = [halves for key in _by_width(box, laws) if (halves := _halves(box, key, laws)) is not None]
        if not cuts:
            return False
        # along the axis where that helps most, of equals the widest: a noise may be as far out as it likes
        boxes += min(cuts, key=lambda halves: max(product(block.staying, half, laws)[1] for half in halves))
    return False


def _by_width(box: Box, laws: Laws) -> list[Key]:
    """The axes, the widest (in scales) first."""
    return sorted(box, key=lambda key: (box[key][0] - box[key][1]) / laws(key).scale)


def _halves(box: Box, widest: Key, laws: Laws) -> list[Box] | None:
    """The box cut along an axis; None if it is as small there as a box gets."""
    low, high = box[widest]
    law = laws(widest)
    if high - low <= 1e-9 * law.scale:
        return None
    if low == -inf and high == inf:
        cut = 0.0
    elif low == -inf:
        cut = min(-law.scale, 2 * high)
    elif high == inf:
        cut = max(law.scale, 2 * low)
    else:
        cut = (low + high) / 2
    if abs(cut) > FARTHEST * law.scale:
        return None
    first, second = within(low, cut, law), within(cut, high, law)
    if law.kind != "density" and first is not None and second is not None and first[1] == second[0]:
        first = within(low, first[1] - 1e-6, law)  # a point is in one of them
    return [{**box, widest: part} for part in (first, second) if part is not None]


def largest(
    block: Demand, around: Demand, noises: tuple[Key, ...], laws: Laws, how: tuple[float, int], known: Known
) -> Highest:
    """About the largest log chance of the block where the steps around it are possible, and where; None if nowhere.
    `known` is of the same laws and the same `how`."""
    limits = _limits(around, laws)
    asked = block.staying, limits, noises
    if asked not in known:
        known[asked] = _highest(block.staying, limits, noises, laws, how)
    return known[asked]


def _highest(wanted: Pieces, limits: Pieces, noises: tuple[Key, ...], laws: Laws, how: tuple[float, int]) -> Highest:
    """The largest log chance of what is wanted where the limits are possible, and where."""

    def value(place: Place) -> float:
        poll()
        box = {key: (x, x) for key, x in zip(noises, place, strict=True)}
        if product(limits, box, laws)[1] == -inf:
            return -inf
        return product(wanted, box, laws)[1]

    if not noises:
        return (0.0, ())
    pieces = (*wanted, *limits)
    starts = [_starts(key, pieces, laws, len(noises)) for key in noises]
    best = [(value(place), place) for place in combinations(*starts)]
    ranked = sorted(best, key=lambda one: -one[0])[: how[1]]
    found = max((_climbed(value, place, v, noises, laws, how[0]) for v, place in ranked), key=lambda one: one[0])
    return None if found[0] == -inf else found


def _limits(around: Demand, laws: Laws) -> Pieces:
    """The conditions that some values of the noises may make impossible; all others limit nothing."""
    return tuple((piece, times) for piece, times in around.staying if all(_may_fail(way, laws) for way in piece))


def _may_fail(way: Conjunction, laws: Laws) -> bool:
    fresh = [key for _, terms, _ in way for key, _ in terms if not is_shared(key)]
    read = all(any(not is_shared(key) for key, _ in terms) for _, terms, _ in way)
    return not read or len(set(fresh)) < len(fresh) or any(laws(key).support != (-inf, inf) for key in fresh)


def _starts(key: Key, pieces: Pieces, laws: Laws, axes: int) -> list[float]:
    """Places to start from: near those where a condition on this noise turns."""
    many, offsets = (MOST_TURNS, OFFSETS) if axes == 1 else (2, FEW_OFFSETS) if axes == 2 else (1, FEWEST_OFFSETS)
    law = laws(key)
    turns = {0.0}
    for piece, _ in pieces:
        for way in piece:
            for constant, terms, _ in way:
                turns |= {-constant / factor for k, factor in terms if k == key}
    kept = sorted(turns, key=abs)[:many]
    points = {t + sign * offset * law.scale for t in kept for offset in offsets for sign in (1, -1)}
    return sorted({x for p in points if (x := _nearest(p, key, laws)) is not None})


def _nearest(x: float, key: Key, laws: Laws) -> float | None:
    law = laws(key)
    if law.kind == "finite":
        return min(law.points, key=lambda p: abs(p - x))
    x = min(max(x, law.support[0]), law.support[1])
    return float(round(x)) if law.kind == "lattice" else x


def _climbed(
    value: Callable[[Place], float], place: Place, found: float, noises: Sequence[Key], laws: Laws, finest: float
) -> tuple[float, Place]:
    """Along the axes, in smaller and smaller steps; in longer and longer ones after STEADY that were all upwards, as
    the chance may vary on another noise's scale."""
    step = 1.0
    upwards = dict.fromkeys(((axis, sign) for axis in range(len(noises)) for sign in (1, -1)), 0)
    while step > finest:
        again = False
        for axis, sign in upwards:
            key, longer = noises[axis], min(LONGEST, max(0, upwards[axis, sign] - STEADY))
            moved = _nearest(place[axis] + sign * step * 2.0**longer * laws(key).scale, key, laws)
            if moved is None or moved == place[axis]:
                continue
            new = (*place[:axis], moved, *place[axis + 1 :])
            here = value(new)
            if here > found + 1e-12:
                place, found, again = new, here, True
                upwards[axis, sign] += 1
            else:
                again = again or longer > 0
                upwards[axis, sign] = 0
        if not again:
            step /= 4
    return found, place
