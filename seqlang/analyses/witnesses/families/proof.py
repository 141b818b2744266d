"""The proof that a family's loss grows without bound: made, and checked.

Two blocks that are repeated are one here: both, one after the other or apart. Let z be the noises that stay, f their
law, h(z) and h'(z) the chance of the block under the two streams, t(z) and t'(z) that of the steps around it. Given z
the blocks are independent and alike, so that for n blocks P_n = int f t h^n and Q_n = int f t' h'^n. If h >= e^s on a
box B, then P_n >= e^(n s) int_B f t; and Q_n <= e^(n m) where e^m is at least h' wherever t' > 0. So the loss of n
blocks is at least n (s - m) + log int_B f t.
"""

from __future__ import annotations

from itertools import product as combinations
from math import inf, nextafter
from typing import Any

from seqlang.analyses.witnesses.confirm import inside
from seqlang.analyses.witnesses.families.boxes import SLACK, Box, Laws, mass, product, within
from seqlang.analyses.witnesses.families.chance import chance
from seqlang.analyses.witnesses.families.repeated import NotPeriodic, Repeated, repeated
from seqlang.analyses.witnesses.families.supremum import COARSE, FINE, Known, largest, stays_below
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.backends.transcript.follow import Follower
from seqlang.model.expression import Label
from seqlang.model.program import Stop, Within
from seqlang.proof.family import Family, Likely
from seqlang.record import replace

ROOM = 0.005  # of the growth: what is left between the guessed largest chance and the bound that is proved
MOST_NOISES = 4
NARROW = (4.0**-3, 4.0**-5, 4.0**-8)  # widths of the box that is tried around the likeliest value, in scales
LEAST = 1e-3  # growth a block
RECOMPUTED = 2  # noises that stay; with more of them, what stands in for a witness is a pair of the proof
ASIDE = 1 / 64  # of a box's width
NEARER = (0.0, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)  # shares of a noise's distance from 0 that are tried


def proved(follower: Follower, family: Family) -> Family | None:
    """The family with its proof; None if none is found. Raises `NotPeriodic`, `Unsupported`."""
    guess = guessed(follower, family, FINE)
    if guess is None:
        return None
    sides, place, least, most = guess
    if len(place) > RECOMPUTED:
        place = _likelier(follower, sides[0], place, 0.05 * (least - most))
    for width in NARROW:
        made = _with_box(follower, family, sides, place, width, most)
        if made is not None and made.rate >= 0.9 * (least - most):
            break
    return made if made is not None and holds(follower, made) else None


def _likelier(follower: Follower, side: Repeated, place: tuple[float, ...], less: float) -> tuple[float, ...]:
    """The place moved towards 0, where the noises are likely, as long as the log of the block's chance falls by no more
    than `less`."""

    def chance_at(there: tuple[float, ...]) -> float:
        box: Box = {key: (x, x) for key, x in zip(side.noises, there, strict=True)}
        return product(side.block.staying, box, follower.law)[0]

    enough = chance_at(place) - less
    for axis, x in enumerate(place):
        nearer = ((*place[:axis], share * x, *place[axis + 1 :]) for share in NEARER)
        place = next(
            (there for there in nearer if _is_value(follower, side, there) and chance_at(there) >= enough), place
        )
    return place


def _is_value(follower: Follower, side: Repeated, place: tuple[float, ...]) -> bool:
    """Whether the noises may lie there."""
    return all(within(x, x, follower.law(key)) is not None for key, x in zip(side.noises, place, strict=True))


Guess = tuple[tuple[Repeated, Repeated], tuple[float, ...], float, float]
"""Both sides, where the first stream's block is likeliest, and about the largest log chances of both blocks."""


def guessed(
    follower: Follower, family: Family, how: tuple[float, int] = COARSE, known: Known | None = None
) -> Guess | None:
    """None where there is no growth. `known`: what was found for other families of the same program, as carefully.
    Raises `NotPeriodic`, `Unsupported`, `NotEnclosed`."""
    first, second = (repeated(follower, family, side) for side in (False, True))
    if len(first.noises) > MOST_NOISES or len(second.noises) > MOST_NOISES:
        raise NotPeriodic("many noises stay")
    laws = follower.law
    known = {} if known is None else known
    ours = largest(first.block, first.around, first.noises, laws, how, known)
    if ours is None or first.block.weight == -inf:
        return None
    theirs = largest(second.block, second.around, second.noises, laws, how, known)
    least = ours[0] + _apart(follower, first)[0]
    most = (-inf if theirs is None else theirs[0]) + _apart(follower, second)[1]
    if most == -inf or least - most < LEAST:
        return None
    return (first, second), ours[1], least, most


