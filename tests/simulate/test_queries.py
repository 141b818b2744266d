"""Specs that answer queries, reject hypotheses and find changes, against implementations in plain numpy that share no
code with the engines. Chances are compared by z-scores; without noise, rejections one by one."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from thorough import several

import seqlang
from seqlang.backends.arrays.cells.kept import Tails, Window
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.endings import Recorded
from seqlang.backends.arrays.engine import Engine
from seqlang.backends.arrays.inputs import VectorInputs
from seqlang.backends.arrays.loops import element_blocks as wide
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.model.program import Report

RUNS = 4000
LARGEST_Z = 4.5  # about forty numbers are compared: one of them this far away by chance once in 3000 times


def z(ours, theirs):
    """Difference of the means in standard errors; a difference is far if both are constant."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    error = math.sqrt(ours.var() / len(ours) + theirs.var() / len(theirs))
    difference = abs(ours.mean() - theirs.mean())
    return difference / error if error else (0.0 if difference < 1e-12 else math.inf)


def samples(spec, **options):
    (result,) = seqlang.run(spec, **{"runs": RUNS, "seed": 5, **options})
    assert result.samples.engine == "numpy"
    return result.samples


# ---- sparse vector


def sparse_vector(bar, scale_bar, scale, length, cutoff, rng, refreshed=False):
    """Stopping steps and numbers of reports for queries of 0 against `bar`."""
    steps, reports = [], []
    for _ in range(RUNS):
        noisy, count, n = bar + rng.laplace(0, scale_bar), 0, 0
        while n < length:
            n += 1
            if (rng.laplace(0, scale) if scale else 0) >= noisy:
                count += 1
                if refreshed:
                    noisy = bar + rng.laplace(0, scale_bar)
            if count >= cutoff:
                break
        steps.append(n)
        reports.append(count)
    return steps, reports


@pytest.mark.parametrize(
    "name, scale_bar, scale, cutoff, refreshed",
    [
        ("lyu2017/svt1", 2, 8, 2, False),
        ("lyu2017/svt2", 4, 8, 2, True),
        ("lyu2017/svt3", 2, 4, 2, False),
        ("lyu2017/svt4", 4, 4 / 3, 2, False),
        ("lyu2017/svt5", 2, 0, math.inf, False),
        ("lyu2017/svt6", 2, 2, math.inf, False),
    ],
)
def test_sparse_vectors(name, scale_bar, scale, cutoff, refreshed):
    # the models: every query is 0, every threshold 1; svt3 and svt6 have no length
    found = samples(f"@{name}", cap=40)
    steps, reports = sparse_vector(1, scale_bar, scale, 40, cutoff, np.random.default_rng(1), refreshed)
    assert z(found.steps, steps) < LARGEST_Z
    assert z(found.steps <= 3, np.asarray(steps) <= 3) < LARGEST_Z
    assert z(found.reports["above"], reports) < LARGEST_Z


def test_thresholdout():
    found = samples(seqlang.load("@dwork2015/thresholdout", tau=0.01, T=0.04, B=3))
    rng = np.random.default_rng(2)
    steps = []
    for _ in range(RUNS):
        left, n, noisy = 3, 0, 0.04 + rng.laplace(0, 0.04)
        while left:
            n += 1
            gap = abs(rng.normal(0.5, 0.005) - rng.normal(0.5, 0.005))
            if gap + rng.laplace(0, 0.08) >= noisy:
                left, noisy = left - 1, 0.04 + rng.laplace(0, 0.04)
        steps.append(n)
    assert z(found.steps, steps) < LARGEST_Z
    assert np.all(found.reports["answer"] == 3)


# ---- selection


def ranked(name, **parameters):
    """The spec of the library with the scores 1, 2, .., k."""
    text = seqlang.load(f"@{name}").text
    return seqlang.load(re.sub(r"model (\w+): (\w+) ~ .*", r"model \1: \2 ~ point(step)", text), **parameters)


