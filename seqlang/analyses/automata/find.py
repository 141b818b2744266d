"""Finds an automaton that proves a pure bound: a few shapes of modes, relations and translations are tried.

For each combination of signs of the ghosts and each stop that may end the run (the automaton guesses which) there is a
mode before the changed entry and one after it. Ghosts are the moves of margins and cells. A kept draw moves so that
some margin stays where it is, or not at all; a draw of the step so that a margin that decides stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import Any, Literal

from seqlang.analyses.automata.choices import with_picks
from seqlang.analyses.automata.inline import (
    ONE,
    ZERO,
    Inliner,
    comparisons,
    draws_in,
    minus,
    plus,
    times,
    without_draws,
)
from seqlang.analyses.automata.prices import prices
from seqlang.analyses.automata.public_state import known_at_the_beginning
from seqlang.analyses.automata.solver import GivenUp, contradiction, largest
from seqlang.analyses.automata.symbols import Moved, Symbols, combination, factor_of, proportional
from seqlang.kernel.check import check
from seqlang.kernel.conditions import (
    cases_of,
    ghost_conditions,
    ghost_parts,
    parts_of,
    start_conditions,
    step_conditions,
)
from seqlang.kernel.core import (
    Choose,
    Expression,
    Letters,
    Number,
    Op,
    Program,
    Range,
    Read,
    Step,
    Within,
)
from seqlang.kernel.cover import outcomes_of
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.execution import parts_of as parts_of_shown
from seqlang.kernel.levels import Level, Levels
from seqlang.kernel.proof import Certificate, Edge, Ghost, Mode, Outcome, Side
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import FALSE, Linear, holds_all
from seqlang.kernel.values import Space

MOST_SIGNED = 3
MOST_TRIES = 64


@dataclass(frozen=True)
class Margin:
    """The difference of the two sides of a comparison, or a number that is shown."""

    gate: int
    expression: tuple[Expression, Expression]
    """in run 1, in run 2"""
    draws: frozenset[int]


def find(program: Program, epsilon: Expression) -> Certificate | None:
    """A certificate that the kernel accepts, or None."""
    try:
        return _Search(program, epsilon).certificate()
    except (Refused, KeyError, GivenUp):
        return None


class _Search:
    def __init__(self, program: Program, epsilon: Expression) -> None:
        self.program, self.epsilon = program, epsilon
        self.levels = Levels(program)
        adjacency = program.adjacency
        self.every = isinstance(adjacency, Within) and adjacency.every and program.rows is None
        self.single = self.every or program.rows is not None
        self.symbols = Symbols(Space())
        self.moves_of_ghosts: list[Linear] = []
        self.between = True
        self.first = Inliner(program, 1)
        self.second = Inliner(program, 2)
        kept = any(draw.life != "step" for draw in program.draws)
        self.ghosts = [] if self.every or (program.rows is not None and not kept) else self._ghosts()
        self.skeleton = Certificate(program, epsilon, tuple(self.ghosts), (), (), ())
        self.alive = tuple(known_at_the_beginning(program, self.levels))
        self.outcomes = [Outcome(made, stop) for made, stop in outcomes_of(program)]

    # ---- ghosts

    def _ghosts(self) -> list[Ghost]:
        """The moves of cells and margins at the changed entry, where the states are the same."""
        now, then = Inliner(self.program, 1), Moved(self.program)
        inputs = [Read("input", k, 1) for k, i in enumerate(self.program.inputs) if not i.public]
        pairs: list[tuple[Expression, Expression]] = []
        for asked, moved in zip(now.asked, then.asked, strict=True):
            for e, f in zip(_margins(asked.when, asked.value), _margins(moved.when, moved.value), strict=True):
                pairs.append((without_draws(e), without_draws(f)))
        pairs += [(now.added[k], then.added[k]) for k in now.added]
        pairs += [(x, replace(x, run=2)) for x in inputs if isinstance(self.program.inputs[x.index].domain, Range)]
        found: list[Ghost] = []
        seen = self.moves_of_ghosts
        symbols = self.symbols
        for old, new in pairs:
            move = minus(new, old)
            try:
                value = symbols.number(move)
            except Refused:
                continue
            if value.is_constant or any(proportional(value, other) for other in seen):
                continue
            ghost = self._ranged(move, value)
            if ghost is not None:
                seen.append(value)
                found.append(ghost)
        return found

    def _ranged(self, move: Expression, value: Linear) -> Ghost | None:
        for low, high in self._ranges(move, value):
            ghost = self._checked(Ghost(move, low, high, ()))
            if ghost is not None:
                return ghost
        return None

    def _ranges(self, move: Expression, value: Linear) -> Iterator[tuple[Expression, Expression]]:
        """By the radius of the adjacency where the move is a multiple of what it bounds, and at the ends of domains."""
        adjacency = self.program.adjacency
        if self.program.rows is not None:
            yield from self._range_of_rows(move)
            return
        if isinstance(adjacency, Within):
            old, new = (_read_in(adjacency.of, run) for run in (1, 2))
            ratio = proportional(value, self.symbols.number(minus(new, old)))
            if ratio is not None:
                far = times(abs(ratio), adjacency.radius)
                yield Op("negate", (far,)), far
        ends = list(_at_vertices(move, self.program))
        if ends:
            values = sorted([*ends, ZERO], key=lambda e: closed_value(e).low)
            yield values[0], values[-1]

    def _range_of_rows(self, move: Expression) -> Iterator[tuple[Expression, Expression]]:
        proof = Certificate(self.program, self.epsilon, (), (), (), ())
        ends = [Fraction(0)]
        for case in cases_of(self.program, False):
            try:
                pair, value = ghost_parts(proof, Ghost(move, ZERO, ZERO, ()), case)
            except Refused:
                return
            for sign in (1, -1):
                known = (*pair.moved, *pair.space.known)
                end = value.constant * sign if value.is_constant else largest(known, value.times(Fraction(sign)))
                if end is None:
                    return
                ends.append(end * sign)
        yield Number(min(ends)), Number(max(ends))

    def _checked(self, ghost: Ghost) -> Ghost | None:
        try:
            conditions = list(ghost_conditions(Certificate(self.program, self.epsilon, (), (), (), ()), ghost))
            trees = [contradiction(c.contradictory) for c in conditions]
        except Refused:
            return None
        return None if None in trees else replace(ghost, proofs=tuple(trees))

    # ---- the automaton

    def certificate(self) -> Certificate | None:
        modes: list[Mode] = []
        edges: list[Edge] = []
        starts: list[Any] = []
        stops: list[int | None] = [s.index for s in self.program.stops] or [None]
        if not self.single:  # the changed entry never comes
            same = Mode((), tuple(self._relation(None)), ZERO, (), True)
            proof = replace(self.skeleton, modes=(same,))
            modes.append(same)
            starts.append(_starts(proof, same))
            for outcome in self.outcomes:
                found = self._edge(proof, 0, 0, False, outcome, {})
                trees = None if found is None else _trees(proof, found[0])
                if found is None or trees is None:
                    return None
                edges.append(replace(found[0], proofs=trees))
        signed: list[int | None] = list(range(min(len(self.ghosts), MOST_SIGNED)))
        adjacency = self.program.adjacency
        if isinstance(adjacency, Within) and adjacency.one_direction:
            signed.append(None)
        for signs in product((True, False), repeat=len(signed)):
            sides = tuple(Side(k, positive) for k, positive in zip(signed, signs, strict=True))
            for stop in stops:
                part = self._part(sides, stop)
                if part is None:
                    return None
                shift = len(modes)
                modes.extend(part.modes)
                edges.extend(replace(e, source=e.source + shift, target=e.target + shift) for e in part.edges)
                starts.extend(part.starts)
        whole = replace(self.skeleton, modes=tuple(modes), edges=tuple(edges), starts=tuple(starts))
        check(whole)
        return whole

    def _part(self, sides: tuple[Side, ...], stop: int | None) -> Certificate | None:
        for kept in self._kept_choices():
            found = self._with(sides, stop, kept)
            if found is not None:
                return found
        return None

    def _kept_choices(self) -> Iterator[tuple[tuple[int, Expression], ...]]:
        """Translations of the kept draws: none, or those that leave a margin where it is once the entry has changed."""
        places = [k for k, d in enumerate(self.program.draws) if d.life != "step"]
        options: list[list[Expression]] = []
        for index in places:
            own: list[Expression] = [ZERO]
            for factor, move in self._moves_after(index):
                own.append(times(-1 / factor, move))
            options.append(list(dict.fromkeys(own)))
        for count, chosen in enumerate(product(*options)):
            if count >= MOST_TRIES:
                return
            yield tuple(zip(places, chosen, strict=True))

    def _moves_after(self, draw: int) -> Iterator[tuple[Fraction, Expression]]:
        """(factor of the draw, move of the rest after the change) of each margin with the draw."""
        for margin in self._all_margins():
            if draw not in margin.draws:
                continue
            factor = factor_of(margin.expression[0], draw)
            if not factor:
                continue
            for ghost in range(len(self.ghosts)):
                yield factor, Read("ghost", ghost)
                yield -factor, Read("ghost", ghost)
            if self.every:
                adjacency = self.program.adjacency
                assert isinstance(adjacency, Within)
                yield factor, adjacency.radius
                yield -factor, adjacency.radius

    def _all_margins(self) -> list[Margin]:
        found: list[Margin] = []
        for gate, (old, new) in enumerate(zip(self.first.asked, self.second.asked, strict=True)):
            for e, f in zip(_margins(old.when, old.value), _margins(new.when, new.value), strict=True):
                found.append(Margin(gate, (e, f), draws_in(e)))
        return found

    def _with(
        self, sides: tuple[Side, ...], stop: int | None, kept: tuple[tuple[int, Expression], ...]
    ) -> Certificate | None:
        """Modes: `far` before the part of the run that the changed entry is in, `before` it in that part, `after` it in
        that part, `later` when all that it changed has begun anew. Parts end where a draw or a sum begins anew."""
        renewable = {k for k, d in enumerate(self.program.draws) if isinstance(d.life, int)}
        still = tuple((k, ZERO if k in renewable else e) for k, e in kept)
        anew = bool(renewable) or any(c.since is not None for c in self.program.cells)
        same, moved = tuple(self._relation(None)), tuple(self._relation(sides))
        if self.single:
            modes = [Mode(sides, same, ZERO, kept, True)]
            steps: list[tuple[tuple[int, ...], bool]] = [((0, 0), self.every)]
        else:
            modes = [
                Mode(sides, same, ZERO, kept, True), Mode(sides, moved, ZERO, kept, False),
                Mode(sides, same, ZERO, still, False), Mode(sides, same, ZERO, still, True),
            ]  # fmt: skip
            steps = [((0, 0), False), ((0, 1), True), ((1, 1), False)]
            if anew:
                steps = [((3, 3, 0), False), ((0, 0), False), ((0, 2, 1), True), ((1, 2, 1), False), ((2, 2), False)]
                if still == kept:
                    steps = steps[1:]
            modes = modes[: 4 if anew and still != kept else 3 if anew else 2]
        proof = replace(self.skeleton, modes=tuple(modes))
        edges: list[tuple[Edge, Fraction]] = []
        for (source, *targets), changed in steps:
            guess = source == 3
            for outcome in self.outcomes:
                before = not changed and source in (0, 3) and not self.single
                if outcome.stop not in (None, stop) or (outcome.stop is not None and before):
                    continue
                if len(modes) == 4 and source == 0 and not changed and self._renews(outcome):
                    continue  # the guess was wrong, and another path reads the word
                found = [self._edge(proof, source, t, changed, outcome, dict(kept)) for t in targets] if guess else []
                for target in () if guess else targets:
                    found = [self._edge(proof, source, target, changed, outcome, dict(modes[source].kept))]
                    if found[0] is not None:
                        break
                edges.extend(edge for edge in found if edge is not None)
                if not any(edge is not None for edge in found):
                    return None
        return self._priced(proof, edges)

    def _renews(self, outcome: Outcome) -> bool:
        lives = [d.life for d in self.program.draws]
        return any(isinstance(life, int) and outcome.reports[life] for life in lives)

    def _priced(self, proof: Certificate, edges: list[tuple[Edge, Fraction]]) -> Certificate | None:
        """With what each mode has paid at most: a number, and an amount for each report so far."""
        paid = prices(proof, edges)
        if paid is None:
            return None
        modes = tuple(replace(m, paid=p) for m, p in zip(proof.modes, paid, strict=True))
        proof = replace(proof, modes=modes)
        done: list[Edge] = []
        for edge, _ in edges:
            trees = _trees(proof, edge)
            if trees is None:
                return None
            done.append(replace(edge, proofs=trees))
        starts = [_starts(proof, m) for m in modes if m.start]
        found = tuple(trees for trees in starts if trees is not None)
        return replace(proof, edges=tuple(done), starts=found) if len(found) == len(starts) else None

    def _relation(self, sides: tuple[Side, ...] | None) -> Iterator[Expression]:
        """Before the change cells are equal; after it each differs by its ghost. The run has not ended."""
        yield from self.alive
        if sides is not None:
            yield from self._between_ghosts()
        for cell in self.program.cells:
            first, second = (Read("cell", cell.index, run) for run in (1, 2))
            if self.levels.of(Read("cell", cell.index)) == Level.SHOWN:
                continue
            move = ZERO if sides is None else self._move_of(cell.index)
            if move is not None and (move == ZERO or (cell.since is None and cell.operator != "last")):
                yield Op("==", (second, plus(first, move)))
            elif sides is not None and self.between:
                yield from self._between(first, second, move, sides)
        for index in range(len(self.program.memories)):
            if self.levels.of(Read("memory", index)) != Level.SHOWN:
                yield Op("==", (Read("memory", index, 2), Read("memory", index, 1)))

    def _between_ghosts(self) -> Iterator[Expression]:
        """A ghost that is a sum of multiples of later ones."""
        for k, value in enumerate(self.moves_of_ghosts):
            factors = combination(value, self.moves_of_ghosts[k + 1 :])
            if factors is not None:
                total: Expression = ZERO
                for j, factor in enumerate(factors):
                    total = plus(total, times(factor, Read("ghost", k + 1 + j)))
                yield Op("==", (Read("ghost", k), total))

    def _between(
        self, first: Expression, second: Expression, move: Expression | None, sides: tuple[Side, ...]
    ) -> Iterator[Expression]:
        """A cell that begins anew, or takes in its own value, may differ by any part of its move."""
        ghosts = [s for s in sides if s.ghost is not None]
        if move is None and len(ghosts) == 1 and ghosts[0].ghost is not None:
            move = Read("ghost", ghosts[0].ghost)
        if move is None:
            return
        for low, high in ((ZERO, move), (move, ZERO)):
            # the one that fits the sign of the move
            yield Op("or", (
                Op("<", (high, low)),
                Op("and", (Op(">=", (second, plus(first, low))), Op("<=", (second, plus(first, high))))),
            ))  # fmt: skip

    def _move_of(self, cell: int) -> Expression | None:
        symbols = Symbols(Space())
        now, then = Inliner(self.program, 1), Moved(self.program)
        value = symbols.number(minus(then.added[cell], now.added[cell]))
        if value.is_constant and value.constant == 0:
            return ZERO
        for k, ghost in enumerate(self.ghosts):
            other = symbols.number(ghost.value)
            ratio = proportional(value, other)
            if ratio:
                return times(ratio, Read("ghost", k))
        return None

    # ---- edges

    def _edge(
        self, proof: Certificate, source: int, target: int, changed: bool, outcome: Outcome,
        kept: dict[int, Expression],
    ) -> tuple[Edge, Fraction] | None:  # fmt: skip
        """An edge whose conditions hold, the price aside, and its price at most."""
        for moves in self._move_choices(outcome, kept):
            edge = Edge(source, target, changed, outcome, moves, ())
            try:
                for one in with_picks(proof, edge):
                    price = free_price(proof, one)
                    if price is not None:
                        return one, price
            except (Refused, GivenUp):
                continue
        return None

    def _move_choices(
        self, outcome: Outcome, kept: dict[int, Expression]
    ) -> Iterator[tuple[tuple[int, Expression], ...]]:
        """First nothing moves; then draws that leave margins of gates that decide where they are."""
        first, second = Inliner(self.program, 1, outcome), Inliner(self.program, 2, outcome)
        options: dict[int, list[Expression]] = {}
        needed: dict[tuple[int, bool], list[Expression]] = {}
        for old, new in zip(first.asked, second.asked, strict=True):
            for e, f in zip(_margins(old.when, old.value), _margins(new.when, new.value), strict=True):
                fresh = [j for j in sorted(draws_in(e)) if self.program.draws[j].life == "step"]
                rest = minus(without_draws(f), without_draws(e))
                for j in draws_in(e) - set(fresh):
                    rest = plus(rest, times(factor_of(e, j), kept.get(j, ZERO)))
                for j in fresh:
                    factor = factor_of(e, j)
                    if factor:
                        options.setdefault(j, [ZERO]).append(times(-1 / factor, rest))
                        needed.setdefault((j, factor > 0), []).append(times(-1 / factor, rest))
        for (j, _), moves in needed.items():
            if len(moves) > 1:  # a draw beside several others: as far as any of the margins asks
                options[j] += self._constant_moves()
                options[j] += [Op("max", (ZERO, *dict.fromkeys(moves))), Op("min", (ZERO, *dict.fromkeys(moves)))]
        names = sorted(options)
        yield ()
        for j in reversed(names):  # what is best for a choice of the largest of many
            yield from (((j, e),) for e in dict.fromkeys(options[j]) if e != ZERO)
        for chosen in islice(product(*(dict.fromkeys(options[j]) for j in names)), MOST_TRIES):
            yield tuple((j, e) for j, e in zip(names, chosen, strict=True) if e != ZERO)

    def _constant_moves(self) -> Iterator[Expression]:
        """By which two numbers may move apart where each moves by at most the radius."""
        adjacency = self.program.adjacency
        if isinstance(adjacency, Within) and adjacency.every:
            for factor in (1, -1, 2, -2):
                yield times(Fraction(factor), adjacency.radius)


def free_price(proof: Certificate, edge: Edge) -> Fraction | None:
    """What a step along the edge costs at most, if its other conditions hold."""
    dearest = Fraction(0)
    for case in cases_of(proof.program, edge.changed):
        parts = parts_of(proof, edge, case)
        condition = parts.pair.condition("", parts.assumed, parts.needed)
        if contradiction(condition.contradictory) is None:
            return None
        condition = parts.pair.condition("", (*parts.assumed, *parts.happened), holds_all(parts.asked))
        if contradiction(condition.contradictory) is None:
            return None
        if parts.price.is_constant:
            dearest = max(dearest, parts.price.constant)
            continue
        condition = parts.pair.condition("", (*parts.assumed, *parts.happened), FALSE)
        most = largest(condition.contradictory, parts.price)
        if most is None and contradiction(condition.contradictory) is None:
            return None
        dearest = max(dearest, most or Fraction(0))
    return dearest


def _trees(proof: Certificate, edge: Edge) -> tuple[Any, ...] | None:
    found: list[Any] = []
    for pair in step_conditions(proof, edge):
        trees = [contradiction(c.contradictory) for c in pair]
        if None in trees:
            return None
        found.append(trees)
    return tuple(found)


def _starts(proof: Certificate, mode: Mode) -> tuple[Any, ...] | None:
    trees = tuple(contradiction(condition.contradictory) for condition in start_conditions(proof, mode))
    return None if None in trees else trees


def _margins(when: Expression | None, value: Expression | None) -> list[Expression]:
    return [*comparisons(when), *(part for part in parts_of_shown(value) if draws_in(part))]


def _at_vertices(e: Expression, program: Program) -> Iterator[Expression]:
    """The expression's values where every entry is a letter or an end of its domain: constants."""
    names = sorted(_inputs_in(e), key=str)
    domains: list[list[Fraction]] = []
    for name in names:
        domain = program.inputs[name.index].domain
        match domain:
            case Letters(values):
                domains.append(list(values))
            case Range(low, high):
                domains.append([Fraction(-(10**6)) if low is None else low, Fraction(10**6) if high is None else high])
    size = 1
    for d in domains:
        size *= len(d)
    if size > 4096:
        return
    for chosen in product(*domains):
        at = dict(zip(names, chosen, strict=True))
        found = _put(e, at)
        try:
            closed_value(found)
        except Refused:
            continue
        yield found


def _inputs_in(e: Expression) -> frozenset[Read]:
    match e:
        case Read("input"):
            return frozenset((e,))
        case Op(_, arguments):
            return frozenset().union(*map(_inputs_in, arguments))
        case Choose(test, yes, no):
            return _inputs_in(test) | _inputs_in(yes) | _inputs_in(no)
    return frozenset()


def _put(e: Expression, at: dict[Read, Fraction]) -> Expression:
    match e:
        case Read() if e in at:
            return Number(at[e])
        case Read():
            return ZERO  # a state, which cancels where the move is that of the entry alone
        case Step():
            return ONE
        case Op(name, arguments):
            return Op(name, tuple(_put(a, at) for a in arguments))
        case Choose(test, yes, no):
            return Choose(_put(test, at), _put(yes, at), _put(no, at))
    return e


def _read_in(e: Expression, run: Literal[1, 2]) -> Expression:
    """An expression of the entry, in one of the runs."""
    match e:
        case Read("input", index):
            return Read("input", index, run)
        case Op(name, arguments):
            return Op(name, tuple(_read_in(a, run) for a in arguments))
        case Choose(test, yes, no):
            return Choose(_read_in(test, run), _read_in(yes, run), _read_in(no, run))
    return e
