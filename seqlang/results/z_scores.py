"""How far estimates lie from exact values, in standard errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Plain = Mapping[str, Any]


def steps_score(run: Plain, exact: Plain) -> float | None:
    """Of the mean stopping step; None where the exact mean or its standard error is unknown or infinite, or runs were
    left at a cap. The standard error is from the exact variance where that is finite, else from the runs."""
    mean = exact["expected_steps"]
    if run["unstopped"] or not isinstance(mean, float | int):
        return None
    sd = exact["sd_steps"]
    se = sd / math.sqrt(run["runs"]) if isinstance(sd, float | int) else run["steps"]["se"]
    if se is None:
        return None  # of one run
    error = exact["expected_steps_error"]
    return _score(run["steps"]["mean"], mean, se, error if isinstance(error, float | int) else 0.0)


FEW = 25.0
"""Where so few runs are expected to return a label (or not to), their number is nowhere near normal."""


def return_scores(run: Plain, exact: Plain) -> dict[str, float | None]:
    """Of the probability of each return; the standard error is from the exact probability p: sqrt(p (1 - p) / runs).
    Estimates by weighted runs have their own (`se`). Of rare returns: the normal score of their number's place among
    binomial numbers (a number itself counts half)."""
    scores: dict[str, float | None] = {}
    n = run["runs"]
    for label, found in run["returns"].items():
        p = exact["returns"].get(label, 0.0)
        error = exact["returns_error"] + exact["mass_unresolved"]
        if run["unstopped"]:
            scores[label] = None
        elif "se" in found:
            scores[label] = _score(found["probability"], p, found["se"], error)
        elif 0.0 < p < 1.0 and min(p, 1.0 - p) * n < FEW:
            scores[label] = _of_few(round(found["probability"] * n), n, p)
        else:
            scores[label] = _score(found["probability"], p, math.sqrt(max(0.0, p * (1.0 - p)) / n), error)
    return scores


def _of_few(came: int, n: int, p: float) -> float:
    from scipy.special import bdtr, bdtrc, ndtri

    half = (bdtr(came, n, p) - (bdtr(came - 1, n, p) if came else 0.0)) / 2
    below = bdtr(came, n, p) - half
    above = bdtrc(came, n, p) + half
    return float(ndtri(below) if below < above else -ndtri(above))


def _score(estimate: float, exact: float, se: float, error: float) -> float:
    """0 where the two agree within `error`, the uncertainty of the exact value."""
    apart = estimate - exact
    if abs(apart) <= error + 1e-12 * abs(exact):
        return 0.0
    return apart / se if se > 0 else math.copysign(math.inf, apart)
