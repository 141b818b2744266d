"""When a derivation that replays proves a claim: for all that is shown, for as many steps, by no more than claimed."""

from __future__ import annotations

from pathlib import Path

import pytest
from amounts import approximate_bound, renyi_bound

from seqlang import driver
from seqlang.analyses.claims import decide
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import Formula, number, symbol
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, Judgement, PureBound
from seqlang.record import replace
from seqlang.rules.claims import falls_short, leaves_out, longest_run, steps_claimed
from seqlang.rules.composition import every_algorithm
from seqlang.source import Source

SPEC = """algorithm t
param eps > 0 = 1
stream x in [0, 1]
statistic s = sum(x over steps)
model coin: x ~ bernoulli(1 / 2)
report y = x when step == 3
{end}stop when s >= 10
attach laplace(1) to y
{claim}
"""
HIDDEN = Path(__file__).resolve().parents[2] / "specs/bittner2020/flsw.seq"


def _program(claim: str, end: str = "") -> Program:
    return driver.load(Source("<test>", SPEC.format(claim=claim, end=end))).program


def _short(claim: str, conclusion: Judgement, end: str = "") -> str | None:
    program = _program(claim, end)
    return falls_short(program, program.claims[0], Derivation(conclusion, "test/rule"))


ALL = ("y", "stop 1")
LAST = ("y", "stop 2")
EPS: Formula = symbol("eps")


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("strong pure(eps)", PureBound(ALL, EPS), PureBound(ALL, EPS * number(2))),
        ("strong pure(eps)", PureBound(("stop 1", "y"), EPS), ConcentratedBound(ALL, EPS, None)),
        ("strong dp(eps, 1e-6)", approximate_bound(ALL, 1.0, 1e-6, None), approximate_bound(ALL, 1.0, 2e-6, None)),
        ("strong dp(eps, 1e-6)", approximate_bound(ALL, 0.5, 1e-7, None), approximate_bound(ALL, 1.1, 1e-7, None)),
        ("strong dp(eps, 1e-6)", PureBound(ALL, EPS), renyi_bound(ALL, 2.0, 0.1, None)),
        ("strong zcdp(eps)", ConcentratedBound(ALL, EPS, None), PureBound(ALL, EPS)),
        ("strong rdp(4, eps)", renyi_bound(ALL, 4.0, 1.0, None), renyi_bound(ALL, 2.0, 1.0, None)),
        ("strong rdp(4, eps)", renyi_bound(ALL, 8.0, 1.0, None), renyi_bound(ALL, 4.0, 1.5, None)),
        ("strong rdp(4, eps)", PureBound(ALL, EPS), approximate_bound(ALL, 0.1, 1e-9, None)),
        ("strong rdp(4, 4 * eps)", ConcentratedBound(ALL, EPS, None), ConcentratedBound(ALL, EPS * number(2), None)),
        ("strong rdp(4, 4 * eps)", ConcentratedBound(ALL, EPS, None), ConcentratedBound(ALL, EPS, 100)),
        ("strong dp(eps, 1e-6)", PureBound(ALL, EPS), PureBound(("y",), EPS)),
        ("strong dp(eps, 1e-6) within 20 steps", approximate_bound(ALL, 1.0, 1e-6, 20),
         approximate_bound(ALL, 1.0, 1e-6, 19)),
        ("strong dp(eps, 1e-6)", approximate_bound(ALL, 1.0, 1e-6, None), approximate_bound(ALL, 1.0, 1e-6, 10**9)),
        ("strong rdp(4, eps)", renyi_bound(ALL, 4.0, 1.0, None), renyi_bound(ALL, 4.0, 1.0, 100)),
        ("strong zcdp(eps)", ConcentratedBound(ALL, EPS, None), ConcentratedBound(ALL, EPS, 100)),
        ("weak dp(eps, 1e-6) under coin", PureBound(ALL, EPS), PureBound(ALL, EPS * number(2))),
    ],
)  # fmt: skip
def test_what_proves_a_claim(claim: str, good: Judgement, bad: Judgement) -> None:
    assert _short(f"claim {claim}", good) is None
    assert _short(f"claim {claim}", bad)


