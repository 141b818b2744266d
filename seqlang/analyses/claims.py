"""The verdict of every claim: proved with a derivation, refuted with a witness, or unknown with the reason."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.declared_size import relies_on_size, sizes_words
from seqlang.analyses.empty_claims import allows_everything, decided_by_its_bound
from seqlang.analyses.prove import DEFAULT_DELTA, prove
from seqlang.analyses.refute import refute, sight
from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.program import Claim, Privacy, Program
from seqlang.process.doing import doing
from seqlang.process.time_limit import OutOfTime, over, poll
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.proof.replay import replay
from seqlang.proof.verdict import VerdictShown, VerdictWord, shown_verdict
from seqlang.proof.witness import Witness
from seqlang.record import record
from seqlang.rules.claims import UndecidedAmount, claimed_amounts, falls_short, steps_claimed
from seqlang.rules.composition import every_algorithm, post_processing
from seqlang.rules.sensitivity.facts.formulas import parameter_values

if TYPE_CHECKING:
    from seqlang.analyses.operating.laws import Laws
    from seqlang.arithmetic.estimate import Estimate


@record
class Verdict:
    """`because` is one sentence. A strong claim that is decided has a derivation or a witness; weak and operating
    claims may be decided by the exact law instead: `because` then holds the numbers."""

    claim: Claim
    verdict: VerdictWord
    because: str
    derivation: Derivation | None = None
    witness: Witness | None = None
    holds: bool | None = None
    """Of a claim that only an estimate decides (`computed`): whether it seems to hold."""
    value: Estimate | None = None
    """Of such a claim: its left side."""

    @property
    def ok(self) -> bool:
        """As expected: proved, or what the claim's `expect` says; computed counts as what it seems to be."""
        return self.seems == (self.claim.expect or "proved")

    @property
    def seems(self) -> Literal["proved", "refuted", "unknown"]:
        """The verdict; of a claim that only an estimate decides, the one that it points to."""
        if self.verdict == "computed":
            return "proved" if self.holds else "refuted"
        return self.verdict

    @property
    def shown(self) -> VerdictShown:
        """Its mark, tone and words."""
        return shown_verdict(self.verdict, self.holds)


def decide(
    program: Program, *, delta: Fraction, horizon: int | None, known: Bounds, witness: Witness | None
) -> tuple[Verdict, ...]:
    """One verdict a claim. `known` are the bounds at `delta` and `horizon`, `witness` the best pair found."""
    from seqlang.analyses.operating.laws import Laws

    laws = Laws(program)
    return tuple(_in_time(program, claim, delta, horizon, known, witness, laws) for claim in program.claims)


def claimed_horizon(program: Program) -> int | None:
    """The longest horizon (steps) that a claim names with `within`; None if none does, or none that is decided."""
    steps: list[int | None] = []
    for claim in program.claims:
        with suppress(UndecidedAmount):
            steps.append(None if claim.horizon is None else steps_claimed(program, claim))
    return max((n for n in steps if n is not None), default=None)


def _in_time(
    program: Program,
    claim: Claim,
    delta: Fraction,
    horizon: int | None,
    known: Bounds,
    witness: Witness | None,
    laws: Laws,
) -> Verdict:
    """The verdict; unknown where the time limit ends the search for one."""
    try:
        return _decide(program, claim, delta, horizon, known, witness, laws)
    except OutOfTime as out:
        return Verdict(claim, "unknown", str(out))


def _decide(
    program: Program,
    claim: Claim,
    delta: Fraction,
    horizon: int | None,
    known: Bounds,
    witness: Witness | None,
    laws: Laws,
) -> Verdict:
    doing(f"claim {claim.text.removeprefix('claim ')}")
    match claim.kind:
        case "operating":
            from seqlang.analyses.operating.claims import decide_operating

            empty = decided_by_its_bound(program, claim)
            if empty is not None:
                return Verdict(claim, "proved" if empty[0] else "refuted", empty[1])
            poll()
            decision = decide_operating(program, claim, laws)
            return Verdict(claim, decision.verdict, decision.because, holds=decision.holds, value=decision.value)
        case "strong" | "weak":
            pass
        case _:
            assert_never(claim.kind)
    assert claim.privacy is not None
    if allows_everything(program, claim):
        nothing = every_algorithm.derivation(program)
        assert not replay(program, nothing)
        return Verdict(claim, "proved", nothing.because, nothing)
    try:
        goal, steps = claimed_amounts(program, claim.privacy), steps_claimed(program, claim)
    except UndecidedAmount as why:
        return Verdict(claim, "unknown", str(why))
    wanted = _exactly(program, goal[1]) if claim.privacy.notion == "dp" else delta
    # without time for another search, what is known may still do
    bounds = known if (steps, wanted) == (horizon, delta) or over() else prove(program, delta=wanted, horizon=steps)
    proof = _proof(program, claim, goal, bounds)
    if proof is not None:
        because = proof.because if claim.kind == "strong" else f"the strong bound implies it: {proof.because}"
        if relies_on_size(program, proof):
            because += f"; it relies on the declared size, and is about {sizes_words(program)} only"
        return Verdict(claim, "proved", because, proof)
    if claim.kind == "weak":
        from seqlang.analyses.weak.verdict import decide as decide_weak

        poll()
        exactly = decide_weak(program, claim, bounds)
        if exactly.enclosed:
            return Verdict(claim, exactly.verdict, exactly.because)
        holds = exactly.verdict == "proved"
        return Verdict(claim, "computed", exactly.because, holds=holds, value=exactly.estimate)
    poll()
    found = _refutation(program, claim.privacy, goal, steps if claim.horizon is not None else None, witness)
    if found is not None:
        return Verdict(claim, "refuted", _how_far(program, claim.privacy, goal, found), witness=found)
    known_bounds = _candidates(claim.privacy, goal, bounds, program)
    return Verdict(claim, "unknown", _why_unknown(program, bounds, claim.privacy, bool(known_bounds)))


