"""Claims that say nothing at some parameters are proved as such, and those that no algorithm meets refuted."""

from __future__ import annotations

from fractions import Fraction

import pytest
from amounts import approximate_bound

from seqlang import driver
from seqlang.arithmetic.formula import UNDEFINED
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.replay import replay
from seqlang.rules.composition import every_algorithm
from seqlang.source import Source

TEXT = """algorithm t
param e > 0 = 0.1
stream x in {0, 1}
model even: x ~ bernoulli(1 / 2)
stop when x >= 1 return yes
claim probability(yes) <= 0.9 + e under even
claim 1 - e <= probability(yes) under even
claim probability(yes) > 0.9 + e under even
claim strong dp(1, e)
claim weak dp(1, e) under even
claim strong pure(e)
"""


def verdicts(e: str) -> tuple[list[str], list[str]]:
    loaded = driver.load(Source("<test>", TEXT), {"e": Fraction(e)})
    return [v.verdict for v in driver.check(loaded).verdicts], [d.code for d in loaded.warnings]


@pytest.mark.parametrize(
    ("e", "first", "second", "third", "private", "warnings"),
    [
        ("0.05", "refuted", "proved", "proved", "refuted", 0),
        ("0.1", "proved", "proved", "refuted", "refuted", 1),
        ("1", "proved", "proved", "refuted", "proved", 4),
        ("3", "proved", "proved", "refuted", "proved", 4),
    ],
)
def test_by_value(e: str, first: str, second: str, third: str, private: str, warnings: int) -> None:
    found, codes = verdicts(e)
    assert found[:4] == [first, second, third, private]
    assert found[5] == "refuted"  # the rest is checked
    assert codes.count("W0611") == warnings


def test_the_proof_is_one() -> None:
    program = driver.load(Source("<test>", TEXT), {}).program
    honest = every_algorithm.derivation(program)
    assert replay(program, honest) == ()
    for conclusion in (
        approximate_bound(honest.conclusion.gates, 0.0, 0.999, None),
        approximate_bound(honest.conclusion.gates, -1.0, 1.0, None),
        ApproximateBound(honest.conclusion.gates, UNDEFINED, Fraction(1), None),
        approximate_bound(("nowhere",), 0.0, 1.0, None),
        PureBound(honest.conclusion.gates, None),
    ):
        assert replay(program, Derivation(conclusion, honest.rule))
    assert replay(program, Derivation(honest.conclusion, honest.rule, (honest,)))
