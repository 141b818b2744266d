"""Planes at which the quadrature is split: found on small programs, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from law_oracle import Case, Check, Noise, exact_table

from seqlang import driver
from seqlang.backends.solve.quadrature.first_step_kinks import LATER_STEPS, MOST, first_step_kinks
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.step.integration_plan import integration_plan
from seqlang.model.program import Program
from seqlang.source import Source

STEPS = ((-1.0, 0.3), (1.0, 0.7))


def program_of(case: Case) -> Program:
    program = driver.load(Source("case.seq", case.text())).program
    assert program is not None
    return program


def case_of(fresh: Noise, data: tuple[tuple[float, float], ...] = STEPS) -> Case:
    noises = {"z": Noise("gaussian", (2.0,), "once"), "w": fresh}
    check = Check("sum(x over steps)", ">=", 2.0, (("z", -1.0), ("w", 2.0)))
    return Case(data, noises, ((check, "high"),), 4)


def found(case: Case) -> list[float]:
    """Where z splits."""
    program = program_of(case)
    planes = first_step_kinks(program, integration_plan(program))
    assert all(set(p.factors) == {"z"} and len(planes) <= MOST[1] for p in planes)
    return sorted(-p.constant / p.factors["z"] for p in planes)


def test_a_smooth_noise_has_none() -> None:
    assert found(case_of(Noise("gaussian", (1.0,)))) == []


def test_a_laplace_noise_bends_at_the_plain_values() -> None:
    # s - 2 - z = 0 for the values s that the walk can have, at least those of the first steps
    places = found(case_of(Noise("laplace", (1.0,))))
    assert set(places) <= {s - 2.0 for s in range(-LATER_STEPS, LATER_STEPS + 1)}
    assert {s - 2.0 for s in range(-3, 4)} <= set(places)


def test_a_lattice_noise_jumps_at_its_points() -> None:
    # s - 2 - z + 2 w = 0 with integers s and w
    places = found(case_of(Noise("geometric", (0.5,)), ((0.0, 0.5), (2.0, 0.5))))
    assert set(places) <= set(np.arange(-100.0, 101.0, 2))
    assert {-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0} <= set(places)


@pytest.mark.parametrize("fresh", [
    Noise("geometric", (0.4,)), Noise("laplace", (0.7,)), Noise("exponential", (0.8,)),
    Noise("conditioned", (("laplace", 1.0), -1.25, 1.0)), Noise("weights", (((0, 1), (1, 3)),)),
])  # fmt: skip
def test_full_accuracy_where_chances_jump_or_bend(fresh: Noise) -> None:
    case = case_of(fresh)
    solution = solve(program_of(case), "m")
    assert solution.error < 1e-9
    expected = exact_table(case)
    for k, outcome in enumerate(case.outcomes):
        np.testing.assert_allclose(solution.table[:, solution.outcomes.index(outcome)], expected[:, k], atol=1e-11)
