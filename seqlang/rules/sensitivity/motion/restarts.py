"""Recursions that begin anew in the step after a report.

In `v = F(if previous(R, false) then c else previous(v, c), entry)` the last value is not read in a step that follows
one with the report R: what earlier entries have moved is forgotten there. That R was made a step ago may also be kept
in memory (`update raised = R`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from seqlang.model.expression import Apply, CellValue, Choice, Expression, MemoryValue, Reported, Truth, rebuild
from seqlang.model.junctions import disjuncts
from seqlang.model.program import Previous, Program, Report, Update
from seqlang.record import record
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.motion.entry import Entry


@record
class Restart:
    """The body does not read its last value in steps that follow one with `report`; in other steps it is `body`."""

    report: str
    body: Expression


def restart_of(entry: Entry, body: Expression, own: CellValue) -> Restart | None:
    """The report after which the recursion with this expanded body begins anew; None if there is none."""
    facts = entry.facts
    for report in (s.name for s in facts.program.body if isinstance(s, Report) and s.value is None):
        after = _chosen(entry, body, partial(_follows, facts, report), True)
        if after != body and own not in facts.leaves(after):
            return Restart(report, _chosen(entry, body, partial(_says, facts, report), False))
    return None


def _chosen(entry: Entry, e: Expression, known: Callable[[Expression], bool], value: bool) -> Expression:
    """The expression where each public test that is `known` has that value: only the branch that is taken."""
    if isinstance(e, Choice) and not entry.moves(e.test):
        match e.test:
            case Apply("not", (test,)):
                yes, no = e.no, e.yes
            case test:
                yes, no = e.yes, e.no
        if known(test):
            return _chosen(entry, yes if value else no, known, value)
    return rebuild(e, lambda child: _chosen(entry, child, known, value))


def _follows(facts: Facts, report: str, test: Expression) -> bool:
    """It surely holds in a step that follows one with the report."""
    return any(_says(facts, report, part) for part in disjuncts(test))


def _says(facts: Facts, report: str, test: Expression) -> bool:
    """It says whether the report was made one step ago, and is false in the first step."""
    match test:
        case CellValue(name, ()):
            cell = facts.cells[name]
            plain = cell.where is None and not cell.binders
            kept = plain and isinstance(cell.keep, Previous) and facts.expand(cell.keep.initial) == Truth(False)
            return kept and facts.expand(cell.body) == Reported(report)
        case MemoryValue(name, False):
            return _is_kept(facts.program, name, facts, report)
    return False


def _is_kept(program: Program, memory: str, facts: Facts, report: str) -> bool:
    initial = next(m.initial for m in program.memories if m.name == memory)
    updates = [s for s in program.body if isinstance(s, Update) and s.memory == memory]
    return (
        facts.expand(initial) == Truth(False)
        and len(updates) == 1
        and updates[0].when is None
        and facts.expand(updates[0].value) == Reported(report)
    )
