"""Parts in threads: in order, the same numbers, errors and interrupts. The engine is a made-up one."""

from __future__ import annotations

import time
from importlib import import_module

import numpy as np
import pytest
from every_digit import every_digit

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.montecarlo.chunks import Chunk
from seqlang.backends.montecarlo.counted import Counted
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

simulation = import_module("seqlang.backends.montecarlo.simulate")  # the package has a function of this name
TEXT = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstop when x == 1 return one\n"


def outcome(runs):
    """Steps that depend on a run's number only."""
    return 1 + (runs * 2654435761 % 4093) % 13


class Made:
    """Runs of made-up lengths; later parts are faster. `endless`: from run 3072 on the odd ones have no end."""

    name, why = "made", None

    def __init__(self, threads, batch, *, fails=(), endless=False):
        self.threads, self.batch, self.fails, self.endless = threads, batch, fails, endless
        self.block = 1 << 16
        self.asked = []

    def run(self, first, count, cap, watch):
        self.asked.append((first, count))
        runs = np.arange(first, first + count)
        bad = [n for n in self.fails if first <= n < first + count]
        if bad:
            time.sleep(0.02 if bad[0] < 2000 else 0)
            raise ValueError(f"run {bad[0]}")
        steps, codes = outcome(runs), np.zeros(count, dtype=np.int64)
        never = (runs >= 3072) & (runs % 2 == 1) & self.endless
        while cap is None and never.any() and not watch.leaving:
            watch.done[:] = count // 2, count
            time.sleep(0.005)
        steps[never] = 100 + runs[never] if cap is None else cap
        codes[never] = UNSTOPPED
        time.sleep(0.001 * (first % 3))
        return Chunk(first, steps, codes, None, {"half": steps / 7}, {}, {})

    def counted(self, first, count, cap, watch):
        one = self.run(first, count, cap, watch)
        apart = (one.codes == UNSTOPPED) | (one.steps == 13)
        ends = np.zeros((3, 13), dtype=np.int64)
        np.add.at(ends, (one.codes[~apart] - UNSTOPPED, one.steps[~apart]), 1)
        rows = np.stack([np.arange(first, first + count), one.steps, one.codes])[:, apart]
        return Counted(first, count, ends, rows, {}, None, one.statistics, {})


@pytest.fixture
def made(monkeypatch):
    """Simulates with a made-up engine."""
    tree, _ = parse(Source("<text>", TEXT))
    program, _ = elaborate(tree, {})

    def run(engine, runs, **options):
        monkeypatch.setattr(simulation._Recipe, "engine", lambda *_: engine)
        return simulation.simulate(program, None, runs=runs, seed=1, engine="numpy", **options)

    return run


def test_threads_and_batches_change_nothing(made):
    expected = outcome(np.arange(10_000))
    plain = set()
    for threads, batch, keep in ((0, 10_000, 1), (0, 77, 9999), (1, 500, 0), (3, 64, 10_000), (3, 100_000, 4000)):
        found = made(Made(threads, batch), 10_000, keep=keep)
        assert np.array_equal(found.steps, expected)
        assert found.tally.made.total == expected.sum()
        plain.add(every_digit(found.tally))
    assert len(plain) == 1


def test_few_runs_are_shared_among_the_threads(made):
    engine = Made(2, 1 << 16)
    made(engine, 100)
    assert len(engine.asked) == 8 and max(count for _, count in engine.asked) <= 13


def test_runs_that_were_not_kept_come_again(made):
    expected = outcome(np.arange(5000))
    found = made(Made(2, 300), 5000, keep=1500)
    assert sum(c.count for c in found.all_runs.kept) < 1500
    assert [row["steps"] for row in found.rows()] == expected.tolist()
    assert [row["run"] for row in found.rows()] == list(range(5000))
    assert np.array_equal(found.statistics["half"], expected / 7)


def test_the_error_of_the_first_run_that_fails_is_told(made):
    for threads in (0, 2):
        with pytest.raises(ValueError, match="run 1500"):
            made(Made(threads, 200, fails=(1500, 2500)), 5000)


def test_an_interrupt_of_threads_keeps_what_there_is(made):
    def interrupt(progress):
        raise KeyboardInterrupt

    for threads in (1, 3):
        found = made(Made(threads, 1000, endless=True), 100_000, progress=interrupt, keep=2000)
        assert found.interrupted
        assert 3072 + 512 <= found.runs <= 3072 + 1024 * 2 * threads
        assert found.unstopped == (found.runs - 3072) // 2
        rows = list(found.rows())  # those without an end were counted only: they are made again as far as they were
        assert [row["run"] for row in rows] == list(range(found.runs))
        for run, row in enumerate(rows):
            never = run >= 3072 and run % 2 == 1
            assert row["stopped"] == (not never)
            assert row["steps"] == (100 + run if never else outcome(np.array(run)))


def test_progress_of_threads(made):
    seen = []

    def tell(progress):
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    made(Made(2, 1000, endless=True), 100_000, progress=tell)
    last = seen[-1]
    assert last.runs_done >= 3072 + 256 and last.runs == 100_000
    assert last.steps_done >= last.runs_done and last.steps_per_second > 0
    assert last.mean_steps == pytest.approx(outcome(np.arange(3072)).mean())
    assert last.estimate.name == "P(one)" and last.estimate.value == 1 and last.estimate.low < 1
    assert last.seconds_left == pytest.approx((last.runs - last.runs_done) * last.seconds / last.runs_done)
