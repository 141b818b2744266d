"""Pass 2: params, constant lets, inputs and models, in file order.

Inputs and models may stand above the constants that they read: they wait until these are known. Models that read
memory are entered after the step (`remembering_models`): only then is known what the memories hold.
"""

from __future__ import annotations

from seqlang.elaborate.declarations.inputs import inputs
from seqlang.elaborate.declarations.models import model
from seqlang.elaborate.declarations.parameters import check_overrides, constant_let, parameter
from seqlang.elaborate.names.symbols import names_in, reads_memory
from seqlang.elaborate.state import Current, State
from seqlang.syntax import tree


def declarations(state: State, file: tree.File) -> None:
    """Enter every constant and field, and every model that reads no memory."""
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
        if not _remembers(state, declaration):
            _translate(state, at, declaration)


def remembering_models(state: State, file: tree.File) -> None:
    """Enter the models that read memory, and bring all models into the file's order."""
    for position, statement in enumerate(file.statements):
        if isinstance(statement, tree.ModelDeclaration) and _remembers(state, statement):
            _translate(state, position, statement)
    in_order = sorted(state.declared.models.items(), key=lambda item: state.given.symbols[item[0]].position)
    state.declared.models = dict(in_order)


def _remembers(state: State, declaration: tree.Inputs | tree.ModelDeclaration) -> bool:
    return isinstance(declaration, tree.ModelDeclaration) and reads_memory(state.given.symbols, declaration)


def _enter(state: State, done: set[str], position: int, declaration: tree.Inputs | tree.ModelDeclaration) -> bool:
    """Translate the declaration if all constants and fields that it reads are known, and it reads no memory."""
    if _remembers(state, declaration):
        return False
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
