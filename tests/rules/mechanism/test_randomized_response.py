"""How many answers of a list change is computed, not read off the name of a norm."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest
from elaborated import elaborated
from thorough import several

from seqlang.arithmetic.formula import enclose, logarithm, number
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.model.program import ChooseGate, Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.gates.showings import in_all
from seqlang.rules.mechanism import randomized_response
from seqlang.rules.sensitivity.motion.shift import Shift

LIST = """algorithm t
stream x in {0, 1, 2}
statistic v = [x >= 1, x >= 2]
report y = v
stop when step >= 1
attach randomized_response(3 / 4) to v
"""
RECORDS = """algorithm t
dataset x in {0, 1, 2} size 3
report y = x
stop when step >= 1
attach randomized_response(3 / 4) to x
"""


def load(text: str) -> Program:
    return elaborated(text)


def test_one_change_may_move_two_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """0 against 2 changes both answers. An analysis that says `at most 2 in the l1 norm` has not said `one of them`."""
    program = load(LIST)
    one, two = logarithm(number(3)), 2 * logarithm(number(3))
    derivation = Derivation(PureBound(("y",), one), randomized_response.RULE.name)
    real = randomized_response.shift_of

    def said(*arguments: object, **more: object) -> Shift:
        found = real(*arguments, **more)
        return Shift(found.kind, number(2), "l1")

    monkeypatch.setattr(randomized_response, "shift_of", said)
    assert randomized_response.RULE.holds(program, derivation) is not None
    assert randomized_response.RULE.holds(program, Derivation(PureBound(("y",), two), derivation.rule)) is None


def test_of_the_records_themselves_one_changes() -> None:
    """Letters 0, 1, 2: the record moves by 2, and it is one answer all the same."""
    program = load(RECORDS)
    (gate, _) = program.gates
    (found,) = randomized_response.SEARCH.suggest(program, gate)
    assert isinstance(found.conclusion, PureBound)
    assert enclose(found.conclusion.epsilon, {}).high == pytest.approx(log(3 / 4 * 2 / (1 / 4)))
    several = load(RECORDS.replace("report", "adjacent replace 2\nreport"))
    assert randomized_response.RULE.holds(several, found) is not None


EQUAL_LETTERS = """algorithm t
param a = 0
param b = 1
stream x in {0, 1, a, b}, y in {0, 2 / 2}
model m: x ~ point(1), y ~ point(0)
statistic s = if y == 0 then x else y
report r = ANSWER
stop when r == 1 return one
stop return other
attach randomized_response(TRUTH) to ANSWER
"""


@pytest.mark.parametrize("answer", ["x", pytest.param("s", marks=pytest.mark.long)])
@pytest.mark.parametrize(("truth", "odds"), [("3 / 4", 3), ("1 / 3", 2)])
def test_values_that_are_equal_are_one_answer(answer: str, truth: str, odds: int) -> None:
    """Another of the answers 0 and 1 is the other one, however often each is written: in proofs and in runs."""
    program = load(EQUAL_LETTERS.replace("ANSWER", answer).replace("TRUTH", truth))
    flip = next(gate for gate in program.gates if isinstance(gate, ChooseGate))
    cost = in_all(randomized_response.showings_of(program, flip))
    assert not isinstance(cost, str)
    assert enclose(cost, {}).low <= log(odds) <= enclose(cost, {}).high
    for engine, runs in (("interpreter", several(1500, 3000)), ("numpy", 3000)):
        found = simulate(program, "m", runs=runs, seed=1, engine=engine)
        told = sum(code == found.labels.index("one") for code in found.codes) / runs
        assert told == pytest.approx(float(Fraction(truth.replace(" ", ""))), abs=0.04)
