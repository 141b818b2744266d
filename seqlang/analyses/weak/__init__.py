"""Weak privacy, decided exactly: the law of the transcript given one entry, the other entries drawn from the model.

Importing this package loads nothing heavy; `decide`, `curve` and `least` load numpy when they are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from seqlang.analyses.bounds import Bounds
    from seqlang.analyses.weak.summary import Curve, Least
    from seqlang.analyses.weak.verdict import Decision
    from seqlang.model.program import Claim, Program


def decide(program: Program, claim: Claim, strong: Bounds | None = None) -> Decision:
    """The verdict of a weak claim. `strong`: proved bounds, which say what no later position can exceed."""
    from seqlang.analyses.weak.verdict import decide as decided

    return decided(program, claim, strong)


def curve(program: Program, model: str, epsilons: Sequence[float]) -> Curve:
    """Delta against epsilon, for arbitrary sets and per step. Raises Unsolved where there is no exact law."""
    from seqlang.analyses.weak.summary import curve as drawn

    return drawn(program, model, tuple(epsilons))


def least(program: Program, model: str, delta: Fraction, strong: Bounds | None = None) -> Least:
    """The least epsilon at `delta`, and the pure loss. Raises Unsolved where there is no exact law."""
    from seqlang.analyses.weak.summary import least as found

    return found(program, model, delta, strong)
