"""A chain with few states as matrices: every state's step is taken once, and then the laws of many positions cost next
to nothing. It is a `Chain` itself.

Only where the step plays no part, no noise needs quadrature, and the states met are few: a key is everything that the
chain keeps of a run, so if something counts the steps the states never close, and there is no table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.mixture import Mixture
from seqlang.analyses.weak.profile import Array
from seqlang.analyses.weak.vector import Vector
from seqlang.backends.arrays.values import Ragged
from seqlang.backends.solve.chain import Chain, Stopped
from seqlang.backends.solve.solution import Outcome, Tail
from seqlang.backends.solve.states.end_of_step import state_of
from seqlang.backends.solve.states.equal_rows import units_above
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.states.frontier import ExploredFrontier
from seqlang.model.expression import StepNumber
from seqlang.model.program import Program, nodes_in
from seqlang.model.units import Unit
from seqlang.process.time_limit import poll

MOST_STEPS = 3000
"""Single steps taken to fill the table; past them there is none."""


class Tabulated:
    """For each entry a: `moves[a]` (states after, states), sparse, `stops[a]` (outcomes, states), `losses[a]`."""

    def __init__(
        self, outcomes: tuple[Outcome, ...], moves: list[Any], stops: list[Array], losses: list[Array],
        chances: Array, entries: tuple[Entry, ...], mixture: Mixture,
    ) -> None:  # fmt: skip
        self.outcomes = outcomes
        self.places = {tuple(entry.items()): k for k, entry in enumerate(entries)}
        self.tables = list(zip(moves, stops, losses, strict=True))
        weights = mixture.chances
        self.free = tuple(_mixed(weights, parts) for parts in (moves, stops, losses))
        self.chances = chances
        self.hopeless = _hopeless(self.free[0], self.free[1].sum(axis=0))

    def begin(self) -> Vector:
        mass = np.zeros(len(self.chances))
        mass[0] = 1.0
        return Vector(0, mass, self.chances, 0.0)

    def advance(self, frontier: Vector, forced: Mapping[str, Any] | None = None) -> tuple[Vector, Stopped]:
        move, stop, loss = self.free if forced is None else self.tables[self.places[tuple(forced.items())]]
        mass = frontier.mass
        after = Vector(frontier.step + 1, move @ mass, self.chances, frontier.lost + float(loss @ mass))
        return after, Stopped((stop @ mass)[:, None], np.zeros(0))

    def close(self, frontier: Vector) -> Tail | None:
        return None

    def stuck(self, frontier: Vector) -> float:
        return float((frontier.mass * self.chances)[self.hopeless].sum())


def _mixed(weights: tuple[float, ...], parts: list[Any]) -> Any:
    mixed = weights[0] * parts[0]
    for weight, part in zip(weights[1:], parts[1:], strict=True):
        mixed = mixed + weight * part
    return mixed


def _hopeless(move: Any, stop: Array) -> NDArray[np.bool_]:
    """States from which no stop can be reached."""
    hopeful = stop > 0
    before = (move > 0).T
    while True:
        wider = hopeful | (before @ hopeful.astype(float) > 0)
        if np.array_equal(wider, hopeful):
            return np.asarray(~hopeful)
        hopeful = wider


def tabulated(program: Program, chain: Chain, entries: tuple[Entry, ...], mixture: Mixture | None) -> Tabulated | None:
    """The chain as a table, or None where it does not fit."""
    if not isinstance(chain, ExploredChain) or mixture is None or len(chain.grid.weights) != 1 or _reads_step(program):
        return None
    start = chain.begin()
    if start.states.count != 1:
        return None
    keys = _Keys()
    keys.place(start)
    found: list[_Row] = []
    for front in keys.fronts:  # grows meanwhile
        if len(keys.fronts) * len(entries) > MOST_STEPS:
            return None
        poll()
        row = []
        for entry in entries:
            after, stopped = chain.advance(front, entry)
            targets = [(keys.place(single), mass) for single, mass in _singles(after)]
            row.append((targets, np.asarray(stopped.by_outcome).sum(axis=1), after.lost))
        found.append(row)
    chances = np.array([float(front.survivors.sum()) for front in keys.fronts])
    return _filled(chain, entries, mixture, found, chances)


_Row = list[tuple[list[tuple[int, float]], Array, float]]
"""For each entry: (state, mass) after it, mass by outcome, lost mass."""


def _filled(
    chain: ExploredChain, entries: tuple[Entry, ...], mixture: Mixture, found: list[_Row], chances: Array
) -> Tabulated:
    from scipy.sparse import csr_array

    count = len(found)
    stops = [np.zeros((len(chain.outcomes), count)) for _ in entries]
    losses = [np.zeros(count) for _ in entries]
    moves: list[Any] = []
    for a in range(len(entries)):
        triples = [(to, state, mass) for state, row in enumerate(found) for to, mass in row[a][0]]
        after, before, masses = zip(*triples, strict=True) if triples else ((), (), ())
        moves.append(csr_array((np.array(masses, dtype=float), (after, before)), shape=(count, count)))  # adds up
        for state, row in enumerate(found):
            _, stopped, lost = row[a]
            stops[a][: len(stopped), state] = stopped
            losses[a][state] = lost
    return Tabulated(chain.outcomes, moves, stops, losses, chances, entries, mixture)


def _singles(front: ExploredFrontier) -> Iterator[tuple[ExploredFrontier, float]]:
    """Each row of a frontier by itself, with mass 1, and the mass it has."""
    states = front.states
    for row in range(states.count):
        single = states.some(np.ones((1, 1)), np.array([row]))
        yield ExploredFrontier(front.step, single, 0.0), float(states.mass[0, row])


class _Keys:
    """The states met, by everything that is kept of a run."""

    def __init__(self) -> None:
        self.fronts: list[ExploredFrontier] = []
        self._known: dict[tuple[Any, ...], int] = {}
        self._first: dict[int, float] = {}

    def place(self, front: ExploredFrontier) -> int:
        parts = [(part, unit) for kept, unit in _kept(front) for part in _flat(kept)]
        key = tuple(self._number(i, part, unit) for i, (part, unit) in enumerate(parts))
        if key not in self._known:
            self._known[key] = len(self.fronts)
            self.fronts.append(front)
        return self._known[key]

    def _number(self, place: int, part: Any, unit: Unit | None) -> Any:
        """The number as it is: others may be next to it. If it differs by units from the first one at its place, their
        number, which rounding does not change. Numbers of different steps may lie between the multiples: of these, two
        that agree in 13 digits are one, as a comparison with a number so near to them is refused (`step/ties`)."""
        if not isinstance(part, float):
            return part
        if not isfinite(part):
            return str(part)  # one that is no number equals no other
        if unit is None:
            return part
        if not unit.always:
            return f"{part:.12e}"
        many = units_above(self._first.setdefault(place, part), part, unit)
        return part if many is None else ("units", many)


def _kept(front: ExploredFrontier) -> Iterator[tuple[object, Unit | None]]:
    """What is kept, and the unit of the numbers in it."""
    states = front.states
    stage = states.stage
    units = stage.compiler.exact.jumps.units
    for name, cell in sorted(stage.cells.items()):
        for key, kept in cell.kept.items():
            yield [name, str(key), state_of(kept)], units.cell(name)
    for table, unit in ((stage.memory, units.memory), (stage.held, units.held)):
        for name, value in sorted(table.items()):
            yield [name, value], unit(name)
    yield sorted(states.due.items()), None
    for name in sorted(states.laws):
        low, high = states.bounds.get(name, (None, None))
        ends = _end(low, -1), _end(high, 1)
        # by twelve digits where the law has a density: next to a point of it lies next to no mass
        yield [name, *(ends if states.laws[name].discrete else (f"{end:.11e}" for end in ends))], None


def _end(end: Array | None, sign: int) -> float:
    return sign * inf if end is None else float(end[0, 0])


def _flat(value: Any) -> Iterator[Any]:
    """Numbers as floats, shapes and names as they are."""
    if isinstance(value, (list, tuple)):
        yield f"({len(value)}"
        for part in value:
            yield from _flat(part)
    elif isinstance(value, Ragged):
        yield from _flat([value.lengths, value.values])
    elif isinstance(value, (bool, int, float, np.ndarray, np.generic)):
        array = np.asarray(value, dtype=float)
        yield str(array.size)
        yield from (float(x) for x in array.ravel())
    else:
        yield str(value)


def _reads_step(program: Program) -> bool:
    return any(isinstance(node, StepNumber) for node in nodes_in(program.body))
