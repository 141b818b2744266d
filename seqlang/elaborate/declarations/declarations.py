"""Pass 2: params, constant lets, inputs and models, in file order.

Inputs and models may stand above the constants that they read: they wait until these are known.
"""

from __future__ import annotations

from seqlang.elaborate.declarations.inputs import inputs
from seqlang.elaborate.declarations.models import model
from seqlang.elaborate.declarations.parameters import check_overrides, constant_let, parameter
from seqlang.elaborate.names.symbols import names_in
from seqlang.elaborate.state import Current, State
from seqlang.syntax import tree


def declarations(state: State, file: tree.File) -> None:
    """Enter every constant, field and model."""
    check_overrides(state)
    done: set[str] = set()
    waiting: list[tuple[int, tree.Inputs | tree.ModelDeclaration]] = []
    for position, statement in enumerate(file.statements):
        state.current = Current()
        match statement:
            case tree.Param():
                parameter(state, position, statement)
                done.add(statement.name.name)
            case tree.Let(parameters=None) if statement.name.name not in state.given.changing:
                constant_let(state, position, statement)
                done.add(statement.name.name)
            case tree.Inputs() | tree.ModelDeclaration():
                waiting.append((position, statement))
            case _:
                continue
        waiting = [w for w in waiting if not _enter(state, done, *w)]
    for at, declaration in waiting:
        _translate(state, at, declaration)


def _enter(state: State, done: set[str], position: int, declaration: tree.Inputs | tree.ModelDeclaration) -> bool:
    """Translate the declaration if all constants and fields that it reads are known."""
    needed = {n.name for n in names_in(declaration)} & set(state.given.symbols)
    for name in needed:
        kind = state.given.symbols[name].kind
        constant = kind in ("param", "let") and name not in state.given.changing
        if (constant and name not in done) or (kind == "model" and not _is_own(declaration, name, state)):
            return False
    if isinstance(declaration, tree.ModelDeclaration) and any(
        law.name.name in state.given.symbols and law.name.name not in state.names.kinds for law in declaration.laws
    ):
        return False
    _translate(state, position, declaration)
    return True


def _is_own(declaration: object, name: str, state: State) -> bool:
    own = isinstance(declaration, tree.ModelDeclaration) and declaration.name.name == name
    return own or name in state.declared.models


def _translate(state: State, position: int, declaration: tree.Inputs | tree.ModelDeclaration) -> None:
    state.current = Current()
    if isinstance(declaration, tree.Inputs):
        inputs(state, position, declaration)
    else:
        model(state, position, declaration)
