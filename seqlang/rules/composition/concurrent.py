"""When bounds for different gates may be put together: disjoint gates, independent noise, a horizon that all cover."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.gate_source import is_hidden
from seqlang.model.program import ChooseGate, Gate, Program, PublicGate, expressions_in
from seqlang.proof.derivation import Derivation, Judgement, steps_of
from seqlang.rules.reading.read_sets import gate_noises
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values


def side_by_side(program: Program, step: Derivation) -> str | None:
    """None if the premises' gates are disjoint, make up the conclusion's, and use independent noise, and if they hold
    for as many steps.

    Every premise's bound is for any values of public inputs, so it holds whatever the other gates have shown before:
    the mechanisms run side by side (concurrent composition; Vadhan & Wang 2021 for pure, Lyu 2022 for approximate and
    Renyi DP). That needs their noise to be independent; noise that is itself shown by a gate of the conclusion counts
    as a public value.
    """
    premises, conclusion = step.premises, step.conclusion
    names = gates_of(premises)
    if len(set(names)) != len(names):
        return "two parts bound the same gate"
    if set(names) != set(conclusion.gates) or len(conclusion.gates) != len(names):
        return "the parts' gates are not the gates of the conclusion"
    known = {gate.name: gate for gate in program.gates}
    if not set(names) <= known.keys():
        return "a gate is named that the program does not have"
    shown = {known[name].name for name in names if _shows_a_noise(known[name])}
    used: set[str] = set()
    for premise in premises:
        own = {
            noise
            for name in premise.conclusion.gates
            for noise in noises_of(program, known[name])
            if not _is_shown(program, noise, shown)
        }
        if own & used:
            return f"two parts read the noise {min(own & used)}"
        used |= own
    return None if horizon_covered(conclusion, premises) else "a part holds for fewer steps"


def gates_of(parts: Sequence[Derivation]) -> tuple[str, ...]:
    """The gates that the parts bound, part by part."""
    return tuple(gate for part in parts for gate in part.conclusion.gates)


def horizon_covered(conclusion: Judgement, premises: Sequence[Derivation]) -> bool:
    """True if the conclusion speaks of no more steps than each premise (None: any number)."""
    limit = steps_of(conclusion)
    for premise in premises:
        other = steps_of(premise.conclusion)
        if other is not None and (limit is None or limit > other):
            return False
    return True


def shortest(premises: Sequence[Derivation]) -> int | None:
    """The horizon that all premises cover."""
    limits = [h for p in premises if (h := steps_of(p.conclusion)) is not None]
    return min(limits, default=None)


def value_up(program: Program, formula: Formula) -> float:
    """The formula at the program's parameters, rounded up."""
    return enclose(formula, parameter_values(program)).high


def noises_of(program: Program, gate: Gate) -> frozenset[str]:
    """Every noise and draw that what the gate shows depends on, also in its guard, its public tests, and by what a
    noise is multiplied: these may read coins, on which what another gate shows may depend."""
    if isinstance(gate, PublicGate):
        return frozenset()
    facts = facts_of(program)
    own = {gate.name} if isinstance(gate, ChooseGate) else set()
    return gate_noises(gate).union(own, *(facts.noises_inside(part) for part in expressions_in(gate)))


def _shows_a_noise(gate: Gate) -> bool:
    """Gates made for a noise or a draw that is read inside: what they stand for is counted as shown."""
    return is_hidden(gate.source)


def _is_shown(program: Program, noise: str, shown: set[str]) -> bool:
    target = next((n.target for n in program.noises if n.name == noise), None)
    return noise in shown or (target is not None and target in shown)
