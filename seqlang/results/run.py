"""What a simulation under one model found, and what one run on real data did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlang.backends.interpret.data import DataRun
from seqlang.backends.montecarlo.samples import Samples
from seqlang.record import field, record
from seqlang.results.json_number import json_number
from seqlang.results.origin import Origin
from seqlang.results.results import OneOfSeveral
from seqlang.shown import Drawn, Shown


@record
class RunResult(Drawn, OneOfSeveral):
    """`parameters` are the values of this cell of a sweep; `samples` is what the runs found."""

    shown_by = "text.run:run_blocks"
    drawn_by = "pictures.simulation:plot_runs"
    command = "run"
    algorithm: str
    parameters: Mapping[str, float]
    samples: Samples
    origin: Origin | None = field(default=None, compare=False)

    @property
    def summary(self) -> str:
        tally = self.samples.tally
        shares = [f"{name} {p:.4g}" for name, p in self.returns.items()]
        return f"{self.algorithm} under {self.model}: {', '.join([*shares, f'{tally.made.mean:.5g} steps'])} on average"

    @property
    def returns(self) -> dict[str, float]:
        """Label -> the part of the runs that returned it."""
        found: dict[str, Any] = self.samples.summary()["returns"]
        return {name: float(share["probability"]) for name, share in found.items()}

    @property
    def model(self) -> str:
        """The model that the data came from."""
        return self.samples.model

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang run --json`, schema 1."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            **_with_errors(self.samples),
            "metrics": {},
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a run: run, model, steps, stopped, return, statistics, reports; `pandas.DataFrame(result.frame())`
        makes a data frame of it. Of very many runs `samples.rows()` gives the same one by one."""
        return list(self.samples.rows())


def _with_errors(samples: Samples) -> dict[str, Any]:
    """The summary; null are standard errors and deviations of what a single run has, about which it tells nothing."""
    found, tally = samples.summary(), samples.tally
    statistics = {name: _told(s, tally.statistics[name].count) for name, s in found["statistics"].items()}
    reports = {name: _told(r, tally.runs) for name, r in found["reports"].items()}
    for name, r in reports.items():
        if "last_value" in r:
            reports[name] = {**r, "last_value": _told(r["last_value"], tally.released[name].count)}
    found |= {"steps": _told(found["steps"], tally.runs), "statistics": statistics, "reports": reports}
    if tally.values is not None:
        found["return_value"] = _told(found["return_value"], tally.values.count)
    return found


def _told(moments: Any, count: int) -> Any:
    """`moments` of so many runs."""
    if moments is None or count > 1:
        return moments
    return {name: _nulls(value) if name in ("se", "sd") else value for name, value in moments.items()}


def _nulls(value: Any) -> Any:
    return [_nulls(v) for v in value] if isinstance(value, list) else None


@record
class DataResult(Shown):
    """One run of a spec on a real stream."""

    shown_by = "text.run:data_blocks"
    algorithm: str
    file: str
    run: DataRun

    @property
    def summary(self) -> str:
        end = f"stopped at step {self.run.step}" if self.run.stopped else f"not stopped after {self.run.step} steps"
        return f"{self.algorithm} on {self.file}: {end}"

    def frame(self) -> list[dict[str, Any]]:
        """One row a report: step, report, value (True for an event)."""
        return [{"step": step, "report": name, "value": value} for step, name, value in self.run.reports]

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang run --data --json`."""
        return {"schema": 1, "algorithm": self.algorithm, "file": self.file, **self.run.to_dict()}
