"""The law of (last step, what is returned) under a model of the data, by listing; what `solve` and engines say."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass

import numpy as np

import seqlang
from random_programs.enumeration import TooWide, laws
from random_programs.generate_transcripts import transcript_program
from random_programs.inputs import Inputs
from random_programs.syntax import Program, text, walk

Ends = dict[tuple[int, str], float]


@dataclass(frozen=True)
class Modelled:
    """A program with a law of its (one) field: the chances of its values, in their order."""

    program: Program
    chances: tuple[float, ...]

    def text(self) -> str:
        field = self.program.fields[0]
        law = ", ".join(f"{v:g}: {p}" for v, p in zip(field.values, self.chances, strict=True))
        return text(self.program, (f"model m: {field.name} ~ {{{law}}}",))


def modelled_program(seed: int) -> Modelled | None:
    """None if the program has more than one field, or its field takes any number."""
    program = transcript_program(seed)
    if (
        program.kind != "stream"
        or len(program.fields) != 1
        or program.fields[0].domain == "real"
        or isinstance(program.fields[0].values[0], tuple)
    ):
        return None
    weights = {2: (0.375, 0.625), 3: (0.25, 0.5, 0.25)}
    return Modelled(program, random.Random(seed).choice([weights[len(program.fields[0].values)]]))


def listed_ends(modelled: Modelled) -> tuple[Ends, float]:
    """The law, and what is missing of it. Raises TooWide."""
    program = modelled.program
    field = program.fields[0]
    courses = list(itertools.product(range(len(field.values)), repeat=program.steps))
    if len(courses) > 30:
        raise TooWide
    entries = np.array([[field.values[a] for a in course] for course in courses])
    none = np.zeros(0, dtype=int)
    law = laws(program, Inputs({field.name: entries}, np.full(len(courses), program.steps), none, none))
    out: Ends = {}
    lost = 0.0
    for course, ends, missing in zip(courses, law.ends, law.missing, strict=True):
        weight = math.prod(modelled.chances[a] for a in course)
        lost += weight * missing
        for key, p in ends.items():
            out[key] = out.get(key, 0.0) + weight * p
    return out, lost


def solved_ends(source: str) -> tuple[Ends, float, str]:
    """By `solve`: the law, its error, and the method."""
    (result,) = seqlang.solve(source)
    solution = result.solution
    out: Ends = {}
    for step, row in enumerate(solution.table.tolist(), 1):
        for outcome, p in zip(solution.outcomes, row, strict=True):
            key = (step, "stop" if outcome is None else outcome if isinstance(outcome, str) else f"{outcome:g}")
            out[key] = out.get(key, 0.0) + p
    return out, solution.error + solution.lost, solution.method


def difference(a: Ends, b: Ends) -> tuple[float, tuple[int, str] | None]:
    keys = [k for k in a.keys() | b.keys() if k[1] != "goes on"]
    return max(((abs(a.get(k, 0.0) - b.get(k, 0.0)), k) for k in keys), default=(0.0, None))


def simulated(source: str, engine: str, seed: int, runs: int) -> tuple[dict[str, float], float]:
    """By runs: the chance of each return, and the mean of the steps."""
    (result,) = seqlang.run(source, runs=runs, seed=seed, engine=engine)  # type: ignore[arg-type]
    document = result.to_dict()
    return {n: r["probability"] for n, r in document["returns"].items()}, document["steps"]["mean"]


def operators(program: Program) -> set[str]:
    """What the program is made of, for the table of engines."""
    out: set[str] = set()
    for top in program.expressions():
        for e in walk(top):
            if e.kind in ("op", "call"):
                out.add(str(e.data[0]))
            elif e.kind == "time":
                out.add(f"{e.data[0]} over {e.data[1]}")
            elif e.kind in ("fold", "listfor", "if", "previous", "recall", "index", "list", "weights"):
                out.add(f"{e.data[0]} for" if e.kind == "fold" else e.kind)
    return out


def states(program: Program) -> set[str]:
    """What has to be remembered from step to step."""
    out = {
        f"{e.data[0]} over {e.data[1]}" if e.kind == "time" else e.kind
        for top in program.expressions()
        for e in walk(top)
        if e.kind in ("time", "previous", "recall")
    }
    out |= {"memory"} if program.memories else set()
    out |= {"noise that is kept"} if any(n.life == "once" for n in program.noises) else set()
    out |= (
        {"noise renewed after a report"}
        if any(n.life.startswith("each ") and n.life != "each step" for n in program.noises)
        else set()
    )
    return out or {"nothing"}
