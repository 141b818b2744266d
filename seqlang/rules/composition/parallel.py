"""Gates that speak of different entries: only those cost anything that a changed entry has to do with.

Each part of the composition has conditions such that its gates are the same on neighbours unless one of the two
entries that differ fulfils all of them (`reading/partition.py`). Entries fulfil no two conditions that exclude each
other, so an entry has to do with certain sets of parts only; the two entries that differ, with two of these sets. Where
an entry is added or removed, or where the conditions do not read what differs, it is one set. The losses of the parts
of it add up; all others show the same on both sides, whatever was shown before.

Which entries a part speaks of may be chosen from what was shown (`where arm == k` with `arm` in memory). For pure
bounds the loss of every single transcript is at most the sum for the sets that this transcript has chosen. Divergences
are means over transcripts, of which one part may have paid for some and another part for others: they take conditions
on the entry, its step and constants alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, maximum, total
from seqlang.model.expression import Expression, Number
from seqlang.model.program import AddRemove, Program, Within
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.rules.composition.concurrent import gates_of, shortest, side_by_side
from seqlang.rules.computed import Computed
from seqlang.rules.reading.partition import conditions_of, exclude_each_other, is_fixed
from seqlang.rules.reading.signs import Signs
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of

Bound = PureBound | ConcentratedBound
Parts = frozenset[int]
MOST_SETS = 400
"""Of more sets of parts than this the worst is not looked for."""


def _least(program: Program, asked: Bound, step: Derivation) -> Formula | str:
    costs = [_amount(part.conclusion) for part in step.premises if isinstance(part.conclusion, type(asked))]
    if len(costs) < len(step.premises):
        return "every part must be a bound of the notion that is concluded"
    if not _one_entry(program):
        return "neighbours may differ in more than one entry"
    worst = _sets_of_parts(program, [part.conclusion.gates for part in step.premises], isinstance(asked, PureBound))
    if worst is None:
        return "the parts can be put together in too many ways"
    sums = [total(costs[i] for i in sorted(parts)) for parts in worst]
    return _largest(sums, Signs(parameter_values(program)))


def _amount(bound: object) -> Formula:
    assert isinstance(bound, PureBound | ConcentratedBound)
    return bound.epsilon if isinstance(bound, PureBound) else bound.rho


def _one_entry(program: Program) -> bool:
    adjacency = program.adjacency
    if isinstance(adjacency, Within):
        return adjacency.extent == "one"
    return adjacency.count == Number(ONE.value)


def _sets_of_parts(program: Program, gates: Sequence[tuple[str, ...]], adaptive: bool) -> list[Parts] | None:
    """The largest sets of parts that the two entries that differ can have to do with; None: too many."""
    conditions = [
        tuple(c for c in conditions_of(program, names) if adaptive or is_fixed(program, c)) for names in gates
    ]
    entry = _entry(program)
    apart, still = set[tuple[int, int]](), set[tuple[int, int]]()
    for i, own in enumerate(conditions):
        for j, others in enumerate(conditions[:i]):
            pairs = [(a, b) for a in own for b in others if exclude_each_other(program, a, b)]
            if pairs:
                apart |= {(i, j), (j, i)}
            if any(not _moves(entry, a) and not _moves(entry, b) for a, b in pairs):
                still |= {(i, j), (j, i)}
    everything = frozenset(range(len(gates)))
    of_one = _largest_sets(everything, apart)
    if of_one is None or isinstance(program.adjacency, AddRemove):
        return of_one
    sets: dict[Parts, None] = {}
    for parts in dict.fromkeys(a | b for a in of_one for b in of_one):
        together = _largest_sets(parts, still)
        if together is None or len(sets) > MOST_SETS:
            return None
        sets |= dict.fromkeys(together)
    return list(sets)


def _largest_sets(parts: Parts, apart: set[tuple[int, int]]) -> list[Parts] | None:
    """The sets of these parts of which no two are apart, those that no other such set contains; None: too many."""
    sets = [Parts()]
    for new in sorted(parts):
        grown: dict[Parts, None] = {}
        for old in sets:
            fits = Parts(i for i in old if (i, new) not in apart)
            grown |= {fits | {new}: None} if fits == old else {old: None, fits | {new}: None}
        sets = [s for s in grown if not any(s < other for other in grown)]
        if len(sets) > MOST_SETS:
            return None
    return sets


def _entry(program: Program) -> Entry | None:
    facts = facts_of(program)
    near = neighbours_of(facts)
    return None if isinstance(near, str) else Entry(facts, near)


def _moves(entry: Entry | None, condition: Expression) -> bool:
    """Whether one of the two entries that differ may fulfil the condition and the other not."""
    return entry is None or entry.moves(condition)


def _largest(sums: Sequence[Formula], signs: Signs) -> Formula:
    best: Formula = ZERO
    for cost in dict.fromkeys(sums):
        if signs.at_least(cost, best):
            best = cost
        elif not signs.at_least(best, cost):
            best = maximum(best, cost)
    return best


_COMPUTED = Computed[Bound](
    "composition/parallel",
    "Parallel composition",
    """Gates G_i with independent noise, G_i eps_i-DP (rho_i-zCDP), that are the same on neighbours unless one of the
    two entries that differ fulfils the conditions C_i;   some of the C_i exclude each other
    ------------------------------------------------------------------------------------------------
    all gates together are (max over A of sum over i in A of eps_i)-DP (rho_i: zCDP)

A runs over the sets of parts that the entries that differ can have to do with: no two conditions of one entry exclude
each other. One entry that is added or removed: one such set; one that is replaced: two, and one where the conditions do
not read what differs. zCDP: the C_i read the entry, its step and constants only. Neighbours in one entry.""",
    "McSherry 2009, Theorem 4; with entries assigned by what was shown: proof in seqlang/rules/composition/parallel.py",
    (PureBound, ConcentratedBound),
    side_by_side,
    _least,
)


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | str | None:
    """Pure bounds to one, zCDP bounds to one; None where no two parts speak of different entries."""
    notions = {type(part.conclusion) for part in parts}
    if len(parts) < 2 or len(notions) != 1 or not notions <= {PureBound, ConcentratedBound}:
        return None
    if sum(1 for part in parts if conditions_of(program, part.conclusion.gates)) < 2:
        return None
    gates = gates_of(parts)
    asked: Bound = ConcentratedBound(gates, INFINITY, shortest(parts))
    if notions == {PureBound}:
        asked = PureBound(gates, INFINITY)
    return _COMPUTED.offer(program, asked, "a changed entry has to do with some of the parts only", tuple(parts))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts",), suggest)
