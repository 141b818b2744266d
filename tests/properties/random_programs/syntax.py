"""The generator's own syntax of programs, and how it is written as `.seq` text.

A bound variable is a number here, so scope cannot be confused. Letters are chosen when a program is written, from few,
so that nested and sibling binders often share one. Writing is correct under lexical scope: a letter is never given to a
binder whose body reads something else of that name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

Data = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class E:
    """An expression. `kind` and `data` say which; the parts are its sub-expressions.

    | kind     | parts                    | data                                                     |
    |----------|--------------------------|----------------------------------------------------------|
    | num      |                          | value                                                    |
    | name     |                          | a global name: field, parameter, let, memory, statistic  |
    | var      |                          | number of the bound variable                             |
    | step     |                          |                                                          |
    | records  |                          |                                                          |
    | op       | left, right              | operator                                                 |
    | call     | arguments                | function of the language (`-` and `not` included)        |
    | apply    | arguments                | function of the program                                  |
    | if       | condition, then, else    |                                                          |
    | index    | list, place              |                                                          |
    | list     | elements                 |                                                          |
    | set      | elements                 |                                                          |
    | range    | low, high                |                                                          |
    | listfor  | body, domain[, where]    | variable                                                 |
    | fold     | body, domain[, where]    | operator, variable                                       |
    | time     | body[, where]            | operator, "steps", None; "since" or "history", report; "last", count |
    | previous | body, initial            |                                                          |
    | recall   | initial                  | the statistic that it stands in: its value a step before |
    | weights  | weight, domain           | variable: a law, drawn from                              |
    | label    |                          | what a stop returns                                      |
    | minimise | objective, dimension     | "argmin", variable: over all vectors of that dimension   |
    | sample   | set                      | chance of each member: a law                             |
    | density  | law, place               | method of the law: pdf, pmf or cdf                       |
    """

    kind: str
    parts: tuple[E, ...] = ()
    data: Data = ()

    def with_parts(self, parts: tuple[E, ...]) -> E:
        return E(self.kind, parts, self.data)


BINDERS = ("fold", "listfor", "weights", "minimise")


def num(value: float) -> E:
    return E("num", (), (value,))


def name(n: str) -> E:
    return E("name", (), (n,))


def var(v: int) -> E:
    return E("var", (), (v,))


STEP = E("step")
RECORDS = E("records")


def op(symbol: str, a: E, b: E) -> E:
    return E("op", (a, b), (symbol,))


def call(function: str, *parts: E) -> E:
    return E("call", parts, (function,))


def index(items: E, place: E) -> E:
    return E("index", (items, place))


def upto(low: E, high: E) -> E:
    return E("range", (low, high))


def variable_of(e: E) -> int:
    """The variable that a binder binds."""
    v: int = e.data[-1]
    return v


def inner(e: E) -> tuple[E, ...]:
    """Of a binder, the parts in its variable's scope: all but the domain."""
    return (e.parts[0], *e.parts[2:])


def walk(e: E) -> Iterator[E]:
    yield e
    for part in e.parts:
        yield from walk(part)


def free(e: E) -> tuple[frozenset[int], frozenset[str]]:
    """Variables that are read and not bound inside, and global names that are read."""
    if e.kind == "var":
        return frozenset(e.data), frozenset()
    if e.kind in ("name", "apply", "recall"):
        names = frozenset({e.data[0]})
    elif e.kind == "time" and e.data[1] in ("since", "history"):
        names = frozenset({e.data[2]})
    elif e.kind == "records":
        names = frozenset({"records"})
    elif e.kind == "call" or e.kind in ("fold", "time"):
        names = frozenset({e.data[0]})
    else:
        names = frozenset()
    variables: frozenset[int] = frozenset()
    for i, part in enumerate(e.parts):
        v, n = free(part)
        if e.kind in BINDERS and i != 1:
            v = v - {variable_of(e)}
        variables |= v
        names |= n
    return variables, names


def copied(e: E) -> E:
    """With nodes of its own: the evaluator keeps the state of a look-back by the node."""
    return E(e.kind, tuple(copied(p) for p in e.parts), e.data)


# ---- statements


@dataclass(frozen=True)
class Statement:
    """`kind`: statistic, let, update, report, stop, draw. `value` may be missing (events, stops without return)."""

    kind: str
    name: str = ""
    value: E | None = None
    when: E | None = None


@dataclass(frozen=True)
class Function:
    """`let name(parameters) = body`; a parameter is a bound variable of the body."""

    name: str
    parameters: tuple[int, ...]
    body: E


