"""Whether a program looks at its data in blocks, and what of it plays which part.

`block_plan(program, plan) -> BlockPlan`; raises Unsolved where the program is none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Draw, Program, Report, SinceReport, Statement, expressions_in
from seqlang.record import record


@record
class BlockPlan:
    """`end`: the report that ends a block. `clocks`: cells that grow by a constant in each step of a block; `sum_`: the
    cell that adds up what the entries say. `shown`: the report of it, `value` with the noises of
    `terms` added."""

    end: str
    clocks: tuple[str, ...]
    sum_: Cell
    shown: str
    value: ir.Expression
    terms: tuple[ir.Term, ...]


def block_plan(program: Program, plan: IntegrationPlan) -> BlockPlan:
    """The parts of a program that looks at its data in blocks.

    Demanded is what makes a block one move: all cells are sums or counts since one report, an event; one of them reads
    the entries, and is read by one released value only, which is shown when the block ends; nothing reads the step, and
    no noise lasts. That nothing happens within a block is not read off the text: `block_moves` looks.
    """
    if plan.nodes or plan.inner or plan.mixing or plan.variables or plan.needed.reads_step:
        raise Unsolved("more than noisy sums over blocks")
    needed = [s for i, s in enumerate(program.body) if i in plan.needed.statements]
    cells = [s for s in needed if isinstance(s, Cell)]
    ends = {s.keep.report for s in cells if isinstance(s.keep, SinceReport)}
    if len(ends) != 1 or any(not _is_block_sum(s) for s in cells):
        raise Unsolved("cells that are no sums over blocks")
    (end,) = ends
    private = [s for s in cells if any(isinstance(e, ir.Field) for e in _read((s.body, s.where)))]
    shown = [s for s in needed if isinstance(s, Report) and s.value is not None and s.name in plan.needed.values]
    sums = [s for s in shown if private and private[0].name in _cells_read((s.value,))]
    if len(private) != 1 or len(sums) != 1:
        raise Unsolved("no single sum over a block that is shown")
    if not _implies(sums[0].when, end):
        raise Unsolved("a sum over a block that is shown otherwise than at its end")
    shows = sums[0].value
    assert shows is not None
    value, terms = (shows.base, shows.terms) if isinstance(shows, ir.Noised) else (shows, ())
    _refuse_other_readings(plan, needed, private[0], sums[0], value, terms, end)
    if any(isinstance(s, Draw) and not isinstance(s.life, EachStep) for s in needed):
        raise Unsolved("a draw that lasts")
    return BlockPlan(end, tuple(s.name for s in cells if s is not private[0]), private[0], sums[0].name, value, terms)


def _is_block_sum(cell: Cell) -> bool:
    return isinstance(cell.keep, SinceReport) and cell.operator in ("sum", "count") and not cell.binders


def _refuse_other_readings(
    plan: IntegrationPlan,
    needed: Iterable[Statement],
    sum_: Cell,
    shown: Report,
    value: ir.Expression,
    terms: tuple[ir.Term, ...],
    end: str,
) -> None:
    """Raises Unsolved where entries, cells or noises are read elsewhere than they may be."""
    own = {t.noise for t in terms}
    if own & {e.name for e in _read(e for i, e in plan.needed.readings) if isinstance(e, ir.Drawn)}:
        raise Unsolved("noise of a sum over a block that is read elsewhere")
    if any(not isinstance(plan.lives[name], EachStep) for name in plan.enumerated):
        raise Unsolved("noise that lasts")
    for statement in needed:
        if statement is sum_ or statement is shown:
            continue
        parts = tuple(expressions_in(statement))
        read = _cells_read(parts)
        allowed = isinstance(statement, Report) and statement.name == end and statement.value is None
        shares = any(isinstance(e, ir.Noised) and own & {t.noise for t in e.terms} for e in _read(parts))
        if shares or sum_.name in read or (read and not allowed) or any(isinstance(e, ir.Field) for e in _read(parts)):
            raise Unsolved("entries or sums that are read before their block ends")
    if any((isinstance(e, ir.CellValue) and e.name != sum_.name) or not _is_plain(e) for e in ir.walk(value)):
        raise Unsolved("a released value that reads more than its sum")


def _is_plain(e: ir.Expression) -> bool:
    return isinstance(e, ir.CellValue | ir.Number | ir.ParameterValue | ir.Apply)


def _read(parts: Iterable[ir.Expression | None]) -> Iterator[ir.Expression]:
    for part in parts:
        if part is not None:
            yield from ir.walk(part)


def _cells_read(parts: Iterable[ir.Expression | None]) -> set[str]:
    return {e.name for e in _read(parts) if isinstance(e, ir.CellValue)}


def _implies(when: ir.Expression | None, end: str) -> bool:
    """Whether the condition holds only where the report is made."""
    match when:
        case ir.Reported(name):
            return name == end
        case ir.Apply("and", parts):
            return any(_implies(part, end) for part in parts)
        case _:
            return False
