"""Which programs are released: those that are computed exactly, and that no private value can make fail."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.model import expression as ir
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.expression import walk
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Draw, Program, Report, expressions_in, expressions_read
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import ON_PRIVATE, NoValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.noise import drawer_of

CELLS = frozenset({"sum", "count", "list", "last"})
"""Folds over time that have a value from the first step on."""


def obstacles(program: Program) -> list[str]:
    """Why the program is not released, a sentence each; none if it is."""
    return list(dict.fromkeys(_obstacles(program)))


def _obstacles(program: Program) -> Iterator[str]:
    compiler = Compiler(program)
    for noise in program.noises:
        try:
            drawer_of(program, noise, compiler)
        except (NotExact, NoValue) as why:
            yield f"`{noise.name}`: {why}."
    for field in program.inputs:
        if field.kind != "public" and not _is_exact(field.domain, compiler):
            yield f"`{field.name}` has a domain whose entries are not read exactly."
    for statement in program.body:
        for expression in expressions_in(statement):
            for part in walk(expression):
                yield from _of_part(program, compiler, part)
        if isinstance(statement, Draw):
            yield from _of_draw(program, statement)
        if isinstance(statement, Cell) and statement.operator not in CELLS and is_private(program, statement.body):
            yield f"`{statement.operator}` over time of private values may have no value."


def _of_part(program: Program, compiler: Compiler, part: ir.Expression) -> Iterator[str]:
    """Of one expression, without those inside of it."""
    try:
        if not isinstance(part, ir.RealVectors | ir.ReleasedValue):
            compiler.compile(part)
    except NotExact as why:
        yield f"{_sentence(str(why))}."
        return
    match part:
        case ir.Apply(operator, arguments) if any(is_private(program, a) for a in arguments):
            divisor = arguments[1] if operator in ("/", "%") else None
            if divisor is not None and not is_private(program, divisor) and _is_constant_above_0(compiler, divisor):
                return
            if operator == "clip" and not _ordered(compiler, arguments):
                yield "`clip` of a private value needs constant ends, the lower one first."
            if operator not in ON_PRIVATE:
                yield f"`{operator}` of a private value is not computed exactly, or may have no value."
        case ir.Index(_, at) if is_private(program, at):
            yield "the position of an element is private, and may be none."
        case ir.Density(_, law, at) if is_private(program, law) or is_private(program, at):
            yield "the density of a private value is not rational: put the entries on a grid."
        case ir.Quantified(operator, body, _, domain) if operator in ("mean", "max", "min", "argmax", "argmin"):
            if (is_private(program, body) or is_private(program, domain)) and part.where is not None:
                yield f"`{operator}` of some private values may be that of none."


def _of_draw(program: Program, draw: Draw) -> Iterator[str]:
    if is_private(program, draw.law):
        yield f"the law of `{draw.name}` depends on private values."


def is_private(program: Program, expression: ir.Expression) -> bool:
    """Whether it reads entries or noise; what was shown is public."""
    inputs = {field.name for field in program.inputs if field.kind != "public"}
    return any(
        isinstance(part, ir.Noised | ir.Drawn) or (isinstance(part, ir.Field) and part.name in inputs)
        for part in expressions_read(program, [expression])
    )


def lasts(program: Program) -> bool:
    """Whether a noise that nobody saw lives on after a step: a threshold's, or one that is added up."""
    lives = {noise.name: isinstance(noise.life, EachStep) for noise in program.noises}
    kept = [part for s in program.body if isinstance(s, Cell) for e in expressions_in(s) for part in walk(e)]
    added = any(isinstance(part, ir.Noised | ir.Drawn) for part in expressions_read(program, kept))
    draws = any(not isinstance(s.life, EachStep) for s in program.body if isinstance(s, Draw))
    return draws or added or not all(lives[name] or _is_shown_at_once(program, name) for name in lives)


def _is_shown_at_once(program: Program, noise: str) -> bool:
    """Whether the noise is read by one report alone, as itself: a public coin, thrown once."""
    readers = [
        s for s in program.body for e in expressions_in(s) for part in walk(e)
        if (isinstance(part, ir.Drawn) and part.name == noise)
        or (isinstance(part, ir.Noised) and any(t.noise == noise for t in part.terms))
    ]  # fmt: skip
    return len(readers) == 1 and isinstance(readers[0], Report) and readers[0].value == ir.Drawn(noise)


def _is_exact(domain: object, compiler: Compiler) -> bool:
    match domain:
        case Finite(values):
            return all(_constant(compiler, v) is not None for v in values)
        case Integers(low, high):
            return all(end is None or _constant(compiler, end) is not None for end in (low, high))
        case Interval(low, high, low_open, high_open):
            closed = not (low is not None and low_open) and not (high is not None and high_open)
            return closed and all(end is None or _constant(compiler, end) is not None for end in (low, high))
    return False


def _constant(compiler: Compiler, e: ir.Expression) -> Fraction | None:
    try:
        found = compiler.constant(e)
    except (NotExact, NoValue):
        return None
    return Fraction(found) if isinstance(found, int | Fraction) else None


def _is_constant_above_0(compiler: Compiler, e: ir.Expression) -> bool:
    found = _constant(compiler, e)
    return found is not None and found > 0


def _ordered(compiler: Compiler, arguments: tuple[ir.Expression, ...]) -> bool:
    ends = [_constant(compiler, e) for e in arguments[1:]]
    return None not in ends and ends[0] <= ends[1]  # type: ignore[operator]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] if not text.startswith("`") else text
