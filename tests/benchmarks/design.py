"""Seconds of CPU of a design, beside dense linear systems solved by numpy in the same run.

python tests/benchmarks/design.py [--only NAME...]

The design is searched, and not verified. The bars are in seconds of CPU.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from seqlang.designs.find import best_design
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.request import problem_of

CASES = {
    # p0, p1, privacy, what is minimised, the end, seconds
    "near": ("0.3", "0.7", "pure(1)", "average", None, 5.0),
    "far": ("0.45", "0.55", "pure(1)", "average", None, 15.0),
    "rare": ("0.01", "0.02", "pure(0.1)", "average", None, 60.0),
    "ended": ("0.45", "0.55", "pure(1)", "average", 340, 15.0),
    "minimax": ("0.45", "0.55", "none", "minimax", None, 15.0),
}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def systems() -> None:
    matrix = np.random.default_rng(1).standard_normal((1000, 1000)) + 40 * np.eye(1000)
    for _ in range(10):
        np.linalg.solve(matrix, matrix[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help=", ".join(CASES))
    chosen = parser.parse_args()
    unit = timed(systems)[1]
    print(f"{'':<10} {'entries':>9} {'seconds':>8} {'bar':>6} {': systems':>10}")
    for name, (p0, p1, privacy, criterion, most, bar) in CASES.items():
        if chosen.only and name not in chosen.only:
            continue
        twentieth = Fraction(1, 20)
        laws = [f"x ~ bernoulli({p})" for p in (p0, p1)]
        asked = problem_of(*laws, twentieth, twentieth, privacy, criterion, True, Limits(most=most))
        (found, *_), seconds = timed(partial(best_design, asked))
        print(f"{name:<10} {found.cost:9.2f} {seconds:8.2f} {bar:6.1f} {seconds / unit:10.1f}", flush=True)


if __name__ == "__main__":
    main()
