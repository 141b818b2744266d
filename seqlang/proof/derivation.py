"""What a proof is: judgements, derivations. No search happens here."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import DELTA, ORDER, Formula, number, substitute
from seqlang.record import record


@record
class PureBound:
    """Strong pure epsilon-DP of the named gates together (in nats)."""

    gates: tuple[str, ...]
    epsilon: Formula


@record
class RenyiBound:
    """Strong (order, epsilon)-RDP of the named gates together, epsilon read at ORDER = order; `horizon` is the number
    of steps it holds for."""

    gates: tuple[str, ...]
    order: Fraction
    epsilon: Formula
    horizon: int | None


@record
class ConcentratedBound:
    """Strong rho-zCDP."""

    gates: tuple[str, ...]
    rho: Formula
    horizon: int | None


@record
class ApproximateBound:
    """Strong (epsilon, delta)-DP, epsilon read at DELTA = delta."""

    gates: tuple[str, ...]
    epsilon: Formula
    delta: Fraction
    horizon: int | None


Judgement = PureBound | RenyiBound | ConcentratedBound | ApproximateBound


def steps_of(judgement: Judgement) -> int | None:
    """The number of steps that the bound holds for; None: any number."""
    return None if isinstance(judgement, PureBound) else judgement.horizon


def amount(judgement: Judgement) -> Formula:
    """The epsilon (of zCDP: the rho), over the parameters and over ORDER or DELTA."""
    return judgement.rho if isinstance(judgement, ConcentratedBound) else judgement.epsilon


def settled(judgement: Judgement) -> Formula:
    """The epsilon or rho over the parameters alone: the bound's own order or delta is put in."""
    match judgement:
        case RenyiBound(_, order, epsilon):
            return substitute(epsilon, {ORDER.name: number(order)})
        case ApproximateBound(_, epsilon, delta):
            return substitute(epsilon, {DELTA.name: number(delta)})
    return amount(judgement)


@record
class Derivation:
    """`rule` names a rule (`alignment/stopping`); `evidence` is the data that its `holds` needs, such as the alignment;
    `because` is one sentence for people; `cite` the source with theorem number."""

    conclusion: Judgement
    rule: str
    premises: tuple[Derivation, ...] = ()
    evidence: object = None
    because: str = ""
    cite: str = ""
