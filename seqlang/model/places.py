"""Where in a step an expression is evaluated, and which definitions still have their value there."""

from __future__ import annotations

from typing import TypeVar

from seqlang.model.expression import Expression, Local, MemoryValue, rebuild
from seqlang.model.leaves import LeavesOf
from seqlang.model.program import Define, Program, Update, nodes_in

Node = TypeVar("Node", bound=Expression)


class Places:
    """The places in the body of one program."""

    def __init__(self, program: Program, leaves: LeavesOf) -> None:
        self.program, self.leaves = program, leaves
        self._last: dict[int, tuple[Expression, int]] = {}
        for place, statement in enumerate(program.body):
            for node in nodes_in(statement):
                self._last[id(node)] = node, place
        for gate in program.gates:
            where = program.place_of(gate.source)
            for node in nodes_in(gate):
                self._last.setdefault(id(node), (node, len(program.body) if where is None else where))
        self._defined = {s.name: i for i, s in enumerate(program.body) if isinstance(s, Define)}

    def of(self, e: Expression) -> int:
        """The last statement that the expression is a part of; the end of the step if it is part of none."""
        known = self._last.get(id(e))
        return len(self.program.body) if known is None else known[1]

    def copy(self, e: Expression) -> Expression:
        """The same expression at the same place, with another identity."""
        return self.at(rebuild(e, lambda part: part), self.of(e))

    def at(self, e: Node, place: int) -> Node:
        """From now on, the expression stands there."""
        self._last[id(e)] = e, place
        return e

    def definition(self, name: str, place: int) -> Expression | None:
        """What a name stands for, if that has the same value still at this place: no memory that it reads was updated
        in between."""
        start = self._defined.get(name)
        if start is None:
            return None
        found = self.program.define(name).expression
        changed = {s.memory for s in self.program.body[start:place] if isinstance(s, Update)}
        for node in self.leaves(found).changing:
            if isinstance(node, MemoryValue) and node.name in changed:
                return None
            if isinstance(node, Local) and self.definition(node.name, place) is None:
                return None
        return found
