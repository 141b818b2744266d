"""Numbers that floats round are proved of what they are exactly, as runs compute them."""

from __future__ import annotations

import pytest

import seqlang
from seqlang import driver
from seqlang.source import Source


@pytest.mark.parametrize(
    ("letters", "value"),
    [
        ("1, 2, 3", "floor(x / 1) - x"),
        ("0.1, 0.2, 0.3", "floor(x / 0.1) - 10 * x"),  # 0.3 / 0.1 is less than 3 in doubles, not in runs
        ("0.1, 0.2, 0.3", "floor(x / (0.1 * min(step, 1))) - 10 * x"),
        ("0.1, 0.2, 0.3", "x + 0.1 - 0.3"),  # wrong in the last digit only
        ("0.05, 0.1", "clip(sqrt(0.4 - x - x - x), 0, 1)"),
        ("0.05, 0.1", "clip(sqrt(0.3 - x - x - x), 0, 1)"),  # the root of 0, and in doubles of less
    ],
)
def test_what_they_round_is_proved(letters: str, value: str) -> None:
    """In runs on the last letter, too, it is between 0 and 1."""
    text = f"algorithm a\nstream x in {{{letters}}}\nreport A = {value}\nstop when step >= 2\n"
    found = driver.check(driver.load(Source("a.seq", text + "attach laplace(1) to A\nclaim strong pure(1)\n")))
    assert [v.verdict for v in found.verdicts] == ["proved"]
    session = seqlang.start(text)
    for _ in range(2):
        (shown,) = session.step(x=float(letters.split(", ")[-1])).reports.values()
        assert 0 <= float(shown) <= 1
