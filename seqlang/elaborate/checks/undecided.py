"""Jumps of which neither exact arithmetic nor a guarded run finds out how they come out."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.elaborate.problems import Problems
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.expression import Expression
from seqlang.model.jumps import Jumps, jumps_of
from seqlang.model.program import Program, expressions_in
from seqlang.model.wholes import Guarded
from seqlang.source import Span


def undecided(problems: Problems, program: Program) -> None:
    """Reports every such jump of the step, of a noise's law and of a model."""
    jumps = jumps_of(program)
    seen: set[int] = set()
    for part in (*program.body, *program.noises, *program.models):
        for expression in expressions_in(part):
            for reason, span in _undecidable(jumps, expression, part.span, seen):
                help = "round the numbers that are compared, or move them a little"
                problems.add("E0419", f"exact arithmetic does not decide this: {reason}", span, help=help)


def _undecidable(jumps: Jumps, e: Expression, span: Span, seen: set[int]) -> Iterator[tuple[str, Span]]:
    """`seen`: by identity the expressions that were looked at."""
    if id(e) in seen:
        return
    seen.add(id(e))
    here = getattr(e, "span", span)
    here = here if here.end else span
    match jumps.run(e):
        case Undecidable(reason):
            if not jumps.rationals.of(e):
                yield reason, here
        case Decided():
            pass
        case Guarded(expression):
            yield from _undecidable(jumps, expression, here, seen)
        case form:
            for part in jumps.parts(e) if form is e else (form,):
                yield from _undecidable(jumps, part, here, seen)
