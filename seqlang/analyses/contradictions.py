"""What independent parts of the tool say of one quantity, compared: where they exclude each other, one is wrong.

The parts: derivations (upper bounds), witnesses (lower bounds, recomputed by quadrature), exact laws under a model,
verdicts on claims, and neighbours that were run. Nothing is decided here about who is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Literal

from seqlang.analyses.claims import Verdict
from seqlang.analyses.prove import Bounds, longest_run
from seqlang.analyses.refute import ORDERS, length_of
from seqlang.analyses.witnesses.confirm import epsilon_at, renyi
from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Expression
from seqlang.model.program import Claim, Program, Replace
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.proof.witness import Witness
from seqlang.record import record
from seqlang.rules.sensitivity.formulas import formula_of, parameter_values

if TYPE_CHECKING:
    from seqlang.analyses.trials import Failed
    from seqlang.analyses.weak.summary import Curve, Least

BEYOND = 1e-9
"""Both sides are rounded away from each other already; this part of a number is forgiven on top."""
LOOSE = 1e-6
"""The same between a bound and what another bound converts to: these are optimised numerically."""

Notion = Literal["pure", "dp", "rdp", "zcdp"]


@record
class Contradiction:
    """Two statements on one quantity that cannot both hold: who says it, and what."""

    about: str
    first_by: str
    first: str
    second_by: str
    second: str

    def __str__(self) -> str:
        return f"{self.about}: {self.first_by} says {self.first}, {self.second_by} says {self.second}"


@record
class _Upper:
    """A strong bound that somebody holds for proved. `size` is the epsilon (rho for zcdp); `horizon` the steps it is
    about (None: runs of every length)."""

    by: str
    notion: Notion
    size: float
    delta: float
    order: float
    horizon: int | None


def contradictions(
    program: Program,
    bounds: Bounds,
    witnesses: Sequence[Witness],
    verdicts: Sequence[Verdict],
    *,
    delta: float,
    epsilon_at_delta: float = 0.0,
    weak: Sequence[Least] = (),
    profiles: Sequence[Curve] = (),
    trials: Sequence[Failed] = (),
) -> tuple[Contradiction, ...]:
    """Every pair of statements that exclude each other, each once. `epsilon_at_delta` is the largest epsilon at `delta`
    that a witness of its own forces."""
    uppers = tuple(_uppers(program, bounds, verdicts))
    pairs = {id(w): w for w in (*witnesses, *(v.witness for v in verdicts)) if w is not None}
    found = [
        *(moved_too_far(failed) for failed in trials),
        *(c for w in pairs.values() for u in uppers for c in _exceeded(w, u)),
        *_forced(uppers, delta, epsilon_at_delta),
        *_refuted_though_bounded(program, uppers, verdicts),
        *_conversions(uppers),
        *_average_above_worst(program, uppers, weak),
        *_weak_claims(program, verdicts, weak, profiles),
    ]
    return tuple(dict.fromkeys(found))


def moved_too_far(failed: Failed) -> Contradiction:
    """Neighbours that were run, and the derivation of how far they may be apart."""
    values = f"{failed.why} in step {failed.step}, from {_shown(failed.first)} to {_shown(failed.second)}"
    inputs = f"run on {_input(failed, 0)} against {_input(failed, 1)}"
    return Contradiction(failed.quantity, "the derivation", failed.claim, f"the interpreter, {inputs},", values)


# ---- what is proved


def _uppers(program: Program, bounds: Bounds, verdicts: Sequence[Verdict]) -> Iterator[_Upper]:
    best = (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp, *bounds.alternatives)
    of_claims = (v.derivation for v in verdicts)
    for derivation in dict.fromkeys(d for d in (*best, *of_claims) if d is not None):
        yield _upper(program, derivation)
    for verdict in verdicts:
        if verdict.claim.kind == "strong" and verdict.verdict == "proved":
            said = _said(program, verdict.claim)
            if said is not None:
                yield said


def _upper(program: Program, derivation: Derivation) -> _Upper:
    by, values = f"the proof by {derivation.rule}", parameter_values(program)
    match derivation.conclusion:
        case PureBound(epsilon=formula):
            return _Upper(by, "pure", enclose(formula, values).high, 0.0, inf, None)
        case ConcentratedBound(rho=formula, horizon=horizon):
            return _Upper(by, "zcdp", enclose(formula, values).high, 0.0, 1.0, horizon)
        case RenyiBound(order=order, epsilon=size, horizon=horizon):
            return _Upper(by, "rdp", size, 0.0, order, horizon)
        case ApproximateBound(epsilon=size, delta=delta, horizon=horizon):
            return _Upper(by, "dp", size, delta, 1.0, horizon)


def _said(program: Program, claim: Claim) -> _Upper | None:
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
            return _Upper(by, "pure", known[0], 0.0, inf, steps)
        case "dp":
            return _Upper(by, "dp", known[0], known[1], 1.0, steps)
        case "rdp":
            return _Upper(by, "rdp", known[1], 0.0, known[0], steps)
        case "zcdp":
            return _Upper(by, "zcdp", known[0], 0.0, 1.0, steps)


def _high(program: Program, expression: Expression) -> float | None:
    formula = formula_of(program, expression)
    return None if formula is None or formula.is_infinite else enclose(formula, parameter_values(program)).high


# ---- against witnesses


def _exceeded(witness: Witness, upper: _Upper) -> Iterator[Contradiction]:
    """A pair of neighbours whose loss is above the bound."""
    if upper.horizon is not None and length_of(witness) > upper.horizon:
        return
    seen = {
        "pure": witness.lower if upper.horizon is None else witness.loss,
        "dp": epsilon_at(witness, upper.delta),
        "rdp": renyi(witness, upper.order) if upper.notion == "rdp" and upper.order > 1 else 0.0,
        "zcdp": max(renyi(witness, order) / order for order in ORDERS) if upper.notion == "zcdp" else 0.0,
    }[upper.notion]
    if _above(seen, upper.size):
        yield _differ(upper, "a witness, recomputed,", seen)


def _forced(uppers: Iterable[_Upper], delta: float, epsilon: float) -> Iterator[Contradiction]:
    for upper in uppers:
        if upper.notion == "dp" and upper.horizon is None and upper.delta <= delta and _above(epsilon, upper.size):
            yield _differ(upper, f"a witness at delta {delta:.6g}", epsilon)


def _differ(upper: _Upper, by: str, seen: float) -> Contradiction:
    return Contradiction(_about(upper), upper.by, f"at most {upper.size:.10g}", by, f"at least {seen:.10g}")


def _about(upper: _Upper) -> str:
    return {
        "pure": "the pure epsilon",
        "dp": f"the epsilon at delta {upper.delta:.6g}",
        "rdp": f"the Renyi divergence of order {upper.order:.6g}",
        "zcdp": "the rho of zCDP",
    }[upper.notion]


def _above(lower: float, upper: float, part: float = BEYOND) -> bool:
    return lower > upper + part * abs(upper) + 1e-12


# ---- verdicts against bounds


def _refuted_though_bounded(
    program: Program, uppers: Sequence[_Upper], verdicts: Sequence[Verdict]
) -> Iterator[Contradiction]:
    end = longest_run(program)
    for verdict in verdicts:
        if verdict.claim.kind != "strong" or verdict.verdict != "refuted":
            continue
        claim = _said(program, verdict.claim)
        for upper in uppers if claim is not None else ():
            assert claim is not None
            if upper.by != claim.by and _covers(upper, claim, end) and _implied(upper, claim):
                yield Contradiction(_about(claim), upper.by, f"at most {upper.size:.10g}", claim.by, "refuted")


def _covers(upper: _Upper, claim: _Upper, end: int | None) -> bool:
    """Runs of all the lengths that the claim speaks of."""
    if upper.horizon is None or (end is not None and end <= upper.horizon):
        return True
    return claim.horizon is not None and claim.horizon <= upper.horizon


def _implied(upper: _Upper, claim: _Upper) -> bool:
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


# ---- bounds against what they convert to


def _conversions(uppers: Sequence[_Upper]) -> Iterator[Contradiction]:
    """The least bound of each notion is no larger than what the least bound of another notion converts to."""
    least: dict[tuple[Notion, float, float], _Upper] = {}
    for upper in uppers:
        key = upper.notion, upper.order, upper.delta
        if upper.by.startswith("the proof") and (key not in least or upper.size < least[key].size):
            least[key] = upper
    pure, zcdp = least.get(("pure", inf, 0.0)), least.get(("zcdp", 1.0, 0.0))
    for upper in least.values():
        limits = []
        if pure is not None and upper.notion != "pure":
            limits.append((pure, pure.size**2 / 2 if upper.notion == "zcdp" else pure.size))
        if zcdp is not None and zcdp.horizon is None and upper.notion == "rdp":
            limits.append((zcdp, upper.order * zcdp.size))
        for other, limit in limits:
            if _above(upper.size, limit, LOOSE):
                yield Contradiction(
                    _about(upper), upper.by, f"{upper.size:.10g} and no less", other.by, f"at most {limit:.10g}"
                )


# ---- the average case


def _average_above_worst(program: Program, uppers: Iterable[_Upper], weak: Sequence[Least]) -> Iterator[Contradiction]:
    """What holds for every stream holds on average; what is reached on average is reached in the worst case."""
    if not isinstance(program.adjacency, Replace):
        return
    end = longest_run(program)
    for upper in uppers:
        if upper.horizon is not None and (end is None or end > upper.horizon):
            continue
        for least in weak:
            by = f"the exact law under {least.model}"
            if upper.notion == "pure" and _above(least.pure.lower, upper.size):
                yield _differ(upper, by, least.pure.lower)
            at_delta = upper.notion == "pure" or (upper.notion == "dp" and upper.delta <= float(least.delta))
            if at_delta and _above(least.epsilon.lower, upper.size):
                yield _differ(upper, by, least.epsilon.lower)


def _weak_claims(
    program: Program, verdicts: Sequence[Verdict], weak: Sequence[Least], profiles: Sequence[Curve]
) -> Iterator[Contradiction]:
    for verdict in verdicts:
        claim = verdict.claim
        said = _said(program, claim) if claim.kind == "weak" else None
        if said is None or verdict.verdict == "unknown":
            continue
        for least in (w for w in weak if w.model == claim.model):
            yield from _against_least(verdict, said, least)
        for curve in (c for c in profiles if c.model == claim.model):
            yield from _against_curve(verdict, said, curve)


def _against_least(verdict: Verdict, said: _Upper, least: Least) -> Iterator[Contradiction]:
    """A claim `per step` says less: it is proved more easily, and what refutes it refutes the other as well."""
    by, number = f"the exact law under {least.model}", float(least.delta)
    whole = not verdict.claim.per_step
    if said.notion == "dp" and verdict.verdict == "proved" and whole and said.delta <= number:
        if _above(least.epsilon.lower, said.size):
            yield _differ(said, by, least.epsilon.lower)
    elif said.notion == "dp" and verdict.verdict == "refuted" and number <= said.delta:
        if _above(said.size, least.epsilon.bound):
            yield Contradiction(_about(said), said.by, "refuted", by, f"at most {least.epsilon.bound:.10g}")
    elif said.notion == "pure" and verdict.verdict == "proved" and whole and _above(least.pure.lower, said.size):
        yield _differ(said, by, least.pure.lower)
    elif said.notion == "pure" and verdict.verdict == "refuted" and _above(said.size, least.pure.bound):
        yield Contradiction(_about(said), said.by, "refuted", by, f"at most {least.pure.bound:.10g}")


def _against_curve(verdict: Verdict, said: _Upper, curve: Curve) -> Iterator[Contradiction]:
    if said.notion != "dp":
        return
    by = f"the profile under {curve.model}"
    worst = curve.per_step if verdict.claim.per_step else curve.arbitrary
    for epsilon, delta in zip(curve.epsilons, worst, strict=True):
        about = f"delta at epsilon {epsilon:.6g}"
        if verdict.verdict == "proved" and epsilon >= said.size and _above(delta.lower, said.delta):
            yield Contradiction(about, said.by, f"at most {said.delta:.10g}", by, f"at least {delta.lower:.10g}")
        if verdict.verdict == "refuted" and epsilon <= said.size and _above(said.delta, delta.bound):
            yield Contradiction(about, said.by, f"above {said.delta:.10g}", by, f"at most {delta.bound:.10g}")


# ---- words


def _input(failed: Failed, side: int) -> str:
    rows = failed.pair.records[side] or failed.pair.entries[side]
    shown = [_shown(next(iter(row.values())) if len(row) == 1 else row) for row in rows[:MOST_SHOWN]]
    return "[" + ", ".join([*shown, ".."] if len(rows) > MOST_SHOWN else shown) + "]"


MOST_SHOWN = 24


def _shown(value: object) -> str:
    from fractions import Fraction

    match value:
        case dict():
            return "{" + ", ".join(f"{name}: {_shown(inner)}" for name, inner in value.items()) + "}"
        case tuple():
            return "[" + ", ".join(map(_shown, value)) + "]"
        case Fraction() | float():
            return f"{float(value):.10g}"
        case _:
            return str(value)
