"""Public fields that are one number under a model."""

from __future__ import annotations

import pytest

from seqlang.backends.solve.step.known_data import known
from seqlang.driver import load, solve
from seqlang.source import Source

TEXT = """algorithm a
public late in {0, 1}
stream x in {0, 1}
model soon:   x ~ bernoulli(0.5), late ~ point(0)
model later:  x ~ bernoulli(0.5), late ~ point(1)
model either: x ~ bernoulli(0.5), late ~ bernoulli(0.25)
stop when x == 1 and late == 0 return one
stop when step >= 2 return two
"""


@pytest.mark.parametrize(("model", "one"), [("soon", 0.75), ("later", 0.0), ("either", 0.375 + 0.625 * 0.375)])
def test_the_law_is_that_of_the_program(model: str, one: float) -> None:
    """A stop in a step with chance 1/2, 0, and 3/8."""
    loaded = load(Source("a", TEXT))
    law = next(law for law in solve(loaded) if law.model == model)
    assert law.returns["one"] == pytest.approx(one, abs=1e-12)


def test_only_constants_are_put_in() -> None:
    program = load(Source("a", TEXT)).program
    assert known(program, "either") is program
    soon, later = known(program, "soon"), known(program, "later")
    assert soon.body != program.body and soon.body != later.body
    assert soon.models == program.models
