"""Regret of private follow-the-approximate-leader against an implementation in plain numpy, and against its bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

import seqlang

STEPS, RUNS = 255, 60
LOST = "sum(norm(previous(w, zeros(d)) - x) ^ 2 / 2 over steps)"
BEST = "(sum(norm(x) ^ 2 over steps) - norm(sum(x over steps)) ^ 2 / step) / 2"


def disc(random: np.random.Generator, count: int) -> np.ndarray:
    angle, radius = 2 * np.pi * random.random(count), np.sqrt(random.random(count))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def tree_noise(random: np.random.Generator, steps: int, scale: float) -> np.ndarray:
    """(steps, 2): of step t the sum of the nodes at the one-bits of t; a node's length is Gamma(2), its angle even."""
    nodes: dict[int, np.ndarray] = {}
    total = np.zeros((steps, 2))
    for t in range(1, steps + 1):
        lowest = (t & -t).bit_length() - 1
        nodes = {level: node for level, node in nodes.items() if level > lowest}
        angle = 2 * np.pi * random.random()
        nodes[lowest] = random.gamma(2, scale) * np.array([np.cos(angle), np.sin(angle)])
        assert len(nodes) == t.bit_count()
        total[t - 1] = sum(nodes.values())
    return total


def regret(points: np.ndarray, noise: np.ndarray) -> float:
    """H = 1: play the projected mean of what was played, less the noisy sum of gradients over t."""
    w, played, gradients, lost = np.zeros(2), np.zeros(2), np.zeros(2), 0.0
    for t, x in enumerate(points, 1):
        lost += ((w - x) ** 2).sum() / 2
        played, gradients = played + w, gradients + w - x
        w = (played - gradients - noise[t - 1]) / t
        w = w / max(1.0, float(np.hypot(*w)))
    return lost - ((points - points.mean(axis=0)) ** 2).sum() / 2


def bound(eps: float | None) -> float:
    """(G^2 / 2H)(1 + log T) + sum of (G / (H t)) sqrt(popcount(t) d (d + 1)) / kappa, G = L + H diam = 4."""
    kappa = math.inf if eps is None else eps / (STEPS.bit_length() * 4)
    noisy = sum(4 / t * math.sqrt(t.bit_count() * 6) / kappa for t in range(1, STEPS))
    return 8 * (1 + math.log(STEPS)) + noisy


@pytest.mark.parametrize("eps", [10.0, 1.0])
def test_regret_with_and_without_noise(eps: float) -> None:
    points = disc(np.random.default_rng(4), STEPS)
    spec = seqlang.load("@smith2013/ftal", n=STEPS, eps=eps)
    private, plain = seqlang.train(
        spec, {"x": points}, permutations=RUNS, seed=2, twin=True, track={"regret": f"{LOST} - {BEST}"}
    )
    random = np.random.default_rng(5)
    orders = [points[random.permutation(STEPS)] for _ in range(RUNS)]
    scale = STEPS.bit_length() * 4 / eps
    for result, theirs, limit in (
        (private, [regret(p, tree_noise(random, STEPS, scale)) for p in orders], bound(eps)),
        (plain, [regret(p, np.zeros((STEPS, 2))) for p in orders], bound(None)),
    ):
        ours = result.curve[-1]["tracked"]["regret"]
        error = math.hypot(ours["se"], np.std(theirs, ddof=1) / math.sqrt(RUNS))
        assert abs(ours["mean"] - np.mean(theirs)) < 4.5 * error
        assert 0 < ours["mean"] < limit
    low, high = private.curve[-1]["tracked"]["regret"]["ci95"]
    assert plain.curve[-1]["tracked"]["regret"]["mean"] < low < high
