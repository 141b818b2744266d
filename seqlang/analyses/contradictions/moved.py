"""Neighbours that were run, against the derivation of how far they may be apart."""

from __future__ import annotations

from fractions import Fraction

from seqlang.analyses.contradictions.contradiction import Contradiction
from seqlang.analyses.trials import Failed

MOST_SHOWN = 24  # entries


def moved_too_far(failed: Failed) -> Contradiction:
    """Neighbours that were run, and the derivation of how far they may be apart."""
    values = f"{failed.why} in step {failed.step}, from {_shown(failed.first)} to {_shown(failed.second)}"
    inputs = f"run on {_input(failed, 0)} against {_input(failed, 1)}"
    return Contradiction(failed.quantity, "the derivation", failed.claim, f"the interpreter, {inputs},", values)


def _input(failed: Failed, side: int) -> str:
    rows = failed.pair.records[side] or failed.pair.entries[side]
    shown = [_shown(next(iter(row.values())) if len(row) == 1 else row) for row in rows[:MOST_SHOWN]]
    return "[" + ", ".join([*shown, ".."] if len(rows) > MOST_SHOWN else shown) + "]"


def _shown(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{name}: {_shown(inner)}" for name, inner in value.items()) + "}"
        case tuple():
            return "[" + ", ".join(map(_shown, value)) + "]"
        case Fraction() | float():
            return f"{float(value):.10g}"
        case _:
            return str(value)
