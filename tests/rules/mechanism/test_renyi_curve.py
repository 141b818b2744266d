"""RDP of pure showings: what is proved of programs, claims that equal their bounds, and what must stay unproved."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from amounts import scaled, size

import seqlang
from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import UNDEFINED
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound, settled
from seqlang.proof.replay import replay
from seqlang.record import replace
from seqlang.source import Source

RULE = "mechanism/renyi_curve"
ONE = "param b > 0 = 2\ndataset x in [0, 1] size 10\nstatistic s = sum(x[i] for i in records)\n"
RETURNED = ONE + "stop return s\nattach {} to s\n"
SHOWN = "param b > 0 = 2\nparam n in 1.. = 20\nstream x in [0, 1]\nstatistic s = sum(x over steps)\nreport r = s\n" \
        "stop when step >= n\nattach {} to s\n"  # fmt: skip


def load(text: str) -> Program:
    return driver.load(Source("<test>", f"algorithm a\n{text}")).program


def verdicts(text: str) -> list[str]:
    return [claim["verdict"] for claim in seqlang.check(f"algorithm a\n{text}").to_dict()["claims"]]


def at_two(text: str) -> tuple[float, str]:
    program = load(text)
    (found,) = prove(program, orders=(Fraction(2),)).rdp
    return size(program, found.conclusion), found.rule


def laplace_at_two(moved: float) -> float:
    return math.log(2 / 3 * math.exp(moved) + 1 / 3 * math.exp(-2 * moved))


def response_at_two(epsilon: float) -> float:
    p, q = math.exp(epsilon) / (1 + math.exp(epsilon)), 1 / (1 + math.exp(epsilon))
    return math.log(p**2 / q + q**2 / p)


@pytest.mark.parametrize(
    ("text", "expected", "rule"),
    [
        (RETURNED.format("laplace(b)"), laplace_at_two(0.5), RULE),
        (SHOWN.format("laplace(b)"), 20 * laplace_at_two(0.5), RULE),
        # logistic noise is pure, and no more is known of it
        (RETURNED.format("logistic(b)"), response_at_two(0.5), "conversion/pure_to_renyi"),
        (SHOWN.format("logistic(b)"), 20 * response_at_two(0.5), RULE),
        # of two noises on one number, the second takes nothing away: the curve of one of them is not that of their sum
        (RETURNED.format("laplace(b)") + "draw w ~ laplace(5)\nattach w to s\n", response_at_two(0.2),
         "conversion/pure_to_renyi"),
    ],
)  # fmt: skip
def test_bounds(text: str, expected: float, rule: str) -> None:
    found, by = at_two(text)
    assert (found, by) == (pytest.approx(expected, rel=1e-9), rule)


def test_a_vector_is_no_number() -> None:
    """Two coordinates share the l1 radius: the Laplace curve of a number moved by the whole of it is not theirs."""
    text = "dataset x in {1, 2} size 10\nreport h = [count(x[i] == k for i in records) for k in 1..2]\n" \
           "stop when step >= 1\nattach laplace(4) to h\n"  # fmt: skip
    found, rule = at_two(text)
    assert rule != RULE
    assert found >= 2 * laplace_at_two(0.25), "two coordinates move by a fourth of the scale each"


def test_claims_that_equal_the_bound() -> None:
    half = "claim strong rdp(2, log(2/3*exp(1/b) + 1/3*exp(-2/b)){})\n"
    assert verdicts(RETURNED.format("laplace(b)") + half.format("") + half.format(" - 1e-9"))[0] == "proved"
    assert verdicts(RETURNED.format("laplace(b)") + half.format(" - 1e-9")) != ["proved"]
    gaussian = "claim strong rdp(8, 8/(2*b^2))\nclaim strong rdp(3/2, 3/(4*b^2))\nclaim strong zcdp(1/(2*b^2))\n"
    assert verdicts(RETURNED.format("gaussian(b)") + gaussian) == ["proved"] * 3
    assert verdicts(RETURNED.format("gaussian(b)") + "claim strong rdp(8, 8/(2*b^2) - 1e-15)\n") != ["proved"]


def test_two_releases() -> None:
    text = """param s1 > 0 = 3
param s2 > 0 = 5
dataset x in [0, 1] size 10
statistic a1 = sum(x[i] for i in records)
statistic a2 = count(x[i] > 1/2 for i in records)
report u = a1
report v = a2
stop when step >= 1
attach gaussian(s1) to u
attach gaussian(s2) to v
claim strong rdp(2, 1/s1^2 + 1/s2^2)
"""
    assert verdicts(text) == ["proved"]
    assert verdicts(text.replace("1/s2^2", "0.99/s2^2")) != ["proved"]


def test_less_does_not_replay() -> None:
    program = load(SHOWN.format("laplace(b)"))
    (found,) = prove(program, orders=(Fraction(2),)).rdp
    claim = found.conclusion
    assert isinstance(claim, RenyiBound) and replay(program, found) == ()
    for wrong in (
        scaled(claim, 1 - 1e-9),
        replace(claim, epsilon=settled(claim), order=Fraction(3)),
        replace(claim, order=Fraction(1)),
        replace(claim, epsilon=UNDEFINED),
        replace(claim, epsilon=-claim.epsilon),
        replace(claim, gates=("stop 1",)),
        replace(claim, gates=("r", "stop 1")),
    ):
        assert replay(program, Derivation(wrong, found.rule))
    assert replay(program, replace(found, premises=(found,)))


def test_the_order_is_no_parameter() -> None:
    """A parameter called alpha has nothing to do with the order of the divergence."""
    text = RETURNED.format("laplace(alpha)").replace("param b", "param alpha") + "claim strong rdp(2, 0.21)\n"
    found = seqlang.check(f"algorithm a\n{text}").to_dict()
    assert found["claims"][0]["verdict"] == "proved"
    assert found["strong"]["rdp"][0]["symbolic"].count("alpha_") > found["strong"]["rdp"][0]["symbolic"].count(
        "1/alpha"
    )
