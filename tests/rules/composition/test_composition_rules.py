"""Composition and conversion rules: what they accept, and what they refuse when a condition or a number is tampered
with."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from amounts import approximate_bound, renyi_bound, scaled, size
from elaborated import elaborated

from seqlang.accounting import conversion, homogeneous, renyi
from seqlang.arithmetic.formula import as_formula, number
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, Judgement, PureBound, RenyiBound
from seqlang.rules import find
from seqlang.rules.composition import advanced, basic, concentrated, group_privacy, optimal, post_processing
from seqlang.rules.composition import renyi as renyi_addition
from seqlang.rules.conversion import (
    concentrated_to_approximate,
    concentrated_to_renyi,
    pure_to_approximate,
    pure_to_concentrated,
    pure_to_renyi,
    renyi_to_approximate,
)

TEXT = """algorithm three "Three releases and a public stop"
stream x in [0, 1], y in [0, 1]
report a = x
report b = y
report c = x + y
stop when step >= 5
attach laplace(10) to a
attach laplace(10) to b
attach laplace(20) to c
"""


DELTA = Fraction(1, 10**6)


def load(text: str) -> Program:
    return elaborated(text)


PROGRAM = load(TEXT)


def given(conclusion: Judgement) -> Derivation:
    """A premise as it stands: `holds` of the next step never looks into it."""
    return Derivation(conclusion, "assumed")


def pure(gate: str, epsilon: str) -> Derivation:
    return given(PureBound((gate,), number(Fraction(epsilon))))


def offer(rule: Any, *arguments: object) -> Derivation | None:
    """What the untrusted half offers; None where it says why it offers nothing."""
    found = rule.SEARCH.suggest(*arguments)
    return found if isinstance(found, Derivation) else None


def refused(program: Program, d: Derivation) -> bool:
    rule = find(d.rule)
    assert rule is not None
    return rule.holds(program, d) is not None


PARTS = (pure("a", "0.1"), pure("b", "0.1"), pure("c", "0.1"))


def test_basic() -> None:
    d = offer(basic, PROGRAM, PARTS)
    assert d is not None
    assert d.conclusion == PureBound(("a", "b", "c"), number(Fraction(3, 10)))
    assert refused(PROGRAM, replace(d, conclusion=PureBound(("a", "b", "c"), number(Fraction(299, 1000)))))
    assert refused(PROGRAM, replace(d, conclusion=PureBound(("a", "b"), number(Fraction(3, 10)))))
    assert refused(PROGRAM, replace(d, premises=PARTS[:2]))
    assert refused(PROGRAM, replace(d, premises=(*PARTS[:2], PARTS[0])))
    mixed = offer(basic, PROGRAM, (PARTS[0], given(approximate_bound(("b",), 0.5, 1e-6, 7))))
    assert mixed is not None
    assert replace(mixed.conclusion, epsilon=number(0)) == approximate_bound(("a", "b"), 0.0, 1e-6, 7)
    assert size(PROGRAM, mixed.conclusion) == pytest.approx(0.6)
    less = {"epsilon": number(Fraction(59, 100))}
    for bad in (less, {"delta": Fraction(9, 10**7)}, {"horizon": None}, {"horizon": 8}):
        assert refused(PROGRAM, replace(mixed, conclusion=replace(mixed.conclusion, **bad)))
    assert not refused(PROGRAM, replace(mixed, conclusion=replace(mixed.conclusion, horizon=3)))
    half = given(approximate_bound(("a",), 0.5, 0.6, None))
    assert offer(basic, PROGRAM, (half, given(approximate_bound(("b",), 0.5, 0.6, None)))) is None
    nothing = offer(basic, PROGRAM, ())
    assert nothing is not None
    assert nothing.conclusion == PureBound((), number(0))
    assert offer(basic, PROGRAM, (given(renyi_bound(("a",), 2.0, 0.1, None)),)) is None


def test_shared_noise_is_no_composition() -> None:
    program = load("""algorithm shared "Shared"
