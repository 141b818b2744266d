"""Weak privacy of programs with reports, against laws of whole transcripts that are listed here, stream by stream; and
of entries with a density, of which some pairs only are compared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from seqlang import driver
from seqlang.analyses.weak.verdict import decide
from seqlang.source import Source

BITS = "stream x in {0, 1}\nmodel m: x ~ bernoulli(0.3)\n"
CLOSE = 1e-4
Law = np.ndarray
"""Chances of all transcripts, given a stream."""


def _verdict(text: str, claim: str) -> tuple[str, str]:
    program = driver.load(Source("<text>", f"algorithm a\nparam eps > 0 = 1\n{text}\nclaim weak {claim}")).program
    found = decide(program, program.claims[0])
    return found.verdict, found.because


def _pairs(law: Callable[[tuple[int, ...]], Law], steps: int) -> list[tuple[Law, Law]]:
    """The laws of the transcript given one entry, the others drawn with P(1) = .3, by position and ordered pair."""
    found = []
    for n in range(steps):
        given = []
        for a in (0, 1):
            whole: Law | float = 0.0
            for stream in product((0, 1), repeat=steps):
                if stream[n] == a:
                    chance = np.prod([0.3 if x else 0.7 for i, x in enumerate(stream) if i != n])
                    whole = whole + chance * law(stream)
            given.append(np.asarray(whole))
        found += [(given[0], given[1]), (given[1], given[0])]
    return found


def _loss(pairs: list[tuple[Law, Law]]) -> float:
    return max(float(np.max(np.log(p[p > 0] / q[p > 0]))) for p, q in pairs)


def _delta(pairs: list[tuple[Law, Law]], epsilon: float) -> float:
    return max(float(np.maximum(p - exp(epsilon) * q, 0).sum()) for p, q in pairs)


def _told_at_the_edge(text: str, pairs: list[tuple[Law, Law]], epsilon: float = 0.3) -> None:
    loss, delta = _loss(pairs), _delta(pairs, epsilon)
    assert 0.01 < loss < 5
    assert 0.01 < delta < 0.9
    for share, verdict in ((1 - CLOSE, "refuted"), (1 + CLOSE, "proved")):
        for claim in (f"pure({loss * share:.12f}) under m", f"dp({epsilon}, {delta * share:.12f}) under m"):
            assert _verdict(text, claim)[0] == verdict, (claim, _verdict(text, claim))


def test_a_noisy_running_count() -> None:
    """Every showing r_t of the count s_t has chance (1 - q) / (1 + q) q^|r_t - s_t|; -25 to 28 hold all but e^-25."""
    q, values = exp(-1), np.arange(-25, 29)

    def law(stream: tuple[int, ...]) -> Law:
        one, two = ((1 - q) / (1 + q) * q ** np.abs(values - s) for s in np.cumsum(stream))
        return np.outer(one, two)

    text = BITS + "report R = sum(x over steps)\nstop when step >= 2\nattach geometric(exp(-eps)) to R"
    _told_at_the_edge(text, _pairs(law, 2))


@pytest.mark.parametrize("above", [True, False])
def test_which_reports_were_made_before_the_stop(above: bool) -> None:
    """Two flips tell of each entry; a run that stops between the two reports tells less of its last entry."""
    keeps, lies = 0.75, 0.6

    def law(stream: tuple[int, ...]) -> Law:
        """By what A and B told in the first step, and in the second (2: there was none); 0 where B was not made."""
        table = np.zeros((2, 2, 3, 2))  # told first, told later or stopped, second step: told first, told later
        for a, b, c, d in product((0, 1), repeat=4):
            first = (keeps if a == stream[0] else 1 - keeps) * (lies if b == stream[0] else 1 - lies)
            second = (keeps if c == stream[1] else 1 - keeps) * (lies if d == stream[1] else 1 - lies)
            if above and a:
                table[a, 0, 2, 0] += first * second
            elif not above and a:
                table[a, b, 2, 0] += first * second
            else:
                table[a, b, c, d if not (above and c) else 0] += first * second
        return table.ravel()

    reports = ["report A = x", "report B = x"]
    stop = "stop when A == 1"
    lines = [reports[0], stop, reports[1]] if above else [*reports, stop]
    text = BITS + "\n".join(lines) + "\nstop when step >= 2"
    text += f"\nattach randomized_response({keeps}) to A\nattach randomized_response({lies}) to B"
    _told_at_the_edge(text, _pairs(law, 2))


def test_a_stop_above_a_report_ends_its_step_without_it() -> None:
    """Step 2 ends with a report, or without one: by the stop above it, which says no more than the stop below. One
    step at a time, sets of transcripts that end there are compared."""
    q = 0.25
    noise = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-14, 15)}

    def step(x: int) -> tuple[float, float, float]:
        """The chances of a stop, of a report, and of neither; the noise of b is the same for both."""
        stops = sum(p for z, p in noise.items() if 1 + z <= 0)
        told = sum(p * r for z, p in noise.items() for y, r in noise.items() if 1 + z > 0 and x + y <= 1 + z)
        return stops, told, 1 - stops - told

    def law(stream: tuple[int, ...]) -> Law:
        (ends, told, silent), (later, again, quiet) = step(stream[0]), step(stream[1])
        return np.array([ends, told * again, told * (later + quiet), silent * again, silent * (later + quiet)])

    text = BITS + (
        "param b = 1\nstatistic s = x\nstop when b <= 0\nreport R when s <= b\nstop when step >= 2\n"
        "attach geometric(1 / 4) to s\nattach geometric(1 / 4) to b"
    )
    pairs = _pairs(law, 2)
    _told_at_the_edge(text, pairs, 0.05)
    delta = max(_delta([(p[1:], r[1:]) for p, r in pairs], 0.05), _delta([(p[:1], r[:1]) for p, r in pairs], 0.05))
    for share, verdict in ((1 - CLOSE, "refuted"), (1 + CLOSE, "proved")):
        assert _verdict(text, f"dp(0.05, {delta * share:.12f}) under m per step")[0] == verdict


def test_alarms_that_share_a_noisy_threshold() -> None:
    """P(pattern) is the integral over the threshold's noise of the product over steps."""
    z = np.linspace(-60, 60, 240_001)
    weight = stats.laplace.pdf(z, scale=2) * (z[1] - z[0])

    def law(stream: tuple[int, ...]) -> Law:
        up = [stats.laplace.sf(2 + z - s, scale=2) for s in np.cumsum(stream)]
        return np.array([np.sum(weight * np.prod([u if a else 1 - u for a, u in zip(pattern, up, strict=True)], axis=0))
                         for pattern in product((0, 1), repeat=3)])  # fmt: skip

    text = BITS + (
        "param b = 2\nstatistic s = sum(x over steps)\nreport alarm when s >= b\nstop when step >= 3\n"
        "attach laplace(2) to s\nattach laplace(2) to b once"
    )
    _told_at_the_edge(text, _pairs(law, 3), 0.1)


