"""The interpreter as the judge of the other engines, on one random program at a time.

Numpy and kernels run on the same rows, and every statistic, report, stop and result is compared after each step. The
exact law is compared with the sum over all paths of the interpreter. The stepper of exact transcripts is told what the
interpreter showed, which it must find certain, and something else, which it must find impossible.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from plain_kernels import After, ByText, difference, interpreted, program_of, streams

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.endings import Recorded
from seqlang.backends.arrays.engine import Engine
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.follow import Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as ir
from seqlang.model.program import Program, Report

Rows = Sequence[Mapping[str, Any]]
CAPACITY = 1 << 12
"""Paths of the interpreter that are enumerated at most."""


class Refused(Exception):
    """The engine says that it cannot run the program, and why."""


# ---- numpy


def by_numpy(program: Program, runs: Sequence[Rows], steps: int) -> list[list[After]]:
    """What is known after 1, 2, .. steps: for each number of steps a list of all runs; [] after a fault."""
    found = []
    for cap in range(1, steps + 1):
        try:
            found.append(capped(program, runs, cap))
        except CannotVectorise as why:
            raise Refused(str(why)) from None
        except EvaluationError:
            found.append([])
    return found


def capped(program: Program, runs: Sequence[Rows], cap: int) -> list[After]:
    names = tuple(s.name for s in program.body if isinstance(s, Report))
    record = Record(0, len(runs), names)
    compiler = VectorCompiler(program)
    state = Runs(compiler, 0, np.arange(len(runs)))
    Engine(state, _OfRows(program, runs), Recorded(record)).run(cap, lambda _: None)
    labels = {i: name for name, i in compiler.labels.items()}

    def one(i: int) -> After:
        code = int(record.codes[i])
        value = (
            None if record.values is None or np.isnan(record.values[..., i]).all() else record.values[..., i].tolist()
        )
        return After(
            int(record.steps[i]), code != -2, labels[code] if code >= 0 else value,
            {name: v[..., i].tolist() for name, v in record.statistics.items()},
            {name: v[..., i].tolist() for name, v in record.released.items()},
            {name: int(v[i]) for name, v in record.reports.items()},
        )  # fmt: skip

    return [one(i) for i in range(len(runs))]


class _OfRows:
    """Inputs of an engine: the rows of each run."""

    def __init__(self, program: Program, rows: Sequence[Rows]) -> None:
        self.program, self.rows = program, rows

    def dataset(self, runs: Runs) -> dict[str, Any]:
        if self.program.size is None:
            return {}
        known = [self.rows[int(run)] for run in runs.runs]
        return {name: np.array([[row[name] for row in run] for run in known], dtype=float).T for name in known[0][0]}

    def entry(self, runs: Runs) -> dict[str, Any]:
        if self.program.size is not None:
            return {}
        known = [self.rows[int(run)][runs.step_number - 1] for run in runs.runs]
        return {name: np.array([row[name] for row in known], dtype=float) for name in known[0]}


# ---- kernels


def by_kernel(program: Program, runs: Sequence[Rows], steps: int) -> list[list[After]]:
    try:
        kernel = ByText(program, *(streams(runs) if program.size is None else _orders(runs)))
    except CannotCompile as why:
        raise Refused(str(why)) from None
    found = []
    for step in range(1, steps + 1):
        after = kernel.after(step)
        found.append([] if after[0].fault else after)
    return found


def _orders(runs: Sequence[Rows]) -> tuple[dict[str, Any], Any]:
    """(fields, orders): the runs have the same records in different orders."""
    table = list(runs[0])
    fields = {name: np.array([row[name] for row in table], dtype=float) for name in table[0]}
    return fields, np.array([[table.index(row) for row in run] for run in runs])


# ---- what both are compared with


def compare_paths(program: Program, runs: Sequence[Rows], steps: int, found: Sequence[Sequence[After]]) -> str | None:
    """The first difference to the interpreter, or None. A fault in any run is one of all runs together."""
    wanted = [list(interpreted(program, rows, steps, NoNoise())) for rows in runs]
    for step, afters in enumerate(found, start=1):
        here = [path[min(step, len(path)) - 1] for path in wanted]
        if any(after.fault for after in here):
            return None if not afters else f"no fault in step {step}, where the interpreter has one"
        if not afters:
            return f"a fault in step {step}, where the interpreter has none"
        for i, (one, other) in enumerate(zip(afters, here, strict=True)):
            wrong = difference(one, other)
            if wrong is not None:
                return f"run {i} after {step} steps: {wrong}"
    return None


# ---- the exact law


class _Paths:
    """All ways that random choices may go, one after the other: `chance` of the present one."""

    def __init__(self) -> None:
        self.script: list[int] = []
        self.sizes: list[int] = []
        self.place = 0
        self.chance = 1.0

    def choose(self, law: Any) -> Any:
        points = [(v, law.pmf(v)) for v in law.support()]
        points = [(v, p) for v, p in points if p > 0]
        if self.place == len(self.script):
            self.script.append(0)
            self.sizes.append(len(points))
        value, chance = points[self.script[self.place]]
        self.place += 1
        self.chance *= chance
        return value

    def entry(self, name: str, step: int, law: Any) -> Any:
        return self.choose(law)

    def noise(self, noise: Any, life: int, law: Any, shape: tuple[int, ...]) -> Any:
        assert not shape
        return self.choose(law)

    def draw(self, draw: Any, life: int, law: Any) -> Any:
        return self.choose(law)

    def next(self) -> bool:
        while self.script and self.script[-1] == self.sizes[-1] - 1:
            self.script.pop()
            self.sizes.pop()
        if self.script:
            self.script[-1] += 1
        self.place, self.chance = 0, 1.0
        return bool(self.script)


def enumerated(program: Program, steps: int) -> tuple[dict[tuple[int, Any], float], dict[str, float]] | None:
    """(P(step, result), expected final values of the statistics that are numbers) by the interpreter; None where a path
    has no value, or there are too many."""
    paths, table, means = _Paths(), {}, {}
    for _ in range(CAPACITY):
        machine, sampler = Machine(program, paths), InputSampler(program, program.models[0])
        try:
            for step in range(1, steps + 1):
                machine.step(sampler.entry(paths, step, machine.memory))
                if machine.stopped:
                    break
        except EvaluationError:
            return None
        assert machine.stopped
        key = (machine.step_number, machine.result)
        table[key] = table.get(key, 0.0) + paths.chance
        for name, value in machine.statistics().items():
            if isinstance(value, (int, float)):
                means[name] = means.get(name, 0.0) + paths.chance * value
        if not paths.next():
            return table, means
    return None


def compare_law(program: Program, steps: int) -> tuple[str | None, str]:
    """(the first difference to the interpreter, or None; the method). Refused where solve has no answer."""
    wanted = enumerated(program, steps)
    if wanted is None:
        raise Refused("the interpreter has no law")
    table, means = wanted
    watched = tuple(name for name, value in means.items() if math.isfinite(value))
    try:
        found = solve(program, program.models[0].name, watch=tuple(ir.Local(name) for name in watched))
    except Unsolved as why:
        raise Refused(str(why)) from None
    for t, outcome in itertools.product(range(1, steps + 1), found.outcomes):
        here = found.table[t - 1, found.outcomes.index(outcome)] if t <= len(found.table) else 0.0
        if abs(here - table.get((t, outcome), 0.0)) > 1e-9 + found.error:
            return f"P(step {t}, {outcome}) is {here}, not {table.get((t, outcome), 0.0)}", found.method
    for name, value in zip(watched, found.watched if watched else (), strict=True):
        if abs(value - means[name]) > 1e-9 * (1 + abs(means[name])) + found.watched_error:
            return f"the mean of {name} is {value}, not {means[name]}", found.method
    return None, found.method


# ---- exact transcripts


def shown_text(text: str) -> str:
    """The program with every statistic of a number reported before the first stop, so that what is told holds all."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("stop"))
    names = [line.split()[1] for line in lines if line.startswith("statistic s")]
    return "\n".join([*lines[:first], *(f"report o{name} = {name}" for name in names), *lines[first:]]) + "\n"


