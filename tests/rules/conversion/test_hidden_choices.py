"""Hidden choices that a bound has paid for and left out stay paid for when it is read at a delta."""

from __future__ import annotations

from fractions import Fraction

import pytest
from amounts import approximate_bound
from elaborated import elaborated

from seqlang.accounting.numeric.parts import Pure
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.arithmetic.formula import number
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.proof.replay import replay
from seqlang.rules.composition import hypothetical_transcript
from seqlang.rules.conversion.ingredients import ingredients

# y tells x but for one case in 10000, and 100 y is shown: a delta of 0.98 at every epsilon up to 5
TOLD = (
    "stream x in {0, 1}", "statistic y = x", "report g = 100 * y + sum(x over steps)", "stop when step >= 3",
    "attach randomized_response(0.9999) to y",
)  # fmt: skip
DELTA = 1e-6


def proved(*lines: str) -> tuple[Program, Bounds]:
    made = elaborated("\n".join(("algorithm t", *TOLD, *lines)))
    return made, prove(made, delta=Fraction(1, 10**6))


def test_two_entries() -> None:
    program, found = proved("adjacent replace 2", "attach gaussian(10) to g")
    assert found.dp is not None
    assert size_of(program, found.dp) > 5


@pytest.mark.parametrize("rule", ["curves", "losses"])
def test_with_gaussian_noise(rule: str) -> None:
    """Nobody may write such a step into a certificate: by the noise of `g` alone, epsilon is 1 at most."""
    program, found = proved("attach gaussian(100) to g")
    of_rdp = found.rdp[0]
    assert of_rdp.rule == hypothetical_transcript.NAME
    bound = approximate_bound(("g",), 1.0, DELTA, None)
    made = Derivation(bound, f"conversion/{rule}_to_approximate", (of_rdp,), 20.0 if rule == "curves" else None)
    assert replay(program, made)


def test_with_laplace_noise() -> None:
    program, found = proved("attach laplace(100) to g")
    pure = found.pure
    assert pure is not None and pure.rule == hypothetical_transcript.NAME
    bound = approximate_bound(("g",), 1.0, DELTA, None)
    assert replay(program, Derivation(bound, "conversion/showings_to_approximate", (pure,)))
    seen = ingredients(program, pure)
    assert any(isinstance(part, Pure) and part.epsilon > 9 for part in seen)  # log 9999 = 9.21: the flip


def test_a_bound_for_one_entry_is_no_bound_of_the_gate_itself() -> None:
    """Group privacy names the same gates as its evidence, from which the hidden choices are gone."""
    program, _ = proved("adjacent replace 2", "attach gaussian(100) to g")
    evidence = Derivation(PureBound(("g",), number(20)), hypothetical_transcript.NAME)
    group = Derivation(PureBound(("g",), number(40)), "composition/group_privacy", evidence=evidence)
    assert ingredients(program, group) == (Pure(40.0, 1),)
    rho = Derivation(ConcentratedBound(("g",), number(800), None), "composition/group_privacy", evidence=evidence)
    assert isinstance(ingredients(program, rho), str)
