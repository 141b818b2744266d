"""What all statements of one explored chain share: the program as it was compiled, and the nodes of its noises."""

from __future__ import annotations

from collections.abc import Mapping

from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.states.enumerated_noises import EnumeratedNoises
from seqlang.backends.solve.states.returned import Returned
from seqlang.backends.solve.states.tabulated_densities import TabledCompiler
from seqlang.backends.solve.step.comparisons import Known
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record

MOST_NUMBERS = 60_000_000
"""Numbers (theta * rows) held at once: comparison a gigabyte. Where there would be more, the exploration is given
up."""


@record
class Setting:
    """`known` has what is known of the persistent noises at each node. `laws` are those of the variables on
    which the gates put bounds, by name."""

    plan: IntegrationPlan
    grid: Grid
    compiler: TabledCompiler
    noises: EnumeratedNoises
    returned: Returned
    known: Known
    laws: Mapping[str, ScalarLaw]

    def check_size(self, rows: int) -> None:
        """Raises Unsolved where so many rows are more than can be held at once."""
        if rows * len(self.grid.weights) > MOST_NUMBERS:
            raise Unsolved(f"more than {MOST_NUMBERS // len(self.grid.weights)} states at once")
