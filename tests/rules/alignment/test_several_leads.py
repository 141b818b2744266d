"""Several comparisons of quantities that share much, under one kept noise: bounds beside the enumerated loss."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from itertools import product
from random import Random

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.source import Source

LENGTH, RATIO, SUPPORT = 4, 0.5, range(-40, 41)
LEADS = {
    "c1 - max(c2, c3)": lambda a, b, c: a - max(b, c),
    "c2 - max(c1, c3)": lambda a, b, c: b - max(a, c),
    "min(c1, c2) - c3": lambda a, b, c: min(a, b) - c,
    "max(c1, c2, c3)": max,
    "c1 - c2": lambda a, b, c: a - b,
    "abs(c3 - c2)": lambda a, b, c: abs(c - b),
    "min(c1 - c2, c1 - c3)": lambda a, b, c: min(a - b, a - c),
}


def text(leads: tuple[str, ...], bar: int) -> str:
    lines = ["algorithm leads", "stream x in {0, 1, 2}", f"draw z ~ geometric({RATIO}) once"]
    lines += [f"statistic c{i} = count(x == {i - 1} over steps)" for i in (1, 2, 3)]
    lines += [f"draw w{i} ~ geometric({RATIO})" for i in range(len(leads))]
    lines += [f"stop when {lead} + w{i} >= {bar} + z return r{i}" for i, lead in enumerate(leads)]
    return "\n".join(lines) + "\n"


def mass(k: int) -> float:
    return (1 - RATIO) / (1 + RATIO) * RATIO ** abs(k)


@cache
def tail(k: int) -> float:
    """P(w >= k)."""
    return RATIO**k / (1 + RATIO) if k > 0 else 1 - RATIO ** (1 - k) / (1 + RATIO)


def law(leads: tuple[str, ...], bar: int, stream: tuple[int, ...]) -> dict[tuple[int, int], float]:
    """The chance of each stopping step and stop, and of none by the end."""
    found: dict[tuple[int, int], float] = defaultdict(float)
    counts = [tuple(stream[:t].count(i) for i in range(3)) for t in range(1, len(stream) + 1)]
    values = [[LEADS[lead](*count) for lead in leads] for count in counts]
    for z in SUPPORT:
        alive = mass(z)
        for t, row in enumerate(values, 1):
            for i, value in enumerate(row):
                fires = tail(bar + z - value)
                found[t, i] += alive * fires
                alive *= 1 - fires
        found[0, 0] += alive
    return found


def loss(leads: tuple[str, ...], bar: int) -> float:
    worst = 0.0
    laws = {stream: law(leads, bar, stream) for stream in product(range(3), repeat=LENGTH)}
    for stream, p in laws.items():
        for at, entry in product(range(LENGTH), range(3)):
            q = laws[(*stream[:at], entry, *stream[at + 1 :])]
            worst = max(worst, *(abs(math.log(p[o] / q[o])) for o in p if min(p[o], q[o]) > 1e-9))
    return worst


def bound(leads: tuple[str, ...], bar: int) -> float:
    program = driver.load(Source("<leads>", text(leads, bar))).program
    found = prove(program, orders=()).pure
    return math.inf if found is None else size_of(program, found)


@pytest.mark.parametrize("seed", range(6))
def test_no_bound_is_below_the_enumerated_loss(seed: int) -> None:
    random = Random(seed)
    leads, bar = tuple(random.sample(list(LEADS), random.choice((2, 3)))), random.randint(0, 3)
    assert loss(leads, bar) <= bound(leads, bar) + 1e-9


def test_three_leads_cost_what_a_lead_moves_in_each_noise() -> None:
    """The kept noise moves by 2, the largest difference, and the noise of the lead that fires by 2 + 2."""
    leads = (*tuple(LEADS)[:2], "c3 - max(c1, c2)")
    assert bound(leads, 3) == pytest.approx(6 * math.log(1 / RATIO), rel=1e-9)
