"""Randomised response on a finite alphabet (Warner 1965)."""

from __future__ import annotations

from itertools import pairwise

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, ZERO, Formula, absolute, function, logarithm, number, product
from seqlang.model.expression import Choice, Drawn, Expression, Field, Label, Law, Noised, Truth
from seqlang.model.life import EachStep, Once
from seqlang.model.program import ChooseGate, FlipLaw, Gate, Program, nodes_in
from seqlang.rules.gates.exposure import never_changes, showings, touched
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_number, is_vector
from seqlang.rules.sensitivity.motion.neighbours import neighbours_of
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.shifts import shift_of


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One answer of k costs |log(p (k - 1) / (1 - p))|, the same in both directions."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, FlipLaw):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    answers = len(dict.fromkeys(gate.law.alphabet))
    shift = shift_of(single, gate.law.of)
    truth = formula_of(program, gate.law.truth)
    trouble = _shared(program)
    if trouble is not None:
        return trouble
    changed = _changed(single, gate.law, shift, signs)
    if isinstance(changed, str):
        return changed
    if answers < 1:
        return "its values are not known to be finitely many"
    if shift.kind == "none" or answers < 2:
        return Showings(entries, ONE, ZERO)
    if truth is None or signs.of(truth) != 1 or signs.of(number(1) - truth) != 1:
        return "the chance of the truth must lie strictly between 0 and 1"
    steady = _steady(single, gate.law)
    if not steady and not _fresh(program) and not signs.equal(showings(single, gate, signs), ONE):
        return "one flip answers several questions"
    odds = truth * (answers - 1) / (number(1) - truth)
    sign = signs.of(odds - 1)
    cost = absolute(logarithm(odds)) if sign is None else product((sign, logarithm(odds)))
    times = ONE if steady else touched(single, gate, (gate.law.of,), shift, signs)
    return Showings(entries, times, product((changed, cost)))


def _steady(program: Program, law: FlipLaw) -> bool:
    """One flip for the whole run, of an answer that never changes: memoised, it is given again and again."""
    lives = (program.noise(name).life for name in _flips(program))
    return all(isinstance(life, Once) for life in lives) and never_changes(program, (law.of,))


def _fresh(program: Program) -> bool:
    return all(isinstance(program.noise(name).life, EachStep) for name in _flips(program))


def _flips(program: Program) -> frozenset[str]:
    laws = ((noise.name, noise.law) for noise in program.noises)
    return frozenset(name for name, law in laws if isinstance(law, Law) and law.family == "randomized_response")


def _shared(program: Program) -> str | None:
    """A flip that several names carry, or that is read by its own name: one answer tells what another one hides."""
    flips = _flips(program)
    readers: dict[str, set[str]] = {}
    for node in nodes_in(program.body):
        match node:
            case Noised(name, _, terms):
                for term in terms:
                    readers.setdefault(term.noise, set()).add(name)
            case Drawn(name) if name in flips:
                return f"{name}: the flip itself is read"
            case _:
                pass
    twice = next((flip for flip in sorted(flips) if len(readers.get(flip, ())) > 1), None)
    return None if twice is None else f"{twice}: one flip serves several names"


def _changed(program: Program, law: FlipLaw, shift: Shift, signs: Signs) -> Formula | str:
    """How many elements of a list of answers may change; one, if the answer is no list. Text: not known."""
    facts = facts_of(program)
    answers = facts.expand(law.of)
    if is_number(facts, answers) or _is_label(answers) or shift.kind == "none":
        return ONE
    if not is_vector(facts, answers):
        return "how many answers there are is not known"
    if _are_the_records(facts, answers):
        return ONE
    letters = [exact_value(f, signs.values) for a in law.alphabet if (f := _number(program, a)) is not None]
    ordered = sorted(v for v in letters if v is not None)
    moved = radius_of(program, law.of, "l1")
    if isinstance(moved, str) or len(ordered) < len(law.alphabet):
        return "how many elements of the list may change is not known"
    gaps = [b - a for a, b in pairwise(ordered) if b > a]
    return ONE if not gaps else function("floor", moved[0] / number(min(gaps)))


def _is_label(answers: Expression) -> bool:
    match answers:
        case Choice(_, yes, no):
            return _is_label(yes) and _is_label(no)
        case _:
            return isinstance(answers, Label)


def _are_the_records(facts: Facts, answers: Expression) -> bool:
    """The answers are the records themselves, of which a changed entry replaces one. (An l1 radius alone does not say
    that one element moves: several may share it.)"""
    near = neighbours_of(facts)
    replaces_one = not isinstance(near, str) and near.single and not near.resized
    return replaces_one and isinstance(answers, Field) and answers.name + RECORD in facts.inputs


def _number(program: Program, letter: Expression) -> Formula | None:
    return number(int(letter.value)) if isinstance(letter, Truth) else formula_of(program, letter)


STATEMENT = """
    the answer is the truth with probability p, else another of k answers, equally likely;   0 < p < 1
    ----------------------------------------------------------------------------------------------------
         the gate is (T m |log(p (k - 1)/(1 - p))|)-DP, where a changed entry touches at most T answers

m: how many elements of a list of answers a changed entry changes (at most its l1 move over the least distance of two
answers); 1 for a single answer, and where the answers are the records. A new flip at every answer. T as in
mechanism/release. A hidden answer (one that cells and guards read) is treated as shown: whoever sees it sees more.
Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/randomized_response",
    "Randomised response",
    STATEMENT,
    "Warner 1965; Dwork & Roth 2014, Section 3.2",
    "the truth and another answer differ in probability by one fixed factor",
    showings_of,
)
