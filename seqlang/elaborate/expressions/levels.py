"""Who may know the value of an expression: public < hidden < private."""

from __future__ import annotations

from seqlang.elaborate.state import State
from seqlang.model import expression as m
from seqlang.model.program import Level


def level_of(state: State, expression: m.Expression) -> Level:
    """The highest level of what it reads; a noised reading is hidden at least."""
    level = Level.PUBLIC
    for node in m.walk(expression):
        match node:
            case m.Field(name=name):
                level = max(level, Level.PUBLIC if state.given.symbols[name].kind == "public" else Level.PRIVATE)
            case m.Records():
                level = max(level, Level.PRIVATE if state.given.records_are_private else Level.PUBLIC)
            case m.Local(name=name):
                level = max(level, _level_of_local(state, name))
            case m.CellValue(name=name):
                level = max(level, state.cells.levels[name])
            case m.Drawn(name=name):
                level = max(level, state.names.levels.get(name, Level.HIDDEN))
            case m.Noised():
                level = max(level, Level.HIDDEN)
            case _:
                pass
        if level is Level.PRIVATE:
            break
    return level


def _level_of_local(state: State, name: str) -> Level:
    """A name that is read before it has a value (in `previous`) counts as public if it is a let, else as private;
    the one that is being defined adds nothing to its own level."""
    if name in state.names.levels:
        return state.names.levels[name]
    symbol = state.given.symbols[name]
    return Level.PUBLIC if symbol.kind == "let" or state.current.defining == name else Level.PRIVATE
