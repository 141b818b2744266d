"""Model values in plain words: adjacency, conclusions, laws, lives."""

from __future__ import annotations

from typing import assert_never

from seqlang.arithmetic.formula import DELTA, ORDER, Formula, Number, substitute, symbol
from seqlang.arithmetic.rounding import fraction_up
from seqlang.model.expression import Expression, Field, walk
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.print import show_adjacency, show_expression
from seqlang.model.program import AddRemove, Norm, Program, Replace, Within
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    Judgement,
    PureBound,
    RenyiBound,
    amount,
    settled,
)
from seqlang.report.numbers import shown_up
from seqlang.rules import find
from seqlang.rules.composition import group_privacy
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.shapes import is_vector
from seqlang.rules.sensitivity.motion.neighbours import as_entry


def adjacency_words(program: Program) -> tuple[str, str]:
    """The declaration in short (`replace one`), and what it means for this program's inputs."""
    records = bool(program.data_set)
    kind = "dataset" if records else "stream"
    fields = ", ".join(i.name for i in program.inputs if i.kind != "public")
    if not fields:
        return "none", "the spec reads no private data"
    match program.adjacency:
        case Replace(count):
            n = show_expression(count)
            one = n == "1"
            return (
                f"replace {'one' if one else n}",
                f"{'one entry' if one else f'at most {n} entries'} of the {kind} ({fields}) replaced by anything in "
                "the domain; the length and all other entries are the same",
            )
        case AddRemove(count):
            n = show_expression(count)
            what = "one record" if n == "1" else f"at most {n} records"
            return f"add or remove {'one' if n == '1' else n}", f"{what} ({fields}) added or removed"
        case Within(of, radius, extent, same, norm):
            where = "at every entry" if extent == "every" else "at one entry"
            how = f"{_in_norm(program, of, norm)} {where}{', all moves in one direction' if same else ''}"
            moves = f"{show_expression(of)} moves by at most {show_expression(radius)}{how}"
            return show_adjacency(program.adjacency), moves + _others(program, of, extent)
        case _:
            assert_never(program.adjacency)


def _in_norm(program: Program, of: Expression, norm: Norm) -> str:
    facts = facts_of(program)
    if not is_vector(facts, as_entry(facts, of)):
        return ""
    return " in each coordinate" if norm == "linf" else f" in {norm} norm"


def _others(program: Program, of: Expression, extent: str) -> str:
    """What private fields that the adjacency does not measure may do."""
    read = {node.name for node in walk(of) if isinstance(node, Field)}
    others = [i.name for i in program.inputs if i.kind != "public" and i.name not in read]
    if not others:
        return ""
    where = "there" if extent == "every" else "in that entry"
    return f"; {', '.join(others)} may become anything {where}"


def life_words(life: Life) -> str:
    """How long one draw lives."""
    match life:
        case Once():
            return "once"
        case EachStep():
            return "each step"
        case EachReport(report):
            return f"each {report}"
        case _:
            assert_never(life)


def conclusion_text(judgement: Judgement) -> str:
    """A judgement as one line."""
    match judgement:
        case PureBound(epsilon=epsilon):
            return f"pure({epsilon})"
        case RenyiBound(order=order, horizon=horizon):
            return f"rdp({float(order):g}, {amount_text(settled(judgement))}){_within(horizon)}"
        case ConcentratedBound(rho=rho, horizon=horizon):
            return f"zcdp({rho}){_within(horizon)}"
        case ApproximateBound(delta=delta, horizon=horizon):
            return f"dp({amount_text(settled(judgement))}, {float(delta):g}){_within(horizon)}"
        case _:
            assert_never(judgement)


def amount_text(formula: Formula) -> str:
    """The formula; a number, which may have been computed and be long, as a number that is rounded up."""
    return shown_up(fraction_up(formula.value)) if isinstance(formula, Number) else str(formula)


def bound_formula(program: Program, derivation: Derivation) -> Formula | None:
    """The epsilon or rho over the parameters, and over `alpha` and `delta` where it is a bound at every order or delta;
    None where it is no formula but a number that was computed. Where a parameter is called alpha or delta, the name of
    the order or of the delta ends with a mark."""
    bound, shown = derivation.conclusion, _symbolic(program, derivation)
    formula = settled(bound) if not is_curve(program, derivation) else amount(bound) if shown is None else shown
    if isinstance(formula, Number) and not isinstance(bound, PureBound) and len(str(formula)) > LONGEST_NUMBER:
        return None
    taken = {parameter.name for parameter in program.parameters}
    names = {ORDER.name: "alpha", DELTA.name: "delta"}
    return substitute(formula, {old: symbol(new + "_" * (new in taken)) for old, new in names.items()})


def _symbolic(program: Program, derivation: Derivation) -> Formula | None:
    rule = find(derivation.rule)
    return None if rule is None or rule.symbolic is None else rule.symbolic(program, derivation)


def is_curve(program: Program, derivation: Derivation) -> bool:
    """Whether the formula is a bound at every order, or at every delta, and not at the derivation's own alone: a rule
    may ask for a delta that is not too small, and a bound at a higher order serves at lower ones."""
    claim = derivation.conclusion
    if isinstance(claim, ApproximateBound):
        return _symbolic(program, derivation) is not None
    if not isinstance(claim, RenyiBound):
        return True
    evidence = derivation.evidence if isinstance(derivation.evidence, tuple) else (derivation.evidence,)
    parts = (*derivation.premises, *(part for part in evidence if isinstance(part, Derivation)))
    curves = [(part, part.conclusion.order) for part in parts if isinstance(part.conclusion, RenyiBound)]
    grown = derivation.rule == group_privacy.NAME
    needed = group_privacy.orders_below(program, claim.order) if grown else (claim.order,)
    return all(order in needed and is_curve(program, part) for part, order in curves)


LONGEST_NUMBER = 9
"""Characters of a number that somebody may have written; what is longer was computed."""


def _within(horizon: int | None) -> str:
    return "" if horizon is None else f" within {horizon} steps"
