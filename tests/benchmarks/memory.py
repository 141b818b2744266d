"""Peak memory of few and of many runs: processes of their own, and the ratio.

python tests/benchmarks/memory.py [MANY] [ENGINE]

MANY is 10,000,000 unless given. The goal is a ratio of at most 1.2.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

FEW = 100_000
MANY = 10_000_000
GOAL = 1.2

TWO_STEPS = """\
algorithm two_steps
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
statistic s = sum(x over steps)
report one when x == 1
stop when step >= 2 return s
"""


def one(runs: int, engine: str) -> None:
    """Simulates, and prints the peak of this process in MiB and the seconds it took."""
    import seqlang
    from seqlang.backends.montecarlo.simulate import simulate

    began = time.perf_counter()
    found = simulate(seqlang.load(TWO_STEPS).loaded.program, None, runs=runs, seed=1, engine=engine)
    assert found.summary()["runs"] == runs
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(peak, time.perf_counter() - began)


def main(many: int, engine: str) -> int:
    peaks = []
    for runs in (FEW, many):
        command = [sys.executable, __file__, "--one", str(runs), engine]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak, seconds = map(float, done.stdout.split())
        peaks.append(peak)
        print(f"{runs:>13,} runs  {peak:8.1f} MiB  {seconds:8.2f} s")
    ratio = peaks[1] / peaks[0]
    print(f"ratio {ratio:.3f} (goal: at most {GOAL})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["--one"]:
        one(int(words[1]), words[2])
    else:
        sys.exit(main(int(words[0]) if words else MANY, words[1] if len(words) > 1 else "auto"))
