"""A program and its twins on the same rows: runs in several orders, checkpoints, scores on rows held out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.kernels.training import ByRows
from seqlang.backends.montecarlo.simulate import EngineName
from seqlang.backends.montecarlo.stopping import latest_end
from seqlang.backends.montecarlo.worth import WORTH, numpy_seconds, operations
from seqlang.backends.train.lanes import Lanes, orders_of
from seqlang.backends.train.predict import Predictor
from seqlang.backends.train.rows import Rows
from seqlang.backends.train.scores import Scores
from seqlang.backends.train.slowly import Interpreted, check_size, has_dataset
from seqlang.model import expression as ir
from seqlang.model.program import Memory, Program
from seqlang.record import record, replace

Array = NDArray[Any]
A_VALUE = 5e-7
"""Seconds for an operation of the interpreter, about."""
LARGEST = 1 << 24
"""Places of rows (runs times steps) that are held at once."""

Tell = Callable[[str, int, int], None]
"""(what is being done, how much is done, of how much)"""
Heard = Callable[[str, Any], None]
"""(name of the program, its runs so far): `memories` and `tracked` as in `Trained`, not a number where they are not
known yet, and `record.first`, the number of the first of these runs."""


@record
class Training:
    """One program to be trained; `tracked` are statistics that are written down at the checkpoints; `predicted` and
    `truth` are conditions on a row held out (None: nothing is scored). `returned` is a memory that stands in
    `predicted` for what a run returns (None: it does not read that)."""

    name: str
    program: Program
    tracked: tuple[str, ...] = ()
    predicted: ir.Expression | None = None
    truth: ir.Expression | None = None
    returned: Memory | None = None


@record
class Passes:
    """How the rows are gone through: once in their order, or in `permutations` random orders (the same for all
    programs), for `cap` steps at most. What is learnt is written down after so many steps as `checkpoints` says, evenly
    spaced to the last. `engine` "auto" compiles a kernel for long work."""

    permutations: int | None = None
    seed: int = 1
    checkpoints: int = 1
    cap: int | None = None
    engine: EngineName = "auto"


@record
class Trained:
    """`steps` and `stopped` have one entry a run; at checkpoint c (after step `checkpoints[c]`, or at the stop if that
    was earlier) `memories[name][c]` is (.., runs), `tracked[name][c]` and the counts of `scores` are (runs,).
    `returned` (.., runs) are the numbers or vectors that were returned, not a number for runs that did not stop; None
    if all return nothing, or labels. A prediction that reads what is returned is scored for the runs that stopped.

    `engine` is "compiled", "numpy" or "interpreter", `why_interpreted` why not a faster one; `seconds` are those of the
    training alone."""

    name: str
    steps: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    checkpoints: tuple[int, ...]
    memories: Mapping[str, Array]
    tracked: Mapping[str, Array]
    reports: Mapping[str, Array]
    returned: Array | None
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
    passes: Passes,
    *,
    tell: Tell | None = None,
    heard: Heard | None = None,
) -> tuple[Trained, ...]:
    """Every program on the same rows. `heard` is called when checkpoints were written down: of runs side by side at
    each one, of runs one after the other at the end of each, of compiled ones at the end.

    A stream takes one row a step; if the rows end first, the run has not stopped, and what it had begun (a batch that
    is not full) has no effect. A dataset is all rows at once.

    Raises SpecError E0618 for a wrong size, E0620 where an expression has no value, E0628 for a prediction.
    """
    found = []
    for training in trainings:
        predictor = None
        if held_out is not None and training.predicted is not None and training.truth is not None:
            program = training.program
            if training.returned is not None:
                program = replace(program, memories=(*program.memories, training.returned))
                if passes.checkpoints > 1:
                    message = "what is returned is there at the end: a prediction that reads it has no checkpoints"
                    raise problem("E0601", message, "--checkpoints 1, or predict from a memory")
            predictor = Predictor(program, training.predicted, training.truth)
        found.append(_trained(training, rows, held_out, predictor, passes, tell, heard))
    return tuple(found)


def _trained(
    training: Training,
    rows: Rows,
    held_out: Rows | None,
    predictor: Predictor | None,
    passes: Passes,
    tell: Tell | None,
    heard: Heard | None,
) -> Trained:
    marks = marks_of(training.program, rows, passes)
    longest = marks[-1]
    began = time.perf_counter()
    used, why, parts = _by_an_engine(training, rows, passes, longest, marks, tell, heard)
    seconds = time.perf_counter() - began
    memories = {m: np.concatenate([p.memories[m] for p in parts], axis=-1) for m in parts[0].memories}
    returned = _returned(parts)
    steps = np.concatenate([p.record.steps for p in parts])
    scores = None
    if held_out is not None and predictor is not None:
        state, known = _predicting(training.returned, memories, returned, len(marks), len(steps))
        scores = _scores(predictor, held_out, state, known, marks, training.name, tell)
    return Trained(
        name=training.name,
        steps=steps,
        stopped=np.concatenate([p.record.codes for p in parts]) != UNSTOPPED,
        checkpoints=marks,
        memories=memories,
        tracked={t: np.concatenate([p.tracked[t] for p in parts], axis=-1) for t in training.tracked},
        reports={r: np.concatenate([p.record.reports[r] for p in parts]) for r in parts[0].record.reports},
        returned=returned,
        scores=scores,
        engine=used,
        why_interpreted=why,
        seconds=seconds,
    )


def _by_an_engine(
    training: Training, rows: Rows, passes: Passes, longest: int, marks: tuple[int, ...], tell: Tell | None,
    heard: Heard | None,
) -> tuple[str, str | None, list[Any]]:  # fmt: skip
    """The runs by the first engine that can make them: its name, why not by a faster one, and the runs in parts."""
    auto, why = passes.engine == "auto", None
    for used in _engines(training.program, rows, longest, passes.permutations or 1) if auto else (passes.engine,):
        try:
            return used, why, _parts(used, training, rows, passes, longest, marks, tell, heard)
        except CannotVectorise as reason:
            why = str(reason)
    raise problem("E0622", f"the {passes.engine} engine cannot run this: {why}", "use the engine `auto`")


def _predicting(
    memory: Memory | None, memories: Mapping[str, Array], returned: Array | None, marks: int, runs: int
) -> tuple[dict[str, Array], Array]:
    """What a prediction reads, with `memory` for what was returned; and for which of the runs that is known."""
    if memory is None:
        return dict(memories), np.ones(runs, dtype=bool)
    values = np.full(runs, np.nan) if returned is None else returned
    known = np.isfinite(values).reshape(-1, runs).all(axis=0)
    return {**memories, memory.name: np.broadcast_to(values, (marks, *values.shape))}, np.asarray(known)


def _engines(program: Program, rows: Rows, longest: int, runs: int) -> tuple[str, ...]:
    """In the order in which they are tried. What decides is the work, never a clock: the engines draw different random
    numbers."""
    if has_dataset(program):
        interpreted = operations(program, None) * longest * rows.count * runs * A_VALUE
        return ("compiled", "interpreter") if interpreted > WORTH else ("interpreter",)
    if numpy_seconds(program, runs, longest) > WORTH:
        return ("compiled", "numpy", "interpreter")
    return ("numpy", "interpreter")


def _parts(
    engine: str,
    training: Training,
    rows: Rows,
    passes: Passes,
    longest: int,
    marks: tuple[int, ...],
    tell: Tell | None,
    heard: Heard | None,
) -> list[Any]:
    """The runs in parts of which memory holds the orders."""
    program = training.program
    dataset = has_dataset(program)
    if dataset and engine == "numpy":
        raise CannotVectorise("records that are there from the start")
    if dataset:
        check_size(program, rows)
    made: dict[str, Callable[..., Any]] = {
        "compiled": partial(ByRows, program, rows.fields),
        "numpy": partial(Lanes, program, rows),
        "interpreter": partial(Interpreted, program, rows),
    }
    length = rows.count if dataset else longest
    orders = orders_of(rows.count, length, passes.permutations, passes.seed)
    size = max(1, LARGEST // max(1, length))
    parts: list[Any] = []
    for first in range(0, len(orders), size):
        some = orders[first : first + size]
        part = made[engine](some, seed=passes.seed, first=first, checkpoints=marks, tracked=training.tracked)
        told = None if tell is None else partial(tell, training.name)
        part.go(longest, told, None if heard is None else partial(heard, training.name, part))
        parts.append(part)
    return parts


def _returned(parts: Sequence[Any]) -> Array | None:
    """What the runs returned, (.., runs)."""
    shapes = [p.record.values.shape[:-1] for p in parts if p.record.values is not None]
    if not shapes:
        return None
    nothing = [np.full((*shapes[0], p.record.count), np.nan) if p.record.values is None else None for p in parts]
    found = [p.record.values if n is None else n for p, n in zip(parts, nothing, strict=True)]
    return np.concatenate(found, axis=-1)


def _scores(
    predictor: Predictor,
    held_out: Rows,
    memories: Mapping[str, Array],
    known: Array,
    marks: tuple[int, ...],
    name: str,
    tell: Tell | None,
) -> Scores:
    """Counts at each mark; not a number for the runs of which is not `known` what is asked."""
    asked = predictor.questions(held_out)
    runs = len(known)
    counts = np.full((4, len(marks), runs), np.nan)
    for c, step in enumerate(marks):
        for i in range(runs):
            if known[i]:
                counts[:, c, i] = predictor.counts(asked, {m: v[c][..., i] for m, v in memories.items()}, step)
            if tell is not None:
                tell(f"{name}, held-out rows", c * runs + i + 1, len(marks) * runs)
    return Scores(*counts)


def marks_of(program: Program, rows: Rows, passes: Passes) -> tuple[int, ...]:
    """The steps after which what is learnt is written down; the last one is that in which a run ends at the latest."""
    last, count = _longest(program, rows.count, passes.cap), passes.checkpoints
    return tuple(sorted({-(-last * (i + 1) // count) for i in range(count)}))


def _longest(program: Program, rows: int, cap: int | None) -> int:
    """The most steps that a run can make: the rows of a stream, `cap`, `stop when step >= n`."""
    ends = (None if has_dataset(program) else rows, cap, latest_end(program))
    found = [end for end in ends if end is not None]
    if not found:
        raise problem("E0606", f"nothing says when `{program.name}` ends", "leave after N steps: --cap N")
    return min(found)
