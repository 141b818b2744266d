"""Sums over a Poisson sample with noise of a pure mechanism: how much is gained, and every reason against."""

from __future__ import annotations

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of

RULE = "mechanism/subsampled_pure"


def pure(*lines: str) -> tuple[float, str]:
    """The bound, and the rule at the bottom of its proof."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proof = prove(made).pure
    if proof is None:
        return inf, ""
    size = size_of(made, proof)
    while proof.premises:
        proof = proof.premises[0]
    return size, proof.rule


def loss(q: float, scale: float, first: list[float], second: list[float]) -> float:
    """Of two datasets of parts: the largest log ratio of the mixtures over all samples, over a fine grid."""
    grid = np.unique(np.concatenate([np.linspace(-60, 60, 4001), np.arange(-20, 21)]))

    def density(parts: list[float]) -> np.ndarray:
        total = np.zeros_like(grid)
        for chosen in product((0, 1), repeat=len(parts)):
            chance = np.prod([q if c else 1 - q for c in chosen])
            mean = sum(p for p, c in zip(parts, chosen, strict=True) if c)
            total += chance * np.exp(-np.abs(grid - mean) / scale)
        return total

    return float(np.abs(np.log(density(first) / density(second))).max())


HEAD = ("dataset x in [{low}, {high}] size 50", "adjacent {near}", "draw batch ~ sample(records, {q})")
SUM, STOP, NOISE = "report g = sum(x[i] for i in batch)", "stop when step >= 4", "attach laplace(2) to g"


def head(low: float = 0, high: float = 1, near: str = "add or remove one", q: float = 0.25) -> tuple[str, ...]:
    return tuple(line.format(low=low, high=high, near=near, q=q) for line in HEAD)


@pytest.mark.parametrize("q", [0.125, pytest.param(0.5, marks=pytest.mark.long), 1.0])
@pytest.mark.parametrize(
    ("low", "high", "near", "first", "second"),
    [
        (0, 1, "add or remove one", [1.0], []),
        (-1, 1, "add or remove one", [1.0], []),
        (0, 1, "replace one", [1.0], [0.0]),
        (-1, 1, "replace one", [1.0], [-1.0]),
        (2, 3, "replace one", [3.0], [2.0]),
        (-1, 3, "replace one", [3.0], [-1.0]),
    ],
)
def test_amplified(q: float, low: float, high: float, near: str, first: list[float], second: list[float]) -> None:
    """The bound is the loss of these neighbours, with nobody else in the dataset."""
    found, rule = pure(*head(low, high, near, q), SUM, STOP, NOISE)
    assert rule == RULE or q == 1
    assert found == pytest.approx(4 * loss(q, 2.0, first, second), rel=1e-9)


ONE = 4 * log(1 - 0.25 + 0.25 * exp(1 / 2))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((*head(), "report g = count(x[i] > 0 for i in batch)", STOP, NOISE), ONE),
        ((*head(), "report g = 3 - 2 * sum(x[i] for i in batch)", STOP, "attach laplace(4) to g"), ONE),
        ((*head(), "memory w = 0", "report g = w + sum(x[i] for i in batch)", "update w = g", STOP, NOISE), ONE),
        # integers with geometric noise
        ((*head(), "report g = count(x[i] > 0 for i in batch)", STOP, "attach geometric(1/2) to g"),
         4 * log(1 - 0.25 + 0.25 * 2)),
        # vectors, in l2
        (("dataset x in ball(3, 4) size 50", *head()[1:], "report g = sum(clip_norm(x[i], 1) for i in batch)", STOP,
          "attach l2_laplace(2) to g"), ONE),
        # two entries
        ((*head(near="add or remove 2"), SUM, STOP, NOISE), 2 * ONE),
    ],
)  # fmt: skip
def test_shapes(lines: tuple[str, ...], expected: float) -> None:
    assert pure(*lines) == (pytest.approx(expected), RULE)


@pytest.mark.parametrize(
    "lines",
    [
        # the divisor depends on the sample
        (*head(), "report g = sum(x[i] for i in batch) / max(1, length(batch))", STOP, NOISE),
        (*head(), "report g = mean(x[i] for i in batch)", STOP, NOISE),
        # parts that depend on other records, or on the record's number
        (*head(), "report g = sum(clip(x[i] * sum(x), -1, 1) for i in batch)", STOP, NOISE),
        (*head(), "report g = sum(clip(i * x[i], -1, 1) for i in batch)", STOP, NOISE),
        # one sample, or one noise, for several showings; a sample that another report reads
        (*head()[:2], "draw batch ~ sample(records, 0.25) once", SUM, STOP, NOISE),
        (*head(), SUM, STOP, f"{NOISE} once"),
        (*head(), SUM, "report h = length(batch)", STOP, NOISE, "attach laplace(9) to h"),
        # coordinates with noise of their own
        ("dataset x in ball(3, 4) size 50", *head()[1:], "report g = sum(clip_norm(x[i], 1) for i in batch)", STOP,
         NOISE),
        # the largest of the sample, not its sum
        (*head(), "report g = max(0, max(x[i] for i in batch))", STOP, NOISE),
        # no limit of showings
        (*head(), SUM, NOISE),
    ],
)  # fmt: skip
def test_not_amplified(lines: tuple[str, ...]) -> None:
    """Nothing, or what holds without the sample."""
    found, rule = pure(*lines)
    assert rule != RULE
    assert found >= 4 * 1 / 2
