"""Budgets and prices as exact rationals, and what fits.

An account is kept in one notion, fixed when it is opened, in which prices add up: also where each release is chosen by
what the earlier ones showed. That holds for pure and approximate differential privacy (Rogers, Roth, Ullman & Vadhan
2016, Section 4: filters for basic composition), for zCDP and for RDP at one order (Feldman & Zrnic 2021, Theorem 4.5).
An account of (epsilon, delta) may be kept in zCDP instead: its budget is then the largest rho that implies both.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal

from seqlang.diagnostics import SpecError
from seqlang.record import record

Notion = Literal["pure", "zcdp", "rdp", "dp"]
_FORMS = {"pure": 1, "zcdp": 1, "rdp": 2, "dp": 2}
_CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")
LONGEST = 1000
"""Digits of a numerator or denominator: what is accepted is written as a fraction, and must be read again."""


@record
class Amount:
    """So much privacy: epsilon of `pure`, rho of `zcdp`, epsilon at `order` of `rdp`, epsilon and `delta` of `dp`."""

    notion: Notion
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    order: Fraction = Fraction(0)

    @property
    def text(self) -> str:
        """As it is written: pure(1/10)."""
        match self.notion:
            case "rdp":
                return f"rdp({self.order}, {self.epsilon})"
            case "dp":
                return f"dp({self.epsilon}, {self.delta})"
        return f"{self.notion}({self.epsilon})"

    def plus(self, other: Amount) -> Amount:
        """Both together; of one notion and order."""
        assert (self.notion, self.order) == (other.notion, other.order)
        return Amount(self.notion, self.epsilon + other.epsilon, self.delta + other.delta, self.order)

    def minus(self, other: Amount) -> Amount:
        """What is left."""
        assert (self.notion, self.order) == (other.notion, other.order)
        return Amount(self.notion, self.epsilon - other.epsilon, self.delta - other.delta, self.order)

    def fits(self, budget: Amount) -> bool:
        """Whether it is at most the budget, exactly."""
        same = (self.notion, self.order) == (budget.notion, budget.order)
        return same and self.epsilon <= budget.epsilon and self.delta <= budget.delta

    def has_at_most(self, digits: int) -> bool:
        """Whether no numerator and no denominator has more digits."""
        numbers = (self.epsilon, self.delta, self.order)
        return all(max(abs(n.numerator), n.denominator) < 10**digits for n in numbers)

    @property
    def nothing(self) -> Amount:
        """None of it."""
        return Amount(self.notion, Fraction(0), Fraction(0), self.order)


def amount_of(text: str, what: str) -> Amount:
    """Reads `pure(1/10)`, `dp(1, 1e-6)`, `zcdp(0.5)`, `rdp(8, 1)`. Raises SpecError E0602."""
    found = _CALL.fullmatch(text)
    parts = [] if found is None else [part.strip() for part in found[2].split(",")]
    if found is None or found[1] not in _FORMS or len(parts) != _FORMS[found[1]]:
        raise SpecError.of("E0602", f"{what}: `{text[:60]}` is no amount of privacy",
                           help="write pure(1), zcdp(1/2), rdp(8, 1) or dp(1, 1e-6)")  # fmt: skip
    numbers = [_number(part, what) for part in parts]
    match found[1]:
        case "rdp":
            made = Amount("rdp", numbers[1], order=numbers[0])
        case "dp":
            made = Amount("dp", numbers[0], numbers[1])
        case "pure":
            made = Amount("pure", numbers[0])
        case _:
            made = Amount("zcdp", numbers[0])
    if made.epsilon < 0 or not 0 <= made.delta < 1 or (made.notion == "rdp" and made.order <= 1):
        raise SpecError.of("E0603", f"{what}: `{text[:60]}`: amounts are at least 0, delta is below 1, orders above 1")
    return made


def _number(text: str, what: str) -> Fraction:
    mantissa, _, exponent = text.lower().partition("e")
    try:
        if len(mantissa) > 2 * LONGEST + 2 or len(exponent) > 5:
            raise ValueError
        found = Fraction(text)
        if not Amount("pure", found).has_at_most(LONGEST):
            raise ValueError
        return found
    except (ValueError, ZeroDivisionError):
        raise SpecError.of("E0602", f"{what}: `{text[:40]}` is not a number that can be used here",
                           help=f"a decimal or a fraction of at most {LONGEST:,} digits each") from None  # fmt: skip


def within(delta_budget: Amount) -> Amount:
    """The zCDP budget that implies an (epsilon, delta) budget: the largest rho = (sqrt(L + epsilon) - sqrt(L))^2 with
    L = log(1 / delta) (Bun & Steinke 2016, Proposition 1.3), rounded down to a rational."""
    from seqlang.arithmetic.rounding import fraction_down, fraction_up

    if delta_budget.notion != "dp" or not delta_budget.delta:
        raise SpecError.of("E0603", "--by zcdp: only a budget dp(epsilon, delta), delta above 0, is kept in zCDP")
    import math

    low_epsilon, low_log = fraction_down(delta_budget.epsilon), -math.log(fraction_up(delta_budget.delta))
    rho = (math.sqrt(low_log + low_epsilon) - math.sqrt(low_log)) ** 2
    rounded = Fraction(math.floor(rho * 10**9) - 1, 10**9)  # more than the rounding of all steps above
    return Amount("zcdp", max(Fraction(0), rounded))
