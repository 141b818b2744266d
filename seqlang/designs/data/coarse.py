"""About how many entries the best design expects, quickly: to compare ways to read an entry.

The value of the Lagrangian dual, on few block sizes and few log-odds: no mixture of policies with these sizes costs
less than V(prices) - prices * errors, for any prices of the two errors, and the largest of these is what the best
mixture costs (`pricing.py`, `search.py`)."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from seqlang.designs.blocks.blocks import Blocks, fixed_size
from seqlang.designs.problem.entry import Array
from seqlang.designs.search.pricing import Prices, Table, best_values, knots_for, stopping

KNOTS, SIZES, LARGEST = 0.2, 10, 200_000


def least_cost(blocks: Blocks) -> float:
    """In entries; infinite where no single block of up to LARGEST entries keeps both errors."""
    errors = blocks.problem.errors
    most = fixed_size(blocks, LARGEST)
    if most is None:
        return math.inf
    menu = sorted({int(m) for m in np.rint(np.geomspace(max(1, most // 30), most, SIZES))})
    if blocks.problem.privacy.notion == "none":
        menu = [1]
    knots = knots_for(math.log(1 / min(errors)) + 3, KNOTS)
    table = Table(blocks, menu, knots, knots)
    middle = len(knots) // 2

    def short(logs: Array) -> float:
        prices = Prices(most * math.exp(float(logs[0])), most * math.exp(float(logs[1])))
        doubled = Prices(2 * prices.null, 2 * prices.alternative)
        further = float(table.continued(best_values(table, doubled))[:, middle].min())
        least = min(further, 1 + float(stopping(doubled, np.zeros(1)).min()))
        return prices.null * errors[0] + prices.alternative * errors[1] - least

    start = -np.log(np.array(errors))
    simplex = start + np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])
    found = minimize(
        short, start, method="Nelder-Mead",
        options={"xatol": 1e-2, "fatol": 1e-4 * most, "maxfev": 60, "initial_simplex": simplex},
    )  # fmt: skip
    return -float(found.fun)
