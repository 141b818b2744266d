"""One element of a list that is given by a formula: `[f(k) for k in 1..n][j]` is `f(j)`."""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.binding import substitute
from seqlang.model.expression import Apply, Expression, Index, Number, Quantified, Records


def element_of_list(expression: Index) -> Expression | None:
    """The formula with the index put in; None where the list is not given by a formula of the position."""
    match expression:
        case Index(Quantified("list", body, variable, domain, None), at) if _counts_from_one(domain):
            return substitute(body, {variable: at})
    return None


def _counts_from_one(domain: Expression) -> bool:
    match domain:
        case Apply("..", (Number(first), _)):
            return first == Fraction(1)
        case Records():
            return True
    return False
