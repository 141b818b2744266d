"""Whether steps may fail: an exact law is one of the runs that do not, and leaves out what no stop reads."""

from __future__ import annotations

from seqlang.model.program import Program
from seqlang.rules.sensitivity.totality.values import obstacle, trouble_beside


def may_fail(program: Program) -> str | None:
    """Which operation may have no value in some step of a run, so that the run ends there; None if no operation that
    private data decide on, and none that the exact law does not compute."""
    from seqlang.backends.solve.step.dependencies import needed_of

    return obstacle(program) or trouble_beside(program, needed_of(program).statements) or None
