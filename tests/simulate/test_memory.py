"""Memory does not grow with the runs."""

from __future__ import annotations

import tracemalloc

import seqlang
from seqlang.backends.montecarlo.simulate import simulate

TWO_STEPS = """\
algorithm two
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
statistic s = sum(x over steps)
report one when x == 1
stop when step >= 2 return s
"""


def peak(program, runs):
    tracemalloc.start()
    try:
        found = simulate(program, None, runs=runs, seed=1)
        assert found.runs == runs
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_ten_times_the_runs_take_no_more_memory():
    program = seqlang.load(TWO_STEPS).loaded.program
    simulate(program, None, runs=1000, seed=1)  # what is imported and cached stays
    few, many = peak(program, 200_000), peak(program, 2_000_000)
    assert many <= 1.1 * few


def test_rows_of_many_runs_come_one_by_one():
    program = seqlang.load(TWO_STEPS).loaded.program
    samples = simulate(program, None, runs=30_000, seed=1, keep=1000)
    tracemalloc.start()
    try:
        ones = sum(row["one"] for row in samples.rows())
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ones == samples.tally.reports["one"].total
    assert used < 8_000_000  # all rows at once would be some 15 MB
