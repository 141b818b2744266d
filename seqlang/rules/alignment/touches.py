"""Noisy comparisons in few steps, or of what one entry touches in few steps only: every look is paid for by itself.

What is proved. Fix the data, and the value of every noise that lives longer than a step; nothing of it is moved. Given
the transcript before a step, what its comparisons read differs between neighbours by some d in the hull of the shift's
vertices, or not at all. Translate the fresh noise of the steps in which it differs:

    fires at the step          factors . w >= -d
    does not, but is asked     factors . w <= -d
    released at the step       factors . w  = -d

so that the same things happen in the step (the argument of `stopping.py`, one step at a time). It costs at most the
largest cost of a vertex and of an outcome, since the costs are convex and the constraints linear in (d, w). Steps in
which nothing differs cost nothing. So the gates cost that much times the number of steps in which something is asked
and may differ: all steps in which a guard holds, if every entry may move; else also at most those in which a value
depends on the one entry that moves, as the ages of the entries say. A value of the entries since R that is looked at
only in the steps with R is looked at once a segment, and an entry lies in one. Neighbours in k entries: k times.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, product, total
from seqlang.model.life import EachStep
from seqlang.model.program import CompareGate, Program, ReleaseGate, Within
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.record import record
from seqlang.rules.alignment.cost import are_shifts, is_totally_unimodular, largest, satisfied
from seqlang.rules.alignment.layout import Layout, single_step_layout
from seqlang.rules.alignment.scenario import Fired, Piece, Row, deciding_rows, outputs_of
from seqlang.rules.alignment.search import minimal
from seqlang.rules.computed import Computed, from_the_program, simplified
from seqlang.rules.reading.ages import Ages, ages_of, joined, stretch
from seqlang.rules.reading.guards import most_steps_with_any, most_steps_within_any, required_reports
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.read_sets import gate_noises, revealed_choices
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.motion.moves import moves
from seqlang.rules.sensitivity.motion.shift import Step

MOST_CASES = 512

Shifts = tuple[tuple[str, Formula], ...]
Evidence = tuple[tuple[Shifts, ...], ...]


@record
class Case:
    """`pieces`: how the margins move at a step, and what fires in it; `times`: in how many steps of a run."""

    layout: Layout
    pieces: tuple[Piece, ...]
    times: Formula


def _only_fresh(program: Program, gates: tuple[str, ...]) -> bool:
    """No noise of the gates lasts, so that no other rule will do."""
    noises = {z for gate in program.gates if gate.name in gates for z in gate_noises(gate)}
    return bool(noises) and all(isinstance(program.noise(z).life, EachStep) for z in noises)


def _least(program: Program, asked: PureBound, step: Derivation) -> Formula | str:
    case, evidence = _case(program, asked.gates), step.evidence
    if isinstance(case, str):
        return case
    if not isinstance(evidence, tuple) or len(evidence) != len(case.pieces):
        return "one tuple of translations a case is needed"
    if not all(isinstance(choices, tuple) and all(map(are_shifts, choices)) for choices in evidence):
        return "one tuple of translations a case is needed"
    return _cost(case, evidence)


def _case(program: Program, gates: tuple[str, ...]) -> Case | str:
    fresh = frozenset(noise.name for noise in program.noises if isinstance(noise.life, EachStep))
    layout = single_step_layout(program, gates, fresh)
    if isinstance(layout, str):
        return layout
    kinds = {translation.kind for translation in layout.noises.translations.values()}
    if "stairs" in kinds:
        return "staircase noise in a comparison"
    if "whole" in kinds and not all(moves_by_whole_numbers(program, margin.value) for margin in layout.gates.margins):
        return "geometric noise, but a compared quantity does not move by whole numbers"
    if "whole" in kinds and not is_totally_unimodular(layout):
        return "geometric noise, and the constraints are no network: whole translations may cost more"
    found = moves(layout.program, layout.gates.margins, first=layout.gates.first, revealed=revealed_choices(program))
    if isinstance(found, str):
        return found
    times = _times(program, gates, layout)
    if times.is_infinite:
        return "nothing limits in how many steps a changed entry is looked at"
    steps = dict.fromkeys(
        tuple(Step(ZERO, one.at) for one in side) for move in found for side in (move.within, move.after)
    )
    outcomes: tuple[Fired, ...] = ((), *outputs_of(layout))
    if len(steps) * len(outcomes) > MOST_CASES:
        return "too many combinations of gates can fire in one step"
    pieces = tuple(Piece("within", at, fired) for at in steps for fired in outcomes)
    return Case(layout, pieces, times)


def _rows(layout: Layout, piece: Piece) -> tuple[Row, ...]:
    return tuple(dict.fromkeys(deciding_rows(layout, piece)))


def _cost(case: Case, evidence: Evidence) -> Formula | str:
    layout = case.layout
    costs: list[Formula] = []
    for piece, choices in zip(case.pieces, evidence, strict=True):
        rows = _rows(layout, piece)
        good: list[Formula] = []
        for shifts in choices:
            moved = dict(shifts)
            if moved.keys() <= layout.noises.translations.keys() and all(satisfied(layout, row, moved) for row in rows):
                good.append(total(layout.noises.translations[z].cost(u, layout.signs) for z, u in shifts))
        cheapest = least(good, layout.signs)
        if cheapest.is_infinite:
            what = " and ".join(name for name, _ in piece.fired) or "nothing"
            return (
                f"no translation of the fresh noises alone hides how the data may move (a step in which {what} fires)"
            )
        costs.append(cheapest)
    return product((layout.entries, case.times, largest(costs))) if largest(costs) != ZERO else ZERO


def _times(program: Program, names: tuple[str, ...], layout: Layout) -> Formula:
    """The most steps in which a gate is asked about something that may differ."""
    signs = layout.signs
    gates = [g for g in program.gates if g.name in names and isinstance(g, CompareGate | ReleaseGate)]
    asked = [(gate.guard, place) for gate in gates if (place := program.place_of(gate.source)) is not None]
    if len(asked) < len(gates):
        return INFINITY
    guards = list(dict.fromkeys(guard for guard, _ in asked))
    shown = most_steps_with_any(program, asked, signs)
    if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
        return shown
    ages: Ages | None = None
    for margin in layout.gates.margins:
        ages = joined(ages, ages_of(program, margin.value, signs), signs)
    if ages is None:
        return ZERO
    if ages.since is not None and all(required_reports(guard) == (ages.since,) for guard in guards):
        return least([ONE, shown], signs)
    return least([shown, most_steps_within_any(program, asked, stretch(ages, signs), signs)], signs)


STATEMENT = """
    every vertex d of the shift and every outcome of a step have w with cost(w) <= e
    what is asked may differ in at most t steps of a run
    -----------------------------------------------------------------------------------
                    the gates together are (k t e)-DP, in nats, for neighbours in k entries

    fires at the step          factors . w >= -d
    does not, but is asked     factors . w <= -d
    released at the step       factors . w  = -d
