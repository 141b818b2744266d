"""How long one draw of a noise lives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Once:
    """One draw for the whole run."""


@dataclass(frozen=True, slots=True)
class EachStep:
    """A new draw in every step."""


@dataclass(frozen=True, slots=True)
class EachReport:
    """A draw at the start, and a new one in the step after each step in which `report` was made."""

    report: str


Life = Once | EachStep | EachReport