@pytest.mark.parametrize(
    "name, noise",
    [
        ("dwork2014/report_noisy_max", lambda rng, shape: rng.laplace(0, 2, shape)),
        ("suite/noisy_max_v2a", lambda rng, shape: rng.exponential(2, shape)),
        ("dwork2014/exponential", lambda rng, shape: rng.gumbel(0, 2, shape)),
    ],
)
def test_selection(name, noise):
    found = samples(ranked(name, eps=1), runs=20_000)  # of five candidates
    scores = np.arange(1, 6) + noise(np.random.default_rng(3), (20_000, 5))
    chosen = scores.argmax(axis=1) + 1
    for k in range(1, 6):
        assert z(found.values == k, chosen == k) < LARGEST_Z


# ---- false discoveries


def gamma(j):
    return j**-1.6 / 2.2857656656801293  # zeta(1.6)


def test_zeta():
    n = np.arange(1, 10**6, dtype=float)
    tail = 1e6**-0.6 / 0.6 + 0.5 * 1e6**-1.6
    assert abs(np.sum(n**-1.6) + tail - 2.2857656656801293) < 1e-9


def lord(p, alpha=0.05, w0=0.025):
    """Rejections of LORD++ (Ramdas, Yang, Wainwright and Jordan 2017), hypotheses first, runs second."""
    return _online(p, alpha, w0, np.zeros_like(p), lambda level: level)


def saffron(p, alpha=0.05, w0=0.0125, lam=0.5):
    """Rejections of SAFFRON (Ramdas, Zrnic, Wainwright and Jordan 2018): candidates do not advance the sequences."""
    return _online(p, (1 - lam) * alpha, w0, (p <= lam) * 1.0, lambda level: np.minimum(lam, level))


def _online(p, wealth, w0, candidate, limit):
    n, runs = p.shape
    rejected = np.zeros((n, runs), dtype=bool)
    before = np.vstack([np.zeros(runs), np.cumsum(candidate, axis=0)])  # before[t]: candidates among 1..t
    for t in range(1, n + 1):
        level = w0 * gamma(t - before[t - 1])
        order = np.cumsum(rejected[: t - 1], axis=0)
        for s in range(1, t):
            now = rejected[s - 1]
            if now.any():
                share = np.where(order[s - 1] == 1, wealth - w0, wealth)
                since = t - s - (before[t - 1] - before[s])
                level = level + np.where(now, share * gamma(np.maximum(since, 1)), 0)
        rejected[t - 1] = p[t - 1] <= limit(level)
    return rejected


@pytest.mark.parametrize("name, rule", [("ramdas2018/saffron", saffron), ("ramdas2018/lord", lord)])
def test_the_same_hypotheses_are_rejected(name, rule):
    rng = np.random.default_rng(4)
    for strength in (0.0005, 0.00005):
        false = rng.random(300) < 0.3
        p = np.where(false, np.minimum(1, rng.exponential(strength, 300)), rng.random(300))
        session = seqlang.start(f"@{name}", seed=1)
        found = ["reject" in session.step(p=v).reports for v in p]
        assert found == list(rule(p[:, None])[:, 0])
        assert 5 < sum(found) < 150


METRICS = """
public null in {0, 1}
model mixed: null ~ bernoulli(0.7), p ~ if null == 1 then uniform(0, 1) else conditioned(exponential(0.004), 0, 1)
"""
RATES = """
statistic fdr = count(reject and null == 1 over steps) / max(1, count(reject over steps))
statistic tpr = count(reject and null == 0 over steps) / max(1, count(null == 0 over steps))
"""


def with_rates(name):
    """The library's spec with the truth as a public input, and the two rates as statistics."""
    lines = [line for line in seqlang.load(f"@{name}").text.splitlines() if not re.match(r"model|public null", line)]
    text = "\n".join(lines)
    text = re.sub(r"(stream p in .*)", lambda m: m[1] + METRICS, text)
    return re.sub(r"(report reject when .*)", lambda m: m[1] + RATES, text)


