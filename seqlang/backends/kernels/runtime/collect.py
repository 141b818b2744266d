"""The text of the run-time functions that a kernel calls, with all that they call and read."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from seqlang.backends.kernels.runtime import families
from seqlang.laws import numbers, variates
from seqlang.operators import riemann_zeta
from seqlang.operators.groups import ROUNDINGS
from seqlang.record import record

HEADER = "import math\n\nimport numpy as np\nfrom numba import njit\n"
# Without reference counts, as none of these functions makes an array: they would cost more than a draw does.
DECORATOR = '@njit(nogil=True, error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)\n'


@record
class Piece:
    """A function or a constant of the run-time: its text without docstrings and annotations, and the names of the
    package's other pieces that occur in it."""

    text: str
    reads: tuple[str, ...]
    is_function: bool


def source_of(names: Iterable[str]) -> str:
    """A module of numba functions that has these names (functions or constants of the run-time) and all they need.

    It begins with its imports, is the same for the same set of names, and does not change with comments, docstrings or
    annotations. Raises KeyError for a name that is not in the run-time.
    """
    pieces = all_pieces()
    order: dict[str, None] = {}
    for name in sorted(set(names)):
        _require(name, pieces, order)
    called_by_python = _called_by_constants(order, pieces)
    texts = [
        (DECORATOR if pieces[name].is_function and name not in called_by_python else "") + pieces[name].text
        for name in order
    ]
    return "\n\n".join([HEADER, *texts]) + "\n"


@cache
def names() -> frozenset[str]:
    """All names that `source_of` knows."""
    return frozenset(all_pieces())


@cache
def all_pieces() -> dict[str, Piece]:
    """The functions and constants of this package, of what laws and operators are written with, and of the laws."""
    statements: dict[str, ast.stmt] = {}
    for path in _files():
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            name = families.defined(statement)
            if isinstance(statement, ast.AnnAssign):
                raise ValueError(f"a constant of the run-time is annotated: {ast.unparse(statement)}")
            if name is None:
                continue
            if name in statements:
                raise ValueError(f"{name} is defined twice in the run-time")
            statements[name] = statement
    statements |= families.statements()
    return {name: _piece(_AsKernel().visit(s), frozenset(statements)) for name, s in statements.items()}


def _files() -> list[Path]:
    """Whose functions and constants are pasted under their own names."""
    here = sorted(Path(__file__).parent.glob("*.py"))
    beside = sorted(Path(variates.__file__).parent.glob("*.py"))
    return [p for p in here + beside if p.name not in _NOT_PASTED] + [
        Path(numbers.__file__),
        Path(riemann_zeta.__file__),
    ]


_NOT_PASTED = ("__init__.py", "collect.py", "families.py")


class _AsKernel(ast.NodeTransformer):
    """Where kernels differ from Python: whole parts are floats, tables are arrays."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "math" and node.attr in ROUNDINGS:
            return ast.Attribute(ast.Name("np", ast.Load()), node.attr, node.ctx)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name.startswith("tables_"):
                node.value = ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "array", ast.Load()), [node.value], [])
                return ast.fix_missing_locations(node)
        return node


def _piece(statement: ast.stmt, known: frozenset[str]) -> Piece:
    if isinstance(statement, ast.FunctionDef):
        statement = _bare(statement)
    reads = dict.fromkeys(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known
    )
    return Piece(ast.unparse(statement), tuple(reads), isinstance(statement, ast.FunctionDef))


def _bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """Without docstring and annotations."""
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    if ast.get_docstring(function, clean=False) is not None:
        function.body = function.body[1:] or [ast.Pass()]
    return function


def _require(name: str, pieces: dict[str, Piece], order: dict[str, None]) -> None:
    """Adds `name` to `order`, after everything that it reads; a function may call itself."""
    if name in order:
        return
    waiting = [name]
    while waiting:
        top = waiting[-1]
        missing = [r for r in pieces[top].reads if r not in order and r not in waiting]
        if missing:
            waiting.append(missing[0])
        else:
            order[waiting.pop()] = None


def _called_by_constants(order: Iterable[str], pieces: dict[str, Piece]) -> frozenset[str]:
    """The functions that make tables; Python runs them once, at import."""
    found: set[str] = set()
    waiting = [read for name in order if not pieces[name].is_function for read in pieces[name].reads]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(pieces[name].reads)
    return frozenset(name for name in found if pieces[name].is_function)
