"""Largest, smallest and mean values over steps of what moves in many steps, and how far they are from what they are of:
random statistics against all neighbouring streams, and sequential tests that were unknown."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from neighbouring import ADJACENT, Values, fits, pairs
from small_statistics import draw_extremes, program, text_of

import seqlang
from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.record import replace
from seqlang.rules.sensitivity.motion import motion_of as rules
from seqlang.rules.sensitivity.motion.motion import Motion
from seqlang.rules.sensitivity.motion.shifts import shift_of

TEST = """algorithm t
param eps > 0 = 1
param h = 10
stream x in [0, 1]
statistic m = sum(x - 1/2 over steps)
{}
stop when g >= h return alarm
attach laplace(2 / eps) to h once
attach laplace(4 / eps) to g
"""


def wrong(seed: int) -> list[str]:
    """Statistics of which the claimed class or radius does not hold for some neighbours."""
    r = random.Random(seed)
    body, names, meanings = draw_extremes(r)
    adjacency = r.choice([*ADJACENT, "replace one", "replace one"])
    made = program(text_of(adjacency, body))
    found = []
    for name, meaning in zip(names, meanings, strict=True):
        claimed, values = shift_of(made, Local(name)), Values(meaning)
        limit = enclose(claimed.radius, {}).high
        for x, y in pairs(adjacency, 3):
            differences = values.differences(x, y)
            if not fits(claimed.kind, differences) or max(map(abs, differences)) > limit:
                found.append(f"{text_of(adjacency, body)}\n{name}: {claimed}, {x} and {y}")
                break
    return found


@pytest.mark.parametrize("block", [0, *(pytest.param(i, marks=pytest.mark.long) for i in range(1, 6))])
def test_random_extremes_against_all_neighbours(block: int) -> None:
    assert [text for seed in range(15 * block, 15 * block + 15) for text in wrong(seed)] == []


@pytest.mark.long
def test_many_random_extremes() -> None:
    assert [text for seed in range(10_000, 14_000) for text in wrong(seed)] == []


def not_turned(body: Motion) -> Motion | None:
    return None if body.kind != "uniform" else replace(body, kind="same direction")


def also_of_windows(body: Motion) -> Motion | None:
    one_sign = body.one_sign and body.norms is None
    return replace(body, kind="same direction", sign=body.sign and (body.sign[0], -body.sign[1])) if one_sign else None


@pytest.mark.parametrize(
    ("name", "fault", "first"),
    [
        ("less_its_body", not_turned, 170),
        ("less_its_body", also_of_windows, 73),
        ("over_steps", lambda _, body: body, 0),
        ("over_steps", lambda _, body: replace(body, kind="same sign, not growing"), 0),
    ],
)
def test_planted_faults_are_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[..., object], first: int
) -> None:
    """`first`: a seed before the first ones that notice it, so that this takes no time; of 400 at least two do."""
    assert not any(wrong(seed) for seed in range(first, first + 3))
    monkeypatch.setattr(rules, name, fault)
    assert any(wrong(seed) for seed in range(first, first + 3))


@pytest.mark.parametrize(
    ("statement", "epsilon"),
    [
        # Page's and Hinkley's test: the sum less its smallest value so far lies between 0 and the entry's move
        ("statistic g = m - min(m over steps)", 0.75),
        ("statistic g = max(m over steps) - m", 0.75),
        ("statistic g = max(m over steps)", 0.75),
        ("statistic g = m - mean(m over steps)", 0.75),
        # the range of the sum: both ends move, either way
        ("statistic g = max(m over steps) - min(m over steps)", None),
        ("statistic g = 2 * m - min(m over steps)", None),
        ("statistic g = m - max(m over last 2)", None),
    ],
)
def test_sequential_tests(statement: str, epsilon: float | None) -> None:
    strong = seqlang.check(TEST.format(statement)).to_dict()["strong"]["pure"]
    if epsilon is None:
        assert float(strong["upper"]) >= 0.75
    else:
        assert strong["upper"] == pytest.approx(epsilon)
    assert strong["lower"] <= float(strong["upper"])
