"""Wang et al.'s case study (2020, section V, Tables I and II): a network that is released with noise, in two readings.

    python -m seqlang.tours sequential_erm [--data wdbc statlog] [--repetitions 8] [--full] [--own-stop] [--plot FILE]

Rows come in a random order until a stopping rule says that enough have been seen. A network with two hidden layers (90
and 50 sigmoid units, softmax, parameters kept in [-2, 2]) is trained on them by Adam (step 0.001, cross entropy,
batches of 128). Then every parameter gets Laplace noise of scale 1 / (1000 epsilon), once for each epsilon, and one and
the same noisy network is scored on the rows that it was trained on and on others.

What the paper does not say, and what is assumed here:
- whether columns were scaled. Both readings are shown: columns as they are, and columns divided by about their largest
  values. It decides what the noise does: of a column that goes up to 2,600, noise of 0.01 on a weight moves what enters
  a unit by 26; where columns lie in [0, 1] it moves nothing that matters. Orders, first weights, batches and noise are
  the same in both.
- for which functions the stopping rule is computed. For the networks themselves its radius never falls: their 7,000
  parameters fit any signs of 350 rows. Here they are linear classifiers with loss 0 or 1, and the supremum is bounded
  below by a least-squares fit to the signs. Then the rule ends at its least number of rows, 312 and 1,660; the printed
  stopping times are larger. Networks are trained on as many rows as they print on average (357 and 2,508), so that
  accuracies are compared at equal numbers, or with `--own-stop` on as many as the rule here asks for.
- what the noise protects. It is added for "the l1 norm times 1000" as the score of an exponential mechanism; that a row
  moves trained weights by at most 1/1000 in that norm is nowhere shown, and no guarantee follows. `check` says the
  same: without a bound on how one row moves what is released, nothing is proved.
Figures are means over repetitions, with 95 % intervals in square brackets: of orders, first weights, batches and noise.
`Train. acc. lost` is the accuracy without noise less that with it, of one and the same network.
Twenty seconds on two idle cores; with `--full`, as many repetitions and steps as theirs, 80. It needs WDBC as
`wdbc_sklearn_breast_cancer.csv.gz` and Statlog as `sat.trn.gz` and `sat.tst.gz`.
The rule itself, and what its stopping step tells, is judged in @wang2020/serm, serm_streams and weak_serm.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import seqlang
from seqlang.tours import asked, between, data_file, drawing, mean_of, progress

Floats = NDArray[np.float32]
Classes = NDArray[np.int64]
EPSILONS = (0.1, 0.2, 0.5)
READINGS = ("raw columns", "scaled columns")
ACCURACIES = ("Train. acc.", "Test. acc.", "Private train. acc.", "Private test. acc.")
LARGEST = (30, 40, 200, 2600, 0.2, 0.4, 0.5, 0.25, 0.35, 0.1, 3, 5, 22, 550, 0.035, 0.14, 0.4, 0.06, 0.08, 0.03, 40, 50,
           260, 4300, 0.25, 1.1, 1.3, 0.3, 0.7, 0.21)  # fmt: skip
"""What WDBC's columns are divided by."""
RULE = """algorithm enough "SERM's stopping rule (Wang, Sibai, Mitra & Dullerud 2020), the radius computed outside"
param alpha in (0, 1) = 0.2
param beta in (0, 1) = 0.2
let N = 2 / alpha ^ 2 * log(2 / (beta * (1 - exp(-alpha ^ 2 / 2))))
stream radius in [0, 1e9)
stop when step > N and radius < alpha * step return enough
"""


class Case(NamedTuple):
    """A data set, and what is printed of it: a row of accuracies for each of ACCURACIES, an entry for each epsilon."""

    table: str
    alpha: float
    steps: int
    repetitions: int
    accuracies: tuple[tuple[float, ...], ...]
    stops: tuple[float, ...]


