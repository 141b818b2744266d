"""What a public coin hides and what it saves: the figures given each plan, and the best design without a coin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from seqlang.designs.design import Design
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.problem import Problem
from seqlang.record import replace
from seqlang.results.design import SIDES, PlanFigures, WithoutCoin


def plans_of(design: Design) -> Iterator[PlanFigures]:
    """One for each face of the coin. The errors of the design are the means of theirs."""
    for chance, column in zip(design.chances, design.columns, strict=True):
        steps = (column.null.steps, column.alternative.steps)
        yield PlanFigures(
            float(chance), dict(zip(SIDES, column.errors, strict=True)), dict(zip(SIDES, steps, strict=True))
        )


def without_coin(problem: Problem, design_for: Callable[[Problem], Design]) -> WithoutCoin | str:
    """The cheapest single schedule that the search meets and that keeps both errors, or why there is none. No proof
    says that no other is cheaper; the bound on all mixtures of its kind bounds it too."""
    try:
        found = design_for(replace(problem, public_coin=False))
    except Infeasible as why:
        return str(why)
    (plan,) = plans_of(found)
    return WithoutCoin(found.cost, plan.errors, plan.expected_steps)
