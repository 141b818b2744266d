"""The exact law at an error of 1e-8 beside our own simulation with a standard error of 1e-3, as ratios of CPU time.

python tests/benchmarks/exact_against_simulation.py

Both run in one process, in interleaved rounds; the medians are compared. A standard error of 1e-3 in a probability
takes 250,000 runs (p = 1/2, the worst case); a tenth of them is timed and the time multiplied.
"""

from __future__ import annotations

import time

import seqlang

ROUNDS = 3
RUNS = 250_000
SHARE = 10

GAUSSIAN = """\
algorithm gaussian_increments
param h = 2
stream x in real
model null: x ~ normal(-1, 1)
statistic llr = sum(2 * x over steps)
stop when llr >= h  return reject
stop when llr <= -h return accept
"""

LONGER = (
    GAUSSIAN.replace("gaussian_increments", "gaussian_longer")
    .replace("normal(-1, 1)", "normal(-0.25, 1)")
    .replace("sum(2 * x", "sum(x / 2")
    .replace("h = 2", "h = 2.944")
)
"""Wald's test of -1/4 against 1/4 at alpha = beta = 0.05: some 24 steps instead of 2, which is more work for simulation
and little more for the exact law."""

FAR_ENDS = (
    GAUSSIAN.replace("gaussian_increments", "gaussian_far")
    .replace("normal(-1, 1)", "normal(-0.1, 1)")
    .replace("sum(2 * x", "sum(x")
    .replace("h = 2", "h = 15")
)
"""Some 140 steps: about as far apart as ends may be for a rule with 60 nodes to have an error of 1e-11 or less."""

NOISY = """\
algorithm gaussian_noisy
param a = -43
param b = 43
stream x in real
model null: x ~ normal(-0.3, 1)
statistic s = sum(x over steps)
stop when s >= b return reject
stop when s <= a return accept
attach gaussian(4.8) to a, b once
attach gaussian(9.7) to a, b
"""

QUERIES = """\
algorithm queries
param T = 10
stream q in real
model flat: q ~ point(5)
stop when q >= T
attach laplace(2) to T once
attach laplace(4) to q
"""

WALK = """\
algorithm walk
param a = -16
param b = 16
stream x in {0, 1}
model up: x ~ bernoulli(0.7)
statistic s = sum(x - 1/2 over steps)
stop when s >= b return reject
stop when s <= a return accept
attach gaussian(10) to a, b once
attach gaussian(20) to s
"""

FAR = WALK.replace("-16", "-100").replace("= 16", "= 100").replace("walk", "far")

ROWS = (
    ("PrivSPRT, thresholds far apart", FAR, 0.05),
    ("PrivSPRT, drawn thresholds can cross", WALK, 0.65),
    ("Gaussian increments, sharp thresholds", FAR_ENDS, 0.007),
    ("the same, 24 steps instead of 140", LONGER, 0.007),
    ("the same, 2 steps instead of 140", GAUSSIAN, 0.007),
    ("Gaussian increments, noisy thresholds", NOISY, 1.8),
    ("independent queries (sparse vector)", QUERIES, 0.12),
)


def _cpu(work: object) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def main() -> None:
    print(f"{'case':<40} {'exact, s':>9} {'simulation, s':>14} {'ratio':>8} {'at most':>8} {'error':>9}")
    seqlang.solve(seqlang.load(WALK), tolerance=1e-8)  # imports
    for title, text, wanted in ROWS:
        spec = seqlang.load(text)
        exact, simulated, error = [], [], 0.0
        for _ in range(ROUNDS):
            found = []
            exact.append(_cpu(lambda: found.extend(seqlang.solve(spec, tolerance=1e-8))))  # noqa: B023
            error = found[0].solution.error
            runs = RUNS // SHARE
            simulated.append(SHARE * _cpu(lambda: seqlang.run(spec, runs=runs)))  # noqa: B023
        a, b = _median(exact), _median(simulated)
        print(f"{title:<40} {a:9.4f} {b:14.3f} {a / b:8.4f} {wanted:8.3f} {error:9.1e}")
    spec = seqlang.load("@wald1945/sprt")
    plain = _median([_cpu(lambda: seqlang.solve(spec, model="null")) for _ in range(5)])
    print(f"plain SPRT: {plain:.4f} s of CPU (Storm: 0.02 to 0.08 s)")


if __name__ == "__main__":
    main()
