"""Randomised response on an answer that is itself a randomised response: both together are one flip."""

from __future__ import annotations

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, Formula
from seqlang.model.expression import Apply, Expression, Law, Noised, Number
from seqlang.model.life import EachStep
from seqlang.model.program import ChooseGate, FlipLaw, Gate, Noise, Program
from seqlang.record import replace
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.mechanism import randomized_response
from seqlang.rules.reading.read_sets import shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.finite import letters
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.value import Value


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """As of randomised response, with both flips as one."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, FlipLaw):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    once = signs.equal(showings(program, gate, signs), ONE)
    law = gate.law
    inner: list[str] = []
    while (flip := _flipped(program, law.of)) is not None:
        noise, base = flip
        if not once and not isinstance(noise.life, EachStep):
            return f"{noise.name}: the same flip is shown several times"
        if not _same_letters(program, base, law):
            return f"{noise.name}: it chooses among other values than the flip of its answer"
        inner.append(noise.name)
        assert isinstance(noise.law, Law)
        law = FlipLaw(base, _both(law.truth, noise.law.arguments[0], len(set(law.alphabet))), law.alphabet)
    if not inner:
        return NOT_MINE
    trouble = shared_noise(program, (gate.name,), frozenset(inner))
    if trouble is not None:
        return trouble
    one = replace(gate, law=law)
    gates = tuple(one if g == gate else g for g in program.gates)
    return randomized_response.showings_of(replace(program, gates=gates), one)


def _flipped(program: Program, answer: Expression) -> tuple[Noise, Expression] | None:
    """The flip that the answer is, as it stands, and what it flips."""
    match facts_of(program).expand(answer):
        case Noised(_, base, (term,)) if term.factor == Number(ONE.value):
            noise = next((n for n in program.noises if n.name == term.noise), None)
            if noise is not None and isinstance(noise.law, Law) and noise.law.family == "randomized_response":
                return noise, base
        case _:
            pass
    return None


def _same_letters(program: Program, base: Expression, law: FlipLaw) -> bool:
    """Whether a flip of `base` chooses among the same values as `law`, all of them different: the product of the two
    transition matrices is then again that of one flip."""
    facts = facts_of(program)
    inner = [_letter(facts, value) for value in letters(facts, base) or ()]
    outer = [_letter(facts, evaluate(facts, letter)) for letter in law.alphabet]
    return None not in inner and len(set(inner)) == len(inner) == len(outer) and set(inner) == set(outer)


def _letter(facts: Facts, value: Value | None) -> tuple[str, object] | None:
    """What two letters have in common if they are the same at the parameter values."""
    if isinstance(value, Formula):
        rational = None if value.is_infinite else exact_value(value, facts.values)
        return None if rational is None else ("number", rational)
    return (type(value).__name__, value) if isinstance(value, bool | str) else None


def _both(a: Expression, b: Expression, answers: int) -> Expression:
    """The truth survives both flips, or is restored by the second: a b + (1 - a) (1 - b) / (k - 1)."""
    lost = Apply("*", (Apply("-", (Number(ONE.value), a)), Apply("-", (Number(ONE.value), b))))
    return Apply("+", (Apply("*", (a, b)), Apply("/", (lost, Number(ONE.value * max(1, answers - 1))))))


STATEMENT = """
    y tells x with probability a, else another of k answers;  z tells y with probability b, else another of the same k
    ------------------------------------------------------------------------------------------------------
          z tells x with probability t = a b + (1 - a) (1 - b)/(k - 1), else another, equally likely

Proof: z = x if both flips tell the truth, or if neither does and the second falls on x, one of its k - 1 answers.
The others are alike by symmetry. Then as mechanism/randomized_response with p = t. The flips are new at each showing,
independent coordinate by coordinate, and y is read by nothing else. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/flip_of_flip",
    "Flip of a flip",
    STATEMENT,
    "matrix product of two k-ary responses; permanent and instantaneous response: Erlingsson et al. 2014",
    "the flip of a flip is one flip, with the chance of the truth that both together leave",
    showings_of,
)
