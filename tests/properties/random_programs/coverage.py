"""On how many random programs a rule fired in a proof that an oracle judged, by adjacency, noise and kind of data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from random_programs.syntax import Program, walk

if TYPE_CHECKING:
    from random_programs.judge import Judged

JUDGED = ("held", "false")


@dataclass
class Coverage:
    """`cells`: "rule | adjacency | noise | data" -> programs; `programs`: "kind | status" -> programs."""

    cells: dict[str, int] = field(default_factory=dict)
    programs: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, program: Program, judged: Judged) -> None:
        key = f"{kind} | {judged.status}"
        self.programs[key] = self.programs.get(key, 0) + 1
        if judged.status not in JUDGED:
            return
        for rule in judged.rules:
            cell = f"{rule} | {adjacency(program)} | {families(program)} | {data(program)}"
            self.cells[cell] = self.cells.get(cell, 0) + 1

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            dict(Counter(self.cells) + Counter(other.cells)), dict(Counter(self.programs) + Counter(other.programs))
        )

    def as_json(self) -> dict[str, dict[str, int]]:
        return {"cells": self.cells, "programs": self.programs}


def adjacency(program: Program) -> str:
    first = program.adjacency[0]
    if first in ("replace", "add or remove"):
        return f"{first} {'one' if program.adjacency[1] == 1 else 'several'}"
    return f"{first} within"


def families(program: Program) -> str:
    found = {n.law[0] for n in program.noises}
    if any(s.kind == "draw" and s.value is not None and s.value.kind != "sample" for s in program.statements):
        found.add("private choice")
    return " + ".join(sorted(found)) or "none"


def data(program: Program) -> str:
    lasting = any(e.kind in ("time", "previous", "recall") for top in program.expressions() for e in walk(top))
    return f"{program.kind}{', look-backs' if lasting else ''}{', memory' if program.memories else ''}"
