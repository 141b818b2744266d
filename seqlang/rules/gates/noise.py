"""The noise on a released value: one law whose draw is new at every showing, and by which factor it is added."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, Formula, absolute
from seqlang.laws.facts import facts
from seqlang.model.expression import Expression, Law, Term
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import ChooseGate, PrivateLaw, Program, ReleaseGate
from seqlang.record import record
from seqlang.rules.gates.exposure import never_changes, showings
from seqlang.rules.reading.guards import required_reports
from seqlang.rules.reading.read_sets import gate_noises, gate_parts, noises_read, shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of


@record
class Added:
    """|factor| times a draw of the law; `once`: the one draw hides one value that never changes."""

    name: str
    law: Law
    factor: Formula
    once: bool


def noises_of(
    program: Program,
    gate: ReleaseGate | ChooseGate,
    terms: tuple[Term, ...],
    signs: Signs,
    together: tuple[str, ...] = (),
) -> tuple[Added, ...] | str:
    """Each noise that alone would hide the value; the others are then held fixed. Text: why none does. `together`: the
    gates that may read these noises, if it is not this one alone."""
    own = gate_noises(gate)
    shared = shared_noise(program, together or (gate.name,), own)
    if shared is not None:
        return shared
    inside = own & noises_read(program, gate_parts(gate)[0])
    if inside:
        return f"{', '.join(sorted(inside))}: the noise is also part of the value"
    if len({term.noise for term in terms}) != len(terms):
        return "one noise is added twice"
    found: list[Added] = []
    problem = _without_noise(program, gate)
    for term in terms:
        noise = program.noise(term.noise)
        factor = formula_of(program, term.factor)
        if not isinstance(noise.law, Law) or factor is None or signs.of(factor) not in (-1, 1):
            problem = f"{term.noise}: no law with a constant factor"
            continue
        if noise.law.family == "tree" and not isinstance(noise.life, EachStep):
            problem = f"{term.noise}: its nodes are drawn anew"  # `once` is the same as `each step`
            continue
        fresh = is_fresh(program, gate, noise.life, signs)
        steady = isinstance(noise.life, Once) and never_changes(program, _values(gate))
        if not fresh and not steady:
            problem = f"{term.noise}: one draw hides several values"
            continue
        found.append(Added(term.noise, noise.law, absolute(factor), steady and not fresh))
    return tuple(found) if found else problem


def _without_noise(program: Program, gate: ReleaseGate | ChooseGate) -> str:
    """What is said where the gate has no terms: a draw from a law that changes stands in its value."""
    draws = facts_of(program).draws
    read = sorted(name for name in noises_read(program, gate_parts(gate)[0]) if name in draws)
    laws = {name: law for name in read if isinstance(law := draws[name].law, Law) and facts(law.family).noise}
    if not laws:
        return "released without noise"
    return f"{', '.join(laws)}: a law that changes is not taken for noise; draw from a constant one, and multiply"


def _values(gate: ReleaseGate | ChooseGate) -> tuple[Expression, ...]:
    if isinstance(gate, ReleaseGate):
        return (gate.value,)
    return () if isinstance(gate.law, PrivateLaw) else (gate.law.of,)


def is_fresh(program: Program, gate: ReleaseGate | ChooseGate, life: object, signs: Signs) -> bool:
    """A new draw at every showing."""
    match life:
        case EachStep():
            return True
        case EachReport(report):
            # the next draw comes in the step after the report, and every showing lies in a step with the report
            return required_reports(gate.guard) == (report,) or signs.equal(showings(program, gate, signs), ONE)
        case _:
            return signs.equal(showings(program, gate, signs), ONE)
