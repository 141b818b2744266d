"""One element of a list that is given by a formula: `[f(k) for k in 1..n][j]` is `f(j)`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Expression,
    Index,
    Number,
    Quantified,
    Records,
    WeightsOf,
    rebuild,
    walk,
)
from seqlang.model.program import Cell


def element_of_list(expression: Index, cells: Mapping[str, Cell]) -> Expression | None:
    """The formula with the index put in, or None where that would change what a name means."""
    match expression:
        case Index(Quantified("list", body, variable, domain, None), at) if _counts_from_one(domain):
            pass
        case _:
            return None
    if at == Bound(variable):
        return body
    inside = tuple(walk(body))
    names = {node.name for node in walk(at) if isinstance(node, Bound)}
    binding = {node.variable for node in inside if isinstance(node, Quantified | WeightsOf)}
    read = (cells[node.name] for node in inside if isinstance(node, CellValue) and node.name in cells)
    if binding & {variable, *names} or any(variable in dict(cell.binders) for cell in read):
        return None
    return _put(body, Bound(variable), at)


def _counts_from_one(domain: Expression) -> bool:
    match domain:
        case Apply("..", (Number(first), _)):
            return first == Fraction(1)
        case Records():
            return True
    return False


def _put(body: Expression, variable: Bound, at: Expression) -> Expression:
    return at if body == variable else rebuild(body, lambda child: _put(child, variable, at))
