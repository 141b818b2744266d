"""How long one draw of a noise lives."""

from __future__ import annotations

from seqlang.record import record


@record
class Once:
    """One draw for the whole run."""


@record
class EachStep:
    """A new draw in every step."""


@record
class EachReport:
    """A draw at the start, and a new one in the step after each step in which `report` was made."""

    report: str


Life = Once | EachStep | EachReport