stream x in [0, 1], y in [0, 1]
report a = x
report b = y
stop when step >= 5
draw z ~ laplace(10)
attach z to a
attach z to b
""")
    assert offer(basic, program, (pure("a", "0.1"), pure("b", "0.1"))) is None
    for rule, part in ((renyi_addition, lambda g: given(renyi_bound((g,), 2.0, 0.1, None))),):
        assert offer(rule, program, (part("a"), part("b"))) is None


def test_advanced_and_optimal() -> None:
    three = offer(optimal, PROGRAM, PARTS, DELTA)
    assert three is not None
    assert size(PROGRAM, three.conclusion) == homogeneous.optimal(0.1, 3, 1e-6)
    other = offer(advanced, PROGRAM, PARTS, DELTA)
    assert other is not None
    assert size(PROGRAM, other.conclusion) >= size(PROGRAM, three.conclusion)
    for d in (three, other):
        claim = d.conclusion
        assert isinstance(claim, ApproximateBound)
        assert not refused(PROGRAM, d)
        assert refused(PROGRAM, replace(d, conclusion=scaled(claim, (1 - 1e-9))))
        assert refused(PROGRAM, replace(d, premises=(given(approximate_bound(("a", "b", "c"), 0.1, 0.0, None)),)))


def test_renyi_and_concentrated_addition() -> None:
    parts = (given(renyi_bound(("a",), 2.0, 0.1, None)), given(renyi_bound(("b",), 2.0, 0.2, 50)))
    d = offer(renyi_addition, PROGRAM, parts)
    assert d is not None
    claim = d.conclusion
    assert claim == RenyiBound(("a", "b"), Fraction(2), number(Fraction(0.1) + Fraction(0.2)), 50)
    assert isinstance(claim, RenyiBound)
    for bad in ({"epsilon": number(Fraction(29, 100))}, {"order": Fraction(21, 10)}, {"horizon": None}):
        assert refused(PROGRAM, replace(d, conclusion=replace(claim, **bad)))
    assert offer(renyi_addition, PROGRAM, (parts[0], given(renyi_bound(("b",), 3.0, 0.2, 50)))) is None

    rho = (
        given(ConcentratedBound(("a",), number(Fraction(1, 8)), None)),
        given(ConcentratedBound(("b",), number(1), 9)),
    )
    z = offer(concentrated, PROGRAM, rho)
    assert z is not None
    assert z.conclusion == ConcentratedBound(("a", "b"), number(Fraction(9, 8)), 9)
    assert refused(PROGRAM, replace(z, conclusion=replace(z.conclusion, rho=number(Fraction(9, 9)))))
    assert refused(PROGRAM, replace(z, conclusion=replace(z.conclusion, horizon=10)))


def test_post_processing() -> None:
    d = post_processing.suggest(PROGRAM, PARTS[0])
    assert d is not None
    assert d.conclusion.gates == ("a", "stop 1")
    assert not refused(PROGRAM, d)
    assert refused(PROGRAM, replace(d, conclusion=replace(d.conclusion, gates=("a", "b"))))
    assert refused(PROGRAM, replace(d, conclusion=replace(d.conclusion, gates=("stop 1",))))
    assert refused(PROGRAM, replace(d, conclusion=PureBound(d.conclusion.gates, number(0))))
    low = given(renyi_bound(("a",), 4.0, 0.2, 7))
    weaker = Derivation(renyi_bound(("a",), 2.0, 0.2, 5), post_processing.NAME, (low,))
    assert not refused(PROGRAM, weaker)
    less = {"epsilon": number(Fraction(1, 10))}
    for bad in ({"order": Fraction(5)}, {"order": Fraction(1)}, {"horizon": None}, less):
        assert refused(PROGRAM, replace(weaker, conclusion=replace(weaker.conclusion, **bad)))


def test_conversions() -> None:
    part = PARTS[0]
    rho = offer(pure_to_concentrated, PROGRAM, part)
    assert rho is not None
    assert rho.conclusion == ConcentratedBound(("a",), number(Fraction(1, 200)), None)
    assert refused(PROGRAM, replace(rho, conclusion=ConcentratedBound(("a",), number(Fraction(1, 201)), None)))

    lines = concentrated_to_renyi.SEARCH.suggest(PROGRAM, rho, (Fraction(2), Fraction(8)))
    assert [size(PROGRAM, d.conclusion) for d in lines] == [pytest.approx(0.01), pytest.approx(0.04)]
    curve = pure_to_renyi.SEARCH.suggest(PROGRAM, part, (Fraction(2), Fraction(8)))
    found = [size(PROGRAM, d.conclusion) for d in curve]
    assert found == pytest.approx([renyi.pure(0.1, 2.0), renyi.pure(0.1, 8.0)], rel=1e-12)
    direct = offer(pure_to_approximate, PROGRAM, part, Fraction(1, 10**6))
    again = offer(concentrated_to_approximate, PROGRAM, rho, Fraction(1, 10**6))
    best = offer(renyi_to_approximate, PROGRAM, curve, DELTA)
    assert direct is not None
    assert again is not None
    assert best is not None
    assert size(PROGRAM, direct.conclusion) == pytest.approx(0.1, abs=1e-5)
    expected = min(conversion.canonne(a, renyi.pure(0.1, a), 1e-6) for a in (2.0, 8.0))
    assert size(PROGRAM, best.conclusion) == pytest.approx(expected, rel=1e-12)
    for d in (rho, *lines, *curve, direct, again, best):
        assert not refused(PROGRAM, d)
        claim = d.conclusion
        assert refused(PROGRAM, replace(d, conclusion=replace(claim, gates=("b",))))
        assert refused(PROGRAM, replace(d, premises=()))
        assert refused(PROGRAM, replace(d, premises=(pure("a", "100"),)))
        if isinstance(claim, (RenyiBound, ApproximateBound)):
            assert refused(PROGRAM, replace(d, conclusion=scaled(claim, (1 - 1e-6))))
    short = replace(rho, conclusion=replace(rho.conclusion, horizon=5))
    late = offer(concentrated_to_approximate, PROGRAM, short, DELTA)
    assert late is not None
    assert late.conclusion.horizon == 5
    assert refused(PROGRAM, replace(late, conclusion=replace(late.conclusion, horizon=None)))
    assert refused(PROGRAM, replace(again, evidence=None))


def test_group_privacy() -> None:
    text = """algorithm group "Group"
