"""The search finds optimal alignments: against scipy's linear programs on random groups of stopping gates."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from structures import X, move, noise, program, terms, value
from thorough import several

from seqlang.model.expression import Apply, Number
from seqlang.model.gate_source import OfStop
from seqlang.model.life import EachStep, Once
from seqlang.model.program import CompareGate, Margin
from seqlang.proof.derivation import PureBound
from seqlang.rules.alignment import stopping
from seqlang.rules.sensitivity.facts.facts import facts_of

SCALES = {"lz": 1.5, "lw": 0.7}


def cheapest(rows: list[list[float]], bounds: list[float], scales: list[float]) -> float:
    """min sum |v| / scale subject to rows . v >= bounds."""
    a, size = np.array(rows), len(scales)
    cost = np.concatenate([1 / np.array(scales)] * 2)
    found = linprog(
        cost, A_ub=-np.hstack([a, -a]), b_ub=-np.array(bounds), bounds=[(0, None)] * (2 * size), method="highs"
    )
    return float(found.fun) if found.status == 0 else float("inf")


@pytest.mark.parametrize("seed", range(several(40, 300)))
def test_search_is_optimal(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    gates, lasting, fresh = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
    names = [f"z{i}" for i in range(lasting)] + [f"w{i}" for i in range(fresh)]
    factors = [[rng.choice((0, 1, -1)) for _ in names] for _ in range(gates)]
    vertices = [[(Fraction(rng.randint(0, 2)), Fraction(rng.randint(-2, 2))) for _ in range(gates)] for _ in range(3)]

    noises = tuple(noise(n, "lz" if n[0] == "z" else "lw", Once() if n[0] == "z" else EachStep()) for n in names)
    tests = tuple(
        CompareGate(
            OfStop(j + 1),
            None,
            Margin(Apply("+", (X, Number(Fraction(j)))), terms(**dict(zip(names, factors[j], strict=True))), False),
        )
        for j in range(gates)
    )
    spec = program(noises, tests, **SCALES)
    moves = tuple(move(f"v{i}", list(vertex)) for i, vertex in enumerate(vertices))
    facts_of(spec).answers.clear()
    monkeypatch.setattr(stopping, "moves", lambda *_, **__: moves)
    found = stopping.suggest(spec, tuple(g.name for g in tests))

    scales = [SCALES["lz"] if n[0] == "z" else SCALES["lw"] for n in names]
    quiet = [[-f if n[0] == "z" else 0.0 for f, n in zip(factors[j], names, strict=True)] for j in range(gates)]
    worst = 0.0
    for vertex in vertices:
        for fired in range(gates):
            rows, bounds = [list(r) for r in quiet], [float(m) for m, _ in vertex]
            for j in range(fired + 1):
                sign = 1.0 if j == fired else -1.0
                rows.append([sign * f for f in factors[j]])
                bounds.append(-sign * float(vertex[j][1]))
            worst = max(worst, cheapest(rows, bounds, scales))

    if isinstance(found, str):
        assert worst == float("inf"), found
        return
    assert isinstance(found.conclusion, PureBound)
    got = value(found.conclusion.epsilon, D=1, c=1, **SCALES)
    assert got == pytest.approx(worst, rel=1e-7)