def _exactly(program: Program, formula: Formula) -> Fraction:
    """The formula's value, or a rational below it: a claim at a smaller delta is the stronger one."""
    values = parameter_values(program)
    exact = exact_value(formula, values)
    return Fraction(enclose(formula, values).low) if exact is None else exact


def proofs_of(program: Program, claim: Claim) -> tuple[Derivation, ...]:
    """What a search finds that speaks of the claim's notion, delta, order and steps, whether or not it proves it.
    None for a claim whose numbers are not decided."""
    assert claim.privacy is not None
    try:
        goal, steps = claimed_amounts(program, claim.privacy), steps_claimed(program, claim)
    except UndecidedAmount:
        return ()
    delta = _exactly(program, goal[1]) if claim.privacy.notion == "dp" else DEFAULT_DELTA
    bounds = prove(program, delta=delta, horizon=steps)
    return _candidates(claim.privacy, goal, bounds, program)


def _proof(program: Program, claim: Claim, goal: tuple[Formula, ...], bounds: Bounds) -> Derivation | None:
    assert claim.privacy is not None
    candidates = _candidates(claim.privacy, goal, bounds, program)
    return next((found for found in candidates if falls_short(program, claim, found) is None), None)


def _candidates(
    privacy: Privacy, goal: tuple[Formula, ...], bounds: Bounds, program: Program
) -> tuple[Derivation, ...]:
    """Derivations whose conclusion is of the claimed notion, or (pure) at least as strong."""
    if privacy.notion != "rdp":
        return bounds.implying(privacy.notion)
    # rounded up: divergences grow with the order, so a bound at a higher order serves, one below does not
    values = parameter_values(program)
    order = exact_value(goal[0], values)
    if order is None:
        high = enclose(goal[0], values).high
        if not high < float("inf"):
            return bounds.implying("pure")
        order = Fraction(high)
    above = tuple(d for d in bounds.rdp if isinstance(d.conclusion, RenyiBound) and d.conclusion.order >= order)
    own = (d for d in above if isinstance(d.conclusion, RenyiBound) and d.conclusion.order == order)
    found = (*above, *bounds.implying("pure"), *bounds.implying("zcdp"))
    if any(d.rule != post_processing.NAME for d in own):  # not said of a higher order first
        return found
    return (*prove(program, delta=bounds.delta, horizon=bounds.horizon, orders=(order,)).rdp, *found)


def _refutation(
    program: Program, privacy: Privacy, goal: tuple[Formula, ...], steps: int | None, witness: Witness | None
) -> Witness | None:
    values = parameter_values(program)
    numbers = tuple(enclose(f, values) for f in goal)
    if any(not (abs(n.high) < float("inf")) for n in numbers):
        return None
    match privacy.notion:
        case "pure" | "zcdp":
            return refute(program, privacy.notion, numbers[0].high, horizon=steps, start=witness)
        case "dp":
            return refute(program, "dp", numbers[0].high, delta=numbers[1].high, horizon=steps, start=witness)
        case "rdp":
            return refute(program, "rdp", numbers[1].high, order=numbers[0].low, horizon=steps, start=witness)
        case _:
            assert_never(privacy.notion)


def _how_far(program: Program, privacy: Privacy, goal: tuple[Formula, ...], witness: Witness) -> str:
    """Why a claim is refuted: for a dp claim the delta that its epsilon would need; whether any epsilon would do."""
    if privacy.notion == "pure" and witness.family is not None:
        return "no finite epsilon holds for runs of every length: the loss grows with the number of steps"
    if privacy.notion == "pure" and witness.loss == float("inf"):
        return "no finite epsilon holds: one of two neighbours can give this transcript, the other cannot"
    if privacy.notion != "dp":
        return witness.because
    from seqlang.analyses.witnesses.confirm import excess

    needed = excess(witness, enclose(goal[0], parameter_values(program)).high)
    return f"this epsilon needs a delta of at least {_down(needed)}"


def _down(x: float) -> str:
    """Four digits, rounded down."""
    from math import floor, log10

    places = 3 - floor(log10(x))
    return f"{floor(Fraction(x) * 10**places) / 10**places:.4g}" if places < 300 else f"{x:.3g}"


def _why_unknown(program: Program, bounds: Bounds, privacy: Privacy, bounded: bool) -> str:
    if bounds.open_goals and not bounded:
        return "; ".join(bounds.open_goals)
    return f"the best bound found is above the claimed {privacy.notion}; {sight(program)}"
