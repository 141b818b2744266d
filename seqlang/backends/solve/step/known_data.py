"""Public fields that are one number under a model, such as `heeded ~ point(1)`, where stops read them.

`known(program, model)` is the program with that number in their conditions. What the program does has the same law; a
program that looks at its data in blocks is then seen to be one."""

from __future__ import annotations

from seqlang.backends.solve.step.entries import model_named
from seqlang.model import expression as ir
from seqlang.model.program import Program, Statement, Stop
from seqlang.record import replace


def known(program: Program, model: str) -> Program:
    """The same program where there is none."""
    public = {i.name for i in program.inputs if i.kind == "public"}
    laws = {name: law for name, law in model_named(program, model).laws if name in public}
    values = {name: value for name, law in laws.items() if (value := _number(law)) is not None}
    if not values:
        return program

    def change(e: ir.Expression) -> ir.Expression:
        if isinstance(e, ir.Field):
            return values.get(e.name, e)
        return ir.rebuild(e, change)

    def changed(statement: Statement) -> Statement:
        if not isinstance(statement, Stop) or statement.when is None:
            return statement
        return replace(statement, when=change(statement.when))

    return replace(program, body=tuple(map(changed, program.body)))


def _number(law: ir.Expression) -> ir.Number | None:
    match law:
        case ir.Law(family="point", arguments=(ir.Number() as value,)):
            return value
    return None
