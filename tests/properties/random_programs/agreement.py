"""The interpreter of seqlang and this package's evaluator on the same program and inputs, without noise."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from random_programs.inputs import inputs_of, publics
from random_programs.showing import showings
from random_programs.syntax import Program, text
from seqlang import driver
from seqlang.backends.interpret.session import Session
from seqlang.source import Source


def disagreement(program: Program, seed: int = 0, inputs: int = 3) -> str | None:
    """What the two say differently on some inputs; None: nothing. Raises Undefined, SpecError."""
    bare = replace(program, noises=())
    rng = random.Random(seed)
    known = inputs_of(bare)
    course = rng.choice(publics(bare))
    shown = showings(bare, known, course)
    model = driver.load(Source("<random>", text(bare))).program
    for row in rng.sample(range(len(known.count)), min(inputs, len(known.count))):
        count = int(known.count[row])
        entries = {f: table[row, :count].tolist() for f, table in known.entries.items()}
        session = Session(model, seed=1, records=entries if bare.kind == "dataset" else None)
        for step in range(1, bare.steps + 1):
            given: dict[str, Any] = {} if bare.kind == "dataset" else {f: v[step - 1] for f, v in entries.items()}
            given |= {f.name: course[step - 1][j] for j, f in enumerate(bare.public)}
            outcome = session.step(**given)
            mine = {s.name: s.numbers[row] for s in shown if s.step == step and not s.choice}
            theirs = {n: v for n, v in outcome.reports.items() if v is not True}
            if outcome.stopped and outcome.result is not None:
                theirs["return"] = outcome.result
            for n, v in mine.items():
                if n not in theirs or not np.allclose(np.ravel(np.asarray(theirs[n], dtype=float)), v, atol=1e-9):
                    return (
                        f"step {step}: {n} is {theirs.get(n)}, and {v} by the evaluator, on {known.shown(row)} {course}"
                    )
            if outcome.stopped:
                break
    return None
