"""The shortest form found of a formula."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from seqlang.arithmetic import functions
from seqlang.arithmetic.enclosure import Bounds
from seqlang.arithmetic.nodes import Formula, Number, Product, Sum, Symbol, split_coefficient
from seqlang.arithmetic.ratios.normal import Normal
from seqlang.arithmetic.ratios.polynomial import TooLarge
from seqlang.arithmetic.ratios.ring import NoForm
from seqlang.arithmetic.ratios.written import Written

_NO_VALUES: Mapping[str, Fraction] = {}


def simplify(formula: Formula, bounds: Mapping[str, Bounds]) -> Formula:
    """A formula with the same value wherever the given one is defined and the names are within their bounds.

    It is the given one, put together from simplified parts, unless another shape is shorter.
    """
    known = {name: bounds[name] for name in formula.symbols() if name in bounds}
    return _simplified(str(formula), formula, tuple(sorted(known.items(), key=lambda item: item[0])))


@lru_cache(maxsize=4096)
def _simplified(written: str, formula: Formula, bounds: tuple[tuple[str, Bounds], ...]) -> Formula:
    """`written` is part of the key: equal formulas may stand in different orders, and what is printed must not depend
    on which was asked for first."""
    return _Simplifier(dict(bounds)).best(formula)


class _Simplifier:
    def __init__(self, bounds: Mapping[str, Bounds]) -> None:
        self.normal = Normal(bounds, _NO_VALUES)
        self.written = Written(self.normal)
        self._best: dict[Formula, Formula] = {}

    def best(self, formula: Formula) -> Formula:
        if isinstance(formula, (Number, Symbol)) or _is_plain(formula):
            return formula
        found = self._best.get(formula)
        if found is None:
            found = self._best[formula] = self._find(formula)
        return found

    def _find(self, formula: Formula) -> Formula:
        rebuilt = functions.rebuilt(formula, self.best)
        try:
            ratio = self.normal.read(formula)
            if all(self.normal.ring.atoms[atom].kind == "symbol" for atom, _ in ratio.monomial):
                written = self.written.product(ratio)
                return rebuilt if rebuilt == written or len(str(rebuilt)) < len(str(written)) else written
            return self.written.ratio(ratio, (rebuilt,))
        except (NoForm, TooLarge):
            return rebuilt


def _is_plain(formula: Formula) -> bool:
    """Like c - 1 or 2*A: nothing can be shorter, so nothing is tried."""
    if isinstance(formula, Product):
        return (
            len(formula.factors) == 2
            and isinstance(formula.factors[0], Number)
            and isinstance(formula.factors[1], Symbol)
        )
    if not isinstance(formula, Sum):
        return False
    parts = [split_coefficient(term) for term in formula.terms]
    return any(abs(c) == 1 for c, _ in parts) and all(isinstance(rest, (Number, Symbol)) for _, rest in parts)
