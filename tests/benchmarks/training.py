"""Rows a second of FLMB, beside the same algorithm written by hand in numpy, row by row.

python tests/benchmarks/training.py [--rows 20000] [--rounds 3]

Both read the same rows (KDD Cup 99 where it is found, else random rows of the same shape), in one process, in
interleaved rounds; the medians of CPU time are compared. The kernel is compiled before (seconds, once a machine); what
is timed is all that `seqlang.train` does, the checks of every row included. The loop by hand does what a paper's script
does: a few calls of numpy a row, noise included; its time a row does not depend on the number of orders, so two orders
are timed.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import seqlang
from seqlang.backends.interpret.data import kdd_cup_99


def by_hand(x: Any, y: Any, orders: Any, size: int, random: np.random.Generator) -> Any:
    """Algorithm 4 with epsilon_s = epsilon_g = 1, tau = 0.8, eta = 1, lambda = 0.01: the final w of every order."""
    d, truth, slab = x.shape[1], 1 / (1 + math.exp(-1)), math.log(1 / 0.8)
    found = []
    for order in orders:
        w, norm, m, g, bought = np.zeros(d), 0.0, 1, np.zeros(d), 0
        for i in order:
            row = x[i]
            score = row @ w
            inside = norm == 0 or abs(score) / norm <= slab
            if inside != (random.random() < truth):
                continue
            bought += 1
            if y[i] * score < 1:
                g -= y[i] * row
            if bought == size:
                z = random.normal(size=d)
                z *= random.gamma(d, 2.0) / np.linalg.norm(z)
                w = w - 1 / m * (0.01 * w + (g + z) / size)
                norm = np.linalg.norm(w)
                if norm > 1:
                    w, norm = w / norm, 1.0
                m, g, bought = m + 1, np.zeros(d), 0
        found.append(w)
    return np.array(found)


def rows(count: int) -> tuple[Any, Any, str]:
    path = kdd_cup_99.find(Path(__file__).parent)
    if path is not None:
        read = seqlang.rows("@bittner2020/flmb", path, names=(), columns=kdd_cup_99.COLUMNS)
        some = np.random.default_rng(1).permutation(read.count)[:count]
        return read.fields["x"][some], read.fields["y"][some], "KDD Cup 99"
    random = np.random.default_rng(1)
    x = random.normal(size=(count, 120))
    x /= np.linalg.norm(x, axis=1)[:, None] * (1 + 1e-9)
    return x, np.sign(x[:, 0]), "random rows"


def cpu(work: Any) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    x, y, what = rows(max(20_000, options.rows))
    print(f"{what}, streams of {options.rows:,} rows of {x.shape[1]} features\n")
    print(f"{'batch':>6} {'orders':>7} {'by hand, rows/s':>16} {'seqlang, rows/s':>16} {'ratio':>7}")
    random = np.random.default_rng(2)
    for size in (5, 50):
        spec = seqlang.load("@bittner2020/flmb", n=options.rows, L=size)
        seqlang.train(spec, {"x": x, "y": y}, engine="compiled")
        for runs in (1, 10, 100):
            orders = np.array([random.permutation(len(x))[: options.rows] for _ in range(2)])
            hand, own = [], []
            for _ in range(options.rounds):
                hand.append(cpu(lambda: by_hand(x, y, orders, size, random)))  # noqa: B023
                own.append(cpu(lambda: seqlang.train(spec, {"x": x, "y": y}, permutations=runs, engine="compiled")))  # noqa: B023
            a = orders.size / sorted(hand)[len(hand) // 2]
            b = runs * options.rows / sorted(own)[len(own) // 2]
            print(f"{size:6} {runs:7} {a:16,.0f} {b:16,.0f} {b / a:7.2f}", flush=True)


if __name__ == "__main__":
    main()
