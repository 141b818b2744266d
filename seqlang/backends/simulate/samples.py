"""The outcome of many runs, and its summary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.simulate.record import UNSTOPPED
from seqlang.record import record

Z95 = 1.959963984540054
QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
MOST_VALUES = 50
"""A returned number with at most this many different values is tabulated like a label."""


@record
class Samples:
    """One entry a run in every array. `steps` is the stopping step, or the step at which an unstopped run was left (the
    cap, or where an interrupt found it). `codes[i]` is the place of the returned label in `labels`, or negative;
    `values` (.., runs) are returned numbers (NaN: none). Statistics have their last values (NaN: never computed),
    `reports` their numbers, and `released` the values that reports released last (NaN: none)."""

    algorithm: str
    model: str
    runs: int
    seed: int
    cap: int | None
    interrupted: bool
    engine: str
    why_interpreted: str | None
    seconds: float
    steps: NDArray[np.int64]
    codes: NDArray[np.int64]
    labels: tuple[str, ...]
    values: NDArray[Any] | None
    statistics: Mapping[str, NDArray[Any]]
    reports: Mapping[str, NDArray[np.int64]]
    released: Mapping[str, NDArray[Any]]

    @property
    def unstopped(self) -> int:
        return int(np.count_nonzero(self.codes == UNSTOPPED))

    def returned(self, run: int) -> Any:
        """What run number `run` returned: a label, a number, a tuple of numbers, or None."""
        code = int(self.codes[run])
        if code >= 0:
            return self.labels[code]
        if code == UNSTOPPED or self.values is None:
            return None
        value = self.values[..., run].tolist()
        return tuple(value) if isinstance(value, list) else None if value != value else value

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a run: run, model, steps, stopped, return, every scalar statistic, and the number of each report."""
        scalar = {name: v for name, v in self.statistics.items() if v.ndim == 1}
        for i in range(self.runs):
            yield {
                "run": i,
                "model": self.model,
                "steps": int(self.steps[i]),
                "stopped": bool(self.codes[i] != UNSTOPPED),
                "return": self.returned(i),
                **{name: float(v[i]) for name, v in scalar.items()},
                **{name: int(v[i]) for name, v in self.reports.items()},
            }

    def summary(self) -> dict[str, Any]:
        """What `run --json` shows of the runs. Unstopped runs count with the steps they made, never silently: see
        `unstopped`."""
        total = int(self.steps.sum())
        summary: dict[str, Any] = {
            "model": self.model,
            "runs": self.runs,
            "seed": self.seed,
            "cap": self.cap,
            "unstopped": self.unstopped,
            "steps": _steps(self.steps),
            "returns": self._returns(),
            "reports": {name: self._report(name) for name in self.reports},
            "statistics": {name: _moments(v) for name, v in self.statistics.items()},
            "seconds": self.seconds,
            "steps_per_second": total / self.seconds if self.seconds > 0 else 0.0,
            "engine": self.engine,
        }
        numbers = self._numbers()
        if numbers is not None:
            summary["return_value"] = _moments(numbers)
            if summary["return_value"] is not None and numbers.ndim == 1:
                summary["return_value"] |= _spread(numbers[~np.isnan(numbers)])
        if self.interrupted:
            summary["interrupted"] = True
        return summary

    def _report(self, name: str) -> dict[str, Any]:
        last = {"last_value": _moments(self.released[name])} if name in self.released else {}
        return {**_report(self.reports[name]), **last}

    def _numbers(self) -> NDArray[Any] | None:
        return None if self.values is None else self.values

    def _returns(self) -> dict[str, dict[str, Any]]:
        counts = {name: int(np.count_nonzero(self.codes == i)) for i, name in enumerate(self.labels)}
        if self.values is not None and self.values.ndim == 1:
            numbers = self.values[~np.isnan(self.values)]
            found, times = np.unique(numbers, return_counts=True)
            if len(found) <= MOST_VALUES:
                counts |= {f"{v:.10g}": int(k) for v, k in zip(found, times, strict=True)}
        return {name: {"probability": k / self.runs, "ci95": list(wilson(k, self.runs))} for name, k in counts.items()}


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a probability (Wilson 1927): sensible for 0 successes too."""
    p, n = successes / trials, trials
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == trials else min(1.0, centre + half)


def _steps(steps: NDArray[np.int64]) -> dict[str, Any]:
    n = len(steps)
    sd = float(steps.std(ddof=1)) if n > 1 else 0.0
    marks = np.quantile(steps, [float(q) for q in QUANTILES], method="inverted_cdf")
    return {
        "mean": float(steps.mean()),
        "se": sd / math.sqrt(n),
        "sd": sd,
        "min": int(steps.min()),
        "quantiles": {q: int(v) for q, v in zip(QUANTILES, marks, strict=True)},
        "max": int(steps.max()),
    }


def _report(counts: NDArray[np.int64]) -> dict[str, float]:
    n = len(counts)
    sd = float(counts.std(ddof=1)) if n > 1 else 0.0
    return {
        "mean": float(counts.mean()),
        "se": sd / math.sqrt(n),
        "probability": float(np.count_nonzero(counts) / n),
    }


def _moments(values: NDArray[Any]) -> dict[str, Any] | None:
    """Mean and standard error over the runs that have a value; lists for a vector; None if no run has one."""
    there = ~np.isnan(values.reshape(-1, values.shape[-1])).any(axis=0)
    n = int(np.count_nonzero(there))
    if n == 0:
        return None
    some = values[..., there]
    mean = some.mean(axis=-1)
    with np.errstate(invalid="ignore"):
        se = some.std(axis=-1, ddof=1) / math.sqrt(n) if n > 1 else np.zeros_like(mean)
    return {"mean": _plain(mean), "se": _plain(se)}


def _spread(numbers: NDArray[Any]) -> dict[str, Any]:
    """Standard deviation, ends and quantiles of returned numbers."""
    marks = np.quantile(numbers, [float(q) for q in QUANTILES], method="inverted_cdf")
    with np.errstate(invalid="ignore"):
        sd = numbers.std(ddof=1) if len(numbers) > 1 else 0.0
    found = {"sd": sd, "min": numbers.min(), "max": numbers.max()}
    return {
        **{name: _plain(v) for name, v in found.items()},
        "quantiles": {q: _plain(v) for q, v in zip(QUANTILES, marks, strict=True)},
    }


def _plain(value: Any) -> Any:
    """For JSON: floats, lists of them, `inf` as text, and null for what is not a number."""
    if np.ndim(value):
        return [_plain(v) for v in value]
    number = float(value)
    if number != number:
        return None
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
