"""The per-instance view against laws that are computed another way: by enumeration, by closed forms, by scipy."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise, product
from math import exp, inf, isinf, log
from pathlib import Path

import numpy as np
import pytest
from checked import checked
from elaborated import elaborated
from scipy import stats
from thorough import spread

from seqlang.analyses.instances import Instances, instances
from seqlang.analyses.instances.compare import Comparison
from seqlang.analyses.instances.neighbours import Neighbours, Streams
from seqlang.analyses.instances.result import quantile
from seqlang.arithmetic.formula import enclose
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.fixed_streams.walk import Walk
from seqlang.backends.transcript.follow import NOTHING, Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.stepper import stepper
from seqlang.driver import load, read
from seqlang.model.expression import Label
from seqlang.model.program import Program, Stop
from seqlang.rules.sensitivity.facts.formulas import parameter_values

COIN = "stream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic total = sum(x over steps)\n"
Table = dict[tuple[int, str | None], float]


def program(body: str) -> Program:
    return elaborated("algorithm t\n" + body + "\n")


def stream(made: Program, run: int, length: int, seed: int = 1) -> list[float]:
    entry = Streams(made, made.models[0], seed).stream(run)
    return [entry(t)["x"] for t in range(1, length + 1)]


def loss(first: Table, second: Table, floor: float = 1e-9) -> float:
    worst = 0.0
    for key in first.keys() | second.keys():
        p, q = first.get(key, 0.0), second.get(key, 0.0)
        if max(p, q) >= floor:
            worst = max(worst, inf if min(p, q) == 0 else abs(log(p / q)))
    return worst


def delta(first: Table, second: Table, epsilon: float) -> float:
    keys = first.keys() | second.keys()
    pairs = [(first.get(k, 0.0), second.get(k, 0.0)) for k in keys]
    return max(sum(max(0.0, a - exp(epsilon) * b) for a, b in side) for side in (pairs, [(b, a) for a, b in pairs]))


def flips(entries: list[float], length: int) -> list[tuple[int, list[float]]]:
    return [(n, [*entries[: n - 1], 1 - entries[n - 1], *entries[n:]]) for n in range(1, length + 1)]


def agrees(made: Program, result: Instances, law: Callable[[list[float]], Table], tolerance: float) -> None:
    """Every stream of 0s and 1s against `law`, for all its neighbours."""
    for instance in result.instances:
        entries = stream(made, instance.run, instance.steps)
        own = law(entries)
        for o in instance.realised:
            assert o.chance == pytest.approx(own[o.step, o.result], rel=tolerance)
        positions = {n: (at, deltas) for n, at, deltas in instance.positions}
        assert sorted(positions) == list(range(1, instance.length + 1))
        losses = []
        for n, other in flips(entries, instance.length):
            losses.append(loss(own, law(other)))
            assert positions[n][0] == pytest.approx(losses[-1], rel=tolerance * 10, abs=tolerance)
            expected = delta(own, law(other), result.epsilons[0])
            assert positions[n][1][0] == pytest.approx(expected, rel=tolerance * 10, abs=1e-9)
        assert instance.loss == pytest.approx(max(losses), rel=tolerance * 10)


# ---- discrete noises: enumeration

FINITE = COIN + (
    "let b = 3\nlet t = -1 + step / 4\nstop when total >= b return high\nstop when total <= t return low\n"
    "attach {-1: 0.25, 0: 0.5, 1: 0.25} to b once\nattach {-1: 0.3, 0: 0.4, 1: 0.3} to total\n"
)


def enumerated(entries: list[float]) -> Table:
    """By hand: once-noise z on b, one fresh w a step on total, which both tests read; high is looked at first."""
    table: Table = {}
    for z, pz in ((-1, 0.25), (0, 0.5), (1, 0.25)):
        alive, total = pz, 0.0
        for t, x in enumerate(entries, 1):
            total += x
            high = low = 0.0
            for w, pw in ((-1, 0.3), (0, 0.4), (1, 0.3)):
                if total + w >= 3 + z:
                    high += pw
                elif total + w <= -1 + t / 4:
                    low += pw
            table[t, "high"] = table.get((t, "high"), 0.0) + alive * high
            table[t, "low"] = table.get((t, "low"), 0.0) + alive * low
            alive *= 1 - high - low
    return table


def test_discrete_noise_against_enumeration() -> None:
    made = program(FINITE)
    agrees(made, instances(made, "m", count=4, epsilons=(0.3,)), enumerated, 1e-10)


# ---- no noise, or a once-noise only: intervals


def test_without_noise_the_stop_is_certain_and_every_loss_infinite() -> None:
    made = program(COIN + "stop when total >= 4")
    result = instances(made, None, count=5)
    for instance in result.instances:
        entries = stream(made, instance.run, 60)
        stops = int(np.argmax(np.cumsum(entries) >= 4)) + 1
        assert [(o.step, o.chance) for o in instance.realised] == [(stops, 1.0)]
        assert instance.mean_step == stops
        assert isinf(instance.loss)
        assert instance.deltas == (1.0,)
    assert result.loss_quantiles()[0.5] == inf


SHARED = COIN.replace("0.5", "0.7") + (
    "param s = 2\nstatistic walk = sum(2 * x - 1 over steps)\ndraw z ~ conditioned(laplace(s), -3.5, 3.5) once\n"
    "let up = 3.5\nlet down = -3.5\nattach z to up, down\nstop when walk >= up return high\n"
    "stop when walk <= down return low\nattach randomized_response(0.8) to return"
)


def intervals(entries: list[float]) -> Table:
    """T as a function of z on a grid of cells: the ends are the values at which some test turns over."""
    law = stats.laplace(scale=2)
    ends = [-3.5, *(k + 0.5 for k in range(-3, 3)), 3.5]
    mass = law.cdf(3.5) - law.cdf(-3.5)
    table: Table = {}
    for a, b in pairwise(ends):
        weight, z = (law.cdf(b) - law.cdf(a)) / mass, (a + b) / 2
        walk = 0.0
        for t, x in enumerate(entries, 1):
            walk += 2 * x - 1
            if walk >= 3.5 + z or walk <= -3.5 + z:
                truth, lie = ("high", "low") if walk >= 3.5 + z else ("low", "high")
                table[t, truth] = table.get((t, truth), 0.0) + 0.8 * weight
                table[t, lie] = table.get((t, lie), 0.0) + 0.2 * weight
                break
    return table


def test_a_once_noise_without_fresh_noise_is_exact() -> None:
    made = program(SHARED)
    result = instances(made, "m", count=6, epsilons=(1.0,))
    assert result.error == 0
    agrees(made, result, intervals, 1e-10)


# ---- continuous noises: scipy


def smooth(z: stats.rv_frozen, w: stats.rv_frozen) -> Callable[[list[float]], Table]:
    def law(entries: list[float]) -> Table:
        levels = np.cumsum(entries)
        ends = np.unique([-45.0, -20.0, *np.arange(-8.0, 8.5, 0.5), *(levels - 2.0), 20.0, 32.0, 45.0])
        nodes, weights = np.polynomial.legendre.leggauss(40)
        half = np.diff(ends)[:, None] / 2
        at = ends[:-1, None] + half * (1 + nodes)
        alive = half * weights * z.pdf(at)
        table: Table = {}
        for t, level in enumerate(levels, 1):
            table[t, None] = float((alive * w.sf(2 + at - level)).sum())
            alive = alive * w.cdf(2 + at - level)
        return table

    return law


@pytest.mark.parametrize(
    "noises, z, w",
    [
        ("laplace(1) laplace(2)", stats.laplace(scale=1), stats.laplace(scale=2)),
        ("gaussian(1) gaussian(1.5)", stats.norm(scale=1), stats.norm(scale=1.5)),
        ("gaussian(1) laplace(1)", stats.norm(scale=1), stats.laplace(scale=1)),
    ],
)
def test_one_sided_against_scipy(noises: str, z: stats.rv_frozen, w: stats.rv_frozen) -> None:
    first, second = noises.split()
    made = program(
        COIN.replace("0.5", "0.9") + "let b = 2\nstop when total >= b\n"
        f"attach {first} to b once\nattach {second} to total"
    )
    result = instances(made, "m", count=1, epsilons=(0.2,))
    (instance,) = result.instances
    entries, law = stream(made, 0, instance.steps), smooth(z, w)
    own = law(entries)
    for o in instance.realised[:12]:
        assert o.chance == pytest.approx(own[o.step, None], rel=1e-6)
    for n in (1, instance.length // 2):
        other = law(dict(flips(entries, n))[n])
        at, deltas = next((at, d) for m, at, d in instance.positions if m == n)
        assert at == pytest.approx(loss(own, other), rel=1e-5)
        assert deltas[0] == pytest.approx(delta(own, other, 0.2), rel=1e-5, abs=1e-9)


def test_two_ends_with_noises_of_their_own_against_two_dimensional_quadrature() -> None:
    made = program(
        COIN + "statistic walk = sum(2 * x - 1 over steps)\nlet b = 2\nlet a = -2\n"
        "stop when walk >= b return high\nstop when walk <= a return low\n"
        "attach gaussian(1) to a, b once\nattach gaussian(2) to a, b"
    )
    (instance,) = instances(made, "m", count=1).instances
    levels = np.cumsum([2 * x - 1 for x in stream(made, 0, instance.steps)])
    x, weight = np.polynomial.hermite_e.hermegauss(80)
    up, down = np.meshgrid(x, x, indexing="ij")
    alive = np.outer(weight, weight) / weight.sum() ** 2
    fresh = stats.norm(scale=2)
    expected: Table = {}
    for t, level in enumerate(levels, 1):
        high, low = fresh.cdf(level - 2 - up), fresh.cdf(-2 + down - level)
        expected[t, "high"] = float((alive * high).sum())
        expected[t, "low"] = float((alive * (1 - high) * low).sum())
        alive = alive * (1 - high) * (1 - low)
    for o in instance.realised:
        assert o.chance == pytest.approx(expected[o.step, o.result], rel=1e-7)


# ---- adjacency

QUERIES = (
    "stream x in [-10, 10]\nadjacent {} x within 0.5\nmodel m: x ~ uniform(-1, 1)\n"
    "stop when x >= 1\nattach laplace(1) to x"
)


@pytest.mark.parametrize("extent", ["one", "every"])
def test_moves_within_a_radius(extent: str) -> None:
    made = program(QUERIES.format(extent))
    (instance,) = instances(made, "m", count=1, epsilons=(0.4,)).instances
    entries = np.array(stream(made, 0, instance.steps))
    fresh = stats.laplace()

    def law(levels: np.ndarray) -> Table:
        going = fresh.cdf(1 - levels)
        before = np.concatenate([[1.0], np.cumprod(going)[:-1]])
        return {(t, None): float(b * (1 - g)) for t, (b, g) in enumerate(zip(before, going, strict=True), 1)}

    own = law(entries)
    for n, at, deltas in instance.positions:
        worst, most = 0.0, 0.0
        for sign in (0.5, -0.5):
            other = entries.copy()
            other[n - 1 : n if extent == "one" else None] += sign
            worst, most = max(worst, loss(own, law(other))), max(most, delta(own, law(other), 0.4))
        assert at == pytest.approx(worst, rel=1e-6)
        assert deltas[0] == pytest.approx(most, rel=1e-6, abs=1e-8)


def test_an_interval_is_changed_to_its_ends() -> None:
    made = program(
        "stream x in [0, 2]\nmodel m: x ~ uniform(0, 2)\nstatistic g = sum(x over steps)\n"
        "stop when g >= 5\nattach laplace(1) to g"
    )
    (instance,) = instances(made, "m", count=1).instances
    assert instance.neighbours == 2 * instance.length
    assert instance.worst is not None
    assert instance.worst.new["x"] in (0, 2)


# ---- against the other parts


@pytest.mark.parametrize("body", [FINITE, SHARED], ids=["fresh noise", "once-noise"])
def test_the_mixture_over_all_streams_is_the_law_under_the_model(body: str) -> None:
    """Every stream of 5 coins, with its probability: the solver knows nothing of single streams."""
    made, length = program(body), 5
    solved = solve(made, "m", tolerance=1e-9)
    walk = Walk(made, stepper(made))
    neighbours = Neighbours(made, stepper(made), lambda old, new: True)
    comparison = Comparison(walk, neighbours, (1.0,), 1e-9, length)
    chance = 0.7 if body == SHARED else 0.5
    mixed: dict[object, np.ndarray] = {}
    for entries in product((0, 1), repeat=length):
        weight = chance ** sum(entries) * (1 - chance) ** (length - sum(entries))
        table = comparison.compare(lambda t, e=entries: {"x": e[t - 1]}).law.table
        for place, name in enumerate(walk.outcomes):
            known = np.zeros(length)
            known[: len(table)] = table[:, place]
            mixed[name] = mixed.get(name, np.zeros(length)) + weight * known
    for place, outcome in enumerate(solved.outcomes):
        assert solved.table[:length, place] == pytest.approx(mixed[outcome], abs=1e-8)


WALK = COIN + "statistic g = sum(2 * x - 1 over steps)\nlet b = 2\nlet a = -2\n"
ENDS = "stop when g >= b return high\nstop when g <= a return low\n"


@pytest.mark.parametrize(
    "body",
    [
        WALK + ENDS + "attach gaussian(1) to a, b once\nattach gaussian(2) to g",
        WALK + ENDS + "attach laplace(1) to a, b once\nattach laplace(2) to a, b",
        WALK + ENDS + "attach laplace(1) to b once\nattach geometric(0.7) to g",
        WALK + ENDS + "attach geometric(0.3) to a, b once\nattach geometric(0.5) to g",
        WALK + ENDS + "attach laplace(1) to b\nattach laplace(2) to g",
        WALK + "stop when g > b or g < a return out\ndraw z ~ uniform(0, 2) once\nattach z to b\nattach -z to a\n"
        "attach exponential(1) to g",
        COIN + "statistic w = sum(x over last 3)\nlet b = 2\nstop when w >= b return hi\n"
        "stop when step >= 9 return end\nattach laplace(1) to b once\nattach gaussian(1) to w",
    ],
)
def test_chances_against_the_integration_of_single_transcripts(body: str) -> None:
    made = program(body)
    (instance,) = instances(made, "m", count=1).instances
    entries, follower = stream(made, 0, instance.steps), Follower(made)
    labels = {s.result.name if isinstance(s.result, Label) else None: s.index
              for s in made.body if isinstance(s, Stop)}  # fmt: skip
    for o in [o for o in instance.realised if o.chance > 1e-6][:10]:
        phases = [Phase({"x": x}, NOTHING, 1) for x in entries[: o.step - 1]]
        phases.append(Phase({"x": entries[o.step - 1]}, {"stop": (labels[o.result], None)}, 1))
        assert o.chance == pytest.approx(exp(follower.log_probability(phases, FINE).log), rel=2e-5)


@pytest.mark.parametrize(
    "name", spread(["tight/one_sided", "zhang2022/sprt_laplace", "dwork2014/above_noisy_threshold"], 1)
)
def test_no_loss_exceeds_what_is_proved(name: str, specs: Path) -> None:
    made = load(read(str(specs / f"{name}.seq"))).program
    proved = checked(name)
    pure = proved.bounds.pure
    assert pure is not None
    most = enclose(pure.conclusion.epsilon, parameter_values(made)).high
    result = instances(made, None, count=1, horizon=300, epsilons=(most,))
    assert 0 < result.loss_quantiles()[1.0] <= most * (1 + 1e-6)
    assert result.delta_quantiles(0)[1.0] <= 1e-9


# ---- what is reported


def test_quantiles_treat_infinity_as_a_value() -> None:
    assert quantile([(1.0, 1.0), (inf, 1.0)], 0.5) == 1.0
    assert quantile([(1.0, 1.0), (inf, 1.0)], 0.75) == inf
    assert quantile([(3.0, 0.1), (1.0, 0.8), (2.0, 0.1)], 0.9) == 2.0
    assert quantile([], 0.5) == 0.0


def test_the_same_seed_gives_the_same_streams_and_json_holds_no_infinity() -> None:
    made = program(SHARED)
    first, second = (instances(made, "m", count=3, seed=5).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    assert json.loads(json.dumps(first, allow_nan=False))["loss"]["1"] == "inf"
    assert first["streams"] == len(first["instances"]) == 3


def test_the_steps_of_a_run_have_the_mass_of_all_runs() -> None:
    result = instances(program(FINITE), "m", count=3)
    assert sum(g.chance for g in result.by_step()) == pytest.approx(1, abs=1e-7)
    assert [g.first for g in result.by_position()][:3] == [1, 2, 4]


def test_a_cap_is_reported() -> None:
    made = program(COIN + "stop when total >= 1000\nattach laplace(1) to total")
    result = instances(made, "m", count=2, horizon=20)
    assert all(i.later > 0.99 and i.steps == 20 for i in result.instances)
    assert any("have not stopped by step 20" in note for note in result.notes)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    instances(program(SHARED), "m", count=3, progress=lambda done, count: told.append((done, count)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_report_names_the_worst_neighbour() -> None:
    text = str(instances(program(SHARED), "m", count=2))
    assert "x: 0 -> 1" in text or "x: 1 -> 0" in text
    assert "loss, worst neighbour" in text


@pytest.mark.parametrize(
    "body, reason",
    [
        (COIN + "report r when total >= 3\nstop when total >= 5", "reports besides the stop"),
        ("dataset x in [0, 1] size 3\nmodel m: x ~ uniform(0, 1)\nstop when sum(x) > 2", "no stream"),
        (COIN + "report r when total >= 3", "reports besides the stop"),
        (COIN + "stop when total >= 5\nadjacent add or remove one", "added or removed"),
    ],
)
def test_what_is_not_treated_says_why(body: str, reason: str) -> None:
    with pytest.raises(Unsolved, match=reason):
        instances(program(body), None, count=1)


def test_a_step_without_a_value_is_given_up_with_its_reason() -> None:
    made = program("stream x in [0, 1]\nmodel m: x ~ point(0.5)\nstatistic g = sum(x / x over steps)\nstop when g >= 2")
    with pytest.raises(Unsolved, match="a step that fails"):
        instances(made, None, count=1)
