"""Follows a program on given entries: its states, and the conditions on the noises under which each outcome comes out.

States, entries and steps are numbered, so that what two neighbouring streams have in common is followed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.demands import Demands
from seqlang.backends.transcript.draws import NoiseDraws
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.integrals.linear_conditions import Alternatives, Key
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw
from seqlang.backends.transcript.stepper import Stepper
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.gate_source import OfResult
from seqlang.record import record

Entry = Mapping[str, Any]
TIE = 1e-9
"""A margin nearer to 0 than this is a tie: the sums of a statistic carry rounding."""


@record
class Chance:
    """The factor times the chance that the noises satisfy every piece."""

    factor: float
    pieces: tuple[Alternatives, ...]


@record
class Step:
    """`going`: no stop (None: impossible). `stops`: (place among the outcomes, chance)."""

    going: Chance | None
    stops: tuple[tuple[int, Chance], ...]


class Walk:
    """Remembers the states, entries and steps of one program. Raises `Unsolved`, and `Unsupported` where a step has
    no plain value."""

    def __init__(self, program: p.Program, stepper: Stepper) -> None:
        if any(isinstance(s, p.Report) for s in program.body):
            raise Unsolved("its transcript has reports besides the stop")
        if stepper.draws:
            raise Unsolved(f"the hidden choice {stepper.draws[0]} decides how it goes on")
        self.stepper = stepper
        self._draws = NoiseDraws(stepper)
        self._demands = Demands(self._draws)
        self.outcomes, self._observed = _outcomes(program)
        self.steps: list[Step] = []
        self._step_of: dict[Step, int] = {}
        self._states: list[Any] = []
        self._state_of: dict[Any, int] = {}
        self._entries: list[Entry] = []
        self._entry_of: dict[Any, int] = {}
        self._moves: dict[tuple[int, int], tuple[int, int]] = {}
        self.start = self._state(stepper.start)

    def law(self, key: Key) -> NoiseLaw:
        return self._draws.law(key)

    def raw(self, key: Key) -> Any:
        """(family, argument, ..) of the draw's law."""
        return self.stepper.laws.get(str(key[0]))

    def entry(self, entry: Entry) -> int:
        """The number of an entry."""
        key = tuple(entry.items())
        if key not in self._entry_of:
            self._entry_of[key] = len(self._entries)
            self._entries.append(entry)
        return self._entry_of[key]

    def move(self, state: int, entry: int) -> tuple[int, int]:
        """(next state if it goes on or -1, number of the step)."""
        found = self._moves.get((state, entry))
        if found is None:
            found = self._moves[state, entry] = self._walked(self._states[state], self._entries[entry])
        return found

    def _walked(self, state: Any, entry: Entry) -> tuple[int, int]:
        moved, facts = self._stepped(state, entry, None)
        going = self._chance(facts)
        stops = []
        for place, observed in self._observed:
            _, facts = self._stepped(state, entry, observed)
            chance = self._chance(facts)
            if chance is not None:
                stops.append((place, chance))
        step = Step(going, tuple(stops))
        if step not in self._step_of:
            self._step_of[step] = len(self.steps)
            self.steps.append(step)
        return (-1 if going is None else self._state(moved)), self._step_of[step]

    def _stepped(self, state: Any, entry: Entry, observed: Any) -> tuple[Any, list[Fact]]:
        try:
            moved: tuple[Any, list[Fact]] = self.stepper.step(state, entry, {"stop": observed}, {})
            return moved
        except (ArithmeticError, ValueError, TypeError, LookupError, NameError) as why:
            raise Unsupported(f"a value of the stream has no margin: {why}") from None

    def _chance(self, facts: list[Fact]) -> Chance | None:
        pieces, log = self._demands.pieces([_tied(fact) for fact in facts])
        return None if log == -inf else Chance(exp(log), pieces)

    def _state(self, state: Any) -> int:
        key = _key(state)
        if key not in self._state_of:
            self._state_of[key] = len(self._states)
            self._states.append(state)
        return self._state_of[key]


def _outcomes(program: p.Program) -> tuple[tuple[str | None, ...], list[tuple[int, tuple[int, Any]]]]:
    """What can be returned, and (place, (stop, observed result)) of every way to return it."""
    names: dict[str | None, int] = {}
    observed: list[tuple[int, tuple[int, Any]]] = []
    for stop in program.body:
        if not isinstance(stop, p.Stop):
            continue
        gates = [g for g in program.gates if g.source == OfResult(stop.index) and not isinstance(g, p.PublicGate)]
        if gates:
            values = _values(program, stop, gates)
            observed += [(names.setdefault(str(value), len(names)), (stop.index, value)) for value in values]
        else:
            # other public results follow from the step and the stop
            named = stop.result.name if isinstance(stop.result, e.Label) else None
            name = named if stop.result is None or named else f"stop {stop.index}"
            observed.append((names.setdefault(name, len(names)), (stop.index, None)))
    if not observed:
        raise Unsolved("it never stops")
    return tuple(names), observed


def _values(program: p.Program, stop: p.Stop, gates: Sequence[p.Gate]) -> list[Any]:
    """What a stop whose result is no constant may return."""
    compiler = Compiler(program)
    if len(gates) == 1 and stop.result is not None:
        match gates[0]:
            case p.ChooseGate(law=p.FlipLaw(alphabet=alphabet)):
                return [x.name if isinstance(x, e.Label) else compiler.constant(x) for x in alphabet]
            case p.OpaqueGate() | p.ReleaseGate(terms=()):
                if isinstance(stop.result, e.Field):
                    letters = letters_of(compiler, program.input(stop.result.name).domain)
                    if letters is not None:
                        return list(letters)
                ends = _ends(stop.result)
                if all(isinstance(x, e.Label) for x in ends):
                    return list(dict.fromkeys(x.name for x in ends if isinstance(x, e.Label)))
    raise Unsolved("it returns a value that is no label, nor a flip of one")


def _ends(result: e.Expression) -> list[e.Expression]:
    """The branches of a choice."""
    if isinstance(result, e.Choice):
        return [*_ends(result.yes), *_ends(result.no)]
    return [result]


def _tied(fact: Fact) -> Fact:
    """The fact. Raises Unsupported for margins that rounding may have moved away from 0."""
    return (*fact[:2], _snapped(fact[2]), *fact[3:]) if fact[0] == "compare" else fact


def _snapped(test: Any) -> Any:
    if isinstance(test, bool):
        return test
    if isinstance(test[0], str):
        return (test[0], *[_snapped(part) for part in test[1:]])
    value, terms, strict = test
    if isinstance(value, float) and 0 < abs(value) < TIE:
        raise Unsupported("a comparison of numbers that are nearly equal")
    return value, terms, strict


def _key(state: Any) -> Any:
    """The state as something that can be hashed. Numbers that differ in their last digits are different states: where
    only rounding did that, there are two for one."""
    if isinstance(state, float) and state != state:
        return "no number"
    if isinstance(state, tuple):
        return tuple([_key(x) for x in state])
    if isinstance(state, dict):
        return tuple([(k, _key(x)) for k, x in state.items()])
    return state
