"""Random tests against a noisy threshold whose noise has any law and any life, and their exact losses on a few steps.

Given the threshold noise, the steps of a segment are independent, so that the chance of a transcript is one integral a
segment: a sum over the cells of a grid, whose weights are exact. Written from the definitions; shares nothing with
seqlang.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]
HALF_CELL = 1 / 64
GRID = np.arange(-28 + HALF_CELL, 28, 2 * HALF_CELL)
ERROR = 2e-3
"""Of a loss, by the grid: the integrands have kinks at whole numbers only, which are edges of cells."""


def _laplace(x: Array) -> Array:
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x > 0, tail, 1 - tail)


def _exponential(x: Array) -> Array:
    return np.exp(-np.maximum(x, 0))


def _geometric(x: Array) -> Array:
    k = np.ceil(x - 1e-9)
    tail = 0.5 ** np.where(k > 0, k, 1 - k) / 1.5
    return np.where(k > 0, tail, 1 - tail)


def _staircase(x: Array) -> Array:
    """epsilon 1, steps of width 1 that fall in the middle."""
    q = math.exp(-1)
    k, part = np.floor(np.abs(x)), np.abs(x) % 1
    height = (1 - q) / (1 + q)
    rest = np.maximum(0.5 - part, 0) + q * np.minimum(1 - part, 0.5)
    tail = height * q**k * (rest + q * (1 + q) / 2 / (1 - q))
    return np.where(x > 0, tail, 1 - tail)


def _gaussian(x: Array) -> Array:
    return np.asarray(ndtr(-x))


LAWS: dict[str, Callable[[Array], Array]] = {
    "laplace(1)": _laplace,
    "exponential(1)": _exponential,
    "geometric(1/2)": _geometric,
    "staircase(1, 1, 0.5)": _staircase,
    "gaussian(1)": _gaussian,
}
"""The text of a law, and P(noise >= x)."""
TOTALS = {"all": "sum(x over steps)", "now": "x", "two": "sum(x over last 2)", "Q": "sum(x since Q)"}
LIVES = ("once", "each step", "each Q", "each R", "each T")


@dataclass(frozen=True)
class Instance:
    """`limit`: what ends the run, or limits how often T is reported, `most` times."""

    threshold: str
    look: str
    life: str
    total: str
    every: bool
    bar: int
    period: int
    limit: str
    most: int
    horizon: int | None

    @property
    def text(self) -> str:
        test = f"s + w >= z + {self.bar}"
        guard = f"previous(count(T over steps), 0) < {self.most} and " if self.limit == "guard" else ""
        return "\n".join([
            "algorithm a",
            "stream x in {0, 1}",
            *(["adjacent every x within 1"] if self.every else []),
            f"draw z ~ {self.threshold} {self.life}",
            f"draw w ~ {self.look}",
            "draw v ~ laplace(1)",
            f"report Q when step % {self.period} == 0",
            f"statistic s = {TOTALS[self.total]}",
            *(["report R when x + v >= 1"] if self.life == "each R" else []),
            f"stop when {test}" if self.limit == "stop" else f"report T when {guard}{test}",
            *([f"stop when count(T over steps) >= {self.most}"] if self.limit == "count" else []),
            *([f"stop when step >= {self.horizon}"] if self.horizon else []),
            "",
        ])  # fmt: skip


def random_instance(rng: random.Random) -> Instance:
    limit = rng.choice(("stop", "stop", "count", "guard", "horizon"))
    return Instance(
        threshold=rng.choice(tuple(LAWS)),
        look=rng.choice(tuple(LAWS)[:4]),
        life=rng.choice(LIVES if limit != "stop" else LIVES[:4]),
        total=rng.choice(tuple(TOTALS)),
        every=rng.random() < 0.25,
        bar=rng.choice((0, 1, 3)),
        period=rng.choice((1, 2, 3)),
        limit=limit,
        most=rng.choice((1, 2)),
        horizon=rng.choice((4, 6)) if limit == "horizon" or rng.random() < 0.6 else None,
    )


def exact_loss(instance: Instance) -> float:
    """The largest log ratio of the chances of one transcript on neighbouring streams of a few steps."""
    length = min(4 if instance.life == "each R" else 6, instance.horizon or 6)
    streams = list(product((0, 1), repeat=length))
    laws = [_law(instance, stream) for stream in streams]
    losses = [0.0]
    for a, p in zip(streams, laws, strict=True):
        for b, q in zip(streams, laws, strict=True):
            if instance.every or sum(i != j for i, j in zip(a, b, strict=True)) == 1:
                losses.extend(math.log(p[o] / q[o]) for o in p if p[o] > 1e-9 and q[o] > 0)
    return max(losses)


def _law(instance: Instance, stream: tuple[int, ...]) -> dict[tuple[str, ...], float]:
    """The chance of every transcript: what was reported in each step."""
    at_least, look = LAWS[instance.threshold], LAWS[instance.look]
    weights = at_least(GRID - HALF_CELL) - at_least(GRID + HALF_CELL)
    law: dict[tuple[str, ...], float] = {}
    running: list[tuple[tuple[str, ...], int, Array]] = [((), 0, weights)]
    for step in range(1, len(stream) + 1):
        going: list[tuple[tuple[str, ...], int, Array]] = []
        fires = look(GRID + instance.bar - _level(instance, stream, step))
        shown = float(_laplace(np.array(1.0 - stream[step - 1]))) if instance.life == "each R" else 0.0
        tick = "Q" if step % instance.period == 0 else ""
        for seen, made, mass in running:
            asked = not (instance.limit == "guard" and made >= instance.most)
            for r, t in product(("", "R"), ("", "T")):
                chance = (shown if r else 1 - shown) * ((fires if t else 1 - fires) if asked else float(not t))
                after, said, count = mass * chance, (*seen, tick + r + t), made + bool(t)
                if instance.life == "each step" or instance.life[-1] in tick + r + t:
                    after = after.sum() * weights
                if t and (instance.limit == "stop" or (instance.limit == "count" and count >= instance.most)):
                    law[said] = float(after.sum())
                elif after.any():
                    going.append((said, count, after))
        running = going
    return law | {said: float(mass.sum()) for said, _, mass in running}


def _level(instance: Instance, stream: tuple[int, ...], step: int) -> int:
    since = (step - 1) // instance.period * instance.period
    first = {"all": 0, "now": step - 1, "two": max(0, step - 2), "Q": since}[instance.total]
    return sum(stream[first:step])
