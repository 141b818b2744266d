"""Models whose laws read memory: the entry of a step answers to what was shown before it."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import seqlang
from seqlang.analyses.claims import decide
from seqlang.analyses.operating.almost_surely import surely_stops
from seqlang.analyses.prove import prove
from seqlang.backends.solve.step.entries import entries
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.diagnostics import SpecError
from seqlang.model import expression as m
from seqlang.model.program import Program
from seqlang.model.validate import validate
from seqlang.rules.claims import falls_short

ENGINES = ("interpreter", "numpy", "compiled")
COUNTING = """\
algorithm counting
stream x in real
memory k = 0
model m: x ~ point(10 * k + step)
statistic s = sum(x over steps)
update k = k + 1
stop when step >= 4 return s
"""
"""The entries are 1, 12, 23 and 34: what an update changes is read in the next step."""


def program(text: str) -> Program:
    return seqlang.load(text).loaded.program


@pytest.mark.parametrize("engine", ENGINES[:2])
def test_the_law_reads_memory_as_it_is_before_the_step(engine: str) -> None:
    (result,) = seqlang.run(COUNTING, runs=3, seed=1, engine=engine)
    assert result.to_dict()["statistics"]["s"]["mean"] == 70


# ---- exact laws beside a listing of all courses


class Bandit:
    """Two or three arms, the answer told by a coin, a random rule of what comes next; stops at `most` told ones."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.arms, self.most, self.last = random.choice((2, 3)), random.choice((1, 2, 3)), random.choice((4, 6))
        self.means = [random.randint(0, 10) / 10 for _ in range(self.arms)]
        self.truth = random.choice((0.5, 0.8, 1.0))
        self.late = random.choice((0, 0.05))
        self.next = {(a, told): random.randrange(self.arms) for a in range(self.arms) for told in (0, 1)}

    def text(self) -> str:
        means = "[" + ", ".join(map(str, self.means)) + "]"
        after = ["0"] * 2
        for told in (0, 1):
            for a in range(self.arms):
                after[told] = f"if arm == {a} then {self.next[a, told]} else {after[told]}"
        noise = f"attach randomized_response({self.truth}) to win\n" if self.truth < 1 else ""
        return (
            "algorithm bandit\nstream x in {0, 1}\nmemory arm = 0\nmemory wins = 0\n"
            f"model m: x ~ bernoulli({means}[arm + 1] * (1 - {self.late} * step))\n"
            "report win = x == 1\nupdate wins = wins + (if win then 1 else 0)\n"
            f"update arm = if win then ({after[1]}) else ({after[0]})\n"
            f"stop when wins >= {self.most} return good\nstop when step >= {self.last} return bad\n{noise}"
        )

    def truly(self) -> tuple[float, float]:
        """The chance of `good` and the expected step, from all courses of entries and coins."""
        good = steps = 0.0
        now = {(0, 0): 1.0}
        for step in range(1, self.last + 1):
            then: dict[tuple[int, int], float] = defaultdict(float)
            for ((arm, wins), mass), x, honest in product(now.items(), (0, 1), (True, False)):
                mean = self.means[arm] * (1 - self.late * step)
                chance = mass * (mean if x else 1 - mean) * (self.truth if honest else 1 - self.truth)
                told = x if honest else 1 - x
                if wins + told >= self.most:
                    good, steps = good + chance, steps + chance * step
                else:
                    then[self.next[arm, told], wins + told] += chance
            now = then
        return good, steps + self.last * math.fsum(now.values())


