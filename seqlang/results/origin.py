"""What a result was computed from."""

from __future__ import annotations

from seqlang.model.program import Program
from seqlang.record import record
from seqlang.source import Source


@record
class Origin:
    """The text of the spec, and its model with the parameters' values. Pictures draw sample paths of it, and carry the
    hash of the text."""

    source: Source
    program: Program

    @property
    def heading(self) -> str:
        """Of a picture."""
        program = self.program
        return f"{program.name}: {program.title}" if program.title else program.name
