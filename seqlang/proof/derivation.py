"""What a proof is: judgements, derivations. No search happens here."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.record import record


@record
class PureBound:
    """Strong pure epsilon-DP of the named gates together (in nats)."""

    gates: tuple[str, ...]
    epsilon: Formula


@record
class RenyiBound:
    """Strong (order, epsilon)-RDP of the named gates together; `horizon` is the number of steps it holds for."""

    gates: tuple[str, ...]
    order: float
    epsilon: float
    horizon: int | None


@record
class ConcentratedBound:
    """Strong rho-zCDP."""

    gates: tuple[str, ...]
    rho: Formula
    horizon: int | None


@record
class ApproximateBound:
    """Strong (epsilon, delta)-DP."""

    gates: tuple[str, ...]
    epsilon: float
    delta: float
    horizon: int | None


Judgement = PureBound | RenyiBound | ConcentratedBound | ApproximateBound


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
