"""Makes a failing program small: parts are taken away as long as it fails in the same way (delta debugging)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from random_programs.syntax import BINDERS, E, Program, Statement, free, inner, num, variable_of


def size(program: Program) -> int:
    """What the search makes small."""
    nodes = sum(_weight(e) for e in program.expressions())
    lists = (
        program.statements,
        program.noises,
        program.functions,
        program.parameters,
        program.memories,
        program.fields,
        program.public,
    )
    return nodes + 3 * sum(map(len, lists)) + program.size + program.steps + sum(len(f.values) for f in program.fields)


def _weight(e: E) -> int:
    return 1 + (e.kind == "num" and e.data[0] not in (0, 1)) + sum(map(_weight, e.parts))


def minimised(program: Program, fails: Callable[[Program], bool], budget: int = 3000) -> Program:
    """A smaller program for which `fails` holds, after at most `budget` trials."""
    left = budget
    while True:
        for smaller in sorted(_smaller(program), key=size):
            if size(smaller) >= size(program):
                continue
            left -= 1
            if left < 0:
                return program
            if fails(smaller):
                program = smaller
                break
        else:
            return program


def _smaller(program: Program) -> Iterator[Program]:
    statements = program.statements
    for i, s in enumerate(statements):
        yield replace(program, statements=statements[:i] + statements[i + 1 :])
        if s.kind == "statistic" and s.value is not None:
            yield _in_line(program, i)
        for e in _simpler(s.value):
            yield _with(program, i, replace(s, value=e))
        for e in _simpler(s.when):
            yield _with(program, i, replace(s, when=e))
        if s.when is not None:
            yield _with(program, i, replace(s, when=None))
    for i, f in enumerate(program.functions):
        yield replace(program, functions=program.functions[:i] + program.functions[i + 1 :])
        for e in _simpler(f.body):
            yield replace(program, functions=(*program.functions[:i], replace(f, body=e), *program.functions[i + 1 :]))
    for i in range(len(program.noises)):
        yield replace(program, noises=program.noises[:i] + program.noises[i + 1 :])
    for i in range(len(program.memories)):
        yield replace(program, memories=program.memories[:i] + program.memories[i + 1 :])
    for i in range(1, len(program.fields)):
        yield replace(program, fields=program.fields[:i] + program.fields[i + 1 :])
    if program.size > 1:
        yield replace(program, size=program.size - 1)
    if program.steps > 1:
        yield replace(program, steps=program.steps - 1)


def _with(program: Program, i: int, s: Statement) -> Program:
    return replace(program, statements=(*program.statements[:i], s, *program.statements[i + 1 :]))


def _in_line(program: Program, i: int) -> Program:
    """The statistic's expression in place of its name."""
    s = program.statements[i]
    assert s.value is not None
    value = s.value
    f = lambda e: value if e.kind == "name" and e.data[0] == s.name else e.with_parts(tuple(map(f, e.parts)))  # noqa: E731
    rest = [replace(t, value=None if t.value is None else f(t.value), when=None if t.when is None else f(t.when))
            for j, t in enumerate(program.statements) if j != i]  # fmt: skip
    return replace(program, statements=tuple(rest))


def _simpler(e: E | None) -> Iterator[E]:
    """The expression with one part replaced by something smaller."""
    if e is None:
        return
    yield from _here(e)
    for i, part in enumerate(e.parts):
        for smaller in _simpler(part):
            yield e.with_parts((*e.parts[:i], smaller, *e.parts[i + 1 :]))


def _here(e: E) -> Iterator[E]:
    if e.kind in ("num", "name", "var", "step", "records", "range", "set"):
        if e.kind in ("name", "var", "step") or (e.kind == "num" and e.data[0] not in (0, 1)):
            yield num(1.0)
        elif e.kind == "range" and e.parts[1].kind == "num" and e.parts[1].data[0] > 1:
            yield e.with_parts((e.parts[0], num(e.parts[1].data[0] - 1)))
        elif e.kind == "range" and e.parts[0].kind == "num" and e.parts[0].data[0] == 0:
            yield e.with_parts((num(1.0), e.parts[1]))
        elif e.kind == "set":
            for i in range(len(e.parts)):
                if len(e.parts) > 1:
                    yield e.with_parts(e.parts[:i] + e.parts[i + 1 :])
        return
    yield num(0.0)
    yield num(1.0)
    if e.kind in BINDERS:
        v = variable_of(e)
        if len(e.parts) > 2:
            yield e.with_parts(e.parts[:2])
        yield from (p for p in inner(e) if v not in free(p)[0])
        return
    yield from e.parts
    if e.kind == "time" and len(e.parts) > 1:
        yield e.with_parts(e.parts[:1])
    if e.kind in ("list", "call") and len(e.parts) > 1:
        for i in range(len(e.parts)):
            yield e.with_parts(e.parts[:i] + e.parts[i + 1 :])
