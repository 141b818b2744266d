"""Tuning: parameters of any spec at which its claims are proved and an objective in its exact law is least. Expected
values are closed forms, or brute force over formulas that are written down here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from thorough import spread

from seqlang.cli.__main__ import main
from seqlang.designs.tuning.free import Free
from seqlang.designs.tuning.objective import with_objective
from seqlang.designs.tuning.oracle import Oracle
from seqlang.designs.tuning.point import UNKNOWN, Point
from seqlang.designs.tuning.search import Tried, search
from seqlang.designs.tuning.tune import tune
from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.source import Source

NOISY = """\
algorithm noisy "Each entry with noise of its own"

param sigma > 0 = 5                                # scale of the noise
param c     = -3

stream x in {0, 1}
model null: x ~ bernoulli(0.1)
model alt:  x ~ bernoulli(0.9)

stop when x >= c     return reject
stop when step >= 20 return accept
attach laplace(sigma) to x

claim strong pure(1/2)
"""
COINS = """\
algorithm coins "The first 1 within n entries"

param n in 1..60 = 30

stream x in {0, 1}
model alt: x ~ bernoulli(0.3)

stop when x >= 1    return reject
stop when step >= n return accept

claim probability(reject) >= 0.9 under alt
claim probability(reject) >= 0.99 under alt expect refuted
"""


def toy(objective: Callable[..., float], excess: Callable[..., float], *frees: Free) -> tuple[Tried, tuple[Free, ...]]:
    """Points of closed formulas in positive parameters."""

    def ask(values: Mapping[str, Fraction]) -> Point:
        x = {name: float(value) for name, value in values.items()}
        if min(x.values()) <= 0:
            return Point(values, UNKNOWN, (), possible=False)
        found = objective(**x)
        return Point(values, (found, found), (excess(**x),))

    return Tried(ask), frees


def positive(name: str, start: int, whole: bool = False) -> Free:
    return Free(name, Fraction(start), low=1.0 if whole else 0.0, whole=whole)


def test_an_optimum_along_a_constraint() -> None:
    """a + b with a b^2 >= 1: at b = 2^(1/3) by Lagrange, 3 / 2^(2/3) = 1.88988."""
    tried, frees = toy(lambda a, b: a + b, lambda a, b: -math.log(a * b * b), positive("a", 9), positive("b", 9))
    found = search(tried, frees)
    assert found is not None
    assert found.excess[0] <= 0
    assert 3 / 2 ** (2 / 3) - 1e-12 <= found.objective[1] <= 3 / 2 ** (2 / 3) * 1.0003
    assert all(v.denominator <= 10**5 for v in found.values.values())


def test_whole_numbers_along_a_constraint() -> None:
    def excess(n: float, m: float) -> float:
        return math.log(999.5 / (n * m * m))

    tried, frees = toy(lambda n, m: n + m, excess, positive("n", 30, True), positive("m", 30, True))
    found = search(tried, frees)
    assert found is not None
    least = min(n + m for n in range(1, 80) for m in range(1, 80) if n * m * m >= 999.5)
    assert (least, found.objective[1]) == (19, 19)
    assert found.values["n"] * found.values["m"] ** 2 >= 1000


def test_an_interrupt_leaves_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.designs.tuning import tune as module

    class Impatient(module.Oracle):
        def __call__(self, values: Mapping[str, Fraction]) -> Point:
            if self.asked == 6:
                raise KeyboardInterrupt
            return super().__call__(values)

    monkeypatch.setattr(module, "Oracle", Impatient)
    result = tune(load(Source("noisy", NOISY)), ["sigma"], "expected(step) under alt")
    assert result.cut_short == "an interrupt"
    assert result.evaluations == 6
    assert result.found
    assert 2 <= result.parameters["sigma"] < 5
    assert "ended by an interrupt" in str(result)


def test_no_time_at_all() -> None:
    result = tune(load(Source("coins", COINS)), ["n"], "expected(step)", time_limit=1e-9)
    assert (result.found, result.evaluations, result.cut_short) == (False, 0, "the time limit")


def survival(z: object) -> np.ndarray:
    """The chance that a Laplace noise of scale 1 is at least z."""
    values = np.asarray(z, dtype=float)
    return np.where(values > 0, np.exp(-np.abs(values)) / 2, 1 - np.exp(-np.abs(values)) / 2)


def rejects(p: float, c: object, sigma: object) -> np.ndarray:
    """The chance to reject at one step."""
    c, sigma = np.asarray(c, dtype=float), np.asarray(sigma, dtype=float)
    return p * survival((c - 1) / sigma) + (1 - p) * survival(c / sigma)


def expected(q: object, steps: int) -> np.ndarray:
    """The mean of a geometric number that is cut at `steps`."""
    q = np.asarray(q, dtype=float)
    return (1 - (1 - q) ** steps) / q


def test_one_parameter_on_the_boundary_of_privacy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An entry is looked at once, with noise of scale sigma: its loss is 1 / sigma, so that sigma is 2; less noise
    stops earlier."""
    file, tuned = tmp_path / "noisy.seq", tmp_path / "tuned.seq"
    file.write_text(NOISY, encoding="utf-8")
    words = ["design", str(file), "--free", "sigma", "--minimise", "expected(step) under alt", "--json"]
    assert main([*words, "--output", str(tuned)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parameters"] == {"sigma": 2.0}
    low, high = found["objective"]["after"]
    truth = float(expected(rejects(0.9, -3, 2), 20))
    assert low - 1e-12 <= truth <= high + 1e-12
    assert high - low < 1e-6
    assert found["objective"]["before"][1] == pytest.approx(float(expected(rejects(0.9, -3, 5), 20)), abs=1e-7)
    assert found["objective"]["proved_before"] is True
    assert [(c["verdict"], c["binds"]) for c in found["claims"]] == [("proved", True)]
    written = NOISY.replace("sigma > 0 = 5 ", "sigma > 0 = 2 ")
    assert found["spec"] == tuned.read_text(encoding="utf-8") == written
    assert main(["check", str(tuned)]) == 0


def test_two_parameters_against_brute_force() -> None:
    """Both claims bind: the noise as small as privacy allows, the threshold as low as the error allows."""
    text = NOISY.replace("c     = -3", "c     = 3") + "claim probability(reject) <= 0.6 under null\n"
    result = tune(load(Source("noisy", text)), ["sigma", "c"], "expected(step) under alt")
    sigma, c = np.meshgrid(np.linspace(2, 6, 41), np.linspace(-2, 18, 20001))
    allowed = 1 - (1 - rejects(0.1, c, sigma)) ** 20 <= 0.6
    # the last step returns reject before accept, so that 20 steps are looked at
    least = float(np.min(np.where(allowed, expected(rejects(0.9, c, sigma), 20), np.inf)))
    assert result.found
    assert result.after[1] == pytest.approx(least, rel=1e-3)
    assert result.after[1] <= least * 1.0002
    assert float(result.parameters["sigma"]) >= 2
    v = {name: float(value) for name, value in result.parameters.items()}
    assert 1 - (1 - rejects(0.1, v["c"], v["sigma"])) ** 20 <= 0.6
    assert [c.binds for c in result.claims] == [True, True]


def test_a_whole_number_and_a_claim_that_is_no_constraint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """0.7^6 = .1176 and 0.7^7 = .0824: seven entries, of which (1 - 0.7^7) / 0.3 are expected to be seen."""
    result = tune(load(Source("coins", COINS)), ["n"], "expected(step)")
    assert result.parameters == {"n": 7}
    assert result.after[1] == pytest.approx((1 - 0.7**7) / 0.3, abs=1e-9)
    assert [(c.verdict, c.expect) for c in result.claims] == [("proved", None), ("refuted", "refuted")]
    assert "no constraint" in str(result)


def test_what_cannot_be_met_names_the_claim(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, output = tmp_path / "coins.seq", tmp_path / "out.seq"
    file.write_text(COINS.replace("1..60 = 30", "1..6 = 3"), encoding="utf-8")
    words = ["design", str(file), "--free", "n", "--minimise", "expected(step) under alt", "--output", str(output)]
    assert main(words) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "at the nearest is not: probability(reject) >= 0.9 under alt" in said
    assert "n 6" in said
    assert not output.exists()


@pytest.mark.parametrize(
    ("free", "minimise", "said"),
    [
        ("m", "expected(step)", "no parameter m"),
        ("n,n", "expected(step)", "twice"),
        ("n", "expected(stp) under alt", "stp"),
        ("n", "expected(steps) under alt", "steps"),
        ("n", "expected(step) under nobody", "no model `nobody`"),
        ("n", "step", "probability"),
        ("n", "n + 1", "probability"),
        ("n", "expected(step) <= 3", ""),
        ("n", "expected(step)) <= 3 under alt\nclaim (expected(step)", ""),
        ("n", "", ""),
        ("n", "expected(step ^ 2)", "no exact value"),
    ],
)
def test_what_cannot_be_asked(free: str, minimise: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        tune(load(Source("coins", COINS)), free.split(","), minimise)
    assert said in " ".join(d.message for d in refused.value.diagnostics)


def test_a_spec_without_parameters() -> None:
    text = "algorithm n\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstop when step >= 3 return done\n"
    with pytest.raises(SpecError, match="has no parameters") as refused:
        tune(load(Source("n", text)), ["n"], "expected(step)")
    assert "`param " in (refused.value.diagnostics[0].help or "")


def test_what_is_written_for_the_other_kind_of_design(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["a.seq", "--compare"], ["--free", "s", "--null", "x ~ bernoulli(0.3)"], ["a.seq", "--alpha=0.1"]):
        assert main(["design", *words]) == 2
        assert "is for a design from hypotheses" in capsys.readouterr().err


def test_a_spec_without_models() -> None:
    text = COINS.replace("model alt: x ~ bernoulli(0.3)\n", "").split("claim")[0]
    with pytest.raises(SpecError, match="no model"):
        tune(load(Source("coins", text)), ["n"], "expected(step)")


SHOWN = """\
algorithm shown "Each entry is shown once, with noise"

param sigma > 0 = 1

stream x in {0, 1}
model fair: x ~ bernoulli(0.5)

report y = x
stop when step >= 3 return done
attach gaussian(sigma) to y

claim strong CLAIM
"""


def least_for_dp() -> float:
    """The sigma of the Gaussian mechanism for dp(1, 1e-5): Balle & Wang 2018, Theorem 8, by bisection."""
    normal = NormalDist().cdf
    low, high = 1.0, 10.0
    for _ in range(60):
        s = (low + high) / 2
        delta = normal(1 / (2 * s) - s) - math.e * normal(-1 / (2 * s) - s)
        low, high = (low, s) if delta <= 1e-5 else (s, high)
    return high


@pytest.mark.parametrize(
    ("claim", "sigma"),
    spread(
        [("dp(1, 1e-5)", least_for_dp()), ("zcdp(1/8)", 2.0), ("rdp(4, 1/2)", 2.0)], 1
    ),  # rho = 1 / (2 sigma^2), alpha rho
)
def test_every_notion_of_privacy(claim: str, sigma: float) -> None:
    loaded = load(Source("shown", SHOWN.replace("CLAIM", claim)))
    result = tune(loaded, ["sigma"], "sigma * expected(step)")
    assert result.found
    assert sigma - 1e-12 <= float(result.parameters["sigma"]) <= sigma * 1.0002
    assert result.after[1] == pytest.approx(3 * float(result.parameters["sigma"]))


@pytest.mark.parametrize("claim", ["zcdp(1/8)", "dp(1, 1e-5)"])
def test_a_proof_from_elsewhere_proves_no_more_than_there(claim: str) -> None:
    loaded = load(Source("shown", SHOWN.replace("CLAIM", claim)))
    oracle = Oracle(with_objective(loaded, "expected(step)"), {}, ("sigma",))
    sigma = 2.0 if claim.startswith("zcdp") else least_for_dp()
    for value in (9.0, sigma * 1.001, sigma * 0.999, sigma * 0.99, sigma * 1.0001, 0.3):
        point = oracle({"sigma": Fraction(value)})
        assert point.feasible == (value > sigma), value
        assert point.objective[0] <= 3 <= point.objective[1]


def test_a_proof_that_does_not_replay_elsewhere_is_none_there() -> None:
    """Which of two sensitivities holds is decided by k: the bound 1 / sigma of k = 1 is false for k = 2."""
    text = SHOWN.replace("CLAIM", "pure(1/2)").replace("gaussian", "laplace")
    text = text.replace("= 1\n", "= 1\nparam k in 1..2 = 1\n", 1).replace("y = x", "y = if k >= 2 then 3 * x else x")
    oracle = Oracle(with_objective(load(Source("shown", text)), "expected(step)"), {}, ("k", "sigma"))
    for k, sigma, proved in ((1, 2, True), (2, 2, False), (2, 6, True), (2, 5, False), (1, 3, True)):
        assert oracle({"k": Fraction(k), "sigma": Fraction(sigma)}).feasible == proved, (k, sigma)


def test_from_python() -> None:
    import seqlang

    assert seqlang.tune(seqlang.load(COINS), "n", "expected(step)").parameters == {"n": 7}
