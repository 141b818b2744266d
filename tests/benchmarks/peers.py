"""Private tests a CPU-second: seqlang beside dpsprt's streaming class, on its own DP-SPRT (Laplace noise).

python tests/benchmarks/peers.py [--rounds 5]       (needs `pip install dpsprt==1.2.0`)

Both run the test of p = .3 against p = .7 at errors of .05 and epsilon = 1 on coins of p = .3, one thread each, in
interleaved rounds; the medians of CPU time are compared, and the mean stopping steps printed as evidence that it is the
same work.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import seqlang

RUNS, TESTS = 400_000, 60


def theirs(seed: int) -> tuple[float, float]:
    """(tests a second, mean steps)"""
    from dpsprt import DPSPRT

    random = np.random.default_rng(seed)
    began, steps = time.process_time(), 0
    for i in range(TESTS):
        test = DPSPRT(mu0=0.3, mu1=0.7, alpha=0.05, beta=0.05, epsilon=1.0, random_seed=1000 * seed + i)
        stopped = False
        while not stopped:
            stopped, _ = test.add_sample(int(random.random() < 0.3))
            steps += 1
    return TESTS / (time.process_time() - began), steps / TESTS


def ours(seed: int) -> tuple[float, float]:
    """(tests a second, mean steps)"""
    began = time.process_time()
    (result,) = seqlang.run("@michel2025/dp_sprt", model="null", runs=RUNS, seed=seed, engine="compiled", threads=1)
    return RUNS / (time.process_time() - began), result.to_dict()["steps"]["mean"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    try:
        import dpsprt
    except ImportError:
        sys.exit("dpsprt is not there: pip install dpsprt==1.2.0")
    ours(0)  # compiles
    own, other = zip(*((ours(i), theirs(i)) for i in range(1, rounds + 1)), strict=True)
    a, b = (sorted(rate for rate, _ in found)[rounds // 2] for found in (own, other))
    steps = [float(np.mean([mean for _, mean in found])) for found in (own, other)]
    print(f"seqlang {a:,.0f} tests a second, {steps[0]:.1f} steps each")
    print(f"dpsprt {dpsprt.__version__} {b:,.0f} tests a second, {steps[1]:.1f} steps each")
    print(f"ratio {a / b:,.0f} (bar 1,000)")


if __name__ == "__main__":
    main()
