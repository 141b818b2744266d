"""Linear inequalities over exact fractions: a point that meets them, or a sum of them that is absurd.

The general simplex of Dutertre & de Moura 2006 (A Fast Linear-Arithmetic Solver for DPLL(T)): every linear form has a
variable of its own with bounds; bounds can be withdrawn, the tableau stays. A strict bound is a bound plus a multiple
of an infinitely small number: a value is (number, multiple).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from seqlang.kernel.terms import Linear, Sign

Small = tuple[Fraction, Fraction]
Sum = dict[Sign, Fraction]
"""Signs with positive multipliers."""
ZERO = Fraction(0)


class Bound(NamedTuple):
    value: Small
    reason: Sign
    factor: Fraction
    """The sign's term is `factor` (its size) times the form, from there on."""


class Simplex:
    """`add` a sign, then `conflict` says whether all signs contradict each other; `mark` and `back` withdraw signs."""

    def __init__(self) -> None:
        self._forms: dict[tuple[tuple[int, Fraction], ...], int] = {}
        self._rows: dict[int, dict[int, Fraction]] = {}
        self._columns: dict[int, set[int]] = {}
        self._values: dict[int, Small] = {}
        self._low: dict[int, Bound] = {}
        self._high: dict[int, Bound] = {}
        self._trail: list[tuple[dict[int, Bound], int, Bound | None]] = []
        self._count = 0
        self._names: dict[int, int] = {}

    # ---- variables and forms

    def _new(self) -> int:
        self._count += 1
        self._values[self._count] = (ZERO, ZERO)
        return self._count

    def _variable(self, index: int) -> int:
        if index not in self._names:
            self._names[index] = self._new()
            self._columns[self._names[index]] = set()
        return self._names[index]

    def _form(self, parts: tuple[tuple[int, Fraction], ...]) -> int:
        if len(parts) == 1:
            return self._variable(parts[0][0])
        if parts not in self._forms:
            row: dict[int, Fraction] = {}
            for index, coefficient in parts:
                _add(row, self._expanded(self._variable(index)), coefficient)
            own = self._forms[parts] = self._new()
            self._rows[own] = row
            for column in row:
                self._columns[column].add(own)
            self._values[own] = self._computed(row)
        return self._forms[parts]

    def _expanded(self, variable: int) -> dict[int, Fraction]:
        return self._rows.get(variable, {variable: Fraction(1)})

    def _computed(self, row: dict[int, Fraction]) -> Small:
        return (
            sum((c * self._values[v][0] for v, c in row.items()), ZERO),
            sum((c * self._values[v][1] for v, c in row.items()), ZERO),
        )

    # ---- signs

    def mark(self) -> int:
        return len(self._trail)

    def back(self, mark: int) -> None:
        while len(self._trail) > mark:
            bounds, variable, old = self._trail.pop()
            if old is None:
                del bounds[variable]
            else:
                bounds[variable] = old

    def add(self, sign: Sign) -> Sum | None:
        """Raises no error; returns a sum that is absurd where the sign contradicts a bound of its own form."""
        lead = sign.term.parts[0][1]
        variable = self._form(tuple((v, c / lead) for v, c in sign.term.parts))
        edge = -sign.term.constant / lead
        small = (Fraction(1) if lead > 0 else Fraction(-1)) if sign.strict else ZERO
        bound = Bound((edge, small), sign, abs(lead))
        mine, other = (self._low, self._high) if lead > 0 else (self._high, self._low)
        known, opposite = mine.get(variable), other.get(variable)
        if known is not None and (known.value >= bound.value if lead > 0 else known.value <= bound.value):
            return None
        if opposite is not None and (opposite.value < bound.value if lead > 0 else opposite.value > bound.value):
            return {sign: 1 / bound.factor, opposite.reason: 1 / opposite.factor}
        self._trail.append((mine, variable, known))
        mine[variable] = bound
        if variable not in self._rows:
            value = self._values[variable]
            if value < bound.value if lead > 0 else value > bound.value:
                self._move(variable, bound.value)
        return None

    def _move(self, column: int, value: Small) -> None:
        old = self._values[column]
        step = (value[0] - old[0], value[1] - old[1])
        self._values[column] = value
        for row in self._columns[column]:
            self._shift(row, self._rows[row][column], step)

    def _shift(self, row: int, factor: Fraction, step: Small) -> None:
        now = self._values[row]
        self._values[row] = (now[0] + factor * step[0], now[1] + factor * step[1])

    def conflict(self) -> Sum | None:
        """None: the point `value` meets all signs."""
        while True:
            broken = self._broken()
            if broken is None:
                return None
            row, target, up = broken
            column = self._column_for(row, up)
            if column is None:
                return self._explained(row, up)
            self._pivot(row, column, target)

    def _broken(self) -> tuple[int, Small, bool] | None:
        for row in sorted(self._rows):
            low, high = self._low.get(row), self._high.get(row)
            if low is not None and self._values[row] < low.value:
                return row, low.value, True
            if high is not None and self._values[row] > high.value:
                return row, high.value, False
        return None

    def _column_for(self, row: int, up: bool) -> int | None:
        for column in sorted(self._rows[row]):
            rises = (self._rows[row][column] > 0) == up
            bound = (self._high if rises else self._low).get(column)
            value = self._values[column]
            if bound is None or (value < bound.value if rises else value > bound.value):
                return column
        return None

    def _explained(self, row: int, up: bool) -> Sum:
        own = (self._low if up else self._high)[row]
        found: Sum = {own.reason: 1 / own.factor}
        for column, factor in self._rows[row].items():
            bound = (self._high if (factor > 0) == up else self._low)[column]
            found[bound.reason] = found.get(bound.reason, ZERO) + abs(factor) / bound.factor
        return found

    def _pivot(self, row: int, column: int, target: Small) -> None:
        old = self._rows.pop(row)
        factor = old.pop(column)
        now = self._values[row]
        step = ((target[0] - now[0]) / factor, (target[1] - now[1]) / factor)
        self._values[row] = target
        value = self._values[column]
        self._values[column] = (value[0] + step[0], value[1] + step[1])
        for other in self._columns[column]:
            if other != row:
                self._shift(other, self._rows[other][column], step)
        new = {c: -f / factor for c, f in old.items()}
        new[row] = 1 / factor
        users = self._columns.pop(column)
        users.discard(row)
        for c in old:
            self._columns[c].discard(row)
        self._columns[row] = set()
        self._rows[column] = new
        for c in new:
            self._columns[c].add(column)
        for other in users:
            self._replace(other, column, new)

    def _replace(self, row: int, column: int, new: dict[int, Fraction]) -> None:
        line = self._rows[row]
        factor = line.pop(column)
        for c, f in new.items():
            value = line.get(c, ZERO) + factor * f
            if value:
                line[c] = value
                self._columns[c].add(row)
            elif c in line:
                del line[c]
                self._columns[c].discard(row)

    def largest(self, term: Linear) -> Small | None:
        """The largest value of the term where all signs hold, after `conflict` found none; None: there is none."""
        if term.is_constant:
            return term.constant, ZERO
        lead = term.parts[0][1]
        form = self._form(tuple((v, c / lead) for v, c in term.parts))
        while True:
            if form not in self._rows:
                found: tuple[int, bool] | None = (form, lead > 0) if self._can_move(form, lead > 0) else None
            else:
                found = next(
                    ((c, up) for c in sorted(self._rows[form])
                     if self._can_move(c, up := (self._rows[form][c] > 0) == (lead > 0))), None,
                )  # fmt: skip
            if found is None:
                return self.value(term)
            if not self._go(*found):
                return None

    def _can_move(self, column: int, up: bool) -> bool:
        bound = (self._high if up else self._low).get(column)
        value = self._values[column]
        return bound is None or (value < bound.value if up else value > bound.value)

    def _go(self, column: int, up: bool) -> bool:
        """Moves the column until it or a row meets a bound; False: nothing stops it."""
        side = 1 if up else -1
        own = (self._high if up else self._low).get(column)
        best: tuple[Small, int, Small] | None = None
        if own is not None:
            value = self._values[column]
            best = ((side * (own.value[0] - value[0]), side * (own.value[1] - value[1])), 0, own.value)
        for row in sorted(self._columns[column]):
            factor = self._rows[row][column] * side
            bound = (self._high if factor > 0 else self._low).get(row)
            if bound is not None:
                now = self._values[row]
                room = ((bound.value[0] - now[0]) / factor, (bound.value[1] - now[1]) / factor)
                if best is None or room < best[0]:
                    best = room, row, bound.value
        if best is None:
            return False
        if best[1]:
            self._pivot(best[1], column, best[2])
        else:
            self._move(column, best[2])
        return True

    def value(self, term: Linear) -> Small:
        """Of a term, at the point where `conflict` ended."""
        total, small = term.constant, ZERO
        for index, factor in term.parts:
            if index in self._names:
                value = self._values[self._names[index]]
                total, small = total + factor * value[0], small + factor * value[1]
        return total, small


def _add(row: dict[int, Fraction], other: dict[int, Fraction], factor: Fraction) -> None:
    for column, value in other.items():
        new = row.get(column, ZERO) + factor * value
        if new:
            row[column] = new
        else:
            row.pop(column, None)
