"""Witnesses against the whole truth: where every input is tried and the run ends, what is lost is known exactly, and
nothing that seqlang witnesses may exceed it."""

from __future__ import annotations

import math

from random_programs.inputs import inputs_of, publics
from random_programs.judge import KINDS, Kind, loaded
from random_programs.meaning import Undefined
from random_programs.syntax import Program, text
from seqlang.analyses.refute import lower_bound

FINITE = ("{0, 1}", "{-1, 1}", "0..2", "{0, 1} ^ 2")


def is_whole(program: Program) -> bool:
    """Whether the oracle tries every input: finite domains, few inputs, and a last stop that comes by `steps`."""
    if program.horizon is not None:
        return False
    inputs = 1
    for f in program.fields:
        inputs *= len(f.values) ** (program.size if program.kind == "dataset" else program.steps)
    few = inputs <= 300 and len(publics(program)) <= 4 and program.adjacency[0] == "replace"
    last = program.statements[-1]
    ends = last.kind == "stop" and (last.when is None or last.when.parts[0].kind == "step")
    return few and ends and all(f.domain in FINITE for f in program.fields)


def exaggeration(kind: Kind, program: Program) -> str | None:
    """What a witness claims beyond the truth; None: nothing. Raises Undefined where the truth is not known exactly."""
    if kind not in (KINDS["release"], KINDS["linear"]) or not is_whole(program) or len(inputs_of(program).first) == 0:
        raise Undefined
    truth = kind.truth(program).pure()
    if truth == math.inf or (truth == 0 and kind is KINDS["linear"]):
        raise Undefined  # more noises than showings: `linear` says nothing then
    witness = lower_bound(loaded(text(program)))
    if witness is not None and witness.lower > truth * (1 + 1e-6) + 1e-6:
        return f"witnessed {witness.lower}, true {truth}: {witness}"
    return None
