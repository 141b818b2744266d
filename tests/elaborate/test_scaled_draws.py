"""A draw whose scale changes with the step is that scale times a draw from a constant law."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from seqlang import driver
from seqlang.model.program import Draw
from seqlang.source import Source

SPEC = """algorithm scaled
stream x in [0, 1]
model m: x ~ uniform(0, 1)
{draw}
report r = x + {noise}
stop when step >= 10
claim strong zcdp({rho})
"""


def _loaded(draw: str, noise: str = "z", rho: str = "1") -> driver.Loaded:
    return driver.load(Source("scaled", SPEC.format(draw=draw, noise=noise, rho=rho)))


@pytest.mark.parametrize(
    ("law", "factor"),
    [("gaussian(2 * sqrt(step))", "2 * sqrt(step)"), ("gaussian(2 * step)", "2 * step"),
     ("gaussian(2 + step)", "(2 + step)"), ("gaussian(max(2, step))", "max(2, step)"),
     ("gaussian(step ^ 2 * 2)", "step ^ 2 * 2"), ("gaussian(20 / step)", "20 / step")],
)  # fmt: skip
def test_the_same_as_a_product(law: str, factor: str) -> None:
    one = driver.check(_loaded(f"draw z ~ {law}"))
    other = driver.check(_loaded("draw z ~ gaussian(1)", f"{factor} * z"))
    assert one.bounds.zcdp is not None and other.bounds.zcdp is not None
    assert one.bounds.zcdp.conclusion == other.bounds.zcdp.conclusion


def test_the_bound_is_of_the_least_scale() -> None:
    """One entry is shown once, with a deviation of 2 at least: rho = 1 / (2 * 2^2)."""
    result = driver.check(_loaded("draw z ~ gaussian(2 * sqrt(step))", rho="1/8"))
    assert [v.verdict for v in result.verdicts] == ["proved"]
    assert result.to_dict()["strong"]["zcdp"]["upper"] == pytest.approx(1 / 8)
    tight = driver.check(_loaded("draw z ~ gaussian(2 * sqrt(step))", rho="0.12"))
    assert tight.verdicts[0].verdict != "proved"


def test_runs_have_that_scale() -> None:
    """In step 10 the deviation is 20, beside that of a uniform entry."""
    loaded = _loaded("draw z ~ gaussian(2 * step)")
    for engine in ("interpreter", "numpy"):
        (result,) = driver.run(loaded, runs=4000, seed=3, engine=engine)
        se = result.to_dict()["reports"]["r"]["last_value"]["se"]
        assert se * math.sqrt(4000) == pytest.approx(math.sqrt(400 + 1 / 12), rel=0.06)


@pytest.mark.parametrize(
    "law", ["gaussian(step - 5)", "gaussian(2 - step)", "laplace(log(step))", "gaussian(1) once", "geometric(1 / step)"]
)
def test_what_stays_a_draw(law: str) -> None:
    """A scale that may be 0 or below fails in that step, and a life beyond a step keeps the scale of its first step."""
    program = _loaded(f"draw z ~ {law}").program
    constant = "step" not in law
    assert any(isinstance(s, Draw) for s in program.body) != constant
    if constant:
        assert program.noise("z").law.arguments[0].value == Fraction(1)  # type: ignore[union-attr]


def test_another_changing_law_is_named() -> None:
    result = driver.check(_loaded("draw z ~ discrete_gaussian(2 * step)"))
    assert "a law that changes is not taken for noise" in result.verdicts[0].because
