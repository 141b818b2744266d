"""IntegrationPlan of noises, and tables of chances against formulas written out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from elaborated import elaborated
from scipy import stats

from seqlang.backends.solve.quadrature.grid import first_level, grid_of, kinks_of
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, integration_plan
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program

HEAD = 'algorithm small "small"\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.3)\n'
ENDS = (
    "param A = 2\nparam B = 1\nstatistic s = sum(x over steps)\n"
    "stop when s >= A return hi\nstop when s <= -B return lo\n"
)
ROWS = np.array([-3.0, -1.0, 0.0, 1.5, 4.0])


def program(body: str) -> Program:
    return elaborated(HEAD + body)


def roles(body: str) -> IntegrationPlan:
    return integration_plan(program(body))


def chances(body: str, level: int = 4) -> tuple[Chances, str]:
    made = program(body)
    found = integration_plan(made)
    grid = grid_of(made, found, first_level(found) + level)
    cell = next(name for name in found.needed.names if any(getattr(s, "name", "") == name and hasattr(s, "keep")
                                                            for s in made.body))  # fmt: skip
    return Chances(made, found, grid), cell


def averaged(body: str, step: int = 1, level: int = 4) -> np.ndarray:
    """(stops + 1, rows): over the nodes."""
    made, cell = chances(body, level)
    return np.einsum("str,t->sr", made.table(step, Environment(step, {cell: ROWS})), made.grid.weights)


@pytest.mark.parametrize(
    "attached, nodes, inner, variables, simple",
    [
        ("", (), (), 0, True),
        ("attach gaussian(1) to s\n", (), (), 1, True),
        ("attach gaussian(1) to A, B\n", (), (), 2, True),
        ("attach gaussian(1) to A, B once\n", (), (), 2, False),
        ("attach gaussian(1) to A, B once\nattach laplace(1) to s\n", ("A.once", "B.once"), (), 1, True),
        ("attach gaussian(1) to A, B\nattach laplace(1) to s\n", (), ("s.step",), 2, True),
        ("attach gaussian(1) to A\nattach laplace(1) to A\n", (), (), 1, True),
        ("attach gaussian(1) to A\nattach laplace(1) to B\nattach laplace(2) to s\n", (), ("s.step",), 2, True),
        ("attach gaussian(1) to A\nattach laplace(2) to s\n", (), ("A.step",), 1, True),
        ("draw z ~ laplace(1) once\nattach z to A\nattach -z to B\n", (), (), 1, False),
    ],
)
def test_roles(attached: str, nodes: tuple[str, ...], inner: tuple[str, ...], variables: int, simple: bool) -> None:
    found = roles(ENDS + attached)
    assert sorted(found.nodes) == sorted(nodes)
    assert (found.inner, len(found.variables), found.simple) == (inner, variables, simple)


def test_a_noise_that_cancels_has_no_part() -> None:
    found = roles("statistic s = sum(x over steps)\nstop when s + z >= 1 + z + s / 2\ndraw z ~ laplace(1)\n")
    assert not found.variables and not found.nodes


def test_a_density_that_is_read_as_a_value() -> None:
    with pytest.raises(Unsolved, match="read as a value"):
        roles("stop when sum(x over steps) >= 1\nattach laplace(1) to x\n")


def test_kinks_where_drawn_ends_cross() -> None:
    made = program(ENDS + "attach gaussian(1) to A, B once\nattach laplace(1) to s\n")
    (kink,) = (k for k in kinks_of(made, integration_plan(made)) if len(k.factors) == 2)
    scale = kink.factors["A.once"]
    assert kink.factors["B.once"] == pytest.approx(scale)  # A + z_A = -(B + z_B)
    assert kink.constant == pytest.approx(3 * scale)


def test_no_noise() -> None:
    assert averaged(ENDS).tolist() == [[0, 0, 0, 0, 1], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0]]


def test_one_fresh_noise_for_both_ends() -> None:
    found = averaged(ENDS + "attach laplace(0.7) to s\n")
    hi, lo = stats.laplace.sf(2 - ROWS, scale=0.7), stats.laplace.cdf(-1 - ROWS, scale=0.7)
    np.testing.assert_allclose(found, [hi, lo, 1 - hi - lo], atol=1e-15)


def test_a_noise_for_each_end_and_the_first_wins() -> None:
    found = averaged(ENDS + "attach laplace(0.7) to A\nattach gaussian(2) to B\n")
    hi, lo = stats.laplace.sf(2 - ROWS, scale=0.7), stats.norm.cdf(-1 - ROWS, scale=2)
    np.testing.assert_allclose(found, [hi, (1 - hi) * lo, (1 - hi) * (1 - lo)], atol=1e-15)


def test_once_noises_are_averaged_over_nodes() -> None:
    found = averaged(ENDS + "attach gaussian(0.6) to A once\nattach gaussian(0.8) to s\nattach gaussian(3) to B\n")
    np.testing.assert_allclose(found[0], stats.norm.cdf(ROWS - 2, scale=1.0), atol=1e-12)


def test_two_noises_on_one_name_add_up() -> None:
    found = averaged(ENDS + "attach gaussian(3) to A\nattach gaussian(4) to A\n")
    np.testing.assert_allclose(found[0], stats.norm.cdf(ROWS - 2, scale=5), atol=1e-15)


def test_ends_that_move_with_the_step() -> None:
    body = ENDS.replace("s >= A", "s >= A + step / 2") + "attach gaussian(1) to s\n"
    made, cell = chances(body)
    assert not made.time_invariant
    for step in (1, 5):
        table = made.table(step, Environment(step, {cell: ROWS}))[:, 0]
        np.testing.assert_allclose(table[0], stats.norm.cdf(ROWS - 2 - step / 2), atol=1e-15)
    steps = np.array([1, 5, 5, 1, 2])
    table = made.table(steps, Environment(steps, {cell: ROWS}))[:, 0]
    np.testing.assert_allclose(table[0], stats.norm.cdf(ROWS - 2 - steps / 2), atol=1e-15)


def test_logic_falls_into_disjoint_cases() -> None:
    body = (
        "param A = 2\nparam B = 1\nstatistic s = sum(x over steps)\nstop when s >= A and not s <= B or step >= 3\n"
        "attach laplace(0.7) to A\nattach gaussian(2) to B\n"
    )
    first, second = stats.laplace.cdf(ROWS - 2, scale=0.7), stats.norm.cdf(ROWS - 1, scale=2)
    np.testing.assert_allclose(averaged(body)[0], first * second, atol=1e-15)
    np.testing.assert_allclose(averaged(body, 3)[0], np.ones(5), atol=1e-15)


@pytest.mark.parametrize("compare, strict", [(">=", False), (">", True)])
def test_discrete_noise_on_a_tie(compare: str, strict: bool) -> None:
    body = f"statistic s = sum(0.1 * x over steps) * 10\nstop when s {compare} 2\nattach geometric(0.5) to s\n"
    made, cell = chances(body)
    wobble = np.array([0.1 + 0.2 - 1e-17, 0.30000000000000004, 0.3])  # all 0.3
    found = made.table(1, Environment(1, {cell: wobble}))[0, 0]
    least = 0 if strict else -1  # 3 + k >= 2, > 2
    expected = sum((1 / 3) * 0.5 ** abs(k) for k in range(least, 60))
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_flips_of_the_return_mix_outcomes() -> None:
    made, _ = chances(ENDS + "attach randomized_response(0.9) to return\n")
    assert made.outcomes == ("hi", "lo")
    np.testing.assert_allclose(made.mixing, [[0.9, 0.1], [0.1, 0.9]])
