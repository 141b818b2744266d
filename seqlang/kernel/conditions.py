"""The conditions of an automaton, as formulas: where it starts, and one step along each edge.

Each is a list of formulas that must contradict each other: what is assumed, and that what is to be shown is false.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from seqlang.kernel.core import Letters, Pick, Program, Range, Read, Remove, Replace, Step, Within
from seqlang.kernel.execution import Key, Run, ended, play
from seqlang.kernel.laws import chance_price, cost
from seqlang.kernel.levels import WHOLE, Level, Levels
from seqlang.kernel.proof import Certificate, Edge, Ghost, Mode, Outcome
from seqlang.kernel.refused import Refused
from seqlang.kernel.table import Case, Table, moved_within, number_in
from seqlang.kernel.terms import (
    FALSE,
    TRUE,
    Both,
    Either,
    Formula,
    Linear,
    Sign,
    at_least,
    denied,
    equal,
    holds_all,
    holds_one,
    number,
    same_truth,
    tightened,
)
from seqlang.kernel.values import Reader, Space, Value

MOST_CASES = 4096
"""Combinations of letters of one step."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`names`: of the variables. `assumed` and the negation of `shown` must contradict each other."""

    about: str
    names: tuple[str, ...]
    whole: frozenset[int]
    assumed: tuple[Formula, ...]
    shown: Formula

    @property
    def contradictory(self) -> tuple[Formula, ...]:
        return tuple(tightened(part, self.whole) for part in (denied(self.shown), *self.assumed))


def start_parts(proof: Certificate, mode: Mode, case: Case) -> tuple[_Pair, Linear]:
    """The states before the first step, and the price of the kept draws."""
    pair = _Pair(proof, mode, None, case)
    pair.states = (first_state(proof.program, pair.space),) * 2
    pair.count = number(0)
    pair.limit()
    return pair, pair.price(pair.kept(mode))[0]


def start_conditions(proof: Certificate, mode: Mode) -> Iterator[Condition]:
    """For each case of the rows: before the first step the relation holds, and the kept draws have been paid for."""
    for case in cases_of(proof.program, False):
        yield _start(proof, mode, case)


def _start(proof: Certificate, mode: Mode, case: Case) -> Condition:
    pair, price = start_parts(proof, mode, case)
    paid = pair.reader(Level.SHOWN).number(mode.paid)
    allowed = pair.price(pair.kept(mode))[1]
    shown = holds_all((
        *pair.relation(mode), *allowed, at_least(paid, price), at_least(pair.limit(), paid),
        *pair.space.needed,
    ))  # fmt: skip
    return pair.condition(f"the start, {case}", (*pair.sides(mode), *pair.moved, *pair.space.known), shown)


def ghost_parts(proof: Certificate, ghost: Ghost, case: Case) -> tuple[_Pair, Linear]:
    """The entries and rows, and the ghost's value."""
    mode = Mode((), (), proof.epsilon, (), False)
    pair = _Pair(replace(proof, ghosts=()), mode, Edge(0, 0, True, Outcome((), None), (), ()), case)
    return pair, pair.bound(ghost)


def ghost_conditions(proof: Certificate, ghost: Ghost) -> Iterator[Condition]:
    """For each case of the entries the ghost lies in its range; so does 0, which stands for a ghost never bound."""
    for case in cases_of(proof.program, proof.program.rows is None):
        pair, value = ghost_parts(proof, ghost, case)
        low, high = pair.space.constant(ghost.low), pair.space.constant(ghost.high)
        shown = (
            at_least(value, low), at_least(high, value), at_least(number(0), low), at_least(high, number(0)),
            *pair.space.needed,
        )  # fmt: skip
        yield pair.condition(f"the range of a ghost, {case}", (*pair.moved, *pair.space.known), holds_all(shown))


def first_state(program: Program, space: Space) -> dict[Key, Value]:
    """What memories and cells hold before the first step."""

    reader = Reader(space, _nothing)
    found: dict[Key, Value] = {("memory", k): reader.value(e) for k, e in enumerate(program.memories)}
    for cell in program.cells:
        found["cell", cell.index] = number(0) if cell.start is None else reader.value(cell.start)
    return found


