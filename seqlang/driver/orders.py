"""The Renyi orders that somebody asks for: numbers, and `alpha` for the formula in the order."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from seqlang.diagnostics import SpecError
from seqlang.driver.given import Number, number

FORMULA = "alpha"
_LEAST, _LARGEST, _MOST = Fraction(10001, 10000), 10**6, 100


def renyi_orders(given: Iterable[Number]) -> tuple[tuple[Fraction, ...], bool]:
    """The orders, rising, and whether `alpha` is among what is given. Raises SpecError E0602 for what is no number,
    E0603 for orders outside 1.0001 to 1000000 and for more than 100 of them."""
    asked = [given] if isinstance(given, str) else list(given)
    words = [item for item in asked if isinstance(item, str) and item.strip() == FORMULA]
    orders = sorted({_order(item) for item in asked if item not in words})
    if len(orders) > _MOST:
        raise SpecError.of("E0603", f"{len(orders)} orders are asked for: at most {_MOST} are possible")
    return tuple(orders), bool(words)


def _order(item: Number) -> Fraction:
    text = item.strip() if isinstance(item, str) else item
    remedy = "write --order 1.5,3,alpha: numbers above 1, and alpha for the formula"
    try:
        order = number(text, "the order")
    except SpecError:
        raise SpecError.of("E0602", f"the order: `{text}` is neither a number nor alpha", help=remedy) from None
    if not _LEAST <= order <= _LARGEST:
        raise SpecError.of("E0603", f"an order is {text}: it must lie between 1.0001 and 1000000", help=remedy)
    return order
