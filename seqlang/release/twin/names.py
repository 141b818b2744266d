"""What the names of a file are: private or public, constant, noised, defined where."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.elaborate import elaborate
from seqlang.elaborate.claim_text import text
from seqlang.model.program import Report
from seqlang.operators.groups import NOT_RATIONAL
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import NoValue, Value
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.real import Real, Undecided
from seqlang.release.twin.written import NoTwin, names_in, renamed
from seqlang.source import NOWHERE
from seqlang.syntax import tree
from seqlang.syntax.walk import nodes, rebuilt

LARGEST_DENOMINATOR = 10**6
"""Of a constant that the grid is made finer for."""


class Names:
    """Of one file, at these values of its parameters."""

    def __init__(self, file: tree.File, settings: Mapping[str, Fraction]) -> None:
        self.file, self.settings = file, dict(settings)
        kinds: dict[type, list[Any]] = {}
        for statement in file.statements:
            kinds.setdefault(type(statement), []).append(statement)
        self._kinds = kinds
        self.fields = {f.name.name: f for s in self.of(tree.Inputs) if s.kind != "public" for f in s.fields}
        self.reports = {s.name.name for s in self.of(tree.Report)}
        self.draws = {s.name.name: s for s in self.of(tree.Draw)}
        self.lets = {s.name.name: s for s in self.of(tree.Let)}
        self.targets = {t.name.name for s in self.of(tree.Attach) for t in s.targets if t.name is not None}
        self.private = self._private()
        self.functions = {n: s for n, s in self.lets.items() if s.parameters is not None}
        self._constants = self._constant_statements()
        self._values: dict[str, Value | None] = {}
        self._definitions: dict[str, list[tree.Expression]] = {}
        for statement in file.statements:
            if isinstance(statement, tree.Let | tree.Statistic | tree.Update):
                self._definitions.setdefault(statement.name.name, []).append(statement.value)

    def of(self, kind: type) -> list[Any]:
        """The statements of one kind, in the file's order."""
        return self._kinds.get(kind, [])

    def is_public(self, node: Any) -> bool:
        """Whether it reads nothing but constants, the step and what was shown."""
        return not (names_in(node) & self.private)

    def value(self, e: tree.Expression) -> Value | None:
        """Of a constant: exact, a Real, a tuple; None for what is no constant."""
        key = text(e)
        if key not in self._values:
            found = self.values([e])
            self._values[key] = None if found is None else found[0]
        return self._values[key]

    def rational(self, e: tree.Expression) -> Fraction | None:
        """Of a constant that is known to be rational."""
        found = self.value(e)
        return Fraction(found) if isinstance(found, int | Fraction) and not isinstance(found, bool) else None

    def values(self, es: list[tree.Expression]) -> list[Value] | None:
        """Of several constants at once; None if one of them is none."""
        probes = tuple(tree.Report(tree.Name(f"value_of_{k}", NOWHERE), e, None, NOWHERE) for k, e in enumerate(es, 1))
        program, _ = elaborate(tree.File((*self._constants, *probes), self.file.span), self.settings)
        if program is None:
            return None
        compiler = Compiler(program)
        try:
            return [compiler.constant(s.value) for s in program.body if isinstance(s, Report) and s.value is not None]
        except (NotExact, NoValue, Undecided):
            return None

    def may_be_irrational(self, e: tree.Expression) -> bool:
        """Whether a public number is known to be no rational one, or is computed by roots, logarithms or densities."""
        found = self.value(e)
        return isinstance(found, Real) if found is not None else self._has_root(e, set())

    def _has_root(self, e: Any, seen: set[str]) -> bool:
        for node in nodes(e):
            match node:
                case tree.Member():
                    return True
                case tree.Name(name) if name in NOT_RATIONAL:
                    return True
                case tree.Binary("^", _, exponent):
                    whole = self.rational(exponent)
                    if whole is None or whole.denominator != 1:
                        return True
                case tree.Name(name) if name not in seen:
                    seen.add(name)
                    if any(self._has_root(value, seen) for value in self._definitions.get(name, ())):
                        return True
        return False

    def denominator(self, e: tree.Expression) -> int:
        """Of a rational constant; 1 of all else, and of those with a larger one than is looked for."""
        found = self.rational(e)
        return found.denominator if found is not None and found.denominator <= LARGEST_DENOMINATOR else 1

    def inlined(self, e: Any) -> Any:
        """With the bodies of functions for calls of them that read private values."""
        match e:
            case tree.Call(tree.Name(name), arguments) if name in self.functions and not self.is_public(e):
                function = self.functions[name]
                if not all(isinstance(a, tree.Positional) for a in arguments):
                    raise NoTwin(f"`{name}` is called with named arguments")
                given = [a.value for a in arguments if isinstance(a, tree.Positional)]
                bound = {n.variable.name for n in nodes(function.value) if isinstance(n, tree.ForIn)}
                if any(bound & names_in(a) for a in given):
                    raise NoTwin(f"`{name}` is called with a name that it binds itself")
                parameters = [p.name for p in function.parameters or ()]
                return self.inlined(renamed(function.value, dict(zip(parameters, given, strict=True))))
        return rebuilt(e, self.inlined)

    def _private(self) -> frozenset[str]:
        found = {*self.fields, *self.draws, *(self.targets - self.reports)}
        named = [s for s in self.file.statements if isinstance(s, tree.Let | tree.Statistic)]
        while True:
            more = {s.name.name for s in named if names_in(s.value) & found} - found
            if not more:
                return frozenset(found)
            found |= more

    def _constant_statements(self) -> tuple[tree.Statement, ...]:
        """What constants may read: parameters, constant lets, inputs, and models as formulas."""
        moving = {*self.fields, *self.reports, *self.draws}
        moving |= {s.name.name for s in [*self.of(tree.MemoryDeclaration), *self.of(tree.Statistic)]}
        moving |= {f.name.name for s in self.of(tree.Inputs) for f in s.fields}
        kept: list[tree.Statement] = []
        for statement in self.file.statements:
            match statement:
                case tree.Algorithm() | tree.Param() | tree.Inputs():
                    kept.append(statement)
                case tree.Let(name, _, value):
                    if names_in(value) & moving or any(isinstance(n, tree.Step) for n in nodes(value)):
                        moving.add(name.name)
                    else:
                        kept.append(statement)
                case tree.ModelDeclaration(laws=laws):
                    if not any(names_in(law.law) & (moving - set(self.fields)) for law in laws):
                        kept.append(statement)
                case _:
                    pass
        return tuple(kept)
