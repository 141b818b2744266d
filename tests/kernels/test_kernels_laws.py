"""What compiled kernels draw, against laws in closed form and the exact solver: z-values below 4.5."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plain_kernels import program_of
from scipy import stats

from seqlang.backends.arrays.record import returned_labels
from seqlang.backends.kernels.runs import ByKernel
from seqlang.backends.montecarlo.chunks import Chunk, Watch
from seqlang.backends.solve import solve

pytest.importorskip("numba")
RUNS = 200_000
LAWS = """
algorithm laws
param b > 0 = 2
param sd > 0 = 1.5
stream x in {0, 1}, normals in real, uniforms in real, binomials in 0..7, poissons in 0.., exponentials in real
stream among in {1, 2, 5}, weighted in {0, 3, 7}, cut in real, cut_whole in -2..3, mixed in real, points in 0..9
stream chosen in real, many in 0..12, far in real, balls in ball(2, 3)
model law: x ~ bernoulli(0.3), normals ~ normal(1, sd), uniforms ~ uniform(-1, 3), binomials ~ binomial(7, 0.3),
    poissons ~ poisson(2.5), exponentials ~ exponential(b), among ~ uniform({1, 2, 5}), weighted ~ {0: 1, 3: 0, 7: 3},
    cut ~ conditioned(normal(0, sd), 0.5, 2), cut_whole ~ conditioned(geometric(0.5), -2, 3),
    mixed ~ convolve(bernoulli(0.3), geometric(0.4)), points ~ point(3),
    chosen ~ if x == 1 then normal(5, 1) else uniform(0, 1), many ~ {k: exp(-k / 3) for k in 0..12},
    far ~ conditioned(laplace(b), 3, 4), balls ~ uniform(ball(2, 3))
statistic zero = 0 * x
statistic laplaces = zero
statistic gaussians = zero
statistic geometrics = zero
statistic discretes = zero
statistic stairs = zero
statistic gumbels = zero
statistic trees = zero
statistic lasting = zero
statistic flat = [zero, zero, zero]
statistic coin = x
statistic letter = among
statistic truth = x == 1
draw choice ~ {i: exp(x * i / 4) for i in 1..12}
draw few ~ {1: 1, 2: x, 3: 0, 4: 2}
draw either ~ if x == 1 then bernoulli(0.9) else {5: 1, 6: 1}
draw picked ~ bernoulli(0.2 + 0.5 * x)
report r1 = laplaces
report r2 = gaussians
report r3 = geometrics
report r4 = discretes
report r5 = stairs
report r6 = gumbels
report r7 = trees
report r8 = flat
report r9 = coin
report r10 = letter
report r11 = if truth then 1 else 0
report r12 = choice
report r13 = few
report r14 = either
report r15 = picked
report r16 = lasting
stop when step >= 3 return if x == 1 then one else if among == 1 then two else three
attach laplace(b) to laplaces
attach gaussian(sd) to gaussians
attach geometric(0.6) to geometrics
attach discrete_gaussian(sd) to discretes
attach staircase(1, 2, 0.3) to stairs
attach gumbel(b) to gumbels
attach tree(gaussian(sd)) to trees
attach l2_laplace(b) to flat
attach randomized_response(0.7) to coin, letter, truth
attach randomized_response(0.6) to return
attach laplace(b) to lasting once
"""


def watch() -> Watch:
    return Watch(np.zeros(1, np.int64), lambda: None)


@pytest.fixture(scope="module")
def drawn() -> tuple[Any, Chunk]:
    shown = "\n".join(f"statistic s_{name} = {name}" for name in FIELDS)
    program = program_of(LAWS.replace("stop when", f"{shown}\nstop when"))
    return program, ByKernel(program, program.models[0], 5).run(0, RUNS, None, watch())


FIELDS = (
    "normals uniforms binomials poissons exponentials among weighted cut cut_whole mixed points chosen many far balls"
).split()


def proportion(seen: Any, chance: float) -> None:
    n, k = len(seen), int(np.count_nonzero(seen))
    if chance <= 0 or chance >= 1:
        assert k == n * chance
        return
    assert abs(k - n * chance) < 4.5 * math.sqrt(n * chance * (1 - chance)), (k / n, chance)


def masses(values: Any, law: dict[float, float]) -> None:
    for value, chance in law.items():
        proportion(values == value, chance)
    if sum(law.values()) > 1 - 1e-12:
        assert set(np.unique(values)) <= set(law)


def below(values: Any, cdf: Callable[[float], float], places: tuple[float, ...]) -> None:
    for place in places:
        proportion(values <= place, float(cdf(place)))


def geometric(ratio: float, reach: int = 9) -> dict[float, float]:
    return {float(k): (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-reach, reach + 1)}


def flipped(law: dict[float, float], truth: float) -> dict[float, float]:
    """Randomised response over the law's values."""
    lie = (1 - truth) / (len(law) - 1)
    return {v: truth * p + lie * (1 - p) for v, p in law.items()}


