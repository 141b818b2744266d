"""The outcome of many runs: their tally, and the runs themselves for who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.montecarlo.chunks import Chunk, joined
from seqlang.backends.montecarlo.tally import Tally
from seqlang.backends.montecarlo.until import Until
from seqlang.record import record


class Runs:
    """`count` runs in order: the last of them `kept` in memory, and before these those that `again(end)` computes once
    more from the seed, up to run number `end`."""

    def __init__(self, count: int, kept: Sequence[Chunk], again: Callable[[int], Iterator[Chunk]]) -> None:
        self.count = count
        self.kept = tuple(kept)
        self.again = again
        self._whole: Chunk | None = None

    def chunks(self) -> Iterator[Chunk]:
        """In parts, so that memory holds one at a time."""
        missing = self.kept[0].first if self.kept else self.count
        if missing:
            yield from self.again(missing)
        yield from self.kept

    def whole(self) -> Chunk:
        """All at once: as much memory as the runs need. Made when it is first asked for."""
        if self._whole is None:
            self._whole = joined(list(self.chunks()))
        return self._whole


@record
class Samples:
    """`tally` is what is known of all runs together. Single runs: `rows()`, and arrays with one entry a run, the runs
    last, as in `Chunk`. Where there are more runs than are kept, both compute them again, and the arrays take the
    memory of all. `steps` is the stopping step, or the step at which an unstopped run was left (the cap, or where an
    interrupt found it). `seconds` are all that it took, the first `preparing` of them before there was a run: a kernel
    was compiled, or read from the cache."""

    algorithm: str
    model: str
    seed: int
    cap: int | None
    interrupted: bool
    engine: str
    why_interpreted: str | None
    seconds: float
    preparing: float
    tally: Tally
    all_runs: Runs
    until: Until | None = None

    @property
    def runs(self) -> int:
        return self.tally.runs

    @property
    def steps_per_second(self) -> float:
        """Of the time in which runs were made."""
        running = self.seconds - self.preparing
        return self.tally.made.total / running if running > 0 else 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        return self.tally.labels

    @property
    def unstopped(self) -> int:
        return self.tally.unstopped

    @property
    def steps(self) -> NDArray[Any]:
        return self.all_runs.whole().steps

    @property
    def codes(self) -> NDArray[Any]:
        return self.all_runs.whole().codes

    @property
    def values(self) -> NDArray[Any] | None:
        return self.all_runs.whole().values

    @property
    def statistics(self) -> Mapping[str, NDArray[Any]]:
        return self.all_runs.whole().statistics

    @property
    def reports(self) -> Mapping[str, NDArray[Any]]:
        return self.all_runs.whole().reports

    @property
    def released(self) -> Mapping[str, NDArray[Any]]:
        return self.all_runs.whole().released

    def returned(self, run: int) -> Any:
        """What run number `run` returned: a label, a number, a tuple of numbers, or None."""
        return self._returned(self.all_runs.whole(), run)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a run: run, model, steps, stopped, return, every scalar statistic, and the number of each report."""
        for chunk in self.all_runs.chunks():
            yield from self._rows(chunk)

    def _rows(self, chunk: Chunk) -> Iterator[dict[str, Any]]:
        names = self.tally.statistics
        scalar = {name: v for name, v in chunk.statistics.items() if v.ndim == 1}
        absent = {name: float("nan") for name, m in names.items() if not m.mean.ndim and name not in chunk.statistics}
        for i in range(chunk.count):
            yield {
                "run": chunk.first + i,
                "model": self.model,
                "steps": int(chunk.steps[i]),
                "stopped": bool(chunk.codes[i] != UNSTOPPED),
                "return": self._returned(chunk, i),
                **{name: float(v[i]) for name, v in scalar.items()},
                **absent,
                **{name: int(v[i]) for name, v in chunk.reports.items()},
            }

    def _returned(self, chunk: Chunk, i: int) -> Any:
        """A label, a number, a tuple of numbers, or None."""
        code = int(chunk.codes[i])
        if code >= 0:
            return self.labels[code]
        if code == UNSTOPPED or chunk.values is None:
            return None
        value = chunk.values[..., i]
        if np.isnan(value).any():
            return None
        return tuple(value.tolist()) if value.ndim else value.item()

    def summary(self) -> dict[str, Any]:
        """What `run --json` shows of the runs."""
        found = self.tally.summary()
        last = {key: found.pop(key) for key in ("return_value",) if key in found}
        return {
            "model": self.model,
            "runs": self.runs,
            "seed": self.seed,
            "cap": self.cap,
            **found,
            "seconds": self.seconds,
            "steps_per_second": self.steps_per_second,
            "seconds_preparing": self.preparing,
            "engine": self.engine,
            **last,
            **({} if self.until is None else {"until_ci": self.until.to_dict()}),
            **({"interrupted": True} if self.interrupted else {}),
        }
