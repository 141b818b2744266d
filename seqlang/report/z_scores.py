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
    error = exact["expected_steps_error"]
    return _score(run["steps"]["mean"], mean, se, error if isinstance(error, float | int) else 0.0)


def return_scores(run: Plain, exact: Plain) -> dict[str, float | None]:
    """Of the probability of each return; the standard error is from the exact probability p: sqrt(p (1 - p) / runs).
    Estimates by weighted runs have their own (`se`)."""
    scores: dict[str, float | None] = {}
    for label, found in run["returns"].items():
        p = exact["returns"].get(label, 0.0)
        se = found["se"] if "se" in found else math.sqrt(max(0.0, p * (1.0 - p)) / run["runs"])
        error = exact["returns_error"] + exact["mass_unresolved"]
        scores[label] = None if run["unstopped"] else _score(found["probability"], p, se, error)
    return scores


def _score(estimate: float, exact: float, se: float, error: float) -> float:
    """0 where the two agree within `error`, the uncertainty of the exact value."""
    apart = estimate - exact
    if abs(apart) <= error + 1e-12 * abs(exact):
        return 0.0
    return apart / se if se > 0 else math.copysign(math.inf, apart)
