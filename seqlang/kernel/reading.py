"""Certificates as JSON. What is not exactly of the form is Unreadable; `written` makes what `read` reads.

numbers       "3/2", and "7" where whole          words   ["tag", "reject"]
truths        true, false                          step    ["step"]
what is read  ["input", 0], in a proof ["input", 0, 2] of run 2; ["ghost", 1]
functions     ["+", a, b]; choices ["if", test, yes, no]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar, cast

from seqlang.kernel.core import (
    Adjacency,
    Choose,
    Draw,
    Expression,
    Input,
    Let,
    Letters,
    Number,
    Op,
    Program,
    Range,
    Read,
    Remove,
    Replace,
    Report,
    Rows,
    Statement,
    Step,
    Stop,
    Tag,
    Tick,
    Truth,
    Update,
    Within,
)
from seqlang.kernel.proof import Certificate, Edge, Ghost, Mode, Outcome, Side
from seqlang.kernel.refused import Unreadable

NUMBER = re.compile(r"-?\d{1,4000}(/[1-9]\d{0,3999})?")
READS = ("input", "let", "cell", "memory", "report", "draw", "row", "ghost")
DEEPEST = 400
"""Expressions within expressions."""
T = TypeVar("T")


def read(data: Any) -> Certificate:
    """Raises Unreadable."""
    match data:
        case {
            "kernel": 1, "program": program, "epsilon": epsilon, "ghosts": [*ghosts], "modes": [*modes],
            "edges": [*edges], "starts": [*starts],
        }:  # fmt: skip
            found = Certificate(
                _program(program), expression(epsilon), tuple(map(_ghost, ghosts)), tuple(map(_mode, modes)),
                tuple(map(_edge, edges)), tuple(map(_trees, starts)),
            )  # fmt: skip
            _require_known(found)
            return found
    raise Unreadable("no certificate of this kernel")


def _require_known(proof: Certificate) -> None:
    """Everything that is read, moved or led to exists."""
    program, modes = proof.program, len(proof.modes)
    many = {
        "input": len(program.inputs), "cell": len(program.cells), "memory": len(program.memories),
        "draw": len(program.draws), "report": len(program.reports), "ghost": len(proof.ghosts),
        "let": sum(isinstance(s, Let) for s in program.body), "row": _many_rows(program.rows),
    }  # fmt: skip
    for part in _reads(proof):
        if part.index >= many[part.kind]:
            raise Unreadable(f"{part.kind} {part.index} does not exist")
    for part in _reads(program):
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
    if any(s.ghost is not None and s.ghost >= many["ghost"] for m in proof.modes for s in m.sides):
        raise Unreadable("a sign of a ghost that does not exist")


def _many_rows(rows: Rows | None) -> int:
    if rows is None:
        return 0
    return len(rows.fields) * ((rows.size or 0) if rows.listed else 1)


def _reads(part: Any) -> Iterator[Read]:
    """Everything that is read anywhere in it."""
    if isinstance(part, Read):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _reads(item)
    elif is_dataclass(part):
        for one in fields(part):
            yield from _reads(getattr(part, one.name))


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
        case [str(kind), int(index)] if kind in READS:
            return Read(cast(Any, kind), _index(index))
        case [str(kind), int(index), (1 | 2) as run] if kind in READS:
            return Read(cast(Any, kind), _index(index), run)
        case [str(name), *arguments] if arguments and name not in READS:
            return Op(name, tuple(expression(part, depth + 1) for part in arguments))
    raise Unreadable(f"no expression: {str(data)[:60]}")


def _index(data: Any) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < 0:
        raise Unreadable(f"no place: {str(data)[:40]}")
    return data


def _maybe(read: Callable[[Any], T], data: Any) -> T | None:
    return None if data is None else read(data)


def _truth(data: Any) -> bool:
    if not isinstance(data, bool):
        raise Unreadable("no truth value")
    return data


def _program(data: Any) -> Program:
    match data:
        case {
            "inputs": [*inputs], "rows": rows, "adjacency": adjacency, "memories": [*memories], "draws": [*draws],
            "body": [*body],
        }:  # fmt: skip
            found = Program(
                tuple(map(_input, inputs)), _maybe(_rows, rows), _adjacency(adjacency),
                tuple(map(expression, memories)), tuple(map(_draw, draws)), tuple(map(_statement, body)),
            )  # fmt: skip
            _require_numbered(found)
            return found
    raise Unreadable("no program")


def _require_numbered(program: Program) -> None:
    """Lets, cells, reports and stops are numbered in the order of the body; nothing is read above its place that has
    none there, and what does not exist is not read."""
    for kind in (Let, Tick, Report, Stop):
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


def _input(data: Any) -> Input:
    match data:
        case {"domain": domain, "public": bool(public)}:
            return Input(_domain(domain), public)
    raise Unreadable("no input")


def _rows(data: Any) -> Rows:
    match data:
        case {"fields": [*fields], "size": None | int() as size, "listed": bool(listed)}:
            return Rows(tuple(map(_domain, fields)), _maybe(_index, size), listed)
    raise Unreadable("no rows")


def _domain(data: Any) -> Letters | Range:
    match data:
        case {"letters": [*values]} if values:
            return Letters(tuple(map(fraction, values)))
        case {"low": low, "high": high, "whole": bool(whole)}:
            return Range(_maybe(fraction, low), _maybe(fraction, high), whole)
    raise Unreadable("no domain")


def _adjacency(data: Any) -> Adjacency:
    match data:
        case {"replace": int(count)} if count >= 1 and not isinstance(count, bool):
            return Replace(count)
        case {"remove": int(count)} if count >= 1 and not isinstance(count, bool):
            return Remove(count)
        case {"within": radius, "of": of, "every": bool(every), "one direction": bool(directed)}:
            return Within(expression(of), expression(radius), every, directed)
    raise Unreadable("no adjacency")


def _draw(data: Any) -> Draw:
    match data:
        case {"law": str(law), "arguments": [*arguments], "life": life}:
            lives: Literal["step", "once"] | int = life if life in ("step", "once") else _index(life)
            return Draw(law, tuple(map(expression, arguments)), lives)
    raise Unreadable("no draw")


def _statement(data: Any) -> Statement:
    match data:
        case ["let", int(index), value]:
            return Let(_index(index), expression(value))
        case ["tick", int(index), ("sum" | "count" | "last") as operator, value, where, since, start]:
            return Tick(
                _index(index), operator, expression(value), _maybe(expression, where), _maybe(_index, since),
                _maybe(expression, start),
            )  # fmt: skip
        case ["report", int(index), when, value]:
            return Report(_index(index), _maybe(expression, when), _maybe(expression, value))
        case ["update", int(index), value, when]:
            return Update(_index(index), expression(value), _maybe(expression, when))
        case ["stop", int(index), when, result]:
            return Stop(_index(index), _maybe(expression, when), _maybe(expression, result))
    raise Unreadable("no statement")


def _ghost(data: Any) -> Ghost:
    match data:
        case {"value": value, "low": low, "high": high, "proofs": [*proofs]}:
            return Ghost(expression(value), expression(low), expression(high), tuple(proofs))
    raise Unreadable("no ghost")


def _moves(data: Any) -> tuple[tuple[int, Expression], ...]:
    match data:
        case [*pairs] if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            return tuple((_index(draw), expression(move)) for draw, move in pairs)
    raise Unreadable("no translations")


def _mode(data: Any) -> Mode:
    match data:
        case {"sides": [*sides], "relation": [*relation], "paid": paid, "kept": kept, "start": bool(start)}:
            return Mode(
                tuple(map(_side, sides)), tuple(map(expression, relation)), expression(paid), _moves(kept), start
            )
    raise Unreadable("no mode")


def _side(data: Any) -> Side:
    match data:
        case [None | int() as ghost, bool(positive)]:
            return Side(_maybe(_index, ghost), positive)
    raise Unreadable("no sign of a ghost")


def _trees(data: Any) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise Unreadable("no list of trees")
    return tuple(data)


def _edge(data: Any) -> Edge:
    match data:
        case {
            "from": source, "to": target, "changed": bool(changed), "reports": [*reports], "stop": stop, "moves": moves,
            "proofs": [*proofs],
        }:  # fmt: skip
            outcome = Outcome(tuple(_maybe(_truth, made) for made in reports), _maybe(_index, stop))
            return Edge(_index(source), _index(target), changed, outcome, _moves(moves), tuple(map(_trees, proofs)))
    raise Unreadable("no edge")


# ---- writing


def written(proof: Certificate) -> dict[str, Any]:
    return {
        "kernel": 1,
        "program": program_written(proof.program),
        "epsilon": _out(proof.epsilon),
        "ghosts": [
            {"value": _out(g.value), "low": _out(g.low), "high": _out(g.high), "proofs": list(g.proofs)}
            for g in proof.ghosts
        ],
        "modes": [
            {
                "sides": [[s.ghost, s.positive] for s in m.sides], "relation": list(map(_out, m.relation)),
                "paid": _out(m.paid), "kept": [[k, _out(e)] for k, e in m.kept], "start": m.start,
            }
            for m in proof.modes
        ],
        "edges": [
            {
                "from": e.source, "to": e.target, "changed": e.changed, "reports": list(e.outcome.reports),
                "stop": e.outcome.stop, "moves": [[k, _out(m)] for k, m in e.moves],
                "proofs": list(map(list, e.proofs)),
            }
            for e in proof.edges
        ],
        "starts": list(map(list, proof.starts)),
    }  # fmt: skip


def program_written(program: Program) -> dict[str, Any]:
    return {
        "inputs": [{"domain": _domain_out(i.domain), "public": i.public} for i in program.inputs],
        "rows": None if program.rows is None else _rows_out(program.rows),
        "adjacency": _adjacency_out(program.adjacency),
        "memories": list(map(_out, program.memories)),
        "draws": [{"law": d.law, "arguments": list(map(_out, d.arguments)), "life": d.life} for d in program.draws],
        "body": list(map(_statement_out, program.body)),
    }


def _out(e: Expression | None) -> Any:
    match e:
        case None:
            return None
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


def _rows_out(rows: Rows) -> dict[str, Any]:
    return {"fields": list(map(_domain_out, rows.fields)), "size": rows.size, "listed": rows.listed}


def _domain_out(domain: Letters | Range) -> dict[str, Any]:
    match domain:
        case Letters(values):
            return {"letters": list(map(str, values))}
        case Range(low, high, whole):
            ends = {"low": None if low is None else str(low), "high": None if high is None else str(high)}
            return {**ends, "whole": whole}


def _adjacency_out(adjacency: Adjacency) -> dict[str, Any]:
    match adjacency:
        case Replace(count):
            return {"replace": count}
        case Remove(count):
            return {"remove": count}
        case Within(of, radius, every, directed):
            return {"within": _out(radius), "of": _out(of), "every": every, "one direction": directed}


def _statement_out(statement: Statement) -> list[Any]:
    match statement:
        case Let(index, value):
            return ["let", index, _out(value)]
        case Tick(index, operator, value, where, since, start):
            return ["tick", index, operator, _out(value), _out(where), since, _out(start)]
        case Report(index, when, value):
            return ["report", index, _out(when), _out(value)]
        case Update(index, value, when):
            return ["update", index, _out(value), _out(when)]
        case Stop(index, when, result):
            return ["stop", index, _out(when), _out(result)]
