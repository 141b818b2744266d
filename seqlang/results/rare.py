"""The chances of rare returns under one model, estimated by weighted runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seqlang.record import record
from seqlang.results.json_number import json_number
from seqlang.results.results import OneOfSeveral

if TYPE_CHECKING:
    from seqlang.backends.rare import Estimate


@record
class RareResult(OneOfSeveral):
    """`rare`: one estimate a return that was asked for."""

    shown_by = "text.rare:rare_blocks"
    command = "rare"
    algorithm: str
    model: str
    parameters: Mapping[str, float]
    rare: tuple[Estimate, ...]

    @property
    def trusted(self) -> bool:
        """Whether no check of any estimate failed."""
        return all(e.trusted for e in self.rare)

    @property
    def summary(self) -> str:
        chances = ", ".join(f"{e.label} {e.probability:.4g}{'' if e.trusted else ' (not trusted)'}" for e in self.rare)
        return f"{self.algorithm} under {self.model}: {chances}"

    def frame(self) -> list[dict[str, Any]]:
        """One row a return: its chance, standard error, 95 % interval, and whether that is trusted."""
        return [
            {
                "model": self.model, "return": e.label, "probability": e.probability, "se": e.se, "low": e.interval[0],
                "high": e.interval[1], "trusted": e.trusted,
            }
            for e in self.rare
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang run --rare --json`, schema 1."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "model": self.model,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            "rare": {e.label: _object(e) for e in self.rare},
        }


def _object(e: Estimate) -> dict[str, Any]:
    return {
        "probability": e.probability,
        "se": e.se,
        "relative_error": json_number(e.relative_error),
        "ci95": list(e.interval),
        "ess": e.effective,
        "largest_share": e.largest_share,
        "left_over": e.left_over,
        "method": e.method,
        "runs": e.runs,
        "seed": e.seed,
        "cap": e.cap,
        "trusted": e.trusted,
        "warnings": list(e.warnings),
        "seconds": round(e.seconds, 6),
    }
