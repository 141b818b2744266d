"""Streams drawn from a model, and the entries that the adjacency allows in place of one of theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import isfinite, isinf, prod
from typing import Any

from seqlang.analyses.witnesses.domains import tidy
from seqlang.analyses.witnesses.exact_moves import moves_within
from seqlang.analyses.witnesses.moving import measured_move, moved_within
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.stepper import Stepper
from seqlang.model.domain import Finite, Integers, Interval
from seqlang.model.program import AddRemove, Input, Model, Program, Replace, Within

Entry = Mapping[str, Any]
MOST_LETTERS = 16
MOST_OTHERS = 64
FAR = (1e6, 1e3, 100.0, 30.0, 10.0, 3.0, 1.0)
"""Entries tried where a domain has no end: the farthest that can be evaluated."""


class Streams:
    """The streams of one model, run by run: the inputs of `run --seed` by the interpreter."""

    def __init__(self, program: Program, model: Model, seed: int) -> None:
        if model.memories:
            raise Unsolved(f"the entries of `{model.name}` answer to what was shown: no stream is drawn by itself")
        self.seed = seed
        self._sampler = InputSampler(program, model)

    def stream(self, run: int) -> Callable[[int], Entry]:
        """step -> entry of that run; steps are drawn in order and kept."""
        randomness = SeededRandomness(self.seed, run)
        drawn: list[Entry] = []

        def entry(step: int) -> Entry:
            while len(drawn) < step:
                drawn.append(self._sampler.entry(randomness, len(drawn) + 1, {}))
            return drawn[step - 1]

        return entry


class Neighbours:
    """`others(entry)` are the entries that may stand in its place (without the entry itself).

    `onward` says that the adjacency moves every entry: then the neighbours move the entries from one position on,
    all in one direction. Raises `Unsolved` where streams have no neighbours of that kind."""

    def __init__(self, program: Program, stepper: Stepper, works: Callable[[Entry, Entry], bool]) -> None:
        self.program = program
        self.stepper = stepper
        self.notes: list[str] = []
        self.onward = False
        self._works = works
        self._letters: dict[str, tuple[Any, ...]] = {}
        self._fields = [i for i in program.inputs if i.kind == "stream"]
        if not self._fields or program.data_set:
            raise Unsolved("the spec reads no stream")
        match program.adjacency:
            case AddRemove():
                raise Unsolved("entries of a stream that are added or removed")
            case Within(extent=extent):
                if len(self._fields) != 1 or stepper.measure is None:
                    raise Unsolved("how an entry may move is not one field")
                self.onward = extent == "every"
                if self.onward:
                    self.notes.append("neighbours move all entries from a position on by the radius, in one direction")
            case Replace(count) if stepper.value(count) > 1:
                self.notes.append("one entry is replaced, although the adjacency allows several")
            case Replace():
                pass

    def others(self, entry: Entry) -> list[Entry]:
        if isinstance(self.program.adjacency, Within):
            found = self._within(entry)
        else:
            choices = [self._values(field, entry) for field in self._fields]
            if prod(map(len, choices)) > MOST_OTHERS:
                choices = [(values[0], values[-1]) for values in choices]
                note = "of several fields with many values, only the first and the last value of each are tried"
                if note not in self.notes:
                    self.notes.append(note)
            found = [
                {**entry, **dict(zip([f.name for f in self._fields], values, strict=True))}
                for values in product(*choices)
            ]
        return [e for e in found if e != entry]

    def _within(self, entry: Entry) -> list[Entry]:
        field, measure = self._fields[0], self.stepper.measure
        adjacency = self.program.adjacency
        assert isinstance(adjacency, Within) and measure is not None
        if not isinstance(field.domain, Finite):
            return [self.moved(entry, sign) for sign in (1, -1)]
        radius = float(self.stepper.value(adjacency.radius)) * (1 + 1e-12)
        letters = letters_of(Compiler(self.program), field.domain) or ()

        def is_near(other: Entry) -> bool:
            move = measured_move(measure(entry), measure(other), adjacency)
            known = moves_within(self.program, adjacency, entry, other)
            return abs(move) <= radius if known is None else known and isfinite(move)

        return [e for e in ({**entry, field.name: v} for v in letters) if is_near(e)]

    def moved(self, entry: Entry, direction: int) -> Entry:
        """The entry moved by the radius, or as far as its domain goes."""
        field, measure, adjacency = self._fields[0], self.stepper.measure, self.program.adjacency
        assert isinstance(adjacency, Within) and measure is not None
        if not isinstance(field.domain, Interval | Integers) or isinstance(entry[field.name], tuple):
            raise Unsolved("a neighbour by moving an entry that is no number of an interval")
        low, high = self._ends(field.domain)
        start, radius = measure(entry), float(self.stepper.value(adjacency.radius))

        def change(x: float) -> float:
            return measured_move(start, measure({**entry, field.name: x}), adjacency)

        moved = moved_within(entry[field.name], direction, low, high, radius, change)
        return {**entry, field.name: tidy(float(round(moved)) if isinstance(field.domain, Integers) else moved)}

    def _values(self, field: Input, entry: Entry) -> tuple[Any, ...]:
        if field.name not in self._letters:
            self._letters[field.name] = self._candidates(field, entry)
        return self._letters[field.name]

    def _candidates(self, field: Input, entry: Entry) -> tuple[Any, ...]:
        compiler = Compiler(self.program)
        match field.domain:
            case Finite():
                letters = letters_of(compiler, field.domain) or ()
                return letters if len(letters) <= MOST_LETTERS else self._far(field, entry, (letters[0], letters[-1]))
            case Interval() | Integers():
                low, high = self._ends(field.domain)
                if isinstance(field.domain, Integers) and high - low < MOST_LETTERS:
                    return tuple(range(int(low), int(high) + 1))
                return self._far(field, entry, (low, high))
            case _:
                raise Unsolved("neighbours of a vector entry")

    def _far(self, field: Input, entry: Entry, values: tuple[Any, ...]) -> tuple[Any, ...]:
        low, high = min(values), max(values)
        domain = CheckedDomain(Compiler(self.program), field.domain)
        found = []
        for end, side in ((low, -1.0), (high, 1.0)):
            if not isinf(end):
                found.append(tidy(domain.nearest(end)))
                continue
            tried = [tidy(domain.nearest(side * far)) for far in FAR]
            works = [v for v in tried if self._works(entry, {**entry, field.name: v})]
            if works:
                found.append(works[0])
                self.notes.append(f"the domain of {field.name} has no end: {works[0]:g} stands for it")
        return tuple(found)

    def _ends(self, domain: Interval | Integers) -> tuple[float, float]:
        value = self.stepper.value
        low = -float("inf") if domain.low is None else float(value(domain.low))
        high = float("inf") if domain.high is None else float(value(domain.high))
        return low, high
