"""Walks on a lattice, against enumeration of all streams and against one-dimensional quadrature."""

from __future__ import annotations

from itertools import product
from math import erfc, exp, log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from seqlang.backends.solve import Solution, Unsolved, solve
from seqlang.backends.solve.lattice.increments import lattice_of
from seqlang.backends.solve.lattice.lattice_chain import LatticeChain
from seqlang.backends.solve.spaces import space_of
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.source import Source


def program(text: str) -> Program:
    return load(Source("test.seq", text)).program


def law_of(solution: Solution) -> dict[object, float]:
    found = solution.table.sum(axis=0)
    if solution.tail is not None:
        found = found + solution.tail.outcomes
    return dict(zip(solution.outcomes, found.tolist(), strict=True))


def expected(solution: Solution) -> float:
    steps = float(np.arange(1, len(solution.table) + 1) @ solution.table.sum(axis=1))
    return steps + (solution.tail.steps if solution.tail is not None else 0.0)


def above(x: float, sd: float) -> float:
    return 0.5 * erfc(x / (sd * sqrt(2)))


def enumerated(atoms: dict[float, float], steps: int, stops) -> np.ndarray:
    """P(T = t, stop i) for t = 1 .. steps: all streams one by one. `stops(t, s)` has the chances of the stops."""
    table = np.zeros((steps, 2))
    for stream in product(atoms, repeat=steps):
        chance, s = 1.0, 0.0
        for x in stream:
            chance *= atoms[x]
        alive = 1.0
        for t, x in enumerate(stream, 1):
            s += x
            first, second = stops(t, s)
            table[t - 1] += chance * alive * np.array([first, (1 - first) * second])
            alive *= (1 - first) * (1 - second)
    return table


@pytest.mark.parametrize(
    ("values", "atoms"),
    [
        ("-1, 1", {-1.0: 0.4, 1.0: 0.6}),
        ("-1, 0, 1", {-1.0: 0.2, 0.0: 0.5, 1.0: 0.3}),
        ("-0.5, 0.75, 2", {-0.5: 0.6, 0.75: 0.3, 2.0: 0.1}),
        ("-0.7, 1.1", {-0.7: 0.5, 1.1: 0.5}),
    ],
)
def test_fresh_noise_against_enumeration(values: str, atoms: dict[float, float]) -> None:
    law = "{" + ", ".join(f"{v:g}: {p:g}" for v, p in atoms.items()) + "}"
    spec = program(
        "algorithm walk\nparam a = -2\nparam b = 2\n"
        f"stream x in {{{values}}}\nmodel coin: x ~ {law}\nstatistic s = sum(x over steps)\n"
        "stop when s >= b return up\nstop when s <= a return down\nattach gaussian(1.5) to a, b"
    )
    steps = 7
    wanted = enumerated(atoms, steps, lambda t, s: (above(2 - s, 1.5), above(s + 2, 1.5)))
    found = solve(spec, "coin")
    assert np.abs(found.table[:steps] - wanted).max() < 1e-14
    assert found.unresolved <= 1e-9 and found.error < 1e-11


def test_values_that_depend_on_the_step() -> None:
    spec = program(
        "algorithm walk\nstream x in {0, 1}\nmodel coin: x ~ bernoulli(0.3)\nlet b = 1 + sqrt(step) / 2\n"
        "statistic s = sum(x over steps)\nstatistic m = mean(x over steps)\n"
        "stop when s >= b return up\nstop when m <= 0.1 return down\nattach laplace(2) to b"
    )
    atoms = {0.0: 0.7, 1.0: 0.3}

    def stops(t: int, s: float) -> tuple[float, float]:
        gap = 1 + sqrt(t) / 2 - s
        return (0.5 * exp(-gap / 2) if gap >= 0 else 1 - 0.5 * exp(gap / 2)), float(s / t <= 0.1)

    wanted = enumerated(atoms, 8, stops)
    assert np.abs(solve(spec, "coin").table[:8] - wanted).max() < 1e-14


def test_ties() -> None:
    for value, steps in (("0.1", 3), ("1/3", 3)):
        spec = f"algorithm a\nstream x in {{0, 1}}\nmodel m: x ~ point(1)\nstatistic s = sum({value} * x over steps)\n"
        limit = "0.3" if value == "0.1" else "1"
        assert expected(solve(program(spec + f"stop when s >= {limit}"), "m")) == steps
        assert expected(solve(program(spec + f"stop when s > {limit}"), "m")) == steps + 1
        assert expected(solve(program(spec + f"stop when not (s < {limit})"), "m")) == steps


