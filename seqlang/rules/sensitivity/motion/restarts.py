"""Recursions that begin anew in the step after a report.

In `v = F(if previous(R, false) then c else previous(v, c), entry)` the last value is not read in a step that follows
one with the report R: what earlier entries have moved is forgotten there. That R was made a step ago may also be kept
in memory (`update raised = R`).
"""

from __future__ import annotations

from collections.abc import Callable

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
        after = _chosen(entry, body, lambda test, r=report: True if _follows(facts, test, r) else None)  # type: ignore[misc]
        if after != body and own not in facts.leaves(after):
            between = _chosen(entry, body, lambda test, r=report: False if _says(facts, test, r) else None)  # type: ignore[misc]
            return Restart(report, between)
    return None


def _chosen(entry: Entry, e: Expression, holds: Callable[[Expression], bool | None]) -> Expression:
    """The expression with the branch that is taken where `holds` decides a public test."""
    if isinstance(e, Choice) and not entry.moves(e.test):
        negated = isinstance(e.test, Apply) and e.test.operator == "not"
        decided = holds(e.test.arguments[0] if negated and isinstance(e.test, Apply) else e.test)
        if decided is not None:
            return _chosen(entry, e.yes if decided != negated else e.no, holds)
    return rebuild(e, lambda child: _chosen(entry, child, holds))


def _follows(facts: Facts, test: Expression, report: str) -> bool:
    """It surely holds in a step that follows one with the report."""
    return any(_says(facts, part, report) for part in disjuncts(test))


def _says(facts: Facts, test: Expression, report: str) -> bool:
    """It says whether the report was made one step ago, and is false in the first step."""
    match test:
        case CellValue(name, ()):
            cell = facts.cells[name]
            kept = isinstance(cell.keep, Previous) and facts.expand(cell.keep.initial) == Truth(False)
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
