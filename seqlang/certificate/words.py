"""Claims and bounds in words, taken from their structure: the texts in a certificate are not trusted."""

from __future__ import annotations

from typing import assert_never

from seqlang.arithmetic.rounding import fraction_up
from seqlang.model.print import show_expression
from seqlang.model.program import Claim, Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Judgement, PureBound, RenyiBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.computed import bound_up


def claim_words(claim: Claim) -> str:
    """`strong dp(eps, 1 / 10) within 20 steps`; of a claim that is not about privacy its text, which says no more than
    that it stands there."""
    if claim.privacy is None:
        return plain(claim.text.removeprefix("claim "))
    parts = [f"{claim.kind} {claim.privacy.notion}({', '.join(map(show_expression, claim.privacy.arguments))})"]
    if claim.horizon is not None:
        parts.append(f"within {show_expression(claim.horizon)} steps")
    if claim.model is not None:
        parts.append(f"under {claim.model}")
    if claim.per_step:
        parts.append("per step")
    return plain(" ".join(parts))


def bound_words(program: Program, bound: Judgement) -> str:
    """`pure(max(D/lz, D/lw)), at most 1.0`: the numbers as they are, or rounded up."""
    match bound:
        case PureBound(epsilon=epsilon):
            text = f"pure({epsilon}), at most {value_up(program, epsilon)!r}"
        case ConcentratedBound(rho=rho):
            text = f"zcdp({rho}), at most {value_up(program, rho)!r}"
        case RenyiBound(order=order):
            text = f"rdp({order}, {bound_up(program, bound)!r})"
        case ApproximateBound(delta=delta):
            text = f"dp({bound_up(program, bound)!r}, {fraction_up(delta)!r})"
        case _:
            assert_never(bound)
    steps = None if isinstance(bound, PureBound) else bound.horizon
    return plain(text if steps is None else f"{text} within {steps} steps")


def plain(text: str) -> str:
    """Text of a certificate for a terminal: what is no printable character is written as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