w translates the noises that are drawn in each step; noises that live longer stay where they are. t: the steps in which
a public guard holds; for one changed entry also those in which a value depends on it (a window of m: m steps, of which
a guard with `step % p == r` takes ceil(m/p), and any that the step and public memory decide the most that it takes of m
successive steps; entries since R looked at when R is made: 1). Conditions: factors as for
alignment/stopping; no statistic and no other gate reads a fresh noise that is translated; no staircase noise; geometric
noise needs quantities that move by whole numbers.
"""

_COMPUTED = Computed(
    "alignment/touches",
    "Looks, one by one",
    STATEMENT,
    "after Dwork & Roth 2014, Proposition 2.1 and Theorem 3.16; alignment step by step, proof in "
    "seqlang/rules/alignment/touches.py",
    PureBound,
    from_the_program,
    _least,
    Evidence,
)


def suggest(program: Program, gates: tuple[str, ...]) -> Derivation | str:
    """The cost of one look times the looks that a changed entry touches, or a sentence on why there is none."""
    case = _case(program, gates)
    if isinstance(case, str):
        return case if _only_fresh(program, gates) else ""
    layout = case.layout
    movable = frozenset(layout.noises.translations)
    evidence = tuple(
        tuple(tuple(sorted(found.shifts.items())) for found in minimal(layout, _rows(layout, piece), {}, movable))
        for piece in case.pieces
    )
    because = f"each look costs a translation of the fresh noise, and what may differ is looked at {case.times} times"
    offer = _COMPUTED.offer(program, PureBound(gates, INFINITY), because, evidence=evidence)
    if isinstance(offer, str):
        return offer if _only_fresh(program, gates) else ""
    return simplified(program, offer)


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("gates",), suggest)