def test_gamblers_ruin() -> None:
    # P(reach b before -a) = (1 - r^a) / (1 - r^(a + b)), r = q / p; E[T] = ((a + b) P - a) / (p - q)
    for p, a, b in ((0.6, 2, 2), (0.45, 12, 9), (0.51, 40, 40), (0.3, 30, 4)):
        spec = program(
            f"algorithm ruin\nstream x in {{-1, 1}}\nmodel coin: x ~ {{1: {p}, -1: {1 - p:g}}}\n"
            f"statistic s = sum(x over steps)\nstop when s >= {b} return up\nstop when s <= -{a} return down"
        )
        r = (1 - p) / p
        wins = (1 - r**a) / (1 - r ** (a + b))
        found = solve(spec, "coin")
        law = law_of(found)
        # what is unresolved may be of either outcome
        assert abs(law["up"] - wins) <= found.outcome_error + found.unresolved
        assert found.unresolved <= 1e-9
        steps = ((a + b) * wins - a) / (2 * p - 1)
        assert abs(expected(found) - steps) <= found.steps_error
        assert found.steps_error <= 1e-6 * steps


def test_tail_is_used_for_slow_walks_and_has_second_moments() -> None:
    spec = program(
        "algorithm ruin\nstream x in {-1, 1}\nmodel coin: x ~ {1: 0.5, -1: 0.5}\nstatistic s = sum(x over steps)\n"
        "stop when s >= 30 return up\nstop when s <= -30 return down"
    )
    found = solve(spec, "coin")
    assert found.tail is not None
    assert expected(found) == pytest.approx(900, abs=found.steps_error) and found.steps_error < 1e-5
    times = np.arange(1, len(found.table) + 1)
    squares = float(times**2 @ found.table.sum(axis=1)) + found.tail.squares
    # E[T^2] = n^2 (5 n^2 - 2) / 3 for the exit of (-n, n)
    assert squares == pytest.approx(900 * (5 * 900 - 2) / 3, rel=1e-9)


def test_persistent_noise_against_quadrature() -> None:
    spec = program(
        "algorithm walk\nparam b = 2\nstream x in {0, 1}\nmodel coin: x ~ bernoulli(0.5)\n"
        "statistic s = sum(x over steps)\nstop when s >= b\nattach gaussian(1) to b once\nattach gaussian(2) to s"
    )

    def given(z: float) -> np.ndarray:
        mass, found = {0: 1.0}, []
        for _ in range(6):
            moved: dict[int, float] = {}
            for s, m in mass.items():
                for x in (0, 1):
                    moved[s + x] = moved.get(s + x, 0.0) + m / 2
            stops = {s: above(2 + z - s, 2) for s in moved}
            found.append(sum(m * stops[s] for s, m in moved.items()))
            mass = {s: m * (1 - stops[s]) for s, m in moved.items()}
        return np.array(found)

    found = solve(spec, "coin")
    for t in range(6):
        wanted, _ = quad(lambda z, t=t: given(z)[t] * exp(-z * z / 2) / sqrt(2 * np.pi), -12, 12, epsabs=1e-13)
        assert abs(found.table[t, 0] - wanted) <= found.error


def test_shared_fresh_noise_and_thresholds_that_can_cross() -> None:
    text = (
        "algorithm shared\nparam a = LIMIT\nparam b = LIMIT\nstream x in {-0.5, 0.5}\n"
        "model drift: x ~ {0.5: 0.7, -0.5: 0.3}\nstatistic s = sum(x over steps)\n"
        "stop when s >= b return reject\nstop when s <= -a return accept\n"
        "attach gaussian(10) to a, b once\nattach gaussian(20) to s"
    )
    far = solve(program(text.replace("LIMIT", "100")), "drift")
    assert law_of(far)["accept"] == pytest.approx(9.8431808917e-05, abs=2e-12 + far.outcome_error + far.unresolved)
    assert expected(far) == pytest.approx(288.880740841, abs=1e-9 + far.steps_error)
    assert far.outcome_error < 1e-9 and far.steps_error < 1e-5
    near = solve(program(text.replace("LIMIT", "16")), "drift")
    assert law_of(near)["reject"] == pytest.approx(0.51666697931316, abs=1e-14 + near.outcome_error + near.unresolved)
    assert expected(near) == pytest.approx(2.612052391583, abs=1e-12 + near.steps_error)
    assert near.outcome_error < 1e-8 and near.steps_error < 1e-6


def test_forced_entry() -> None:
    atoms = {-1.0: 0.4, 1.0: 0.6}
    spec = program(
        "algorithm walk\nparam a = -2\nparam b = 2\nstream x in {-1, 1}\nmodel coin: x ~ {-1: 0.4, 1: 0.6}\n"
        "statistic s = sum(x over steps)\n"
        "stop when s >= b return up\nstop when s <= a return down\nattach gaussian(1.5) to a, b"
    )
    chain = space_of(spec, "coin").make(0)
    frontier, table = chain.begin(), []
    for step in range(1, 7):
        frontier, stopped = chain.advance(frontier, {"x": -1} if step == 3 else None)
        table.append(stopped.by_outcome.sum(axis=1))
    wanted = np.zeros((6, 2))
    for stream in product(atoms, repeat=6):
        stream = (*stream[:2], -1.0, *stream[3:])
        chance = float(np.prod([atoms[x] for i, x in enumerate(stream) if i != 2])) / 2  # entry 3 comes twice
        alive, s = 1.0, 0.0
        for t, x in enumerate(stream, 1):
            s += x
            first, second = above(2 - s, 1.5), above(s + 2, 1.5)
            wanted[t - 1] += chance * alive * np.array([first, (1 - first) * second])
            alive *= (1 - first) * (1 - second)
    assert np.abs(np.array(table) - wanted).max() < 1e-14


