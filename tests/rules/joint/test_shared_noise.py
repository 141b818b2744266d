"""Numbers that share noises: bounds by hand, combinations that noise does not hide, a lattice by enumeration."""

from __future__ import annotations

from itertools import product
from math import inf, log

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program


def proved(*lines: str) -> tuple[Program, Bounds]:
    made = elaborated("\n".join(("algorithm t", *lines)))
    return made, prove(made)


def pure(*lines: str) -> float:
    made, found = proved(*lines)
    return inf if found.pure is None else size_of(made, found.pure)


DATA = (
    "dataset x in [0, 1], y in [0, 2] size 50",
    "statistic a = sum(x)",
    "statistic b = sum(y)",
    "statistic c = sum(x)",
)
SHOWN = ("report u = a", "report v = b", "stop")
TWO = ("draw z ~ laplace(4)", "draw w ~ laplace(8)")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # a + z, b + w + z: z moves by 1 with a, w by |2| + |1|
        ((*TWO, "attach z to a", "attach w + z to b", *SHOWN), 1 / 4 + (1 + 2) / 8),
        # a + z + w, b + z - w: each noise moves by half of both
        ((*TWO, "attach z + w to a", "attach z - w to b", *SHOWN), (1 + 2) / 2 / 4 + (1 + 2) / 2 / 8),
        # two numbers that move alike: the second one tells nothing
        ((*TWO, "attach z to a, c", "report u = a", "report v = c", "stop"), 1 / 4),
        (("statistic d = 2 * sum(x)", *TWO, "attach z to a", "attach 2 * z to d", "report u = a", "report v = d",
          "stop"), 1 / 4),
        # the noise cancels
        ((*TWO, "attach z to a, b", *SHOWN), inf),
        ((*TWO, "attach z to a", "attach -z to c", "report u = a", "report v = c", "stop"), inf),
        # one draw for several steps; new draws for each of them
        (("draw z ~ laplace(4) once", "draw w ~ laplace(8)", "attach z to a", "attach w + z to b", *SHOWN[:2],
          "stop when step >= 3"), inf),
        ((*TWO, "attach z to a", "attach w + z to b", *SHOWN[:2], "stop when step >= 3"), 3 * (1 / 4 + 3 / 8)),
        # shown under different conditions: counted in every step
        ((*TWO, "attach z to a", "attach w + z to b", "report u = a when step == 2", "report v = b",
          "stop when step >= 3"), 3 * (1 / 4 + 3 / 8)),
        # other noise hides nothing here
        (("draw z ~ gaussian(4)", "draw w ~ laplace(8)", "attach z to a", "attach w + z to b", *SHOWN), inf),
    ],
)  # fmt: skip
def test_bounds(lines: tuple[str, ...], expected: float) -> None:
    assert pure(*DATA, *lines) == (inf if expected == inf else pytest.approx(expected))


def test_the_reason_names_what_is_bare() -> None:
    _, found = proved(*DATA, *TWO, "attach z to a", "attach -2 * z to b", *SHOWN)
    assert any("2 u + v is shown without noise" in goal for goal in found.open_goals)


def test_moves_that_a_lattice_confirms() -> None:
    """u = a + z, v = b + z + w with noise on a fine lattice: the worst ratio over outcomes equals the bound."""
    step, scale_z, scale_w = 0.25, 4.0, 8.0

    def density(dz: float, dw: float) -> float:
        return -abs(dz) / scale_z - abs(dw) / scale_w

    worst = 0.0
    for da, db in product((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0)):
        for z, w in product(np.arange(-8, 8, step), repeat=2):
            # the same outcome on the neighbour needs z - da and w - db + da
            worst = max(worst, density(z, w) - density(z - da, w - db + da))
    bound = pure(*DATA, *TWO, "attach z to a", "attach w + z to b", *SHOWN)
    assert worst == pytest.approx(bound)
    assert bound < log(2)
