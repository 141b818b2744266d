"""What the names of a program stand for, and how its constants compare at the parameter values."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, compare
from seqlang.model.constants import values_of
from seqlang.model.expression import Law
from seqlang.model.program import AddRemove, Cell, Define, Draw, Program
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.numbers import ZERO

RECORD = "[]"
"""After the name of a dataset field: one record of it, as `x[i]` inside an aggregate over the records."""


class Definitions:
    """One program with its names. `values` are the exact values of the parameters. `inputs` holds every input and,
    under its name and `RECORD`, one record of each dataset field. `resized`: neighbours may differ in how many entries
    they have."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values = values_of(program)
        self.defines = {s.name: s for s in program.body if isinstance(s, Define)}
        self.cells = {s.name: s for s in program.body if isinstance(s, Cell)}
        self.draws = {s.name: s for s in program.body if isinstance(s, Draw)}
        self.noises = {n.name: n for n in program.noises}
        self.inputs = {i.name: i for i in program.inputs}
        records = [replace(i, name=i.name + RECORD) for i in program.inputs if i.kind == "dataset"]
        self.inputs |= {record.name: record for record in records}
        self.resized = isinstance(program.adjacency, AddRemove)
        self._compared: dict[tuple[Formula, Formula], str | None] = {}

    def is_flip(self, noise: str) -> bool:
        """True for a noise that replaces the value instead of being added to it."""
        law = self.noises[noise].law if noise in self.noises else None
        return law is None or (isinstance(law, Law) and law.family == "randomized_response")

    def compare(self, a: Formula, b: Formula) -> str | None:
        """ "less", "equal" or "greater" at the program's parameter values; None if it cannot be decided."""
        if a == b and not a.is_infinite:
            return "equal"
        if (a, b) not in self._compared:
            self._compared[a, b] = compare(a, b, self.values)
        return self._compared[a, b]

    def sign(self, formula: Formula) -> int | None:
        """-1, 0 or 1 at the program's parameter values; None if it cannot be decided."""
        relation = self.compare(formula, ZERO)
        return None if relation is None else {"less": -1, "equal": 0, "greater": 1}[relation]

    def at_most(self, a: Formula, b: Formula) -> bool:
        """True only if a <= b for certain."""
        return self.compare(a, b) in ("less", "equal")