@dataclass(frozen=True)
class Noise:
    """`law` is a family and its numbers, or laws; `targets` names, or "return"; `life` once, each step, or each R. With
    a `name` it is one draw for all targets, each with its factor (1, -1 or a public expression), and can be read by
    that name; without, every target has a draw of its own."""

    law: tuple[Any, ...]
    targets: tuple[str, ...]
    life: str = ""
    name: str = ""
    factors: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Field:
    """`domain` as written; `values` are those that the oracle tries."""

    name: str
    domain: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Program:
    """`kind`: stream or dataset; `size`: records of a dataset; `steps`: how many steps a run has at most. `horizon`:
    what is claimed speaks of so many steps only."""

    kind: str
    fields: tuple[Field, ...]
    size: int
    steps: int
    adjacency: tuple[Any, ...]
    statements: tuple[Statement, ...]
    noises: tuple[Noise, ...]
    functions: tuple[Function, ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()
    memories: tuple[tuple[str, float], ...] = ()
    public: tuple[Field, ...] = ()
    letters: int = 0
    horizon: int | None = None
    tags: frozenset[str] = field(default=frozenset(), compare=False)

    def expressions(self) -> Iterator[E]:
        for s in self.statements:
            yield from (e for e in (s.value, s.when) if e is not None)
        yield from (f.body for f in self.functions)


def changed(program: Program, f: Callable[[E], E]) -> Program:
    """`f` done to every expression of the statements and functions."""
    statements = tuple(
        replace(s, value=None if s.value is None else f(s.value), when=None if s.when is None else f(s.when))
        for s in program.statements
    )
    functions = tuple(replace(g, body=f(g.body)) for g in program.functions)
    return replace(program, statements=statements, functions=functions)


# ---- text

POOL = ("i", "j", "k")


class Letters:
    """Which letter a binder gets: chosen by a seed, from few, and now and then the name of something else."""

    def __init__(self, seed: int, others: tuple[str, ...] = (), distinct: bool = False) -> None:
        self.rng = random.Random(seed)
        self.others = others
        self.distinct = distinct
        self.count = 0
        self.favourite = self.rng.choice(POOL)

    def pick(self, forbidden: frozenset[str]) -> str:
        if self.distinct:
            self.count += 1
            return f"v{self.count}"
        roll = self.rng.random()
        first = [self.favourite] if roll < 0.6 else list(self.others) if roll < 0.7 else []
        for letter in (*first, *self.rng.sample(POOL, len(POOL)), "n", "m", "q", "v", "u"):
            if letter not in forbidden:
                return letter
        self.count += 1
        return f"v{self.count}"


def number(value: float) -> str:
    text = f"{value:.10g}"
    return text if value >= 0 else f"({text})"


def written(e: E, scope: dict[int, str], letters: Letters) -> str:
    """The text of an expression; `scope` gives the letters of its free variables."""
    w = lambda p: written(p, scope, letters)  # noqa: E731
    match e.kind:
        case "num":
            return number(e.data[0])
        case "name" | "label":
            return str(e.data[0])
        case "var":
            return scope[e.data[0]]
        case "step" | "records":
            return e.kind
        case "op":
            return f"({w(e.parts[0])} {e.data[0]} {w(e.parts[1])})"
        case "call" if e.data[0] in ("-", "not"):
            return f"({e.data[0]} {w(e.parts[0])})"
        case "call" | "apply":
            return f"{e.data[0]}({', '.join(map(w, e.parts))})"
        case "if":
            return f"(if {w(e.parts[0])} then {w(e.parts[1])} else {w(e.parts[2])})"
        case "index":
            return f"{w(e.parts[0])}[{w(e.parts[1])}]"
        case "list":
            return f"[{', '.join(map(w, e.parts))}]"
        case "set":
            return f"{{{', '.join(map(w, e.parts))}}}"
        case "range":
            return f"{w(e.parts[0])}..{w(e.parts[1])}"
        case "time" if e.data[1] == "history":
            return f"{'length' if e.data[0] == 'count' else e.data[0]}(history({w(e.parts[0])}, {e.data[2]}))"
        case "time":
            where = f" where {w(e.parts[1])}" if len(e.parts) > 1 else ""
            over = {"steps": "over steps", "last": f"over last {e.data[2]}", "since": f"since {e.data[2]}"}[e.data[1]]
            return f"{e.data[0]}({w(e.parts[0])}{where} {over})"
        case "sample":
            return f"sample({w(e.parts[0])}, {number(e.data[0])})"
        case "density":
            return f"{w(e.parts[0])}.{e.data[0]}({w(e.parts[1])})"
        case "previous":
            return f"previous({w(e.parts[0])}, {w(e.parts[1])})"
        case "recall":
            return f"previous({e.data[0]}, {w(e.parts[0])})"
    return _binder(e, scope, letters)


def _binder(e: E, scope: dict[int, str], letters: Letters) -> str:
    v = variable_of(e)
    names: frozenset[str] = frozenset()
    for part in inner(e):
        variables, read = free(part)
        names |= read | {scope[u] for u in variables if u != v}
    letter = letters.pick(names)
    domain = written(e.parts[1], scope, letters)
    if e.kind == "minimise":
        domain = f"real ^ {domain}"
    under = scope | {v: letter}
    body = written(e.parts[0], under, letters)
    where = f" where {written(e.parts[2], under, letters)}" if len(e.parts) > 2 else ""
    binder = f"for {letter} in {domain}{where}"
    if e.kind in ("fold", "minimise"):
        return f"{e.data[0]}({body} {binder})"
    return f"[{body} {binder}]" if e.kind == "listfor" else f"{{{letter}: {body} {binder}}}"


def text(program: Program, claims: tuple[str, ...] = (), *, distinct: bool = False) -> str:
    """The `.seq` text; `distinct` gives every binder a letter of its own."""
    others = tuple(f.name for f in program.fields) + tuple(s.name for s in program.statements if s.kind == "statistic")
    letters = Letters(program.letters, others, distinct)
    lines = ["algorithm random"]
    lines += [f"param {n} = {number(v)}" for n, v in program.parameters]
    fields = ", ".join(f"{f.name} in {f.domain}" for f in program.fields)
    lines.append(f"{program.kind} {fields}" + (f" size {program.size}" if program.kind == "dataset" else ""))
    lines += [f"public {f.name} in {f.domain}" for f in program.public]
    lines.append(adjacency_text(program.adjacency))
    for f in program.functions:
        scope: dict[int, str] = {}
        read = free(f.body)[1]
        for v in f.parameters:
            scope[v] = letters.pick(read | frozenset(scope.values()))
        lines.append(f"let {f.name}({', '.join(scope[v] for v in f.parameters)}) = {written(f.body, scope, letters)}")
    lines += [f"memory {n} = {number(v)}" for n, v in program.memories]
    lines += [_statement(s, letters) for s in program.statements]
    lines += [line for n in program.noises for line in _noise(n)]
    return "\n".join((*lines, *claims)) + "\n"


def _noise(n: Noise) -> Iterator[str]:
    life = " " + n.life if n.life else ""
    if not n.name:
        yield f"attach {law_text(n.law)} to {', '.join(n.targets)}{life}"
        return
    yield f"draw {n.name} ~ {law_text(n.law)}{life}"
    for target, factor in zip(n.targets, n.factors, strict=True):
        if isinstance(factor, E):
            yield f"attach {written(factor, {}, Letters(0))} * {n.name} to {target}"
        else:
            yield f"attach {'-' if factor < 0 else ''}{n.name} to {target}"


def adjacency_text(adjacency: tuple[Any, ...]) -> str:
    match adjacency:
        case ("replace", count):
            return f"adjacent replace {'one' if count == 1 else count}"
        case ("add or remove", count):
            return f"adjacent add or remove {'one' if count == 1 else count}"
        case (extent, of, radius, same):
            return f"adjacent {extent} {of} within {number(radius)}{' same direction' if same else ''}"
    raise AssertionError(adjacency)


def law_text(law: tuple[Any, ...]) -> str:
    if law[0] == "listed":
        return "{" + ", ".join(f"{number(v)}: {number(p)}" for v, p in law[1]) + "}"
    return f"{law[0]}({', '.join(law_text(v) if isinstance(v, tuple) else number(v) for v in law[1:])})"


def _statement(s: Statement, letters: Letters) -> str:
    value = None if s.value is None else written(s.value, {}, letters)
    when = "" if s.when is None else f" when {written(s.when, {}, letters)}"
    match s.kind:
        case "statistic" | "let":
            return f"{s.kind} {s.name} = {value}"
        case "update":
            return f"update {s.name} = {value}{when}"
        case "draw":
            return f"draw {s.name} ~ {value}"
        case "report":
            return f"report {s.name}" + ("" if value is None else f" = {value}") + when
        case "stop":
            return f"stop{when}" + ("" if value is None else f" return {value}")
    raise AssertionError(s.kind)
