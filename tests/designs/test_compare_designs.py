"""Designs that a planner would otherwise take."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from published import Tell
from scipy.stats import binom, norm
from thorough import several

from seqlang.backends.interpret.compiled import Compiler
from seqlang.designs.blocks.blocks import Blocks, walk_lattice
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.mechanism import NoNoise, mechanism_for
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.whole_hypotheses import looked_at
from seqlang.designs.compare import rows
from seqlang.designs.compare.classic import classic_design
from seqlang.designs.compare.e_process import e_process
from seqlang.designs.compare.figures import proved
from seqlang.designs.compare.rows import LOOKS, compared, looks_of
from seqlang.designs.compare.tuned import NO_ARMS, tuned_rows
from seqlang.designs.compare.walks import WALKS, coarse, walk_text
from seqlang.designs.data.choose import read_by
from seqlang.designs.data.readings import Binned, Reading, Window
from seqlang.designs.design import Design
from seqlang.designs.find import best_design
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.entry import coin, two_coins
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request import problem_of
from seqlang.designs.search.master import Column
from seqlang.driver import load, solve
from seqlang.process.time_limit import limited
from seqlang.record import replace
from seqlang.results.design import ComparedDesign
from seqlang.source import Source


def average(row: ComparedDesign) -> float:
    null, alternative = row.expected_steps["null"], row.expected_steps["alternative"]
    assert null is not None and alternative is not None
    return (null + alternative) / 2


def test_all_are_for_the_same_problem_and_none_is_better() -> None:
    tenth, fifth = Fraction(1, 10), Fraction(1, 5)
    asked = Problem(coin(tenth), coin(Fraction(4, 5)), tenth, fifth, Privacy("pure", (Fraction(2),)))
    design, blocks, fixed = best_design(asked)
    listed = compared(design, blocks, fixed, best_design)
    own, *others = listed
    assert own.expected_steps["null"] == pytest.approx(design.mean("null", "steps"))
    assert [row.privacy for row in listed] == ["pure(2)"] * (len(listed) - 1) + ["none"]
    assert [row.verdict for row in listed] == ["proved"] * (len(listed) - 1) + [None]
    best = average(own)
    for row in others:
        assert row.kept == (row.errors["null"] <= 0.1 + 1e-9 and row.errors["alternative"] <= 0.2 + 1e-9)
        assert ("more often than allowed" in row.note) == (not row.kept)
        if row.privacy != "none" and row.kept and row.expected_steps["null"] is not None:
            assert average(row) >= best * 0.999
    assert average(listed[-1]) <= best
    assert next(row for row in listed if row.name == "one block").max_steps == fixed


def test_classic_boundaries_on_counts_without_noise() -> None:
    """Pocock's boundaries on three blocks: the error under the null by adding up all counts of which the standardised
    sum passes a boundary, and near the nominal one."""
    twentieth = Fraction(1, 20)
    asked = Problem(coin(Fraction(3, 10)), coin(Fraction(1, 2)), twentieth, Fraction(1, 10), Privacy("none"))
    design = classic_design(Blocks(asked, NoNoise()), "pocock", 60, LOOKS)
    (policy,) = (column.policy for column in design.columns)
    size = policy.sizes[0]
    bound = 1.992  # Jennison & Turnbull 2000, table 2.1 for two-sided .1: C_P(3, .1) = 1.992
    error = steps = 0.0
    law = binom.pmf(range(size + 1), size, 0.3)
    for counts in itertools.product(range(size + 1), repeat=LOOKS):
        part = math.prod(law[c] for c in counts)
        sums = list(itertools.accumulate(counts))
        z = [(s - 0.3 * size * k) / math.sqrt(0.21 * size * k) for k, s in enumerate(sums, 1)]
        first = next((k for k, one in enumerate(z, 1) if one >= bound - 1e-3), None)
        error += part * (first is not None)
        steps += part * size * (first or LOOKS)
    assert design.mean("null", "reject") == pytest.approx(error, rel=0.02)  # scores are rounded, counts are not
    assert design.mean("null", "steps") == pytest.approx(steps, rel=0.01)
    assert error == pytest.approx(0.05, abs=0.02)
    assert design.mean("alternative", "accept") <= 0.1
    assert norm.sf(bound) < error


def test_a_chance_to_reject_that_falls_is_told() -> None:
    """A test that rejects for two ones rises with p; where the hypotheses are exchanged, it falls towards the
    alternative."""
    tenth = Fraction(1, 10)
    asked = Problem(coin(Fraction(3, 10)), coin(Fraction(7, 10)), tenth, tenth, Privacy("none"))
    blocks = Blocks(asked, NoNoise())
    steps = walk_lattice(blocks[1])
    good = Policy(steps, (Row(0, 0, (2,)), Row(2, 1, ())), ends=True)
    side = evaluate(good, blocks.laws(0), blocks.scores(steps))
    assert side.reject == pytest.approx(0.09)  # two ones of two at .3
    design = Design(asked, (Column(good, side, side, (2.0,)),), (Fraction(1),), None)
    assert "is monotone" in looked_at(design, blocks)
    crossed = replace(asked, null=asked.alternative, alternative=asked.null)
    assert "not monotone" in looked_at(replace(design, problem=crossed), blocks)


def noisy_counts(size: int, p: float, q: float) -> list[float]:
    """P(count + noise = y), where it is read as 0 or `size` beyond these, by the definition: P(noise = k) is
    (1 - q)/(1 + q) q^|k|."""
    law = [0.0] * (size + 1)
    for ones, chance in enumerate(binom.pmf(range(size + 1), size, p).tolist()):
        for k in range(-60, 61):
            law[min(max(ones + k, 0), size)] += chance * (1 - q) / (1 + q) * q ** abs(k)
    return law


@pytest.mark.parametrize("accepts", [True, False])
def test_an_e_process_by_following_its_scores(accepts: bool) -> None:
    """The mass at every score, block after block; by Ville's inequality the error is at most the nominal one."""
    tenth, fifth = Fraction(1, 10), Fraction(1, 5)
    asked = Problem(coin(Fraction(1, 5)), coin(Fraction(3, 5)), tenth, fifth, Privacy("pure", (Fraction(1),)))
    blocks = Blocks(asked, mechanism_for(asked.privacy, 1))
    design, _ = e_process(blocks, 12, accepts=accepts)
    (policy,) = (column.policy for column in design.columns)
    (size,) = policy.sizes
    laws = [noisy_counts(size, p, math.exp(-1)) for p in (0.2, 0.6)]
    gains = [math.floor(math.log(b / a) / policy.lattice + 0.5) for a, b in zip(*laws, strict=True)]
    upper, lower = (
        math.log(1 / e) / policy.lattice for e in (0.1, 0.2 if accepts else math.exp(-12))
    )  # reached with chance exp(-12)
    for side, law in zip(("null", "alternative"), laws, strict=True):
        if side == "null" and not accepts:
            continue
        at, ended, looks = {0: 1.0}, {"reject": 0.0, "accept": 0.0}, 0.0
        while sum(at.values()) > 1e-7:
            looks += sum(at.values())
            after: dict[int, float] = {}
            for score, mass in at.items():
                for gain, chance in zip(gains, law, strict=True):
                    there = score + gain
                    if there >= upper or there <= -lower:
                        ended["reject" if there >= upper else "accept"] += mass * chance
                    else:
                        after[there] = after.get(there, 0.0) + mass * chance
            at = after
        assert design.mean(side, "steps") == pytest.approx(size * looks, rel=1e-4)
        for end, chance in ended.items():
            assert design.mean(side, end) == pytest.approx(chance, abs=1e-5)
    assert design.mean("null", "reject") <= 0.1
    assert design.mean("alternative", "accept") <= 0.2


