"""Gates that show functions of one noisy value, seen as one gate that shows the value."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.model.expression import Expression, Term
from seqlang.model.gate_source import GateSource, OfSeveral
from seqlang.model.program import ChooseGate, Gate, NoisyMaxLaw, Program, ReleaseGate
from seqlang.record import record, replace
from seqlang.rules.gates.exposure import is_returned


@record
class NoisyValue:
    """`gates` read value + terms; where any of them shows something, `guard` holds (None: in every step). `source`
    is what stands for all of them."""

    gates: tuple[ReleaseGate | ChooseGate, ...]
    value: Expression
    terms: tuple[Term, ...]
    guard: Expression | None
    source: GateSource


def noisy_value_of(program: Program, names: tuple[str, ...]) -> NoisyValue | None:
    """What the gates have in common; None if they do not read the same noisy value."""
    found: list[ReleaseGate | ChooseGate] = []
    seen: set[tuple[Expression, tuple[Term, ...]]] = set()
    for gate in program.gates:
        if gate.name not in names:
            continue
        match gate:
            case ReleaseGate(value=value, terms=terms) if terms:
                seen.add((value, terms))
            case ChooseGate(law=NoisyMaxLaw(of=value, terms=terms)) if terms and gate.visible:
                seen.add((value, terms))
            case _:
                return None
        found.append(gate)  # the two kinds matched above
    if len(seen) != 1 or len(found) != len(names):
        return None
    ((value, terms),) = seen
    guards = {gate.guard for gate in found}
    guard = guards.pop() if len(guards) == 1 else None
    return NoisyValue(tuple(found), value, terms, guard, source_of(found))


def source_of(gates: Sequence[ReleaseGate | ChooseGate]) -> GateSource:
    """What stands for all of these gates: what stops return is shown in one step of a run at most. One report among
    them does not say in which steps the others show something: not even under one guard, as it may not be made there
    (its condition may read what is hidden)."""
    if all(is_returned(gate) for gate in gates):
        return gates[0].source
    return OfSeveral(tuple(gate.source for gate in gates))


def as_one(program: Program, shared: NoisyValue, gate: ReleaseGate | ChooseGate) -> Program:
    """The program in which `gate` stands for all gates that show the noisy value."""
    first, names = shared.gates[0].name, {g.name for g in shared.gates}
    kept: tuple[Gate, ...] = tuple(
        gate if g.name == first else g for g in program.gates if g.name == first or g.name not in names
    )
    return replace(program, gates=kept)


def shown_value(shared: NoisyValue) -> ReleaseGate:
    """The gate that shows the noisy value itself."""
    return ReleaseGate(shared.source, shared.guard, shared.value, shared.terms, None, shared.gates[0].span)


def shown_largest(shared: NoisyValue, sign: int) -> ChooseGate:
    """The gate that shows the position of the largest (sign 1) or smallest of the noisy values."""
    law = NoisyMaxLaw(shared.value, shared.terms, sign)
    return ChooseGate(shared.source, shared.guard, law, True, shared.gates[0].span)
