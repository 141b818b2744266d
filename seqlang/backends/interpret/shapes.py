"""The shape of an expression's value, read off the program: what an empty sum of vectors is a sum of."""

from __future__ import annotations

from seqlang.backends.interpret.code import Expressions
from seqlang.backends.interpret.values import as_index
from seqlang.model import expression as ir
from seqlang.model.domain import Ball, Domain, Power
from seqlang.model.program import Draw, Previous, Report
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import COUNTS, PLACES

UNKNOWN = 0
"""The length of a list that grows, or whose length depends on the data."""


def shape_of_expression(compiler: Expressions, e: ir.Expression) -> tuple[int, ...]:
    """() for a scalar, (d,) for a vector of d coordinates, (k, d) for k of them."""
    program = compiler.program

    def of(x: ir.Expression) -> tuple[int, ...]:
        return shape_of_expression(compiler, x)

    match e:
        case ir.Field(name):
            entry = program.input(name)
            one = shape_of_domain(compiler, entry.domain)
            return (_size(compiler), *one) if entry.kind == "dataset" else one
        case ir.Local(name):
            if name not in compiler.shapes:
                compiler.shapes[name] = of(program.define(name).expression)
            return compiler.shapes[name]
        case ir.CellValue(name):
            cell = program.cell(name)
            if cell.operator in COUNTS:
                return ()
            if isinstance(cell.keep, Previous):
                return of(cell.keep.initial)  # the body may read the cell itself
            return (UNKNOWN, *of(cell.body)) if cell.operator == "list" else of(cell.body)
        case ir.MemoryValue(name):
            return of(next(m for m in program.memories if m.name == name).initial)
        case ir.Reported(name):
            report = next(s for s in program.body if isinstance(s, Report) and s.name == name)
            return () if report.value is None else of(report.value)
        case ir.Drawn(name):
            draws = [n.law for n in program.noises if n.name == name]
            draws += [s.law for s in program.body if isinstance(s, Draw) and s.name == name]
            return of(draws[0])
        case ir.Noised(_, base, _):
            return of(base)
        case ir.Apply(operator, arguments, _):
            return _of_apply(compiler, operator, arguments)
        case ir.Choice(_, yes, no):
            return of(yes) or of(no)
        case ir.Index(base, _, _):
            return of(base)[1:]
        case ir.Sequence(_, items):
            return (len(items), *(of(items[0]) if items else ()))
        case ir.Quantified(operator, body, _, domain, _, _):
            if operator in ("list", "set"):
                return (UNKNOWN if e.where is not None else _length(compiler, domain), *of(body))
            if operator in PLACES:
                return of(domain)[1:] if not isinstance(domain, ir.RealVectors) else of(domain)
            return () if operator == "count" else of(body)
        case ir.RealVectors(dimension, _):
            return (int(compiler.constant(dimension)),)
        case ir.Law(family, arguments, _):
            return _of_law(compiler, family, arguments)
        case _:
            return ()


def shape_of_domain(compiler: Expressions, domain: Domain) -> tuple[int, ...]:
    """The shape of one value of the domain."""
    if isinstance(domain, (Ball, Power)):
        return (int(compiler.constant(domain.dimension)),)
    return ()


def declared_records(compiler: Expressions) -> range:
    """The numbers of the records, as many as the program declares."""
    return range(1, _size(compiler) + 1)


def _size(compiler: Expressions) -> int:
    """The declared number of records."""
    return UNKNOWN if compiler.program.size is None else as_index(compiler.constant(compiler.program.size))


def _length(compiler: Expressions, domain: ir.Expression) -> int:
    """How many elements a constant domain has."""
    if isinstance(domain, ir.Records):
        return _size(compiler)
    return UNKNOWN if compiler.compile(domain).reads else len(compiler.constant(domain))


def _of_apply(compiler: Expressions, operator: str, arguments: tuple[ir.Expression, ...]) -> tuple[int, ...]:
    if operator == "zeros":
        return (UNKNOWN if compiler.compile(arguments[0]).reads else int(compiler.constant(arguments[0])),)
    if operator == "..":
        return (_length(compiler, ir.Apply(operator, arguments)),)
    result = OPERATORS[operator].result
    if result in ("number", "truth"):
        return ()
    shapes = [shape_of_expression(compiler, a) for a in arguments]
    if result == "fold" and len(arguments) == 1:
        return shapes[0][1:]
    return max(shapes, key=len, default=())


def _of_law(compiler: Expressions, family: str, arguments: tuple[ir.Expression, ...]) -> tuple[int, ...]:
    if family == "l2_laplace":
        return (int(compiler.constant(arguments[1])),) if len(arguments) > 1 else ()
    if family == "uniform" and len(arguments) == 1:
        domain = shape_of_expression(compiler, arguments[0])
        return domain if isinstance(arguments[0], ir.RealVectors) else domain[1:]
    if family == "sample":
        return (UNKNOWN,)
    return max((shape_of_expression(compiler, a) for a in arguments), key=len, default=())
