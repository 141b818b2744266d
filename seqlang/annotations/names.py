"""Which declaration every name of a file means: by the scopes of the language, on the text alone.

A name is declared once in a file, apart from the variables of `for` and the parameters of functions, which are seen in
their own expressions only, and labels, which are declared by being returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from seqlang.elaborate.names.builtins import AGGREGATES, CALLABLE, LOOKBACKS, METHODS, NOTIONS, RESERVED
from seqlang.elaborate.names.symbols import SymbolKind, collect
from seqlang.elaborate.problems import Problems
from seqlang.laws.facts import names as laws
from seqlang.record import record
from seqlang.source import Span
from seqlang.syntax import tree
from seqlang.syntax.walk import children

Kind = Literal[SymbolKind, "algorithm", "label", "variable", "parameter", "law", "builtin", "argument", "unknown"]
"""`variable`: of `for`; `parameter`: of a function of the file; `builtin`: a function or a name of the language;
`argument`: the name of a parameter of a law or a function of the language."""
OURS: frozenset[Kind] = frozenset({"law", "builtin", "argument", "unknown"})
"""What the file does not declare."""


@record
class Meaning:
    """What a name stands for. `declared` is where its declaration begins, which tells apart things of one name; None
    for what the file does not declare. `of` is the law or the function that an `argument` belongs to."""

    name: str
    kind: Kind
    declared: int | None = None
    of: str = ""


@record
class Occurrence:
    """A name where it stands. `declares`: the declaration itself, or, of a label, where it is returned."""

    span: Span
    meaning: Meaning
    declares: bool = False


def occurrences(file: tree.File) -> tuple[Occurrence, ...]:
    """Every name of the file in order of place."""
    found = _Names(file)
    for statement in file.statements:
        found.statement(statement)
    return tuple(sorted(found.all, key=lambda o: o.span.start))


Scope = Mapping[str, Meaning]


class _Names:
    """Walks over the statements, and keeps what it finds in `all`."""

    def __init__(self, file: tree.File) -> None:
        symbols = collect(file, Problems())
        self.all: list[Occurrence] = []
        self.globals = {s.name: Meaning(s.name, s.kind, s.span.start) for s in symbols.values()}
        self.functions = {
            s.name: {p.name: Meaning(p.name, "parameter", p.span.start) for p in reversed(s.statement.parameters or ())}
            for s in symbols.values()
            if isinstance(s.statement, tree.Let) and s.kind == "function"
        }
        self.labels = _labels(file, self.globals)

    def statement(self, node: tree.Statement) -> None:
        match node:
            case tree.Algorithm(name=name):
                self._enter(name, Meaning(name.name, "algorithm", name.span.start), declares=True)
            case tree.Let(name=name, parameters=tuple() as parameters, value=value):
                self._declared(name)
                own = {p.name: Meaning(p.name, "parameter", p.span.start) for p in reversed(parameters)}
                for parameter in parameters:
                    self._enter(parameter, own[parameter.name], declares=True)
                self._expression(value, own)
            case tree.Param(name=name) | tree.Let(name=name) | tree.MemoryDeclaration(name=name):
                self._declaration(node, name)
            case tree.Statistic(name=name) | tree.Draw(name=name) | tree.Report(name=name):
                self._declaration(node, name)
            case tree.ModelDeclaration(name=name):
                self._declaration(node, name)
            case tree.Inputs(fields=fields, size=size):
                for field in fields:
                    self._declared(field.name)
                    self._inside((field.domain,), {})
                if size is not None:
                    self._expression(size, {})
            case tree.Claim(expect=expect):
                self._inside((part for part in children(node) if part is not expect), {})
            case _:
                self._inside(children(node), {})

    def _declaration(self, node: tree.Statement, name: tree.Name) -> None:
        self._declared(name)
        self._inside((part for part in children(node) if part is not name), {})

    def _declared(self, name: tree.Name) -> None:
        self._enter(name, self.globals[name.name], declares=True)

    def _inside(self, parts: Iterable[object], scope: Scope) -> None:
        for part in parts:
            self._expression(part, scope)

    def _expression(self, node: object, scope: Scope) -> None:
        match node:
            case tree.Name():
                self._read(node, scope)
            case tree.Call(function=function, arguments=arguments):
                called = self._called(function, scope)
                for argument in arguments:
                    if isinstance(argument, tree.Keyword):
                        self._enter(argument.name, self._argument(called, argument.name.name))
                        self._expression(argument.value, scope)
                    else:
                        self._expression(argument, scope)
            case tree.Member(base=base, name=name):
                self._expression(base, scope)
                self._enter(name, Meaning(name.name, "builtin" if name.name in METHODS else "unknown"))
            case tree.OverSet(value=value, binder=binder) | tree.ListFor(value=value, binder=binder):
                self._bound(value, binder, scope)
            case tree.WeightsFor(weight=weight, binder=binder):
                self._bound(weight, binder, scope)
            case tree.NamedDomain(name=name):
                self._enter(name, self._of_language(name.name))
            case tree.BallDomain(name=name, arguments=arguments):
                self._enter(name, self._of_language(name.name))
                self._inside(arguments, scope)
            case _:
                self._inside(children(node), scope)

    def _bound(self, value: object, binder: tree.ForIn, scope: Scope) -> None:
        name = binder.variable
        meaning = Meaning(name.name, "variable", name.span.start)
        inside = {**scope, name.name: meaning}
        self._expression(value, inside)
        self._enter(name, meaning, declares=True)
        self._expression(binder.domain, scope)
        if binder.where is not None:
            self._expression(binder.where, inside)

    def _called(self, function: tree.Expression, scope: Scope) -> str:
        """Enters what is called: a function of the file, else of the language; a value of that name is not meant."""
        if not isinstance(function, tree.Name):
            self._expression(function, scope)
            return ""
        name = function.name
        own = self.globals.get(name)
        if own is None or (own.kind != "function" and self._of_language(name).kind != "unknown"):
            self._enter(function, self._of_language(name))
        else:
            self._enter(function, own)
        return name

    def _argument(self, called: str, key: str) -> Meaning:
        own = self.functions.get(called)
        return Meaning(key, "argument", of=called) if own is None else own.get(key, Meaning(key, "unknown"))

    def _read(self, node: tree.Name, scope: Scope) -> None:
        name = node.name
        meaning = scope.get(name) or self.globals.get(name)
        if meaning is None and name in self.labels:
            first = self.labels[name]
            self._enter(node, Meaning(name, "label", first[0]), declares=node.span.start in first)
        else:
            self._enter(node, meaning or self._of_language(name))

    def _of_language(self, name: str) -> Meaning:
        known = name in CALLABLE or name in RESERVED or name in NOTIONS
        return Meaning(name, "law" if name in laws() else "builtin" if known else "unknown")

    def _enter(self, node: tree.Name, meaning: Meaning, *, declares: bool = False) -> None:
        self.all.append(Occurrence(node.span, meaning, declares))


def _labels(file: tree.File, declared: Mapping[str, Meaning]) -> dict[str, list[int]]:
    """Every name that is returned and stands for itself, with the places where it is."""
    found: dict[str, list[int]] = {}
    for statement in file.statements:
        if isinstance(statement, tree.Stop) and statement.result is not None:
            for name in _bare(statement.result):
                if name.name not in declared and name.name not in CALLABLE and name.name not in RESERVED:
                    found.setdefault(name.name, []).append(name.span.start)
    return found


def _bare(node: object) -> Iterator[tree.Name]:
    """The names in what is returned that may be labels: none in a call or under a `for`."""
    match node:
        case tree.Name():
            yield node
        case tree.Call() | tree.OverSet() | tree.ListFor() | tree.WeightsFor() | tree.Member():
            return
        case tree.If(yes=yes, no=no):
            yield from _bare(yes)
            yield from _bare(no)
        case _:
            for part in children(node):
                yield from _bare(part)


FOLDS = frozenset(AGGREGATES) | LOOKBACKS
"""What takes a range over time or over a set."""
