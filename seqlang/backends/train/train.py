"""A program and its twins on the same rows: runs in several orders, checkpoints, scores on rows held out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.values import EvaluationError, Value
from seqlang.backends.simulate.arrays import CannotVectorise
from seqlang.backends.train.lanes import Lanes, orders_of
from seqlang.backends.train.predict import Predictor
from seqlang.backends.train.rows import Rows
from seqlang.backends.train.scores import Scores
from seqlang.backends.train.slowly import interpreted
from seqlang.backends.train.stretches import RUNS, Stretches, quiet_between_events
from seqlang.model import expression as ir
from seqlang.model.program import Program, Stop
from seqlang.record import record

Array = NDArray[Any]
LARGEST = 1 << 24
"""Places of rows (runs times steps) that are held at once."""

Tell = Callable[[str, int, int], None]
"""(what is being done, how much is done, of how much)"""


@record
class Training:
    """One program to be trained; `tracked` are statistics that are written down at the checkpoints; `predicted` and
    `truth` are conditions on a row held out (None: nothing is scored)."""

    name: str
    program: Program
    tracked: tuple[str, ...] = ()
    predicted: ir.Expression | None = None
    truth: ir.Expression | None = None


@record
class Trained:
    """`steps` and `stopped` have one entry a run; at checkpoint c (after step `checkpoints[c]`, or at the stop if that
    was earlier) `memories[name][c]` is (.., runs), `tracked[name][c]` and the counts of `scores` are (runs,).

    `engine` is "numpy" or "interpreter" (and `why_interpreted`); `seconds` are those of the training alone."""

    name: str
    steps: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    checkpoints: tuple[int, ...]
    memories: Mapping[str, Array]
    tracked: Mapping[str, Array]
    reports: Mapping[str, Array]
    scores: Scores | None
    engine: str
    why_interpreted: str | None
    seconds: float

    @property
    def rows_per_second(self) -> float:
        """Rows read by all runs, a second."""
        return float(self.steps.sum()) / self.seconds if self.seconds > 0 else 0.0


def train(
    trainings: Sequence[Training],
    rows: Rows,
    held_out: Rows | None,
    *,
    permutations: int | None,
    seed: int,
    checkpoints: int = 1,
    cap: int | None = None,
    tell: Tell | None = None,
) -> tuple[Trained, ...]:
    """Every program on the same rows: once in their order, or in `permutations` random orders (the same for all).

    A stream takes one row a step; if the rows end first, the run has not stopped, and what it had begun (a batch that
    is not full) has no effect. A dataset is all rows at once. `checkpoints` are that many steps, evenly spaced to the
    last. Raises SpecError E0618 for a wrong size, E0620 where an expression has no value, E0628 for a prediction.
    """
    found = []
    for training in trainings:
        predictor = None
        if held_out is not None and training.predicted is not None and training.truth is not None:
            predictor = Predictor(training.program, training.predicted, training.truth)
        found.append(_trained(training, rows, held_out, predictor, permutations, seed, checkpoints, cap, tell))
    return tuple(found)


def _trained(
    training: Training,
    rows: Rows,
    held_out: Rows | None,
    predictor: Predictor | None,
    permutations: int | None,
    seed: int,
    checkpoints: int,
    cap: int | None,
    tell: Tell | None,
) -> Trained:
    program = training.program
    longest = _longest(program, rows.count, cap)
    marks = tuple(sorted({-(-longest * (i + 1) // checkpoints) for i in range(checkpoints)}))
    began = time.perf_counter()
    why = None
    try:
        if any(i.kind == "dataset" for i in program.inputs):
            raise CannotVectorise("records that are there from the start")
        parts = _in_lanes(training, rows, permutations, seed, longest, marks, tell)
    except CannotVectorise as reason:
        why = str(reason)
        parts = [interpreted(program, rows, permutations, seed, longest, marks, training.tracked, tell, training.name)]
    seconds = time.perf_counter() - began
    memories = {m: np.concatenate([p.memories[m] for p in parts], axis=-1) for m in parts[0].memories}
    scores = None
    if held_out is not None and predictor is not None:
        scores = _scores(predictor, held_out, memories, marks, training.name, tell)
    return Trained(
        name=training.name,
        steps=np.concatenate([p.record.steps for p in parts]),
        stopped=np.concatenate([p.record.codes for p in parts]) != UNSTOPPED,
        checkpoints=marks,
        memories=memories,
        tracked={t: np.concatenate([p.tracked[t] for p in parts], axis=-1) for t in training.tracked},
        reports={r: np.concatenate([p.record.reports[r] for p in parts]) for r in parts[0].record.reports},
        scores=scores,
        engine="numpy" if why is None else "interpreter",
        why_interpreted=why,
        seconds=seconds,
    )


def _in_lanes(
    training: Training,
    rows: Rows,
    permutations: int | None,
    seed: int,
    longest: int,
    marks: tuple[int, ...],
    tell: Tell | None,
) -> list[Any]:
    orders = orders_of(rows.count, longest, permutations, seed)
    program, stretches = training.program, quiet_between_events(training.program)
    size = RUNS if stretches else max(1, LARGEST // max(1, longest))
    parts = []
    for first in range(0, len(orders), size):
        lanes = (Stretches if stretches else Lanes)(
            program, rows, orders[first : first + size], seed=seed, first=first, checkpoints=marks,
            tracked=training.tracked,
        )  # fmt: skip
        lanes.go(longest, None if tell is None else lambda done, all: tell(training.name, done, all))
        parts.append(lanes)
    return parts


def _scores(
    predictor: Predictor,
    held_out: Rows,
    memories: Mapping[str, Array],
    marks: tuple[int, ...],
    name: str,
    tell: Tell | None,
) -> Scores:
    asked = predictor.questions(held_out)
    runs = next(iter(memories.values())).shape[-1] if memories else 1
    counts = np.zeros((4, len(marks), runs))
    for c, step in enumerate(marks):
        for i in range(runs):
            state = {m: values[c][..., i] for m, values in memories.items()}
            counts[:, c, i] = predictor.counts(asked, state, step)
            if tell is not None:
                tell(f"{name}, held-out rows", c * runs + i + 1, len(marks) * runs)
    return Scores(*counts)


def _longest(program: Program, rows: int, cap: int | None) -> int:
    """The most steps that a run can make: the rows of a stream, `cap`, `stop when step >= n`."""
    compiler = Compiler(program)
    dataset = any(i.kind == "dataset" for i in program.inputs)
    found: list[Value] = [] if dataset else [rows]
    if cap is not None:
        found.append(cap)
    for stop in program.body:
        if not isinstance(stop, Stop):
            continue
        if stop.when is None:
            found.append(1)
        match stop.when:
            case ir.Apply(">=" | "==", (ir.StepNumber(), bound)) if not compiler.compile(bound).reads:
                found.append(max(1, -(-compiler.constant(bound) // 1)))
            case _:
                pass
    if not found:
        raise problem("E0606", f"nothing says when `{program.name}` ends", "leave after N steps: --cap N")
    return int(min(found))


UNSTOPPED = -2
__all__ = ["EvaluationError", "Trained", "Training", "train"]