@pytest.mark.parametrize("name, rule", [("ramdas2018/saffron", saffron), ("ramdas2018/lord", lord)])
def test_false_discovery_rate_and_power(name, rule):
    n, runs = 120, 1500
    found = samples(seqlang.load(with_rates(name), n=n), runs=runs)
    rng = np.random.default_rng(6)
    null = rng.random((n, runs)) < 0.7
    drawn = -0.004 * np.log1p(-rng.random((n, runs)) * (1 - math.exp(-1 / 0.004)))
    rejected = rule(np.where(null, rng.random((n, runs)), drawn))
    false_rate = (rejected & null).sum(axis=0) / np.maximum(1, rejected.sum(axis=0))
    power = (rejected & ~null).sum(axis=0) / np.maximum(1, (~null).sum(axis=0))
    assert z(found.statistics["fdr"], false_rate) < LARGEST_Z
    assert z(found.statistics["tpr"], power) < LARGEST_Z
    assert z(found.reports["reject"], rejected.sum(axis=0)) < LARGEST_Z
    assert found.statistics["fdr"].mean() < 0.05 + 4 * found.statistics["fdr"].std() / math.sqrt(runs)


def test_paprika_lord():
    n, runs, eps, c, eta, mu, shift = 150, several(600, 1500), 5, 3, 0.0929, 1e-10, 0.5
    spec = seqlang.load(with_rates("zhang2021/paprika_lord"), k=n, c=c, eps=eps, eta=eta, mu=mu, A=shift)
    assert [v.verdict for v in seqlang.check(spec).verdicts] == ["proved"]
    found = samples(spec, runs=runs)
    rng = np.random.default_rng(7)
    counts, steps, false = [], [], []
    for _ in range(runs):
        times, bad, t, bar = [], 0, 0, rng.laplace(0, 2 * eta * c / eps)
        for t in range(1, n + 1):
            level = 0.025 * gamma(t)
            level += sum((0.025 if j == 0 else 0.05) * gamma(t - s) for j, s in enumerate(times))
            null = rng.random() < 0.7
            p = rng.random() if null else min(1.0, rng.exponential(0.004))
            if math.log(max(p, mu)) + rng.laplace(0, 4 * eta * c / eps) < math.log(level) - shift + bar:
                times.append(t)
                bad += null
                bar = rng.laplace(0, 2 * eta * c / eps)
            if len(times) >= c:
                break
        counts.append(len(times))
        steps.append(t)
        false.append(bad / max(1, len(times)))
    assert z(found.reports["reject"], counts) < LARGEST_Z
    assert z(found.steps, steps) < LARGEST_Z
    assert z(found.statistics["fdr"], false) < LARGEST_Z


# ---- change points


def test_the_place_of_a_change():
    n, place = 60, 30
    found = samples(seqlang.load("@cummings2018/changepoint_offline", n=n, k_star=place, p0=0.3, p1=0.7, eps=1))
    rng = np.random.default_rng(8)
    x = rng.random((RUNS, n)) < np.where(np.arange(1, n + 1) < place, 0.3, 0.7)
    ratio = np.where(x, 1, -1) * math.log(7 / 3)
    sums = np.cumsum(ratio[:, ::-1], axis=1)[:, ::-1]
    chosen = (sums + rng.laplace(0, 2 * math.log(7 / 3), sums.shape)).argmax(axis=1) + 1
    assert z(found.values, chosen) < LARGEST_Z
    assert z(abs(found.values - place), abs(chosen - place)) < LARGEST_Z