def holds(follower: Follower, family: Family) -> bool:
    """Whether the proof in the family is one. Raises `NotPeriodic`, `Unsupported`."""
    if not (_neighbours(follower, family) and _seen(follower, family)):
        return False
    first, second = (repeated(follower, family, side) for side in (False, True))
    box: Box = {one.noise: (one.low, one.high) for one in family.likely}
    if set(box) != set(first.noises):
        return False
    laws = follower.law
    around = _around(follower, first, box, laws)
    at_least = product(first.block.staying, box, laws)[0] + _apart(follower, first)[0]
    return (
        family.rate <= family.at_least - family.at_most
        and family.rate > 0
        and family.at_least <= at_least
        and -family.start <= around < inf
        and stays_below(second.block, second.around, second.noises, laws, family.at_most - _apart(follower, second)[1])
    )


def _with_box(
    follower: Follower,
    family: Family,
    sides: tuple[Repeated, Repeated],
    place: tuple[float, ...],
    width: float,
    most: float,
) -> Family | None:
    """The family with the best of the boxes of this width that have the likeliest value as a corner, or where that is
    the end of what the steps around leave possible, a place beside it."""
    first, _ = sides
    laws = follower.law
    apart = _apart(follower, first)[0]
    best: tuple[float, float, Box] | None = None
    for gap, *signs in combinations((0.0, ASIDE), *((-1, 1),) * len(place)):
        if gap and best is not None:
            break
        box: Box = {}
        for key, x, sign in zip(first.noises, place, signs, strict=True):
            law = laws(key)
            near, far = (x + sign * d * width * law.scale if law.kind == "density" else x for d in (gap, 1 + gap))
            ends = within(min(near, far), max(near, far), law)
            if ends is not None:
                box[key] = ends
        if len(box) < len(place):
            continue
        around = _around(follower, first, box, laws)
        least = product(first.block.staying, box, laws)[0] + apart
        if around > -inf and least > -inf and (best is None or (least, around) > best[:2]):
            best = (least, around, box)
    if best is None or best[0] <= most:
        return None
    least, around, box = best
    bound = most + ROOM * (least - most)
    return replace(
        family, likely=tuple(Likely(key, *ends) for key, ends in box.items()), at_least=least, at_most=bound,
        start=-around, rate=nextafter(least - bound, 0.0),
    )  # fmt: skip


def _around(follower: Follower, side: Repeated, box: Box, laws: Laws) -> float:
    """A lower bound on the log of the chance that the noises lie in the box and the steps around the block come out."""
    around = side.around
    return (
        around.weight + mass(box, laws) + product(around.staying, box, laws)[0]
        + chance(follower, dict(around.apart))[0]
    )  # fmt: skip


def _apart(follower: Follower, side: Repeated) -> tuple[float, float]:
    """Bounds on the log of a block's chance as far as no noise that stays plays a part."""
    low, high = chance(follower, dict(side.block.apart))
    weight = side.block.weight
    return weight + low - SLACK * abs(weight), weight + high + SLACK * abs(weight)


def _seen(follower: Follower, family: Family) -> bool:
    """Whether who sees the transcript knows which stop it was: another one might come with the same result."""
    stop: Any = family.tail[-1].told["stop"] if family.tail else None
    stops = {s.index: s.result for s in follower.program.body if isinstance(s, Stop)}
    if stop is None or len(stops) == 1:
        return True
    mine = stops.pop(stop[0])
    if isinstance(stop[1], tuple):  # a number in this range: who returns a label or nothing is another one
        return all(result is None or isinstance(result, Label) for result in stops.values())
    return isinstance(mine, Label) and all(isinstance(r, Label) and r.name != mine.name for r in stops.values())


def _neighbours(follower: Follower, family: Family) -> bool:
    """For any number of blocks. Within `every`, each step by itself; else all that differs is around the blocks."""
    program = follower.program
    adjacency = program.adjacency
    every = isinstance(adjacency, Within) and adjacency.extent == "every"
    if not every and any(step.first != step.second for step in family.block + family.again):
        return False
    streams = [tuple(getattr(step, side) for step in family.steps(1)) for side in ("first", "second")]
    return all(inside(program, stream) for stream in streams) and are_neighbours(program, *streams)
