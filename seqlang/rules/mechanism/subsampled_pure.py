"""A sum over a Poisson sample, released with noise of bounded translation cost: pure privacy amplified by the sample.

Proof. Fix what was shown before, and a record x that the one dataset has and the other has not (or has as x'). Whoever
the other records in the sample are, let m0 be the density of what is shown without x, m1 with it, m1' with x'; the
noise gives m1 <= e^a m0, m0 <= e^a m1 (the same for m1') and m1 <= e^r m1'. These hold for the mixtures over the other
records, too, whose chances are the same with and without x. So P = (1-q) m0 + q m1 on the one side, and on the other
m0, or (1-q) m0 + q m1'. In the first case P / m0 lies between 1-q + q e^-a and 1-q + q e^a, and the product of these is
at least 1. In the second, with u = m1/m0 and v = m1'/m0, the quotient (1-q + q u) / (1-q + q v) under u <= e^r v and
u <= e^a is largest at u = e^a, v = e^(a-r). The sample is drawn anew for each showing, so that nothing of it is known.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, Formula, absolute, function, logarithm
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.program import AddRemove, Gate, Program, ReleaseGate, Replace
from seqlang.record import record
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.mechanism.subsampled_gaussian import Sum, sum_over_a_sample
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


@record
class Move:
    """How far a record moves the value: if it is left out, and if it is replaced."""

    left_out: Formula
    replaced: Formula


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One showing costs log(1 - q + q e^a) where the same release of all records costs a, or a little more."""
    if not isinstance(gate, ReleaseGate) or not isinstance(program.adjacency, (AddRemove, Replace)):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    found = sum_over_a_sample(single, gate, signs)
    if isinstance(found, str):
        return NOT_MINE  # mechanism/release, or mechanism/subsampled_gaussian, says why
    added = noises_of(program, gate, gate.terms, signs)
    if isinstance(added, str):
        return NOT_MINE
    costs = [cost for one in added if (cost := _one_showing(single, found, one, signs)) is not None]
    return Showings(entries, showings(single, gate, signs), least(costs, signs)) if costs else NOT_MINE


def _one_showing(program: Program, found: Sum, added: Added, signs: Signs) -> Formula | None:
    if added.once:
        return None
    move = _move(found, signs)
    left_out, replaced = (_cost(program, found, added, moved, signs) for moved in (move.left_out, move.replaced))
    if left_out is None or replaced is None:
        return None
    hit = ONE - found.rate + found.rate * function("exp", left_out)
    if isinstance(program.adjacency, AddRemove) or signs.equal(left_out, replaced):
        return logarithm(hit)
    return logarithm(hit / (ONE - found.rate + found.rate * function("exp", left_out - replaced)))


def _move(found: Sum, signs: Signs) -> Move:
    size = absolute(found.factor) * found.part
    low, high = found.ends
    twice = 2 * size
    if low is None or high is None:
        return Move(size, twice)
    return Move(size, least([twice, absolute(found.factor) * (high - low)], signs))


def _cost(program: Program, found: Sum, added: Added, moved: Formula, signs: Signs) -> Formula | None:
    """What it costs to move the noise so far; None: no finite bound is known."""
    declared = facts_of_law(added.law.family).translation
    scale = formula_of(program, added.law.arguments[0]) if added.law.arguments else None
    if declared is None or scale is None or signs.of(scale) != 1:
        return None
    if not found.is_number and declared.norm != "l2":
        return None
    match declared.kind:
        case "linear":
            return moved / (scale * added.factor)
        case "whole" if signs.of(ONE - scale) == 1 and added.factor == ONE and found.is_whole:
            return -logarithm(scale) * moved
        case _:
            return None


STATEMENT = """
    shown: c * sum(part(x[i]) for i in batch) + noise;   batch: every record with chance q, independently;  batch and
    noise new at every showing, read by nothing else
    to move the noise costs a by as much as one part is at most, r by as much as two parts are apart at most
    ------------------------------------------------------------------------------------------------------------------
    add or remove one:   the gate is (T log(1 - q + q e^a))-DP, T showings
    replace one:         the gate is (T log((1 - q + q e^a) / (1 - q + q e^(a - r))))-DP

The bound for replaced records is proved in seqlang/rules/mechanism/subsampled_pure.py; it is the other one where r = a.
Laplace, logistic and geometric noise on a number, l2_laplace noise on a vector. The divisor must not depend on the
sample: a mean over it is another mechanism. In k changed entries: k times. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/subsampled_pure",
    "Subsampled release with a pure noise",
    STATEMENT,
    "Li, Qardaji & Su 2012, Theorem 1; Balle, Barthe & Gaboardi 2018, Theorem 8",
    "each showing sees a record with a small chance only",
    showings_of,
)
