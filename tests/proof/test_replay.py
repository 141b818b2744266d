"""Replay refuses every derivation in which anything was changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import ZERO, Formula, number
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.proof.replay import replay
from seqlang.proof.rule import Rule

ONE_SIDED = """algorithm t
param D > 0 = 1
param b = 10
stream x in [0, D]
statistic s = sum(x over steps)
stop when s >= b
attach laplace(2) to s
attach laplace(3) to b once
"""
TWO_REPORTS = """algorithm t
param b = 10
stream x in [0, 1]
statistic s = sum(x over steps)
report high when s >= b
report y = x
stop when count(high over steps) >= 3
attach laplace(2) to s
attach laplace(3) to b each high
attach laplace(4) to y
"""


def program(text: str) -> Program:
    return elaborated(text)


PROGRAMS = {"one sided": program(ONE_SIDED), "reports": program(TWO_REPORTS)}


def proof(name: str) -> Derivation:
    found = prove(PROGRAMS[name]).pure
    assert found is not None
    return found


def changed(value: object) -> Iterator[object]:
    """Copies of a value with one thing in it made smaller, dropped, or renamed."""
    match value:
        case Formula():
            yield value * Fraction(99, 100)
            yield ZERO
        case str():
            yield value + "x"
        case tuple():
            for i, item in enumerate(value):
                yield (*value[:i], *value[i + 1 :])
                for other in changed(item):
                    yield (*value[:i], other, *value[i + 1 :])
        case _ if is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                for other in changed(getattr(value, field.name)):
                    yield replace(value, **{field.name: other})
        case _:
            return


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_honest_derivation_replays(name: str) -> None:
    assert replay(PROGRAMS[name], proof(name)) == ()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_smaller_conclusion_does_not_replay(name: str) -> None:
    honest = proof(name)
    for conclusion in changed(honest.conclusion):
        assert replay(PROGRAMS[name], replace(honest, conclusion=conclusion)), conclusion


def alignments(derivation: Derivation) -> Iterator[Derivation]:
    if derivation.rule == "alignment/stopping":
        yield derivation
    for premise in derivation.premises:
        yield from alignments(premise)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_changed_alignment_does_not_prove_more(name: str) -> None:
    """With other evidence a derivation may still be right, but never with a smaller bound than the honest one."""
    (honest,) = alignments(proof(name))
    assert isinstance(honest.conclusion, PureBound)
    smaller = replace(honest.conclusion, epsilon=honest.conclusion.epsilon * Fraction(999, 1000))
    count = 0
    for evidence in changed(honest.evidence):
        count += 1
        assert replay(PROGRAMS[name], replace(honest, conclusion=smaller, evidence=evidence))
    assert count > 10


@pytest.mark.parametrize("name", PROGRAMS)
def test_evidence_of_another_shape_is_a_problem_and_no_crash(name: str) -> None:
    (honest,) = alignments(proof(name))
    assert isinstance(honest.evidence, tuple)
    for evidence in (
        None,
        (),
        "x",
        3,
        (None,) * len(honest.evidence),
        ((),) * len(honest.evidence),
        honest.evidence[:-1],
    ):
        assert replay(PROGRAMS[name], replace(honest, evidence=evidence))


def test_the_rule_must_exist_and_fit() -> None:
    honest = proof("one sided")
    for rule in ("", "alignment/none", "../stopping", "mechanism/release", "conversion/pure_to_concentrated", "a/b/c"):
        assert replay(PROGRAMS["one sided"], replace(honest, rule=rule))


def test_a_proof_about_another_program_does_not_replay() -> None:
    honest = proof("one sided")
    assert replay(PROGRAMS["reports"], honest)
    noisier = program(ONE_SIDED.replace("laplace(2)", "laplace(1)"))
    assert replay(noisier, replace(honest, conclusion=PureBound(("stop 1",), number(Fraction(1, 2)))))


def test_a_wrong_premise_is_found() -> None:
    honest = proof("reports")
    assert honest.premises
    wrong = replace(honest.premises[0], conclusion=replace(honest.premises[0].conclusion, epsilon=ZERO))
    assert replay(PROGRAMS["reports"], replace(honest, premises=(wrong, *honest.premises[1:])))


def test_a_derivation_that_is_its_own_premise_ends() -> None:
    honest = proof("one sided")
    deep = honest
    for _ in range(300):
        deep = replace(honest, premises=(deep,))
    assert replay(PROGRAMS["one sided"], deep)


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_that_are_none_inside_are_a_problem_and_no_crash(name: str) -> None:
    (honest,) = alignments(proof(name))
    assert isinstance(honest.evidence, tuple)
    ((plan, *_), *_) = honest.evidence
    shifts = plan.local[0][0]
    for wrong in (
        replace(plan, kept=None), replace(plan, kept=(None,)), replace(plan, kept=((1, ZERO),)),
        replace(plan, kept=(("b.once", 1.0),)), replace(plan, local=None), replace(plan, local=(None,)),
        replace(plan, local=((None,), *plan.local[1:])), replace(plan, local=(((*shifts, None),), *plan.local[1:])),
    ):  # fmt: skip
        evidence = ((wrong,), *honest.evidence[1:])
        (problem,) = replay(PROGRAMS[name], replace(honest, evidence=evidence))
        assert "tuple of plans" in problem


@pytest.mark.parametrize("fault", [TypeError, AttributeError])
def test_a_faulty_rule_is_no_bad_evidence(fault: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that stumbles over its own code would otherwise look like a proof that was never offered."""

    def holds(program: Program, derivation: Derivation) -> str | None:
        raise fault("a fault of the rule")

    monkeypatch.setattr("seqlang.rules.find", lambda name: Rule(name, "", "", "", holds))
    with pytest.raises(fault):
        replay(PROGRAMS["one sided"], proof("one sided"))


def test_numbers_that_a_rule_refuses_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def holds(program: Program, derivation: Derivation) -> str | None:
        raise ValueError("order must be above 1")

    honest = proof("one sided")
    monkeypatch.setattr("seqlang.rules.find", lambda name: Rule(name, "", "", "", holds))
    assert "order must be above 1" in replay(PROGRAMS["one sided"], honest)[0]