def step_conditions(proof: Certificate, edge: Edge) -> Iterator[tuple[Condition, Condition]]:
    """For each case of the entries: that the first run fails nowhere, and all that the step asks."""
    source = proof.modes[edge.source]
    if edge.outcome.stop is None and proof.modes[edge.target].sides != source.sides:
        raise Refused("an edge leads to a mode for ghosts of another sign")
    for case in cases_of(proof.program, edge.changed):
        yield _step(proof, edge, case)


def cases_of(program: Program, changed: bool) -> list[Case]:
    """The combinations of values of inputs, and of fields of the changed row, with finitely many; which listed row is
    changed; whether the row is added."""
    places: list[tuple[tuple[str, int, int], tuple[Fraction, ...]]] = []
    for index, declared in enumerate(program.inputs):
        if isinstance(declared.domain, Letters):
            runs = (1, 2) if changed and not declared.public else (1,)
            places += [(("input", index, run), declared.domain.values) for run in runs]
    rows: Sequence[int | None] = (None,)
    ways: Sequence[bool] = (False,)
    if program.rows is not None and not program.rows.listed:
        removes = isinstance(program.adjacency, Remove)
        ways = (False, True) if removes else ways
        for index, domain in enumerate(program.rows.fields):
            if isinstance(domain, Letters):
                places += [(("row", index, run), domain.values) for run in ((1,) if removes else (1, 2))]
    elif program.rows is not None and (not program.rows.size or isinstance(program.adjacency, Remove)):
        raise Refused("rows are read one by one, and it is not known how many there are")
    elif program.rows is not None and not (isinstance(program.adjacency, Within) and program.adjacency.every):
        rows = range(program.rows.size or 0)
    if prod(len(values) for _, values in places) * len(rows) * len(ways) > MOST_CASES:
        raise Refused("too many combinations of letters")
    return [
        Case(dict(zip((place for place, _ in places), chosen, strict=True)), row, way)
        for row in rows for way in ways for chosen in product(*(values for _, values in places))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parts:
    """What one step along an edge asks, for one case of the entries. `happened` in the first run, and then `asked`, and
    `paid` + `price` <= `after`; `needed`, so that the first run has values. `pair` has the state after the step."""

    pair: _Pair
    before: Mapping[Key, Value]
    count: Linear
    assumed: tuple[Formula, ...]
    needed: Formula
    happened: tuple[Formula, ...]
    asked: tuple[Formula, ...]
    paid: Linear
    price: Linear
    after: Linear
    runs: tuple[Run, Run]


def parts_of(proof: Certificate, edge: Edge, case: Case) -> Parts:
    source, ends = proof.modes[edge.source], edge.outcome.stop is not None
    pair = _Pair(proof, source, edge, case)
    paid = pair.reader(Level.SHOWN).number(source.paid)
    # that no more was paid than is allowed was shown where the mode was entered
    assumed = [*pair.sides(source), *pair.moved, *pair.relation(source), at_least(pair.limit(), paid)]
    paying, before, count = pair.moves(edge), dict(pair.states[0]), pair.count
    first, second = pair.runs(paying, [pick for pick, _ in edge.picks])
    play(first, edge.outcome, None)
    if FALSE in first.happened:  # no run shows this
        nothing = number(0)
        return Parts(pair, before, count, (FALSE,), TRUE, (FALSE,), (), paid, nothing, paid, (first, second))
    play(second, edge.outcome, first)
    if FALSE in second.happened:  # it was played no further: the step holds only if the first run never shows this
        nothing, known = number(0), (*assumed, *pair.space.known)
        return Parts(
            pair, before, count, known, holds_all(first.needed), tuple(first.happened), (FALSE,), paid, nothing, paid,
            (first, second),
        )  # fmt: skip
    require_triangular(pair.space, first, pair.levels, pair.fresh)
    picked, prices = pair.picked(edge, first, second)
    asked = [*second.needed, *second.happened, *prices]
    asked.extend(_same(a, b) for (_, a), (_, b) in zip(first.shown, second.shown, strict=True))
    after = pair.limit()
    if not ends:
        target, old = proof.modes[edge.target], pair.kept(source)
        begun = {key: value for key, value in before.items() if key[0] in ("cell", "memory")}
        pair.states = (ended(first, edge.outcome, begun), ended(second, edge.outcome, begun))
        pair.count = pair.count + number(1)
        for index, move in pair.kept(target).items():
            drawn = first.values["draw", index]
            if pair.renewed(index, edge):
                paying[index], drawn = move, pair.drawn(index)
            else:
                asked.append(equal(move, old[index]))
            assert isinstance(drawn, Linear)
            pair.states[0]["draw", index], pair.states[1]["draw", index] = drawn, drawn + move
        after = pair.reader(Level.SHOWN).number(target.paid)
        asked.extend((*pair.relation(target), at_least(pair.limit(), after)))
    price, allowed = pair.price(paying)
    price = price + picked
    asked.extend((*allowed, *pair.space.needed))
    assumed.extend(pair.space.known)
    return Parts(
        pair, before, count, tuple(assumed), holds_all(first.needed), tuple(first.happened), tuple(asked), paid, price,
        after, (first, second),
    )  # fmt: skip


def _step(proof: Certificate, edge: Edge, case: Case) -> tuple[Condition, Condition]:
    parts = parts_of(proof, edge, case)
    about = f"from mode {edge.source} to mode {edge.target}, {edge.outcome}, {case}"
    shown = holds_all((*parts.asked, at_least(parts.after, parts.paid + parts.price)))
    return (
        parts.pair.condition(f"totality {about}", parts.assumed, parts.needed),
        parts.pair.condition(about, (*parts.assumed, *parts.happened), shown),
    )


def _same(first: Value, second: Value) -> Formula:
    match first, second:
        case Linear(), Linear():
            return equal(first, second)
        case ((Sign() | Both() | Either()), (Sign() | Both() | Either())):
            return same_truth(first, second)
        case str(), str():
            return TRUE if first == second else FALSE
    return FALSE


def require_triangular(space: Space, run: Run, levels: Levels, fresh: Mapping[int, Linear]) -> None:
    """Numbers with a density that are shown have draws of their own: number k is e_k + s_k z_k with a constant s_k
    other than 0, and no e_i with i <= k depends on z_k. Raises Refused if not: see README, released numbers."""
    rests: list[Linear] = []
    taken: set[int] = set()
    for expression, value in run.shown:
        if not isinstance(value, Linear) or levels.of(expression) < Level.DRAWN:
            continue
        for noise in fresh.values():
            own = noise.parts[0][0]
            factor = dict(value.parts).get(own, Fraction(0))
            rest = value - noise.times(factor)
            if factor and own not in taken and all(own not in space.sources(e) for e in (rest, *rests)):
                taken.add(own)
                rests.append(rest)
                break
        else:
            raise Refused("a number is shown that is not a term plus a draw of its own")


class _Pair:
    """Both runs at the beginning of a step; `edge` None: before the first step. `moved`: how entries and rows differ.
    `ways`: the moves of an adjacency with one direction."""

    def __init__(self, proof: Certificate, mode: Mode, edge: Edge | None, case: Case) -> None:
        self.proof, self.program, self.space = proof, proof.program, Space()
        self.levels = Levels(self.program)
        self.count = self.space.new("steps done", whole=True)
        self.moved: list[Formula] = [at_least(self.count, number(0))]
        self.states = self._states() if edge is not None else ({}, {})
        self.ghosts: list[Linear] = []
        self.ways: list[Linear] = []
        self.fresh: dict[int, Linear] = {}
        self.table = None if self.program.rows is None else Table(self.space, self.program, case)
        if self.table is not None:
            self.moved.extend(self.table.known)
            self.ways.extend(self.table.ways)
        if edge is not None:
            self._enter(edge.changed, case)
            for index, draw in enumerate(self.program.draws):
                noise = self.drawn(index)
                for state in self.states:
                    state["draw", index] = noise
                if draw.life == "step":
                    self.fresh[index] = noise
        if self.table is not None or (edge is not None and edge.changed):
            self.ghosts = [self.bound(ghost) for ghost in self.proof.ghosts]
        else:
            wholes = [self.levels.is_whole(ghost.value) for ghost in self.proof.ghosts]
            self.ghosts = [self.space.new(f"ghost {k}", whole) for k, whole in enumerate(wholes)]
        for index, move in (self.kept(mode) if edge is not None else {}).items():
            own = self.states[1]["draw", index]
            assert isinstance(own, Linear)
            self.states[1]["draw", index] = own + move

    def condition(self, about: str, assumed: tuple[Formula, ...], shown: Formula) -> Condition:
        return Condition(about, tuple(self.space.names), frozenset(self.space.whole), assumed, shown)

    def drawn(self, index: int) -> Linear:
        """A new draw, of which its support is known."""
        law = self.program.draws[index].law
        noise = self.space.new(f"draw {index}", law in WHOLE)
        if law == "exponential":
            self.moved.append(at_least(noise, number(0)))
        return noise

    def _states(self) -> tuple[dict[Key, Value], dict[Key, Value]]:
        """Variables for cells and memories; one for both runs where what was shown determines it."""
        first: dict[Key, Value] = {}
        second: dict[Key, Value] = {}
        for key, value in first_state(self.program, Space()).items():
            read = Read(key[0], key[1])
            shared, whole = self.levels.of(read) == Level.SHOWN, self.levels.is_whole(read)
            first[key] = self._unknown(f"{key[0]} {key[1]}", value, whole)
            second[key] = first[key] if shared else self._unknown(f"{key[0]} {key[1]}'", value, whole)
        return first, second

    def _unknown(self, name: str, like: Value, whole: bool) -> Value:
        if isinstance(like, str):
            raise Refused("a memory holds a word")
        found = self.space.new(name, whole)
        return found if isinstance(like, Linear) else Sign(found, False)

    def bound(self, ghost: Ghost) -> Linear:
        """By the changed entry and the states before it; where there is a data set, by the rows."""
        if self.table is None:
            return self.reader(Level.DATA).number(ghost.value)

        def read(what: Read | Step) -> Value:
            if isinstance(what, Read) and what.kind == "row" and what.run != 0 and self.table is not None:
                numbers = self.table.listed[what.run - 1]
                if what.index in numbers:
                    return numbers[what.index]
            raise Refused("a ghost of a data set reads more than rows")

        return Reader(self.space, read, table=self.table).number(ghost.value)

    def _enter(self, changed: bool, case: Case) -> None:
        for index, declared in enumerate(self.program.inputs):
            for run in (1, 2):
                if run == 2 and (declared.public or not changed):
                    value = self.states[0]["input", index]
                elif isinstance(declared.domain, Range):
                    value = number_in(self.space, declared.domain, f"input {index}" + "'" * (run - 1), self.moved)
                else:
                    value = number(case.letters["input", index, run])
                self.states[run - 1]["input", index] = value
        if self.table is not None:
            for state, numbers in zip(self.states, self.table.listed, strict=True):
                state.update({("row", k): value for k, value in numbers.items()})
        elif changed and isinstance(self.program.adjacency, Within):
            move, bounds = moved_within(self.space, self.program.adjacency, *map(_entries, self.states))
            self.moved.extend(bounds)
            self.ways.append(move)

    def reader(self, allowed: Level) -> Reader:
        """Of expressions of the proof that read nothing above the level."""

        def read(what: Read | Step) -> Value:
            match what:
                case Step():
                    return self.count
                case Read("ghost", index, 0) if index < len(self.ghosts):
                    return self.ghosts[index]
                case Read(kind, index, 1 | 2 as run) if kind != "let" and self.levels.of(Read(kind, index)) <= allowed:
                    state = self.states[run - 1]
                    if (kind, index) in state:
                        return state[kind, index]
            raise Refused("a proof reads what it must not read there, or what has no value")

        return Reader(self.space, read, table=self.table)

    def limit(self) -> Linear:
        """The epsilon for one changed entry or row: neighbours in k are k such neighbours apart."""
        adjacency = self.program.adjacency
        changes = adjacency.count if isinstance(adjacency, Replace | Remove) else 1
        return Reader(self.space, _nothing).number(self.proof.epsilon).times(Fraction(1, changes))

    def sides(self, mode: Mode) -> Iterator[Formula]:
        for ghost, value in zip(self.proof.ghosts, self.ghosts, strict=True):
            yield at_least(value, self.space.constant(ghost.low))
            yield at_least(self.space.constant(ghost.high), value)
        for side in mode.sides:
            if side.ghost is not None:
                sign = self.ghosts[side.ghost]
                yield at_least(sign, number(0)) if side.positive else at_least(number(0), sign)
            else:
                for move in self.ways:
                    yield at_least(move, number(0)) if side.positive else at_least(number(0), move)

    def relation(self, mode: Mode) -> list[Formula]:
        reader = self.reader(Level.DRAWN)
        return [reader.truth(e) for e in mode.relation]

    def kept(self, mode: Mode) -> dict[int, Linear]:
        """Translations of kept draws: functions of the ghosts and of constants."""
        found: dict[int, Linear] = {}
        for index, draw in enumerate(self.program.draws):
            if draw.life != "step":
                found[index] = number(0)
        for index, move in mode.kept:
            if index not in found:
                raise Refused("a draw of one step is no kept draw")
            found[index] = Reader(self.space, self._ghost).number(move)
        return found

    def _ghost(self, what: Read | Step) -> Value:
        if isinstance(what, Read) and what.kind == "ghost" and what.index < len(self.ghosts):
            return self.ghosts[what.index]
        raise Refused("a kept draw is translated by what changes from step to step")

    def moves(self, edge: Edge) -> dict[int, Linear]:
        """Translations of this step's draws: functions of the ghosts, the entries, and states without draws."""
        reader = self.reader(Level.DATA)
        found = dict.fromkeys(self.fresh, number(0))
        for index, move in edge.moves:
            if index not in self.fresh:
                raise Refused("a kept draw is no draw of one step")
            found[index] = reader.number(move)
        return found

    def runs(self, moves: Mapping[int, Linear], paid: Collection[int]) -> tuple[Run, Run]:
        now = self.count + number(1)
        is_shown, (one, two) = self.levels.is_shown, self.states
        picks = {pick.index: self.pick(pick) for pick in self.program.picks}
        others = {k: same if k in paid else self.pick(self.program.picks[k]) for k, same in picks.items()}
        first = Run(self.program, self.space, now, dict(one), is_shown, self.table, 1, picks)
        second = Run(self.program, self.space, now, dict(two), is_shown, self.table, 2, others)
        for index, move in moves.items():
            second.values["draw", index] = self.fresh[index] + move
        return first, second

    def pick(self, pick: Pick) -> Linear:
        found = self.space.new(f"pick {pick.index}", all(value.denominator == 1 for value in pick.values))
        self.moved.append(holds_one(equal(found, number(value)) for value in pick.values))
        return found

    def picked(self, edge: Edge, first: Run, second: Run) -> tuple[Linear, list[Formula]]:
        """The price of the picks that are the same in both runs, and that it is enough."""
        price, enough = number(0), list[Formula]()
        for index, paid in dict(edge.picks).items():
            if index in first.weighed:
                one = self.reader(Level.DATA).number(paid)
                enough.append(chance_price(self.space, one, first.weighed[index], second.weighed[index]))
                price = price + one
        return price, enough

    def renewed(self, index: int, edge: Edge) -> bool:
        life = self.program.draws[index].life
        if not isinstance(life, int):
            return False
        made = edge.outcome.reports[life]
        if made is None:
            raise Refused("an outcome leaves open whether a draw is renewed")
        return made

    def price(self, moves: Mapping[int, Linear]) -> tuple[Linear, tuple[Formula, ...]]:
        total, allowed = number(0), list[Formula]()
        for index, move in moves.items():
            paid, needed = cost(self.space, self.program.draws[index], move)
            total = total + paid
            allowed.extend(needed)
        return total, tuple(allowed)


def _nothing(what: Read | Step) -> Value:
    raise Refused("what a run begins with, or what is claimed, is no constant")


def _entries(state: Mapping[Key, Value]) -> Callable[[Read | Step], Value]:
    def read(what: Read | Step) -> Value:
        if isinstance(what, Read) and what.kind == "input" and what.run == 0:
            return state["input", what.index]
        raise Refused("an adjacency reads more than the entry")

    return read
