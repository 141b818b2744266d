"""Which divisors, and which numbers of which a logarithm is taken, floats cannot take for 0."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.analyses.witnesses import ties
from seqlang.analyses.witnesses.far_from_zero import is_far_from_zero
from seqlang.model.program import Define, Program
from seqlang.source import Source

LINES = "stream x in {0, 1}, y in [0, 1]\n"


def program(body: str) -> Program:
    return driver.load(Source("far.seq", f"algorithm far\n{LINES}{body}\nstop when step == 3\n")).program


@pytest.mark.parametrize(
    ("value", "far"),
    [
        ("bernoulli(0.3).pmf(x) / bernoulli(0.6).pmf(x)", True),
        ("if x == 1 then 2 else 0.5", True),
        ("(x + 1) * (y + 0.1)", False),  # it is, but its parts x and y may be 0: cautious
        ("x", False),
        ("y", False),
        ("0.3 - 0.1 * x - 0.1", False),  # at least 0.1, but digits cancel
        ("(1e20 + x + 1) - 1e20", False),  # at least 1, and 0 for floats
        ("1e-12 * (x + 1)", False),
    ],
)
def test_a_number_that_floats_keep_above_zero(value: str, far: bool) -> None:
    found = program(f"statistic s = {value}")
    define = next(s for s in found.body if isinstance(s, Define) and s.name == "s")
    assert is_far_from_zero(found, define.expression) is far


def test_a_witness_for_log_likelihood_ratios_is_not_run_twice() -> None:
    """Windows of such ratios took minutes."""
    found = driver.load(driver.read("@cummings2018/changepoint_online")).program
    assert not ties._run(found, False).logs
    assert ties._run(program("report A when step == 2 and 1 / (0.3 - 0.1 * x - 0.1 * y) > 0"), False).logs
