"""Seconds of CPU and peak memory of designs, in processes of their own, beside dense linear systems solved by numpy.

python tests/benchmarks/design.py [--only NAME...]

`search` is the search for the design; `whole` is all that `seqlang design` does: lower bounds, the program, its proof,
its exact law and simulated runs. The bars are in seconds of CPU of the search, and a GiB of memory for all of it. The
exit code is 1 where one is missed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

CASES = {
    # null and alternative, privacy, what is minimised, the end, seconds
    "near": (("x ~ bernoulli(0.3)", "x ~ bernoulli(0.7)"), "pure(1)", "average", None, 5.0),
    "far": (("x ~ bernoulli(0.45)", "x ~ bernoulli(0.55)"), "pure(1)", "average", None, 15.0),
    "rare": (("x ~ bernoulli(0.01)", "x ~ bernoulli(0.02)"), "pure(0.1)", "average", None, 60.0),
    "ended": (("x ~ bernoulli(0.45)", "x ~ bernoulli(0.55)"), "pure(1)", "average", 340, 15.0),
    "minimax": (("x ~ bernoulli(0.45)", "x ~ bernoulli(0.55)"), "none", "minimax", None, 15.0),
    "normal": (("x ~ normal(-0.5, 1)", "x ~ normal(0.5, 1)"), "zcdp(0.5)", "average", None, 15.0),
    "arms": (
        ("a ~ bernoulli(0.4), b ~ bernoulli(0.4)", "a ~ bernoulli(0.3), b ~ bernoulli(0.5)"),
        "pure(1)", "average", None, 15.0,
    ),
}  # fmt: skip
MOST = 1024.0
"""MiB."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def systems() -> None:
    matrix = np.random.default_rng(1).standard_normal((1000, 1000)) + 40 * np.eye(1000)
    for _ in range(10):
        np.linalg.solve(matrix, matrix[0])


def one(name: str) -> None:
    """Prints the cost, the seconds of the search and of the whole, and the peak of this process in MiB."""
    from seqlang.designs.find import best_design, find
    from seqlang.designs.problem.criterion import Limits
    from seqlang.designs.problem.request import problem_of

    laws, privacy, criterion, most, _ = CASES[name]
    twentieth = Fraction(1, 20)
    asked = problem_of(*laws, twentieth, twentieth, privacy, criterion, True, Limits(most=most))
    (found, *_), search = timed(partial(best_design, asked))
    whole = timed(partial(find, asked))[1]
    print(found.cost, search, whole, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help=", ".join(CASES))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        one(chosen.one)
        return 0
    unit, missed = timed(systems)[1], 0
    print(f"{'':<8} {'entries':>8} {'search':>8} {'bar':>6} {': systems':>10} {'whole':>8} {'MiB':>6}")
    for name in chosen.only or CASES:
        command = [sys.executable, __file__, "--one", name]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (cost, search, whole, peak), bar = map(float, told.split()), CASES[name][-1]
        missed += search > bar or peak > MOST
        shown = f"{search:8.2f} {bar:6.1f} {search / unit:10.1f} {whole:8.2f} {peak:6.0f}"
        print(f"{name:<8} {cost:8.2f} {shown}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
