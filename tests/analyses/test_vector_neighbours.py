"""Neighbours of which a vector of several numbers, `[q1, q2, q3]`, moves within a radius."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seqlang.analyses.trials.pairs import pairs_of
from seqlang.analyses.witnesses.moving import measured_move
from seqlang.cli.__main__ import main
from seqlang.driver import load
from seqlang.model.expression import Number
from seqlang.model.program import Norm, Within
from seqlang.source import Source

SPEC = """algorithm vectors
{inputs}
adjacent {neighbours}
stop when {value} >= 2
attach laplace(4) to q1 once
claim strong pure(1)
"""
THREE = "stream q1 in [0, 1]\nstream q2 in [0, 1]\nstream q3 in [0, 1]"


@pytest.mark.parametrize(
    ("inputs", "neighbours", "value"),
    [
        (THREE, "every [q1, q2, q3] within 1", "q1 + q2 + q3"),
        (THREE, "one [q1, q2, q3] within 1 in l2", "q1 + q2 + q3"),
        ("stream q1 in real", "every [q1, q1 / 2] within 1", "q1"),
        ("stream q1 in [0, 10]", "every [q1, -q1] within 1 same direction", "q1"),
        ("stream q1 in 0..9", "one [q1, q1 ^ 2] within 3 in l1", "q1"),
    ],
)
def test_a_verdict(
    inputs: str, neighbours: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "vectors.seq"
    path.write_text(SPEC.format(inputs=inputs, neighbours=neighbours, value=value))
    assert main(["check", str(path)]) in (0, 1), capsys.readouterr().err
    assert "claim strong pure(1)" in capsys.readouterr().out


def test_pairs_are_neighbours() -> None:
    """Each of many pairs, by the definition: no coordinate moves by more than the radius at any entry."""
    text = SPEC.format(inputs=THREE, neighbours="every [q1, q2, q3] within 1/3", value="q1 + q2 + q3")
    pairs = pairs_of(load(Source("vectors", text)).program, Random(1))
    moved = 0
    for _ in range(40):
        first, second = next(pairs).entries
        for a, b in zip(first, second, strict=True):
            assert max(abs(a[name] - b[name]) for name in ("q1", "q2", "q3")) <= 1 / 3 + 1e-12
            moved += a != b
    assert moved > 20


@pytest.mark.parametrize(
    ("before", "after", "norm", "same_direction", "move"),
    [
        (1.0, 0.25, "linf", False, -0.75),
        ((0.0, 0.0), (1.0, -3.0), "linf", False, -3.0),
        ((0.0, 0.0), (1.0, -3.0), "l1", False, -4.0),
        ((0.0, 0.0), (1.0, 3.0), "l2", False, sqrt(10)),
        ((0.0, 0.0), (1.0, -3.0), "linf", True, inf),
        ((0.0, 0.0), (0.0, -3.0), "linf", True, -3.0),
        ((2.0, 1.0), (2.0, 1.0), "l2", True, 0.0),
    ],
)
def test_how_far_it_moves(before: Any, after: Any, norm: Norm, same_direction: bool, move: float) -> None:
    adjacency = Within(Number(Fraction(0)), Number(Fraction(1)), "every", same_direction, norm)
    assert measured_move(before, after, adjacency) == pytest.approx(move)
