"""The worst case: bounds against witnesses, against verdicts, and against what other bounds convert to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions.contradiction import BEYOND, Contradiction, above
from seqlang.analyses.contradictions.upper import Notion, Upper, about, differ, said
from seqlang.analyses.refute import ORDERS, length_of
from seqlang.analyses.witnesses.confirm import epsilon_at, renyi
from seqlang.model.program import Program
from seqlang.proof.witness import Witness
from seqlang.rules.claims import longest_run

LOOSE = 1e-6
"""What is forgiven between a bound and what another bound converts to: these are optimised numerically."""


def exceeded(witness: Witness, upper: Upper) -> Iterator[Contradiction]:
    """A pair of neighbours whose loss is above the bound."""
    if upper.horizon is not None and length_of(witness) > upper.horizon:
        return
    seen = {
        "pure": witness.lower if upper.horizon is None else witness.loss,
        "dp": epsilon_at(witness, upper.delta),
        "rdp": renyi(witness, upper.order) if upper.notion == "rdp" and upper.order > 1 else 0.0,
        "zcdp": max(renyi(witness, order) / order for order in ORDERS) if upper.notion == "zcdp" else 0.0,
    }[upper.notion]
    if above(seen, upper.size):
        yield differ(upper, "a witness, recomputed,", seen)


def refuted_though_bounded(
    program: Program, uppers: Sequence[Upper], verdicts: Sequence[Verdict]
) -> Iterator[Contradiction]:
    """Claims that are refuted although a bound implies them."""
    end = longest_run(program)
    for verdict in verdicts:
        if verdict.claim.kind != "strong" or verdict.verdict != "refuted":
            continue
        claim = said(program, verdict.claim)
        for upper in uppers if claim is not None else ():
            assert claim is not None
            if upper.by != claim.by and _covers(upper, claim, end) and _implied(upper, claim):
                yield Contradiction(about(claim), upper.by, f"at most {upper.size:.10g}", claim.by, "refuted")


def _covers(upper: Upper, claim: Upper, end: int | None) -> bool:
    """Runs of all the lengths that the claim speaks of."""
    if upper.horizon is None or (end is not None and end <= upper.horizon):
        return True
    return claim.horizon is not None and claim.horizon <= upper.horizon


def _implied(upper: Upper, claim: Upper) -> bool:
    """Whether the bound says at least what the claim says, by as much as is forgiven."""
    limit = claim.size * (1 - BEYOND) - 1e-12
    match upper.notion, claim.notion:
        case ("pure", "pure" | "dp" | "rdp") | ("zcdp", "zcdp"):
            return upper.size <= limit
        case "pure", "zcdp":
            return upper.size**2 / 2 <= limit
        case "dp", "dp":
            return upper.delta <= claim.delta and upper.size <= limit
        case "rdp", "rdp":
            return upper.order >= claim.order and upper.size <= limit
        case "zcdp", "rdp":
            return claim.order * upper.size <= limit
        case _:
            return False


def conversions(uppers: Sequence[Upper]) -> Iterator[Contradiction]:
    """The least bound of each notion is no larger than what the least bound of another notion converts to."""
    least: dict[tuple[Notion, float, float], Upper] = {}
    for upper in uppers:
        key = upper.notion, upper.order, upper.delta
        if upper.by.startswith("the proof") and (key not in least or upper.size < least[key].size):
            least[key] = upper
    pure, zcdp = least.get(("pure", inf, 0.0)), least.get(("zcdp", 1.0, 0.0))
    for upper in least.values():
        limits = []
        if pure is not None and upper.notion != "pure":
            limits.append((pure, pure.size * pure.size / 2 if upper.notion == "zcdp" else pure.size))
        if zcdp is not None and zcdp.horizon is None and upper.notion == "rdp":
            limits.append((zcdp, upper.order * zcdp.size))
        for other, limit in limits:
            if above(upper.size, limit, LOOSE):
                yield Contradiction(
                    about(upper), upper.by, f"{upper.size:.10g} and no less", other.by, f"at most {limit:.10g}"
                )