def test_the_file_may_limit_the_steps() -> None:
    """A claim without `within` speaks of all runs; a bound for as many steps as a public stop allows will do."""
    end = "stop when step >= 50\n"
    program = _program("claim strong zcdp(eps)", end)
    assert longest_run(program) == steps_claimed(program, program.claims[0]) == 50
    assert _short("claim strong zcdp(eps)", ConcentratedBound(LAST, EPS, 50), end) is None
    assert _short("claim strong zcdp(eps)", ConcentratedBound(LAST, EPS, 49), end)
    assert longest_run(_program("")) is None


def test_a_weak_claim_needs_replaced_entries() -> None:
    claim = "claim weak dp(eps, 1e-6) under coin"
    assert _short(claim, PureBound(ALL, EPS)) is None
    assert _short(f"adjacent one x within 1 / 2\n{claim}", PureBound(ALL, EPS))


def test_a_claim_on_the_law_of_a_run_has_no_derivation() -> None:
    assert _short("claim expected(step) <= 100 under coin", PureBound(ALL, number(0)))


def test_hidden_choices_are_paid_for() -> None:
    """A bound of what is shown is conditional on the hidden choices, but for the rule that forgets them."""
    program = driver.load(driver.read(str(HIDDEN))).program
    hidden = {g.name for g in program.gates if getattr(g, "visible", True) is False}
    assert hidden
    every = tuple(g.name for g in program.gates if type(g).__name__ != "PublicGate")
    shown = tuple(name for name in every if name not in hidden)
    forgotten = Derivation(PureBound(shown, EPS), "composition/hypothetical_transcript")
    assert leaves_out(program, Derivation(PureBound(every, EPS), "composition/basic")) is None
    assert leaves_out(program, Derivation(PureBound(shown, EPS), "composition/basic"))
    assert leaves_out(program, forgotten) is None
    after = Derivation(PureBound(shown, EPS), "conversion/pure_to_concentrated", (forgotten,))
    assert leaves_out(program, after) is None
    assert leaves_out(program, Derivation(PureBound(shown, EPS), "composition/basic", (forgotten, forgotten)))
    assert leaves_out(program, Derivation(PureBound(shown[1:], EPS), forgotten.rule))
    for evidence, missing in ((forgotten, False), ((forgotten, forgotten), False), (after.premises, False), ((), True),
                              (Derivation(PureBound(shown, EPS), "composition/basic"), True)):  # fmt: skip
        group = Derivation(PureBound(shown, EPS), "composition/group_privacy", evidence=evidence)
        assert bool(leaves_out(program, group)) is missing


def test_a_delta_of_one_promises_nothing_to_anybody() -> None:
    claim = "claim weak dp(eps, 1) under coin"
    program = _program(f"adjacent one x within 1 / 2\nparam d = 1\n{claim.replace(', 1)', ', d)')}")
    nothing = every_algorithm.derivation(program)
    assert falls_short(program, program.claims[0], nothing) is None
    assert falls_short(program, program.claims[0], Derivation(nothing.conclusion, "test/rule"))


def test_a_delta_below_one_does_not_hold_of_every_algorithm() -> None:
    program = _program("claim strong pure(1)")
    nothing = every_algorithm.derivation(program)
    assert every_algorithm.holds(program, nothing) is None
    for conclusion in (approximate_bound(nothing.conclusion.gates, 0.0, 0.999, None), PureBound(("y",), EPS)):
        assert every_algorithm.holds(program, replace(nothing, conclusion=conclusion))


GAUSSIANS = """algorithm g
param s1 > 0 = 1.7
param s2 > 0 = 0.3
stream x in [0, 1]
report A = x
report B = x
stop when step >= 5
attach gaussian(s1) to A
attach gaussian(s2) to B
claim strong rdp(2, 1 / s1 ^ 2 + 1 / s2 ^ 2)
claim strong rdp(8, 8 / (2 * s1 ^ 2) + 8 / (2 * s2 ^ 2))
claim strong rdp(8, 0.9999999 * (4 / s1 ^ 2 + 4 / s2 ^ 2))
"""


def test_a_claim_that_equals_the_bound_is_proved() -> None:
    """Mironov 2017, Proposition 7 and additivity: alpha / (2 s1^2) + alpha / (2 s2^2), no more and no less; floats
    would miss it by a rounding."""
    program = driver.load(Source("g.seq", GAUSSIANS)).program
    bounds = prove(program)
    verdicts = decide(program, delta=bounds.delta, horizon=None, known=bounds, witness=None)
    assert [v.verdict == "proved" for v in verdicts] == [True, True, False]