@pytest.mark.parametrize("seed", range(12))
def test_random_bandits_have_the_law_of_all_their_courses(seed: int) -> None:
    bandit = Bandit(seed)
    good, steps = bandit.truly()
    (result,) = seqlang.solve(bandit.text())
    found = result.to_dict()
    assert found["returns"].get("good", 0.0) == pytest.approx(good, abs=1e-9)
    assert found["expected_steps"] == pytest.approx(steps, abs=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_estimate_the_same_law(engine: str) -> None:
    bandit, runs = Bandit(3), 400 if engine == "interpreter" else 20_000
    good, steps = bandit.truly()
    assert 0.05 < good < 0.95  # a chance that a wrong law would change
    (result,) = seqlang.run(bandit.text(), runs=runs, seed=1, engine=engine)
    found = result.to_dict()
    assert abs(found["returns"]["good"]["probability"] - good) <= 5 * math.sqrt(good * (1 - good) / runs)
    assert abs(found["steps"]["mean"] - steps) <= 5 * 3 / math.sqrt(runs)


# ---- the bandits of the library


def test_the_regret_of_successive_elimination_is_that_of_its_first_epoch() -> None:
    """651 = ceil(32 log(160) 4) + 1 pulls of each arm, after which the worse one, 0.6 below, is out: its mean would
    have to be off by more than 0.46, sixteen deviations of a mean of 651 rewards."""
    (result,) = seqlang.run("@sajed2019/dp_se", runs=2, seed=1, engine="interpreter")
    regret = result.to_dict()["statistics"]["regret"]
    assert regret["mean"] == pytest.approx(651 * 0.6, rel=1e-12) and regret["se"] < 1e-9


def ucb_regret(runs: int, n: int, b: float, means: tuple[float, float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Private UCB with a tree of noises for each arm, by hand: rows are runs."""
    random = np.random.default_rng(5)
    sums, pulls, nodes = np.zeros((2, runs)), np.zeros((2, runs)), np.zeros((2, runs, 12))
    arm, regret, each = np.zeros(runs, int), np.zeros(runs), np.arange(runs)
    for t in range(1, n + 1):
        lowest = (t & -t).bit_length() - 1  # the node that ends here; the smaller ones below it are over
        nodes[:, :, :lowest] = 0
        nodes[:, :, lowest] = random.laplace(0, b, (2, runs))
        chances = np.array(means)[arm]
        regret += max(means) - chances
        sums[arm, each] += random.random(runs) < chances
        pulls[arm, each] += 1
        known = np.maximum(pulls, 1)
        index = (sums + nodes.sum(axis=2) + b * np.log(n)) / known + np.sqrt(2 * np.log(n) / known)
        arm = np.where((t == 1) | (index[1] > index[0]), 1, 0)
    return regret


def test_the_regret_of_private_upper_confidence_bounds() -> None:
    mine = ucb_regret(3000, 100, 7.0, (0.7, 0.5))
    (result,) = seqlang.run("@mishra2015/dp_ucb", runs=3000, seed=1, engine="numpy")
    regret = result.to_dict()["statistics"]["regret"]
    assert abs(regret["mean"] - mine.mean()) <= 5 * mine.std() * math.sqrt(2 / 3000)
    assert regret["se"] * math.sqrt(3000) == pytest.approx(mine.std(), rel=0.1)


# ---- what rests on independent entries refuses

SHOWN = """\
algorithm shown
stream x in {0, 1}
memory k = 0
model m: x ~ bernoulli(if k >= 1 then 0.9 else 0.1)
report win = x == 1
update k = if win then 1 else 0
stop when step >= 3
attach randomized_response(0.75) to win
claim strong pure(log(3))
claim weak pure(log(3)) under m
claim probability(stops) >= 1 under m
"""
SILENT = """\
algorithm silent
stream x in {0, 1}
memory k = 0
model m: x ~ bernoulli(if k >= 1 then 0.9 else 0.1)
model plain: x ~ bernoulli(0.1)
update k = 1
statistic s = sum(x over steps)
stop when s >= 2 return yes
stop when step >= 4 return no
attach laplace(1) to s
claim weak pure(50) under m
claim weak pure(50) under plain
"""


def verdicts(text: str) -> list[tuple[str, str]]:
    made = program(text)
    known = prove(made, delta=Fraction(1, 10**6), horizon=None)
    found = decide(made, delta=Fraction(1, 10**6), horizon=None, known=known, witness=None)
    return [(v.verdict, v.because) for v in found]


def test_weak_claims_under_such_a_model_are_unknown() -> None:
    """The strong bound does imply the other claims: only what one entry tells of the others stands in the way."""
    strong, weak, stops = verdicts(SHOWN)
    assert strong[0] == "proved" and stops[0] == "proved"
    assert weak[0] == "unknown" and "reads memory" in weak[1]
    under_m, plain = verdicts(SILENT)
    assert under_m[0] == "unknown" and "reads memory" in under_m[1]
    assert plain[0] == "proved"


def test_no_strong_derivation_is_a_proof_of_a_weak_claim_under_such_a_model() -> None:
    made = program(SILENT)
    bound = prove(made, delta=Fraction(1, 10**6), horizon=None).pure
    assert bound is not None
    under_m, plain = made.claims
    assert "not independent" in (falls_short(made, under_m, bound) or "")
    assert falls_short(made, plain, bound) is None


def test_sums_of_entries_that_answer_obey_no_law_of_large_numbers() -> None:
    text = """algorithm t
stream x in [0, 1]
memory k = 0
model m: x ~ {law}
update k = 1
statistic s = sum(x over steps)
stop when s <= 2 * step - 5
claim probability(stops) >= 1 under m
"""
    answer, plain = (program(text.format(law=law)) for law in ("point(if k == 1 then 0 else 1)", "point(1)"))
    assert surely_stops(plain, plain.claims[0], "m") is not None
    assert surely_stops(answer, answer.claims[0], "m") is None


def test_other_spaces_rare_events_and_single_streams_say_that_they_cannot() -> None:
    with pytest.raises(Unsolved, match="reads the memory `k`"):
        entries(program(SILENT), "m")
    with pytest.raises(SpecError, match="reads the memory `k`"):
        seqlang.rare(SILENT, "yes", model="m", runs=10)
    with pytest.raises(SpecError, match="no stream is drawn by itself"):
        seqlang.instances(SILENT, model="m", count=1)


# ---- what such laws may not read


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("memory k = 0\nmodel m: x ~ bernoulli(R)\nreport R = k\n", "E0410"),
        ("memory k = 0\nmodel m: x ~ bernoulli(k)\nstatistic p = m.pmf(x)\n", "E0408"),
        ("memory k = 0\ndataset y in {0, 1} size 3\nmodel m: x ~ bernoulli(0.5), y ~ bernoulli(k)\n", "E0410"),
    ],
)
def test_reports_laws_in_the_step_and_records_are_errors(lines: str, code: str) -> None:
    with pytest.raises(SpecError) as caught:
        seqlang.load(f"algorithm t\nstream x in {{0, 1}}\n{lines}stop when step >= 2\n")
    assert code in {d.code for d in caught.value.diagnostics}


def test_a_law_that_reads_memory_after_its_update_is_not_well_formed() -> None:
    made = program(SILENT)
    late = replace(made.model("m"), laws=(("x", m.Law("bernoulli", (m.MemoryValue("k", True),))),))
    assert validate(replace(made, models=(late, *made.models[1:]))) == (
        "model m reads the wrong version of the memory k",
    )


def test_models_keep_the_order_of_the_file() -> None:
    assert [model.name for model in program(SILENT).models] == ["m", "plain"]
