"""Witnesses against the whole truth: where every input is tried and the run ends, what is lost is known exactly, and
nothing that seqlang witnesses may exceed it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from random_programs.enumeration import GOES_ON, Watch, laws
from random_programs.inputs import Inputs, inputs_of, publics
from random_programs.judge import KINDS, Kind, loaded
from random_programs.meaning import Undefined
from random_programs.syntax import Program, text
from seqlang.analyses.refute import lower_bound
from seqlang.proof.witness import Event, Witness

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


def event_is_wrong(program: Program, witness: Witness) -> str | None:
    """A witness's chances beside the listed ones; None: they agree. Raises Undefined for events that are not listed,
    TooWide."""
    event = witness.event
    made = {(step, name): value for step, name, value in event.reports}
    until = event.stopped_at or event.not_by or max((step for step, _ in made), default=0)
    if any(isinstance(value, (tuple, str)) for value in made.values()):
        raise Undefined  # an interval, or a vector
    if program.kind != "stream" or not 0 < until <= program.steps or len(made) < len(event.reports):
        raise Undefined
    entries = {f.name: np.array([_entries(program, s, until, f.name) for s in witness.streams]) for f in program.fields}
    none = np.zeros(0, dtype=int)
    law = laws(replace(program, steps=until), Inputs(entries, np.full(2, until), none, none), Watch(made, until))
    for row, (said, error) in enumerate(((witness.p, witness.p_error), (witness.q, witness.q_error))):
        chance = sum(p for end, p in law.ends[row].items() if _is_in(event, end))
        spare = error + law.missing[row] + 100 * law.error + 1e-9 * chance
        if abs(said - chance) > spare:
            return f"the event has chance {chance} for stream {row}, the witness says {said}: {witness}"
    return None


def _entries(program: Program, stream: Sequence[Any], steps: int, field: str) -> list[float]:
    if len(stream) < steps:
        raise Undefined
    one = len(program.fields) == 1
    place = [f.name for f in program.fields].index(field)
    entries = [e[field] if isinstance(e, Mapping) else e if one else e[place] for e in stream[:steps]]
    if any(isinstance(e, tuple) for e in entries):
        raise Undefined
    return [float(e) for e in entries]


def _is_in(event: Event, end: tuple[int, str]) -> bool:
    """Whether a run that ends so is in the event, its reports being those."""
    step, outcome = end
    if event.stopped_at is not None:
        if step != event.stopped_at or outcome == GOES_ON:
            return False
        said = re.sub(r"^Label\(name='(.*)'\)$", r"\1", str(event.result))
        return event.result is None or outcome == said
    if event.not_by is not None:
        return outcome == GOES_ON
    return True


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
