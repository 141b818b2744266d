"""The probability of one value under a discrete law, as a formula, from the exact values of the law's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial

from seqlang.arithmetic.formula import Formula, exponential, number
from seqlang.rules.sensitivity.facts.definitions import Definitions
from seqlang.rules.sensitivity.facts.numbers import ONE, ZERO
from seqlang.rules.sensitivity.facts.value import Value, whole

LARGEST_COUNT = 1000
"""Factorials of larger counts are not written out."""


def of_family(facts: Definitions, family: str, parameters: list[Formula], point: Formula) -> Formula | None:
    """P(value = point) of a law with these parameters; None for continuous laws, where it cannot be decided, and where
    the parameters are none of the family, so that there is no law."""
    if not _are_parameters(facts, family, parameters):
        return None
    k = whole(facts, point)
    match family, parameters:
        case "bernoulli", [p]:
            at_one, at_zero = facts.compare(point, ONE), facts.compare(point, ZERO)
            if at_one is None or at_zero is None:
                return None
            return p if at_one == "equal" else ONE - p if at_zero == "equal" else ZERO
        case "binomial", [n, p]:
            size = whole(facts, n)
            if size is None or k is None or size > LARGEST_COUNT or not 0 <= k <= size:
                return None
            return number(comb(size, k)) * p**k * (ONE - p) ** (size - k)
        case "poisson", [mean]:
            if k is None or not 0 <= k <= LARGEST_COUNT:
                return None
            return exponential(-mean) * mean**k / factorial(k)
        case "geometric", [ratio]:
            return None if k is None else (ONE - ratio) / (ONE + ratio) * ratio ** abs(k)
    return None


def _are_parameters(facts: Definitions, family: str, parameters: list[Formula]) -> bool:
    """Whether they certainly are parameters of a discrete law, as `valid` of each family in `seqlang.laws` has it."""
    match family, parameters:
        case "bernoulli", [p]:
            return facts.at_most(ZERO, p) and facts.at_most(p, ONE)
        case "binomial", [n, p]:
            return facts.at_most(ZERO, n) and facts.at_most(ZERO, p) and facts.at_most(p, ONE)
        case "poisson", [mean]:
            return facts.at_most(ZERO, mean)
        case "geometric", [ratio]:
            return facts.at_most(ZERO, ratio) and facts.compare(ratio, ONE) == "less"
    return False


def of_weights(
    facts: Definitions, pairs: Sequence[tuple[Formula | None, Formula | None]], point: Formula
) -> Formula | None:
    """P(value = point) of a law that is given by its values and their weights, which are >= 0 and add up to more."""
    found: Formula = ZERO
    mass: Formula = ZERO
    for value, weight in pairs:
        if value is None or weight is None or facts.sign(weight) not in (0, 1):
            return None
        relation = facts.compare(value, point)
        if relation is None:
            return None
        mass = mass + weight
        found = found + weight if relation == "equal" else found
    return found / mass if facts.sign(mass) == 1 else None


def among(facts: Definitions, values: tuple[Value | None, ...], point: Formula) -> Formula | None:
    """P(value = point) where each of the listed values is as probable as any other; None if there are none."""
    relations = [facts.compare(v, point) if isinstance(v, Formula) else None for v in values]
    if None in relations or not values:
        return None
    return number(Fraction(relations.count("equal"), len(relations)))
