"""What an expression reads that changes from step to step, looked up once for each part that expressions share."""

from __future__ import annotations

from seqlang.model.constants import CHANGING
from seqlang.model.expression import (
    Bound,
    Expression,
    Field,
    Quantified,
    Records,
    StepNumber,
    Variable,
    WeightsOf,
    children,
)
from seqlang.record import record


@record
class Leaves:
    """`changing`: the parts that change by themselves; `free`: the variables that are bound outside; `records`: whether
    the data set is read."""

    changing: frozenset[Expression]
    free: frozenset[Variable]
    records: bool

    @property
    def constant(self) -> bool:
        """Whether it has one value. (The number of the records is one.)"""
        return not self.changing and not self.free

    @property
    def of_step(self) -> bool:
        """Whether the step alone decides its value."""
        return not self.free and not self.records and all(isinstance(e, StepNumber) for e in self.changing)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of an entry that decide its value; none if it reads anything else that changes."""
        found = [e for e in self.changing if isinstance(e, Field)]
        if self.free or self.records or len(found) < len(self.changing):
            return ()
        return tuple(sorted(found, key=lambda field: field.name))


class LeavesOf:
    """Of the expressions of one program."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, Leaves]] = {}

    def __call__(self, e: Expression) -> Leaves:
        known = self._known.get(id(e))
        if known is None:
            known = self._known[id(e)] = e, self._found(e)
        return known[1]

    def _found(self, e: Expression) -> Leaves:
        parts = [self(part) for part in children(e)]
        own = frozenset({e}) if type(e) in CHANGING else frozenset[Expression]()
        changing = own.union(*(p.changing for p in parts))
        free = frozenset[Variable]().union(*(p.free for p in parts))
        match e:
            case Bound(variable):
                free = frozenset({variable})
            case Quantified(variable=variable, domain=domain) | WeightsOf(variable=variable, domain=domain):
                free = (free - {variable}) | self(domain).free
        return Leaves(changing, free, isinstance(e, Records) or any(p.records for p in parts))