def test_the_time_of_an_alarm():
    window, bar, place, runs = 20, 25, 60, 1500
    spec = seqlang.load("@cummings2018/changepoint_online", m=window, T=bar, k_star=place, p0=0.2, p1=0.8, eps=4)
    found = samples(spec, runs=runs)
    unit = math.log(4)
    rng = np.random.default_rng(9)
    steps, chosen = [], []
    for _ in range(runs):
        noisy, kept, n = bar + rng.laplace(0, 2 * unit), [], 0
        while True:
            n += 1
            kept = [*kept, unit if rng.random() < (0.2 if n < place else 0.8) else -unit][-window:]
            if n < window:
                continue
            tails = np.cumsum(kept[::-1])
            if tails.max() + rng.laplace(0, 4 * unit) >= noisy:
                break
        steps.append(n)
        chosen.append((tails + rng.laplace(0, unit, window)).argmax() + 1)
    assert z(found.steps, steps) < LARGEST_Z
    assert z(found.steps < place, np.asarray(steps) < place) < LARGEST_Z
    assert z(found.values, chosen) < LARGEST_Z


def test_the_share_behind_randomised_answers():
    found = samples(seqlang.load("@cummings2022/local_randomized_response", n=200, pi=0.3))
    rng = np.random.default_rng(10)
    x = rng.random((RUNS, 200)) < 0.3
    shown = np.where(rng.random(x.shape) < 0.75, x, ~x)
    estimate = (shown.mean(axis=1) - 0.25) / 0.5
    assert z(found.values, estimate) < LARGEST_Z
    assert z((found.values - 0.3) ** 2, (estimate - 0.3) ** 2) < LARGEST_Z


# ---- many elements at once


@pytest.mark.parametrize("name", ["ramdas2018/saffron", "ramdas2018/lord", "zhang2021/paprika"])
def test_blocks_change_no_number(name, monkeypatch):
    size = "k" if "paprika" in name else "n"
    program = seqlang.load(with_rates(name), **{size: 30}).loaded.program
    fast = simulate(program, None, runs=40, seed=3)
    split = simulate(program, None, runs=40, seed=3, batch=9)
    monkeypatch.setattr(wide, "elementwise", lambda *_: None)
    slow = simulate(program, None, runs=40, seed=3)
    assert fast.reports["reject"].sum() > 20
    for other in (split, slow):
        assert np.array_equal(fast.reports["reject"], other.reports["reject"])
        for name in fast.statistics:
            assert np.array_equal(fast.statistics[name], other.statistics[name]), name


LISTS = """
algorithm lists "Folds over lists that differ from run to run"
stream x in [0, 1]
model even: x ~ uniform(0, 1)
let times = history(step, seen)
statistic marks = history(x, seen)
statistic much = sum(x over steps)
statistic s = EXPRESSION
report seen when x > 0.6
stop when step >= 12
"""


