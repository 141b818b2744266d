"""Wang et al.'s case study (2020, section V, Tables I and II), row by row beside what they printed.

    python examples/sequential_erm.py [--data wdbc statlog] [--repetitions 10] [--steps 10000] [--folder ../shared/data]

Rows come in a random order until the empirical Rademacher radius says that enough have been seen; a network with two
hidden layers (90 and 50 sigmoid units, softmax, parameters kept in [-2, 2]) is trained on them by Adam (step 0.001,
cross entropy), and every parameter gets Laplace noise of scale 1 / (1000 epsilon).

What cannot be reproduced, because the paper does not say it:
- the class F and the loss in the stopping rule. For the networks themselves the radius never falls: 7,000 parameters
  fit any signs of 350 rows. Here F are linear classifiers and the loss is 0 or 1, and the supremum is bounded below by
  a least-squares fit to the signs. The rule then ends soon after its least number of rows, 312 and 1,660.
- how the columns were scaled, and the size of Adam's batches (128 here). WDBC's columns are divided by constants of
  about their largest values, Statlog's by 255.
- what the noise protects. It is added for "the l1 norm times 1000" as the score of an exponential mechanism; that a row
  moves trained weights by at most 1/1000 in that norm is nowhere shown, and no guarantee follows. `check` says the
  same: without a bound on how one row moves what is released, nothing is proved.
The returned rule itself, and what its stopping step tells, is judged in @wang2020/serm and @wang2020/weak_serm.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqlang

Floats = NDArray[np.float64]
EPSILONS = (0.1, 0.2, 0.5)
ROWS = ("Train. acc.", "Test. acc.", "Private train. acc.", "Private test. acc.", "Stopping time")
PRINTED = {
    "wdbc": ((0.98, 0.98, 0.97), (0.90, 0.91, 0.92), (0.86, 0.93, 0.96), (0.79, 0.91, 0.90), (368.2, 344.9, 358.0)),
    "statlog": ((0.88, 0.89, 0.89), (0.77, 0.76, 0.77), (0.82, 0.86, 0.88), (0.76, 0.76, 0.76), (3213, 2231, 2079)),
}
ALPHA = {"wdbc": 0.2, "statlog": 0.1}
RULE = """algorithm enough "SERM's stopping rule (Wang, Sibai, Mitra & Dullerud 2020), the radius computed outside"
param alpha in (0, 1) = 0.2
param beta in (0, 1) = 0.2
let N = 2 / alpha ^ 2 * log(2 / (beta * (1 - exp(-alpha ^ 2 / 2))))
stream radius in [0, 1e9)
stop when step > N and radius < alpha * step return enough
"""
LARGEST = (30, 40, 200, 2600, 0.2, 0.4, 0.5, 0.25, 0.35, 0.1, 3, 5, 22, 550, 0.035, 0.14, 0.4, 0.06, 0.08, 0.03, 40, 50,
           260, 4300, 0.25, 1.1, 1.3, 0.3, 0.7, 0.21)  # fmt: skip
"""What WDBC's columns are divided by."""


def read(name: str, folder: Path) -> tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]:
    """(training rows, classes, test rows, classes); WDBC has no test rows: what was not trained on is tested."""
    if name == "wdbc":
        table = np.genfromtxt(folder / "wdbc_sklearn_breast_cancer.csv.gz", delimiter=",", skip_header=1)
        return table[:, :30] / np.array(LARGEST), table[:, 30].astype(int), table[:0, :30], table[:0, 30].astype(int)
    parts = [np.loadtxt(folder / f"sat.{part}.gz") for part in ("trn", "tst")]
    classes = np.unique(parts[0][:, 36])
    found = [(p[:, :36] / 255, np.searchsorted(classes, p[:, 36])) for p in parts]
    return (*found[0], *found[1])


def stopping_step(rows: Floats, classes: NDArray[np.int64], alpha: float, random: np.random.Generator) -> int | None:
    """When SERM has seen enough of these rows, or None if they end first."""
    session = seqlang.start(seqlang.load(RULE, alpha=alpha, beta=alpha), seed=1)
    least = math.floor(2 / alpha**2 * math.log(2 / (alpha * (1 - math.exp(-(alpha**2) / 2)))))
    signs = 2 * random.integers(0, 2, len(rows)) - 1
    other = (classes + random.integers(1, classes.max() + 1, len(rows))) % (classes.max() + 1)
    wanted = np.eye(classes.max() + 1)[
        np.where(signs < 0, classes, other)
    ]  # wrong where the sign is +, right elsewhere
    table = np.column_stack([rows, np.ones(len(rows))])
    for n in range(1, len(rows) + 1):
        radius = 0.0
        if n > least:
            fitted = np.linalg.lstsq(table[:n], wanted[:n], rcond=None)[0]
            radius = abs(float((signs[:n] * ((table[:n] @ fitted).argmax(axis=1) != classes[:n])).sum()))
        if session.step(radius=radius).stopped:
            return n
    return None


