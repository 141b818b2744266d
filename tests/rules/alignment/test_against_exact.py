"""Proved bounds against exact privacy losses: every Bernoulli stream of a few steps, every neighbour, every output.

For a fixed stream the law of the outputs is one integral a lasting noise; it is evaluated here on a grid, with nothing
taken from the code under test but the bound.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from structures import (
    KEPT_MOVES,
    OPPOSITE,
    REFRESHED,
    RESTARTED_MOVES,
    SAME_SIGN,
    SINCE,
    UNIFORM,
    W,
    Z,
    noise,
    one_sided,
    program,
    repeated,
    stop,
    value,
)

from seqlang.model.life import EachStep, Once
from seqlang.model.program import CompareGate, Program
from seqlang.proof.derivation import PureBound
from seqlang.rules.alignment import stopping
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion.shift import Move

STEPS = 5
GRID = np.linspace(-45, 45, 9001)
SLACK = 2e-3
SCALES = [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0)]
LEVELS = (-1.0, 1.0, 2.0)

Law = dict[object, float]


def bound(
    monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...], lz: float, lw: float, c: int = 2
) -> float:
    facts_of(spec).answers.clear()  # the moves are not part of the program here
    monkeypatch.setattr(stopping, "moves", lambda *_, **__: moves)
    found = stopping.suggest(spec, tuple(g.name for g in spec.gates if isinstance(g, CompareGate)))
    assert not isinstance(found, str), found
    assert isinstance(found.conclusion, PureBound)
    return value(found.conclusion.epsilon, D=1, lz=lz, lw=lw, c=c)


def density(scale: float) -> np.ndarray:
    weights = np.exp(-np.abs(GRID) / scale)
    return np.asarray(weights / weights.sum())


def cdf(x: np.ndarray | float, scale: float) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0) / scale), 1 - 0.5 * np.exp(-np.maximum(x, 0) / scale))


def tail(x: np.ndarray | float, scale: float) -> np.ndarray:
    return cdf(-np.asarray(x, dtype=float), scale)


def running_sums(stream: tuple[int, ...]) -> list[float]:
    return [float(s) for s in np.cumsum(stream)]


def cusums(stream: tuple[int, ...]) -> list[float]:
    levels, g = [], 0.0
    for x in stream:
        g = max(0.0, g + x - 0.5)
        levels.append(g)
    return levels


def windows(stream: tuple[int, ...]) -> list[float]:
    return [float(sum(stream[max(0, n - 1) : n + 1])) for n in range(len(stream))]


def one_sided_law(levels: list[float], b: float, lz: float, lw: float) -> Law:
    p, alive, law = density(lz), np.ones_like(GRID), {}
    for n, level in enumerate(levels):
        law[n] = float(np.sum(p * alive * tail(b + GRID - level, lw)))
        alive = alive * cdf(b + GRID - level, lw)
    return {**law, "never": float(np.sum(p * alive))}


def two_sided_law(levels: list[float], b: float, lz: float, lw: float) -> Law:
    """Stops above b or below -b, each with its own noises: the two thresholds factorise."""
    p, high, low, law = density(lz), np.ones_like(GRID), np.ones_like(GRID), {}
    for n, level in enumerate(levels):
        quiet_low = float(np.sum(p * low))
        law[n, "high"] = float(np.sum(p * high * tail(b + GRID - level, lw))) * quiet_low
        high = high * cdf(b + GRID - level, lw)
        law[n, "low"] = float(np.sum(p * high)) * float(np.sum(p * low * tail(b + GRID + level, lw)))
        low = low * cdf(b + GRID + level, lw)
    return {**law, "never": float(np.sum(p * high)) * float(np.sum(p * low))}


def outside_law(levels: list[float], b: float, lz: float, lw: float) -> Law:
    """Level + W >= b + Z stops high, level + W <= -b - Z stops low; one Z for the run, one W a step."""
    p, alive, law = density(lz), np.ones_like(GRID), {}
    for n, level in enumerate(levels):
        up = tail(b + GRID - level, lw)
        down = np.where(b + GRID >= 0, cdf(-b - GRID - level, lw), cdf(b + GRID - level, lw))
        law[n, "high"], law[n, "low"] = float(np.sum(p * alive * up)), float(np.sum(p * alive * down))
        alive = alive * np.maximum(1 - up - down, 0)
    return {**law, "never": float(np.sum(p * alive))}


def repeated_law(stream: tuple[int, ...], b: float, lz: float, lw: float, c: int, mode: str) -> Law:
    """All patterns of at most c reports; the run ends with the c-th."""
    p = density(lz)
    law: Law = {}

    def extend(n: int, made: tuple[int, ...], weight: float, inside: np.ndarray, start: int) -> None:
        if n == len(stream) or len(made) == c:
            law[made] = weight * float(np.sum(inside))
            return
        level = float(sum(stream[start : n + 1]))
        fires, quiet = inside * tail(b + GRID - level, lw), inside * cdf(b + GRID - level, lw)
        extend(n + 1, made, weight, quiet, start)
        if mode == "kept":
            extend(n + 1, (*made, n), weight, fires, start)
        else:
            extend(n + 1, (*made, n), weight * float(np.sum(fires)), p, n + 1 if mode == "restarted" else start)

    extend(0, (), 1.0, p, 0)
    return law


def worst_loss(laws: dict[tuple[int, ...], Law]) -> float:
    worst = 0.0
    for stream, law in laws.items():
        for k in range(len(stream)):
            other = laws[(*stream[:k], 1 - stream[k], *stream[k + 1 :])]
            for output, probability in law.items():
                # below this a probability is grid error
                if probability > 1e-9 and other[output] > 1e-9:
                    worst = max(worst, float(np.log(probability / other[output])))
    return worst


STREAMS = list(product((0, 1), repeat=STEPS))


@pytest.mark.parametrize(("lz", "lw"), SCALES)
@pytest.mark.parametrize(
    ("statistic", "moves"),
    [(running_sums, UNIFORM), (cusums, SAME_SIGN), (windows, SAME_SIGN)],
    ids=["sum", "cusum", "window"],
)
def test_one_sided(
    monkeypatch: pytest.MonkeyPatch, statistic: object, moves: tuple[Move, ...], lz: float, lw: float
) -> None:
    proved = bound(monkeypatch, one_sided(), moves, lz, lw)
    losses = [worst_loss({s: one_sided_law(statistic(s), b, lz, lw) for s in STREAMS}) for b in LEVELS]
    assert max(losses) <= proved + SLACK
    assert max(losses) >= 0.4 * proved  # the bound is about the right thing


@pytest.mark.parametrize(("lz", "lw"), SCALES)
def test_two_sided(monkeypatch: pytest.MonkeyPatch, lz: float, lw: float) -> None:
    noises = (Z, noise("y", "lz", Once()), W, noise("v", "lw", EachStep()))
    spec = program(noises, (stop(1, z=-1, w=1), stop(2, y=-1, v=1)))
    proved = bound(monkeypatch, spec, OPPOSITE, lz, lw)
    laws = [
        {s: two_sided_law([2 * x - STEPS / 2 for x in running_sums(s)], b, lz, lw) for s in STREAMS} for b in LEVELS
    ]
    # the walk moves by 2 for a changed entry, so the bound is twice that for D = 1
    losses = [worst_loss(law) for law in laws]
    assert max(losses) <= 2 * proved + SLACK
    assert max(losses) >= 0.5 * proved


@pytest.mark.parametrize(("lz", "lw"), SCALES)
def test_outside_interval(monkeypatch: pytest.MonkeyPatch, lz: float, lw: float) -> None:
    spec = program((Z, W), (stop(1, z=-1, w=1), stop(2, z=-1, w=-1)))
    proved = bound(monkeypatch, spec, OPPOSITE, lz, lw)
    losses = [
        worst_loss({s: outside_law([x - STEPS / 2 for x in running_sums(s)], b, lz, lw) for s in STREAMS})
        for b in (1.0, 2.0)
    ]
    assert max(losses) <= proved + SLACK
    assert max(losses) >= 0.5 * proved


@pytest.mark.parametrize(
    ("lz", "lw", "mode"),
    [
        pytest.param(*scales, mode, marks=() if (i + j) % 3 == 0 else pytest.mark.long)
        for i, scales in enumerate(SCALES)
        for j, mode in enumerate(("kept", "refreshed", "restarted"))
    ],
)
def test_reports(monkeypatch: pytest.MonkeyPatch, mode: str, lz: float, lw: float) -> None:
    spec, moves = {
        "kept": (repeated(), KEPT_MOVES),
        "refreshed": (repeated(REFRESHED), KEPT_MOVES),
        "restarted": (repeated(REFRESHED, SINCE), RESTARTED_MOVES),
    }[mode]
    proved = bound(monkeypatch, spec, moves, lz, lw, c=2)
    losses = [worst_loss({s: repeated_law(s, b, lz, lw, 2, mode) for s in STREAMS}) for b in LEVELS]
    assert max(losses) <= proved + SLACK
    assert max(losses) >= 0.4 * proved


def test_the_formula_for_sums_would_be_wrong_for_windows() -> None:
    losses = [worst_loss({s: one_sided_law(windows(s), b, 1.0, 1.0) for s in STREAMS}) for b in LEVELS]
    assert max(losses) > 1.05  # max(D/lz, D/lw) is 1 here
