"""Which expressions are vectors, and how many coordinates they have."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, number
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.domain import Ball, Power
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Drawn,
    Expression,
    Field,
    Index,
    Law,
    Noised,
    Quantified,
    RealVectors,
    Sequence,
)
from seqlang.model.program import AtReports, Previous
from seqlang.rules.sensitivity.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts import RECORD, Facts


def is_vector(facts: Facts, expression: Expression) -> bool:
    """True if the (expanded) expression is a vector or list; scalars and truth values are not."""
    match expression:
        case Field(name):
            source = facts.inputs.get(name)
            return source is not None and (
                isinstance(source.domain, (Ball, Power)) or (source.kind == "dataset" and not name.endswith(RECORD))
            )
        case Sequence() | Quantified("list" | "set") | RealVectors() | Apply("zeros" | "project" | "clip_norm"):
            return True
        case Quantified("sum" | "mean", body):
            return is_vector(facts, body)
        case Quantified("argmin" | "argmax", _, _, RealVectors()):
            return True
        case Apply("+" | "-" | "*" | "/" | "negate" | "clip" | "^", arguments):
            return any(is_vector(facts, argument) for argument in arguments)
        case Apply("abs" | "exp" | "log" | "sqrt" | "floor" | "ceil" | "log2", (argument,)):
            return is_vector(facts, argument)
        case Apply("max" | "min", arguments) if len(arguments) > 1:
            return any(is_vector(facts, argument) for argument in arguments)
        case Choice(_, yes, no):
            return is_vector(facts, yes) or is_vector(facts, no)
        case Noised(_, base, _):
            return is_vector(facts, base)
        case Index(base, _):
            return _holds_vectors(facts, base)
        case Drawn(name):
            law = facts.noises[name].law if name in facts.noises else None
            return isinstance(law, Law) and facts_of_law(law.family).joint
        case CellValue(name):
            return name in facts.cells and _vector_cell(facts, name)
    return False


def _holds_vectors(facts: Facts, base: Expression) -> bool:
    match base:
        case Field(name):
            source = facts.inputs.get(name)
            return source is not None and source.kind == "dataset" and isinstance(source.domain, (Ball, Power))
        case Sequence(_, items):
            return any(is_vector(facts, item) for item in items)
        case Quantified("list", body):
            return is_vector(facts, body)
    return False


def _vector_cell(facts: Facts, name: str) -> bool:
    cell = facts.cells[name]
    if isinstance(cell.keep, AtReports):
        return True
    if isinstance(cell.keep, Previous):
        return is_vector(facts, facts.expand(cell.keep.initial))
    return is_vector(facts, facts.expand(cell.body))


def dimension(facts: Facts, expression: Expression) -> Formula | None:
    """How many coordinates a vector has, if that is constant."""
    match expression:
        case Field(name) if name in facts.inputs:
            source = facts.inputs[name]
            if source.kind == "dataset" and not name.endswith(RECORD):
                return None if facts.program.size is None else evaluate_number(facts, facts.program.size)
            if isinstance(source.domain, (Ball, Power)):
                return evaluate_number(facts, source.domain.dimension)
        case Sequence("list", items):
            return number(len(items))
        case Quantified("list", _, _, domain, None):
            values = evaluate(facts, domain)
            return number(len(values)) if isinstance(values, tuple) else None
        case Apply("zeros", (size,)):
            return evaluate_number(facts, size)
        case Apply("+" | "-" | "*" | "/" | "negate" | "project" | "clip_norm" | "clip" | "abs", arguments):
            found = [dimension(facts, argument) for argument in arguments if is_vector(facts, argument)]
            return found[0] if found else None
        case Choice(_, yes, no):
            return dimension(facts, yes) or dimension(facts, no)
        case Noised(_, base, _):
            return dimension(facts, base)
        case CellValue(name) if name in facts.cells and not isinstance(facts.cells[name].keep, AtReports):
            return dimension(facts, facts.expand(facts.cells[name].body))
    return None
