"""The value of a parameter that just proves a privacy target."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.record import record
from seqlang.shown import Shown

if TYPE_CHECKING:
    from seqlang.analyses.calibrate import Calibrated


@record
class Calibration(Shown):
    """`found.derivation` proves the target at `found.value`."""

    shown_by = "text.calibration:calibration_blocks"
    algorithm: str
    found: Calibrated

    @property
    def summary(self) -> str:
        return f"{self.algorithm}: {self.found.name} = {_decimal(self.found.value)} proves {self.found.target.text}"

    @property
    def value(self) -> float:
        """Of the parameter; `found.value` is exact."""
        return float(self.found.value)

    @property
    def bound(self) -> float:
        """What is proved there, rounded up: no more than was asked for."""
        return self.found.size

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang check --solve-for --json`."""
        found = self.found
        return {
            "spec": self.algorithm,
            "solve_for": found.name,
            "target": found.target.text,
            "value": _decimal(found.value),
            "bound": found.size,
            "rule": found.derivation.rule,
            "cite": found.derivation.cite,
            "not_proved_at": None if found.missed is None else _decimal(found.missed),
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row: the parameter, its value, the bound there, and the rule."""
        return [{**self.to_dict(), "value": self.value}]


def _decimal(value: Fraction) -> str:
    """Exact for values that are short decimals, else 12 digits."""
    return str(int(value)) if value.denominator == 1 else f"{float(value):.12g}"
