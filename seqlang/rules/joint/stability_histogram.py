"""A vector of which only the coordinates that are not empty are noised, and shown where they reach a threshold.

Statement. In each of at most N steps, of a vector v of whole numbers each coordinate with v_c > 0 is shown as
v_c + nu_c where v_c + nu_c >= T; of the others it is seen that they are not shown, and no more. The nu_c are
independent, each moved by u at cost u e (Laplace(b): e = 1/b; geometric(r), whole u: e = log(1/r)). Neighbours move v
by whole numbers, at most s in l1 and r in one coordinate, and all that fall fall by at most a together. With
tau(w) = P(w + nu >= T), let 1 - tau(w) >= exp(-w e) for w = 1, .., r. Then all steps are (N s e, N D)-DP, where
D = max over w of a tau(w) / w.

Proof. One step; N of them compose. On neighbours x, y let A be the coordinates above 0 on x only, B those on y only, C
the others that move. An event in which a coordinate of A is shown has probability at most the sum over A of
tau(v_c(x)) <= the sum of tau(w_c) on x, where w_c >= 1 is how far c falls; the w_c add up to at most a, so that sum is
at most D. Where none of A is shown, an outcome in which one of B is has probability 0 on x. Any other one has on x the
density p_C times the chance that none of A is shown, and on y q_C times the chance that none of B is: p_C <=
exp(e times how far C moves) q_C, and that c of B is not shown has probability at least 1 - tau(w_c) >= exp(-w_c e) on
y. So it is at most exp(s e) times as likely on x as on y.

Falls. If v is a sum over records of vectors without coordinates below 0, replaced records fall by what they add: by
what adding so many records moves v in l1 at most. Replacing one record of a histogram: s = 2 and a = 1, D = tau(1).
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import ONE, Formula, enclose, exponential, function, logarithm, number
from seqlang.model.expression import Expression, Law, Quantified
from seqlang.model.life import EachStep, Once
from seqlang.model.program import AddRemove, OpaqueGate, Program, PublicGate, Replace, expressions_in
from seqlang.record import record, replace
from seqlang.rules.gates.gate_rule import rule_at_delta
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.joint.occupied_cells import ShownCells, shown_cells
from seqlang.rules.reading.limits import horizon_of
from seqlang.rules.reading.read_sets import shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_vector
from seqlang.rules.sensitivity.motion.coordinates import coordinates_of
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.lists_of_sums import element_added
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.ranges.ranges import range_in

MOST_MOVES = 64
"""A coordinate that may move further is not looked at move by move."""


@record
class _Noise:
    """`unit`: what a move by 1 costs. P(w + nu >= T) = factor * exp(-(top - w) * unit) for whole w <= top."""

    unit: Formula
    top: Formula
    factor: Formula

    def reaches(self, moved: int) -> Formula:
        return self.factor * exponential(-(self.top - moved) * self.unit)


def epsilon_of(program: Program, names: tuple[str, ...], delta: Fraction) -> Formula | str:
    """The epsilon over the parameters; text: why there is none at this delta."""
    gates = [gate for gate in program.gates if not isinstance(gate, PublicGate)]
    if {gate.name for gate in gates} != set(names) or not all(isinstance(gate, OpaqueGate) for gate in gates):
        return NOT_MINE
    facts, signs = facts_of(program), Signs(parameter_values(program))
    cells = shown_cells(facts, (e for gate in gates for e in expressions_in(gate)))
    if cells is None or len(cells.reading.terms) != 1:
        return NOT_MINE
    vector, name = cells.reading.base, cells.reading.terms[0].noise
    steps = horizon_of(program, signs)
    drawn_anew = isinstance(program.noise(name).life, EachStep)
    if not drawn_anew and not (isinstance(program.noise(name).life, Once) and signs.at_least(ONE, steps)):
        return "one draw would hide several values"
    other = shared_noise(program, names, frozenset({name}))
    if facts.noises_inside(vector):
        return "noise is also part of the numbers that are shown above a threshold"
    if other is not None or steps.is_infinite:
        return other or "nothing bounds the number of steps"
    if not range_in(facts, vector).integer:
        return "the numbers that are shown above a threshold are not known to be whole"
    return _cost(program, cells, vector, steps, delta)


def _cost(program: Program, cells: ShownCells, vector: Expression, steps: Formula, delta: Fraction) -> Formula | str:
    listed = is_vector(facts_of(program), vector)
    moved = radius_of(program, vector, "l1" if listed else "abs")
    most = radius_of(program, vector, "linf" if listed else "abs")
    if isinstance(moved, str) or isinstance(most, str):
        return "how far the numbers that are shown above a threshold move is not known"
    furthest = enclose(most[0], parameter_values(program)).high
    if not furthest <= MOST_MOVES:
        return "a number that is shown above a threshold may move too far"
    noises = [_noise(program, cells, threshold) for threshold in cells.thresholds]
    falls = steps * _falls(program, vector, moved[0])
    for noise in noises:
        if noise is None:
            return NOT_MINE
        problem = _problem(program, noise, floor(furthest), falls, delta)
        if problem is not None:
            return problem
    unit = next(noise.unit for noise in noises if noise is not None)
    return steps * moved[0] * unit


def _problem(program: Program, noise: _Noise, furthest: int, falls: Formula, delta: Fraction) -> str | None:
    """Why a coordinate that only one of two neighbours has may be shown too often."""
    values = parameter_values(program)
    for w in range(1, furthest + 1):
        reached = noise.reaches(w)
        low = not at_most(number(w), noise.top, values)
        if low or not at_most(exponential(-w * noise.unit) + reached, ONE, values):
            return "the threshold is not above what a neighbour adds"
        if not at_most(falls * reached / w, number(delta), values):
            return "what a neighbour does not have at all is shown too often, for this delta"
    return None


def _noise(program: Program, cells: ShownCells, threshold: Formula) -> _Noise | None:
    """Laplace, or geometric, whose chance to reach j >= 0 is ratio^j / (1 + ratio)."""
    (term,) = cells.reading.terms
    law, factor, facts = program.noise(term.noise).law, formula_of(program, term.factor), facts_of(program)
    if not isinstance(law, Law) or len(law.arguments) != 1 or factor is None:
        return None
    scale, sign = formula_of(program, law.arguments[0]), facts.sign(factor)
    if scale is None or facts.sign(scale) != 1 or sign not in (1, -1):
        return None
    if law.family == "laplace":
        return _Noise(ONE / (scale * factor * sign), threshold, ONE / 2)
    if law.family == "geometric" and facts.sign(factor * sign - ONE) == 0 and facts.sign(ONE - scale) == 1:
        return _Noise(-logarithm(scale), function("ceil", threshold), ONE / (ONE + scale))
    return None


def _falls(program: Program, vector: Expression, moved: Formula) -> Formula:
    """How far the coordinates that fall do so together at most."""
    if not isinstance(program.adjacency, Replace) or not _adds_up(program, vector):
        return moved
    added = replace(program, adjacency=AddRemove(program.adjacency.count))
    found = radius_of(added, vector, "l1" if is_vector(facts_of(program), vector) else "abs")
    return moved if isinstance(found, str) or not facts_of(program).at_most(found[0], moved) else found[0]


def _adds_up(program: Program, vector: Expression) -> bool:
    """Whether each coordinate is a sum over records of numbers that are not below 0."""
    facts = facts_of(program)
    near = neighbours_of(facts)
    if isinstance(near, str):
        return False
    entry = Entry(facts, near)
    found = coordinates_of(entry, vector)
    parts = {part for c in found.each for part in c.parts} if found is not None else set()
    return bool(parts) and all(
        (added := element_added(entry, part)) is not None
        and added[0][0] == "records"
        and entry.is_local(added[1])
        and facts.sign(factor) in (0, 1)
        and _counts(program, part)
        for part, factor in parts
    )


def _counts(program: Program, part: Expression) -> bool:
    facts = facts_of(program)
    match part:
        case Quantified("count"):
            return True
        case Quantified("sum", body):
            low = range_in(facts, body).low
            return low is not None and facts.sign(low) in (0, 1)
    return False


STATEMENT = """
    in N steps at most, coordinate c of v is shown as v_c + nu_c where v_c > 0 and v_c + nu_c >= T, and else is not
    nu_c ~ Laplace(b), e = 1/b, or geometric(r), e = log(1/r);   tau(w) = P(w + nu_c >= T)
    neighbours move v by whole numbers: by s in l1, one coordinate by r, falling ones by a in all
    1 - tau(w) >= exp(-w e) and N a tau(w)/w <= delta for w = 1, .., r
    ---------------------------------------------------------------------------------------------------------------
                                    all steps together are (N s e, delta)-DP

A coordinate that is above 0 for both neighbours costs what its noise costs; one that is above 0 for one of them only is
shown with probability tau(w) at most. Epsilon in nats.
"""

RULE, SEARCH = rule_at_delta(
    "joint/stability_histogram",
    "Counts that are not 0, shown above a threshold",
    STATEMENT,
    "after Bun, Nissim & Stemmer 2016 and Korolova, Kenthapadi, Mishra & Ntoulas 2009; proof in "
    "seqlang/rules/joint/stability_histogram.py",
    "what both neighbours have is hidden by its noise; what only one of them has is rarely shown",
    epsilon_of,
)
