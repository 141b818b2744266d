"""Enclosures of what a design does, by whole numbers that are rounded outwards at every operation.

A chance is a pair of whole numbers, below and above, in units of 2^-BITS. Chances of sums are exact quotients that are
rounded down and up; exp(-eps) is enclosed by partial sums of its series; products are shifted down, or up. What has not
stopped after the last look that is followed widens the errors by its mass, and the expectations by its mass times a
bound on what any state still takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import Geometric, NoNoise
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.design import Design
from seqlang.process.time_limit import poll
from seqlang.record import record

BITS = 160
ONE = 1 << BITS
LEFT = 1e-13
"""The last look is that after which less than this many expected entries are left."""
LOOKS = 100_000
WINDOW = 8
"""Looks after which it is asked how many still go on, for the bound on what is left."""
Whole = NDArray[Any]
"""Whole numbers of any length."""
Pair = tuple[Whole, Whole]
"""Below and above."""


@record
class Enclosed:
    """What is certain under one hypothesis: the chance of the wrong decision and the expected entries."""

    error: tuple[float, float]
    steps: tuple[float, float]


def work_of(design: Design, blocks: Blocks) -> float:
    """About how many products of long numbers the enclosures take."""
    found = 0.0
    for column in design.columns:
        per_look = sum(len(blocks[m].ratio) for row in column.policy.rows for m in row.sizes)
        found += 4 * per_look * 12 * max(1.0, column.null.looks)
    return found


def certificate(design: Design, blocks: Blocks) -> Mapping[str, Enclosed] | None:
    """By hypothesis; None for noise that is not enclosed here, and for tests with an end."""
    problem = design.problem
    if any(column.policy.ends for column in design.columns):
        return None
    if not isinstance(blocks.mechanism, Geometric | NoNoise) or problem.reading is not None or problem.arms:
        return None
    found = {}
    for side, entry, wrong in (("null", problem.null, 1), ("alternative", problem.alternative, 0)):
        parts = [_policy(c.policy, blocks, entry.chances, wrong) for c in design.columns]
        ends = [_mean(design.chances, [part[kind] for part in parts]) for kind in (0, 1)]
        found[side] = Enclosed(*((_down(low), _up(high)) for low, high in ends))
    return found


Ends = tuple[Fraction, Fraction]


def _mean(chances: Sequence[Fraction], parts: Sequence[Ends]) -> Ends:
    low, high = (sum((w * p[end] for w, p in zip(chances, parts, strict=True)), Fraction(0)) for end in (0, 1))
    return low, high


def _policy(policy: Policy, blocks: Blocks, chances: Sequence[Fraction], wrong: int) -> tuple[Ends, Ends]:
    """The chance of the wrong decision (1: to reject) and the expected entries, enclosed."""
    if policy.at_once is not None:
        error = Fraction(int((policy.at_once == "reject") == (wrong == 1)))
        return (error, error), (Fraction(1), Fraction(1))
    row = policy.rows[0]
    moves = _moves(row, blocks, policy.lattice, chances)
    count, sizes = len(row.sizes), np.array(row.sizes, dtype=object)
    mass = _zeros(count)
    mass[0][-row.low] = mass[1][-row.low] = ONE
    errors, steps = [0, 0], [0, 0]
    rest = _rest(row, moves)
    for _ in range(LOOKS):
        poll()
        for end in (0, 1):
            steps[end] += int((mass[end] * sizes).sum())
        mass, ended = _look(mass, moves, count)
        for end in (0, 1):
            errors[end] += ended[wrong][end]
        if float(Fraction(int(mass[1].sum()), ONE)) * rest < LEFT:
            break
    left = Fraction(int(mass[1].sum()), ONE)
    most = Fraction(steps[1], ONE) + left * Fraction(rest)
    return (Fraction(errors[0], ONE), Fraction(errors[1], ONE) + left), (Fraction(steps[0], ONE), most)


def _zeros(count: int) -> Pair:
    return np.full(count, 0, dtype=object), np.full(count, 0, dtype=object)


Moves = Sequence[tuple[NDArray[np.int64], NDArray[np.int64], Pair]]
"""By size: its states, the scores of what can be seen, and the chances."""


def _moves(row: Row, blocks: Blocks, lattice: float, chances: Sequence[Fraction]) -> Moves:
    found = []
    sizes, scores = np.array(row.sizes), blocks.scores(lattice)
    for size in np.unique(sizes):
        gains = scores(int(size)).astype(np.int64)
        low, high = _seen(chances, int(size), blocks.mechanism)
        places, which = np.unique(gains, return_inverse=True)
        merged = _zeros(len(places))
        np.add.at(merged[0], which, low)
        np.add.at(merged[1], which, high)
        found.append((np.flatnonzero(sizes == size), places, merged))
    return found


def _look(mass: Pair, moves: Moves, count: int) -> tuple[Pair, tuple[list[int], list[int]]]:
    """The mass after one more look, and what has ended below (0) and above (1) the listed scores."""
    after, ended = _zeros(count), ([0, 0], [0, 0])
    for rows, gains, law in moves:
        for end in (0, 1):
            part = mass[end][rows]
            for gain, chance in zip(gains.tolist(), law[end], strict=True):
                moved = part * chance if end == 0 else -((-part * chance) >> BITS)
                moved = moved >> BITS if end == 0 else moved
                places = rows + gain
                below, above = places < 0, places >= count
                ended[0][end] += int(moved[below].sum())
                ended[1][end] += int(moved[above].sum())
                inside = ~(below | above)
                after[end][places[inside]] += moved[inside]
    return after, ended


def _rest(row: Row, moves: Moves) -> float:
    """An upper bound on the expected entries from any state. If at most the share r goes on for WINDOW looks, wherever
    it begins, at most WINDOW / (1 - r) looks are expected; the window is lengthened until r is below a half."""
    count, looks = len(row.sizes), 0
    going: Whole = np.full(count, ONE, dtype=object)
    while looks < LOOKS and (looks == 0 or max(going) >= ONE // 2):
        for _ in range(WINDOW):
            poll()
            before, going = going, np.full(count, 0, dtype=object)
            for rows, gains, law in moves:
                for gain, chance in zip(gains.tolist(), law[1], strict=True):
                    places = rows + gain
                    inside = (places >= 0) & (places < count)
                    going[rows[inside]] += -((-before[places[inside]] * chance) >> BITS)
        looks += WINDOW
    ratio = Fraction(int(max(going)), ONE)
    return math.inf if ratio >= 1 else _up(looks * max(row.sizes) / (1 - ratio))


def _seen(chances: Sequence[Fraction], size: int, mechanism: Any) -> Pair:
    """The chances of the clamped release of a block of coin flips."""
    p = chances[1]
    a, d = p.numerator, p.denominator
    whole, low = d**size, _zeros(size + 1)[0]
    for s in range(size + 1):
        low[s] = (math.comb(size, s) * a**s * (d - a) ** (size - s) << BITS) // whole
    high = low + 1
    if isinstance(mechanism, NoNoise):
        return low, high
    q = exponential(mechanism.eps / mechanism.sensitivity)
    below, above = _filtered((low, high), q), _filtered((low[::-1], high[::-1]), q)
    above = above[0][::-1], above[1][::-1]
    least = ((ONE - q[1]) << BITS) // (ONE + q[1])
    most = -(-((ONE - q[0]) << BITS) // (ONE + q[0]))
    seen = (
        np.maximum(0, (least * (below[0] + above[0] - high)) >> BITS),
        -((-most * (below[1] + above[1] - low)) >> BITS),
    )
    for place, sums in ((0, above), (-1, below)):
        seen[0][place] = (sums[0][place] << BITS) // (ONE + q[1])
        seen[1][place] = -(-(sums[1][place] << BITS) // (ONE + q[0]))
    return seen


def _filtered(law: Pair, q: tuple[int, int]) -> Pair:
    """f[s] = b[s] + q f[s - 1]."""
    low, high = law[0].copy(), law[1].copy()
    for s in range(1, len(low)):
        low[s] += (q[0] * low[s - 1]) >> BITS
        high[s] += -((-q[1] * high[s - 1]) >> BITS)
    return low, high


def exponential(x: Fraction) -> tuple[int, int]:
    """exp(-x) for x >= 0, below and above, in units of 2^-BITS: one over a partial sum of exp(x), and over that with
    what is left of the series, at most twice its next term once the terms fall by half."""
    terms = 2 * math.ceil(x) + BITS
    total, term = Fraction(0), Fraction(1)
    for n in range(terms):
        total += term
        term = term * x / (n + 1)
    return math.floor(ONE / (total + 2 * term)), math.ceil(ONE / total)


def _down(value: Fraction) -> float:
    return math.nextafter(float(value), -math.inf)


def _up(value: Fraction) -> float:
    return math.nextafter(float(value), math.inf)
