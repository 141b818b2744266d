"""Jumps of which neither exact arithmetic nor a guarded run finds out how they come out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from seqlang.arithmetic.formula import Formula
from seqlang.elaborate.problems import Problems
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.constants import exactly
from seqlang.model.domain import Finite, Power
from seqlang.model.exact_numbers import Undecided, nearest, order
from seqlang.model.expression import Expression, Law, Noised, Sequence, Weights, WeightsOf
from seqlang.model.jumps import Jumps, jumps_of
from seqlang.model.lines import ONE
from seqlang.model.noise_scales import depends_on
from seqlang.model.program import Program, expressions_in, nodes_in
from seqlang.model.wholes import Guarded
from seqlang.source import Span


def undecided(problems: Problems, program: Program) -> None:
    """Reports every such jump of the step, of a noise's law and of a model."""
    for reason, span in _one_double(program):
        problems.add(
            "E0419", f"exact arithmetic does not decide this: {reason}", span, help="write them with fewer digits"
        )
    for span in _few_digits(program):
        problems.add(
            "E0419", "floats know too few digits of this constant: it is computed from chances, and may be next to 0",
            span, help="write the number itself",
        )  # fmt: skip
    jumps = jumps_of(program)
    seen: set[int] = set()
    for part in (*program.body, *program.noises, *program.models):
        for expression in expressions_in(part):
            for reason, span in _undecidable(jumps, expression, part.span, seen):
                help = "round the numbers that are compared, or move them a little"
                problems.add("E0419", f"exact arithmetic does not decide this: {reason}", span, help=help)


def _one_double(program: Program) -> Iterator[tuple[str, Span]]:
    """Domains and listed laws of which a run cannot tell two values."""
    jumps = jumps_of(program)
    for field in program.inputs:
        domain = field.domain.of if isinstance(field.domain, Power) else field.domain
        if isinstance(domain, Finite) and not _are_told(jumps, domain.values):
            yield f"`{field.name}` has two values that are one number of the machine", field.span
    for model in program.models:
        if any(jumps.sums_values(law) and jumps.grids.law(law).exact for _, law in model.laws):
            yield "data that are sums, of which doubles do not know the values", model.span
    for part in (*program.body, *program.noises, *program.models):
        for e in nodes_in(part):
            values: tuple[Expression, ...] = ()
            match e:
                case Weights(pairs):
                    values = tuple(value for value, _ in pairs)
                case Law("uniform", (Sequence("set", items),)):
                    values = items
            if not _are_told(jumps, values):
                yield "a law has two values that are one number of the machine", part.span


def _few_digits(program: Program) -> Iterator[Span]:
    """Constants among the weights and arguments of laws, and factors of noises, of which doubles may have lost digits:
    exact arithmetic knows no chances of most laws."""
    smooth = jumps_of(program).smooth
    for part in (*program.body, *program.noises, *program.models):
        for e in nodes_in(part):
            factors = tuple((term.factor, None) for term in e.terms) if isinstance(e, Noised) else ()
            for number, width in (*depends_on(smooth.grids, e), *factors):
                # weights next to 0 are looked at where something is decided by them, see `laws/tiny.py`
                width = ONE if isinstance(e, Weights | WeightsOf) else width
                if smooth.grids.is_constant(number) and not smooth.is_known(number, width):
                    yield part.span


def _are_told(jumps: Jumps, values: tuple[Expression, ...]) -> bool:
    constants = [exactly(v, jumps.grids.values) for v in values if jumps.grids.is_constant(v)]
    numbers = {v for v in constants if isinstance(v, Fraction | Formula)}
    try:
        return len(set(map(nearest, numbers))) == len(numbers) or all(
            order(a, b) == 0 for a, b in combinations(numbers, 2) if nearest(a) == nearest(b)
        )
    except (Undecided, OverflowError):
        return False


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
