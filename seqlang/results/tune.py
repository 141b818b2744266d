"""Parameters of a spec at which its claims are proved and an objective is least."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.proof.verdict import VerdictWord
from seqlang.record import record
from seqlang.results.json_number import json_number
from seqlang.shown import Shown

Interval = tuple[float, float]


@record
class TunedClaim:
    """A claim at the values found, as `check` decides it. `expect`: the verdict that the spec expects, if not proved:
    such a claim is no constraint. `binds`: it is met with nothing to spare, or missed."""

    text: str
    verdict: VerdictWord
    because: str
    expect: str | None
    binds: bool


@record
class TuneResult(Shown):
    """`parameters`: the free ones, exact. `before` and `after` are intervals that hold the objective where the search
    began, and at these values; `proved_before`: all claims were proved there. `found`: every claim that should be
    proved is; else these values are the nearest to it that were tried. `cut_short`: what ended the search before its
    end. `spec`: the text with these values as defaults."""

    shown_by = "text.tune:tune_blocks"
    algorithm: str
    parameters: Mapping[str, Fraction]
    minimised: str
    before: Interval
    after: Interval
    proved_before: bool
    found: bool
    claims: tuple[TunedClaim, ...]
    evaluations: int
    seconds: float
    cut_short: str | None
    spec: str

    @property
    def summary(self) -> str:
        values = ", ".join(f"{name} = {float(value):.6g}" for name, value in self.parameters.items())
        return f"{self.algorithm}: {values}{'' if self.found else ' (some claim is not proved)'}"

    def frame(self) -> list[dict[str, Any]]:
        """One row a claim, as `check` decides it at the values found."""
        return [
            {"claim": c.text, "verdict": c.verdict, "because": c.because, "expect": c.expect, "binds": c.binds}
            for c in self.claims
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang design FILE --free .. --json`, schema 1."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "found": self.found,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            "minimised": self.minimised,
            "objective": {
                "before": [json_number(end) for end in self.before],
                "after": [json_number(end) for end in self.after],
                "proved_before": self.proved_before,
            },
            "claims": self.frame(),
            "evaluations": self.evaluations,
            "cut_short": self.cut_short,
            "seconds": self.seconds,
            "spec": self.spec,
        }
