"""P(event | stream) against quadrature with scipy, enumeration, and runs of the reference interpreter."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log

import numpy as np
import programs
import pytest
from scipy import integrate, stats
from thorough import several

from seqlang.backends.interpret.machine import Machine, Outcome
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.transcript.draws import tree_nodes
from seqlang.backends.transcript.follow import NOTHING, Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import COARSE, FINE, FINEST, Accuracy
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.program import Program, Report, Stop

MIDDLE = Accuracy(1e-5, 60, 6.0, 22.0, True)


def quiet(*entries: float) -> list[Phase]:
    return [Phase({"x": x}, NOTHING, 1) for x in entries]


def stopping(x: float, index: int = 1, result: object = None) -> Phase:
    return Phase({"x": x}, {"stop": (index, result)}, 1)


def by_scipy(f: object, law: stats.rv_frozen, cuts: tuple[float, ...] = ()) -> float:
    """E f(Z), panel by panel."""
    points = sorted({-60.0, *np.linspace(-20, 20, 81), 60.0, *cuts})
    return sum(
        integrate.quad(lambda z: law.pdf(z) * f(z), a, b, epsabs=0, epsrel=1e-11)[0] for a, b in pairwise(points)
    )


@pytest.mark.parametrize(
    "lz, lw, accuracy",
    [
        (2, 0.5, FINE),
        *(pytest.param(*case, marks=pytest.mark.long) for case in ((1, 1, FINE), (0.7, 3, FINE), (0.7, 3, FINEST))),
    ],
)
def test_one_sided_against_scipy(lz: float, lw: float, accuracy: object) -> None:
    stream = [0.0, 1.0, 1.0, 0.5, 1.0, 1.0, 0.25]
    levels = np.cumsum(stream)
    z, w = stats.laplace(scale=lz), stats.laplace(scale=lw)
    follower = Follower(programs.one_sided(lz, lw, b=3))
    never = follower.log_probability(quiet(*stream), accuracy)
    assert exp(never.log) == pytest.approx(by_scipy(lambda x: np.prod([w.cdf(3 + x - v) for v in levels]), z), rel=1e-7)
    at_last = follower.log_probability([*quiet(*stream[:-1]), stopping(stream[-1])], accuracy)
    expected = by_scipy(lambda x: np.prod([w.cdf(3 + x - v) for v in levels[:-1]]) * w.sf(3 + x - levels[-1]), z)
    assert exp(at_last.log) == pytest.approx(expected, rel=1e-7)
    assert at_last.error < 1e-7


def test_stops_and_going_on_add_up_to_one() -> None:
    for make in (
        programs.one_sided(1, 1, b=2, z="exponential", w="exponential"),
        programs.one_sided(2, 1, b=2, z="gaussian", w="laplace"),
        programs.one_sided(0.5, 0.6, b=2, z="geometric", w="geometric"),
    ):
        follower = Follower(make)
        stream = [1, 1, 0, 1, 1]
        total = exp(follower.log_probability(quiet(*stream), FINE).log)
        for t in range(5):
            total += exp(follower.log_probability([*quiet(*stream[:t]), stopping(stream[t])], FINE).log)
        assert total == pytest.approx(1, abs=1e-7)


def test_geometric_by_enumeration() -> None:
    ratio_z, ratio_w, b = 0.5, 0.6, 2
    follower = Follower(programs.one_sided(ratio_z, ratio_w, b=b, z="geometric", w="geometric"))
    stream = [1, 1, 0, 1]
    levels = np.cumsum(stream)
    ks = np.arange(-120, 121)

    def mass(ratio: float) -> np.ndarray:
        return (1 - ratio) / (1 + ratio) * ratio ** np.abs(ks)

    w = mass(ratio_w)
    expected = 0.0
    for z, p in zip(ks, mass(ratio_z), strict=True):
        expected += p * np.prod([w[ks + level < b + z].sum() for level in levels])
    assert exp(follower.log_probability(quiet(*stream), FINE).log) == pytest.approx(expected, rel=1e-10)


def test_a_long_hover_is_powered() -> None:
    follower = Follower(programs.one_sided(1, 1))
    climb = quiet(*[1.0] * 9)
    longer = follower.log_probability([*climb, Phase({"x": 0.0}, NOTHING, 100_000)], FINE)
    w = stats.laplace()
    levels = range(1, 9)
    expected = by_scipy(
        lambda x: np.exp(100_001 * w.logcdf(10 + x - 9)) * np.prod([w.cdf(10 + x - v) for v in levels]),
        stats.laplace(), tuple(np.linspace(5, 20, 61)),
    )  # fmt: skip
    assert longer.log == pytest.approx(log(expected), abs=1e-7)


@pytest.mark.parametrize("share", ["opposite", "parallel", "none"])
def test_two_sided_against_scipy(share: str) -> None:
    lz, lw = 3.0, 4.0
    follower = Follower(programs.two_sided(lz, lw, share, query=True))
    levels = [2.0, -3.0, 6.0]
    z, w = stats.laplace(scale=lz), stats.laplace(scale=lw)

    def up(x: float, v: float) -> float:
        return w.cdf(10 + x - v)

    def down(x: float, v: float) -> float:
        return w.sf(-10 + x - v)

    got = exp(follower.log_probability(quiet(*levels), FINE).log)
    if share == "none":
        first = by_scipy(lambda x: np.prod([up(x, v) for v in levels]), z)
        expected = first * by_scipy(lambda x: np.prod([down(x, v) for v in levels]), z)
    elif share == "parallel":
        expected = by_scipy(lambda x: np.prod([up(x, v) * down(x, v) for v in levels]), z)
    else:
        expected = by_scipy(
            lambda x: np.prod([max(0.0, w.cdf(10 + x - v) - w.cdf(-10 - x - v)) for v in levels]), z, (-10.0,)
        )
    assert got == pytest.approx(expected, rel=1e-7)


def test_two_thresholds_that_share_the_fresh_noise() -> None:
    follower = Follower(programs.two_sided(1, 2, "w", query=True))
    levels = [2.0, -3.0]
    grid = np.linspace(-18, 18, 1801)  # holds 0, where the density kinks
    z, w = stats.laplace.pdf(grid), stats.laplace(scale=2)
    joint = np.ones((len(grid), len(grid)))
    for v in levels:
        joint *= np.maximum(0.0, w.cdf(10 + grid - v)[:, None] - w.cdf(-10 + grid - v)[None, :])
    expected = float(integrate.simpson(z * integrate.simpson(z * joint, x=grid, axis=1), x=grid))
    assert exp(follower.log_probability(quiet(*levels), COARSE).log) == pytest.approx(expected, rel=1e-2)
    assert exp(follower.log_probability(quiet(*levels), MIDDLE).log) == pytest.approx(expected, rel=1e-4)


def test_an_impossible_event_is_certainly_impossible() -> None:
    follower = Follower(programs.one_sided(1, 0, b=3, kind="query"))
    phases = [*quiet(5.0), stopping(4.0)]
    answer = follower.log_probability(phases, FINE)
    assert (answer.log, answer.error) == (-inf, 0.0)
    exponential = Follower(programs.released("exponential", 1.0, query=True))
    below = [Phase({"x": 1.0}, {"stop": None, "y": (-inf, 0.5)}, 1)]
    assert exponential.log_probability(below, FINE) == answer


def test_a_release_is_an_interval_event() -> None:
    follower = Follower(programs.released("laplace", 2.0, query=True))
    told = [Phase({"x": 1.0}, {"stop": None, "y": (2.0, 5.0)}, 1)]
    law = stats.laplace(loc=1, scale=2)
    assert exp(follower.log_probability(told, FINE).log) == pytest.approx(law.cdf(5) - law.cdf(2), rel=1e-12)
    with pytest.raises(Unsupported):
        follower.log_probability([Phase({"x": 1.0}, {"stop": None, "y": 2.0}, 1)], FINE)


def test_tree_nodes_cover_the_past() -> None:
    for step in range(1, 70):
        covered = [k for level, end in tree_nodes(step) for k in range(end - 2**level + 1, end + 1)]
        assert sorted(covered) == list(range(1, step + 1))


# ---- against the reference interpreter


def frequency(program: Program, stream: list[float], event: object, runs: int, seed: int) -> float:
    hits = 0
    for run in range(runs):
        machine = Machine(program, SeededRandomness(1000 * seed + run))
        shown = []
        for x in stream:
            outcome = machine.step({"x": x})
            shown.append((tuple(name for name, _ in outcome.reports), outcome.stopped, outcome.result))
            if outcome.stopped:
                break
        hits += event(shown)
    return hits / runs


CASES = [
    (programs.one_sided(1, 1, b=1.5), [0.5, 1.0, 0.0], quiet(0.5, 1.0, 0.0)),
    (programs.one_sided(1, 1, b=0.5, kind="cusum"), [1.0, 0.0, 1.0], quiet(1.0, 0.0, 1.0)),
    (programs.one_sided(1, 1, b=1.5, keep=programs.LastSteps(programs.num(2))), [1, 1, 0], quiet(1, 1, 0)),
]


@pytest.mark.parametrize("program, stream, phases", CASES)
def test_never_stopping_against_the_interpreter(program: Program, stream: list[float], phases: list[Phase]) -> None:
    p = exp(Follower(program).log_probability(phases, FINE).log)
    runs = several(700, 3000)
    seen = frequency(program, stream, lambda shown: not any(stopped for _, stopped, _ in shown), runs, 1)
    assert abs(seen - p) < 4.5 * (p * (1 - p) / runs) ** 0.5


@pytest.mark.parametrize(
    "kind", ["kept", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("refreshed", "restarted"))]
)
def test_reports_against_the_interpreter(kind: str) -> None:
    program = programs.repeated(kind, 3, b=1)
    stream = [1.0, 1.0, 0.0, 1.0]
    told = [{"stop": None}, {"stop": None, "high": True}, {"stop": None}, {"stop": None, "high": True}]
    phases = [Phase({"x": x}, t, 1) for x, t in zip(stream, told, strict=True)]
    p = exp(Follower(program).log_probability(phases, FINE).log)
    runs = several(2000, 4000)
    wanted = [(), ("high",), (), ("high",)]
    seen = frequency(program, stream, lambda shown: [s[0] for s in shown] == wanted, runs, 2)
    assert abs(seen - p) < 4.5 * (p * (1 - p) / runs) ** 0.5


@pytest.mark.parametrize("make", [
    lambda: programs.one_sided(kind="cusum"), lambda: programs.one_sided(keep=programs.WINDOW),
    lambda: programs.repeated("restarted", 9), lambda: programs.two_sided(),
])  # fmt: skip
def test_margins_are_those_of_the_interpreter(make: object) -> None:
    program = make()
    follower = Follower(program)
    rng = np.random.default_rng(3)
    seen: list[float] = []
    fire: set[int] = {7, 20}
    step = 0

    def observe(machine: Machine, statement: Report | Stop, outcome: Outcome | None) -> Outcome:
        for gate in program.gates:
            mine = f"stop {statement.index}" if isinstance(statement, Stop) else statement.name
            if gate.name == mine and hasattr(gate, "test"):
                seen.append(machine.value(gate.test.value))
        return Outcome(isinstance(statement, Report) and step in fire, None)

    machine = Machine(program, SeededRandomness(0), observe)
    state = follower.stepper.start
    ours: list[float] = []
    for step in range(1, 31):
        x = float(rng.uniform(-0.5, 0.5) if make().labels and len(program.gates) == 2 else rng.uniform(0, 1))
        machine.step({"x": x})
        reports = step in fire and any(g.name == "high" for g in program.gates)
        told = {"stop": None} | ({"high": True} if reports else {})
        state, facts = follower.step_from(state, {"x": x}, told)
        ours += [f[2][0] for f in facts if f[0] == "compare"]
    assert ours == pytest.approx(seen, abs=1e-12)
