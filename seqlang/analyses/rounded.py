"""Where floats, as a run computes, do what exact numbers do not: then nothing that is proved speaks of the run."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions.moved import moved_too_far
from seqlang.analyses.trials import Failed
from seqlang.record import replace
from seqlang.rules.composition import every_algorithm


def without_proofs(bounds: Bounds, verdicts: Sequence[Verdict], failed: Failed) -> tuple[Bounds, tuple[Verdict, ...]]:
    """No bound, and for each claim of privacy that was proved the reason why it is unknown. A derivation speaks of real
    numbers, and 0.3 / 0.1 is 3 there, but less than 3 in floats."""
    why = f"rounding decides in a run: {moved_too_far(failed)}; let inputs be whole numbers, or keep thresholds apart"
    changed = tuple(
        replace(v, verdict="unknown", because=why, derivation=None)
        if v.verdict == "proved" and v.claim.privacy is not None and not _says_nothing(v) else v
        for v in verdicts
    )  # fmt: skip
    return replace(bounds, pure=None, rdp=(), zcdp=None, dp=None, alternatives=(), open_goals=(why,)), changed


def _says_nothing(verdict: Verdict) -> bool:
    return verdict.derivation is not None and verdict.derivation.rule == every_algorithm.NAME
