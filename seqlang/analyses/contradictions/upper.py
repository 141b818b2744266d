"""What is held for proved in the worst case, from whatever part of the tool, in one form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Literal

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions.contradiction import Contradiction
from seqlang.arithmetic.formula import enclose
from seqlang.arithmetic.rounding import fraction_down, fraction_up
from seqlang.model.expression import Expression
from seqlang.model.program import Claim, Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.record import record
from seqlang.rules.computed import bound_up
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

Notion = Literal["pure", "dp", "rdp", "zcdp"]


@record
class Upper:
    """A strong bound that somebody holds for proved. `size` is the epsilon (rho for zcdp); `horizon` the steps it is
    about (None: runs of every length)."""

    by: str
    notion: Notion
    size: float
    delta: float
    order: float
    horizon: int | None


def uppers_of(program: Program, bounds: Bounds, verdicts: Sequence[Verdict]) -> Iterator[Upper]:
    """The bounds that were found, those that claims were proved by, and proved claims themselves."""
    best = (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp, *bounds.alternatives)
    of_claims = (v.derivation for v in verdicts)
    for derivation in dict.fromkeys(d for d in (*best, *of_claims) if d is not None):
        yield upper_of(program, derivation)
    for verdict in verdicts:
        if verdict.claim.kind == "strong" and verdict.verdict == "proved":
            claimed = said(program, verdict.claim)
            if claimed is not None:
                yield claimed


def upper_of(program: Program, derivation: Derivation) -> Upper:
    by = f"the proof by {derivation.rule}"
    size = bound_up(program, derivation.conclusion)
    match derivation.conclusion:
        case PureBound():
            return Upper(by, "pure", size, 0.0, inf, None)
        case ConcentratedBound(horizon=horizon):
            return Upper(by, "zcdp", size, 0.0, 1.0, horizon)
        case RenyiBound(order=order, horizon=horizon):
            return Upper(by, "rdp", size, 0.0, fraction_down(order), horizon)
        case ApproximateBound(delta=delta, horizon=horizon):
            return Upper(by, "dp", size, fraction_up(delta), 1.0, horizon)


def said(program: Program, claim: Claim) -> Upper | None:
    """A strong claim as a bound; a refuted one says that it does not hold."""
    assert claim.privacy is not None
    numbers = [_high(program, argument) for argument in claim.privacy.arguments]
    horizon = None if claim.horizon is None else _high(program, claim.horizon)
    if any(n is None for n in numbers) or horizon == inf:
        return None
    known = [n for n in numbers if n is not None]
    steps = None if horizon is None else int(horizon)
    by = f"the verdict on `{claim.text}`"
    match claim.privacy.notion:
        case "pure":
            return Upper(by, "pure", known[0], 0.0, inf, steps)
        case "dp":
            return Upper(by, "dp", known[0], known[1], 1.0, steps)
        case "rdp":
            return Upper(by, "rdp", known[1], 0.0, known[0], steps)
        case "zcdp":
            return Upper(by, "zcdp", known[0], 0.0, 1.0, steps)


def _high(program: Program, expression: Expression) -> float | None:
    formula = formula_of(program, expression)
    return None if formula is None or formula.is_infinite else enclose(formula, parameter_values(program)).high


def differ(upper: Upper, by: str, seen: float) -> Contradiction:
    """Somebody saw more than the bound allows."""
    return Contradiction(about(upper), upper.by, f"at most {upper.size:.10g}", by, f"at least {seen:.10g}")


def about(upper: Upper) -> str:
    """What the bound is about."""
    return {
        "pure": "the pure epsilon",
        "dp": f"the epsilon at delta {upper.delta:.6g}",
        "rdp": f"the Renyi divergence of order {upper.order:.6g}",
        "zcdp": "the rho of zCDP",
    }[upper.notion]
