"""Domains of fields and parameters. Ends are constant expressions; `None` is unbounded."""

from __future__ import annotations

from dataclasses import dataclass

from seqlang.model.expression import Expression


@dataclass(frozen=True, slots=True)
class Interval:
    """Real numbers between `low` and `high`; None = unbounded (`real` is both). Open ends are excluded."""

    low: Expression | None
    high: Expression | None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers `low`..`high`, both included; None = unbounded above (or below)."""

    low: Expression | None
    high: Expression | None


@dataclass(frozen=True, slots=True)
class Finite:
    """A listed set of numbers."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Ball:
    """Vectors of `dimension` coordinates with l2 norm at most `radius`."""

    radius: Expression
    dimension: Expression


@dataclass(frozen=True, slots=True)
class Power:
    """Vectors of `dimension` coordinates, each in `of`."""

    of: Interval | Integers | Finite
    dimension: Expression


Domain = Interval | Integers | Finite | Ball | Power
REAL = Interval(None, None)
