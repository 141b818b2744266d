"""When a derivation is a proof of a claim: it bounds everything that is shown, for as many steps as the claim speaks
of, by no more than the claimed amount. Together with `holds` of the rules this is what *proved* rests on."""

from __future__ import annotations

from typing import assert_never

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import Formula, enclose, number, product
from seqlang.model.expression import Expression
from seqlang.model.program import Claim, Privacy, Program, PublicGate
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    Judgement,
    PureBound,
    RenyiBound,
    settled,
    steps_of,
)
from seqlang.rules.average_case import not_on_average
from seqlang.rules.composition import every_algorithm, group_privacy, hypothetical_transcript
from seqlang.rules.reading.limits import horizon_of
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


class UndecidedAmount(Exception):
    """A constant of a claim has no value that exact arithmetic decides; the text says which one, and the remedy."""


def falls_short(program: Program, claim: Claim, derivation: Derivation) -> str | None:
    """None if the derivation, once it replays, proves the claim; else what is missing."""
    if claim.privacy is None:
        return "it is about the law of the run, not about privacy"
    if claim.kind == "weak" and derivation.rule != every_algorithm.NAME:
        apart = "it names no model" if claim.model is None else not_on_average(program, claim.model)
        if apart is not None:
            return apart
    try:
        return (
            leaves_out(program, derivation)
            or _too_few_steps(derivation.conclusion, steps_claimed(program, claim))
            or _too_large(program, claim.privacy, derivation.conclusion)
        )
    except UndecidedAmount as why:
        return str(why)


def leaves_out(program: Program, derivation: Derivation) -> str | None:
    """None if the bound is for everything that is shown; else which gates it leaves out.

    Hidden choices have to be paid for too, unless the derivation forgets them by the rule that checks just that."""
    wanted = {gate.name for gate in program.gates if not isinstance(gate, PublicGate)}
    if _forgets_hidden_choices(derivation):
        wanted -= revealed_choices(program)
    missing = wanted - set(derivation.conclusion.gates)
    return f"it does not bound {', '.join(sorted(missing))}" if missing else None


def _forgets_hidden_choices(derivation: Derivation) -> bool:
    """It rests on one bound, or for groups on bounds for one entry, from which that rule took the hidden choices."""
    while derivation.rule != hypothetical_transcript.NAME:
        if derivation.rule == group_privacy.NAME:
            evidence = derivation.evidence
            parts = evidence if isinstance(evidence, tuple) else (evidence,)
            return bool(parts) and all(isinstance(p, Derivation) and _forgets_hidden_choices(p) for p in parts)
        if len(derivation.premises) != 1:
            return False
        (derivation,) = derivation.premises
    return True


def steps_claimed(program: Program, claim: Claim) -> int | None:
    """The steps that a claim speaks of: those it names with `within`; without it only the file itself may limit them
    (None: runs of any length). Raises UndecidedAmount."""
    if claim.horizon is None:
        return longest_run(program)
    return int(enclose(_constant(program, claim.horizon), parameter_values(program)).high)


def longest_run(program: Program) -> int | None:
    """The most steps of a run, if a public stop bounds them."""
    values = parameter_values(program)
    limit = horizon_of(program, Signs(values))
    return None if limit.is_infinite else int(enclose(limit, values).high)


def _too_few_steps(conclusion: Judgement, claimed: int | None) -> str | None:
    steps = steps_of(conclusion)
    if steps is None or (claimed is not None and claimed <= steps):
        return None
    return f"it holds for {steps} steps only"


def _too_large(program: Program, privacy: Privacy, conclusion: Judgement) -> str | None:
    """None if the conclusion is of the claimed notion, or of a stronger one, and certainly at most what is claimed."""
    values = parameter_values(program)
    goal = claimed_amounts(program, privacy)

    def below(x: Formula, y: Formula) -> bool:
        return at_most(x, y, values)

    match privacy.notion, conclusion:
        case "pure", PureBound(epsilon=epsilon):
            good = below(epsilon, goal[0])
        case "dp", PureBound(epsilon=epsilon):
            good = below(epsilon, goal[0])
        case "dp", ApproximateBound(delta=delta):
            good = below(settled(conclusion), goal[0]) and below(number(delta), goal[1])
        case "zcdp", ConcentratedBound(rho=rho):
            good = below(rho, goal[0])
        case "rdp", PureBound(epsilon=epsilon):
            good = below(epsilon, goal[1])
        case "rdp", RenyiBound(order=order):
            # divergences grow with the order: a bound at a higher order serves
            good = below(settled(conclusion), goal[1]) and below(goal[0], number(order))
        case "rdp", ConcentratedBound(rho=rho):  # the definition of zCDP: Bun & Steinke 2016, Definition 1.1
            good = below(product((goal[0], rho)), goal[1])
        case "pure" | "dp" | "zcdp" | "rdp", _:
            return f"it is no {privacy.notion} bound"
        case _:
            assert_never(privacy.notion)
    return None if good else "its bound is not certainly at most the claimed one"


def claimed_amounts(program: Program, privacy: Privacy) -> tuple[Formula, ...]:
    """The numbers of a privacy claim, as formulas over the parameters. Raises UndecidedAmount."""
    return tuple(_constant(program, argument) for argument in privacy.arguments)


def _constant(program: Program, expression: Expression) -> Formula:
    formula = formula_of(program, expression)
    if formula is None:
        # A rounding or a test whose operand floating point may put on either side, or a distribution function.
        from seqlang.model.print import show_expression

        raise UndecidedAmount(
            f"exact arithmetic does not decide the value of `{show_expression(expression)}` here; write the number"
        )
    return formula
