"""The best single schedule, where no public coin may be thrown: policies near the prices of the best mixture, with
boundaries moved outwards until both errors hold."""

from __future__ import annotations

from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.search.master import Column
from seqlang.designs.search.search import Found, Search
from seqlang.process.time_limit import over
from seqlang.record import replace

SCALES = (0.8, 0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1, 1.2, 1.3)
"""Multiples of the prices at which further policies are asked for."""
TRIED = 16
"""Policies, the best at the prices of the mixture, of which the boundaries are moved."""
FURTHEST = 1.5
"""Log-odds by which a boundary is moved at most."""
PASSES, SMALL = 6, 1e-4
"""Times that each boundary may be moved inwards, by a score each, while a pass saves more than this part."""


def best_single(search: Search, found: Found) -> Column | None:
    """The cheapest policy that was met and keeps both errors; None where there is none."""
    prices = found.mixture.prices
    for one in SCALES:
        if over():
            break
        for other in (one,) if search.blocks.problem.symmetric else SCALES[::2]:
            search.add_best(replace(prices, null=prices.null * one, alternative=prices.alternative * other))

    def lagrangian(column: Column) -> float:
        return column.cost + prices.null * column.errors[0] + prices.alternative * column.errors[1]

    near = sorted(search.columns, key=lagrangian)[:TRIED]
    kept = [wide for column in near if (wide := _widened(search, column)) is not None]
    best = min(kept, key=lambda c: c.cost, default=None)
    return None if best is None else _tightened(search, best)


def _widened(search: Search, column: Column) -> Column | None:
    """The policy with its boundaries just so far out that both errors hold; None where that takes too long."""
    steps = int(FURTHEST / search.lattice)
    for _ in range(2 * steps):
        excess = [e - a for e, a in zip(column.errors, search.errors, strict=True)]
        if max(excess) <= 0:
            return column
        policy = column.policy
        if policy.at_once is not None:
            return None
        up, down = (1, 1) if search.blocks.problem.symmetric else (int(excess[0] > 0), int(excess[1] > 0))
        column = search.column(_moved(policy, up, down))
    return None


def _tightened(search: Search, column: Column) -> Column:
    """The policy with single boundaries moved inwards by a score while both errors hold and less is expected: where
    there is a boundary for each time, moving all of them by one may give away much of an error."""
    policy = column.policy
    if not policy.ends or policy.ignoring is not None:
        return column
    ends = ((1, 1),) if search.blocks.problem.symmetric else ((0, 1), (1, 0)) if policy.floor is None else ((0, 1),)
    for _ in range(PASSES):
        before = column.cost
        for place in range(len(policy.rows)):
            for low, high in ends:
                rows = list(column.policy.rows)
                rows[place] = row = _narrower(rows[place], low, high)
                if not row.sizes or (row.used == 0 and not row.low <= 0 <= row.high):
                    continue
                tried = search.column(replace(column.policy, rows=tuple(rows)))
                if tried.cost < column.cost and all(e <= a for e, a in zip(tried.errors, search.errors, strict=True)):
                    column = tried
        if column.cost > before * (1 - SMALL) or over():
            break
    return column


def _narrower(row: Row, low: int, high: int) -> Row:
    """The row without so many scores at both ends."""
    return Row(row.used, row.low + low, row.sizes[low : len(row.sizes) - high])


def _moved(policy: Policy, up: int, down: int) -> Policy:
    """The policy with its boundaries further out, by so many scores; no score has a floor below it."""
    if policy.ignoring is not None:
        ignoring = _moved(policy.ignoring, up, 0)
        rows = [_trimmed(*pair, down) for pair in zip(ignoring.rows, policy.rows, strict=True)]
        return replace(policy, rows=tuple(rows), ignoring=ignoring)
    down = down if policy.floor is None else 0
    rows = [
        Row(row.used, row.low - down, (*([row.sizes[0]] * down), *row.sizes, *([row.sizes[-1]] * up)))
        if row.sizes
        else row
        for row in policy.rows
    ]
    return replace(policy, rows=tuple(rows))


def _trimmed(whole: Row, row: Row, down: int) -> Row:
    """The row without the scores that end for futility, so many fewer than before."""
    if not whole.sizes:
        return row
    low = max(whole.low, row.low - down) if row.sizes else whole.high + 1
    return Row(row.used, low, whole.sizes[low - whole.low :])