def test_one_block_may_have_to_be_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best size is found with scores that are not rounded; that of the row has rounded ones."""
    asked: list[tuple[int, ...]] = []
    enough = [22]

    def design_for(problem: Problem) -> tuple[str, str, int]:
        asked.append(problem.limits.looks)
        if problem.limits.looks[0] < enough[0]:
            raise Infeasible("too small")
        return "design", "blocks", 20

    monkeypatch.setattr(rows, "row_of", lambda *told: told)
    plain = walk_problem("0.2", "0.7", Privacy("none"))
    assert rows._one_block(plain, 20, design_for) == ("one block", "design", "blocks")
    assert asked == [(20,), (21,), (22,)]
    enough[0] = 1000
    assert "at no size" in rows._one_block(plain, 20, design_for).note


def test_a_calendar_gives_the_number_of_looks() -> None:
    asked = Problem(coin(Fraction(1, 10)), coin(Fraction(4, 5)), Fraction(1, 10), Fraction(1, 5), Privacy("none"))
    assert [looks_of(replace(asked, limits=limits)) for limits in (
        Limits(), Limits(looks=(10, 20, 40, 80)), Limits(every=10, most=50), Limits(every=10), Limits(looks=(10,)),
        Limits(most=40))] == [LOOKS, 4, 5, LOOKS, LOOKS, LOOKS]  # fmt: skip


FIVE = Fraction(1, 20)


def walk_problem(p0: str, p1: str, privacy: Privacy) -> Problem:
    return Problem(coin(Fraction(p0)), coin(Fraction(p1)), Fraction(1, 5), Fraction(1, 5), privacy)


def test_the_least_noise_of_tests_that_look_after_every_entry() -> None:
    """Both ends by one noise: the loss is share + (1 - share), in units of the noise (Michel et al. 2025, Theorem 1).
    Each end by its own: where the sum moves up and the test accepts, the kept noise above moves by 1 (share), and the
    noise of the look below by 1 (1 - share). Ends that fall are public, and whatever the share is, the noise is the
    same."""
    asked = walk_problem("0.2", "0.7", Privacy("pure", (Fraction(2),)))
    shares = itertools.islice(itertools.cycle(("0.386", "0.25")), several(len(WALKS), 2 * len(WALKS)))
    for walk, share in zip(itertools.cycle(WALKS), shares):
        found = []
        for noise in (Fraction(1, 2), Fraction(499, 1000)):
            text = walk_text(walk, asked, noise)
            assert "share in (0, 1) = 0.386" in text
            found.append(proved(text.replace("share in (0, 1) = 0.386", f"share in (0, 1) = {share}")))
        assert found[0] == "proved" != found[1]


def levels_of(null: str, alternative: str, reading: Reading) -> Problem:
    """Read as levels, and not by a search."""
    asked = problem_of(null, alternative, Fraction(1, 5), Fraction(1, 5), "pure(2)", "average", False)
    return coarse(read_by(asked, reading))


def test_walks_of_counts_and_of_numbers() -> None:
    """The law of a level is the binned law, the largest level is what one entry moves, and the slope lies where both
    hypotheses are equally likely."""
    counts = levels_of("x ~ poisson(1)", "x ~ poisson(3)", Window(0, 40, 0, 8, True))
    numbers = levels_of("x ~ normal(-1, 1)", "x ~ normal(1, 1)", Binned("real", Fraction(0), Fraction(1), 8))
    text = walk_text(WALKS[0], numbers, Fraction(1))
    assert "sum(x - 1 over steps)" in text  # of the levels 0, 1, 2, which begin at -1/2 and 1/2
    program = load(Source("numbers", text)).program
    law = Compiler(program).constant(program.models[0].laws[0][1])
    edges = norm.cdf([-math.inf, -0.5, 0.5, math.inf], loc=-1)
    assert [law.pmf(k) for k in range(3)] == pytest.approx(np.diff(edges))
    mean = (3 - 1) / math.log(3)  # where e^-1 = 3^x e^-3
    slope = re.search(r"sum\(level\(x\) - (\S+) over", walk_text(WALKS[1], counts, Fraction(1)))
    assert slope is not None and float(Fraction(slope[1])) == pytest.approx(mean, abs=0.1)
    for walk, asked, most in ((WALKS[0], numbers, 2), (WALKS[1], counts, 8))[: several(1, 2)]:
        noises = [Fraction(most, 2) * part for part in (Fraction(1), Fraction(99, 100))]
        verdicts = [proved(walk_text(walk, asked, noise)) for noise in noises]
        assert verdicts[0] == "proved" != verdicts[1]


def test_a_walk_rejects_on_the_side_of_the_alternative() -> None:
    asked = walk_problem("0.7", "0.2", Privacy("pure", (Fraction(3),)))
    laws = solve(load(Source("walk", walk_text(WALKS[0], asked, Fraction(1, 3)))), tolerance=1e-6)
    for law, right in zip(laws, ("accept", "reject"), strict=True):
        assert law.returns[right] > 0.8


def test_rows_that_cannot_be_are_said() -> None:
    tenth = Fraction(1, 10)
    names = ("a", "b")
    arms = Problem(two_coins(names, tenth, tenth), two_coins(names, tenth, 5 * tenth), tenth, tenth,
                   Privacy("pure", (Fraction(1),)), arms=names)  # fmt: skip
    assert {row.note for row in tuned_rows(arms)} == {NO_ARMS}
    with limited(1.0):
        late = list(tuned_rows(walk_problem("0.2", "0.7", Privacy("pure", (Fraction(2),)))))
    assert {row.note for row in late} == {"not tried, for lack of time"}
    assert all(row.errors["null"] is None and not row.kept and row.verdict is None for row in late)
    assert list(tuned_rows(walk_problem("0.2", "0.7", Privacy("none")))) == []


def simulated(row: ComparedDesign, shared: bool, p: float, runs: int) -> tuple[float, float]:
    """(P(reject), mean steps) by numpy alone: ends, slope and scales are read off the program; ties of both ends are
    rejections."""
    values = {found.name: float(found.value) for found in load(Source("row", row.spec)).program.parameters}
    rng = np.random.default_rng(5)
    kept = values["noise"] / values["share"]
    look = (2 if shared else 1) * values["noise"] / (1 - values["share"])
    up = rng.laplace(0, kept, runs)
    down = up if shared else rng.laplace(0, kept, runs)
    total, step, rejected, lasted = np.zeros(runs), 0, 0, 0.0
    while len(total):
        step += 1
        end = values["bar"] - values["fall"] * step
        total = total + (rng.random(len(total)) < p) - 0.5
        above = rng.laplace(0, look, len(total))
        below = above if shared else rng.laplace(0, look, len(total))
        high = total + above >= end + up
        ends = high | (total + below <= -end - down)
        rejected, lasted = rejected + int(high.sum()), lasted + step * int(ends.sum())
        total, up, down = total[~ends], up[~ends], down[~ends]
    return rejected / runs, lasted / runs


@pytest.mark.long
def test_tuned_rows_by_simulation(published: Tell) -> None:
    """The published row looks after every entry or every few; ends that fall need fewer entries."""
    asked = replace(walk_problem("0.3", "0.7", Privacy("pure", (Fraction(2),))), alpha=FIVE, beta=FIVE)
    for row, shared, most in zip(tuned_rows(asked), (True, False), (23.25, 20.0), strict=True):
        assert row.verdict == "proved" and row.kept and average(row) <= most
        published("Tuned DP-SPRT as published (23.25), 0.3 against 0.7, eps 2", row.name, average(row), 23.25)
        rejected, lasted = simulated(row, shared, 0.3, 200_000)
        error, mean = row.errors["null"], row.expected_steps["null"]
        assert error is not None and mean is not None
        assert rejected == pytest.approx(error, abs=4 * math.sqrt(error / 200_000))
        assert lasted == pytest.approx(mean, rel=0.01)