def test_plain_values_and_what_is_returned() -> None:
    """Every second entry is shown through a sum of two: 1 tells nothing of which of them it was."""

    def law(stream: tuple[int, ...]) -> Law:
        table = np.zeros((3, 2))
        table[stream[0] + stream[1], stream[2]] = 1.0
        return table.ravel()

    text = BITS + (
        "statistic pair = sum(x over last 2)\nreport R = pair when step == 2\n"
        "stop when step >= 3 and x == 1 return yes\nstop when step >= 3 return no"
    )
    assert _verdict(text, "pure(20) under m")[0] == "refuted"
    delta = _delta(_pairs(law, 3), 0.3)
    assert delta == pytest.approx(1.0)
    shown = text.replace("and x == 1 ", "")
    pairs = _pairs(lambda stream: law((*stream[:2], 0)), 3)
    for share, verdict in ((1 - CLOSE, "refuted"), (1 + CLOSE, "proved")):
        assert _verdict(shown, f"dp(0.3, {_delta(pairs, 0.3) * share:.12f}) under m")[0] == verdict


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BITS + "report R when x == 1\nstop when R and step >= 3", "no public stop ends every run"),
        (BITS + "report R = x\nstop when step >= 2\nattach laplace(1) to R", "not geometric"),
        (BITS + "report R = x\nstop when R >= 3\nstop when step >= 2\nattach geometric(0.5) to R", "read elsewhere"),
        (BITS + "report R = x / 2\nstop when step >= 2", "not whole"),
        (BITS + "report R = [x, x]\nstop when step >= 2", "something else than a number"),
        (BITS + "report R = sum(2000 * x over steps)\nstop when step >= 2", "too many of them"),
        (BITS + "report R when x == 1\nstop when step >= 60", "too many to be listed"),
    ],
)
def test_what_is_not_listed_says_why(text: str, why: str) -> None:
    verdict, because = _verdict(text, "pure(1/100) under m")
    assert verdict == "unknown", because
    assert why in because


