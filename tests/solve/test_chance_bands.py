"""The chances of the stops that a density on panels keeps for later steps: as few as the mass needs, and the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.backends.solve.mesh.mesh_chain import Mesh, mesh_for
from seqlang.backends.solve.quadrature.grid import first_level, grid_of
from seqlang.backends.solve.step.integration_plan import integration_plan
from seqlang.backends.solve.stops.chances import Chances


def _chain(path: Path, model: str, rare: float = 0.0) -> Mesh:
    program = elaborated(path.read_text())
    plan = integration_plan(program)
    grid = grid_of(program, plan, first_level(plan))
    return mesh_for(program, model, plan, grid, 0, rare=rare)


def test_a_long_way_costs_no_more_chances_than_mass(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mass of the runs that wait for a far threshold walks over many periods, and only a few nodes go on. The
    chances that are computed in all steps are fewer than the masses that are moved, and no table holds the whole way.
    """
    sizes: list[int] = []
    for name in ("table", "paired"):
        plain = getattr(Chances, name)

        def counted(self: Chances, *arguments: Any, plain: Any = plain) -> Any:
            found = plain(self, *arguments)
            sizes.append(found.size)
            return found

        monkeypatch.setattr(Chances, name, counted)
    chain = _chain(specs / "tight" / "one_sided.seq", "half")
    frontier: Any = chain.begin()
    moved = []
    for _ in range(400):
        frontier, _ = chain.advance(frontier)
        moved.append(frontier.mass.size)
    assert len(sizes) > 5  # tables serve several steps, and are made anew
    assert sum(sizes) <= sum(moved) / 4
    assert max(sizes) <= 4 * max(moved)


@pytest.mark.parametrize(
    ("name", "model", "rare"), [("one_sided", "half", 0.0), ("two_sided", "centred", 0.9), ("cusum", "quiet", 0.1)]
)
def test_kept_chances_are_those_of_the_step(specs: Path, name: str, model: str, rare: float) -> None:
    """The chain that keeps tables, also when it begins again and an entry is forced, against one that makes the table
    of each step."""
    kept, fresh = (_chain(specs / "tight" / f"{name}.seq", model, rare) for _ in range(2))
    fresh.bands.fixed = False
    for forced in (None, 3):
        one: Any = kept.begin()
        other: Any = fresh.begin()
        for step in range(1, 41):
            entry = {"x": 0.25} if step == forced else None
            one, stopped = kept.advance(one, entry)
            other, expected = fresh.advance(other, entry)
            assert stopped.by_outcome == pytest.approx(np.asarray(expected.by_outcome), abs=1e-15)
