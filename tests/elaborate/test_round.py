"""`round(x)` is floor(x + 1/2): to the nearest whole number, halves upwards."""

from __future__ import annotations

import pytest

import seqlang

SPEC = """algorithm rounded
param eps > 0 = 1
param p in real = 2.5
let limit = round(p)
stream x in [-2, 2]
model even: x ~ uniform({-1.5, -0.5, 0.5, 1.2})
statistic total = sum(round(x) over steps)
stop when step >= limit return total
attach laplace(4 / eps) to total
"""


@pytest.mark.parametrize(("value", "nearest"), [(2.5, 3), (2.49, 2), (3.5, 4), (1, 1), ("5/2", 3)])
def test_constants(value: float | str, nearest: int) -> None:
    run = seqlang.start(SPEC, p=value, seed=1)
    steps = 1
    while not run.step(x=0).stopped:
        steps += 1
    assert steps == nearest


@pytest.mark.parametrize(
    ("x", "nearest"), [(-1.5, -1), (-0.5, 0), (0.5, 1), (1.2, 1), (-0.51, -1), (1.49, 1), (1.5, 2)]
)
def test_of_data(x: float, nearest: int) -> None:
    plain = SPEC.replace("attach laplace(4 / eps) to total\n", "")
    assert seqlang.start(plain, p=1).step(x=x).result == nearest
    fixed = plain.replace("uniform({-1.5, -0.5, 0.5, 1.2})", f"point({x})")
    assert seqlang.run(fixed, runs=5)[0].samples.values.tolist() == [3 * nearest] * 5


def test_bounds_and_laws_know_it() -> None:
    """Entries of [-2, 2] are rounded to -2 .. 2: one moves the sum by at most 4; a law on few values is exact."""
    assert seqlang.check(SPEC).to_dict()["strong"]["pure"]["upper"] == pytest.approx(1)
    plain = SPEC.replace("attach laplace(4 / eps) to total\n", "").replace("return total", "return ends")
    early = plain.replace("stop when step", "stop when total >= 2 return high\nstop when step")
    law = seqlang.solve(early)[0]
    # Of three entries -1, 0, 1 with chances 1/4, 1/4, 1/2: 1 1 at once, or one of 1 0, 0 1 and then 1.
    assert law.returns["high"] == pytest.approx(1 / 4 + 2 / 8 * 1 / 2)


def test_the_name_is_the_languages() -> None:
    with pytest.raises(seqlang.SpecError, match="`round` is a name of the language"):
        seqlang.load(SPEC.replace("stream x", "let round(v) = 7 * v\nstream x"))
