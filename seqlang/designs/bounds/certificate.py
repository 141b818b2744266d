"""Enclosures of what a design does, by whole numbers that are rounded outwards at every operation.

A chance is a pair of whole numbers, below and above (`enclosed.py`), from the law of an entry as it was stated
(`enclosed_data.py`) to the scores of a block (`enclosed_blocks.py`) to the mass in every state. A test with an end is
followed to its end. Of one without, what has not stopped after the last look that is followed widens the errors by its
mass, and the expectations by its mass times a bound on what any state still takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.enclosed import BITS, ONE, Pair, Whole, zeros
from seqlang.designs.bounds.enclosed_blocks import EnclosedBlocks, Gains
from seqlang.designs.bounds.enclosed_data import arm_levels
from seqlang.designs.design import Design
from seqlang.process.time_limit import poll
from seqlang.record import record

LEFT = 1e-13
"""The last look is that after which less than this many expected entries are left."""
LOOKS = 100_000
WINDOW = 8
"""Looks after which it is asked how many still go on, for the bound on what is left."""


@record
class Enclosed:
    """What is certain under one hypothesis: the chance of the wrong decision and the expected entries."""

    error: tuple[float, float]
    steps: tuple[float, float]


def work_of(design: Design, blocks: Blocks) -> float:
    """About how many products of long numbers the enclosures take."""
    found = 0.0
    for column in design.columns:
        for row in column.policy.rows:
            per_look = sum(len(blocks[m].ratio) for m in row.sizes)
            found += 4 * per_look * (1 if column.policy.ends else 12 * max(1.0, column.null.looks))
    return found


def certificate(design: Design, blocks: Blocks) -> Mapping[str, Enclosed] | str:
    """By hypothesis; a text says why there is none, where the chances of the entries are not enclosed."""
    problem, found = design.problem, {}
    for side, entry, wrong in (("null", problem.null, 1), ("alternative", problem.alternative, 0)):
        arms = arm_levels(entry, problem.reading)
        if isinstance(arms, str):
            return arms
        parts = []
        for column in design.columns:
            gains = EnclosedBlocks(blocks, column.policy.lattice, arms)
            found_here = enclosed_policy(column.policy, gains, wrong)
            if wrong and column.policy.ignoring is not None:
                found_here = enclosed_policy(column.policy.ignoring, gains, wrong)[0], found_here[1]
            parts.append(found_here)
        ends = [_mean(design.chances, [part[kind] for part in parts]) for kind in (0, 1)]
        found[side] = Enclosed(*((_down(low), _up(high)) for low, high in ends))
    return found


Range = tuple[Fraction, Fraction]


def _mean(chances: Sequence[Fraction], parts: Sequence[Range]) -> Range:
    low, high = (sum((w * p[end] for w, p in zip(chances, parts, strict=True)), Fraction(0)) for end in (0, 1))
    return low, high


def enclosed_policy(policy: Policy, blocks: EnclosedBlocks, wrong: int) -> tuple[Range, Range]:
    """The chance of the wrong decision (1: to reject) and the expected entries, enclosed."""
    if policy.at_once is not None:
        error = Fraction(int((policy.at_once == "reject") == (wrong == 1)))
        return (error, error), (Fraction(1), Fraction(1))
    errors, steps = (_with_an_end if policy.ends else _without_an_end)(policy, blocks, wrong)
    return (max(Fraction(0), errors[0]), min(Fraction(1), errors[1])), steps


def _with_an_end(policy: Policy, blocks: EnclosedBlocks, wrong: int) -> tuple[Range, Range]:
    """Forward over the entries used. States are the scores that any row lists, and one more on either side, unless
    scores have a floor."""
    low = policy.lowest
    width = max(row.high for row in policy.rows) + 2 - low
    waiting = {0: zeros(width)}
    waiting[0][0][-low] = waiting[0][1][-low] = ONE
    errors, steps = [0, 0], [0, 0]
    for row in policy.rows:
        mass = waiting.pop(row.used, None)
        if mass is None:
            continue
        first, last = row.low - low, row.high + 1 - low
        for end in (0, 1):
            ended = int(mass[end][:first].sum()), int(mass[end][last:].sum())
            errors[end] += ended[wrong]
            steps[end] += row.used * sum(ended)
        for rows, size in _by_size(row):
            part = mass[0][rows + row.low - low], mass[1][rows + row.low - low]
            after = waiting.setdefault(row.used + size, zeros(width))
            _add_moved(after, part, rows + row.low - low, blocks[size])
    return _parts(errors), _parts(steps)


def _parts(found: Sequence[int]) -> Range:
    return Fraction(found[0], ONE), Fraction(found[1], ONE)


def _by_size(row: Row) -> list[tuple[NDArray[np.int64], int]]:
    """The places in the row that take a block of each size."""
    sizes = np.array(row.sizes, dtype=np.int64)
    return [(np.flatnonzero(sizes == size).astype(np.int64), int(size)) for size in np.unique(sizes)]


def _add_moved(after: Pair, part: Pair, places: NDArray[np.int64], gains: Gains) -> None:
    """Adds what a block moves from these places; what comes beyond both ends is added there."""
    poll()
    width = len(after[0])
    for gain, low, high in zip(gains[0].tolist(), *gains[1], strict=True):
        to = np.clip(places + gain, 0, width - 1)
        np.add.at(after[0], to, (part[0] * low) >> BITS)
        np.add.at(after[1], to, -((-part[1] * high) >> BITS))


Moves = Sequence[tuple[NDArray[np.int64], Gains]]
"""By size: its states, and what a block gains."""


def _without_an_end(policy: Policy, blocks: EnclosedBlocks, wrong: int) -> tuple[Range, Range]:
    """Forward over the looks. States are the scores of the row, and one more on either side."""
    (row,) = policy.rows
    moves = [(rows, blocks[size]) for rows, size in _by_size(row)]
    count, sizes = len(row.sizes), np.array(row.sizes, dtype=object)
    mass = zeros(count)
    mass[0][-row.low] = mass[1][-row.low] = ONE
    errors, steps = [0, 0], [0, 0]
    rest = _rest(row, moves)
    for _ in range(LOOKS):
        after = zeros(count + 2)
        for rows, gains in moves:
            _add_moved(after, (mass[0][rows], mass[1][rows]), rows + 1, gains)
        for end in (0, 1):
            steps[end] += int((mass[end] * sizes).sum())
            errors[end] += int(after[end][-1 if wrong else 0])
        mass = after[0][1:-1], after[1][1:-1]
        if float(Fraction(int(mass[1].sum()), ONE)) * rest < LEFT:
            break
    left = Fraction(int(mass[1].sum()), ONE)
    (least, error), (fewest, most) = _parts(errors), _parts(steps)
    return (least, error + left), (fewest, most + left * Fraction(rest))


def _rest(row: Row, moves: Moves) -> float:
    """An upper bound on the expected entries from any state. If at most the share r goes on for WINDOW looks, wherever
    it begins, at most WINDOW / (1 - r) looks are expected; the window is lengthened until r is below a half."""
    count, looks = len(row.sizes), 0
    going: Whole = np.full(count, ONE, dtype=object)
    while looks < LOOKS and (looks == 0 or max(going) >= ONE // 2):
        for _ in range(WINDOW):
            poll()
            before, going = going, np.full(count, 0, dtype=object)
            for rows, (gained, law) in moves:
                for gain, chance in zip(gained.tolist(), law[1], strict=True):
                    places = rows + gain
                    inside = (places >= 0) & (places < count)
                    going[rows[inside]] += -((-before[places[inside]] * chance) >> BITS)
        looks += WINDOW
    ratio = Fraction(int(max(going)), ONE)
    return math.inf if ratio >= 1 else _up(looks * max(row.sizes) / (1 - ratio))


def _down(value: Fraction) -> float:
    return math.nextafter(float(value), -math.inf)


def _up(value: Fraction) -> float:
    return math.nextafter(float(value), math.inf)
