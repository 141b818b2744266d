"""Everything that `check` found, compared before it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions.average import average_above_worst, weak_claims
from seqlang.analyses.contradictions.contradiction import Contradiction
from seqlang.analyses.contradictions.moved import moved_too_far
from seqlang.analyses.contradictions.sampled import exceeded_by_runs
from seqlang.analyses.contradictions.strong import conversions, exceeded, refuted_though_bounded
from seqlang.analyses.contradictions.upper import uppers_of
from seqlang.model.program import Program
from seqlang.proof.witness import Witness

if TYPE_CHECKING:
    from seqlang.analyses.audit import Audit
    from seqlang.analyses.trials import Failed
    from seqlang.analyses.weak.summary import Curve, Least


def contradictions(
    program: Program,
    bounds: Bounds,
    witnesses: Sequence[Witness],
    verdicts: Sequence[Verdict],
    *,
    weak: Sequence[Least] = (),
    profiles: Sequence[Curve] = (),
    trials: Sequence[Failed] = (),
    audit: Audit | None = None,
) -> tuple[Contradiction, ...]:
    """Every pair of statements that exclude each other, each once."""
    uppers = tuple(uppers_of(program, bounds, verdicts))
    pairs = {id(w): w for w in (*witnesses, *(v.witness for v in verdicts)) if w is not None}
    found = [
        *(moved_too_far(failed) for failed in trials),
        *(c for w in pairs.values() for u in uppers for c in exceeded(w, u)),
        *(() if audit is None else exceeded_by_runs(audit, uppers)),
        *refuted_though_bounded(program, uppers, verdicts),
        *conversions(uppers),
        *average_above_worst(program, uppers, weak),
        *weak_claims(program, verdicts, weak, profiles),
    ]
    return tuple(dict.fromkeys(found))
