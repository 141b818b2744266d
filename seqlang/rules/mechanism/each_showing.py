"""What pure rules about a single gate say of one showing: the best of them, for rules that add up otherwise."""

from __future__ import annotations

from seqlang.model.program import Gate, Program
from seqlang.rules import searches
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import parameter_values


def pure_showings(program: Program, gate: Gate) -> Showings | str:
    """The showings with the least cost each, by any rule that tells `showings`; text: why no rule has one."""
    signs = Signs(parameter_values(program))
    best: Showings | str = NOT_MINE
    for search in (*searches("mechanism"), *searches("joint")):
        if search.showings is None:
            continue
        found = search.showings(program, gate)
        if isinstance(found, str):
            best = found if best == NOT_MINE else best
        elif isinstance(best, str) or signs.at_least(best.one, found.one):
            best = found
    return best
