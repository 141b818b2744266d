"""Claims that hold of every algorithm, or of none, whatever it does: bounds beyond what a probability can be.

Written with numbers they are errors; with parameters they may come about at some of their values only.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, at_most, compare
from seqlang.model.expression import Apply
from seqlang.model.program import Claim, Program
from seqlang.operators.groups import LESS, ORDERINGS, STRICT, TURNED
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


def allows_everything(program: Program, claim: Claim) -> bool:
    """Is it a claim of (epsilon, delta)-privacy with a delta that is certainly 1 or more?"""
    privacy = claim.privacy
    if privacy is None or privacy.notion != "dp":
        return False
    delta = formula_of(program, privacy.arguments[1])
    return delta is not None and at_most(ONE, delta, parameter_values(program))


def decided_by_its_bound(program: Program, claim: Claim) -> tuple[bool, str] | None:
    """(whether it holds, why) of a claim on a probability whose bound lies where no probability does; else None."""
    found = _bound(program, claim)
    if found is None:
        return None
    sense, bound = found
    values = parameter_values(program)
    below, above = compare(bound, ZERO, values), compare(bound, ONE, values)
    most, strict = sense in LESS, sense in STRICT
    if (
        (above == "greater" or (above == "equal" and not strict))
        if most
        else (below == "less" or (below == "equal" and not strict))
    ):
        return True, "a probability lies between 0 and 1: at these parameters the bound says nothing"
    if (
        (below == "less" or (below == "equal" and strict))
        if most
        else (above == "greater" or (above == "equal" and strict))
    ):
        return False, "a probability lies between 0 and 1: at these parameters no algorithm meets the bound"
    return None


def _bound(program: Program, claim: Claim) -> tuple[str, Formula] | None:
    """(<=, b) of `probability(C) <= b`, whichever way round it is written."""
    match claim.condition:
        case Apply(sense, (Apply("probability"), bound)) if sense in ORDERINGS:
            formula = formula_of(program, bound)
            return None if formula is None else (sense, formula)
        case Apply(sense, (bound, Apply("probability"))) if sense in ORDERINGS:
            formula = formula_of(program, bound)
            return None if formula is None else (TURNED[sense], formula)
    return None
