"""The named statistics of a program and how they move between neighbours, for the report."""

from __future__ import annotations

from seqlang.model.expression import Local
from seqlang.model.program import Define, Program
from seqlang.record import record
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.shifts import shift_of


@record
class StatisticShift:
    """One statistic and how it moves between neighbours."""

    name: str
    shift: Shift

    @property
    def words(self) -> str:
        """What kind of shift it is."""
        return "does not move" if self.shift.kind == "none" else self.shift.kind


def statistics(program: Program) -> tuple[StatisticShift, ...]:
    """All named statistics, in file order."""
    names = (s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic")
    return tuple(StatisticShift(name, shift_of(program, Local(name))) for name in names)
