"""Which programs are released: those that are computed exactly, and that no private value can make fail."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from seqlang.model import expression as ir
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.expression import walk
from seqlang.model.life import EachStep
from seqlang.model.program import (
    AddRemove,
    Cell,
    Draw,
    Program,
    Report,
    Statement,
    Stop,
    Update,
    Within,
    expressions_in,
    expressions_read,
)
from seqlang.operators.groups import DIVISIONS, FOLDS, PARTIAL
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import ON_PRIVATE, NoValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.noise import drawer_of
from seqlang.release.exact.reading import Irrational, Single, is_private
from seqlang.release.exact.run import ExactRun

OF_SOME = FOLDS & PARTIAL
"""Folds that have no value where there is nothing to fold."""
__all__ = ["is_private", "is_shown_at_once", "keeps_noise", "lasts", "obstacles"]


def obstacles(program: Program) -> list[str]:
    """Why the program is not released, a sentence each; none if it is."""
    return list(dict.fromkeys(_obstacles(program)))


def _obstacles(program: Program) -> Iterator[str]:
    compiler, irrational, single = Compiler(program), Irrational(program), Single(program)
    for noise in program.noises:
        try:
            drawer_of(noise, compiler)
        except (NotExact, NoValue) as why:
            yield f"`{noise.name}`: {why}."
    yield from _of_inputs(program, compiler)
    for statement in program.body:
        for expression in expressions_in(statement):
            for part in walk(expression):
                yield from _of_part(program, compiler, irrational, single, part)
        yield from _of_statement(program, irrational, statement)
        yield from _of_empty_sums(program, compiler, single, statement)
    yield from _of_start(program)


def _of_inputs(program: Program, compiler: Compiler) -> Iterator[str]:
    for field in program.inputs:
        if field.kind != "public" and not _is_exact(field.domain, compiler):
            yield f"`{field.name}` has a domain whose entries are not read exactly."
    if len({field.kind == "dataset" for field in program.inputs}) > 1:
        yield "it reads a data set and a stream."
    yield from _of_neighbours(program, compiler)


def _of_neighbours(program: Program, compiler: Compiler) -> Iterator[str]:
    """Entries are moved into their domain when they are read. The price is about neighbours in the domain, so those of
    the account, which knows of no domain, must not be moved apart. The ends of an interval move nothing apart."""
    match program.adjacency:
        case Within(ir.Field(name), radius):
            apart, domain = _constant(compiler, radius), program.input(name).domain
            if apart is None:
                yield "how far neighbours are apart is no rational number."
            elif not _keeps_within(domain, apart, compiler):
                yield f"entries `{name}` that are {apart} apart may be read as values that are further apart."
        case Within():
            yield "neighbours are measured by something else than one field, and may be moved apart when read."


def _keeps_within(domain: object, apart: Fraction, compiler: Compiler) -> bool:
    """Whether numbers that are so far apart at most are read as values that are no further apart."""
    match domain:
        case Integers():
            return apart.denominator == 1
        case Finite(values):
            listed = sorted({v for e in values if (v := _constant(compiler, e)) is not None})
            halves = [(low + high) / 2 for low, high in pairwise(listed)]
            return all(
                halves[j - 1] - halves[i] >= apart or listed[j] - listed[i] <= apart
                for j in range(1, len(listed)) for i in range(j)
            )  # fmt: skip
    return True


def _of_start(program: Program) -> Iterator[str]:
    """What fails before the first step: the length of a window, the letters of a randomised response."""
    try:
        ExactRun(program, records=dict.fromkeys(program.data_set, ()))
    except (NotExact, NoValue) as why:
        yield f"{_sentence(str(why))}."


def _of_statement(program: Program, irrational: Irrational, statement: Statement) -> Iterator[str]:
    match statement:
        case Cell(operator=operator) if operator in OF_SOME:
            if any(is_private(program, e) for e in expressions_in(statement)):
                yield f"`{operator}` over time of private values may have no value."
        case Draw(name, law):
            if is_private(program, law):
                yield f"the law of `{name}` depends on private values."
            elif not isinstance(law, ir.Weights | ir.WeightsOf) or irrational.may_be(law):
                yield f"the law of `{name}` is not drawn exactly: listed laws with rational weights are."
        case Update(memory):
            if any(is_private(program, e) for e in expressions_in(statement)):
                yield f"`{memory}` remembers private values."
        case Report(name=name, value=shown) if shown is not None and irrational.may_be(shown):
            yield f"`{name}` shows a number that may not be rational: round it."
        case Stop(result=result) if result is not None and irrational.may_be(result):
            yield "what is returned may not be rational: round it."


def _of_part(
    program: Program, compiler: Compiler, irrational: Irrational, single: Single, part: ir.Expression
) -> Iterator[str]:
    """Of one expression, without those inside of it."""
    try:
        if not isinstance(part, ir.RealVectors | ir.ReleasedValue):
            compiler.compile(part)
    except NotExact as why:
        yield f"{_sentence(str(why))}."
        return
    match part:
        case ir.Apply(operator, arguments) if any(is_private(program, a) for a in arguments):
            if any(map(irrational.may_be, arguments)):
                yield f"`{operator}` of a private value and of a number that may not be rational: round that one."
            yield from _of_private_apply(program, compiler, operator, arguments)
        case ir.Noised(name, base, terms) if irrational.may_be(base) or any(irrational.may_be(t.factor) for t in terms):
            yield f"the noisy `{name}` may not be rational."
        case ir.Index(base, at):
            if is_private(program, at):
                yield "the position of an element is private, and may be none."
            elif is_private(program, base) and isinstance(program.adjacency, AddRemove):
                yield "a record at a position may not be there."
        case ir.Density(_, law, at) if is_private(program, law) or is_private(program, at):
            yield "the density of a private value is not rational: put the entries on a grid."
        case ir.Choice(test, yes, no) if is_private(program, test) and not all(map(single.is_one, (yes, no))):
            yield "a private choice between lists, which may differ in their length."
        case ir.Sequence("set", items) if any(is_private(program, item) for item in items):
            yield "how many elements a set of private values has is private."
        case ir.Quantified():
            yield from _of_quantified(program, part)


def _of_private_apply(
    program: Program, compiler: Compiler, operator: str, arguments: tuple[ir.Expression, ...]
) -> Iterator[str]:
    divisor = arguments[1] if operator in DIVISIONS else None
    if divisor is not None and not is_private(program, divisor) and _is_constant_above_0(compiler, divisor):
        return
    if operator == "clip" and not _ordered(compiler, arguments):
        yield "`clip` of a private value needs constant ends, the lower one first."
    if operator not in ON_PRIVATE:
        yield f"`{operator}` of a private value is not computed exactly, or may have no value."
    if operator in OF_SOME and len(arguments) == 1 and isinstance(program.adjacency, AddRemove):
        yield f"`{operator}` of records may be that of none."


def _of_quantified(program: Program, e: ir.Quantified) -> Iterator[str]:
    private = any(is_private(program, part) for part in (e.body, e.domain, *(() if e.where is None else (e.where,))))
    if not private:
        return
    chooses = e.where is not None and is_private(program, e.where)
    resized = isinstance(program.adjacency, AddRemove)
    if e.operator in OF_SOME and (e.where is not None or resized):
        yield f"`{e.operator}` of some private values may be that of none."
    if (e.operator == "list" and chooses) or e.operator == "set":
        yield f"how many elements a {e.operator} of private values has is private."


def _of_empty_sums(program: Program, compiler: Compiler, single: Single, statement: Statement) -> Iterator[str]:
    """A sum of lists that is of nothing is computed as the number 0, and would be shown as one number."""
    sums = [
        (part.body, part.where, _is_some(compiler, part.domain))
        for e in expressions_in(statement) for part in walk(e)
        if isinstance(part, ir.Quantified) and part.operator == "sum"
    ]  # fmt: skip
    if isinstance(statement, Cell) and statement.operator == "sum":
        sums.append((statement.body, statement.where, True))
    for body, where, some in sums:
        if not single.is_one(body) and not (some and _takes_all(program, where)):
            yield "a sum of lists may be one of nothing, and has as many numbers as they only if it is not."


def _is_some(compiler: Compiler, domain: ir.Expression) -> bool:
    """Whether a constant domain has an element."""
    try:
        found = compiler.constant(domain)
    except (NotExact, NoValue):
        return False
    return isinstance(found, tuple | range) and len(found) > 0


def _takes_all(program: Program, where: ir.Expression | None) -> bool:
    """Whether the body is computed for every element: what private values leave out counts as nought."""
    return where is None or (
        isinstance(where, ir.Apply) and where.operator in ir.COMPARISONS and is_private(program, where)
    )


def lasts(program: Program) -> bool:
    """Whether a noise that nobody saw lives on after a step: a threshold's, a tree's, or one that is added up."""
    draws = any(not isinstance(s.life, EachStep) for s in program.body if isinstance(s, Draw))
    noises = any(not n.ends_with_step and not is_shown_at_once(program, n.name) for n in program.noises)
    return draws or noises or keeps_noise(program)


def keeps_noise(program: Program) -> bool:
    """Whether a fold over time reads noise, which then outlives its own life."""
    kept = [part for s in program.body if isinstance(s, Cell) for e in expressions_in(s) for part in walk(e)]
    return any(isinstance(part, ir.Noised | ir.Drawn) for part in expressions_read(program, kept))


def is_shown_at_once(program: Program, noise: str) -> bool:
    """Whether the noise is read by one report alone, as itself, when what is public says so: a public coin. That of a
    tree is shown in every step, or its nodes would be known in part."""
    readers = [
        s for s in program.body for e in expressions_in(s) for part in walk(e)
        if (isinstance(part, ir.Drawn) and part.name == noise)
        or (isinstance(part, ir.Noised) and any(t.noise == noise for t in part.terms))
    ]  # fmt: skip
    if len(readers) != 1 or not isinstance(readers[0], Report) or readers[0].value != ir.Drawn(noise):
        return False
    when = readers[0].when
    of_a_tree = any(n.name == noise and n.family == "tree" for n in program.noises)
    return when is None or not (of_a_tree or is_private(program, when))


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
    low, high = (_constant(compiler, e) for e in arguments[1:])
    return low is not None and high is not None and low <= high


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] if not text.startswith("`") else text
