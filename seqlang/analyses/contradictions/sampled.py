"""Simulated runs of an audit against bounds for the worst case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log
from typing import TYPE_CHECKING

from seqlang.analyses.contradictions.contradiction import Contradiction, above
from seqlang.analyses.contradictions.upper import Upper, differ

if TYPE_CHECKING:
    from seqlang.analyses.audit import Audit

MISS = 1e-12
"""The chance that an end of a confidence interval is wrong: an audit is right in 999 of 1000 cases, and a report that
is refused must be so for certain."""


def exceeded_by_runs(audit: Audit, uppers: Iterable[Upper]) -> Iterator[Contradiction]:
    """Bounds below the loss that the counts of the audit show with next to certainty."""
    from seqlang.analyses.audit.audit import clopper_pearson

    low = clopper_pearson(audit.hits[0], audit.runs, MISS)[0]
    high = clopper_pearson(audit.hits[1], audit.runs, MISS)[1]
    for upper in uppers:
        if upper.notion in ("pure", "dp") and low > upper.delta and high > 0:
            seen = log((low - upper.delta) / high)
            if above(seen, upper.size) and (upper.horizon is None or len(audit.streams[0]) <= upper.horizon):
                yield differ(upper, f"an audit of {audit.runs} runs of each input", seen)
