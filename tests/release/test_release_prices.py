"""What is proved of the first n steps is the price of a release that a public stop ends by then, and of no other."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from released import HEAD, ledger, loaded

from seqlang.diagnostics import SpecError
from seqlang.release.releasing import agreed

THRESHOLD = (
    HEAD
    + """let b = 5
stop when x >= b return above
END
attach discrete_gaussian(10) to b once
attach discrete_gaussian(20) to x
claim strong rdp(4, 1) within 20 steps
"""
)


@pytest.mark.parametrize("end", ["stop when step >= 20 return never", "stop when step >= 9 or step >= 80"])
def test_a_run_that_ends_by_then(tmp_path: Path, end: str) -> None:
    """The price is the bound of Zhu & Wang 2020, Theorem 8, for these standard deviations and at most 20 steps; it is
    least at an order above 4, and serves there too."""
    book = ledger(tmp_path / "l", "rdp(4, 1)")
    found = agreed(loaded(THRESHOLD.replace("END", end)), book, None, None).price

    def bound(order: int, steps: int) -> float:
        return order * (1 / (2 * 10**2) + 1 / (2 * 20**2)) + math.log(steps + 1) / (order - 1)

    assert (found.notion, found.order) == ("rdp", 4)
    assert min(bound(order, 9) for order in range(4, 100)) <= found.epsilon <= bound(32, 20) + 1e-12


@pytest.mark.parametrize(
    "end",
    ["", "stop when step >= 21", "stop when step >= 20 and x >= 1", "report r when step >= 20", "stop when step == 21"],
)
def test_a_run_that_may_be_longer(tmp_path: Path, end: str) -> None:
    book = ledger(tmp_path / "l", "rdp(4, 1)")
    with pytest.raises(SpecError, match="E0671"):
        agreed(loaded(THRESHOLD.replace("END", end)), book, None, None)
