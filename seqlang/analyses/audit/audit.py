"""A statistical lower bound on epsilon by Monte Carlo.

Pairs of neighbours are tried with few runs each. For the best pair an event is chosen on one half of the runs, and its
two probabilities are estimated on the other half with exact confidence bounds (Clopper & Pearson 1934). With the stated
confidence the true loss is at least the bound: evidence, not a proof.
"""

from __future__ import annotations

import time
from math import log

from seqlang.analyses.audit.events import chosen, proposals
from seqlang.analyses.audit.pairs import Stream, pairs
from seqlang.analyses.audit.runs import Sight, sample, seen
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program
from seqlang.record import record

LENGTH = 40
"""Steps of a stream, unless a horizon is given."""
MOST_PAIRS = 24
"""Pairs of neighbouring inputs that are compared at first."""
PILOT = 2000
"""Runs on each input of a pair in the first round, by which the most telling pair is chosen."""
FEWEST = 50
"""The same, where a run takes so long that there is no time for more."""
LARGEST = 4_000_000
"""Runs on each input of the chosen pair, at most."""
TESTED = 3
"""Events, the most telling ones, that are tested on fresh runs."""


@record
class Audit:
    """The event is what any of the sights shows (`labels`: what their `result` counts). `p_low` and `q_high` bound its
    probabilities under the first and the second input, both at once with probability `confidence`, for all `tested`
    events together; `hits` and `runs` are counts of the half on which nothing was chosen. `epsilon` is then a lower
    bound on any pure epsilon (0: none found)."""

    streams: tuple[Stream, Stream]
    event: tuple[Sight, ...]
    labels: tuple[str, ...]
    hits: tuple[int, int]
    runs: int
    p_low: float
    q_high: float
    epsilon: float
    confidence: float
    tested: int
    pairs: int
    seconds: float
    seed: int


def audit(
    program: Program,
    *,
    seconds: float,
    confidence: float = 0.999,
    horizon: int | None = None,
    seed: int = 1,
    runs: int | None = None,
) -> Audit | None:
    """The best bound found in about that time; None where nothing could be run or compared. `horizon`: the streams'
    length. `runs`: on each input of the chosen pair, for choosing events and for testing them, however long they take;
    with `seconds` infinite too, the result depends on the seed alone."""
    began = time.monotonic()
    tried, best = _most_telling(program, min(horizon or LENGTH, 400), seconds, seed)
    if best is None:
        return None
    pair, least, rate = best
    left = max(0.0, began + seconds - time.monotonic())
    half = runs or int(min(LARGEST, max(least, 0.4 * rate * left)))
    learn = [sample(program, s, half, seed * 1000 + 500 + k) for k, s in enumerate(pair)]
    ranked = chosen(learn[0], learn[1], proposals(learn[0], learn[1]))[:TESTED]
    if not ranked:
        return None
    test = [sample(program, s, half, seed * 1000 + 700 + k) for k, s in enumerate(pair)]
    found = []
    for _, swapped, event in ranked:
        order = (1, 0) if swapped else (0, 1)
        hits = tuple(sum(int(seen(test[k], sight).sum()) for sight in event) for k in order)
        miss = (1 - confidence) / (2 * len(ranked))  # both ends of all events that are tested
        low, high = clopper_pearson(hits[0], half, miss)[0], clopper_pearson(hits[1], half, miss)[1]
        loss = max(0.0, log(low / high)) if low > 0 and high > 0 else 0.0
        found.append(Audit(
            streams=(pair[order[0]], pair[order[1]]), event=event, labels=tuple(test[0].labels),
            hits=(hits[0], hits[1]),
            runs=half, p_low=low, q_high=high, epsilon=loss, confidence=confidence,
            tested=len(ranked), pairs=tried, seconds=time.monotonic() - began, seed=seed,
        ))  # fmt: skip
    return max(found, key=lambda one: one.epsilon)


def _most_telling(
    program: Program, length: int, seconds: float, seed: int
) -> tuple[int, tuple[tuple[Stream, Stream], int, float] | None]:
    """How many pairs were run in a third of the time; the one that an event tells apart best, with the runs that are
    afforded in the first round, and the runs of both its inputs a second."""
    began = time.monotonic()
    best: tuple[float, float, tuple[Stream, Stream]] | None = None
    tried = 0
    most: int | None = None
    for number, pair in enumerate(pairs(program, length, MOST_PAIRS)):
        if number and time.monotonic() - began > seconds / 3:
            break
        try:
            most = _affordable(program, pair[0], seconds) if most is None else most
            runs = min(most, PILOT if number or seconds > 2 else PILOT // 4)
            started = time.monotonic()
            first, second = (sample(program, s, runs, seed * 1000 + 2 * number + k) for k, s in enumerate(pair))
        except SpecError:
            continue
        rate = runs / max(1e-3, time.monotonic() - started)
        tried += 1
        ranked = chosen(first, second, proposals(first, second))
        if ranked and (best is None or ranked[0][0] > best[0]):
            best = ranked[0][0], rate, pair
    return tried, None if best is None else (best[2], most or PILOT, best[1])


def _affordable(program: Program, stream: Stream, seconds: float) -> int:
    """Runs of the first round: PILOT, where they do not take all the time. Raises SpecError."""
    took = 0.0
    for _ in range(2):  # the first has to import and compile
        began = time.monotonic()
        sample(program, stream, FEWEST, seed=1)
        took = time.monotonic() - began
        if took < seconds / 10:
            return PILOT
    return max(FEWEST, int(FEWEST * seconds / 8 / took))


def clopper_pearson(hits: int, runs: int, miss: float) -> tuple[float, float]:
    """A lower and an upper bound on a probability, each wrong with probability at most `miss`."""
    from scipy.stats import beta

    low = 0.0 if hits == 0 else float(beta.ppf(miss, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(beta.ppf(1 - miss, hits + 1, runs - hits))
    return low * (1 - 1e-12), min(1.0, high * (1 + 1e-12))
