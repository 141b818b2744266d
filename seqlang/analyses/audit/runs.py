"""Runs on a fixed input, and what they show: the last step, what was returned, how often each report came."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.analyses.witnesses.neighbours import fields_of, rows_of
from seqlang.model import expression as e
from seqlang.model.program import Model, Program
from seqlang.process.time_limit import poll
from seqlang.proof.entry import Entry
from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.backends.montecarlo.samples import Samples


@record
class Sight:
    """A set of what runs show. `steps`: the last step lies in between; `stopped`: whether the run stopped at all (None:
    either); `result`: the place of a returned label; `value`: the returned number lies in between (ends included);
    `reports`: so many reports of that name."""

    steps: tuple[int, int]
    stopped: bool | None = None
    result: int | None = None
    value: tuple[float, float] | None = None
    reports: tuple[str, int] | None = None


def fixed(program: Program, stream: Sequence[Entry]) -> Model:
    """A model that gives this input, entry by entry (record by record), with certainty."""
    rows = rows_of(program, stream)
    laws = []
    for name in fields_of(program):
        values = [row[name] for row in rows]
        same = all(v == values[0] for v in values)
        listed = e.Sequence("list", tuple(_written(v) for v in values))
        value = _written(values[0]) if same else e.Index(listed, e.StepNumber())
        laws.append((name, e.Law("point", (value,))))
    return Model("fixed", tuple(laws))


def _written(value: Any) -> e.Expression:
    if isinstance(value, tuple):
        return e.Sequence("list", tuple(map(_written, value)))
    return e.Number(Fraction(value))


def sample(program: Program, stream: Sequence[Entry], runs: int, seed: int) -> Samples:
    """Independent runs, each up to its stop or the end of the stream. Raises SpecError; KeyboardInterrupt where it was
    interrupted: of fewer runs, some of which were broken off, no chance may be taken."""
    from seqlang.backends.montecarlo.simulate import simulate

    streams = any(i.kind != "dataset" for i in program.inputs)
    cap = len(stream) if streams else 1
    found = simulate(program, fixed(program, stream), runs=runs, seed=seed, cap=cap, keep=runs)
    if found.interrupted:
        poll()
        raise KeyboardInterrupt
    return found


def seen(samples: Samples, sight: Sight) -> Any:
    """Which runs show it: an array of truths, one a run."""
    import numpy as np

    unstopped = samples.codes == _unstopped()
    found = (samples.steps >= sight.steps[0]) & (samples.steps <= sight.steps[1])
    if sight.stopped is not None:
        found &= ~unstopped if sight.stopped else unstopped
    if sight.result is not None:
        found &= samples.codes == sight.result
    if sight.value is not None:
        values = np.full(samples.runs, np.nan) if samples.values is None else samples.values
        found &= (values >= sight.value[0]) & (values <= sight.value[1])
    if sight.reports is not None:
        found &= samples.reports[sight.reports[0]] == sight.reports[1]
    return found


def _unstopped() -> int:
    from seqlang.backends.arrays.record import UNSTOPPED

    return int(UNSTOPPED)