CASES = {
    "wdbc": Case(
        "Table I, WDBC",
        0.2,
        4000,
        8,
        ((0.98, 0.98, 0.97), (0.90, 0.91, 0.92), (0.86, 0.93, 0.96), (0.79, 0.91, 0.90)),
        (368.2, 344.9, 358),
    ),
    "statlog": Case(
        "Table II, Statlog",
        0.1,
        10_000,
        4,
        ((0.88, 0.89, 0.89), (0.77, 0.76, 0.77), (0.82, 0.86, 0.88), (0.76, 0.76, 0.76)),
        (3213, 2231, 2079),
    ),
}


class Data(NamedTuple):
    """Rows to train on and rows to test with; of WDBC there are no others, and what was not trained on is tested."""

    rows: Floats
    classes: Classes
    test: Floats
    test_classes: Classes
    divisors: Floats


def read(name: str, folder: Path | None) -> Data:
    """From `folder`, or from where tours look for data."""
    if name == "wdbc":
        get = "sklearn.datasets.load_breast_cancer(): 30 columns, then the class, under one line of names."
        path = data_file("wdbc_sklearn_breast_cancer.csv.gz", what="the rows of WDBC (UCI)", get=get, folder=folder)
        table = np.genfromtxt(path, delimiter=",", skip_header=1)
        rows, classes = table[:, :30].astype(np.float32), table[:, 30].astype(int)
        return Data(rows, classes, rows[:0], classes[:0], np.array(LARGEST, np.float32))
    get = "UCI archive, data set 146, Statlog (Landsat Satellite): sat.trn and sat.tst, each packed by gzip."
    files = [data_file(f"sat.{part}.gz", what="rows of Statlog", get=get, folder=folder) for part in ("trn", "tst")]
    parts = [np.loadtxt(path) for path in files]
    numbers = np.unique(parts[0][:, 36])
    (rows, classes), (test, test_classes) = (
        (p[:, :36].astype(np.float32), np.searchsorted(numbers, p[:, 36])) for p in parts
    )
    return Data(rows, classes, test, test_classes, np.full(36, 255, np.float32))


def stopping_step(rows: Floats, classes: Classes, alpha: float, seed: Sequence[int]) -> tuple[int, float] | None:
    """When SERM has seen enough of these rows, and the radius then; None if they end first."""
    session = seqlang.start(seqlang.load(RULE, alpha=alpha, beta=alpha), seed=1)
    least = math.floor(2 / alpha**2 * math.log(2 / (alpha * (1 - math.exp(-(alpha**2) / 2)))))
    random = np.random.default_rng(seed)
    signs = 2 * random.integers(0, 2, len(rows)) - 1
    other = (classes + random.integers(1, classes.max() + 1, len(rows))) % (classes.max() + 1)
    wanted = np.eye(classes.max() + 1)[np.where(signs < 0, classes, other)]  # wrong where the sign is +, else right
    table = np.column_stack([rows, np.ones(len(rows))])
    for n in range(1, len(rows) + 1):
        radius = 0.0
        if n > least:
            fitted = np.linalg.lstsq(table[:n], wanted[:n], rcond=None)[0]
            radius = abs(float((signs[:n] * ((table[:n] @ fitted).argmax(axis=1) != classes[:n])).sum()))
        if session.step(radius=radius).stopped:
            return n, radius / n
    return None


def twice(repetitions: Sequence[Any]) -> Any:
    """The same for both readings: an array with an entry for each repetition, and these entries once more."""
    return np.stack([*repetitions] * len(READINGS))