EXPRESSIONS = [
    "sum(marks[j] * j ^ -1.6 for j in 1..length(marks))",
    "sum(if t == 1 then much else t for t in times)",
    "sum(m - much for m in marks where m > 0.8)",
    "count(marks[j] > 0.8 or j == 2 for j in 1..length(marks))",
    "if length(times) >= 1 then max(marks[j] - much for j in 1..length(marks)) else 0",
    "if length(times) >= 1 then mean(min(t, much) for t in times) else 0",
    "if length(times) >= 1 then min(abs(t - step) for t in times) else 0",
    "sum(sum(marks[j] for j in 1..k) for k in 1..length(marks))",
    "sum(if j > 1 then times[j] - times[j - 1] else 0 for j in 1..length(times))",
    "sum(j * x for j in floor(much)..step)",
    "sum(j for j in 3..floor(much))",
    "max([sum(x - 0.4 over last k) for k in 1..5])",
    "argmax([mean(x * x over last 2 * k) for k in 1..3])",
    "[count(x > 0.5 over last k) for k in 1..4][2] + [max(x over last k) for k in 2..4][1]",
    "sum(x over last 3) + [min(x over last 5 - k) for k in 0..3][3]",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_lists_of_different_lengths(expression, monkeypatch):
    program = seqlang.load(LISTS.replace("EXPRESSION", expression)).loaded.program
    fast = simulate(program, None, runs=500, seed=3, engine="numpy")
    split = simulate(program, None, runs=500, seed=3, engine="numpy", batch=70)
    with monkeypatch.context() as patch:
        patch.setattr(wide, "elementwise", lambda *_: None)
        slow = simulate(program, None, runs=500, seed=3, engine="numpy")
    assert np.array_equal(fast.statistics["s"], slow.statistics["s"])
    assert np.array_equal(fast.statistics["s"], split.statistics["s"])
    assert fast.statistics["s"].std() > 0.1


@pytest.mark.parametrize("choice", ["argmax([{}, 1])", "argmax({} + j for j in 1..2)", "max([1, {}])"])
def test_a_best_of_what_is_no_number_is_an_error(choice):
    text = LISTS.replace("EXPRESSION", choice.format("mean(x where x > 0.9 over last 2)"))
    for engine in ("numpy", "interpreter"):
        with pytest.raises(seqlang.SpecError) as caught:
            simulate(seqlang.load(text).loaded.program, None, runs=20, seed=3, engine=engine)
        assert caught.value.diagnostics[0].code == "E0620"


@pytest.mark.parametrize(
    "text", [*(LISTS.replace("EXPRESSION", e) for e in EXPRESSIONS), "@ramdas2018/saffron", "@ramdas2018/lord"]
)
def test_the_engines_agree_run_by_run(text):
    """The interpreter is fed with what the numpy engine drew; nothing else is random."""
    spec = seqlang.load(text, **({"n": 40} if text.startswith("@") else {}))
    program, runs = spec.loaded.program, 12
    reports = tuple(s.name for s in program.body if isinstance(s, Report))
    machines = [Machine(program, SeededRandomness(0)) for _ in range(runs)]

    compiler = VectorCompiler(program)
    state = Runs(compiler, 7, np.arange(runs))

    def follow(engine):
        assert state.count == runs or not state.alive.any()
        for i, machine in enumerate(machines):
            shown = machine.step({name: float(value[i]) for name, value in state.fields.items()})
            assert {n for n, fired in state.fired.items() if fired[i]} == {name for name, _ in shown.reports}
            for name, value in machine.statistics().items():
                if not isinstance(value, tuple):
                    assert float(np.broadcast_to(state.locals[name], runs)[i]) == pytest.approx(float(value), abs=1e-12)

    record = Record(0, runs, reports)
    Engine(state, VectorInputs(program, program.models[-1], compiler), Recorded(record)).run(None, follow)
    assert all(m.stopped and m.step_number == steps for m, steps in zip(machines, record.steps, strict=True))


@pytest.mark.filterwarnings("ignore:invalid value")  # the mean of nothing: the engine runs under np.errstate
@pytest.mark.parametrize("operator", ["sum", "mean", "count", "max", "min"])
def test_windows(operator):
    rng = np.random.default_rng(11)
    whole, tails, rows = Window(operator, 5), Tails(operator, 5), np.arange(9)
    entries = []
    for step in range(1, 24):
        value, taken = rng.normal(size=9)[rows], (rng.random(9) < 0.7)[rows]
        if step == 12:
            rows = np.array([0, 3, 4, 8])
            whole.keep(rows)
            tails.keep(rows)
            value, taken, entries = value[rows], taken[rows], [(v[rows], t[rows]) for v, t in entries]
        value = value > 0 if operator == "count" else value
        whole.tick(step, taken, value, len(rows))
        tails.tick(step, taken, value, len(rows))
        entries = [(value, taken), *entries][:5]
        together = tails.totals(np.minimum([1, 2, 3, 4, 5], step) - 1)
        for length in range(1, 6):
            for run in range(len(rows)):
                kept = [v[run] for v, t in entries[:length] if t[run]]
                empty = {"max": -math.inf, "min": math.inf, "mean": math.nan}.get(operator, 0)
                fold = {"sum": sum, "count": sum, "mean": np.mean, "max": max, "min": min}[operator]
                wanted = pytest.approx(fold(kept) if kept else empty, nan_ok=True)
                assert tails.total(length)[run] == wanted
                assert together[length - 1][run] == wanted
                if length == 5:
                    assert whole.read()[run] == wanted
