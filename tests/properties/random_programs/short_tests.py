"""Random tests of finitely many inputs with Gaussian noise, and what they lose at a delta, by sums over a grid.

Stops compare, in each of a few steps, the noisy entry with thresholds: constants with noise that is drawn once, or the
latest, largest or smallest of the first noisy entries. Or the winner of noisy entries is returned. Given what lasts,
the steps are independent, and what happens in one of them is how the entry lies among the thresholds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from random_programs.decided_at_delta import Law, Subject

Array = NDArray[np.float64]
Input = tuple[int, ...]
GRID: Array = np.linspace(-7.0, 7.0, 113)
WEIGHT: Array = np.exp(-(GRID**2) / 2)
WEIGHT /= WEIGHT.sum()
"""Equally spaced: sums of smooth functions are then right to many digits, of functions with a kink to 5e-4."""

MOVES: dict[str, Callable[[Input, Input], bool]] = {
    "every f within 1": lambda a, b: max(_moved(a, b)) <= 1,
    "one f within 1": lambda a, b: sum(_moved(a, b)) <= 1,
    "replace one": lambda a, b: sum(d > 0 for d in _moved(a, b)) <= 1,
    "every f within 1 same direction": lambda a, b: (
        max(_moved(a, b)) <= 1 and (all(x <= y for x, y in zip(a, b, strict=True)) or
                                    all(x >= y for x, y in zip(a, b, strict=True)))
    ),
}  # fmt: skip


def _moved(a: Input, b: Input) -> list[int]:
    return [abs(x - y) for x, y in zip(a, b, strict=True)]


@dataclass(frozen=True)
class Threshold:
    """`kind`: "once" (`value` plus noise), or "latest", "max", "min" of the first `value` noisy entries."""

    kind: str
    value: int
    deviation: float


@dataclass(frozen=True)
class Ending:
    """`stop when step > after and slope * f + noise OP threshold`."""

    after: int
    operator: str
    threshold: int


@dataclass(frozen=True)
class ShortTest:
    """`slope`: by which entries are multiplied before they are noised and compared."""

    domain: tuple[int, ...]
    moves: str
    steps: int
    slope: int
    thresholds: tuple[Threshold, ...]
    endings: tuple[Ending, ...]
    deviation: float


def short_test(seed: int) -> ShortTest:
    rng = random.Random(f"short {seed}")
    domain, steps = rng.choice([((0, 1), 2), ((0, 1), 3), ((0, 1, 2), 2), ((0, 2, 3), 2)])
    deviation = [rng.choice((1.0, 2.0, 4.0)) for _ in range(3)]
    stored = rng.random() < 0.4
    if stored:
        held = 1 if steps == 2 else rng.choice((1, 2))
        kinds = ("latest",) if held == 1 and rng.random() < 0.5 else rng.choice((("max",), ("min",), ("max", "min")))
        thresholds = tuple(Threshold(kind, held, deviation[0]) for kind in kinds)
    else:
        thresholds = tuple(Threshold("once", rng.choice((0, 1, 2)), deviation[i]) for i in range(rng.choice((1, 2, 2))))
    endings = tuple(
        Ending(thresholds[0].value if stored else rng.choice((0, 0, 0, 1)), rng.choice((">=", ">", "<=", "<")), at)
        for at in range(len(thresholds))
    )
    return ShortTest(
        domain, rng.choice(list(MOVES)), steps, rng.choice((1, 1, 2, -1)), thresholds, endings, deviation[2]
    )


def written(test: ShortTest) -> str:
    lines = ["algorithm short", f"stream f in {{{', '.join(map(str, test.domain))}}}", f"adjacent {test.moves}",
             f"statistic g = {test.slope} * f", f"statistic q = {test.slope} * f"]  # fmt: skip
    for i, threshold in enumerate(test.thresholds):
        form = f"{threshold.kind}(g where step <= {threshold.value} over steps)"
        if threshold.kind == "latest":
            form = f"if step == 1 then g else previous(x{i}, 0)"
        lines.append(f"param x{i} = {threshold.value}" if threshold.kind == "once" else f"statistic x{i} = {form}")
    for k, ending in enumerate(test.endings):
        guard = f"step > {ending.after} and " if ending.after else ""
        lines.append(f"stop when {guard}q {ending.operator} x{ending.threshold} return end{k}")
    lines += [f"stop when step >= {test.steps}", f"attach gaussian({test.deviation}) to q"]
    once = [(i, threshold) for i, threshold in enumerate(test.thresholds) if threshold.kind == "once"]
    lines += [f"attach gaussian({threshold.deviation}) to x{i} once" for i, threshold in once]
    if len(once) < len(test.thresholds):
        lines.append(f"attach gaussian({test.thresholds[0].deviation}) to g")
    return "\n".join(lines) + "\n"


def law(test: ShortTest, entries: Input) -> Law:
    """The chance of every end, and of none."""
    values, (a, b) = [test.slope * x for x in entries], np.meshgrid(GRID, GRID, indexing="ij")
    places = _places(test, values, (a, b))
    alive, found = np.outer(WEIGHT, WEIGHT), dict[Any, float]()
    for step, value in enumerate(values, 1):
        low, high = np.full_like(alive, -np.inf), np.full_like(alive, np.inf)
        for k, ending in enumerate(test.endings):
            if step <= ending.after:
                continue
            line = (places[ending.threshold] - value) / test.deviation
            above = ending.operator in (">", ">=")
            start, end = (np.maximum(low, line), high) if above else (low, np.minimum(high, line))
            found[step, k] = float((alive * np.maximum(ndtr(end) - ndtr(start), 0)).sum())
            low, high = (low, np.minimum(high, line)) if above else (np.maximum(low, line), high)
        alive = alive * np.maximum(ndtr(high) - ndtr(low), 0)
    found["none"] = float(alive.sum())
    return found


def _places(test: ShortTest, values: list[int], axes: tuple[Array, Array]) -> list[Array]:
    """Where the thresholds lie, by the two normal variables that last."""
    if test.thresholds[0].kind == "once":
        return [t.value + t.deviation * axis for t, axis in zip(test.thresholds, axes, strict=False)]
    kept = [values[i] + test.thresholds[0].deviation * axes[i] for i in range(test.thresholds[0].value)]
    fold = {"latest": lambda held: held[-1], "max": np.maximum.reduce, "min": np.minimum.reduce}
    return [fold[t.kind](kept) for t in test.thresholds]


def short_subject(seed: int) -> Subject:
    test = short_test(seed)
    inputs = list(itertools.product(test.domain, repeat=test.steps))
    near = MOVES[test.moves]
    rng = random.Random(f"delta {seed}")

    def pairs() -> list[tuple[str, Law, Law]]:
        laws = {entries: law(test, entries) for entries in inputs}
        return [(f"{x} | {y}", laws[x], laws[y]) for x in inputs for y in inputs if x != y and near(x, y)]

    label = "replace one" if test.moves == "replace one" else f"{test.moves.split()[0]} within"
    stored = any(t.kind != "once" for t in test.thresholds)
    data = "stream, look-backs" if stored else "stream"
    delta = Fraction(rng.choice((1, 2, 5, 10)), 100)
    return Subject(written(test), (delta,), pairs, f"{label} | gaussian | {data}", 1e-3)
