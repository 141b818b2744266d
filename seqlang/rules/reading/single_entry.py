"""Neighbours in k entries as k neighbours in one entry each."""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, ONE, Formula
from seqlang.model.expression import Number
from seqlang.model.program import AddRemove, Program, Replace
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.formulas import formula_of


def single_entry(program: Program) -> tuple[Formula, Program]:
    """Group privacy: neighbours in k entries are k neighbours in one entry apart, so bounds for one are taken k
    times."""
    match program.adjacency:
        case Replace(count) | AddRemove(count) as adjacency if count != Number(ONE.value):
            k = formula_of(program, count)
            return (INFINITY if k is None else k), replace(
                program, adjacency=replace(adjacency, count=Number(ONE.value))
            )
        case _:
            return ONE, program
