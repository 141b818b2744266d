"""The two sides of a pair, run by the interpreter with the same noise and the same transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from seqlang.analyses.trials.fits import Seen
from seqlang.analyses.trials.pairs import Pair, Rows
from seqlang.analyses.trials.quantities import Quantity
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.listed import Table
from seqlang.backends.interpret.machine import Machine, Outcome
from seqlang.backends.interpret.randomness import centre_shaped, sample_shaped
from seqlang.backends.interpret.values import EvaluationError, Members, OutOfReach, Value
from seqlang.model import expression as ir
from seqlang.model.gate_source import OfStop
from seqlang.model.program import Draw, Noise, Program, PublicGate, Report, Stop

if TYPE_CHECKING:
    from random import Random

Drawn = dict[tuple[str, int], Any]

STEPS_WITH_VALUES = -1
"""The number under which `Duel.play` says in which step one side had a value where the other had none."""
FAILS, GOES_ON = "a failure", "a value"


class Shared:
    """Randomness that gives both sides the same value of each draw in each life. `drawn` is what has been given."""

    def __init__(self, random: Random | None, noisy: bool, drawn: Drawn | None = None) -> None:
        self.random, self.noisy = random, noisy
        self.drawn: Drawn = {} if drawn is None else drawn
        self.missing: tuple[int, ...] = ()
        self.lacking = False  # a draw was asked for that is not there: that a side ends then says nothing

    def noise(self, noise: Noise, life: int, law: LawValue, shape: tuple[int, ...]) -> Value:
        key = noise.name, life
        if key not in self.drawn:
            self.drawn[key] = sample_shaped(law, shape, self._source()) if self.noisy else centre_shaped(law, shape)
        value = self.drawn[key]
        if shape and isinstance(value, tuple) and len(value) != shape[0]:
            self.lacking = True
            raise EvaluationError("the first run drew noise for a list of another length")
        return self._renumbered(value) if self.missing and isinstance(value, Members) else value

    def draw(self, draw: Draw, life: int, law: LawValue) -> Value:
        key = draw.name, life
        if key not in self.drawn:
            self.drawn[key] = law.sample(self._source()) if self.noisy else law.centre()
        return self.drawn[key]

    def entry(self, field: str, step: int, law: LawValue) -> Value:
        raise EvaluationError("no entry is drawn here")

    def _source(self) -> Random:
        if self.random is None:
            self.lacking = True
            raise EvaluationError("a draw that the first run did not make")
        return self.random

    def _renumbered(self, sample: Members) -> Members:
        """The same records under the numbers that they have where some are missing."""
        kept = (i for i in sample if i not in self.missing)
        return Members(i - sum(1 for gone in self.missing if gone < i) for i in kept)


class Side(Machine):
    """A run that measures quantities. The first side makes the transcript, in which no private stop is taken; the
    second is told it. Flips in `revealed` show what they showed on the first side.

    `failed` is the first step in which an expression had no value (0: none), `completed` the last step that was made;
    `broken`: it ended by what is no matter of values; `alone`: the other side failed in this step before."""

    failed: int
    completed: int
    broken: bool
    alone: bool

    def __init__(
        self,
        program: Program,
        quantities: Sequence[Quantity],
        revealed: frozenset[str],
        compiler: Compiler | None = None,
    ) -> None:
        self.quantities, self.revealed = quantities, revealed
        self.places: dict[int, list[tuple[int, Quantity]]] = {}
        self.dataset = program.data_set
        self.obeyed = {g.source for g in program.gates if isinstance(g, PublicGate)}
        self.told: list[Outcome] | None = None
        self.kept: dict[tuple[str, int], Value] = {}
        self._begin_measuring([])
        super().__init__(program, Shared(None, False), self._seen, compiler)

    def run(self, records: Rows, entries: Rows, shared: Shared, told: list[Outcome] | None, steps: int) -> None:
        """As many steps as there are entries (`steps` without a stream), until a public stop or an error."""
        self.restart(shared)
        self.told = None if told is None else list(told)
        self._begin_measuring([])
        if self.dataset:  # with no records at all, too
            self.load({name: tuple(row[name] for row in records) for name in self.dataset})
        for n in range(len(entries) or steps):
            if self.stopped:
                return
            self.values.append({})
            try:
                self.locals.clear()
                self.step(entries[n] if entries else {})
                self._measure(None)
            except OutOfReach:
                self.values.pop()
                self.broken = True
                return
            except EvaluationError:
                self.values.pop()
                self.failed = self.failed or self.step_number
                return
            except (KeyError, OverflowError, ZeroDivisionError):
                self.values.pop()
                self.broken = True
                return
            self.made.append(frozenset(self.reported))
            self.completed = self.step_number
            if self.alone:
                return

    def _begin_measuring(self, values: list[dict[int, Value]]) -> None:
        self.values = values
        self.made: list[frozenset[str]] = []
        self.log: list[Outcome] = []
        self.failed = self.completed = 0
        self.broken = self.alone = False

    def flipped(self, name: str, read: ir.Noised, value: Value) -> Value:
        if name not in self.revealed and read.name not in self.revealed:
            return super().flipped(name, read, value)
        key = name, self.step_number  # shown in every step, however long the coin of the flip lasts
        if self.told is None:
            self.kept[key] = super().flipped(name, read, value)
        return self.kept[key]

    def _seen(self, machine: Machine, statement: Report | Stop, happened: Outcome | None) -> Outcome:
        self._measure(statement)
        if self.told is not None:
            if happened is None:
                self.failed = self.failed or self.step_number
            self.alone = self.alone or not self.told
            if not self.told:
                if happened is None:
                    raise EvaluationError("a report or stop without a value")
                return happened  # to see whether this side has values to the end of the step
            return self.told.pop(0)
        if happened is None:
            raise EvaluationError("a report or stop without a value")
        if isinstance(statement, Stop) and OfStop(statement.index) not in self.obeyed:
            happened = Outcome(False)
        self.log.append(happened)
        return happened

    def _measure(self, place: Report | Stop | None) -> None:
        """The quantities of this place. One that cannot be computed here is left out."""
        here = self.values[-1]
        due = self.places.get(id(place))  # the program keeps its statements
        if due is None:
            due = self.places[id(place)] = [(n, q) for n, q in enumerate(self.quantities) if q.place == place]
        for number, quantity in due:
            if isinstance(quantity.expression, ir.Local):
                if quantity.expression.name in self.locals:
                    here[number] = self.locals[quantity.expression.name]
                continue
            try:
                if quantity.guard is None or self.value(quantity.guard):
                    value = self.value(quantity.expression)
                    here[number] = _log_weights(value) if isinstance(value, Table) else value
            except (EvaluationError, KeyError):
                continue


def _log_weights(law: Table) -> tuple[float, ...]:
    if min(law.table.values()) <= 0:
        raise EvaluationError("a weight is too small for a float")
    return tuple(log(weight) for weight in law.table.values())


class Duel:
    """Both sides of one program, compiled once."""

    def __init__(
        self,
        program: Program,
        quantities: Sequence[Quantity],
        revealed: frozenset[str],
        compiler: type[Compiler] = Compiler,
    ) -> None:
        self.quantities = quantities
        self.sides = tuple(Side(program, quantities, revealed, compiler(program)) for _ in range(2))

    def play(self, pair: Pair, shared: Shared, steps: int) -> Mapping[int, list[Seen]]:
        """What each quantity (by its number) was in each step that both sides reached."""
        first, second = self.sides
        first.kept.clear()
        second.kept = first.kept
        shared.missing = ()
        first.run(pair.records[0], pair.entries[0], shared, None, steps)
        shared.missing = pair.missing
        second.run(pair.records[1], pair.entries[1], shared, first.log, steps)
        found: dict[int, list[Seen]] = {}
        renewed: frozenset[str] = frozenset()
        for n, (mine, other) in enumerate(zip(first.values, second.values, strict=False), 1):
            for number in mine.keys() & other.keys():
                seen = Seen(n, mine[number], other[number], n - max(pair.changed, 1), renewed)
                found.setdefault(number, []).append(seen)
            if n >= pair.changed:
                renewed |= first.made[n - 1] if n <= len(first.made) else frozenset()
        lack = None if shared.lacking or first.broken or second.broken else _fails_alone(first, second)
        if lack is not None:
            found[STEPS_WITH_VALUES] = [lack]
        return found


def _fails_alone(first: Side, second: Side) -> Seen | None:
    """The step that fails on one side and is completed on the other, for the same transcript."""
    for side, other in ((first, second), (second, first)):
        if side.failed and other.completed >= side.failed and not 0 < other.failed <= side.failed:
            shown = (FAILS, GOES_ON) if side is first else (GOES_ON, FAILS)
            return Seen(side.failed, *shown, 0, frozenset())
    return None
