"""Bounds on the chance of conditions on noises: enclosed, or where that is refused by quadratures of two accuracies."""

from __future__ import annotations

from math import inf, log1p

from seqlang.analyses.witnesses.recompute import NotEnclosed, bounds_of
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.linear_conditions import Alternatives
from seqlang.backends.transcript.integrals.probability import log_probability
from seqlang.backends.transcript.integrals.quadrature import FINE, FINEST
from seqlang.backends.transcript.unsupported import Work

MOST = 300_000
LARGEST_ERROR = 1e-3


def chance(follower: Follower, system: dict[Alternatives, int]) -> tuple[float, float]:
    """Logs of a lower and an upper bound. Raises `NotEnclosed`, `Unsupported`."""
    try:
        return bounds_of(follower, system)
    except NotEnclosed:
        answers = [log_probability(system, follower.law, how, Work(MOST)) for how in (FINE, FINEST)]
        logs, errors = [a.log for a in answers], [a.error for a in answers]
        error = 4 * sum(errors)
        if error > LARGEST_ERROR or (-inf in logs and max(logs) > -inf) or max(logs) - min(logs) > error + 1e-9:
            raise
        slack = 1e-12 * (1 + abs(logs[0])) if logs[0] > -inf else 0.0
        return min(logs) + log1p(-error) - slack, min(0.0, max(logs) + error + slack)
