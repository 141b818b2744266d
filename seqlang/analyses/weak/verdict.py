"""The verdict of a weak claim, from the exact laws of the transcript given one entry."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import inf
from typing import Literal, assert_never

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.refute import ORDERS
from seqlang.analyses.weak import profile
from seqlang.analyses.weak.concentrated import later_concentrated, orders, rho
from seqlang.analyses.weak.everywhere import everywhere
from seqlang.analyses.weak.far_entry import far_entries
from seqlang.analyses.weak.later import Everywhere, later_delta
from seqlang.analyses.weak.profile import Law, Range
from seqlang.analyses.weak.scans import Scans, scans_of
from seqlang.analyses.weak.words import in_words
from seqlang.analyses.weak.worst import Worst
from seqlang.arithmetic.estimate import Estimate
from seqlang.arithmetic.formula import Enclosure, enclose
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.print import show_double
from seqlang.model.program import Claim, Program
from seqlang.record import record, replace
from seqlang.rules.claims import UndecidedAmount, claimed_amounts
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NEGLIGIBLE = 1e-2
"""Later positions need not be looked at where they cannot reach this share of what is claimed."""


@record
class Decision:
    """`because` is one sentence. `measured` is what the claim bounds, at the worst position and pair of values found;
    None where there is no exact law. `enclosed`: the verdict rests on enclosures, finite sums and theorems; else on
    estimates, from how far two orders of quadrature differ or from how the last moments decay."""

    verdict: Literal["proved", "refuted", "unknown"]
    because: str
    measured: Worst | None = None
    enclosed: bool = True

    @property
    def estimate(self) -> Estimate | None:
        """What the claim bounds, where only an estimate decides."""
        if self.enclosed or self.measured is None:
            return None
        low, high = self.measured.lower, self.measured.bound
        return Estimate((low + high) / 2 if high < inf else low, low, high)


def decide(program: Program, claim: Claim, strong: Bounds | None = None) -> Decision:
    """`strong` are proved bounds of the program: what no position can exceed."""
    assert claim.kind == "weak"
    assert claim.privacy is not None
    assert claim.model is not None
    values = parameter_values(program)
    try:
        goal = tuple(enclose(amount, values) for amount in claimed_amounts(program, claim.privacy))
    except UndecidedAmount as why:
        return Decision("unknown", str(why))
    known = everywhere(program, claim.model, strong)
    try:
        scans = scans_of(program, claim.model, claim.privacy.notion != "dp")
        match claim.privacy.notion:
            case "dp":
                found, what = _delta(scans, goal[0], goal[1], claim.per_step)
            case "pure":
                found, what = _pure(scans, goal[0], claim.per_step, known)
            case "rdp":
                known = known.with_moments(program, scans.told)
                found, what = _renyi(scans, goal[0], goal[1], known)
            case "zcdp":
                known = known.with_moments(program, scans.told)
                found, what = _concentrated(scans, goal[0], known)
            case _:
                assert_never(claim.privacy.notion)
    except Unsolved as reason:
        return _by_a_far_entry(program, claim, goal) or Decision("unknown", f"no exact law of the transcript: {reason}")
    decision = _marked(_decision(found, goal[-1], what, scans), scans, known)
    return (decision.verdict == "unknown" and _by_a_far_entry(program, claim, goal)) or decision


def _by_a_far_entry(program: Program, claim: Claim, goal: tuple[Enclosure, ...]) -> Decision | None:
    """A refutation for which no law is needed."""
    assert claim.privacy is not None
    assert claim.model is not None
    for far in far_entries(program, claim.model):
        match claim.privacy.notion:
            case "dp":
                what, size = f"delta at epsilon {goal[0].high:.6g}", far.delta(goal[0].high)
            case "pure":
                what, size = "the loss", far.loss
            case "rdp":
                what, size = f"the Renyi divergence of order {goal[0].low:.6g}", far.renyi(goal[0].low)
            case "zcdp":
                what = "the largest ratio of Renyi divergence and order"
                size = max(far.renyi(order) / order for order in ORDERS)
            case _:
                assert_never(claim.privacy.notion)
        if size > goal[-1].high:
            return Decision("refuted", f"{what} is at least {_rounded_down(size)}, {far.words}")
    return None


def _delta(scans: Scans, epsilon: Enclosure, limit: Enclosure, per_step: bool) -> tuple[Worst, str]:
    measure = profile.delta_per_step if per_step else profile.delta

    def at(p: Law, q: Law) -> Range:
        return measure(p, q, epsilon.high)[0], measure(p, q, epsilon.low)[1]

    found = scans.worst(at, later_delta, floor=limit.low * NEGLIGIBLE, limit=(limit.low, limit.high))
    return found, f"delta at epsilon {epsilon.high:.6g}{', one stopping step at a time,' if per_step else ''}"


def _pure(scans: Scans, limit: Enclosure, per_step: bool, known: Everywhere) -> tuple[Worst, str]:
    measure = profile.pure_per_step if per_step else profile.pure
    return scans.worst(measure, lambda reach: known.pure, limit=(limit.low, limit.high)), "the loss"


def _renyi(scans: Scans, order: Enclosure, limit: Enclosure, known: Everywhere) -> tuple[Worst, str]:
    def measure(p: Law, q: Law) -> Range:
        upper = profile.renyi(p, q, order.high, lambda mass: known.beyond(order.high, mass))[1]
        return profile.renyi(p, q, order.low)[0], upper

    def later(reach: float) -> float:
        return known.later_renyi(order.high, reach)

    found = scans.worst(measure, later, floor=limit.low * NEGLIGIBLE, limit=(limit.low, limit.high))
    return found, f"the Renyi divergence of order {order.high:.6g}"


def _concentrated(scans: Scans, limit: Enclosure, known: Everywhere) -> tuple[Worst, str]:
    grid = orders()
    found = scans.worst(
        lambda p, q: rho(p, q, grid, known),
        lambda reach: later_concentrated(grid, known, reach),
        floor=limit.low * NEGLIGIBLE,
        limit=(limit.low, limit.high),
    )
    return found, "the largest ratio of Renyi divergence and order"


def _decision(found: Worst, limit: Enclosure, what: str, scans: Scans) -> Decision:
    where = _where(found)
    if found.lower > limit.high:
        return Decision("refuted", f"{what} is {_from_below(found)}, {where}", found)
    if not scans.told.complete:
        seen = ", ".join(
            show_double(value) for value in dict.fromkeys(v for e in scans.told.entries for v in e.values())
        )
        because = f"{what} is at least {found.lower:.6g} for entries among {seen}"
        return Decision("unknown", f"{because}; they may have infinitely many other values", found)
    if found.upper <= limit.low:
        because = f"{what} is at most {_rounded_up(found.upper)}"
        if found.after > 0:
            because += f" at positions 1 to {found.positions}"
        because += where and f", largest {where}"
        if found.after <= limit.low:
            later = f"; at later positions it is at most {_rounded_up(found.after)}" if found.after > 0 else ""
            return Decision("proved", because + later, found)
        why = "the work allowed is used up" if scans.exhausted else "nothing bounds it at later ones"
        return Decision("unknown", f"{because}; {why}", found)
    between = f"{what} is between {found.lower:.6g} and {_rounded_up(found.bound)}"
    if scans.seen is not scans.told:
        between += ", from what the transcript tells alone to what it tells together with the public fields"
    return Decision("unknown", f"{between}, and the claim says {limit.high:.6g}", found)


def _marked(decision: Decision, scans: Scans, known: Everywhere) -> Decision:
    """With a word on the estimates that decide. What refutes are lower ends, which need no bound of later positions."""
    if decision.verdict == "unknown":
        return decision
    refuted = decision.verdict == "refuted"
    exact = scans.told.enclosed if refuted else scans.enclosed
    parts = [] if exact else ["the error is how far two orders of quadrature differ"]
    if known.estimated and not refuted:
        parts.append("moments of the stopping time are computed up to where they decay")
    if not parts:
        return decision
    return replace(decision, because=f"{decision.because}; an estimate decides: {' and '.join(parts)}", enclosed=False)


def _from_below(found: Worst) -> str:
    if found.lower == inf:
        return "infinite"
    exact = found.bound <= found.lower * (1 + 1e-6)
    return f"{found.lower:.6g}" if exact else f"at least {found.lower:.6g}"


def _rounded_down(value: float) -> str:
    """Six digits, not above the value."""
    return _in_six_digits(value, ROUND_FLOOR)


def _rounded_up(value: float) -> str:
    """Six digits, not below the value."""
    return _in_six_digits(value, ROUND_CEILING)


def _in_six_digits(value: float, rounding: str) -> str:
    """Of the shortest decimal that names the float."""
    return "infinity" if value == inf else f"{Context(prec=6, rounding=rounding).create_decimal(repr(value)):g}"


def _where(found: Worst) -> str:
    if found.pair is None:
        return ""
    first, second = map(in_words, found.pair)
    return f"at position {found.position} for {first} against {second}"