def test_a_program_that_returns_minus_one_is_decided_as_before() -> None:
    text = BITS + "stop when x == 1 return 0 - 1\nstop when step >= 2 return 0"
    assert _verdict(text, "dp(0, 0.999) under m")[0] == "refuted"


DENSITY = (
    "param b = 1\nstream x in {domain}\nmodel m: x ~ {law}\nstop when x >= b return up\nstop when step >= 2 return no\n"
    "attach laplace(1) to x"
)


@pytest.mark.parametrize(
    ("domain", "law", "low", "high"), [("[0, 1]", "uniform(0, 1)", 0, 1), ("real", "normal(0, 1)", -8, 8)]
)
def test_entries_with_a_density_are_refuted_by_some_pairs(domain: str, law: str, low: float, high: float) -> None:
    """The first entry decides step 1 alone: up with chance P(z >= 1 - x), else what the second decides."""
    first, second = (float(stats.laplace.sf(1 - x)) for x in (low, high))
    text = DENSITY.format(domain=domain, law=law)
    loss = max(log(second / first), log((1 - first) / (1 - second)))
    assert _verdict(text, f"pure({loss * (1 - CLOSE):.12f}) under m")[0] == "refuted"
    delta = second - exp(0.2) * first
    assert _verdict(text, f"dp(0.2, {delta * (1 - CLOSE):.12f}) under m")[0] == "refuted"
    verdict, because = _verdict(text, f"dp(0.2, {delta * (1 + 1e-6):.12f}) under m")
    assert verdict == "unknown"
    assert "infinitely many other values" in because


def test_equal_returns_of_several_stops_are_one_and_different_ones_are_two() -> None:
    """Whichever stop returns it, a number is what it is: two stops that return 1 tell nothing, 0 and 1 tell x."""
    ends = "report R when step == 1\nstop when step >= 2 and x == 1 return {}\nstop when step >= 2 return {}"
    for first, second in (("1", "0"), ("x", "x"), ("x + 2", "x")):
        assert _verdict(BITS + ends.format(first, second), "pure(9) under m")[0] == "refuted", (first, second)
    assert _verdict(BITS + ends.format("x", "x + 1"), "pure(1/1000) under m")[0] == "proved"


def test_noise_that_a_stop_compares_and_returns_is_not_clamped() -> None:
    """Beyond 4 the clamped noise of a count of at most 2 stops runs too seldom: the loss is 2.298, not 2.197."""
    text = BITS.replace("0.3", "0.5") + (
        "statistic s = sum(x over steps)\nstatistic t = sum(x over steps)\nreport R when t >= 1\n"
        "stop when s >= 4 return s\nstop when step >= 2\nattach geometric(1/2) to s\nattach geometric(1/3) to t"
    )
    assert _verdict(text, "pure(2.25) under m")[0] != "proved"


def test_clamped_returns_are_no_returns_of_another_stop() -> None:
    """A return of 0 is another one than all that are 0 or less: with delta .6023 at .1 (listed by hand), not .5792."""
    text = BITS.replace("0.3", "1/3") + (
        "statistic a = sum(x over steps)\nstatistic b = sum(x over steps)\nstatistic c = sum(x over steps)\n"
        "statistic d = sum(x over last 2)\nstop when a >= 1 return b\nstop when c >= 1 return 0\nreport R when d >= 2\n"
        "stop when step >= 2 return no\nattach geometric(1/5) to a\nattach geometric(1/3) to b\n"
        "attach geometric(1/3) to c\nattach geometric(1/3) to d"
    )
    assert _verdict(text, "dp(0.1, 0.602) under m")[0] != "proved"
