"""The statements of a step, other than stops, as functions that change the state of all runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.laws import VectorLaw
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.stored_noise import Stored
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import CannotVectorise, Ragged, spread
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Define, Draw, Report, Update

Array = NDArray[Any]
Step: TypeAlias = Callable[[Frame], None]
"""A compiled statement; the frame has all runs."""


def compiled(runs: Runs, statement: Define | Cell | Draw | Report | Update) -> Step:
    """Raises CannotVectorise, here or when it is run."""
    match statement:
        case Define():
            return _define(runs, statement)
        case Cell(name):
            return lambda frame: runs.cells[name].tick(frame)
        case Draw():
            return _draw(runs, statement)
        case Report():
            return _report(runs, statement)
        case Update():
            return _update(runs, statement)
        case _:
            assert_never(statement)


def where(runs: Runs, when: ir.Expression | None) -> Callable[[Frame], Array]:
    """The living runs in which a condition holds (None: all of them)."""
    if when is None:
        return lambda frame: runs.alive.copy()
    test = runs.compiler.compile(when)
    return lambda frame: np.logical_and(runs.alive, test(frame))


def _define(runs: Runs, define: Define) -> Step:
    value_of, name = runs.compiler.compile(define.expression), define.name

    def run(frame: Frame) -> None:
        value = value_of(frame)
        if isinstance(value, VectorLaw):
            raise CannotVectorise("a law as the value of a name that changes")
        runs.locals[name] = runs.checked(value, frame, f"`{name}`", define.span)

    return run


def _draw(runs: Runs, draw: Draw) -> Step:
    make = runs.compiler.compile(draw.law)
    stored = runs.draws.setdefault(draw.name, Stored())

    def run(frame: Frame) -> None:
        life = runs.life(draw.life)
        if isinstance(life, int) and stored.whole == life:
            return
        law = make(frame)

        def sample(source: Source, shape: tuple[int, ...]) -> Array:
            if source.count == runs.count:
                return np.asarray(law.sample(source, law.shape()))
            part = make(Frame(runs, source.rows))
            return np.asarray(part.sample(source, part.shape()))

        stored.read(life, (), frame, runs.noise_streams, sample)

    return run


def _report(runs: Runs, report: Report) -> Step:
    holds, name = where(runs, report.when), report.name
    value = None if report.value is None else runs.compiler.compile(report.value)

    def run(frame: Frame) -> None:
        fired = holds(frame)
        runs.fired[name] = fired
        if value is None:
            runs.released[name] = fired
            return
        rows = np.flatnonzero(fired)
        if len(rows) == runs.count:
            runs.released[name] = runs.last[name] = runs.checked(value(frame), frame, f"`{name}`", report.span)
            return
        runs.released[name] = float("nan")
        if len(rows):
            some = Frame(runs, rows)
            part = spread(runs.checked(value(some), some, f"`{name}`", report.span), len(rows))
            whole = np.full((*part.shape[:-1], runs.count), np.nan)
            whole[..., rows] = part
            runs.released[name] = whole
            runs.last[name] = np.where(fired, whole, runs.last.get(name, np.nan))

    return run


def _update(runs: Runs, update: Update) -> Step:
    holds, name, value = where(runs, update.when), update.memory, runs.compiler.compile(update.value)

    def run(frame: Frame) -> None:
        rows = np.flatnonzero(holds(frame))
        if not len(rows):
            return
        some = frame if len(rows) == runs.count else Frame(runs, rows)
        new = runs.checked(value(some), some, f"`{name}`", update.span)
        if isinstance(new, Ragged):
            raise CannotVectorise("a memory that is a list")
        changed = runs.memory[name].copy()
        if np.ndim(new) > changed.ndim:
            changed = spread(changed + np.zeros_like(new[..., :1]), runs.count)
        changed[..., rows] = new
        runs.memory[name] = changed

    return run
