"""Accumulators become cells that tick every step where they stand; equal ones are one cell."""

from __future__ import annotations

from seqlang.elaborate.binders import CHANGING
from seqlang.elaborate.kinds import Kind, Typed
from seqlang.elaborate.levels import level_of
from seqlang.elaborate.state import Binder, Scope, State
from seqlang.model import expression as m
from seqlang.model.program import AtReports, Cell, Keep, LastSteps, Level, Previous
from seqlang.record import replace
from seqlang.source import Span

_NAMES = {"last": "previous", "list": "history"}


def hoist(
    state: State,
    scope: Scope,
    operator: str,
    body: Typed,
    where: m.Expression | None,
    keep: Keep,
    kind: Kind,
    span: Span,
) -> m.Expression:
    """The value of the cell for this accumulator; a new cell is queued, an equal one is shared.

    Inside binders over constant sets the cell holds one value for each combination of the variables it reads.
    """
    read = _read_expressions(body.expression, where, keep)
    binders = _binders(state, scope, read, span)
    versions = tuple(sorted({n.name for e in read for n in m.walk(e) if isinstance(n, m.MemoryValue)} & state.updated))
    key = (operator, body.expression, where, keep, binders, versions)
    if key not in state.cells:
        level = max((level_of(state, e) for e in read), default=Level.PUBLIC)
        name = _fresh(state, operator)
        cell = Cell(name, operator, body.expression, where, keep, binders, level, span)  # type: ignore[arg-type]
        state.cells[key] = name
        state.cell_levels[name] = level
        state.cell_kinds[name] = kind
        state.cell_binders[name] = frozenset(variable for variable, _ in binders)
        state.queue.append(cell)
    return m.CellValue(state.cells[key])


def _fresh(state: State, operator: str) -> str:
    word = _NAMES.get(operator, operator)
    state.cell_counts[word] = state.cell_counts.get(word, 0) + 1
    return f"{word}.{state.cell_counts[word]}"


def _read_expressions(body: m.Expression, where: m.Expression | None, keep: Keep) -> tuple[m.Expression, ...]:
    more = (keep.count,) if isinstance(keep, LastSteps) else ()
    return (body, *([where] if where is not None else []), *more)


def _binders(
    state: State, scope: Scope, read: tuple[m.Expression, ...], span: Span
) -> tuple[tuple[str, m.Expression], ...]:
    """The enclosing binders that the cell reads, with those that their domains read."""
    wanted: set[str] = set()
    chosen: list[Binder] = []
    names = {n for e in read for n in _free(state, e)}
    for binder in reversed(scope.binders):
        if binder.variable in names | wanted:
            chosen.append(binder)
            wanted |= _free(state, binder.domain)
    for binder in chosen:
        if not binder.fixed:
            _changing_set(state, binder, span)
            break
    return tuple((b.variable, b.domain) for b in reversed(chosen))


def _free(state: State, expression: m.Expression) -> set[str]:
    """Bound variables that occur, those of the cells it reads included."""
    names: set[str] = set()
    for node in m.walk(expression):
        if isinstance(node, m.Bound):
            names.add(node.name)
        elif isinstance(node, m.CellValue):
            names |= state.cell_binders.get(node.name, frozenset())
    return names


def _changing_set(state: State, binder: Binder, span: Span) -> None:
    culprit = next((n for n in m.walk(binder.domain) if type(n) in CHANGING), None)
    state.problems.add(
        "E0307",
        "an accumulator cannot run for each element of a set that changes",
        span,
        f"would need a new accumulator for each `{binder.variable}`",
        help="accumulators inside `for` need a constant set"
        if culprit is not None
        else "accumulators inside `for` need a finite set",
    )


def relevelled(state: State, cell: Cell) -> Cell:
    """The cell with its level computed again, when the name that was being defined has its own."""
    read = _read_expressions(cell.body, cell.where, cell.keep)
    level = max((level_of(state, e) for e in read), default=cell.level)
    state.cell_levels[cell.name] = max(cell.level, level)
    return replace(cell, level=state.cell_levels[cell.name])


def emit(state: State, waiting: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """Take the queued cells: those that tick before the current statement; look-backs, and what they read further
    down, go to `waiting`."""
    queue, state.queue = state.queue, []
    before: list[Cell] = []
    for cell in queue:
        if isinstance(cell.keep, Previous | AtReports) or not _ready(state, cell, waiting):
            waiting.append(cell)
        else:
            before.append(cell)
    return before, waiting


def release(state: State, waiting: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The waiting cells whose names all have their value now, and the others."""
    ready: list[Cell] = []
    still: list[Cell] = []
    for cell in waiting:
        (ready if _ready(state, cell, still) else still).append(cell)
    return ready, still


def _ready(state: State, cell: Cell, waiting: list[Cell]) -> bool:
    held = {w.name for w in waiting if not isinstance(w.keep, Previous | AtReports)}
    for expression in _read_expressions(cell.body, cell.where, cell.keep):
        for node in m.walk(expression):
            match node:
                case m.Local(name=name) | m.Reported(name=name) if name not in state.defined:
                    return False
                case m.Drawn(name=name) if name in state.changing and name not in state.defined:
                    return False
                case m.CellValue(name=name) if name in held:
                    return False
                case _:
                    pass
    return True
