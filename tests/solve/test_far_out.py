"""Runs that drift away and hardly ever come back: how many never stop, against linear systems of this file's own that
follow scores much further out, from laws that are added up here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from seqlang.analyses.operating.claims import decide_operating
from seqlang.analyses.operating.laws import Laws
from seqlang.backends.solve.blocks import far_out
from seqlang.backends.solve.blocks.block_chain import BlockChain
from seqlang.backends.solve.blocks.far_out import FarOutScores, falls, rate_of
from seqlang.backends.solve.solution import Solution
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.spaces import space_of
from seqlang.driver.checking import check
from seqlang.driver.loading import load
from seqlang.model.program import Program
from seqlang.source import Source

TEXT = """
algorithm power_one
stream x in {{0, 1}}
model coin: x ~ bernoulli({p})
memory score = 0
let size = {size}
report block when sum(1 since block) >= size
report ones = sum(x since block) when block
let seen = if block then clip(ones, 0, 3) else 0
update score = score {sign} (if seen >= 3 then {g[3]} else if seen >= 2 then {g[2]} else if seen >= 1 then {g[1]}
    else {g[0]}) when block
stop when {stop} return up
{more}
attach geometric({q}) to ones
claim probability(up) <= {claim} under coin
"""
Sizes = Callable[[int], int]


def program(
    size: str = "2", p: float = 0.3, gains: tuple[int, ...] = (-2, -1, 1, 3), upper: int = 6, q: str = "1 / 4",
    more: str = "", sign: str = "+", claim: str = "0.5",
) -> Program:  # fmt: skip
    stop = f"score >= {upper}" if sign == "+" else f"0 - score >= {upper}"
    text = TEXT.format(p=p, size=size, g=gains, stop=stop, q=q, more=more, sign=sign, claim=claim)
    return load(Source("power one", text)).program


def released(size: int, p: float, q: float) -> list[float]:
    """The chances of 0 .. 3 for the count of ones with noise of law q^|k| (1 - q) / (1 + q), clamped."""
    found = [0.0] * 4
    for k in range(size + 1):
        count = math.comb(size, k) * p**k * (1 - p) ** (size - k)
        for seen in (1, 2):
            found[seen] += count * (1 - q) / (1 + q) * q ** abs(seen - k)
        found[0] += count * (q**k / (1 + q) if k >= 0 else 0.0)
        found[3] += count * (q ** (3 - k) / (1 + q) if k <= 3 else 1 - q ** (k - 2) / (1 + q))
    assert abs(sum(found) - 1) < 1e-12
    return found


def ever_up(sizes: Sizes, p: float, gains: tuple[int, ...], upper: int, q: float = 0.25) -> float:
    """The chance ever to reach `upper` from 0: it hardly matters where a run is given up."""
    near, far = (up_before(sizes, p, gains, upper, q, deep) for deep in (200, 400))
    assert 0 <= far - near + 1e-14 < 1e-9
    return far


def up_before(sizes: Sizes, p: float, gains: tuple[int, ...], upper: int, q: float, deep: int) -> float:
    """The chance to reach `upper` from 0 before a score below -deep."""
    count = upper + deep
    moves, up = np.zeros((count, count)), np.zeros(count)
    for row, score in enumerate(range(-deep, upper)):
        for gain, chance in zip(gains, released(sizes(score), p, q), strict=True):
            after = score + gain
            if after >= upper:
                up[row] += chance
            elif after >= -deep:
                moves[row, after + deep] += chance
    return float(np.linalg.solve(np.eye(count) - moves, up)[deep])


def chance_up(found: Solution) -> tuple[float, float]:
    """What the law says of the return `up`, and how much is left beside."""
    sums = found.table.sum(axis=0) + (0.0 if found.tail is None else found.tail.outcomes)
    return float(sums[found.outcomes.index("up")]), found.unresolved - found.never + found.lost


def instance(seed: int) -> tuple[dict[str, Any], Sizes]:
    """A random program of which the scores fall, on the whole, and its sizes by score."""
    rng = np.random.default_rng(seed)
    while True:
        low, high, at, p = int(rng.integers(1, 6)), int(rng.integers(1, 6)), int(rng.integers(0, 9)), rng.random()
        gains = tuple(sorted(rng.integers(-4, 5, 4).tolist()))
        p = round(float(p) * 0.9 + 0.05, 3)
        mean = float(np.dot(gains, released(low, p, 0.25)))
        if mean < -0.3 and gains[3] > 0:
            break
    if seed % 2:
        text, sizes = f"if abs(score) >= {at} then {low} else {high}", lambda s: low if abs(s) >= at else high
    else:
        text, sizes = f"if score + 1 <= {-at} then {low} else {high}", lambda s: low if s < -at else high
    return {"size": text, "p": p, "gains": gains, "upper": int(rng.integers(1, 9))}, sizes


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 150))])
def test_chances_to_come_back_are_those_of_a_far_longer_chain(seed: int) -> None:
    asked, sizes = instance(seed)
    found = solve(program(**asked), "coin")
    said, left = chance_up(found)
    assert found.never > 0 and found.bounded_never and 0 <= left < 1e-9
    assert said == pytest.approx(ever_up(sizes, asked["p"], asked["gains"], asked["upper"]), abs=1e-9)


def test_a_walk_that_rises_is_followed_too() -> None:
    """The same with the other sign."""
    said, left = chance_up(solve(program(sign="-"), "coin"))
    assert said == pytest.approx(ever_up(lambda s: 2, 0.3, (-2, -1, 1, 3), 6), abs=1e-9) and left < 1e-9


def test_claims_are_decided_by_it() -> None:
    """By hand: a block of one entry without noise moves up or down by 1, so that it ever reaches 2 with chance
    (0.3 / 0.7)^2 = 0.1837 (the gambler's ruin)."""
    text = """
algorithm walk
stream x in {0, 1}
model coin: x ~ bernoulli(0.3)
memory score = 0
report block when sum(1 since block) >= 1
report ones = sum(x since block) when block
update score = score + (if ones >= 1 then 1 else -1) when block
stop when score >= 2 return up
claim probability(up) <= 0.1837 under coin
claim probability(up) <= 0.1836 under coin
claim expected(step) >= 10 under coin
"""
    loaded = load(Source("walk", text))
    assert [v.verdict for v in check(loaded).verdicts] == ["proved", "refuted", "proved"]
    claim = loaded.program.claims[0]
    assert "0.183673" in decide_operating(loaded.program, claim, Laws(loaded.program)).because


def test_what_is_missing_of_a_law_counts_as_its_largest_move() -> None:
    """Laws of which a part is hidden: where they are said to fall, the whole law does."""
    rng, seen = np.random.default_rng(5), 0
    for _ in range(400):
        gains = np.sort(rng.integers(-6, 7, 6)).astype(float)
        chances = rng.dirichlet(np.ones(6) * 0.5)
        hidden = float(chances[-1]) * float(rng.random())
        listed = np.r_[chances[:-1], chances[-1] - hidden]
        rate = float(rng.random())
        if falls(gains, listed, hidden, rate):
            seen += 1
            assert math.fsum(c * math.exp(rate * k) for c, k in zip(chances, gains, strict=True)) <= 1 + 1e-12
        found = rate_of(gains, listed, hidden)
        if found is not None:
            assert math.fsum(c * math.exp(found * k) for c, k in zip(chances, gains, strict=True)) <= 1 + 1e-12
    assert seen > 30


def scores_of(asked: Program) -> FarOutScores:
    chain = space_of(asked, "coin").unforced
    assert chain is not None
    made = chain(0)
    assert isinstance(made, BlockChain) and made.scores is not None
    return made.scores


def given_up(asked: Program) -> list[int]:
    """The scores from which runs are not followed, of some; other memories are 0."""
    scores = scores_of(asked)
    distant = np.geomspace(500, 1e7, 20).round()
    listed = np.unique(np.r_[-distant, np.arange(-400, 401), distant])
    _, far = scores.held([listed if n == "score" else np.zeros(len(listed)) for n in scores.names])
    return [int(score) for score in listed[far]]


OTHERWISE = {
    "it accepts": {"more": "stop when score <= -9 return down"},
    "it also counts blocks": {"more": "memory blocks = 0\nupdate blocks = blocks + 1 when block\nstop when blocks > 9"},
    "sizes that come back": {"size": "2 + score % 2"},
    "sizes that grow": {"size": "max(2, 0 - score)"},
    "a score that is read twice": {"size": "if score * score >= 4 then 1 else 2"},
    "another memory that follows it": {"more": "memory last = 0\nupdate last = score when block\nstop when last < -9"},
    "sizes by a sum of it": {"more": "memory twice = 0\nupdate twice = 2 * score when block\nstop when twice < -9"},
    "it rises": {"p": 0.9},
    "it never rises": {"gains": (-2, -1, 0, 0)},
    "a size that is compared with it": {"size": "if score >= 0 - abs(score) then 2 else 1"},
    "moves by the score": {"gains": ("(0 - score)", -1, 1, 3)},
}


@pytest.mark.parametrize("changed", OTHERWISE.values(), ids=OTHERWISE)
def test_nothing_is_concluded_of_other_programs(changed: dict[str, Any]) -> None:
    assert not given_up(program(**changed))


def test_scores_are_given_up_below_all_that_compares_them() -> None:
    """The largest move is 3; between -110 and -100 it ends, and below -150 blocks are smaller."""
    plain = given_up(program())
    ends = given_up(program(more="stop when score < -100 and score > -110 return down"))
    smaller = given_up(program(size="if score <= -150 then 1 else 2"))
    assert -80 < max(plain) < -10 and max(ends) < -113 and max(smaller) < -153


def test_values_that_are_too_rare_to_be_listed_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of 58 or more has a chance of 10^-58, and moves the score by 10^5."""
    honest = scores_of(load(Source("rare", RARE)).program)._of(())
    assert honest is None or honest.rate * 1e5 < 40
    monkeypatch.setattr(far_out, "_all_shown", lambda shown: True)
    monkeypatch.setattr(far_out._AllValues, "shown", lambda self, name, size: self.law.shown(name, size))
    forgetful = scores_of(load(Source("rare", RARE)).program)._of(())
    assert forgetful is not None and forgetful.rate > 0.1  # the planted fault


RARE = """
algorithm rare
stream x in {0, 1}
model coin: x ~ bernoulli(0.3)
memory score = 0
report block when sum(1 since block) >= 2
report ones = sum(x since block) when block
let seen = if block then clip(ones, 0, 60) else 0
update score = score + (if seen >= 60 then 100000 else if seen >= 2 then 1 else -1) when block
stop when score >= 6 return up
attach geometric(1 / 10) to ones
"""


def too_steep(gains: Any, chances: Any, missing: float) -> float | None:
    honest = rate_of(gains, chances, missing)
    return None if honest is None else 10 * honest


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "none": lambda patch: None,
    "a rate that is too large": lambda patch: patch.setattr(far_out, "rate_of", too_steep),
    "sizes that change further out": lambda patch: patch.setattr(FarOutScores, "_settled", lambda *_: True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are given up early, where an eighth may come back, so that what is said of them matters. Between 0 and -25
    blocks are such that scores rise from there."""
    monkeypatch.setattr(far_out, "GONE", math.log(8))
    FAULTS[name](monkeypatch)
    sizes: Sizes = lambda s: 1 if s < -25 else 4  # noqa: E731
    asked = program(size="if score < -25 then 1 else 4", p=0.45, gains=(-2, -1, 1, 2))
    true = ever_up(sizes, 0.45, (-2, -1, 1, 2), 6)
    said, left = chance_up(solve(asked, "coin"))
    honest = said - 1e-9 <= true <= said + left + 1e-9
    assert honest == (name == "none")
