"""Certificates as JSON. What is not exactly of the form is Unreadable; `written` makes what `read` reads.

numbers       "3/2", and "7" where whole          words   ["tag", "reject"]
truths        true, false                          step    ["step"]
what is read  ["input", 0], in a proof ["input", 0, 2] of run 2; ["ghost", 1]
functions     ["+", a, b]; choices ["if", test, yes, no]

Everything else is an object: `is` names its class in `core.py` or `proof.py`, and it has the fields of that class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from seqlang.kernel.core import (
    Choose,
    Expression,
    Kind,
    Let,
    Letters,
    Number,
    Op,
    Pick,
    Program,
    Read,
    Remove,
    Replace,
    Report,
    Rows,
    Step,
    Stop,
    Tag,
    Tick,
    Truth,
    Update,
)
from seqlang.kernel.proof import Certificate
from seqlang.kernel.refused import Unreadable

T = TypeVar("T")
NUMBER = re.compile(r"-?\d{1,4000}(/[1-9]\d{0,3999})?")
READS = get_args(Kind)
DEEPEST = 400
"""Expressions within expressions."""


def read(data: Any) -> Certificate:
    """Raises Unreadable."""
    if not isinstance(data, dict) or data.get("kernel") != 1:
        raise Unreadable("no certificate of this kernel")
    found: Certificate = _value(Certificate, {name: part for name, part in data.items() if name != "kernel"})
    _require_numbered(found.program)
    _require_known(found)
    return found


def _value(kind: Any, data: Any) -> Any:
    """What has this type. Whole numbers are places and counts, and not negative."""
    parts = get_args(kind)
    if kind is Any:
        return data
    if kind is Fraction:
        return fraction(data)
    if get_origin(kind) in (Union, UnionType):
        if data is None and NoneType in parts:
            return None
        if Number in parts:  # an expression, or nothing
            return expression(data)
        for part in parts:
            try:
                return _value(part, data)
            except Unreadable:
                continue
    elif is_dataclass(kind) and isinstance(kind, type):
        hints = _fields(kind)
        if isinstance(data, dict) and data.keys() == {"is", *hints} and data["is"] == kind.__name__:
            return kind(**{name: _value(hint, data[name]) for name, hint in hints.items()})
    elif get_origin(kind) is tuple and isinstance(data, list):
        if parts[-1] is ...:
            return tuple(_value(parts[0], part) for part in data)
        if len(data) == len(parts):
            return tuple(_value(hint, part) for hint, part in zip(parts, data, strict=True))
    elif get_origin(kind) is Literal:
        for part in parts:
            if type(data) is type(part) and data == part:
                return data
    elif kind in (int, bool, str, NoneType) and type(data) is kind and (kind is not int or data >= 0):
        return data
    raise Unreadable(f"no {getattr(kind, '__name__', kind)}: {str(data)[:60]}")


@cache
def _fields(kind: type) -> Mapping[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def fraction(data: Any) -> Fraction:
    if not isinstance(data, str) or not NUMBER.fullmatch(data):
        raise Unreadable(f"no number: {str(data)[:40]}")
    return Fraction(data)


def expression(data: Any, depth: int = 0) -> Expression:
    if depth > DEEPEST:
        raise Unreadable("expressions too deep within each other")
    match data:
        case bool():
            return Truth(data)
        case str():
            return Number(fraction(data))
        case ["tag", str(word)]:
            return Tag(word)
        case ["step"]:
            return Step()
        case ["if", test, yes, no]:
            return Choose(*(expression(part, depth + 1) for part in (test, yes, no)))
        case [str(kind), index, *run] if kind in READS and run in ([], [1], [2]):
            return Read(cast(Kind, kind), _value(int, index), _value(Literal[0, 1, 2], [*run, 0][0]))
        case [str(name), *arguments] if arguments and name not in READS:
            return Op(name, tuple(expression(part, depth + 1) for part in arguments))
    raise Unreadable(f"no expression: {str(data)[:60]}")


def _require_known(proof: Certificate) -> None:
    """Everything that is read, moved or led to exists."""
    program, modes = proof.program, len(proof.modes)
    many = {
        "input": len(program.inputs), "cell": len(program.cells), "memory": len(program.memories),
        "draw": len(program.draws), "pick": len(program.picks), "report": len(program.reports),
        "ghost": len(proof.ghosts), "let": sum(isinstance(s, Let) for s in program.body),
        "row": _many_rows(program.rows),
    }  # fmt: skip
    for part in _all(Read, proof):
        if part.index >= many[part.kind]:
            raise Unreadable(f"{part.kind} {part.index} does not exist")
    for part in _all(Read, program):
        if part.run or part.kind == "ghost":
            raise Unreadable("a program that reads what only proofs have")
    reports, stops = len(program.reports), len(program.stops)
    for edge in proof.edges:
        if max(edge.source, edge.target) >= modes or len(edge.outcome.reports) != reports:
            raise Unreadable("an edge to a mode, or with a report, that does not exist")
        if edge.outcome.stop is not None and edge.outcome.stop >= stops:
            raise Unreadable("an edge with a stop that does not exist")
    moved = [
        draw for part in (*proof.edges, *proof.modes) for draw, _ in getattr(part, "moves", getattr(part, "kept", ()))
    ]
    if any(draw >= many["draw"] for draw in moved):
        raise Unreadable("a draw that does not exist is translated")
    if any(pick >= many["pick"] for edge in proof.edges for pick, _ in edge.picks):
        raise Unreadable("a pick that does not exist is paid for")
    if any(s.ghost is not None and s.ghost >= many["ghost"] for m in proof.modes for s in m.sides):
        raise Unreadable("a sign of a ghost that does not exist")


def _many_rows(rows: Rows | None) -> int:
    if rows is None:
        return 0
    return len(rows.fields) * ((rows.size or 0) if rows.listed else 1)


def _all(kind: type[T], part: Any) -> Iterator[T]:
    """Everything of this class that is anywhere in it."""
    if isinstance(part, kind):
        yield part
    if isinstance(part, tuple):
        for item in part:
            yield from _all(kind, item)
    elif is_dataclass(part):
        for one in fields(part):
            yield from _all(kind, getattr(part, one.name))


def _require_numbered(program: Program) -> None:
    """Lets, cells, picks, reports and stops are numbered in the order of the body; nothing is read above its
    place that has none there, and what does not exist is not read."""
    for kind in (Let, Tick, Pick, Report, Stop):
        found = [s.index for s in program.body if isinstance(s, kind)]
        if found != list(range(len(found))):
            raise Unreadable("statements are not numbered in their order")
    reports, memories = len(program.reports), len(program.memories)
    for statement in program.body:
        if isinstance(statement, Tick) and statement.since is not None and statement.since >= reports:
            raise Unreadable("a cell begins anew at a report that does not exist")
        if isinstance(statement, Update) and statement.index >= memories:
            raise Unreadable("a memory that does not exist is updated")
    if any(isinstance(d.life, int) and d.life >= reports for d in program.draws):
        raise Unreadable("a draw is renewed at a report that does not exist")
    if any(not domain.values for domain in _all(Letters, program)):
        raise Unreadable("a domain without values")
    if any(not pick.values or len(pick.values) != len(pick.weights) for pick in program.picks):
        raise Unreadable("a pick without values, or without a weight for each")
    if isinstance(program.adjacency, Replace | Remove) and program.adjacency.count < 1:
        raise Unreadable("neighbours that are the same")


# ---- writing


def written(proof: Certificate) -> dict[str, Any]:
    return {"kernel": 1, **_out(proof)}


def _out(part: Any) -> Any:
    match part:
        case Fraction():
            return str(part)
        case Number(value):
            return str(value)
        case Truth(value):
            return value
        case Tag(word):
            return ["tag", word]
        case Step():
            return ["step"]
        case Read(kind, index, run):
            return [kind, index, run] if run else [kind, index]
        case Op(name, arguments):
            return [name, *map(_out, arguments)]
        case Choose(test, yes, no):
            return ["if", _out(test), _out(yes), _out(no)]
        case tuple():
            return list(map(_out, part))
    if is_dataclass(part):
        return {"is": type(part).__name__, **{one.name: _out(getattr(part, one.name)) for one in fields(part)}}
    return part
