"""How several margins move together: the vertices of their joint shift class.

Every margin is split into public parts, which do not move, and moving atoms with constant factors. Margins that share
an atom move together. Different atoms of one changed entry are tied by what is known of their signs (or, for entries
with finitely many values, by the list of all joint differences); where nothing is known every combination is a vertex.

Reading a `Move`. Step.before bounds the difference in the steps of the segment before the deciding one (larger is
weaker for the proof), Step.at is the difference in the deciding step; true pairs are mixtures of vertices, up to a
smaller `before`. Moves of one `family` belong to the same pairs of neighbours: later segments of such a pair may each
show the `after` of another move of the family with this `within` (if `everywhere`: the `within` of any in the family).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.simplify import simplify
from seqlang.model.expression import Expression
from seqlang.model.gate_source import OfStop
from seqlang.model.program import AllSteps, CompareGate, Margin, Program
from seqlang.record import record, replace
from seqlang.rules.sensitivity.facts.ends import size_of
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_bounds
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import is_number
from seqlang.rules.sensitivity.motion.folds import why_unbounded
from seqlang.rules.sensitivity.motion.motion import Motion
from seqlang.rules.sensitivity.motion.motion_of import combined_motion, grouped
from seqlang.rules.sensitivity.motion.neighbours import Neighbours, neighbours_of
from seqlang.rules.sensitivity.motion.shift import Move, Step
from seqlang.rules.sensitivity.motion.shifts import is_certain
from seqlang.rules.sensitivity.motion.spreads import Entry, Weighted, moving_terms, proportion, table_differences

MOST_MOVES = 128
Steps = tuple[Step, ...]


@record
class Atom:
    """Something that moves, with its factor in each margin."""

    parts: Weighted
    factors: tuple[Formula, ...]
    motion: Motion


@record
class Branch:
    """What one choice of sign (or of a pair of entries) allows: the vertices within and after the changed segment."""

    name: str
    within: tuple[Steps, ...]
    after: tuple[Steps, ...]


def moves(
    program: Program, margins: Sequence[Margin], *, first: int = 1, revealed: frozenset[str] = frozenset()
) -> tuple[Move, ...] | str:
    """The vertices of the joint shift class of the margins' values, or why there is none.

    `first` and `revealed` as in `shift_of`. Segments are cut by the reports of the program's compare gates; a sum
    `since R` is taken to be still after the changed segment only if there is no other such report than R.
    """
    facts = facts_of(program, first, revealed)
    return _moves_of(facts, tuple(margins))


@remembered
def _moves_of(facts: Facts, margins: tuple[Margin, ...]) -> tuple[Move, ...] | str:
    near = neighbours_of(facts)
    if isinstance(near, str):
        return near
    trouble = _noise_inside(facts, margins)
    if trouble is not None:
        return trouble
    entry = Entry(facts, near)
    values = [facts.expand(margin.value) for margin in margins]
    together = _together(entry, _atoms(entry, values), len(margins))
    if not isinstance(together, str) or len(margins) == 1:
        return together
    alone = _together(entry, _each_alone(entry, values), len(margins))
    return together if isinstance(alone, str) else alone


def _together(entry: Entry, atoms: tuple[Atom, ...] | str, size: int) -> tuple[Move, ...] | str:
    if isinstance(atoms, str):
        return atoms
    if not atoms:
        still = _still(size)
        return (Move(still, still, entry.near.every, "nothing moves"),)
    groups = _branches(entry, atoms, size)
    if isinstance(groups, str):
        return groups
    return _product(entry.facts, entry.near, groups, size)


def _noise_inside(facts: Facts, margins: Sequence[Margin]) -> str | None:
    """A noise that a term holds must not be part of a value: translating it would move the value."""
    held = {term.noise for margin in margins for term in margin.terms}
    inside = frozenset[str]().union(*(facts.noises_inside(margin.value) for margin in margins)) & held
    return f"the noise {', '.join(sorted(inside))} is also part of a compared quantity" if inside else None


# ---- atoms


def _atoms(entry: Entry, values: list[Expression]) -> tuple[Atom, ...] | str:
    """The moving atoms of all margins."""
    facts = entry.facts
    if not all(is_number(facts, value) for value in values):
        return "a vector is compared"
    split = [_split(entry, value) for value in values]
    moving = [parts for parts in split if parts]
    if not moving:
        return ()
    ratios = [proportion(facts, parts, moving[0]) if parts else ZERO for parts in split]
    known = tuple(ratio for ratio in ratios if ratio is not None)
    if len(known) == len(ratios):
        atoms = [(moving[0], known)]
    else:
        order = dict.fromkeys(part for parts in split for part, _ in parts)
        atoms = [(((part, _one()),), tuple(dict(parts).get(part, ZERO) for parts in split)) for part in order]
    return _moving(entry, atoms)


def _each_alone(entry: Entry, values: list[Expression]) -> tuple[Atom, ...] | str:
    """Each margin as an atom of its own, whatever it shares with others: more ways to move than there are, and fewer
    vertices where the margins are made of many atoms."""
    if not all(is_number(entry.facts, value) for value in values):
        return "a vector is compared"
    units = [tuple(_one() if i == j else ZERO for j in range(len(values))) for i in range(len(values))]
    return _moving(entry, [(_split(entry, value), unit) for value, unit in zip(values, units, strict=True)])


def _moving(entry: Entry, atoms: Sequence[tuple[Weighted, tuple[Formula, ...]]]) -> tuple[Atom, ...] | str:
    facts = entry.facts
    result: list[Atom] = []
    for parts, factors in atoms:
        motion = combined_motion(entry, parts)
        if motion.kind == "unbounded":
            return motion.note or why_unbounded(entry, parts)
        if motion.norms is not None or not is_certain(facts, motion.radius):
            return "how far a compared quantity moves is not known"
        if motion.kind != "none":
            result.append(Atom(parts, factors, motion))
    return tuple(result)


def _one() -> Formula:
    return ZERO + 1


def _split(entry: Entry, value: Expression) -> Weighted:
    """The moving parts; a value that is itself a known recursion stays whole."""
    if value in entry.facts.recursions:
        return ((value, _one()),)
    return moving_terms(entry, ((value, _one()),))


# ---- branches of groups of atoms


def _branches(entry: Entry, atoms: tuple[Atom, ...], size: int) -> list[list[Branch]] | str:
    """Groups of atoms whose signs are tied, each with its branches; the groups are independent."""
    facts = entry.facts
    if any(facts.sign(factor) is None for atom in atoms for factor in atom.factors):
        return "the sign of a factor of a compared quantity is not known"
    if len(atoms) > 1:
        listed = _listed(entry, atoms, size)
        if listed is not None:
            return [listed]
    tied: dict[object, list[Atom]] = {}
    for number, atom in enumerate(atoms):
        key = atom.motion.sign[0] if atom.motion.sign is not None and len(atoms) > 1 else number
        tied.setdefault(key, []).append(atom)
    segment_ends = _ends_of_segments(facts.program)
    return [_signed(facts, group, size, segment_ends) for group in tied.values()]


def _ends_of_segments(program: Program) -> frozenset[str]:
    return frozenset(g.name for g in program.gates if isinstance(g, CompareGate) and not isinstance(g.source, OfStop))


def _listed(entry: Entry, atoms: tuple[Atom, ...], size: int) -> list[Branch] | None:
    """Running sums of one entry with finitely many values: one branch a pair of values."""
    facts = entry.facts
    if entry.near.every or any(atom.motion.kind != "uniform" or atom.motion.onset for atom in atoms):
        return None
    groups: list[Weighted] = []
    for atom in atoms:
        members = grouped(entry, atom.parts)
        keep = next(iter(members))
        if len(members) != 1 or not isinstance(keep, AllSteps):
            return None
        groups.append(tuple((p, c) for e, f in members[keep] for p, c in moving_terms(entry, ((e, f),))))
    rows = table_differences(entry, tuple(groups))
    if rows is None or not rows:
        return None
    result: list[Branch] = []
    for row in _distinct(facts, rows):
        ends = [sum((c * a.factors[j] for c, a in zip(row, atoms, strict=True)), start=ZERO) for j in range(size)]
        within = tuple(Step(positive(facts, c), c) for c in ends)
        result.append(Branch(f"pair {len(result) + 1}", (within,), (tuple(Step(c, c) for c in ends),)))
    return result


def _distinct(facts: Facts, rows: list[tuple[Formula, ...]]) -> list[tuple[Formula, ...]]:
    """Each vector once; of vectors in one line through 0 the shorter ones are mixtures of the longest and of 0."""
    kept: list[tuple[Formula, ...]] = []
    for row in rows:
        if not any(_covers(facts, other, row) for other in kept):
            kept = [other for other in kept if not _covers(facts, row, other)] + [row]
    return kept


def _covers(facts: Facts, longer: tuple[Formula, ...], shorter: tuple[Formula, ...]) -> bool:
    """True if shorter = lambda * longer for some 0 <= lambda <= 1, coordinate by coordinate."""
    lead = next((i for i, c in enumerate(longer) if facts.sign(c) in (1, -1)), None)
    if lead is None:
        return all(facts.sign(c) == 0 for c in shorter)
    a, b = longer[lead], shorter[lead]
    same_way = facts.sign(a) == facts.sign(b) and facts.at_most(size_of(facts, b), size_of(facts, a))
    in_line = all(facts.compare(x * b, y * a) == "equal" for x, y in zip(longer, shorter, strict=True))
    return in_line and (facts.sign(b) == 0 or same_way)


def positive(facts: Facts, formula: Formula) -> Formula:
    """max(0, formula), where the sign is known; else a larger number."""
    sign = facts.sign(formula)
    return ZERO if sign in (0, -1) else formula if sign == 1 else size_of(facts, formula)


def _signed(facts: Facts, atoms: list[Atom], size: int, segment_ends: frozenset[str]) -> list[Branch]:
    """Atoms with one sign key: everything rises or everything falls (up to each atom's own turn)."""
    if atoms[0].motion.kind == "arbitrary":
        return [_arbitrary(facts, atoms[0], segment_ends)]
    result: list[Branch] = []
    for sign, word in ((1, "up"), (-1, "down")):
        within: list[Steps] = [_still(size)]
        after: list[Steps] = [_still(size)]
        for atom in atoms:
            turn = sign * (atom.motion.sign[1] if atom.motion.sign is not None and len(atoms) > 1 else 1)
            here, later = _vertices(facts, atom, turn, segment_ends)
            alone = len(atoms) == 1
            # several tied atoms: each may also have stayed where it was
            within = _sums(within, here if alone else (*here, _still(size)))
            after = _sums(after, later if alone else (*later, _still(size)))
        result.append(Branch(word, tuple(within), tuple(after)))
    return result


def _vertices(
    facts: Facts, atom: Atom, sign: int, segment_ends: frozenset[str]
) -> tuple[tuple[Steps, ...], tuple[Steps, ...]]:
    """The extreme points of a class of one sign, in the changed segment and in later ones."""
    c = atom.motion.radius * sign
    ends = [factor * c for factor in atom.factors]
    full = tuple(Step(positive(facts, end), end) for end in ends)
    gone = tuple(Step(positive(facts, end), ZERO) for end in ends)
    fresh = tuple(Step(ZERO, end) for end in ends)
    still = _still(len(ends))
    ended = atom.motion.report is not None and segment_ends <= {atom.motion.report}
    match atom.motion.kind:
        case "uniform" if atom.motion.onset <= 0:
            # from the changed entry on every step has this difference, so a later segment has no other
            return (full,), (tuple(Step(end, end) for end in ends),)
        case "single step":
            return (fresh, gone), (still,) if atom.motion.onset <= 0 else (fresh, gone)
        case "window" if ended:
            return (full,), (still,)
        case _:
            return (full, gone), (still,) if ended else (full, gone)


def _arbitrary(facts: Facts, atom: Atom, segment_ends: frozenset[str]) -> Branch:
    """Anything within the radius in each step."""
    sizes = [size_of(facts, factor) * atom.motion.radius for factor in atom.factors]
    ends = [factor * atom.motion.radius for factor in atom.factors]
    steps = tuple(tuple(Step(m, end * s) for m, end in zip(sizes, ends, strict=True)) for s in (1, -1))
    ended = atom.motion.report is not None and segment_ends <= {atom.motion.report}
    return Branch("any", steps, (_still(len(ends)),) if ended else steps)


def _still(size: int) -> Steps:
    return tuple(Step(ZERO, ZERO) for _ in range(size))


def _sums(left: list[Steps], right: tuple[Steps, ...]) -> list[Steps]:
    """All sums of one vertex of each: before adds up at most, at adds up exactly."""

    def both(x: Steps, y: Steps) -> Steps:
        return tuple(Step(a.before + b.before, a.at + b.at) for a, b in zip(x, y, strict=True))

    return list(dict.fromkeys(both(x, y) for x, y in product(left, right)))


# ---- moves


def _product(facts: Facts, near: Neighbours, groups: list[list[Branch]], size: int) -> tuple[Move, ...] | str:
    """One branch of each group together; within and after of a branch combine freely."""
    found: dict[Move, None] = {}
    for branches in product(*groups):
        within: list[Steps] = [_still(size)]
        after: list[Steps] = [_still(size)]
        for branch in branches:
            within, after = _sums(within, branch.within), _sums(after, branch.after)
        name = ", ".join(branch.name for branch in branches)
        for move in _moves(near, within, after, name):
            found[_simplified(facts, move)] = None
            if len(found) > MOST_MOVES:
                return "the compared quantities move in too many ways together"
    return tuple(found)


def _moves(near: Neighbours, within: list[Steps], after: list[Steps], name: str) -> Iterator[Move]:
    if near.every:
        for number, steps in enumerate(within):
            yield Move(steps, steps, True, _numbered(name, number, len(within)), name)
        return
    pairs = list(product(within, after))
    for number, (here, later) in enumerate(pairs):
        yield Move(here, later, False, _numbered(name, number, len(pairs)), name)


def _numbered(name: str, number: int, count: int) -> str:
    return name if count == 1 else f"{name} {number + 1}"


def _simplified(facts: Facts, move: Move) -> Move:
    bounds = parameter_bounds(facts.program)

    def shown(steps: Steps) -> Steps:
        return tuple(Step(simplify(s.before, bounds), simplify(s.at, bounds)) for s in steps)

    return replace(move, within=shown(move.within), after=shown(move.after))
