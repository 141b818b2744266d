"""The oracle against values worked out by hand and against simulation; the solver against the oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_oracle import Case, Check, Noise, exact_table, random_case
from scipy import integrate, stats
from thorough import several

from seqlang import driver
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.source import Source

COIN = ((0.0, 0.5), (1.0, 0.5))
SUM = "sum(x over steps)"


def program_of(case: Case) -> Program:
    loaded = driver.load(Source("case.seq", case.text()))
    assert loaded.program is not None, (case.text(), loaded.diagnostics)
    return loaded.program


def test_oracle_without_noise() -> None:
    case = Case(COIN, {}, ((Check(SUM, ">=", 2.0, ()), "high"), (Check("x", "<", 1.0, ()), "low")), 3)
    # heads, heads: high at 2; tails at once: low at 1; heads, tails: low at 2
    np.testing.assert_allclose(exact_table(case), [[0, 0.5, 0], [0.25, 0.25, 0], [0, 0, 0]], atol=1e-15)


def test_oracle_with_one_noise_by_hand() -> None:
    stop = (Check(SUM, ">", 2.5, (("z", 1.0),)), "high")
    once = Case(((1.0, 1.0),), {"z": Noise("laplace", (2.0,), "once")}, (stop,), 3)
    upper = [0.5 * math.exp(-(2.5 - t) / 2) if t < 2.5 else 1 - 0.5 * math.exp(-(t - 2.5) / 2) for t in (1, 2, 3)]
    expected = [[upper[0], 0], [upper[1] - upper[0], 0], [upper[2] - upper[1], 1 - upper[2]]]
    np.testing.assert_allclose(exact_table(once), expected, atol=1e-12)
    shared = {"w": Noise("geometric", (0.5,))}
    stops = ((Check("x", ">=", 2.0, (("w", 1.0),)), "high"), (Check("x", "<=", -1.0, (("w", 1.0),)), "low"))
    # x = 1: w >= 1 has chance 1/3, w <= -2 has 1/6
    found = exact_table(Case(((1.0, 1.0),), shared, stops, 2))
    np.testing.assert_allclose(found, [[1 / 3, 1 / 6, 0], [1 / 6, 1 / 12, 1 / 4]], atol=1e-12)


def test_oracle_with_two_noises_against_quadrature() -> None:
    noises = {
        "z": Noise("gaussian", (1.0,), "once"),
        "y": Noise("exponential", (2.0,), "once"),
        "w": Noise("laplace", (1.5,)),
    }
    stops = (
        (Check(SUM, ">=", 1.5, (("z", -1.0), ("w", 1.0))), "high"),
        (Check(SUM, "<=", -0.5, (("y", 1.0), ("w", 1.0))), "low"),
    )
    found = exact_table(Case(((0.5, 1.0),), noises, stops, 1, ends=False))
    w = stats.laplace(scale=1.5)
    # at step 1: W >= 1 + z rejects; else W <= -1 - y accepts
    high = integrate.quad(lambda z: stats.norm.pdf(z) * w.sf(1 + z), -9, 9, points=[-1], epsabs=1e-13)[0]

    def accepts(y: float, z: float) -> float:
        end = min(-1 - y, 1 + z)
        tail = math.exp(end / 1.5) / 2 if end < 0 else 1 - math.exp(-end / 1.5) / 2
        return math.exp(-z * z / 2 - y / 2) / 2 / math.sqrt(2 * math.pi) * tail

    low = sum(
        integrate.dblquad(accepts, a, b, lower, upper, epsabs=1e-9)[0]
        for a, b, lower, upper in ((-9, -2, 0, lambda z: -2 - z), (-9, -2, lambda z: -2 - z, 80), (-2, 9, 0, 80))
    )
    assert found[0, 0] == pytest.approx(high, abs=1e-11)
    assert found[0, 1] == pytest.approx(low, abs=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_oracle_against_simulation(seed: int) -> None:
    """Catches a wrong reading of the semantics: 20000 runs of the program's own text."""
    case = random_case(np.random.default_rng(seed), 1, reports=seed % 2 == 1)
    expected = exact_table(case)
    runs = 20000
    samples = simulate(program_of(case), "m", runs=runs, seed=1, cap=case.horizon)
    returned = np.array([samples.returned(i) for i in range(runs)])
    for k, outcome in enumerate(case.outcomes):
        for step in range(1, case.horizon + 1):
            seen = np.count_nonzero((returned == outcome) & (samples.steps == step)) / runs
            p = expected[step - 1, k]
            assert abs(seen - p) <= 4.5 * math.sqrt(p * (1 - p) / runs) + 3 / runs


SOLVED = {
    "none": (0, False, range(several(2, 10))),
    "one": (1, False, range(several(3, 10))),
    "report": (1, True, range(several(3, 7))),
}


@pytest.mark.parametrize("kind, seed", [(kind, seed) for kind, (_, _, seeds) in SOLVED.items() for seed in seeds])
def test_solver_against_oracle(kind: str, seed: int) -> None:
    count, reports, _ = SOLVED[kind]
    agree(random_case(np.random.default_rng(seed), count, reports))


@pytest.mark.parametrize("seed", range(3))
def test_solver_with_two_persistent_noises(seed: int) -> None:
    agree(random_case(np.random.default_rng(seed), 2))


@pytest.mark.long
@pytest.mark.parametrize("kind, seed", [(kind, seed) for kind in SOLVED for seed in range(7, 120)])
def test_solver_against_oracle_at_length(kind: str, seed: int) -> None:
    count, reports, _ = SOLVED[kind]
    agree(random_case(np.random.default_rng(seed), count, reports))


def agree(case: Case) -> None:
    """Every chance of the table is within the printed error of the exact one."""
    try:
        solution = solve(program_of(case), "m", work=2e8)
    except Unsolved as unsolved:
        pytest.skip(str(unsolved))
    expected = exact_table(case)
    found = np.zeros_like(expected)
    for k, outcome in enumerate(case.outcomes):
        if outcome in solution.outcomes:
            column = solution.table[: case.horizon, solution.outcomes.index(outcome)]
            found[: len(column), k] = column
    # the oracle's own quadrature is good to about 1e-11
    assert np.max(np.abs(found - expected)) <= solution.error + solution.lost + 2e-11, case.text()
    if case.ends:
        assert expected.sum() == pytest.approx(1, abs=1e-10)
        assert solution.table.sum() + solution.unresolved + solution.lost == pytest.approx(1, abs=1e-9)
