"""The value of a parameter that just proves a privacy target."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.analyses.calibrate import Calibrated


@record
class Calibration:
    """`found.derivation` proves the target at `found.value`."""

    algorithm: str
    found: Calibrated

    @property
    def value(self) -> float:
        """Of the parameter; `found.value` is exact."""
        return float(self.found.value)

    @property
    def bound(self) -> float:
        """What is proved there, rounded up: no more than was asked for."""
        return self.found.size

    def to_dict(self) -> dict[str, object]:
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

    def __str__(self) -> str:
        found = self.found
        side = "smallest" if found.raised else "largest"
        lines = [
            f"{self.algorithm}  {found.name} = {_decimal(found.value)}",
            f"  the {side} {found.name} found that proves {found.target.text}: the bound there is {found.size:.9g}",
            f"  by {found.derivation.rule} ({found.derivation.cite})",
        ]
        if found.missed is not None:
            lines.append(f"  not proved at {found.name} = {_decimal(found.missed)}")
        return "\n".join(lines)


def _decimal(value: Fraction) -> str:
    """Exact for values that are short decimals, else 12 digits."""
    return str(int(value)) if value.denominator == 1 else f"{float(value):.12g}"
