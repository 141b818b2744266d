"""Up to which step doubles compute numbers without any error that are halved from step to step.

If the values that are kept are computed with d binary digits, all together, more than those that they are made of, they
are multiples of 2^-(d n) in step n, and a double holds them exactly as long as they are smaller than 2^(53 - d n).
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.expression import Apply, CellValue, Choice, Expression, Local, MemoryValue
from seqlang.model.grids import Grids, Rounding, is_dyadic
from seqlang.model.program import Cell, Previous, Program, Update

BITS, BITS_OF_SIZE = 52, 16
"""Results of operations are smaller than 2^16, in the runs that go on (`model/guards.py`)."""


class Halves:
    """Of one program."""

    def __init__(self, program: Program, grids: Grids) -> None:
        self.program, self.grids = program, grids

    def last_step(self, *parts: Expression) -> int | None:
        """The last step in which all operations on the way to these numbers are exact; None where none is known."""
        names: set[str] = set()
        found = [self._digits(part, names) for part in parts]
        known: set[str] = set()
        while left := names - known:
            name = min(left)
            known.add(name)
            values = self._values(name)
            found += [self._digits(e, names) for e in values] if values else [None]
        digits = [d for d in found if d is not None]
        each = max(1, sum(digits))  # in one step a value may be made of one that is made of another, and so on
        return (BITS - BITS_OF_SIZE - each) // each - 2 if len(digits) == len(found) else None

    def _digits(self, e: Expression, names: set[str]) -> int | None:
        """How many digits are added to those of the numbers that are kept, whose names are added to `names`."""
        grid = self.grids.of(e)
        if grid.rounding == Rounding.NEVER and grid.denominator is not None:
            return grid.denominator.bit_length() - 1
        match e:
            case MemoryValue(name) | CellValue(name, ()):
                names.add(name)
                return 0
            case Local(name):
                return self._digits(self.program.define(name).expression, names)
            case Choice(_, yes, no):
                return self._most((yes, no), names)
            case Apply("+" | "-" | "max" | "min" | "clip" | "abs" | "negate", parts):
                return self._most(parts, names)
            case Apply("*", (a, b)):
                factor, other = (a, b) if self.grids.of(a).value is not None else (b, a)
                return self._scaled(other, self.grids.of(factor).value, names)
            case Apply("/", (a, b)):
                divisor = self.grids.of(b).value
                return self._scaled(a, None if not divisor else 1 / divisor, names)
        return None

    def _most(self, parts: tuple[Expression, ...], names: set[str]) -> int | None:
        found = [self._digits(part, names) for part in parts]
        known = [d for d in found if d is not None]
        return max(known) if len(known) == len(found) else None

    def _scaled(self, e: Expression, by: Fraction | None, names: set[str]) -> int | None:
        found = self._digits(e, names)
        if found is None or by is None or not is_dyadic(by.denominator):
            return None
        return found + by.denominator.bit_length() - 1

    def _values(self, name: str) -> list[Expression]:
        """All that is kept under this name; nothing where it is kept in another way than by a memory, `previous` or a
        sum."""
        for statement in self.program.body:
            match statement:
                case Cell(own, body=body, keep=Previous(initial)) if own == name:
                    return [initial, body]
                case Cell(own, "sum", body) if own == name:
                    return [body]
                case _:
                    pass
        updates = [s.value for s in self.program.body if isinstance(s, Update) and s.memory == name]
        return [x.initial for x in self.program.memories if x.name == name] + updates