@pytest.mark.long
def test_inputs_have_their_laws(drawn: tuple[Any, Chunk]) -> None:
    s = {name: drawn[1].statistics[f"s_{name}"] for name in FIELDS}
    below(s["normals"], stats.norm(1, 1.5).cdf, (-2, 0, 1, 1.5, 4))
    below(s["uniforms"], stats.uniform(-1, 4).cdf, (-1, 0, 1.7, 3))
    masses(s["binomials"], {float(k): stats.binom(7, 0.3).pmf(k) for k in range(8)})
    masses(s["poissons"], {float(k): stats.poisson(2.5).pmf(k) for k in range(9)})
    below(s["exponentials"], stats.expon(scale=2).cdf, (0, 0.5, 2, 7))
    masses(s["among"], dict.fromkeys((1.0, 2.0, 5.0), 1 / 3))
    masses(s["weighted"], {0.0: 1 / 4, 7.0: 3 / 4})
    masses(s["points"], {3.0: 1.0})
    masses(s["many"], {float(k): math.exp(-k / 3) / sum(math.exp(-j / 3) for j in range(13)) for k in range(13)})


@pytest.mark.long
def test_laws_made_of_laws(drawn: tuple[Any, Chunk]) -> None:
    s = {name: drawn[1].statistics[f"s_{name}"] for name in FIELDS}
    low, high = stats.norm(0, 1.5).cdf((0.5, 2))
    below(s["cut"], lambda v: (stats.norm(0, 1.5).cdf(v) - low) / (high - low), (0.5, 0.7, 1, 1.6, 2))
    some = {k: p for k, p in geometric(0.5).items() if -2 <= k <= 3}
    masses(s["cut_whole"], {k: p / sum(some.values()) for k, p in some.items()})
    law = geometric(0.4, 12)
    masses(s["mixed"], {float(k): 0.7 * law[k] + 0.3 * law[k - 1] for k in range(-5, 6)})
    below(s["chosen"], lambda v: 0.3 * stats.norm(5, 1).cdf(v) + 0.7 * min(1, max(0, v)), (0.2, 0.9, 4, 5, 6))
    a, b = stats.laplace(0, 2).cdf((3, 4))
    below(s["far"], lambda v: (stats.laplace(0, 2).cdf(v) - a) / (b - a), (3, 3.1, 3.5, 4))
    below(np.linalg.norm(s["balls"], axis=0), lambda r: (r / 2) ** 3, (0.5, 1, 1.5, 2))
    for i in range(3):
        proportion(s["balls"][i] > 0, 0.5)


@pytest.mark.long
def test_noises_have_their_laws(drawn: tuple[Any, Chunk]) -> None:
    r = drawn[1].released
    for name in ("r1", "r16"):
        below(r[name], stats.laplace(0, 2).cdf, (-3, -1, 0, 0.5, 4))
    below(r["r2"], stats.norm(0, 1.5).cdf, (-3, -1, 0, 0.5, 4))
    masses(r["r3"], geometric(0.6))
    weights = {float(k): math.exp(-(k**2) / (2 * 1.5**2)) for k in range(-12, 13)}
    masses(r["r4"], {k: w / sum(weights.values()) for k, w in weights.items() if abs(k) < 6})
    below(np.abs(r["r5"]), _staircase, (0.3, 0.6, 1, 2, 2.6, 5))
    proportion(r["r5"] > 0, 0.5)
    below(r["r6"], lambda v: math.exp(-math.exp(-v / 2)), (-2, 0, 1, 4))
    below(r["r7"], stats.norm(0, 1.5 * math.sqrt(2)).cdf, (-3, -1, 0, 0.5, 4))  # steps 1..3 = two nodes
    below(np.linalg.norm(r["r8"], axis=0), stats.gamma(3, scale=2).cdf, (2, 5, 6, 12))


