"""The law of an increment against independent integration, and piecewise curves against plain evaluation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from elaborated import elaborated
from scipy import integrate, stats

from seqlang.backends.solve.mesh.increments import Constants, Increments, increments_of, pushed
from seqlang.backends.solve.mesh.piecewise_quadratic import IDENTITY, Curve, curve_of
from seqlang.backends.solve.noises.laws import law_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model import program as p

TEXT = """\
algorithm a
param A = 0.7
stream x in real
model null: x ~ {law}
model alternative: x ~ {other}
statistic s = sum({body} over steps)
stop when s >= 1
"""


def _program(body: str, law: str = "normal(-1, 1)", other: str = "normal(1, 1)") -> p.Program:
    return elaborated(TEXT.format(body=body, law=law, other=other))


def _body(program: p.Program) -> ir.Expression:
    return next(s.body for s in program.body if isinstance(s, p.Cell))


def _increments(body: str, law: str = "normal(-1, 1)", other: str = "normal(1, 1)") -> Increments:
    program = _program(body, law, other)
    return increments_of(program, "null", _body(program))


def _mass(found: Increments) -> float:
    return sum(c for _, c in found.atoms) + sum(float(q.chance(np.array(q.low), np.array(q.high))) for q in found.parts)


def test_clipped_log_ratio_of_normals() -> None:
    """The log ratio of N(1, 1) and N(-1, 1) is 2x, N(-2, 4) under the null."""
    found = _increments("clip(log(alternative.pdf(x) / null.pdf(x)), -A, A)")
    assert [v for v, _ in found.atoms] == pytest.approx([-0.7, 0.7], abs=1e-15)
    assert [c for _, c in found.atoms] == pytest.approx(
        [stats.norm(-2, 2).cdf(-0.7), stats.norm(-2, 2).sf(0.7)], rel=1e-14
    )
    (part,) = found.parts
    assert (part.low, part.high, part.sharp_low, part.sharp_high) == (-0.7, 0.7, True, True)
    at = np.linspace(-0.69, 0.69, 7)
    assert part.density(at) == pytest.approx(stats.norm(-2, 2).pdf(at), rel=1e-13)


def test_log_ratio_of_exponentials() -> None:
    """log of (e^(-x/2)/2) / e^-x = x/2 - log 2, x standard exponential."""
    found = _increments("log(alternative.pdf(x) / null.pdf(x))", "exponential(1)", "exponential(2)")
    (part,) = found.parts
    assert part.low == pytest.approx(-math.log(2), abs=1e-15)
    assert part.sharp_low and not part.sharp_high
    assert found.atoms == ()
    assert part.density(np.array([0.3])) == pytest.approx(2 * np.exp(-2 * (0.3 + math.log(2))), rel=1e-13)


BODIES = ["abs(x)", "max(x, 0.3) - 1", "min(2 * x, 1 - x)", "if x > 0.2 then 0.5 else -x", "clip(3 - x / 2, -1, 2.5)",
          "max(min(x, 1), -1, x / 4)", "if x > 1 or not x >= -1 then 2 * x else 1"]  # fmt: skip
LAWS = ["normal(0.4, 1.3)", "laplace(0.8)", "uniform(-2, 1.5)", "exponential(1.2)", "conditioned(normal(0, 1), -1, 2)"]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("law_text", LAWS)
def test_distribution_function(body: str, law_text: str) -> None:
    """P(increment <= y) against the mass of the data with f(x) <= y, summed on a fine grid of quantiles."""
    program = _program(body, law_text)
    found = increments_of(program, "null", _body(program))
    assert _mass(found) == pytest.approx(1, abs=1e-13)
    data = law_of(("normal", 0.4, 1.3)) if law_text.startswith("normal") else None
    constants = Constants(program)
    made = data if data is not None else _law(constants, program)
    assert made is not None
    curve = curve_of(_body(program), {ir.Field("x"): IDENTITY}, constants)
    grid = np.linspace(*made.effective_support(1e-7), 40_001)
    middle, mass = (grid[1:] + grid[:-1]) / 2, made.between(grid[:-1], grid[1:])
    values = np.array([curve(float(x)) for x in middle[2::4]])
    weights = np.add.reduceat(mass, np.arange(0, len(mass), 4))
    for y in (-1.237, -0.511, 0.0501, 0.7303, 1.93):
        assert float(found.below(np.array(y))) == pytest.approx(weights[values <= y].sum(), abs=1e-3)
        assert float(found.above(np.array(y))) == pytest.approx(1 - float(found.below(np.array(y))), abs=1e-13)
    total = sum(c for _, c in found.atoms)
    for part in found.parts:
        inside, _ = integrate.quad(lambda y, q=part: float(q.density(np.array(y))), part.low, part.high, limit=200)
        total += inside
    assert total == pytest.approx(1, abs=1e-9)


def _law(constants: Constants, program: p.Program) -> object:

    return law_of(constants(program.models[0].laws[0][1]))


def test_curves_are_the_functions() -> None:
    rng = np.random.default_rng(5)
    functions = {
        "abs(x)": abs,
        "max(x, 0.3) - 1": lambda x: max(x, 0.3) - 1,
        "min(2 * x, 1 - x)": lambda x: min(2 * x, 1 - x),
        "if x > 0.2 then 0.5 else -x": lambda x: 0.5 if x > 0.2 else -x,
        "clip(3 - x / 2, -1, 2.5)": lambda x: min(max(3 - x / 2, -1), 2.5),
        "x ^ 2 / 4 - abs(x - 1) * A": lambda x: x * x / 4 - abs(x - 1) * 0.7,
        "if x > 1 or not x >= -1 then 2 * x else 1": lambda x: 2 * x if x > 1 or x < -1 else 1,
    }
    for text, function in functions.items():
        program = _program(text)
        curve = curve_of(_body(program), {ir.Field("x"): IDENTITY}, Constants(program))
        for x in rng.normal(0, 3, 50):
            assert curve(float(x)) == pytest.approx(function(float(x)), abs=1e-12)


def test_points_of_a_discrete_law() -> None:
    found = _increments("2 * x - 1", "bernoulli(0.3)", "bernoulli(0.7)")
    assert found.atoms == ((-1.0, pytest.approx(0.7)), (1.0, pytest.approx(0.3)))
    assert found.parts == ()


def test_roots_at_jumps() -> None:
    step = Curve((0.0,), ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    assert step.roots() == (0.0,)


@pytest.mark.parametrize("body", ["x ^ 2", "exp(x)", "x * x * x", "floor(x)"])
def test_what_is_not_piecewise_affine(body: str) -> None:
    with pytest.raises(Unsolved):
        _increments(body)


def test_no_value_on_a_part_of_the_data() -> None:
    with pytest.raises(Unsolved, match="no value"):
        _increments("log(alternative.pdf(x) / null.pdf(x))", "laplace(1)", "exponential(1)")


def test_an_atom_of_a_clipped_law() -> None:
    made = law_of(("normal", 0.0, 1.0))
    assert made is not None
    found = pushed(made, Curve((1.0,), ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))))
    assert found.atoms == ((1.0, pytest.approx(stats.norm.sf(1), rel=1e-13)),)
    assert found.edges == (1.0,)
