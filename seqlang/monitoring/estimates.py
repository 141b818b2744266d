"""What is estimated, at all looks and after the end: which way fits the data of the test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlang.backends.solve.unsolved import Unsolved
from seqlang.monitoring.arms import estimated_difference
from seqlang.monitoring.coins import counted
from seqlang.monitoring.evidence import COARSE, ByChance, ByNumber, Pair
from seqlang.monitoring.family import Family, NoFamily, family_of
from seqlang.monitoring.following import Following
from seqlang.monitoring.paths import Paths
from seqlang.monitoring.released import Released
from seqlang.monitoring.stagewise import End, Stages, estimated, excludes_null, p_value
from seqlang.process.time_limit import OutOfTime
from seqlang.record import replace
from seqlang.results.monitor import AfterStop, Block, Interval

AROUND = 4
"""The prior of a number without ends reaches so many distances of the hypotheses beyond them."""


def at_all_looks(
    paths: Paths, hypotheses: tuple[str, str], released: Released, blocks: Sequence[Block], level: float
) -> Interval:
    """The interval that holds at all looks together; without ends, and with a reason, where there is none."""
    if not blocks:
        return Interval(None, None, "nothing was released yet")
    coins = [counted(paths, hypotheses[0], block.size) for block in blocks]
    if len(released.names) == 1 and coins[0] is not None and not _unlike(coins, blocks):
        (name,) = released.names
        one = ByChance(released.noise(name), name in released.geometric)
        return Interval("the chance of a 1", one.interval([(b.size, b.released[0]) for b in blocks], level))
    if len(released.names) == 2 and coins[0] is not None:
        return Interval(_of_arms(released.names), pair(released, blocks, coins).difference(level))
    try:
        family = family_of(paths.program, hypotheses)
    except NoFamily as why:
        return Interval(None, None, str(why))
    known = by_number(paths, family, released)
    return Interval(family.about, known.interval([(b.size, b.released[0]) for b in blocks], level))


def by_number(paths: Paths, family: Family, released: Released) -> ByNumber:
    """With a prior that is even on the range of the number, or on a part of it around the hypotheses."""
    low, high = sorted((family.null, family.alternative))
    far = AROUND * family.distance
    least, most = max(family.ends[0], low - far), min(family.ends[1], high + far)
    if np.isfinite(family.ends).all():
        least, most = family.ends
    places = least + (np.arange(COARSE) + 0.5) / COARSE * (most - least)
    laws = [Released(paths.laws(family.at(p), "at"), released.names, released.geometric) for p in places.tolist()]
    return ByNumber(laws, places, family.ends)


def _unlike(coins: Sequence[dict[str, int] | None], blocks: Sequence[Block]) -> bool:
    """Whether some entry is not counted."""
    return any(found is None or sum(found.values()) != b.size for found, b in zip(coins, blocks, strict=True))


def _of_arms(names: Sequence[str]) -> str:
    return f"the chance of a 1 in {names[1]}, less that in {names[0]}"


def pair(released: Released, blocks: Sequence[Block], coins: Sequence[dict[str, int] | None]) -> Pair:
    """`coins`: how many each sum of each block counts."""
    names = released.names
    known = [ByChance(released.noise(name), name in released.geometric, COARSE) for name in names]
    seen = [
        [(found[name], b.released[i]) for found, b in zip(coins, blocks, strict=True) if found is not None]
        for i, name in enumerate(names)
    ]
    return Pair(known[0], known[1], (seen[0], seen[1]))


def after_stop(
    paths: Paths,
    hypotheses: tuple[str, str],
    test: Following,
    released: Released,
    blocks: Sequence[Block],
    level: float,
) -> AfterStop:
    """What is said by stages, now that the test has ended; with a reason where it is not. Where a public coin chose
    the plan, on average over the coin, and given the plan besides."""
    average = _by_stages(paths, hypotheses, test, released, blocks, level, None)
    if test.plan is None:
        return average
    try:
        given = _by_stages(paths, hypotheses, test, released, blocks, level, test.plan)
    except OutOfTime as out:
        given = AfterStop(None, None, Interval(None, None, str(out)))
    return replace(average, given_plan=given)


def _by_stages(
    paths: Paths,
    hypotheses: tuple[str, str],
    test: Following,
    released: Released,
    blocks: Sequence[Block],
    level: float,
    plan: int | None,
) -> AfterStop:
    try:
        end = End(test.decision == "reject", test.done, test.state.get("score", 0.0))
        stages = Stages(paths, end, plan)
        p = p_value(stages, paths.laws(paths.program, hypotheses[0]))
    except Unsolved as why:
        return AfterStop(None, None, Interval(None, None, str(why)))
    try:
        if len(released.names) == 2 and blocks:
            return _of_two_arms(paths, hypotheses, stages, released, blocks, level, p)
        family = family_of(paths.program, hypotheses)
    except NoFamily as why:
        return AfterStop(p, None, Interval(None, None, str(why)))
    found = estimated(stages, family, lambda value: paths.laws(family.at(value), "at"), level)
    beyond = excludes_null(family, found.interval)
    return AfterStop(p, found.estimate, Interval(family.about, found.interval, excludes_null=beyond))


def in_each(found: Sequence[AfterStop]) -> AfterStop:
    """What holds in each of several tests, of which one was run, and the same end happened in all: the largest p-value,
    and what some interval holds. The estimate is that of the first. With ends for futility, whether one that did not
    happen would have been heeded is not known from what was released: each rule that heeds all or none has its own
    order of the ends, and the larger p-value is at most a with probability at most a under both."""
    first, *others = found
    if not others or any(one.p_value is None for one in found):
        return next((one for one in found if one.p_value is None), first)
    ends = [one.interval.ends for one in found if one.interval.ends is not None]
    about = first.interval
    if len(ends) == len(found):
        beyond = None if about.excludes_null is None else all(one.interval.excludes_null for one in found)
        about = replace(about, ends=(min(low for low, _ in ends), max(high for _, high in ends)), excludes_null=beyond)
    p = max(one.p_value for one in found if one.p_value is not None)
    given = [one.given_plan for one in found if one.given_plan is not None]
    return replace(first, p_value=p, interval=about, heeding=True, given_plan=in_each(given) if given else None)


def _of_two_arms(
    paths: Paths,
    hypotheses: tuple[str, str],
    stages: Stages,
    released: Released,
    blocks: Sequence[Block],
    level: float,
    p: float,
) -> AfterStop:
    coins = [counted(paths, hypotheses[0], block.size) for block in blocks]
    if any(found is None for found in coins):
        raise NoFamily("its sums count something else than the coins of two arms")
    seen = pair(released, blocks, coins)
    found, line = estimated_difference(paths, stages, hypotheses, blocks[0].size, seen, level)
    about = Interval(_of_arms(released.names), found.interval, excludes_null=excludes_null(line, found.interval))
    return AfterStop(p, found.estimate, about, line.mean)
