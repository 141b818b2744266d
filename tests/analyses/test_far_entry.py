"""Weak claims that one far entry refutes, against simulated votes and against programs to which the theorem does not
apply."""

from __future__ import annotations

import random
from math import exp

import numpy as np
import pytest

from seqlang import driver
from seqlang.analyses.weak.far_entry import Far, far_entries
from seqlang.analyses.weak.verdict import decide
from seqlang.source import Source

VOTE = """algorithm a
stream x in real
model m: x ~ normal(0, 1)
statistic votes = [sum(2 * x + 1 over last 4 - k) for k in 1..3]
stop when step >= 3 return argmax(votes)
attach laplace(1) to votes
"""


def _far(text: str, model: str = "m") -> list[Far]:
    return list(far_entries(driver.load(Source("<test>", text)).program, model))


def _verdict(text: str, claim: str) -> str:
    program = driver.load(Source("<test>", f"{text}claim weak {claim}\n")).program
    return decide(program, program.claims[0]).verdict


def test_the_change_of_a_mean_without_a_clamp() -> None:
    """x1 = 256 against -256: the first place is returned with chance 1.0000 against .0000 (20,000 draws)."""
    program = driver.load(driver.read("@cummings2018/changepoint_gaussian")).program
    weak = next(claim for claim in program.claims if claim.kind == "weak")
    found = decide(program, weak)
    assert found.verdict == "refuted"
    assert "at position 1" in found.because


@pytest.mark.parametrize("claim", ["pure(5)", "dp(1, 0.9)", "dp(1, 0.9) per step", "rdp(2, 5)", "zcdp(2)"])
def test_every_notion_is_refuted(claim: str) -> None:
    notion, *way = claim.split(" per ")
    assert _verdict(VOTE, f"{notion} under m" + "".join(f" per {word}" for word in way)) == "refuted"


def test_clipped_entries_are_not_far() -> None:
    """Each entry moves an element by at most 2, and with noise of scale 50 the loss is at most 4/50 times 3 votes."""
    text = VOTE.replace("2 * x + 1", "clip(x, -1, 1)").replace("laplace(1)", "laplace(50)")
    assert all(far.loss < 0.25 for far in _far(text))
    assert _verdict(text, "pure(1/4) under m") != "refuted"


def test_the_smallest_is_a_vote_too() -> None:
    text = VOTE.replace("argmax", "argmin")
    assert _verdict(text, "dp(1, 0.9) under m") == "refuted"
    assert all((far.first < far.second) == (far.winner == 1) for far in _far(text) if far.position == 1)


@pytest.mark.parametrize(
    "change",
    [
        ("return argmax(votes)", "return argmax(votes) >= 2"),  # something else is shown
        ("return argmax(votes)", "return 1"),
        ("step >= 3 return", "votes[1] >= 0 or step >= 3 return"),  # when it stops tells of the entries
        ("x ~ normal(0, 1)", "x ~ normal(step, 1)"),
        ("x ~ normal(0, 1)", "x ~ poisson(1)"),  # no tail of that law is listed here
        ("2 * x + 1", "x + previous(x, 0)"),  # a summand of two entries
        ("2 * x + 1", "x * step"),
        ("sum(2 * x + 1", "mean(2 * x + 1"),
        ("attach laplace(1) to votes", "attach laplace(1) to votes\nattach laplace(1) to votes"),
        ("attach laplace(1) to votes", "attach laplace(1) to votes\nattach gaussian(1) to x"),
        ("stop when", "report r = x\nattach laplace(1) to r\nstop when"),
    ],
)
def test_where_the_theorem_says_nothing(change: tuple[str, str]) -> None:
    assert _far(VOTE.replace(*change)) == []


