"""What the rules about one gate share: a cost that is computed from the program, and compared with the conclusion."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import ZERO, Formula, product
from seqlang.arithmetic.simplify import simplify
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.record import record
from seqlang.rules.sensitivity.facts.formulas import parameter_bounds, parameter_values

NOT_MINE = ""
"""The reason of a rule that is about another kind of gate: nothing that a person would want to read."""

Cost = Callable[[Program, Gate], Formula | str]


@record
class Showings:
    """Neighbours differ in `entries` entries; one of them touches at most `times` showings, each of which is `one`-DP
    given everything shown before (the others do not tell the two apart). Epsilon in nats."""

    entries: Formula
    times: Formula
    one: Formula


def in_all(showings: Showings | str) -> Formula | str:
    """The pure bound of all showings together; text: why there is none."""
    if isinstance(showings, str):
        return showings
    if showings.one == ZERO:
        return ZERO
    if showings.times.is_infinite:
        return "nothing limits how often a changed entry is shown"
    return product((showings.entries, showings.times, showings.one))


def suggested(program: Program, gate: Gate, cost: Cost, name: str, because: str, cite: str) -> Derivation | str:
    """The pure bound that the cost function gives, or its reason against one."""
    found = cost(program, gate)
    if isinstance(found, str):
        return found
    epsilon = simplify(found, parameter_bounds(program))
    return Derivation(PureBound((gate.name,), epsilon), name, because=because, cite=cite)


def suggested_zcdp(program: Program, gate: Gate, cost: Cost, name: str, because: str, cite: str) -> Derivation | str:
    """The same for a rho."""
    found = cost(program, gate)
    if isinstance(found, str):
        return found
    rho = simplify(found, parameter_bounds(program))
    return Derivation(ConcentratedBound((gate.name,), rho, None), name, because=because, cite=cite)


def checked(
    program: Program, derivation: Derivation, cost: Cost, kind: type[PureBound] | type[ConcentratedBound]
) -> str | None:
    """`holds` of such a rule: nothing is taken from the derivation but its conclusion."""
    conclusion = derivation.conclusion
    if not isinstance(conclusion, kind) or derivation.premises or len(conclusion.gates) != 1:
        return f"the rule proves a {kind.__name__} of one gate from no premises"
    gate = next((g for g in program.gates if g.name == conclusion.gates[0]), None)
    if gate is None:
        return f"there is no gate {conclusion.gates[0]}"
    found = cost(program, gate)
    if isinstance(found, str):
        return found or f"the rule is not about {gate.name}"
    claimed = conclusion.epsilon if isinstance(conclusion, PureBound) else conclusion.rho
    if at_most(found, claimed, parameter_values(program)) or simplify(found, parameter_bounds(program)) == claimed:
        return None
    return f"it costs {found}, which is not certainly at most {claimed}"
