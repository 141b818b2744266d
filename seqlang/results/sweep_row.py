"""One cell of a sweep under one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlang.record import record
from seqlang.results.json_number import json_number
from seqlang.results.z_scores import return_scores, steps_score

Plain = dict[str, Any]


@record
class SweepRow:
    """`run` and `exact` are the JSON objects of `seqlang run` and `seqlang solve` (None: not asked for, or not done);
    `unsolved` says why there is no exact law."""

    parameters: Mapping[str, float]
    model: str
    run: Plain | None
    exact: Plain | None = None
    unsolved: str | None = None

    def to_dict(self) -> Plain:
        """That of the simulation; beside it, where it was asked for, the exact law as `exact`, and `z`, how far the
        estimates are from it in standard errors. Without a simulation that of the exact law alone."""
        if self.run is None:
            return dict(self.exact or {})
        found = dict(self.run)
        if self.exact is not None:
            found["exact"] = self.exact
            scores = {name: json_number(z) for name, z in return_scores(self.run, self.exact).items()}
            found["z"] = {"steps": json_number(steps_score(self.run, self.exact)), "returns": scores}
        elif self.unsolved is not None:
            found |= {"exact": None, "exact_why_not": self.unsolved}
        return found
