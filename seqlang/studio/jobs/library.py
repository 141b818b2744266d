"""What the specs of the library are for, and what an observer sees of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlang.driver import library, load, read
from seqlang.model.expression import Apply, Label, Noised
from seqlang.model.margins import margins
from seqlang.model.program import (
    CompareGate,
    Gate,
    OpaqueGate,
    Program,
    PublicGate,
    ReleaseGate,
    Report,
    Stop,
    nodes_in,
)
from seqlang.studio.learning.learner import is_learner

MOST = 4
"""Gates of a small picture."""


def job(argument: object, tell: Callable[[Any], None]) -> dict[str, dict[str, Any]]:
    """Name -> `task`, whether it learns a separator of two labels (`classifies`), and `gates` as (kind, "guarded",
    "bare" or "public") each."""
    return {name: about(load(read(f"@{name}")).program) for name in library()}


def about(program: Program) -> dict[str, Any]:
    """Of one spec."""
    task = task_of(program)
    return {
        "task": task,
        "classifies": task == "learning" and is_learner(program),
        "gates": [_gate(gate) for gate in program.gates[:MOST]],
    }


def _gate(gate: Gate) -> tuple[str, str]:
    match gate:
        case PublicGate():
            return "compare", "public"
        case CompareGate(test=test):
            return "compare", "guarded" if any(m.terms for m in margins(test)) else "bare"
        case ReleaseGate(terms=terms):
            return "release", "guarded" if terms else "bare"
        case OpaqueGate():
            return "compare", "guarded" if any(isinstance(node, Noised) for node in nodes_in(gate)) else "bare"
        case _:
            return "choose", "guarded"


def task_of(program: Program) -> str:
    """What it is for, by what it returns and reads: weights, a decision, reports on a stream, answers about a data set,
    or when something happened."""
    learns = any(_learns(node) for statement in program.body for node in nodes_in(statement))
    records = any(i.kind == "dataset" for i in program.inputs)
    if learns and (program.memories or records):
        return "learning"
    if any(isinstance(s, Stop) and isinstance(s.result, Label) for s in program.body):
        return "deciding"
    if records:
        return "querying"
    return "monitoring" if any(isinstance(s, Report) for s in program.body) else "stopping"


def _learns(node: Any) -> bool:
    """Whether it is one of the operators by which rows become weights."""
    match node:
        case Apply("dot" | "project" | "clip_norm"):
            return True
    return False
