"""Whether two models, or a body and its gates, are the same to the last detail that a proof may read."""

from __future__ import annotations

from seqlang.certificate.write import Writer, written_fields
from seqlang.lowering.lowering import gates_of
from seqlang.model.program import Program


def parts_that_differ(first: Program, second: Program) -> tuple[str, ...]:
    """The fields of a program in which they differ as they are written in a certificate. That is more than equality:
    it tells apart variables of the same number over different domains."""

    def written(program: Program, name: str) -> object:
        return Writer().value(getattr(program, name))

    return tuple(name for name in written_fields(Program) if written(first, name) != written(second, name))


def gates_are_those_of_the_body(program: Program) -> bool:
    """Proofs read the gates, runs the body: gates that are written in a file are made again from the body there. For a
    well-formed program."""
    return bool(Writer().value(program.gates) == Writer().value(gates_of(program)))
