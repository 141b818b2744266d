"""Compiled kernels, run as the plain text that they are, beside the interpreter: the same entries and the same draws,
and every report, value, statistic, stop and result compared after each step.

Nothing is compiled, so that thousands of programs take minutes; `--engines compiled` compiles each for itself.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
from coupled import Coupling, coupled
from plain_kernels import difference, interpreted, streams

from random_programs.judge import loaded
from random_programs.syntax import Noise, Program, text
from seqlang.backends.kernels.lowering.values import CannotCompile

Row = dict[str, Any]


class Refused(Exception):
    """The engine says that it cannot run the program, and why."""


def kernel_disagrees(program: Program, seed: int, paths: int = 3) -> str | None:
    """The first difference on random entries, or None. Raises Refused where no kernel is made, SpecError."""
    if program.kind == "dataset" and program.public:
        raise Refused("public inputs beside a dataset are not given here")
    rng = random.Random(seed)
    model = loaded(text(replace(program, noises=_apart(program))))
    steps = program.steps + 1
    rows, fields, order = _records(program, rng) if program.kind == "dataset" else _stream(program, rng, steps)
    try:
        kernel, current = coupled(model, fields, order)
    except CannotCompile as why:
        raise Refused(str(why)) from None
    for path in range(paths):
        wanted = list(interpreted(model, rows, steps, Coupling(f"{seed} {path}", model)))
        for step in range(1, steps + 1):
            current[:] = [Coupling(f"{seed} {path}", model)]
            wrong = difference(kernel.after(step)[0], wanted[min(step, len(wanted)) - 1])
            if wrong is not None:
                return f"path {path} after {step} steps: {wrong}"
    return None


def _apart(program: Program) -> tuple[Noise, ...]:
    """An attachment of its own for each target: draws are told apart by the law that they are written with."""
    split = lambda n: [replace(n, targets=(t,)) for t in n.targets]  # noqa: E731
    return tuple(part for n in program.noises for part in ([n] if n.name else split(n)))


def _entry(program: Program, rng: random.Random) -> Row:
    return {f.name: rng.choice(f.values) for f in (*program.fields, *program.public)}


def _stream(program: Program, rng: random.Random, steps: int) -> tuple[list[Row], Any, Any]:
    rows = [_entry(program, rng) for _ in range(steps)]
    fields, orders = streams([rows])
    return rows, fields, orders[0]


def _records(program: Program, rng: random.Random) -> tuple[list[Row], Any, Any]:
    rows = [_entry(program, rng) for _ in range(program.size)]
    fields = {f.name: np.array([row[f.name] for row in rows], dtype=float) for f in program.fields}
    return rows, fields, np.arange(len(rows))
