"""RDP of noisy tests by Zhu & Wang's theorem: values may move in any way within a radius; a horizon is needed."""

from __future__ import annotations

from fractions import Fraction

from seqlang.accounting import curves
from seqlang.accounting.noisy_test import zhu_wang
from seqlang.arithmetic.formula import ZERO, Formula, total
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.rules.computed import Computed, from_the_program
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion.motion import ONE_SIGN
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.stopping.ends import WITH_DISCRETE, End, Source, candidates, ends_of

CITE = "Zhu & Wang 2020, Theorem 8 (gamma = infinity); composition: Mironov 2017, Proposition 1"
WHOLE = "; on the whole numbers: Canonne, Kamath & Steinke 2020, Theorem 4"
SIGNED = f"{CITE}; looks charged for the radius, not twice: all differences have one sign"


def bound(program: Program, gates: tuple[str, ...], horizon: int | None, *, as_printed: bool = False) -> Formula | str:
    """The RDP epsilon of the gates together within `horizon` steps, over ORDER; or why there is none.

    `as_printed`: every look is charged for twice the radius, as in the theorem; else for the radius where all
    differences have one sign."""
    ends = ends_of(program, gates, WITH_DISCRETE)
    if isinstance(ends, str):
        return ends
    if horizon is None:
        return "the theorem needs a horizon"
    parts: list[Formula] = []
    for end in ends:
        part = _one(program, end, horizon, as_printed)
        if isinstance(part, str):
            return part
        parts.append(part)
    return total(parts)


def _one(program: Program, end: End, horizon: int, as_printed: bool) -> Formula | str:
    shift = shift_of(program, end.value)
    if shift.kind == "none":
        return ZERO
    if shift.norm != "abs" or shift.kind == "unbounded":
        return f"how far the quantity compared in {end.gate} moves is not known"
    if _is_discrete(end) and not moves_by_whole_numbers(program, facts_of(program).expand(end.value)):
        return f"discrete noise, and the quantity compared in {end.gate} does not move by whole numbers"
    stretch = 1 if not as_printed and shift.kind in ONE_SIGN and _one_change(program) else 2
    once = _curve(end.threshold, shift.radius)
    look = _curve(end.look, stretch * shift.radius)
    if once is None or look is None:
        return f"a noise of {end.gate} has no RDP curve on both sides"
    return zhu_wang.within_horizon(once, look, horizon, min(end.most, horizon))


def _is_discrete(end: End) -> bool:
    return "discrete_gaussian" in (end.threshold.family, end.look.family)


def _one_change(program: Program) -> bool:
    """Only where one entry differs, or all entries move one way, is the sign of the difference the same in all
    steps."""
    near = neighbours_of(facts_of(program))
    return not isinstance(near, str) and (near.single or near.same_direction)


def _curve(source: Source, moved: Formula) -> Formula | None:
    if source.family in ("gaussian", "discrete_gaussian"):
        return curves.gaussian(moved / source.scale)
    return curves.laplace(moved / source.scale) if source.family == "laplace" else None


def _least(program: Program, asked: RenyiBound, _: Derivation) -> Formula | str:
    return bound(program, asked.gates, asked.horizon)


_COMPUTED = Computed(
    "stopping/zhu_wang",
    "Zhu & Wang's bound for noisy tests",
    """Gates j = 1..J, each: fires iff value_j + Z_j + W_j(t) >= 0, all Z_j (drawn once) and W_j(t) (each step)
    independent,
Gaussian, Laplace or, where value_j moves by whole numbers, discrete Gaussian; the run ends at the latest when gate j
has fired c_j times; |value_j' - value_j| <= D_j.

    r_j = RDP of Z_j at order a for D_j;   v_j = RDP of W_j for D_j if all differences have one sign, else for 2 D_j
    ------------------------------------------------------------------------------------------------
    within N steps the gates together are (a, sum_j [ r_j + c_j v_j + log(sum_{i <= c_j} C(N, i)) / (a-1) ])-RDP, in
    nats""",
    CITE,
    RenyiBound,
    from_the_program,
    _least,
)


def suggest(program: Program, orders: tuple[Fraction, ...], horizon: int | None) -> tuple[Derivation, ...]:
    """RenyiBounds for all comparisons that are ends with noises of their own, at each order the theorem as printed and,
    where it is less, with the sign of the differences used; nothing without a horizon."""
    gates = candidates(program, WITH_DISCRETE)
    printed = bound(program, gates, horizon, as_printed=True)
    signed = bound(program, gates, horizon)
    if isinstance(printed, str) or isinstance(signed, str):
        return ()
    because = (
        "moving each threshold noise by the radius keeps all looks that went on; the look that stopped is one of "
        f"{horizon}"
    )
    ends = ends_of(program, gates, WITH_DISCRETE)
    whole = WHOLE if not isinstance(ends, str) and any(map(_is_discrete, ends)) else ""
    ways = ((printed, CITE + whole),) if printed == signed else ((printed, CITE + whole), (signed, SIGNED + whole))
    return tuple(
        Derivation(RenyiBound(gates, order, epsilon, horizon), RULE.name, because=because, cite=cite)
        for order in orders
        for epsilon, cite in ways
    )


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("orders", "horizon"), suggest)
