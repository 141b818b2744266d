"""What training on real rows came to: one spec, all its permutations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from seqlang.backends.train import METRICS, Trained
from seqlang.record import field, record
from seqlang.results.json_number import json_number
from seqlang.results.origin import Origin
from seqlang.results.results import OneOfSeveral
from seqlang.shown import Drawn, by_report

RANGES = {name: (-1.0 if name == "mcc" else 0.0, 1.0) for name in METRICS}
"""Between which numbers a score lies."""


@record
class TrainResult(Drawn, OneOfSeveral):
    """`run` holds every permutation: `run.scores.accuracy` is (checkpoints, runs). `variant` is "as written", or
    "without noise" for the twin. `predict` and `truth` are the conditions that were asked of the rows held out."""

    drawn_by = "pictures.training:plot_curves"
    command = "train"
    named_by = "variant"
    together = "text.train:train_document"
    algorithm: str
    parameters: Mapping[str, float]
    file: str
    rows: int
    test: str | None
    test_rows: int
    predict: str | None
    truth: str | None
    permutations: int | None
    seed: int
    run: Trained
    origin: Origin | None = field(default=None, compare=False)

    @property
    def summary(self) -> str:
        found = self.metrics.get("accuracy", {}).get("mean")
        scored = "" if found is None else f": accuracy {found:.4g} on {self.test_rows} rows held out"
        return f"{self.algorithm} {self.variant} on {self.file}{scored}"

    @property
    def variant(self) -> str:
        """Which of the programs this is."""
        return self.run.name

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Name -> mean, sd, se, ci95, n at the end, over the permutations; {} if no rows were held out."""
        scores = self.run.scores
        return {} if scores is None else {name: spread(v[-1], RANGES[name]) for name, v in scores.all().items()}

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The same at every checkpoint, with the means of the tracked statistics."""
        scores = {} if self.run.scores is None else self.run.scores.all()
        return [
            {
                "step": step,
                "metrics": {name: spread(v[c], RANGES[name]) for name, v in scores.items()},
                "tracked": {name: spread(v[c]) for name, v in self.run.tracked.items()},
            }
            for c, step in enumerate(self.run.checkpoints)
        ]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of `seqlang run --data --test --json`, schema 1."""
        run = self.run
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "variant": self.variant,
            "file": self.file,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            "rows": self.rows,
            "test": self.test,
            "test_rows": self.test_rows,
            "predict": self.predict,
            "truth": self.truth,
            "permutations": self.permutations,
            "runs": len(run.steps),
            "seed": self.seed,
            "unstopped": int((~run.stopped).sum()),
            "steps": spread(run.steps),
            "reports": {name: spread(v) for name, v in run.reports.items()},
            "metrics": self.metrics,
            "curve": self.curve,
            "engine": run.engine,
            "seconds": run.seconds,
            "rows_per_second": run.rows_per_second,
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a run and checkpoint, for `pandas.DataFrame(result.frame())`."""
        scores = {} if self.run.scores is None else self.run.scores.all()
        values = {**scores, **self.run.tracked}
        return [
            {
                "variant": self.variant,
                "run": i,
                "step": step,
                **{name: _plain(v[c, i]) for name, v in values.items()},
            }
            for i in range(len(self.run.steps))
            for c, step in enumerate(self.run.checkpoints)
        ]

    def document(self) -> Any:
        """The report of this one alone."""
        return by_report("text.train:train_document", (self,))


def spread(values: Any, range: tuple[float, float] = (-math.inf, math.inf)) -> dict[str, Any]:
    """Mean, standard deviation, standard error and Student's 95 % interval of the mean with n - 1 degrees of freedom,
    cut to the range that the values can have; null where there is none. `n` numbers were there."""
    numbers = [float(v) for v in values if v == v]
    n = len(numbers)
    if n == 0:
        return {"mean": None, "sd": None, "se": None, "ci95": None, "n": 0}
    mean = math.fsum(numbers) / n
    if n == 1:
        return {"mean": mean, "sd": None, "se": None, "ci95": None, "n": 1}
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in numbers) / (n - 1))
    se = sd / math.sqrt(n)
    half = _student(n - 1) * se
    ends = [max(range[0], mean - half), min(range[1], mean + half)]
    return {"mean": mean, "sd": sd, "se": se, "ci95": ends, "n": n}


def _student(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def _plain(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
