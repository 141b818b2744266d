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
from seqlang.operators.groups import TOTALS
from seqlang.record import record


@record
class ShownSum:
    """`cell` adds up what the entries say; `shown` is the report of it: `value` with the noises of `terms` added."""

    cell: Cell
    shown: str
    value: ir.Expression
    terms: tuple[ir.Term, ...]


@record
class BlockPlan:
    """`end`: the report that ends a block. `clocks`: cells that grow by a constant in each step of a block. `sums` are
    shown at its end, in this order."""

    end: str
    clocks: tuple[str, ...]
    sums: tuple[ShownSum, ...]


def block_plan(program: Program, plan: IntegrationPlan) -> BlockPlan:
    """The parts of a program that looks at its data in blocks.

    Demanded is what makes a block one move: all cells are sums or counts since one report, an event; each that reads
    the entries is read by one released value only, which is shown when the block ends; only these read the step, and
    no noise lasts. That nothing happens within a block is not read off the text: `block_moves` looks. That several sums
    are independent is for `sum_law` to say.
    """
    if plan.nodes or plan.inner or plan.mixing or plan.variables:
        raise Unsolved("more than noisy sums over blocks")
    needed = [s for i, s in enumerate(program.body) if i in plan.needed.statements]
    cells = [s for s in needed if isinstance(s, Cell)]
    ends = {s.keep.report for s in cells if isinstance(s.keep, SinceReport)}
    if len(ends) != 1 or any(not _is_block_sum(s) for s in cells):
        raise Unsolved("cells that are no sums over blocks")
    (end,) = ends
    private = [s for s in cells if any(isinstance(e, ir.Field) for e in _read((s.body, s.where)))]
    if any(isinstance(e, ir.StepNumber) for s in needed if s not in private for e in _read(expressions_in(s))):
        raise Unsolved("something that reads the step, other than a sum over a block")
    sums = tuple(_shown(needed, plan, cell, end) for cell in private)
    if not sums:
        raise Unsolved("no sum over a block that is shown")
    for one in sums:
        _refuse_other_readings(plan, needed, one, sums, end)
    if any(isinstance(s, Draw) and not isinstance(s.life, EachStep) for s in needed):
        raise Unsolved("a draw that lasts")
    order = [s.name for s in needed if isinstance(s, Report)]
    cells_of = {one.cell.name for one in sums}
    clocks = tuple(s.name for s in cells if s.name not in cells_of)
    return BlockPlan(end, clocks, tuple(sorted(sums, key=lambda one: order.index(one.shown))))


def _shown(needed: Iterable[Statement], plan: IntegrationPlan, cell: Cell, end: str) -> ShownSum:
    """The one report of that sum."""
    found = [
        s for s in needed
        if isinstance(s, Report) and s.name in plan.needed.values and cell.name in _cells_read((s.value,))
    ]  # fmt: skip
    if len(found) != 1:
        raise Unsolved("a sum over a block that is not shown once")
    if not _implies(found[0].when, end):
        raise Unsolved("a sum over a block that is shown otherwise than at its end")
    shows = found[0].value
    assert shows is not None
    value, terms = (shows.base, shows.terms) if isinstance(shows, ir.Noised) else (shows, ())
    return ShownSum(cell, found[0].name, value, terms)


def _is_block_sum(cell: Cell) -> bool:
    return isinstance(cell.keep, SinceReport) and cell.operator in TOTALS and not cell.binders


def _refuse_other_readings(
    plan: IntegrationPlan, needed: Iterable[Statement], one: ShownSum, sums: tuple[ShownSum, ...], end: str
) -> None:
    """Raises Unsolved where entries, cells or noises are read elsewhere than they may be."""
    own = {t.noise for t in one.terms}
    if own & {e.name for e in _read(e for i, e in plan.needed.readings) if isinstance(e, ir.Drawn)}:
        raise Unsolved("noise of a sum over a block that is read elsewhere")
    if any(not isinstance(plan.lives[name], EachStep) for name in plan.enumerated):
        raise Unsolved("noise that lasts")
    others, reports = {other.cell.name for other in sums}, {other.shown for other in sums}
    for statement in needed:
        named = getattr(statement, "name", None)
        if (isinstance(statement, Cell) and named in others) or (isinstance(statement, Report) and named == one.shown):
            continue
        parts = tuple(expressions_in(statement))
        read = _cells_read(parts)
        allowed = isinstance(statement, Report) and (
            (named == end and statement.value is None) or (named in reports and one.cell.name not in read)
        )
        shares = any(isinstance(e, ir.Noised) and own & {t.noise for t in e.terms} for e in _read(parts))
        if shares or (read and not allowed) or any(isinstance(e, ir.Field) for e in _read(parts)):
            raise Unsolved("entries or sums that are read before their block ends")
    if any((isinstance(e, ir.CellValue) and e.name != one.cell.name) or not _is_plain(e) for e in ir.walk(one.value)):
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
