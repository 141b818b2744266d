"""The rest of a walk on a lattice in closed form: linear equations instead of steps.

Where nothing depends on the step, the mass x of those who have not stopped moves by one matrix: x' = A x, with
A[w', w] = survival(w') * P(an entry adds w' - w). The expected numbers of visits V = x + A x + A^2 x + .. solve
(I - A) V = x, and give the chance of each stop, the expected further steps (the sum of V) and their squares
(W = x + 2 A x + 3 A^2 x + .. solves (I - A) W = V); see `tail_after`.
"""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.lattice.chance_tables import Tables
from seqlang.backends.solve.lattice.increments import Lattice
from seqlang.backends.solve.solution import Array, Tail, tail_after

STATES = 10_000
"""Points of the lattice that are treated as states; where more would be needed, the chain goes on step by step."""
NUMBERS = 3_000_000
"""Numbers in three arrays over states and nodes."""
OPERATIONS = 100_000
"""States times the band of the equations, each an operation on all nodes."""


def linear_tail(
    lattice: Lattice,
    atoms: tuple[tuple[int, float], ...],
    tables: Tables,
    step: int,
    low: int,
    mass: Array,
    allowed: float,
) -> Tail | None:
    """The law after `step`; None where too many states can be reached, or some runs never stop.

    The states are an interval around the band. Mass that leaves it is lost from the law, and the interval is widened
    until that is less than `allowed`.
    """
    numerator, denominator = lattice.numerator or 0, lattice.denominator
    moves = [(numerator + denominator * shift, chance) for shift, chance in atoms]
    rows, theta = mass.shape
    start = numerator * step + denominator * low
    end = start + denominator * (rows - 1)
    down, up = max(0, -min(m for m, _ in moves)), max(0, max(m for m, _ in moves))
    room = 4 * (up + down) + (end - start) // 8
    first, last = start - room * (down > 0), end + room * (up > 0)
    total = float(mass.sum())
    while last - first <= STATES and (last - first) * theta * 3 <= NUMBERS and (last - first) * up <= OPERATIONS:
        table = tables.over(first, last)
        left = np.zeros((last - first + 1, theta))
        left[start - first : end - first + 1 : denominator] = mass
        with np.errstate(all="ignore"):
            equations = _Equations(table[-1], moves)
            visits = equations.solve(left)
            below, above = _leaving(visits, moves)
        if not np.isfinite(below + above) or visits.min() < -1e-9 * total:
            return None
        if below <= allowed and above <= allowed:
            return _law(equations, moves, table, visits, step, mass)
        room *= 2
        first, last = first - room * (below > allowed), last + room * (above > allowed)
    return None


def _law(
    equations: _Equations, moves: list[tuple[int, float]], table: Array, visits: Array, step: int, mass: Array
) -> Tail | None:
    twice = equations.solve(visits)
    arrivals = np.zeros_like(visits)
    for move, chance in moves:
        _add_shifted(arrivals, visits, move, chance)
    outcomes = np.einsum("srt,rt->st", table[:-1], arrivals).sum(axis=1)
    total = float(mass.sum())
    below, above = _leaving(visits, moves)
    balance = abs(float(outcomes.sum()) + below + above - total)
    if not np.isfinite(balance) or balance > 1e-10 * total:
        return None
    return tail_after(step, mass.sum(axis=0), visits.sum(axis=0), twice.sum(axis=0), outcomes)


def _leaving(visits: Array, moves: list[tuple[int, float]]) -> tuple[float, float]:
    """Mass that steps below and above the interval."""
    at = visits.sum(axis=1)
    below = sum(chance * float(at[:-move].sum()) for move, chance in moves if move < 0)
    above = sum(chance * float(at[len(at) - move :].sum()) for move, chance in moves if move > 0)
    return below, above


def _add_shifted(total: Array, part: Array, move: int, chance: float) -> None:
    if move > 0:
        total[move:] += chance * part[:-move]
    elif move < 0:
        total[:move] += chance * part[-move:]
    else:
        total += chance * part


class _Equations:
    """(I - A) V = right for many right sides, by elimination in the band and for all nodes at once. Columns of A sum to
    at most 1, so no pivoting is needed. (A library's dense solver starts threads, which cost more than they save.)"""

    def __init__(self, survival: Array, moves: list[tuple[int, float]]) -> None:
        size, theta = survival.shape
        self.above, self.below = max(0, -min(m for m, _ in moves)), max(0, max(m for m, _ in moves))
        self.size = size
        rows = np.zeros((size, self.above + self.below + 1, theta))  # [i, below + d]: entry (i, i + d)
        rows[:, self.below] = 1.0
        for move, chance in moves:  # row w, column w - move
            to = np.arange(max(0, move), size + min(0, move))
            rows[to, self.below - move] -= survival[to] * chance
        self.rows = rows
        below, above = self.below, self.above
        for j in range(size - 1):
            pivot = rows[j, below]
            right = rows[j, below + 1 :]
            for i in range(j + 1, min(j + below, size - 1) + 1):
                row = rows[i]
                at = j - i + below
                factor = row[at] / pivot
                row[at] = factor
                if above:
                    row[at + 1 : at + 1 + above] -= factor * right

    def solve(self, right: Array) -> Array:
        """(size, theta) for a right side (size, theta)."""
        found = right.copy()
        rows, below, above, size = self.rows, self.below, self.above, self.size
        for i in range(1, size):
            for at in range(max(0, below - i), below):
                found[i] -= rows[i, at] * found[i - below + at]
        for i in range(size - 1, -1, -1):
            for d in range(1, min(above, size - 1 - i) + 1):
                found[i] -= rows[i, below + d] * found[i + d]
            found[i] /= rows[i, below]
        return found
