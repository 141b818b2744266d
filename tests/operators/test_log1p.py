"""The function `log1p` from end to end: runs, exact laws, minimisers, bounds, replayed certificates, its page."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from plain_kernels import program_of

import seqlang
from seqlang.backends.interpret.compiled import Compiler
from seqlang.certificate.text import from_text
from seqlang.certificate.verify import verify
from seqlang.cli.__main__ import main
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.ranges.ranges import range_in

TINY = 1e-14


def spec(text: str) -> seqlang.Spec:
    return seqlang.load(f"algorithm a\n{text}\n")


SUMS = """
stream x in {0, 1}
model fair: x ~ bernoulli(0.5)
statistic s = sum(log1p(x) over steps)
stop when s >= 2.5 * log1p(1)
"""
"""It stops when the third 1 comes: after 3, 4, .. steps with chance C(n-1, 2) / 2^n."""


@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
def test_runs(engine: str) -> None:
    (found,) = seqlang.run(spec(SUMS), runs=1000, engine=engine)
    assert found.to_dict()["steps"]["mean"] == pytest.approx(6, abs=5 * math.sqrt(6 / 1000))


def test_exact_law() -> None:
    (found,) = seqlang.solve(spec(SUMS))
    assert found.expected_steps == pytest.approx(6, rel=1e-9)


def test_digits_near_zero_are_kept() -> None:
    """log(1 + 1e-14) has two right digits."""
    program = program_of(f"algorithm a\nstream x in [0, 1]\nstatistic s = log1p({TINY!r})\nstop when step >= 1\n")
    value = Compiler(program).constant(program.define("s").expression)
    assert value == pytest.approx(TINY - TINY**2 / 2, rel=1e-15)
    assert abs(math.log(1 + TINY) / value - 1) > 1e-4


LOGISTIC = """
param n in 1.. = 40
dataset x in ball(1, 2), y in {{-1, 1}} size n
model two: y ~ uniform({{-1, 1}}), x ~ uniform(ball(1, 2))
draw z ~ l2_laplace(2, dim = 2)
let loss(m) = {loss}
statistic w = argmin(mean(loss(y[i] * dot(v, x[i])) for i in records) + dot(v, v) / 4 + dot(z, v) / n for v in real ^ 2)
stop return w
claim strong pure(2)
"""
LOSSES = ("log(1 + exp(-m))", "log1p(exp(-m))")


def test_a_minimiser_follows_its_gradient() -> None:
    first, second = (
        seqlang.run(spec(LOGISTIC.format(loss=loss)), runs=3)[0].to_dict()["return_value"]["mean"] for loss in LOSSES
    )
    assert np.allclose(first, second, rtol=1e-5)


def test_the_logistic_loss_is_as_private_either_way() -> None:
    first, second = (seqlang.check(spec(LOGISTIC.format(loss=loss))).to_dict() for loss in LOSSES)
    assert first["strong"]["pure"]["upper"] == pytest.approx(1 + math.log(1 + 1 / 80), rel=1e-6)  # rank one, slope 1
    assert first["strong"]["pure"] == second["strong"]["pure"]


RELEASED = """
param c > 0 = log1p(2)
stream x in [0, 3]
statistic t = log1p(1 + sum(x over steps))
stop when step >= 4
report y = log1p(x)
attach laplace(c) to y
claim strong pure(log1p(3) / log1p(2))
"""


def test_bounds_and_their_replay() -> None:
    result = seqlang.check(spec(RELEASED))
    found = result.to_dict()
    assert found["claims"][0]["verdict"] == "proved"
    assert found["strong"]["pure"]["symbolic"] == "log(4)/c"
    assert found["strong"]["pure"]["upper"] == pytest.approx(math.log(4) / math.log(3), rel=1e-6)
    replayed = verify(from_text(result.certificate()))
    assert not replayed.problems
    assert [c.established for c in replayed.claims] == [True]


def test_range_and_parameter() -> None:
    program = program_of(f"algorithm a\n{RELEASED}\n")
    facts = facts_of(program)
    found = range_in(facts, facts.expand(program.define("t").expression))
    assert (str(found.low), found.high) == ("log(2)", None)
    assert program.parameters[0].value == Fraction(math.log(3))


def test_no_value_at_the_pole() -> None:
    with pytest.raises(seqlang.SpecError, match="not above -1"):
        spec("param c = log1p(-1)\nstream x in {0, 1}\nreport y = c * x\nstop when step >= 1")


def test_its_page_and_its_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "log1p"]) == 0
    assert "log(1 + x)" in capsys.readouterr().out
    with pytest.raises(seqlang.SpecError) as raised:
        spec("stream x in {0, 1}\nreport y = log1q(x)\nstop when step >= 1")
    assert [d.help for d in raised.value.diagnostics] == ["did you mean `log1p`?"]