def _staircase(v: float) -> float:
    """P(|noise| <= v) for staircase(1, 2, 0.3), by adding up its stairs."""
    fall, total, inside = math.exp(-1), 0.0, 0.0
    for k in range(60):
        for low, high, height in ((0, 0.3, 1.0), (0.3, 1.0, fall)):
            a, b = 2 * (k + low), 2 * (k + high)
            total += (b - a) * height * fall**k
            inside += max(0.0, min(v, b) - a) * height * fall**k
    return inside / total


@pytest.mark.long
def test_flips_have_their_laws(drawn: tuple[Any, Chunk]) -> None:
    program, chunk = drawn
    r = chunk.released
    masses(r["r9"], flipped({0.0: 0.7, 1.0: 0.3}, 0.7))
    masses(r["r10"], flipped(dict.fromkeys((1.0, 2.0, 5.0), 1 / 3), 0.7))
    masses(r["r11"], flipped({0.0: 0.7, 1.0: 0.3}, 0.7))
    law = flipped({"one": 0.3, "two": 0.7 / 3, "three": 0.7 * 2 / 3}, 0.6)
    for place, label in enumerate(returned_labels(program)):
        proportion(chunk.codes == place, law[label])


@pytest.mark.long
def test_choices_by_the_state(drawn: tuple[Any, Chunk]) -> None:
    s, r = drawn[1].statistics, drawn[1].released
    x = s["coin"]
    proportion(x == 1, 0.3)
    for value in (0, 1):
        here = x == value
        weights = {float(i): math.exp(value * i / 4) for i in range(1, 13)}
        masses(r["r12"][here], {i: w / sum(weights.values()) for i, w in weights.items()})
        masses(r["r13"][here], {1.0: 1 / (3 + value), 4.0: 2 / (3 + value)} | ({2.0: 1 / 4} if value else {}))
        masses(r["r14"][here], {1.0: 0.9, 0.0: 0.1} if value else {5.0: 0.5, 6.0: 0.5})
        proportion(r["r15"][here] == 1, 0.2 + 0.5 * value)


SUBSAMPLES = """
algorithm subsamples
param q in (0, 1) = 0.3
dataset x in {0, 1} size 8
model law: x ~ bernoulli(0.5)
draw who ~ sample(records, q)
statistic size = count(true for i in who)
statistic ones = sum(x[i] for i in who)
statistic all = sum(x[i] for i in records)
stop when step >= 2
"""


@pytest.mark.long
def test_random_records() -> None:
    program = program_of(SUBSAMPLES)
    chunk = ByKernel(program, program.models[0], 6).run(0, RUNS, None, watch())
    masses(chunk.statistics["size"], {float(k): stats.binom(8, 0.3).pmf(k) for k in range(9)})
    masses(chunk.statistics["ones"], {float(k): stats.binom(8, 0.15).pmf(k) for k in range(9)})
    masses(chunk.statistics["all"], {float(k): stats.binom(8, 0.5).pmf(k) for k in range(9)})


SEQUENTIAL = """
algorithm sequential
param high = 4
stream x in {0, 1}
model law: x ~ bernoulli(0.6)
statistic s = sum(2 * x - 1 over steps)
report up when s >= 2
stop when s >= high return yes
stop when s <= -3 return no
stop when step >= 9 return late
attach geometric(0.4) to high once
attach geometric(0.3) to s
"""


def test_a_sequential_test_has_the_solved_law() -> None:
    """The stopping step and the label together."""
    program = program_of(SEQUENTIAL)
    solution = solve(program, "law", tolerance=1e-8)
    chunk = ByKernel(program, program.models[0], 7).run(0, RUNS, None, watch())
    labels = returned_labels(program)
    for column, outcome in enumerate(solution.outcomes):
        code = labels.index(str(outcome))
        for step, chance in enumerate(solution.table[:, column].tolist(), start=1):
            if chance * RUNS > 5:
                proportion((chunk.steps == step) & (chunk.codes == code), chance)
