"""Pass 1: which names a file declares, and which of them change from step to step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from seqlang.elaborate.names.builtins import CALLABLE, RESERVED
from seqlang.elaborate.problems import Problems
from seqlang.record import record
from seqlang.source import Span
from seqlang.syntax import tree

SymbolKind = Literal[
    "param", "let", "function", "stream", "dataset", "public", "model", "memory", "statistic", "draw", "report"
]
FIELDS = frozenset({"stream", "dataset", "public"})


@record
class Symbol:
    """A declared name. `position` is the index of its statement in the file."""

    name: str
    kind: SymbolKind
    statement: tree.Statement
    span: Span
    position: int


def collect(file: tree.File, problems: Problems) -> dict[str, Symbol]:
    """Every declared name, the first declaration of each; a second one is an error."""
    found: dict[str, Symbol] = {}
    for position, statement in enumerate(file.statements):
        for name, kind in _declared(statement):
            symbol = Symbol(name.name, kind, statement, name.span, position)
            _check(symbol, found.get(name.name), problems)
            found.setdefault(name.name, symbol)
    return found


def _declared(statement: tree.Statement) -> Iterator[tuple[tree.Name, SymbolKind]]:
    match statement:
        case tree.Param():
            yield statement.name, "param"
        case tree.Let():
            yield statement.name, "let" if statement.parameters is None else "function"
        case tree.Inputs():
            for field in statement.fields:
                yield field.name, statement.kind
        case tree.ModelDeclaration():
            yield statement.name, "model"
        case tree.MemoryDeclaration():
            yield statement.name, "memory"
        case tree.Statistic():
            yield statement.name, "statistic"
        case tree.Draw():
            yield statement.name, "draw"
        case tree.Report():
            yield statement.name, "report"
        case _:
            return


def _check(symbol: Symbol, earlier: Symbol | None, problems: Problems) -> None:
    if earlier is not None:
        problems.add(
            "E0201",
            f"`{symbol.name}` is declared twice",
            symbol.span,
            "declared again here",
            [(earlier.span, "first declared here")],
            help="a name has one meaning in a file: rename one of the two",
        )
    elif symbol.name in RESERVED or (symbol.kind == "function" and symbol.name in CALLABLE):
        problems.add(
            "E0202",
            f"`{symbol.name}` is a name of the language",
            symbol.span,
            "cannot be declared",
            help=f"choose another name, for example `{symbol.name}_`",
        )


def names_in(node: object) -> Iterator[tree.Name]:
    """Every name that is read in a tree, without bound variables, keywords and members."""
    match node:
        case tree.Name():
            yield node
        case tree.Keyword(value=value):
            yield from names_in(value)
        case tree.Member(base=base):
            yield from names_in(base)
        case tree.OverSet(value=value, binder=binder) | tree.ListFor(value=value, binder=binder):
            yield from _names_under(value, binder)
        case tree.WeightsFor(weight=weight, binder=binder):
            yield from _names_under(weight, binder)
        case tuple():
            for item in node:
                yield from names_in(item)
        case _ if type(node).__module__ == tree.__name__:
            for slot in type(node).__slots__:  # type: ignore[attr-defined]
                if slot != "span":
                    yield from names_in(getattr(node, slot))
        case _:
            return


def _names_under(value: object, binder: tree.ForIn) -> Iterator[tree.Name]:
    yield from names_in(binder.domain)
    for name in names_in((value, binder.where)):
        if name.name != binder.variable.name:
            yield name


def reads_memory(symbols: Mapping[str, Symbol], node: object) -> bool:
    """Whether a tree reads memory, by itself or through what `let` defines."""
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        for name in (n.name for n in names_in(waiting.pop())):
            if name in symbols and name not in seen:
                seen.add(name)
                if symbols[name].kind == "memory":
                    return True
                waiting.append(_body(symbols[name].statement))
    return False


def changing(symbols: Mapping[str, Symbol]) -> frozenset[str]:
    """The lets, functions, models and draws that read, directly or not, something that is no constant.

    Decided on the text alone, before anything is translated: a `let` that changes is computed in its place each step,
    a draw whose law does not change may stand anywhere.
    """
    reads: dict[str, set[str]] = {}
    result = {s.name for s in symbols.values() if s.kind in FIELDS | {"memory", "statistic", "report"}}
    for symbol in symbols.values():
        if symbol.kind in ("let", "function", "model", "draw"):
            body = _body(symbol.statement)
            reads[symbol.name] = {n.name for n in names_in(body)} - _own_parameters(symbol.statement)
            if _looks_at_time(body):
                result.add(symbol.name)
    fields = {s.name for s in symbols.values() if s.kind in FIELDS}
    grew = True
    while grew:
        more = {name for name, others in reads.items() if name not in result and others & result}
        more = {name for name in more if symbols[name].kind != "model"} | {
            name for name in more if symbols[name].kind == "model" and reads[name] & result - fields
        }
        grew = bool(more)
        result |= more
    return frozenset(result | _drawn_from_draws(symbols, reads, result))


def _drawn_from_draws(symbols: Mapping[str, Symbol], reads: Mapping[str, set[str]], result: set[str]) -> set[str]:
    """Draws whose law reads another draw: their law is not constant either."""
    random = {s.name for s in symbols.values() if s.kind == "draw" and s.name not in result}
    grew = True
    while grew:
        more = {n for n in reads if n not in random and symbols[n].kind != "draw" and reads[n] & random}
        grew = bool(more)
        random |= more
    return {s.name for s in symbols.values() if s.kind == "draw" and reads[s.name] & random}


def _body(statement: tree.Statement) -> object:
    match statement:
        case tree.Let(value=value):
            return value
        case tree.Draw(law=law):
            return law
        case tree.ModelDeclaration(laws=laws):
            return tuple(law.law for law in laws)
        case _:
            return ()


def _own_parameters(statement: tree.Statement) -> set[str]:
    if isinstance(statement, tree.Let) and statement.parameters is not None:
        return {p.name for p in statement.parameters}
    return set()


def _looks_at_time(node: object) -> bool:
    match node:
        case tree.Step() | tree.OverTime():
            return True
        case tree.Call(function=tree.Name(name="previous" | "history")):
            return True
        case tuple():
            return any(_looks_at_time(item) for item in node)
        case _ if type(node).__module__ == tree.__name__:
            return any(_looks_at_time(getattr(node, s)) for s in type(node).__slots__ if s != "span")  # type: ignore[attr-defined]
        case _:
            return False
