"""What a spec learns from: which of its fields are the attributes and the label, which parameters the rows decide, and
in which steps a label is looked at."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.backends.train.choose import question
from seqlang.diagnostics import SpecError
from seqlang.model import expression as ir
from seqlang.model.domain import Ball, Finite, Power
from seqlang.model.print import show_expression
from seqlang.model.program import Cell, Program, Stop
from seqlang.model.program import nodes_in as nodes_of
from seqlang.record import record


@record
class Learner:
    """`attributes` and `label` are fields; `width` and `count` the parameters for the number of attributes and of rows
    to train on (None: another spec says it otherwise). `predicted` and `truth` are conditions on one row, `bought`
    counts the labels that were looked at so far (None: all of them are there from the start). `streamed`: one row a
    step."""

    attributes: str
    label: str
    width: str | None
    count: str | None
    predicted: str
    truth: str
    bought: str | None
    streamed: bool


def learner_of(program: Program) -> Learner:
    """Raises SpecError E0627 for what learns no separator of two labels."""
    predicted, truth = question(program, None, None)
    vectors = [i for i in program.inputs if isinstance(i.domain, Ball | Power)]
    labels = [i for i in program.inputs if isinstance(i.domain, Finite)]
    if len(vectors) != 1 or len(labels) != 1:
        raise SpecError.of("E0627", f"`{program.name}` has not one vector of attributes and one label")
    domain, label = vectors[0].domain, labels[0].name
    assert isinstance(domain, Ball | Power)
    streamed = not any(i.kind == "dataset" for i in program.inputs)
    return Learner(
        vectors[0].name, label, _parameter(domain.dimension), _count(program), predicted, truth,
        _bought(program, label) if streamed else None, streamed,
    )  # fmt: skip


def is_learner(program: Program) -> bool:
    """Whether it learns a separator of two labels."""
    try:
        learner_of(program)
    except SpecError:
        return False
    return True


def _parameter(e: ir.Expression | None) -> str | None:
    return e.name if isinstance(e, ir.ParameterValue) else None


def _count(program: Program) -> str | None:
    """That of a dataset's size, or of the last step."""
    ends = [program.size]
    for statement in program.body:
        match statement:
            case Stop(when=ir.Apply(">=", (ir.StepNumber(), bound))):
                ends.append(bound)
    return next((name for end in ends if (name := _parameter(end)) is not None), None)


def _bought(program: Program, label: str) -> str:
    """A sum over steps that reads the label reads it in the steps that it keeps; without such a sum it is read in
    every step."""
    for cell in program.body:
        if isinstance(cell, Cell) and _reads(cell.body, label) and cell.where is not None:
            kept = [show_expression(part, program) for part in _parts(cell.where) if not _reads(part, label)]
            if kept:
                return f"count({' and '.join(f'({part})' for part in kept)} over steps)"
    return "step"


def _parts(e: ir.Expression) -> Iterator[ir.Expression]:
    match e:
        case ir.Apply("and", arguments):
            for part in arguments:
                yield from _parts(part)
        case _:
            yield e


def _reads(e: ir.Expression, field: str) -> bool:
    return any(isinstance(node, ir.Field) and node.name == field for node in nodes_of(e))