def compare_transcript(text: str, rows: Rows, rng: random.Random) -> str | None:
    program = program_of(shown_text(text))
    machine = Machine(program, NoNoise())
    entries: list[Any] = list(rows)
    if program.size is not None:
        records = {name: tuple(row[name] for row in rows) for name in rows[0]}
        machine.load(records)
        entries = [records] * 9
    try:
        follower = Follower(program)
    except Unsupported as why:
        raise Refused(str(why)) from None
    phases: list[Phase] = []
    for row in entries:
        try:
            outcome = machine.step(row if program.size is None else {})
        except EvaluationError:
            raise Refused("the interpreter has no value") from None
        told: dict[str, Any] = dict(outcome.reports)
        stopped = None
        if outcome.stopped:
            stopped = next((i, r) for i, r in ((1, "high"), (2, "low")) if r == outcome.result)
        phases.append(Phase(row, {**told, "stop": stopped}, 1))
        try:
            found = follower.log_probability(phases, FINE).log
            if found != 0.0:
                return f"step {len(phases)}: the transcript of the interpreter has log probability {found}: {told}"
            values = [name for name, value in told.items() if value is not True]
            if values:
                name = rng.choice(values)
                else_told = told[name] + rng.choice((-0.5, 1)) if math.isfinite(told[name]) else 0.0
                other = Phase(row, {**told, name: else_told, "stop": stopped}, 1)
                if follower.log_probability([*phases[:-1], other], FINE).log != -math.inf:
                    return f"step {len(phases)}: another value of {name} is possible"
        except Unsupported as why:
            raise Refused(str(why)) from None
        if outcome.stopped:
            return None
    return None


def random_rows(program: Program, rng: random.Random, runs: int, steps: int) -> list[Rows]:
    """Entries by step; of a dataset the same records in some orders."""
    compiler = Compiler(program)
    letters = {i.name: [compiler.constant(v) for v in i.domain.values] for i in program.inputs}

    def rows(count: int) -> Rows:
        return [{name: rng.choice(v) for name, v in letters.items()} for _ in range(count)]

    if program.size is None:
        return [rows(steps) for _ in range(runs)]
    table = rows(int(compiler.constant(program.size)))
    return [rng.sample(table, len(table)) for _ in range(runs)]
