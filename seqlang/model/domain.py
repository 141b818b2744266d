"""Domains of fields and parameters. Ends are constant expressions; `None` is unbounded."""

from __future__ import annotations

from seqlang.model.expression import Expression
from seqlang.record import record


@record
class Interval:
    """Real numbers between `low` and `high`; None = unbounded (`real` is both). Open ends are excluded."""

    low: Expression | None
    high: Expression | None
    low_open: bool = False
    high_open: bool = False


@record
class Integers:
    """Whole numbers `low`..`high`, both included; None = unbounded above (or below)."""

    low: Expression | None
    high: Expression | None


@record
class Finite:
    """A listed set of numbers."""

    values: tuple[Expression, ...]


@record
class Ball:
    """Vectors of `dimension` coordinates with l2 norm at most `radius`."""

    radius: Expression
    dimension: Expression


@record
class Power:
    """Vectors of `dimension` coordinates, each in `of`."""

    of: Interval | Integers | Finite
    dimension: Expression


Domain = Interval | Integers | Finite | Ball | Power
REAL = Interval(None, None)
