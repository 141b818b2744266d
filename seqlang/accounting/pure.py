"""Pure epsilon-DP: a bound on the log-likelihood ratio of every output, in nats."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval


def basic_composition(epsilons: Iterable[float]) -> float:
    """Several mechanisms on the same data, each with its own randomness and chosen from earlier outputs: the sum.

    Dwork & Roth 2014, Theorem 3.16. Errors: a negative or NaN epsilon.
    """
    total = interval(0)
    for epsilon in epsilons:
        total = total + arguments.not_negative("epsilon", epsilon)
    return total.high


def self_composition(epsilon: float, count: int) -> float:
    """`count` mechanisms of the same epsilon. Errors: a negative epsilon, a count that is no positive integer."""
    k = arguments.count("count", count)
    return (interval(arguments.not_negative("epsilon", epsilon)) * k).high
