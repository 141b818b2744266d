"""The verdict of a weak claim, from the exact laws of the transcript given one entry."""

from __future__ import annotations

from math import inf
from typing import Literal, assert_never

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.weak import profile
from seqlang.analyses.weak.concentrated import later_concentrated, orders, rho
from seqlang.analyses.weak.everywhere import everywhere
from seqlang.analyses.weak.later import Everywhere, later_delta
from seqlang.analyses.weak.positions import Scan
from seqlang.analyses.weak.profile import Law, Range
from seqlang.analyses.weak.scans import scan_of
from seqlang.analyses.weak.worst import Worst, worst
from seqlang.arithmetic.formula import Enclosure, enclose
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Claim, Program
from seqlang.record import record
from seqlang.rules.claims import UndecidedAmount, claimed_amounts
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NEGLIGIBLE = 1e-2
"""Later positions need not be looked at where they cannot reach this share of what is claimed."""


@record
class Decision:
    """`because` is one sentence. `measured` is what the claim bounds, at the worst position and pair of values found;
    None where there is no exact law."""

    verdict: Literal["proved", "refuted", "unknown"]
    because: str
    measured: Worst | None = None


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
    known = everywhere(program, strong)
    try:
        scan = scan_of(program, claim.model, claim.privacy.notion != "dp")
        match claim.privacy.notion:
            case "dp":
                found, what = _delta(scan, goal[0], goal[1], claim.per_step)
            case "pure":
                found, what = _pure(scan, goal[0], claim.per_step, known)
            case "rdp":
                found, what = _renyi(scan, goal[0], goal[1], known.with_moments(program, scan))
            case "zcdp":
                found, what = _concentrated(scan, goal[0], known.with_moments(program, scan))
            case _:
                assert_never(claim.privacy.notion)
    except Unsolved as reason:
        return Decision("unknown", f"no exact law of the transcript: {reason}")
    return _decision(found, goal[-1], what, scan)


def _delta(scan: Scan, epsilon: Enclosure, limit: Enclosure, per_step: bool) -> tuple[Worst, str]:
    measure = profile.delta_per_step if per_step else profile.delta

    def at(p: Law, q: Law) -> Range:
        return measure(p, q, epsilon.high)[0], measure(p, q, epsilon.low)[1]

    found = worst(scan, at, later_delta, floor=limit.low * NEGLIGIBLE, limit=(limit.low, limit.high))
    return found, f"delta at epsilon {epsilon.high:.6g}{', one stopping step at a time,' if per_step else ''}"


def _pure(scan: Scan, limit: Enclosure, per_step: bool, known: Everywhere) -> tuple[Worst, str]:
    measure = profile.pure_per_step if per_step else profile.pure
    return worst(scan, measure, lambda reach: known.pure, limit=(limit.low, limit.high)), "the loss"


def _renyi(scan: Scan, order: Enclosure, limit: Enclosure, known: Everywhere) -> tuple[Worst, str]:
    def measure(p: Law, q: Law) -> Range:
        upper = profile.renyi(p, q, order.high, lambda mass: known.beyond(order.high, mass))[1]
        return profile.renyi(p, q, order.low)[0], upper

    def later(reach: float) -> float:
        return known.later_renyi(order.high, reach)

    found = worst(scan, measure, later, floor=limit.low * NEGLIGIBLE, limit=(limit.low, limit.high))
    return found, f"the Renyi divergence of order {order.high:.6g}"


def _concentrated(scan: Scan, limit: Enclosure, known: Everywhere) -> tuple[Worst, str]:
    grid = orders()
    found = worst(
        scan,
        lambda p, q: rho(p, q, grid, known),
        lambda reach: later_concentrated(grid, known, reach),
        floor=limit.low * NEGLIGIBLE,
        limit=(limit.low, limit.high),
    )
    return found, "the largest ratio of Renyi divergence and order"


def _decision(found: Worst, limit: Enclosure, what: str, scan: Scan) -> Decision:
    where = _where(found)
    if found.lower > limit.high:
        return Decision("refuted", f"{what} is {_from_below(found)}, {where}", found)
    if not scan.complete:
        seen = ", ".join(f"{value:g}" for value in dict.fromkeys(v for e in scan.entries for v in e.values()))
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
        why = "the work allowed is used up" if scan.exhausted else "nothing bounds it at later ones"
        return Decision("unknown", f"{because}; {why}", found)
    between = f"{what} is between {found.lower:.6g} and {_rounded_up(found.bound)}"
    return Decision("unknown", f"{between}, and the claim says {limit.high:.6g}", found)


def _from_below(found: Worst) -> str:
    if found.lower == inf:
        return "infinite"
    exact = found.bound <= found.lower * (1 + 1e-6)
    return f"{found.lower:.6g}" if exact else f"at least {found.lower:.6g}"


def _rounded_up(value: float) -> str:
    """Six digits, not below the value."""
    if value == inf:
        return "infinity"
    text = f"{value:.6g}"
    return text if float(text) >= value or value == inf else f"{value * (1 + 1e-6):.6g}"


def _where(found: Worst) -> str:
    if found.pair is None:
        return ""
    first, second = (", ".join(f"{name} = {value:g}" for name, value in entry.items()) for entry in found.pair)
    return f"at position {found.position} for {first} against {second}"
