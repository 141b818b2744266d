"""The mixture of policies that keeps both errors at the least cost: a small linear program, and its prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from seqlang.design.evaluation import Evaluation
from seqlang.design.policy import Policy
from seqlang.design.pricing import Prices
from seqlang.record import record


@record
class Column:
    """A policy with its evaluations under the null and the alternative. `cost` is what is minimised."""

    policy: Policy
    null: Evaluation
    alternative: Evaluation
    cost: float

    @property
    def errors(self) -> tuple[float, float]:
        return self.null.reject, self.alternative.accept


@record
class Mixture:
    """`chances` of the columns; what one more unit of each error would save are the prices."""

    chances: tuple[float, ...]
    cost: float
    prices: Prices


def best_mixture(columns: Sequence[Column], errors: tuple[float, float]) -> Mixture | None:
    """None where no mixture of these columns keeps both errors."""
    scale = np.array(errors)[:, None]
    rates = np.array([c.errors for c in columns]).T / scale
    found = linprog(
        np.array([c.cost for c in columns]), A_ub=rates, b_ub=np.ones(2),
        A_eq=np.ones((1, len(columns))), b_eq=np.ones(1), bounds=(0, None), method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.status != 0 or found.x is None:
        return None
    null, alternative = np.maximum(0.0, -np.asarray(found.ineqlin.marginals, dtype=float) / scale[:, 0]).tolist()
    chances = tuple(np.maximum(0.0, np.asarray(found.x, dtype=float)).tolist())
    cost = sum(x * c.cost for x, c in zip(chances, columns, strict=True))
    return Mixture(chances, cost, Prices(null, alternative))
