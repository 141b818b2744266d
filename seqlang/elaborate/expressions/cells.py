"""Accumulators become cells that tick every step where they stand; equal ones are one cell."""

from __future__ import annotations

from seqlang.elaborate.expressions.levels import level_of
from seqlang.elaborate.state import Binder, Scope, State, fresh_variable
from seqlang.elaborate.typed import Typed
from seqlang.model import expression as m
from seqlang.model.binding import canonical, free_variables, renamed, rewritten, substitute
from seqlang.model.constants import CHANGING
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
    span: Span,
) -> m.Expression:
    """The value of the cell for this accumulator; a new cell is queued, an equal one is shared.

    Inside binders over constant sets the cell holds one value for each combination of the variables it reads. It has
    variables of its own in their place, and its reader says which combination is meant.
    """
    read = _read_expressions(body.expression, where, keep)
    enclosing = _enclosing(state, scope, read, span)
    own = tuple(fresh_variable(state, b.variable.letter, b.domain) for b in enclosing)
    cell = Cell("", operator, body.expression, where, keep, (), Level.PUBLIC, span)  # type: ignore[arg-type]
    key = _with_binders(cell, enclosing, tuple(replace(v, number=-(1000 + i)) for i, v in enumerate(own)))
    key = replace(key, body=canonical(key.body), where=None if key.where is None else canonical(key.where))
    if key not in state.cells.names:
        level = max((level_of(state, e) for e in read), default=Level.PUBLIC)
        name = _fresh(state, operator)
        state.cells.names[key] = name
        state.cells.levels[name] = level
        placed = rewritten(_with_binders(cell, enclosing, own), lambda e: _renumbered(state, e) if own else e)
        state.cells.queue.append(replace(placed, name=name, level=level))
    return m.CellValue(state.cells.names[key], tuple(m.Bound(b.variable) for b in enclosing))


def _fresh(state: State, operator: str) -> str:
    word = _NAMES.get(operator, operator)
    state.cells.counts[word] = state.cells.counts.get(word, 0) + 1
    return f"{word}.{state.cells.counts[word]}"


def _with_binders(cell: Cell, enclosing: tuple[Binder, ...], own: tuple[m.Variable, ...]) -> Cell:
    """The cell with variables of its own in the place of those of the binders around it."""
    given: dict[m.Variable, m.Expression] = {}
    binders: tuple[tuple[m.Variable, m.Expression], ...] = ()
    for binder, variable in zip(enclosing, own, strict=True):  # outermost first: a domain may read outer variables
        domain = substitute(binder.domain, given)
        variable = replace(variable, domain=domain)
        given[binder.variable] = m.Bound(variable)
        binders += ((variable, domain),)
    return replace(rewritten(cell, lambda e: substitute(e, given)), binders=binders)


def _renumbered(state: State, e: m.Expression) -> m.Expression:
    """The expression with new numbers for the binders that mean something else now that they read the variables of a
    cell: the same argument of a function may stand in two cells, which have different variables."""
    if isinstance(e, m.Quantified | m.WeightsOf):
        e = replace(e, domain=_renumbered(state, e.domain))
        meant = canonical(e)
        if meant not in state.bound.by_form:
            state.bound.by_form[meant] = fresh_variable(state, e.variable.letter, e.domain)
        e = renamed(e, state.bound.by_form[meant])
    return m.rebuild(e, lambda child: _renumbered(state, child)) if any(True for _ in m.children(e)) else e


def _read_expressions(body: m.Expression, where: m.Expression | None, keep: Keep) -> tuple[m.Expression, ...]:
    more: tuple[m.Expression, ...] = ()
    if isinstance(keep, LastSteps | Previous):
        more = (keep.count if isinstance(keep, LastSteps) else keep.initial,)
    return (body, *([where] if where is not None else []), *more)


def _enclosing(state: State, scope: Scope, read: tuple[m.Expression, ...], span: Span) -> tuple[Binder, ...]:
    """The binders around the cell whose variables it reads, with those that their domains read."""
    wanted = frozenset[m.Variable]().union(*(free_variables(e) for e in read))
    chosen: list[Binder] = []
    for binder in reversed(scope.binders):
        if binder.variable in wanted:
            chosen.append(binder)
            wanted |= free_variables(binder.domain)
    for binder in chosen:
        if not binder.fixed:
            _changing_set(state, binder, span)
            break
    return tuple(reversed(chosen))


def _changing_set(state: State, binder: Binder, span: Span) -> None:
    culprit = next((n for n in m.walk(binder.domain) if type(n) in CHANGING), None)
    state.problems.add(
        "E0307",
        "an accumulator cannot run for each element of a set that changes",
        span,
        f"would need a new accumulator for each `{binder.variable.letter}`",
        help="accumulators inside `for` need a constant set"
        if culprit is not None
        else "accumulators inside `for` need a finite set",
    )


def relevelled(state: State, cell: Cell) -> Cell:
    """The cell with its level computed again, when the name that was being defined has its own."""
    read = _read_expressions(cell.body, cell.where, cell.keep)
    level = max((level_of(state, e) for e in read), default=cell.level)
    state.cells.levels[cell.name] = max(cell.level, level)
    return replace(cell, level=state.cells.levels[cell.name])


def emit(state: State, waiting: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """Take the queued cells: those that tick before the current statement; look-backs, and what they read further
    down, go to `waiting`."""
    queue, state.cells.queue = state.cells.queue, []
    before: list[Cell] = []
    for cell in queue:
        if isinstance(cell.keep, Previous | AtReports) or not _ready(state, cell, waiting):
            waiting.append(cell)
        else:
            before.append(_placed(state, cell))
    return before, waiting


def release(state: State, waiting: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The waiting cells whose names all have their value now, and the others."""
    ready: list[Cell] = []
    still: list[Cell] = []
    for cell in waiting:
        if _ready(state, cell, still):
            ready.append(_placed(state, cell))
        else:
            still.append(cell)
    return ready, still


def _placed(state: State, cell: Cell) -> Cell:
    """The cell as it stands here. A look-back that reads names further down stores its value where the last of them
    stands, and reads the memory as it is there."""

    def here(e: m.Expression) -> m.Expression:
        if isinstance(e, m.MemoryValue):
            return m.MemoryValue(e.name, e.name in state.step.updated)
        return m.rebuild(e, here) if any(True for _ in m.children(e)) else e

    return rewritten(cell, here)


def _ready(state: State, cell: Cell, waiting: list[Cell]) -> bool:
    held = {w.name for w in waiting if not isinstance(w.keep, Previous | AtReports)}
    for expression in _read_expressions(cell.body, cell.where, cell.keep):
        for node in m.walk(expression):
            match node:
                case m.Local(name=name) | m.Reported(name=name) if name not in state.step.defined:
                    return False
                case m.Drawn(name=name) if name in state.given.changing and name not in state.step.defined:
                    return False
                case m.CellValue(name=name) if name in held:
                    return False
                case _:
                    pass
    return True
