"""Tallies against numpy on whole arrays, for any way of cutting the runs."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from every_digit import every_digit

from seqlang.backends.montecarlo import histogram, moments
from seqlang.backends.montecarlo.chunks import Chunk, block_end, blocks, joined
from seqlang.backends.montecarlo.tally import QUANTILES, Tally, merged

LABELS = ("reject", "accept")


def chunk(runs, seed=0, *, values="few", longest=0.05):
    """Made-up runs: unstopped ones, both labels, statistics with gaps, a vector, counts."""
    rng = np.random.default_rng(seed)
    partial = rng.normal(3, 2, runs)
    partial[rng.random(runs) < 0.3] = np.nan
    vector = rng.normal(size=(3, runs))
    vector[:, rng.random(runs) < 0.1] = np.nan
    returned = {
        "none": None,
        "few": rng.integers(0, 7, runs) / 2,
        "many": 1e6 + rng.standard_cauchy(runs),
        "vector": rng.normal(size=(2, runs)),
    }[values]
    return Chunk(
        first=0,
        steps=rng.geometric(longest, runs),
        codes=rng.choice([-2, -1, 0, 1], runs, p=[0.05, 0.15, 0.2, 0.6]),
        values=returned,
        statistics={"partial": partial, "vector": vector, "never": np.full(runs, np.nan)},
        reports={"r": rng.poisson(0.4, runs)},
        released={"r": np.where(rng.random(runs) < 0.2, rng.normal(size=runs), np.nan), "q": np.full(runs, np.nan)},
    )


def tally_of(whole, sizes):
    found, begin = None, 0
    while begin < whole.count:
        end = min(whole.count, begin + next(sizes))
        one = Tally.of(whole.part(begin, end), LABELS)
        found = one if found is None else merged(found, one)
        begin = end
    return found


def mean_and_error(values):
    there = values[..., ~np.isnan(values.reshape(-1, values.shape[-1])).any(axis=0)]
    return there.mean(axis=-1), there.std(axis=-1, ddof=1) / math.sqrt(there.shape[-1])


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.long), 7, 1000, 5000])
def test_a_summary_is_numpys_of_all_runs(size):
    whole = chunk(5000)
    found = tally_of(whole, iter(lambda: size, None)).summary()
    steps = found["steps"]
    assert steps["mean"] == pytest.approx(whole.steps.mean(), rel=1e-15)
    assert steps["sd"] == pytest.approx(whole.steps.std(ddof=1), rel=1e-13)
    assert steps["se"] == pytest.approx(whole.steps.std(ddof=1) / math.sqrt(5000), rel=1e-13)
    assert (steps["min"], steps["max"]) == (whole.steps.min(), whole.steps.max())
    marks = np.quantile(whole.steps, [float(q) for q in QUANTILES], method="inverted_cdf")
    assert list(steps["quantiles"].values()) == marks.tolist()
    assert found["unstopped"] == np.sum(whole.codes == -2)
    for i, label in enumerate(LABELS):
        assert found["returns"][label]["probability"] == np.mean(whole.codes == i)
    assert found["returns"]["2.5"]["probability"] == np.mean(whole.values == 2.5)
    for name in ("partial", "vector"):
        mean, error = mean_and_error(whole.statistics[name])
        np.testing.assert_allclose(found["statistics"][name]["mean"], mean, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found["statistics"][name]["se"], error, rtol=1e-12)
    assert found["statistics"]["never"] is None
    counts = whole.reports["r"]
    assert found["reports"]["r"]["mean"] == pytest.approx(counts.mean(), rel=1e-15)
    assert found["reports"]["r"]["se"] == pytest.approx(counts.std(ddof=1) / math.sqrt(5000), rel=1e-13)
    assert found["reports"]["r"]["probability"] == np.mean(counts > 0)
    assert found["reports"]["r"]["last_value"]["mean"] == pytest.approx(np.nanmean(whole.released["r"]), rel=1e-12)
    assert found["return_value"]["sd"] == pytest.approx(whole.values.std(ddof=1), rel=1e-12)
    assert found["return_value"]["max"] == 3.0


def test_returned_numbers_and_vectors():
    whole = chunk(3000, values="many")
    found = Tally.of(whole, LABELS).summary()
    marks = np.quantile(whole.values, [float(q) for q in QUANTILES], method="inverted_cdf")
    assert list(found["return_value"]["quantiles"].values()) == marks.tolist()
    assert set(found["returns"]) == set(LABELS)  # too many different numbers for a table
    vector = Tally.of(chunk(3000, values="vector"), LABELS).summary()["return_value"]
    assert len(vector["mean"]) == 2 and "quantiles" not in vector
    assert "return_value" not in Tally.of(chunk(3000, values="none"), LABELS).summary()


def test_blocks_make_the_last_digit_independent_of_the_cuts():
    whole = chunk(20_000, values="many")

    def plain(ends):
        cuts = (whole.part(a, b) for a, b in zip([0, *ends], [*ends, whole.count], strict=True))
        found = None
        for block in blocks(cuts, partial(block_end, largest=4096)):
            one = Tally.of(block, LABELS)
            found = one if found is None else merged(found, one)
        return every_digit(found)

    expected = plain([])
    for ends in ([1, 2, 3], [1024, 1030, 19_999], list(range(7, 20_000, 777))):
        assert plain(ends) == expected


def test_blocks_begin_where_they_should():
    ends, at = [], 0
    while at < 1 << 19:
        at = block_end(at)
        ends.append(at)
    assert ends[:3] == [1024, 2048, 3072]
    sizes = np.diff([0, *ends])
    assert set(np.log2(sizes).tolist()) == set(range(10, 17))
    assert all(a % s == 0 for a, s in zip(ends, sizes, strict=True))
    assert block_end(64, 16) == 80


def test_infinite_values():
    values = np.array([1.0, np.inf, 2.0, np.nan])
    both = moments.merged(moments.moments_of(values), moments.moments_of(np.array([3.0, 4.0])))
    assert both.count == 5 and both.mean == np.inf and np.isnan(both.squares)
    assert histogram.of_values(values[:3]).quantile(Fraction(9, 10)) == np.inf


def test_means_far_from_zero_keep_their_scatter():
    values = 1e9 + np.random.default_rng(0).normal(size=10_000)
    parts = [moments.moments_of(p) for p in np.array_split(values, 10)]
    found = parts[0]
    for part in parts[1:]:
        found = moments.merged(found, part)
    assert float(found.sd) == pytest.approx(np.std(values - 1e9, ddof=1), rel=1e-6)


def test_long_runs_are_summed_exactly():
    steps = np.array([3_000_000_000, 3_000_000_001, 5], dtype=np.int64)
    found = moments.whole_of(steps)
    assert found.squares == sum(int(s) ** 2 for s in steps) and found.some == 3
    assert found.sd == pytest.approx(np.std(steps.astype(float), ddof=1), rel=1e-12)


def test_very_many_steps_go_into_bins():
    rng = np.random.default_rng(2)
    parts = [rng.integers(1, 10_000_000, 60_000) for _ in range(3)]
    tallies = [histogram.of_steps(p, np.zeros(len(p), dtype=np.int64), 1) for p in parts]
    found = histogram.merged(histogram.merged(tallies[0], tallies[1]), tallies[2])
    assert found.coarse and found.total == 180_000 and len(found.at) < 1 << 15
    other = histogram.merged(tallies[2], histogram.merged(tallies[1], tallies[0]))
    assert np.array_equal(found.at, other.at) and np.array_equal(found.counts, other.counts)
    everything = np.concatenate(parts)
    for q in (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)):
        exact = np.quantile(everything, float(q), method="inverted_cdf")
        assert exact * (1 - 2**-10) <= found.quantile(q) <= exact


def test_few_steps_stay_exact_in_bins():
    many = histogram.of_steps(np.arange(100_000), np.zeros(100_000, dtype=np.int64), 1)
    assert many.coarse
    assert many.values[:2048].tolist() == list(range(2048))


def test_very_many_numbers_go_into_bins_about_their_median():
    """Far from zero, where bins relative to the value itself would hold everything at once."""
    rng = np.random.default_rng(3)
    values = 1e6 + rng.standard_normal(300_000)
    found = None
    for part in np.array_split(values, 6):
        one = histogram.of_values(part)
        found = one if found is None else histogram.merged(found, one)
    assert found.coarse and found.total == 300_000 and len(found.at) < 1 << 14
    for q in (Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2), Fraction(19, 20)):
        exact = np.quantile(values, float(q), method="inverted_cdf")
        assert abs(found.quantile(q) - exact) <= 1.5e-3 * max(1.35, abs(exact - 1e6))


def test_bins_that_are_known_before_are_the_same_and_hold_the_infinite():
    rng = np.random.default_rng(4)
    many = histogram.of_values(rng.standard_cauchy(100_000))
    more = np.array([0.25, np.inf, -np.inf, 1e300, 7.0])
    first, second = (histogram.merged(many, histogram.of_values(more, like)) for like in (None, many))
    assert many.coarse and np.array_equal(first.at, second.at) and np.array_equal(first.counts, second.counts)
    assert first.total == 100_005 and first.quantile(Fraction(1)) == np.inf and first.values[0] == -np.inf


@pytest.mark.parametrize("values", [[-3, 0, 7, 7, -3], [0.5, 2.5, 0.5], [0.1, 1.1, 2.1], [-0.0, 0.0], [1e300, 2.0]])
def test_different_numbers_are_counted(values):
    found = histogram.of_values(np.array(values, dtype=float))
    assert found.at.tolist() == sorted(set(values))
    assert found.counts[:, 0].tolist() == [values.count(v) for v in sorted(set(values))]


def test_joined_chunks_fill_what_is_missing():
    one, two = chunk(5, values="none"), chunk(4, 1)
    both = joined([one, two])
    assert both.count == 9 and np.isnan(both.values[:5]).all()
    assert np.array_equal(both.values[5:], two.values)
