"""Where floats decide what exact numbers do not, nothing is proved of a run."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.results.check import CheckResult
from seqlang.source import Source


def checked(inputs: str, value: str) -> CheckResult:
    text = f"algorithm a\n{inputs}\nreport A = {value}\nstop when step >= 2\nattach laplace(1) to A\n"
    text += "claim strong pure(1)\n"
    return driver.check(driver.load(Source("a.seq", text)))


@pytest.mark.parametrize(
    ("inputs", "value"),
    [
        ("stream x in {0.1, 0.05}", "clip(sqrt(0.3 - x - x - x), 0, 1)"),  # what is left of 0.3 is less than 0
    ],
)
def test_what_floats_decide_is_unknown(inputs: str, value: str) -> None:
    found = checked(inputs, value)
    assert [v.verdict for v in found.verdicts] == ["unknown"]
    assert "rounding" in found.verdicts[0].because
    assert found.bounds.pure is None
    assert found.bounds.dp is None


@pytest.mark.parametrize(
    ("inputs", "value"),
    [
        ("stream x in {1, 2, 3}", "floor(x / 1) - x"),
        ("stream x in {0.1, 0.2, 0.3}", "floor(x / 0.1) - 10 * x"),  # 0.3 / 0.1 is less than 3 in doubles, not in runs
        ("stream x in {0.1, 0.2, 0.3}", "floor(x / (0.1 * min(step, 1))) - 10 * x"),
        ("stream x in {0.1, 0.2, 0.3}", "x + 0.1 - 0.3"),  # wrong in the last digit only
        ("stream x in {0.1, 0.05}", "clip(sqrt(0.4 - x - x - x), 0, 1)"),
    ],
)
def test_what_they_only_round_is_proved(inputs: str, value: str) -> None:
    assert [v.verdict for v in checked(inputs, value).verdicts] == ["proved"]