class Networks:
    """Networks side by side, each with two hidden layers of sigmoid units and a softmax: every array has them first."""

    def __init__(self, sizes: tuple[int, ...], randoms: Sequence[np.random.Generator]) -> None:
        self.parameters: list[Any] = []
        for a, b in pairwise(sizes):
            self.parameters.append(twice([r.normal(0, 1 / math.sqrt(a), (a, b)) for r in randoms]).astype(np.float32))
            self.parameters.append(np.zeros((len(READINGS) * len(randoms), 1, b), np.float32))

    def layers(self, rows: Floats, parameters: list[Any]) -> list[Any]:
        """The outputs of every layer, (networks, rows, units), the last as logits."""
        found: list[Any] = [rows]
        for i in range(0, len(parameters), 2):
            z = found[-1] @ parameters[i] + parameters[i + 1]
            found.append(z if i == len(parameters) - 2 else (np.tanh(z / 2) + 1) / 2)  # a sigmoid
        return found

    def train(self, rows: Floats, classes: Classes, batches: Iterator[Any], told: Callable[[int], None]) -> None:
        """By Adam, a step for each of `batches`: which rows, (networks, batch)."""
        target = np.eye(int(classes.max()) + 1, dtype=np.float32)[classes]
        first, second = ([np.zeros_like(p) for p in self.parameters] for _ in range(2))
        which = np.arange(len(rows))[:, None]
        for t, some in enumerate(batches, 1):
            ahead = 0.001 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            for p, m, v, g in zip(
                self.parameters, first, second, self.gradients(rows[which, some], target[which, some]), strict=True
            ):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                p -= ahead * m / (np.sqrt(v) + 1e-8)
                np.clip(p, -2, 2, out=p)
            told(t)

    def gradients(self, rows: Floats, target: Floats) -> list[Any]:
        """Of the mean cross entropy, by back-propagation."""
        outputs = self.layers(rows, self.parameters)
        chances = np.exp(outputs[-1] - outputs[-1].max(axis=-1, keepdims=True))
        error = (chances / chances.sum(axis=-1, keepdims=True) - target) / rows.shape[1]
        found: list[Any] = []
        for i in range(len(self.parameters) - 2, -1, -2):
            below = outputs[i // 2]
            found = [below.swapaxes(1, 2) @ error, error.sum(axis=1, keepdims=True), *found]
            if i:
                error = error @ self.parameters[i].swapaxes(1, 2) * below * (1 - below)
        return found

    def accuracy(self, parameters: list[Any], rows: Floats, classes: Classes) -> NDArray[np.float64]:
        """The share of rows whose class is found, for each network."""
        found: NDArray[np.float64] = (self.layers(rows, parameters)[-1].argmax(axis=-1) == classes).mean(axis=-1)
        return found


def scores(data: Data, orders: NDArray[np.int64], seen: int, steps: int, seeds: Sequence[Any], name: str = "") -> Any:
    """(ACCURACIES, EPSILONS, READINGS, repetitions): networks trained on the first `seen` rows of each order, by the
    random numbers of its seed alone. With a `name` it says how far it is."""
    randoms = [np.random.default_rng(seed) for seed in seeds]
    networks = Networks((data.rows.shape[1], 90, 50, int(data.classes.max()) + 1), randoms)
    rows = np.concatenate([data.rows[orders], data.rows[orders] / data.divisors])
    classes = twice(list(data.classes[orders]))
    parts = [(rows[:, :seen], classes[:, :seen]), (rows[:, seen:], classes[:, seen:])]
    if len(data.test):
        readings = [data.test] * len(orders) + [data.test / data.divisors] * len(orders)
        parts[1] = (np.stack(readings), twice([data.test_classes] * len(orders)))
    batches = (twice([r.integers(0, seen, min(128, seen)) for r in randoms]) for _ in range(steps))

    def told(step: int) -> None:
        if name and (step % 50 == 0 or step == steps):
            progress(f"{name}, steps", step, steps)

    networks.train(*parts[0], batches, told)
    found = [[[networks.accuracy(networks.parameters, *part)] * len(EPSILONS) for part in parts]]
    noised = []
    for epsilon in EPSILONS:
        noisy = [
            np.clip(p + twice([r.laplace(0, 1 / (1000 * epsilon), p.shape[1:]) for r in randoms]), -2, 2)
            for p in networks.parameters
        ]
        noised.append([networks.accuracy([p.astype(np.float32) for p in noisy], *part) for part in parts])
    found.append([[each[part] for each in noised] for part in (0, 1)])
    return np.array(found).reshape(len(ACCURACIES), len(EPSILONS), len(READINGS), len(orders))


def side_by_side(data: Data, orders: NDArray[np.int64], seen: int, steps: int, seeds: Sequence[Any], name: str) -> Any:
    """`scores`, the repetitions shared out among the processors; no number depends on how many there are."""
    workers = max(1, min(os.cpu_count() or 1, len(orders) // 2))
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the processes that start here: their matrices are small
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        shares = [slice(i, None, workers) for i in range(workers)]
        done = [
            pool.submit(scores, data, orders[share], seen, steps, seeds[share], "" if i else name)
            for i, share in enumerate(shares)
        ]
        table = np.empty((len(ACCURACIES), len(EPSILONS), len(READINGS), len(orders)))
        for share, each in zip(shares, done, strict=True):
            table[..., share] = each.result()
    return table


def main() -> None:
    parser = asked(__doc__, "", "--data wdbc --own-stop", "--plot tables.png", "--full --folder ../shared/data",
                   short={"data": ["wdbc"], "repetitions": 2, "steps": 50})  # fmt: skip
    parser.add_argument("--data", nargs="+", choices=CASES, default=list(CASES), help="which tables (both)")
    parser.add_argument("--repetitions", type=int, help="of all that is random (8 of WDBC, 4 of Statlog)")
    parser.add_argument("--steps", type=int, help="of Adam (4,000 and 10,000)")
    parser.add_argument("--full", action="store_true", help="as many as in the paper: 10 repetitions, 10,000 steps")
    parser.add_argument("--own-stop", action="store_true", help="train on as many rows as the stopping rule asks for")
    parser.add_argument("--seed", type=int, default=1, help="of orders, first weights, batches and noise (1)")
    parser.add_argument("--folder", type=Path, help="where the data sets are, if not in the places where tours look")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the accuracies, with their intervals")
    options = parser.parse_args()
    if options.plot:
        drawing()  # before the work, not after it
    tables: dict[str, tuple[Any, str]] = {}
    for name in options.data:
        case = CASES[name]
        repetitions = options.repetitions or (10 if options.full else case.repetitions)
        steps = options.steps or (10_000 if options.full else case.steps)
        data = read(name, options.folder)
        began = time.monotonic()
        seeds = [[options.seed, i] for i in range(repetitions)]
        orders = np.stack([np.random.default_rng([*seed, 0]).permutation(len(data.rows)) for seed in seeds])
        stops = []
        for order, seed in zip(orders, seeds, strict=True):
            found = stopping_step(data.rows[order] / data.divisors, data.classes[order], case.alpha, [*seed, 1])
            if found is None:
                raise SystemExit(f"{name}: the rows ended before the rule did")
            stops.append(found)
        mean = round(sum(case.stops) / len(case.stops))
        seen = max(n for n, _ in stops) if options.own_stop else mean
        print(f"{case.table}: {repetitions} repetitions, {seen:,} rows, {steps:,} steps of Adam, seed {options.seed}")
        print(
            f"  the data: {len(data.rows):,} rows to train on and {len(data.test):,} for the test alone, "
            f"{data.rows.shape[1]} columns, {data.classes.max() + 1} classes"
        )
        sys.stdout.flush()
        table = side_by_side(data, orders, seen, steps, [[*seed, 2] for seed in seeds], name)
        tables[name] = table, f"{repetitions} repetitions of {seen:,} rows, {steps:,} steps"
        show(case, table)
        show_stops(case, np.array(stops))
        print(f"  {time.monotonic() - began:.0f} seconds\n", flush=True)
    if options.plot:
        plot(tables, options.plot)


def plot(tables: dict[str, tuple[Any, str]], file: str) -> None:
    """A panel for each of a table's two scores: with noise by epsilon, and without it."""
    figure, axes = drawing().subplots(
        len(tables), 2, figsize=(11, 4.2 * len(tables)), squeeze=False, sharex=True, layout="constrained"
    )
    places = np.arange(len(EPSILONS))
    for row, (name, (table, about)) in zip(axes, tables.items(), strict=True):
        case = CASES[name]
        for part, axis in enumerate(row):
            axis.plot(places - 0.2, case.accuracies[2 + part], "k*", markersize=10, label="printed")
            axis.plot(places - 0.2, case.accuracies[part], "k_", markersize=16, label="printed, without noise")
            for i, reading in enumerate(READINGS):
                means, lows, highs = np.array([mean_of(v.tolist()) for v in table[2 + part, :, i]]).T
                ends, colour = [means - lows, highs - means], f"C{i}"
                axis.errorbar(places + 0.2 * i, means, ends, fmt="o", color=colour, capsize=3, label=reading)
                plain = table[part, 0, i].mean()
                axis.axhline(plain, color=colour, linestyle="--", label=f"{reading}, without noise")
            axis.set_xticks(places, [f"{epsilon:g}" for epsilon in EPSILONS])
            axis.set(xlabel="epsilon (noise of scale 1 / (1000 epsilon))", xlim=(-0.5, 2.5))
            axis.set_ylabel(f"accuracy on the {('training', 'test')[part]} rows (share)")
            axis.set_title(f"{case.table}: {about}", fontsize=10)
            axis.grid(alpha=0.3)
    axes[0][1].legend(fontsize="small", loc="lower right")
    figure.suptitle(
        "Wang et al. (2020), Section V: a network whose parameters get Laplace noise\n"
        "bars: 95 % intervals of means over the repetitions"
    )
    figure.savefig(file, dpi=110)


def show(case: Case, table: NDArray[np.float64]) -> None:
    """A line for each printed accuracy."""
    print("  mean over repetitions [95 % interval of it: orders, first weights, batches and noise]")
    print(f"  {'':28}{'printed':>9}{READINGS[0]:>24}{READINGS[1]:>24}")
    for title, mine, printed in zip(ACCURACIES, table, case.accuracies, strict=True):
        for epsilon, readings, value in zip(EPSILONS, mine, printed, strict=True):
            print(f"  {title:20}eps {epsilon:<4}{value:>9.2f}" + "".join(map(_cell, readings)))
    for title, i in (("Train. acc. lost", 0), ("Test. acc. lost", 1)):  # to the noise
        lost, printed_lost = table[i] - table[i + 2], np.subtract(case.accuracies[i], case.accuracies[i + 2])
        for epsilon, readings, value in zip(EPSILONS, lost, printed_lost, strict=True):
            print(f"  {title:20}eps {epsilon:<4}{value:>9.2f}" + "".join(map(_cell, readings)))
    far = np.abs(table.mean(axis=-1) - np.array(case.accuracies)[:, :, None])
    cells = "".join(f"{value:>24.3f}" for value in far.mean(axis=(0, 1)))
    print(f"  {'mean distance from printed':37}{cells}")


def _cell(values: NDArray[np.float64]) -> str:
    mean, low, high = mean_of(values.tolist())
    return f"{f'{mean:.3f} {between(low, high)}':>24}"


def show_stops(case: Case, stops: NDArray[np.float64]) -> None:
    """Where the rule stops, and how large the radius must have been where they did."""
    low, high = int(stops[:, 0].min()), int(stops[:, 0].max())
    steps = str(low) if low == high else f"{low} to {high}"
    shape = stops[:, 1].mean() * math.sqrt(low)
    print(
        f"  stopping step: {steps}, where the radius is {stops[:, 1].mean():.3f}, about {shape:.1f} / sqrt(n); "
        f"printed {case.stops[0]:g}, {case.stops[1]:g}, {case.stops[2]:g}"
    )
    needed = [case.alpha * math.sqrt(n) for n in case.stops]
    print(f"  a rule that stops there has a radius of {min(needed):.1f} to {max(needed):.1f} / sqrt(n): a larger class")


if __name__ == "__main__":
    main()
