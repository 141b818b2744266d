"""The mixture of policies that keeps both errors at the least cost: a small linear program, and its prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from seqlang.designs.blocks.evaluation import Evaluation
from seqlang.designs.blocks.policy import Policy
from seqlang.designs.search.pricing import Prices
from seqlang.record import record


@record
class Column:
    """A policy with its evaluations under the null and the alternative; where it has ends for futility, `null.reject`
    is the chance to reject where they are not heeded. `costs`: of these the largest is minimised."""

    policy: Policy
    null: Evaluation
    alternative: Evaluation
    costs: tuple[float, ...]

    @property
    def cost(self) -> float:
        return max(self.costs)

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
    """None where no mixture of these columns keeps both errors. The last variable is the largest of the costs; what a
    unit more of each cost would add to it are their weights."""
    count, scale = len(columns), np.array(errors)[:, None]
    rates = np.array([c.errors for c in columns]).T / scale
    costs = np.array([c.costs for c in columns]).T
    limits = np.block([[rates, np.zeros((2, 1))], [costs, -np.ones((len(costs), 1))]])
    found = linprog(
        np.r_[np.zeros(count), 1.0], A_ub=limits, b_ub=np.r_[np.ones(2), np.zeros(len(costs))],
        A_eq=np.r_[np.ones(count), 0.0][None, :], b_eq=np.ones(1), bounds=(0, None), method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if found.status != 0 or found.x is None:
        return None
    duals = np.maximum(0.0, -np.asarray(found.ineqlin.marginals, dtype=float))
    null, alternative = (duals[:2] / scale[:, 0]).tolist()
    chances = np.maximum(0.0, np.asarray(found.x[:-1], dtype=float))
    weights = tuple((duals[2:] / duals[2:].sum()).tolist())
    return Mixture(tuple(chances.tolist()), float((costs @ chances).max()), Prices(null, alternative, weights))
