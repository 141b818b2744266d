"""An expression of the model, with what elaboration knows of it while it makes it."""

from __future__ import annotations

from typing import NamedTuple

from seqlang.model.expression import Expression, Label
from seqlang.model.kinds import UNKNOWN, Kind


class Typed(NamedTuple):
    """An expression of the model, its kind, and how many nodes it took to build."""

    expression: Expression
    kind: Kind
    size: int = 1


ERROR = Typed(Label("?"), UNKNOWN)
"""Stands where an error was found; no program with such a part leaves elaboration."""
