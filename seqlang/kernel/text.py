"""A core program as text, for a person to compare with the spec."""

from __future__ import annotations

from seqlang.kernel.core import (
    Choose,
    Expression,
    Input,
    Let,
    Letters,
    Number,
    Op,
    Pick,
    Program,
    Range,
    Read,
    Remove,
    Replace,
    Report,
    Statement,
    Step,
    Stop,
    Tag,
    Tick,
    Truth,
    Update,
)

INFIX = {"+", "-", "*", "/", "^", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"}


def shown(program: Program, epsilon: Expression) -> str:
    """One line a declaration and a statement; then the claim."""
    return "\n".join([*declared(program), f"claim: strong pure({of(epsilon)})"])


def declared(program: Program) -> list[str]:
    """The lines of the program: inputs, neighbours, memories, draws, and the body."""
    lines = [f"input {k}: {_input(declared)}" for k, declared in enumerate(program.inputs)]
    what, several = ("entry", "entries") if program.rows is None else ("row", "rows")
    if program.rows is not None:
        size = "" if program.rows.size is None else f"{program.rows.size} "
        fields = "; ".join(f"row {f}: {_domain(domain)}" for f, domain in enumerate(program.rows.fields))
        lines.append(f"data set: {size}rows{', read one by one' if program.rows.listed else ''}; {fields}")
    match program.adjacency:
        case Replace(count):
            lines.append(f"neighbours: {f'one changed {what}' if count == 1 else f'at most {count} changed {several}'}")
        case Remove(count):
            lines.append(f"neighbours: {f'one {what}' if count == 1 else f'at most {count} {several}'} more or less")
        case within:
            where = f"every {what}" if within.every else f"one {what}"
            way = ", all in one direction" if within.one_direction else ""
            lines.append(f"neighbours: {of(within.of)} moves by at most {of(within.radius)} at {where}{way}")
    lines += [f"memory {k} = {of(initial)}" for k, initial in enumerate(program.memories)]
    for k, draw in enumerate(program.draws):
        life = f"after each report {draw.life}" if isinstance(draw.life, int) else draw.life
        lines.append(f"draw {k} ~ {draw.law}({', '.join(map(of, draw.arguments))}), {life}")
    lines += map(_statement, program.body)
    return lines


def of(e: Expression) -> str:
    match e:
        case Number(value):
            return str(value)
        case Truth(value):
            return str(value).lower()
        case Tag(word):
            return word
        case Step():
            return "step"
        case Read(kind, index, run):
            return f"{kind} {index}" + (f" of run {run}" if run else "")
        case Choose(test, yes, no):
            return f"(if {of(test)} then {of(yes)} else {of(no)})"
        case Op(name, (a, b)) if name in INFIX:
            return f"({of(a)} {name} {of(b)})"
        case Op(name, arguments):
            return f"{name}({', '.join(map(of, arguments))})"


def _input(declared: Input) -> str:
    return _domain(declared.domain) + (", public" if declared.public else "")


def _domain(domain: Letters | Range) -> str:
    if isinstance(domain, Letters):
        return "one of " + ", ".join(map(str, domain.values))
    kind = "whole numbers" if domain.whole else "numbers"
    low = "" if domain.low is None else f" from {domain.low}"
    high = "" if domain.high is None else f" to {domain.high}"
    return f"{kind}{low}{high}"


def _statement(statement: Statement) -> str:
    match statement:
        case Let(index, value):
            return f"let {index} = {of(value)}"
        case Tick(index, operator, value, where, since, start):
            kept = "" if since is None else f", anew after report {since}"
            begin = "" if start is None else f", at first {of(start)}"
            return f"cell {index}: {operator} of {of(value)}{_where(where)}{kept}{begin}"
        case Pick(index, values, weights):
            return f"pick {index} ~ {{{', '.join(f'{v}: {of(w)}' for v, w in zip(values, weights, strict=True))}}}"
        case Report(index, when, value):
            return f"report {index}{'' if value is None else ' = ' + of(value)}{_when(when)}"
        case Update(index, value, when):
            return f"memory {index} = {of(value)}{_when(when)}"
        case Stop(index, when, result):
            return f"stop {index}{_when(when)}{'' if result is None else ', return ' + of(result)}"


def _when(when: Expression | None) -> str:
    return "" if when is None else f" when {of(when)}"


def _where(where: Expression | None) -> str:
    return "" if where is None else f" where {of(where)}"
