"""A share that has stopped so far is no probability: the mass that is not resolved stands beside it everywhere."""

from __future__ import annotations

from seqlang import driver
from seqlang.annotations.reading import read
from seqlang.annotations.values import values_of_laws
from seqlang.results.solve import SolveResult, chance_interval
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_columns import flat
from seqlang.results.sweep_row import SweepRow
from seqlang.source import Source

RARE = """algorithm harm
param p = 0.000001
stream x in {0, 1}
model usual: x ~ bernoulli(p)
statistic s = sum(x over steps)
stop when s >= 10 return harm
"""
"""The harm is certain, and takes ten million steps on average: more than are followed."""


def law() -> SolveResult:
    (found,) = driver.solve(driver.load(Source("<test>", RARE)))
    assert not found.resolved
    return found


def test_the_interval_holds_the_truth() -> None:
    found = law().to_dict()
    low, high = found["returns_interval"]["harm"]
    assert low <= 1 <= high and found["expected_steps_interval"] is None


def test_no_place_shows_what_has_stopped_so_far_alone() -> None:
    result = law()
    exact = result.to_dict()
    so_far = f"{result.returns['harm']:.3g}"[:4]
    sweep = SweepResult("harm", ("p",), (SweepRow({"p": 1e-6}, "usual", None, exact),))
    loaded = driver.load(Source("<test>", RARE))
    (value,) = values_of_laws(read(RARE).file, loaded.program, [result])
    for shown in (result.summary, str(sweep), value.text):
        assert so_far not in shown and "0 .. 1" in shown, shown
    columns = flat(sweep.rows[0], sweep.names)
    assert columns["exact.returns.harm.low"] <= 1e-9 and columns["exact.returns.harm.high"] == 1
    assert chance_interval(exact, "never named") == (0.0, exact["mass_unresolved"])


def test_a_chance_below_one_is_not_printed_as_one() -> None:
    """P(more than one of 20 fair coins) = 1 - 21 / 2^20 = 0.99998, in four digits 1."""
    text = RARE.replace("0.000001", "0.5").replace("stop when s >= 10 return harm", (
        "stop when step >= 20 and s >= 2 return harm\nstop when step >= 20 return fine"))  # fmt: skip
    (found,) = driver.solve(driver.load(Source("<test>", text)))
    assert "harm 0.99998" in found.summary
