"""Small linear programs over the rationals, solved exactly: minimise c.x subject to A x >= b, x >= 0.

The simplex method in two phases with Bland's rule (it cannot cycle), on a tableau of whole numbers over one common
denominator (Edmonds; Bareiss 1968): pivoting divides without remainder, so nothing is ever rounded or reduced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import Literal

from seqlang.record import mutable_record, record

Rational = Fraction | int
Matrix = Sequence[Sequence[Rational]]


@record
class Solution:
    """If `status` is optimal: the value, x, and the multipliers `duals` >= 0 (A^T duals <= c, b.duals = value)."""

    status: Literal["optimal", "infeasible", "unbounded"]
    value: Fraction | None = None
    x: tuple[Fraction, ...] = ()
    duals: tuple[Fraction, ...] = ()


@mutable_record
class _Tableau:
    """rows[i] . (columns, right side) = 0 in units of 1/denominator; basis[i] is the variable of row i."""

    rows: list[list[int]]
    basis: list[int]
    denominator: int

    def pivot(self, row: int, column: int, costs: Sequence[list[int]] = ()) -> None:
        """The variable of `column` enters in `row`; `costs` are further rows to be carried along."""
        pivot_row = self.rows[row]
        pivot = pivot_row[column]
        if pivot < 0:
            pivot_row[:] = [-entry for entry in pivot_row]
            pivot = -pivot
        for other in (*self.rows, *costs):
            if other is not pivot_row:
                factor = other[column]
                other[:] = [
                    (entry * pivot - factor * above) // self.denominator
                    for entry, above in zip(other, pivot_row, strict=True)
                ]
        self.denominator = pivot
        self.basis[row] = column


def minimise(costs: Sequence[Rational], matrix: Matrix, right: Sequence[Rational]) -> Solution:
    """min costs.x subject to matrix x >= right, x >= 0."""
    n, m = len(costs), len(matrix)
    started = _feasible(matrix, right, n)
    if started is None:
        return Solution("infeasible")
    tableau, scales = started
    scale = lcm(*(Fraction(c).denominator for c in costs), 1)
    objective = [int(Fraction(c) * scale) for c in costs] + [0] * (m + 1)
    reduced = [entry * tableau.denominator for entry in objective]
    for row, variable in zip(tableau.rows, tableau.basis, strict=True):
        if objective[variable]:
            reduced = [entry - objective[variable] * above for entry, above in zip(reduced, row, strict=True)]
    if not _optimise(tableau, reduced):
        return Solution("unbounded")
    unit = tableau.denominator * scale
    # the reduced cost of a surplus variable is the multiplier of its (scaled) row
    duals = tuple(Fraction(reduced[n + i] * scales[i], unit) for i in range(m))
    return Solution("optimal", Fraction(-reduced[-1], unit), _point(tableau, n), duals)


def _feasible(matrix: Matrix, right: Sequence[Rational], n: int) -> tuple[_Tableau, list[int]] | None:
    """A feasible basis of matrix x - surplus = right, and by how much each row was scaled. None if there is none."""
    m = len(matrix)
    scales = [
        lcm(*(Fraction(a).denominator for a in row), Fraction(b).denominator)
        for row, b in zip(matrix, right, strict=True)
    ]
    rows: list[list[int]] = []
    basis: list[int] = []
    width = n + m
    needy = [i for i in range(m) if right[i] > 0]
    for i, row in enumerate(matrix):
        whole = [int(Fraction(a) * scales[i]) for a in row]
        surplus = [-1 if j == i else 0 for j in range(m)]
        artificial = [1 if k == i else 0 for k in needy]
        entries = [*whole, *surplus, int(Fraction(right[i]) * scales[i])]
        if i in needy:
            basis.append(width + needy.index(i))
        else:
            entries = [-entry for entry in entries]
            basis.append(n + i)
        rows.append([*entries[:-1], *artificial, entries[-1]])
    tableau = _Tableau(rows, basis, 1)
    if needy:
        # phase one: minimise the sum of the artificial variables
        reduced = [-sum(rows[i][j] for i in needy) for j in range(width)] + [0] * len(needy)
        reduced.append(-sum(rows[i][-1] for i in needy))
        _optimise(tableau, reduced, width)
        if reduced[-1] != 0:
            return None
        _drive_out(tableau, width)
        for row_ in tableau.rows:
            del row_[width:-1]
    return tableau, scales


def _drive_out(tableau: _Tableau, width: int) -> None:
    """Artificial variables that are still basic are 0. Rows have full rank by the surplus columns, so all can leave."""
    for i, variable in enumerate(tableau.basis):
        if variable >= width:
            column = next(j for j in range(width) if tableau.rows[i][j])
            tableau.pivot(i, column)


def _optimise(tableau: _Tableau, reduced: list[int], width: int | None = None) -> bool:
    """Bland's rule until no reduced cost is negative; False if the objective has no bound."""
    columns = len(reduced) - 1 if width is None else width
    while True:
        column = next((j for j in range(columns) if reduced[j] < 0), None)
        if column is None:
            return True
        rows = list(_leaving(tableau, column))
        if not rows:
            return False
        tableau.pivot(min(rows, key=lambda row: tableau.basis[row]), column, (reduced,))


def _leaving(tableau: _Tableau, column: int) -> Iterator[int]:
    """The rows with the smallest ratio: pivoting there keeps the basis feasible."""
    candidates = [(Fraction(row[-1], row[column]), i) for i, row in enumerate(tableau.rows) if row[column] > 0]
    if candidates:
        smallest = min(ratio for ratio, _ in candidates)
        yield from (i for ratio, i in candidates if ratio == smallest)


def _point(tableau: _Tableau, n: int) -> tuple[Fraction, ...]:
    values = [Fraction(0)] * n
    for row, variable in zip(tableau.rows, tableau.basis, strict=True):
        if variable < n:
            values[variable] = Fraction(row[-1], tableau.denominator)
    return tuple(values)
