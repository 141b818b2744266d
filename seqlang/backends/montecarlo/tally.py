"""What is known of many runs: counts, moments and histograms, whatever their number, and nothing of a single run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.montecarlo import histogram, moments
from seqlang.backends.montecarlo.chunks import Chunk, Part
from seqlang.backends.montecarlo.counted import Counted
from seqlang.backends.montecarlo.histogram import BIN, Histogram
from seqlang.backends.montecarlo.interval import wilson
from seqlang.backends.montecarlo.moments import Moments, Whole
from seqlang.model.print import names_of
from seqlang.record import record

QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
MOST_VALUES = 50
"""A returned number with at most this many different values is tabulated like a label."""

T = TypeVar("T")


@record
class Tally:
    """The runs' number is `runs`. `steps` counts stopping steps (of unstopped runs: the steps made) by kind of end: 0
    unstopped, 1 stopped without a label, 2 + i returned `labels[i]`; `made` has their exact moments. `statistics` are
    last values, `reports` how often each was made, `released` what was released last, `values` returned numbers
    (None: none), `numbers` their histogram where they are no vectors."""

    labels: tuple[str, ...]
    steps: Histogram
    made: Whole
    statistics: Mapping[str, Moments]
    reports: Mapping[str, Whole]
    released: Mapping[str, Moments]
    values: Moments | None
    numbers: Histogram | None
    ends: tuple[float, float, float, float]  # least and most steps, least and largest returned number (NaN: none)

    @staticmethod
    def of(part: Part, labels: tuple[str, ...], before: Tally | None = None) -> Tally:
        """Of some successive runs (at least one). `before` is what it will be merged with, if that is known: it is
        faster then, and gives the same."""
        steps, made, few, many = lengths(part, 2 + len(labels))
        released = {name: moments.moments_of(v) for name, v in part.released.items()}
        values = None if part.values is None else moments.moments_of(part.values)
        some = _numbers(part.values, values)
        low, high = (float(some.min()), float(some.max())) if len(some) else (math.nan, math.nan)
        if isinstance(part, Counted):
            reports = dict(part.reports)
        else:
            reports = {name: moments.whole_of(v) for name, v in part.reports.items()}
        return Tally(
            labels=labels,
            steps=steps,
            made=made,
            statistics={name: moments.moments_of(v) for name, v in part.statistics.items()},
            reports=reports,
            released={name: found for name, found in released.items() if found.count},
            values=values if values is not None and values.count else None,
            numbers=histogram.of_values(some, None if before is None else before.numbers) if len(some) else None,
            ends=(few, many, low, high),
        )

    @property
    def runs(self) -> int:
        return self.made.runs

    @property
    def unstopped(self) -> int:
        return int(self.steps.kinds[0])

    def counts(self) -> dict[str, int]:
        """How many runs returned each label, and each number where these are few."""
        found = dict(zip(self.labels, self.steps.kinds[2:].tolist(), strict=True))
        if self.numbers is not None and not self.numbers.coarse and len(self.numbers.at) <= MOST_VALUES:
            names = names_of(self.numbers.at.tolist())
            for value, times in zip(self.numbers.at.tolist(), self.numbers.counts[:, 0].tolist(), strict=True):
                name = names[value]
                found[name] = found.get(name, 0) + times
        return found

    def summary(self) -> dict[str, Any]:
        """The part of `run --json` that tells of the runs. Unstopped runs count with the steps they made, never
        silently: see `unstopped`. Where values were put into bins, "quantiles_within" tells how wide these are."""
        found: dict[str, Any] = {
            "unstopped": self.unstopped,
            "steps": self._steps(),
            "returns": {
                name: {"probability": k / self.runs, "ci95": list(wilson(k, self.runs))}
                for name, k in self.counts().items()
            },
            "reports": {name: self._report(name) for name in self.reports},
            "statistics": {name: _mean(v) for name, v in self.statistics.items()},
        }
        if self.values is not None:
            found["return_value"] = {**(_mean(self.values) or {}), **self._spread()}
        return found

    def _steps(self) -> dict[str, Any]:
        return {
            "mean": self.made.mean,
            "se": self.made.se,
            "sd": self.made.sd,
            "min": int(self.ends[0]),
            "quantiles": {q: int(self.steps.quantile(Fraction(q))) for q in QUANTILES},
            "max": int(self.ends[1]),
            **_within(self.steps),
        }

    def _report(self, name: str) -> dict[str, Any]:
        made = self.reports[name]
        last = {"last_value": _mean(self.released[name])} if name in self.released else {}
        return {"mean": made.mean, "se": made.se, "probability": made.some / made.runs, **last}

    def _spread(self) -> dict[str, Any]:
        """Standard deviation, ends and quantiles of returned numbers."""
        if self.values is None or self.numbers is None:
            return {}
        return {
            "sd": _plain(self.values.sd),
            "min": _plain(self.ends[2]),
            "max": _plain(self.ends[3]),
            "quantiles": {q: _plain(self.numbers.quantile(Fraction(q))) for q in QUANTILES},
            **_within(self.numbers),
        }


def merged(first: Tally, second: Tally) -> Tally:
    """Of the runs of both. Means depend on the order of merging in their last digit, so it is that of the runs."""
    a, b = first.ends, second.ends
    return Tally(
        labels=first.labels,
        steps=histogram.merged(first.steps, second.steps),
        made=moments.added(first.made, second.made),
        statistics=_together(first.statistics, second.statistics, moments.merged),
        reports=_together(first.reports, second.reports, moments.added),
        released=_together(first.released, second.released, moments.merged),
        values=_either(first.values, second.values, moments.merged),
        numbers=_either(first.numbers, second.numbers, histogram.merged),
        ends=(min(a[0], b[0]), max(a[1], b[1]), float(np.fmin(a[2], b[2])), float(np.fmax(a[3], b[3]))),
    )


def _numbers(values: NDArray[Any] | None, found: Moments | None) -> NDArray[Any]:
    """The returned numbers, if they are no vectors."""
    if values is None or found is None or values.ndim > 1:
        return np.empty(0)
    return values if found.count == len(values) else moments.present(values)


def lengths(part: Part, kinds: int) -> tuple[Histogram, Whole, float, float]:
    """The steps, their moments, the fewest and the most."""
    if isinstance(part, Chunk):
        return _of_each(part.steps, part.codes, kinds)
    _, steps, codes = part.apart
    if not part.ends.any():
        return _of_each(steps, codes, kinds)
    table = histogram.of_counts(part.ends)
    found = table, _made(table), float(table.at[0]), float(table.at[-1])
    if not len(steps):
        return found
    others, made, few, many = _of_each(steps, codes, kinds)
    return histogram.merged(table, others), moments.added(found[1], made), min(found[2], few), max(found[3], many)


def _of_each(steps: NDArray[np.int64], codes: NDArray[np.int64], kinds: int) -> tuple[Histogram, Whole, float, float]:
    found = histogram.of_steps(steps, codes, kinds, UNSTOPPED)
    if found.coarse:
        return found, moments.whole_of(steps), float(steps.min()), float(steps.max())
    return found, _made(found), float(found.at[0]), float(found.at[-1])


def _made(steps: Histogram) -> Whole:
    """Of steps that are not in bins; there are fewer of these than runs."""
    return moments.whole_of(steps.at.astype(np.int64), steps.counts.sum(axis=1))


def _together(first: Mapping[str, T], second: Mapping[str, T], both: Callable[[T, T], T]) -> dict[str, T]:
    names = dict.fromkeys((*first, *second))
    found = {name: _either(first.get(name), second.get(name), both) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _either(first: T | None, second: T | None, both: Callable[[T, T], T]) -> T | None:
    if first is None or second is None:
        return first if second is None else second
    return both(first, second)


def _within(found: Histogram) -> dict[str, float]:
    return {"quantiles_within": BIN} if found.coarse else {}


def _mean(found: Moments) -> dict[str, Any] | None:
    """Mean and standard error over the runs that have a value; lists for a vector; None if no run has one."""
    return {"mean": _plain(found.mean), "se": _plain(found.se)} if found.count else None


def _plain(value: Any) -> Any:
    """For JSON: floats, lists of them, `inf` as text, and null for what is not a number."""
    if np.ndim(value):
        return [_plain(v) for v in value]
    number = float(value)
    if number != number:
        return None
    return number if math.isfinite(number) else "inf" if number > 0 else "-inf"