class Network:
    """Two hidden layers of sigmoid units and a softmax, trained by Adam; parameters stay in [-2, 2]."""

    def __init__(self, sizes: tuple[int, ...], random: np.random.Generator) -> None:
        self.random = random
        self.parameters: list[Any] = []
        for a, b in pairwise(sizes):
            self.parameters += [random.normal(0, 1 / math.sqrt(a), (a, b)).astype(np.float32), np.zeros(b, np.float32)]

    def layers(self, rows: Any, parameters: Any) -> list[Any]:
        """The outputs of every layer, the last as logits."""
        found = [rows]
        for i in range(0, len(parameters), 2):
            z = found[-1] @ parameters[i] + parameters[i + 1]
            found.append(z if i == len(parameters) - 2 else 1 / (1 + np.exp(-z)))
        return found

    def train(
        self, rows: Floats, classes: NDArray[np.int64], steps: int, batch: int = 128, rate: float = 0.001
    ) -> None:
        data, target = rows.astype(np.float32), np.eye(int(classes.max()) + 1, dtype=np.float32)[classes]
        first, second = ([np.zeros_like(p) for p in self.parameters] for _ in range(2))
        for t in range(1, steps + 1):
            some = self.random.integers(0, len(data), min(batch, len(data)))
            for i, g in enumerate(self.gradients(data[some], target[some])):
                first[i] += 0.1 * (g - first[i])
                second[i] += 0.001 * (g * g - second[i])
                ahead = math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
                self.parameters[i] -= rate * ahead * first[i] / (np.sqrt(second[i]) + 1e-8)
                np.clip(self.parameters[i], -2, 2, out=self.parameters[i])

    def gradients(self, rows: Any, target: Any) -> list[Any]:
        """Of the mean cross entropy, by back-propagation."""
        outputs = self.layers(rows, self.parameters)
        chances = np.exp(outputs[-1] - outputs[-1].max(axis=1, keepdims=True))
        error = (chances / chances.sum(axis=1, keepdims=True) - target) / len(rows)
        found: list[Any] = []
        for i in range(len(self.parameters) - 2, -1, -2):
            below = outputs[i // 2]
            found = [below.T @ error, error.sum(axis=0), *found]
            if i:
                error = error @ self.parameters[i].T * below * (1 - below)
        return found

    def accuracy(self, rows: Floats, classes: NDArray[np.int64], noise: float = 0.0) -> float:
        """With Laplace noise of this scale on every parameter."""
        noisy = [p + self.random.laplace(0, noise, p.shape) if noise else p for p in self.parameters]
        noisy = [np.clip(p, -2, 2) for p in noisy]
        return float((self.layers(rows, noisy)[-1].argmax(axis=1) == classes).mean())


def repetition(name: str, data: Any, steps: int, random: np.random.Generator) -> list[list[float]] | None:
    """(rows of the table, epsilons), or None if it is to be discarded: too few rows are left for a test."""
    rows, classes, test, test_classes = data
    order = random.permutation(len(rows))
    rows, classes = rows[order], classes[order]
    seen = stopping_step(rows, classes, ALPHA[name], random)
    if seen is None or (not len(test) and len(rows) - seen < 50):
        return None
    if not len(test):
        test, test_classes = rows[seen:], classes[seen:]
    network = Network((rows.shape[1], 90, 50, int(classes.max()) + 1), random)
    network.train(rows[:seen], classes[:seen], steps)
    plain = [network.accuracy(rows[:seen], classes[:seen]), network.accuracy(test, test_classes)]
    table = [[value] * len(EPSILONS) for value in plain]
    parts = ((rows[:seen], classes[:seen]), (test, test_classes))
    table += [[network.accuracy(*part, noise=1 / (1000 * epsilon)) for epsilon in EPSILONS] for part in parts]
    return [*table, [float(seen)] * len(EPSILONS)]


def main() -> None:
    here = Path(__file__).resolve()
    places = [p / "shared" / "data" for p in here.parents[1:]]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=PRINTED, default=list(PRINTED))
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10_000, help="of Adam")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=next((p for p in places if p.is_dir()), here.parent))
    options = parser.parse_args()
    for name in options.data:
        data = read(name, options.folder)
        found: list[list[list[float]]] = []
        discarded = 0
        for i in range(10 * options.repetitions):
            if len(found) == options.repetitions:
                break
            if sys.stderr.isatty():
                print(f"\r  {name}: repetition {len(found) + 1} of {options.repetitions}", end="", file=sys.stderr)
            table = repetition(name, data, options.steps, np.random.default_rng([options.seed, i]))
            discarded += table is None
            found += [] if table is None else [table]
        if sys.stderr.isatty():
            print(file=sys.stderr)
        if not found:
            raise SystemExit(f"{name}: every repetition was discarded")
        show(name, np.array(found), discarded)


def show(name: str, tables: Floats, discarded: int) -> None:
    number = "I" if name == "wdbc" else "II"
    head = "".join(f"{f'epsilon {e}':>24}" for e in EPSILONS)
    print(f"Table {number}, {name}: mean of {len(tables)} repetitions ({discarded} discarded), printed in brackets")
    print(f"{'':22}{head}")
    means = tables.mean(axis=0)
    for title, mine, printed in zip(ROWS, means, PRINTED[name], strict=True):
        form = ".1f" if title == ROWS[-1] else ".3f"
        cells = "".join(f"{f'{m:{form}} [{p:g}]':>24}" for m, p in zip(mine, printed, strict=True))
        print(f"  {title:20}{cells}")
    print()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
