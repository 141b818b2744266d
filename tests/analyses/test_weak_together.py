"""Many positions followed at once, against one walk for each; what becomes of exact zeros and of the work."""

from __future__ import annotations

import numpy as np
import pytest

from seqlang import driver
from seqlang.analyses.weak import positions
from seqlang.analyses.weak.positions import Scan
from seqlang.model.program import Program
from seqlang.source import Source

WALK = """
algorithm w
param s > 0 = 3
param t > 0 = 4
stream x in {{{values}}}
model m: x ~ uniform({{{values}}})
statistic v = sum({move} over steps)
stop when v >= s return up
stop when v <= -t return down
{noise}
"""
WALKS = [
    ("0, 1", "x - 1 / 2", ""),
    ("0, 1, 3", "x - 3 / 4", ""),
    ("0, 2", "x - 4 / 5", "attach gaussian(1) to s once\nattach gaussian(2) to s, t"),
    ("0, 1, 3", "x - 1", "attach laplace(2) to s"),
]


def _walk(values: str, move: str, noise: str) -> Program:
    return driver.load(Source("<text>", WALK.format(values=values, move=move, noise=noise))).program


@pytest.mark.parametrize(
    ("walk", "ratios"),
    [
        pytest.param(walk, ratios, marks=() if ratios == (i % 2 == 0) else pytest.mark.long)
        for i, walk in enumerate(WALKS)
        for ratios in (True, False)
    ],
)
def test_laws_of_many_positions_are_those_of_single_walks(
    walk: tuple[str, str, str], ratios: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _walk(*walk)
    together = Scan(program, "m", tolerance=1e-12, ratios=ratios)
    laws = [together.position(number) for number in range(1, 24)]
    assert together._together is not None, "or nothing is tested"
    monkeypatch.setattr(positions, "ONE_BY_ONE", 100)
    single = Scan(program, "m", tolerance=1e-12, ratios=ratios)
    for number, found in enumerate(laws, 1):
        expected = single.position(number)
        assert (found is None) == (expected is None)
        if found is None or expected is None:
            continue
        for law, other in zip(found.laws, expected.laws, strict=True):
            np.testing.assert_allclose(
                law.high, other.high, rtol=1e-12 if ratios else 1e-4, atol=0 if ratios else 1e-12
            )
            assert np.all(law.low <= other.high)
            assert np.all(other.low <= law.high)
            if ratios:
                np.testing.assert_array_equal(law.low == 0, other.low == 0)
                np.testing.assert_array_equal(law.high == 0, other.high == 0)
            assert law.beyond == pytest.approx(other.beyond, rel=1e-9)
            assert law.lost <= other.lost * (1 + 1e-9) + 1e-30
            assert law.lost == 0 or other.lost > 0, "exact zeros remain exact"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_the_work_may_end_anywhere(share: float) -> None:
    program = _walk(*WALKS[2])
    whole = Scan(program, "m", tolerance=1e-12)
    before = whole.work
    assert whole.position(20) is not None
    scan = Scan(program, "m", tolerance=1e-12, work=share * (before - whole.work))
    found = [scan.position(number) for number in range(1, 21)]
    assert found[-1] is None
    assert scan.exhausted
