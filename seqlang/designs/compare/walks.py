"""Private sequential tests that look after every entry, which is 0 or 1: a running sum between two noisy ends.

The sum of the entries, each less a slope, is the log-likelihood ratio in other units (Wald 1945). Where it ends are
parameters, to be tuned."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log

from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

SHARE = 1 / (1 + 2 ** (2 / 3))
"""Of the budget, for the noise that is drawn once: Lyu, Su & Li 2017, section 4.2, for one answer."""
AWAY = 5.0
"""Scales of the noise of a look that an end is away where the search begins, besides Wald's boundary."""

NEARLY = 0.03
"""How far the slope may be rounded, as a part of the difference of both hypotheses."""


@record
class Walk:
    """`once`: lines that attach the noise drawn once, of scale `kept`; `looks`: the names that get noise in every step.
    The source is that of the mechanism."""

    name: str
    source: str
    once: tuple[str, ...]
    looks: str


WALKS = (
    Walk("DP-SPRT", "Michel, Basu & Kaufmann 2025",
         ("draw z ~ laplace(kept) once", "attach z to high", "attach -z to low"), "total"),
    Walk("PrivSPRT", "Zhang, Mei & Cummings 2022", ("attach laplace(kept) to high, low once",), "high, low"),
)  # fmt: skip
"""Both ends move together by one noise, and the sum has its own; each end has its noise, kept and in every step."""


def free_of(problem: Problem) -> tuple[str, ...]:
    """The parameters to be tuned."""
    return ("bar",) if problem.symmetric else ("bar", "floor")


def walk_text(walk: Walk, problem: Problem, noise: Fraction) -> str:
    """The program, with parameters from which a search may begin. `noise` multiplies all scales."""
    return "\n".join((*_head(walk, problem, noise), "", *_course(walk, problem), "", *_claims(problem))) + "\n"


def _head(walk: Walk, problem: Problem, noise: Fraction) -> Iterator[str]:
    p0, p1 = (decimal(side.chances[1]) for side in (problem.null, problem.alternative))
    alpha, beta = problem.errors
    slope, odds = _slope(problem)
    away = AWAY * 2 * float(noise) / (1 - SHARE)
    x = problem.stream
    yield "algorithm tuned"
    yield f'    "{problem.hypothesis(problem.null)} against {problem.hypothesis(problem.alternative)}: {walk.name}"'
    yield f'    "A look after every entry; the mechanism of {walk.source}, its ends searched"'
    yield ""
    yield f"param noise > 0 = {decimal(noise)}"
    yield f"param share in (0, 1) = {SHARE:.3g}  # of the budget, for the noise that is drawn once (Lyu, Su & Li 2017)"
    yield f"param bar > 0 = {away + log(1 / alpha) / odds:.4g}  # rejects beyond"
    if not problem.symmetric:
        yield f"param floor > 0 = {away + log(1 / beta) / odds:.4g}  # accepts beyond"
    yield f"let slope = {slope}  # where an entry speaks for neither hypothesis, rounded"
    yield "let kept = noise / share"
    yield ""
    yield f"stream {x} in {{0, 1}}"
    yield f"model null:        {x} ~ bernoulli({p0})"
    yield f"model alternative: {x} ~ bernoulli({p1})"


def _slope(problem: Problem) -> tuple[Fraction, float]:
    """What is subtracted from each entry, and the log-odds ratio of both hypotheses. It is rounded to a fraction of
    small denominator near the true one, so that the sum has few values."""
    p0, p1 = (float(side.chances[1]) for side in (problem.null, problem.alternative))
    odds = log(p1 * (1 - p0) / (p0 * (1 - p1)))
    exact, most = log((1 - p0) / (1 - p1)) / odds, 1
    while abs(float(Fraction(exact).limit_denominator(most)) - exact) > NEARLY * abs(p1 - p0):
        most += 1
    return Fraction(exact).limit_denominator(most), abs(odds)


def _course(walk: Walk, problem: Problem) -> Iterator[str]:
    """Where a 1 speaks for the null, the test rejects below."""
    up = problem.null.chances[1] < problem.alternative.chances[1]
    ends = ("bar", "bar" if problem.symmetric else "floor")
    above, below = ends if up else ends[::-1]
    yield f"statistic total = sum({problem.stream} - slope over steps)"
    yield f"let high = {above}"
    yield f"let low  = -{below}"
    for condition, rejects in (("total >= high", up), ("total <= low", not up)):
        yield f"stop when {condition} return {'reject' if rejects else 'accept'}"
    yield ""
    yield from walk.once
    yield f"attach laplace(2 * noise / (1 - share)) to {walk.looks}"


def _claims(problem: Problem) -> Iterator[str]:
    yield f"claim strong {problem.privacy.text}"
    yield f"claim probability(reject) <= {decimal(problem.alpha)} under null"
    yield f"claim probability(accept) <= {decimal(problem.beta)} under alternative"
