"""Whether two models are the same to the last detail that a proof may read."""

from __future__ import annotations

from seqlang.certificate.write import Writer, written_fields
from seqlang.model.program import Program


def parts_that_differ(first: Program, second: Program) -> tuple[str, ...]:
    """The fields of a program in which they differ as they are written in a certificate. That is more than equality:
    it tells apart variables of the same number over different domains."""

    def written(program: Program, name: str) -> object:
        return Writer().value(getattr(program, name))

    return tuple(name for name in written_fields(Program) if written(first, name) != written(second, name))