def test_a_stop_that_reads_the_entry_too() -> None:
    spec = program(
        "algorithm walk\nstream x in {0, 1}\nmodel coin: x ~ bernoulli(0.4)\nstatistic s = sum(x over steps)\n"
        "stop when s >= 2 and x == 0 return up\nstop when s >= 4 return full"
    )
    atoms = {0.0: 0.6, 1.0: 0.4}
    table = np.zeros((6, 2))
    for stream in product(atoms, repeat=6):
        chance = float(np.prod([atoms[x] for x in stream]))
        for t in range(1, 7):
            s = sum(stream[:t])
            if s >= 2 and stream[t - 1] == 0:
                table[t - 1, 0] += chance
                break
            if s >= 4:
                table[t - 1, 1] += chance
                break
    assert np.abs(solve(spec, "coin").table[:6] - table).max() < 1e-14


def test_poisson_increments() -> None:
    spec = program(
        "algorithm count\nstream x in 0..\nmodel m: x ~ poisson(2)\nstatistic s = sum(x over steps)\nstop when s >= 7"
    )
    found = solve(spec, "m")
    # P(T > t) = P(Poisson(2 t) <= 6)
    for t in range(1, 8):
        total = term = exp(-2 * t)
        for k in range(1, 7):
            term *= 2 * t / k
            total += term
        assert 1 - found.table[:t].sum() == pytest.approx(total, abs=1e-13)


def test_lattices() -> None:
    def lattice(values: str, law: str) -> object:
        return lattice_of(
            program(f"algorithm a\nstream x in {{{values}}}\nmodel m: x ~ {law}\nstatistic s = sum(x over steps)\n"
                    "stop when s >= 3"), "m"
        )  # fmt: skip

    whole = lattice("-0.5, 0.5", "{-0.5: 0.5, 0.5: 0.5}")
    assert (whole.numerator, whole.denominator) == (-1, 2)
    drift = lattice_of(
        program("algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\n"
                "statistic s = sum((if x == 1 then log(3) else -log(2)) over steps)\nstop when s >= 3"), "m"
    )  # fmt: skip
    assert drift.numerator is None
    values = drift.values(5, np.array([2]))
    assert next(iter(values.values()))[0] == pytest.approx(2 * log(3) - 3 * log(2), rel=1e-15)
    with pytest.raises(Unsolved):
        lattice_of(
            program("algorithm a\nstream x in {0, 1, 2}\nmodel m: x ~ uniform({0, 1, 2})\n"
                    "statistic s = sum(sqrt(x) * log(2 + x) over steps)\nstop when s >= 3"), "m"
        )  # fmt: skip


STEADY = """algorithm w
stream x in {{{p}}}
model m: x ~ uniform({{{p}}})
statistic s = sum(x - {q} over steps)
stop when s >= {top} return high
stop when s <= -3 return low
{noise}"""
NOISES = (
    "",
    "attach laplace(2) to s",
    "attach gaussian(1) to s\nattach gaussian(2) to s once",
    "attach geometric(1 / 3) to s",
    "draw z ~ conditioned(laplace(1), -2, 2)\nattach z to s",
    "attach randomized_response(0.9) to return",
)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("seed", range(6))
def test_sums_over_nodes_are_those_of_single_steps(noise: str, seed: int) -> None:
    """`total` against `advance`, step by step: the same sums, and exact zeros at the same places."""
    random = np.random.default_rng(seed)
    p, q = random.choice(["0, 1", "0, 1, 3", "0, 2, 3, 5"]), random.choice(["1 / 2", "1", "3 / 4"])
    text = STEADY.format(p=p, q=q, top=int(random.integers(2, 7)), noise=noise)
    chain = space_of(program(text), "m").make(0)
    if not isinstance(chain, LatticeChain) or chain.total(chain.begin()) is None:
        pytest.skip("another space of states")
    chain.rare = 1e-60
    plain = summed = chain.begin()
    for _ in range(60):
        plain, stopped = chain.advance(plain)
        found = chain.total(summed)
        assert found is not None
        summed, row, left = found
        expected = stopped.by_outcome.sum(axis=-1)
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=0)
        np.testing.assert_array_equal(row == 0, expected == 0)
        np.testing.assert_allclose(left, plain.survivors.sum(), rtol=1e-12, atol=0)
        assert (plain.step, plain.low, plain.mass.shape) == (summed.step, summed.low, summed.mass.shape)