def test_a_model_that_reads_memory() -> None:
    text = VOTE.replace("model", "memory w = 0\nmodel").replace("normal(0, 1)", "normal(w, 1)")
    assert _far(text.replace("stop when", "update w = w + 1\nstop when")) == []


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_random_votes(seed: int) -> None:
    """The chances of the winner, from 40,000 votes of each kind, lie on the right side of the bounds."""
    chooser, draws = random.Random(seed), np.random.default_rng(seed)
    steps = chooser.randint(2, 5)
    windows = sorted({chooser.randint(1, steps) for _ in range(4)} | {steps}, reverse=True)
    if len(windows) < 2:
        windows = [steps, steps - 1] if steps > 1 else [1, 1]
    slope, shift = chooser.choice((-2, 1, 3)), chooser.choice((-1, 0, 1))
    noise, scale = chooser.choice(("laplace", "gaussian")), chooser.choice((1, 4, 20))
    sign = chooser.choice(("argmax", "argmin"))
    law = chooser.choice(("uniform(-1/2, 1/2)", "uniform(0, 1)"))
    items = ", ".join(f"sum({slope} * x + {shift} over last {m})" for m in windows)
    text = f"""algorithm a
stream x in [-30, 40]
model m: x ~ {law}
statistic votes = [{items}]
stop when step >= {steps} return {sign}(votes)
attach {noise}({scale}) to votes
"""
    found = _far(text)
    for far in found[:6]:
        for entry, bound, above in ((far.first, far.p, True), (far.second, far.q, False)):
            seen = _simulated(draws, law, steps, windows, (slope, shift), (noise, scale), sign, far, entry)
            off = 5 * (seen * (1 - seen) / 40_000) ** 0.5 + 1e-4
            assert seen >= bound - off if above else seen <= bound + off, (text, far)
    if scale == 1:
        assert found
        assert max(far.delta(0.1) for far in found) > 0.5


def _simulated(
    draws: np.random.Generator, law: str, steps: int, windows: list[int], summand: tuple[int, int],
    noise: tuple[str, int], sign: str, far: Far, entry: float,
) -> float:  # fmt: skip
    low, high = (-0.5, 0.5) if "-1/2" in law else (0.0, 1.0)
    entries = draws.uniform(low, high, (40_000, steps))
    entries[:, far.position - 1] = entry
    parts = summand[0] * entries + summand[1]
    votes = np.stack([parts[:, steps - m :].sum(axis=1) for m in windows], axis=1)
    votes += (
        draws.laplace(0, noise[1], votes.shape) if noise[0] == "laplace" else draws.normal(0, noise[1], votes.shape)
    )
    winners = (votes.argmax(axis=1) if sign == "argmax" else votes.argmin(axis=1)) + 1
    return float((winners == far.winner).mean())


def test_two_votes_of_which_one_counts_the_entry_have_exact_bounds() -> None:
    """The votes differ by x1 alone: for x1 = 3 against -3 the chances are 1 - F(3) and F(3), where F(3) is the integral
    from 3 of (1 + t) e^-t / 4, the density of the difference of two Laplace draws."""
    text = VOTE.replace("real", "[-3, 3]").replace("normal(0, 1)", "uniform(-3, 3)").replace("2 * x + 1", "x")
    text = text.replace("last 4 - k) for k in 1..3", "last 3 - k) for k in 1..2").replace("step >= 3", "step >= 2")
    grid = np.linspace(3, 60, 200_001)
    density = (1 + grid) * np.exp(-grid) / 4
    tail = float(np.sum((density[1:] + density[:-1]) / 2 * np.diff(grid)))
    far = next(far for far in _far(text) if (far.position, far.first, far.winner) == (1, 3, 1))
    assert (far.p, far.q) == (pytest.approx(1 - tail, rel=1e-6), pytest.approx(tail, rel=1e-6))
    delta = 1 - tail - exp(1) * tail
    assert _verdict(text, f"dp(1, {delta - 1e-6:.9f}) under m") == "refuted"
    assert _verdict(text, f"dp(1, {delta + 1e-6:.9f}) under m") != "refuted"