stream x in [0, 1]
report a = x
stop when step >= 5
attach laplace(10) to a
adjacent replace 3
"""
    program = load(text)
    one = group_privacy.single(program)
    assert one is not None
    from seqlang.analyses.prove import prove

    proved = prove(one)
    assert proved.pure is not None
    assert proved.zcdp is not None
    found = group_privacy.suggest(program, proved.pure)
    assert found is not None
    assert found.conclusion.gates == proved.pure.conclusion.gates
    assert not refused(program, found)
    assert isinstance(found.conclusion, PureBound)
    assert isinstance(proved.pure.conclusion, PureBound)
    assert refused(
        program, replace(found, conclusion=replace(found.conclusion, epsilon=proved.pure.conclusion.epsilon * 2))
    )
    assert refused(program, replace(found, evidence=None))
    cheat = replace(proved.pure, conclusion=replace(proved.pure.conclusion, epsilon=as_formula(0)))
    assert refused(program, replace(found, evidence=cheat))
    assert group_privacy.size_of(program) == 3
    rho = group_privacy.suggest(program, proved.zcdp)
    assert rho is not None
    assert not refused(program, rho)
    approximate = offer(pure_to_approximate, one, proved.pure, DELTA)
    assert approximate is not None
    grown = group_privacy.suggest(program, approximate)
    assert grown is not None
    assert not refused(program, grown)
    assert grown.conclusion.delta > 3e-6


def test_unlike_epsilons_are_composed_as_the_largest() -> None:
    """Epsilons 0.1, 0.1 and 2: what three of 0.1, or three of their mean, would give is refused."""
    parts = (pure("a", "0.1"), pure("b", "0.1"), pure("c", "2"))
    found = offer(optimal, PROGRAM, parts, Fraction(1, 10**3))
    assert found is not None
    claim = found.conclusion
    assert isinstance(claim, ApproximateBound)
    assert size(PROGRAM, claim) <= 2.2 * (1 + 1e-12)  # the plain sum
    for mistaken in (0.1, 2.2 / 3, 1.0):
        wrong = approximate_bound(claim.gates, homogeneous.optimal(mistaken, 3, 1e-3), 1e-3, None)
        if size(PROGRAM, wrong) < size(PROGRAM, claim):
            assert refused(PROGRAM, replace(found, conclusion=wrong))
    assert homogeneous.optimal(0.1, 3, 1e-3) < size(PROGRAM, claim)


def test_a_part_without_a_finite_epsilon_gives_none_in_all() -> None:
    large = (given(PureBound(("a",), number(10) ** 400)), pure("b", "0.1"))
    for rule in (optimal, advanced):
        assert offer(rule, PROGRAM, large, Fraction(1, 10**6)) is None
    assert offer(pure_to_approximate, PROGRAM, large[0], Fraction(1, 10**6)) is not None


def test_a_higher_order_serves_for_a_lower_one() -> None:
    part = given(renyi_bound(("a",), 8.0, 0.5, None))
    found = post_processing.at_lower_order(part, Fraction(2))
    assert found is not None
    assert not refused(PROGRAM, found)
    assert post_processing.at_lower_order(part, Fraction(8)) is None
    assert post_processing.at_lower_order(part, Fraction(16)) is None
    claim = found.conclusion
    assert isinstance(claim, RenyiBound)
    assert refused(PROGRAM, replace(found, conclusion=replace(claim, order=Fraction(16))))
    assert refused(PROGRAM, replace(found, conclusion=replace(claim, epsilon=number(Fraction(49, 100)))))
