"""Rule 2.8: reports and stops as gates, everything by which private data can leave, in file order.

What a gate reads but nobody is shown (a flip, a randomised choice, a noisy entry inside an accumulator) becomes a gate
of its own, placed before its first reader: the proofs count it as if it were shown, which can only overstate the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.lowering.contents import Reader
from seqlang.lowering.flipped_ends import with_one_end
from seqlang.lowering.forms import Place, Unfit, linear
from seqlang.lowering.lower_condition import guard_of, joined, test_of
from seqlang.lowering.lower_value import Spot, flip_law, lower_value, release_of_condition
from seqlang.lowering.sharing import keep_sound
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.alphabet import alphabet_of
from seqlang.model.constants import is_constant, number, values_of
from seqlang.model.gate_source import GateSource, OfCondition, OfDraw, OfEvent, OfNoise, OfResult, OfStop, OfValue
from seqlang.model.junctions import conjuncts
from seqlang.model.kinding import Kinds
from seqlang.record import replace
from seqlang.source import Span


def gates_of(program: p.Program) -> tuple[p.Gate, ...]:
    """The gates of a well-formed program (`model.validate`), from all of it but the gates that it holds."""
    return Lowering(program).gates()


class Lowering:
    """What all statements share while their gates are made."""

    def __init__(self, program: p.Program) -> None:
        self.program = program
        self.kinds, self.values = Kinds(program), values_of(program)
        fields, noises = {x.name: x for x in program.inputs}, {x.name: x for x in program.noises}
        self.reader = Reader(fields, noises, isinstance(program.adjacency, p.AddRemove))
        self.updates: dict[str, int] = {}
        self.shown: dict[GateSource, m.Noised | m.Drawn] = {}
        for index, statement in enumerate(program.body):
            match statement:
                case p.Define(name=name):
                    self.reader.defines[name] = (index, statement)
                case p.Cell(name=name):
                    self.reader.cells[name] = statement
                case p.Draw(name=name):
                    self.reader.draws[name] = statement
                case p.Update(memory=memory):
                    self.updates[memory] = index
                case _:
                    pass

        self.reader.integrate_out(program.body)
        self.body: Sequence[p.Statement] = with_one_end(program.body, self.reader)

    def gates(self) -> tuple[p.Gate, ...]:
        """The gates of the program."""
        made: list[p.Gate] = []
        hidden: dict[str, p.Gate] = {}
        for index, statement in enumerate(self.body):
            place = Place(self.reader, index, self.updates)
            own = self._gates_of(place, statement)
            seen: set[str] = set()
            while fresh := [name for name in place.hidden if name not in seen]:
                name = fresh[0]  # one at a time: what is hidden in it is found while its gate is made
                seen.add(name)
                if name not in hidden:
                    what = place.hidden[name]
                    hidden[name] = replace(self._hidden(place, name, what), guard=place.only_where.get(name))
                    made.append(hidden[name])
                elif (gate := hidden[name]).guard is not None:  # type: ignore[union-attr] # none of them is public
                    hidden[name] = replace(gate, guard=None)  # two statements read it: counted in every step
                    made[made.index(gate)] = hidden[name]
            made += own
        return keep_sound(self.reader, self._shown_once(made, hidden))

    def _gates_of(self, place: Place, statement: p.Statement) -> list[p.Gate]:
        match statement:
            case p.Report(name=name, when=when, value=None, span=span):
                return [self._condition(self._spot(place, OfEvent(name), None, span), when)]
            case p.Report(name=name, when=when, value=value, span=span) if value is not None:
                return self._report(place, name, when, value, span)
            case p.Stop(index=index, when=when, result=result, span=span):
                gates = [self._condition(self._spot(place, OfStop(index), None, span), when)]
                if result is not None and not _is_constant_result(result):
                    guard = guard_of(place, when)
                    gates += self._value(self._spot(place, OfResult(index), guard, span), result)
                return gates
            case _:
                return []

    def _spot(self, place: Place, source: GateSource, guard: m.Expression | None, span: Span) -> Spot:
        return Spot(place, self.kinds, self._alphabet, source, guard, span)

    def _report(
        self, place: Place, name: str, when: m.Expression | None, value: m.Expression, span: Span
    ) -> list[p.Gate]:
        gates: list[p.Gate] = []
        if any(not self.reader.contents(part).public for part in conjuncts(when)):
            gates.append(self._condition(self._spot(place, OfCondition(name), None, span), when))
        return gates + self._value(self._spot(place, OfValue(name), guard_of(place, when), span), value)

    def _value(self, spot: Spot, value: m.Expression) -> list[p.Gate]:
        if isinstance(value, m.Noised | m.Drawn):
            self.shown[spot.source] = value
        return lower_value(spot, value)

    def _condition(self, spot: Spot, when: m.Expression | None) -> p.Gate:
        place = spot.place
        parts = conjuncts(when)
        secret = [c for c in parts if not self.reader.contents(c).public]
        if not secret:
            return p.PublicGate(spot.source, when, spot.span)
        if len(secret) == 1 and isinstance(secret[0], m.Noised) and self.reader.is_flip(secret[0]):
            guard = joined(tuple(c for c in parts if c is not secret[0]))
            self.shown[spot.source] = secret[0]
            return replace(spot, guard=guard).choice(flip_law(place, secret[0], self._alphabet))
        spot = replace(spot, guard=guard_of(place, when))
        rest = tuple(c for c in parts if not self.reader.contents(c).settled)
        if not rest:
            return p.PublicGate(spot.source, when, spot.span)
        whole = joined(rest)
        assert whole is not None  # there is at least one part
        saved = dict(place.hidden)
        try:
            return spot.compare(test_of(place, self.kinds, whole))
        except Unfit as problem:
            place.hidden.clear()
            place.hidden.update(saved)
            return release_of_condition(spot, rest) or spot.opaque(whole, problem.reason)

    def _hidden(self, place: Place, name: str, what: m.Noised | str) -> p.Gate:
        """The gate of something that is read inside and counted as shown."""
        span = next((n.span for n in self.reader.noises.values() if n.target == name), Span(0, 0))
        if isinstance(what, str):
            draw = self.reader.draws[what]
            return p.ChooseGate(OfDraw(name), None, p.PrivateLaw(draw.law), False, draw.span)
        if self.reader.is_flip(what):
            law = flip_law(place, what, self._alphabet)
            return p.ChooseGate(OfNoise(name), None, law, False, span)
        try:
            form = linear(place, what)
        except Unfit as problem:
            return p.OpaqueGate(OfNoise(name), None, what, problem.reason, span=span)
        return p.ReleaseGate(OfNoise(name), None, form.value, form.as_terms(), None, span)

    def _alphabet(self, reading: m.Noised) -> tuple[m.Expression, ...]:
        if reading.name == "return" and self.program.labels:
            return tuple(m.Label(label) for label in self.program.labels)
        defines = {name: define for name, (_, define) in self.reader.defines.items()}
        return alphabet_of(reading.base, defines, self.reader.fields, lambda e: number(e, self.values)) or ()

    def _shown_once(self, made: list[p.Gate], hidden: dict[str, p.Gate]) -> list[p.Gate]:
        """A choice that is counted as shown in every step says nothing new where it is shown."""
        result: list[p.Gate] = []
        for gate in made:
            reading = self.shown.get(gate.source)
            counted = isinstance(gate, p.ChooseGate) and gate.visible and reading is not None
            if counted and reading is not None and reading.name in hidden:
                result.append(p.PublicGate(gate.source, self._whole(gate, reading), gate.span))
            else:
                result.append(gate)
        return result

    def _whole(self, gate: p.Gate, reading: m.Expression) -> m.Expression:
        guard = None if isinstance(gate, p.PublicGate) else gate.guard
        is_condition = isinstance(gate.source, OfStop | OfEvent)
        return m.Apply("and", (guard, reading)) if is_condition and guard is not None else reading


def _is_constant_result(result: m.Expression) -> bool:
    return is_constant(result) and not any(isinstance(node, m.Records) for node in m.walk(result))
