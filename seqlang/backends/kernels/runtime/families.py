"""The functions of `seqlang.laws.families` as kernels call them: the same text under names that say whose they are.

`density` of the law `laplace` is `pdf_laplace` (of a law on points: `pmf_..`), `cdf` is `cdf_laplace`, and so on for
all that these call; `sample_gumbel(s, ..)` is the law's `sample_words`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from pathlib import Path

from seqlang.laws import families
from seqlang.laws.facts import facts, names

_ROOTS = ("valid", "density", "cdf", "quantile", "from_variate", "sample_words")


@cache
def statements() -> dict[str, ast.stmt]:
    """By name: functions, without their imports, and the constants that they read."""
    found: dict[str, ast.stmt] = {}
    waiting = [(family, root) for family in sorted(names()) for root in _ROOTS if root in _file(family)]
    while waiting:
        family, name = waiting.pop()
        if called(family, name) in found:
            continue
        renamer = _Renamer(family)
        found[called(family, name)] = _named(renamer.visit(deepcopy(_file(family)[name])), called(family, name))
        waiting += renamer.read
    return found


def inlined(function: str, arguments: Iterable[str]) -> str:
    """The expression that the function returns, if it does nothing else, of these expressions."""
    definition = statements()[function]
    assert isinstance(definition, ast.FunctionDef)
    returned = definition.body[-1]
    assert isinstance(returned, ast.Return) and returned.value is not None
    parsed = [ast.parse(text, mode="eval").body for text in arguments]
    given = dict(zip((a.arg for a in definition.args.args), parsed, strict=True))
    return ast.unparse(_Substituted(given).visit(deepcopy(returned.value)))


def called(family: str, name: str) -> str:
    """The name in a kernel of what the law's file calls so."""
    short = {"density": "pmf" if facts(family).kind == "points" else "pdf", "sample_words": "sample"}
    return f"{short.get(name, name)}_{family}"


@cache
def _file(family: str) -> dict[str, ast.stmt]:
    """The functions and constants of a law's file."""
    found = {defined(statement): statement for statement in _tree(family).body}
    return {name: statement for name, statement in found.items() if name is not None}


def defined(statement: ast.stmt) -> str | None:
    """The name of the function or constant that a statement defines; None if it defines neither."""
    match statement:
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None


@cache
def _tree(family: str) -> ast.Module:
    return ast.parse((Path(families.__file__).parent / f"{family}.py").read_text(encoding="utf-8"))


def _named(statement: ast.stmt, name: str) -> ast.stmt:
    match statement:
        case ast.FunctionDef():
            statement.name = name
        case ast.Assign():
            statement.targets = [ast.Name(name, ast.Store())]
    return statement


class _Renamer(ast.NodeTransformer):
    """Gives what a law's file defines, or takes from another one, its name in kernels. `read` becomes what was met."""

    def __init__(self, family: str) -> None:
        self.family, self.read = family, list[tuple[str, str]]()
        self.modules: set[str] = set()
        self.taken: dict[str, tuple[str, str]] = {name: (family, name) for name in _file(family)}
        for node in ast.walk(_tree(family)):
            if isinstance(node, ast.ImportFrom) and node.module == families.__name__:
                self.modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{families.__name__}."):
                other = str(node.module).rpartition(".")[2]
                self.taken |= {alias.name: (other, alias.name) for alias in node.names}

    def _called(self, family: str, name: str) -> str:
        self.read.append((family, name))
        return called(family, name)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        hidden = (own | {a.arg for a in node.args.args}) & self.taken.keys()
        if hidden:
            raise ValueError(f"{self.family}.{node.name} has local names that its file defines: {sorted(hidden)}")
        node.body = [s for s in node.body if not isinstance(s, (ast.Import, ast.ImportFrom))]
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = self.taken.get(node.id)
        return node if known is None else ast.Name(self._called(*known), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return ast.Name(self._called(node.value.id, node.attr), node.ctx)
        return node


class _Substituted(ast.NodeTransformer):
    def __init__(self, given: dict[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.given.get(node.id, node)
